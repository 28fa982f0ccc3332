/** @file direction.c  Which form of an algorithm runs. */
#include "algorithms/common/choose.h"
#include "runtime/support.h"
#include "worklist/steps.h"

const char *weir_direction_text(weir_direction direction)
{
    static const char *const names[] = {"auto", "push", "pull", "switch"};
    return (unsigned)direction < sizeof names / sizeof *names ? names[direction] : NULL;
}

/* The first of the worklist's options that was given; NULL: none. */
static const char *option_given(const weir_run_options *options)
{
    return options->route     ? "route"
           : options->order   ? "order"
           : options->kernel  ? "kernel"
           : options->worker  ? "worker"
           : options->fetch   ? "fetch"
           : options->mapping ? "mapping"
                              : NULL;
}

weir_status weir__direction_choose(const weir_context *context, const weir_run_options *options,
                                   uint32_t parts, weir_direction usual,
                                   weir_direction *direction_out)
{
    const char *given = option_given(options);
    *direction_out = options->direction;
    if (options->direction == WEIR_DIRECTION_PUSH)
        return WEIR_OK;
    if (options->direction == WEIR_DIRECTION_AUTO) {
        *direction_out = given || weir_steps_possible(context, parts) ? WEIR_DIRECTION_PUSH : usual;
        return WEIR_OK;
    }
    if (!weir_direction_text(options->direction))
        return weir__fail(WEIR_ERR_INVALID, "direction %d: there is none", (int)options->direction);
    if (given)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "%s belongs to direction push, not to %s", given,
                          weir_direction_text(options->direction));
    return weir_steps_possible(context, parts);
}
