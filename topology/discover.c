/** @file discover.c  The machine of a context: discovered once, then kept with it. */
#include "topology/discover.h"

#include <stdlib.h>

weir_status weir__machine_discover(weir_context *context, weir_machine **machine_out)
{
    struct weir__survey *survey;
    weir_status status = weir__numa_check_room();
    *machine_out = NULL;
    if (status || (status = weir__alloc(1, sizeof *survey, "survey of a machine", &survey)))
        return status;
    weir__survey_take(context, survey);
    status = weir__survey_assemble(survey, machine_out);
    free(survey);
    return status;
}

static void destroy(void *machine)
{
    weir_machine_destroy(machine);
}

/* Two threads may discover at once; both then get the one that was attached first. */
weir_status weir_machine_of(weir_context *context, const weir_machine **machine_out)
{
    weir_machine *machine = weir__context_attached(context);
    weir_status status = WEIR_OK;
    if (!machine && !(status = weir__machine_discover(context, &machine)))
        machine = weir__context_attach(context, machine, destroy);
    *machine_out = machine;
    return status;
}
