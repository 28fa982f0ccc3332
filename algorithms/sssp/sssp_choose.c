/** @file sssp_choose.c  Which form of shortest paths runs. */
#include "algorithms/common/choose.h"
#include "algorithms/sssp/sssp.h"
#include "algorithms/sssp/sssp_step_run.h"
#include "runtime/support.h"

weir_status weir__sssp_choose(const weir_context *context, uint32_t parts,
                              const struct weir__sssp_plan *plan, const weir_run_options *options,
                              int *step_out)
{
    const int fits = !plan->wide; /* integers, then */
    weir_run_options without = *options;
    weir_direction usual = WEIR_DIRECTION_PUSH, picked;
    weir_status status;
    *step_out = 0;
    if (options->order == WEIR_ORDER_SOFT)
        without.order = WEIR_ORDER_AUTO;
    if (options->direction == WEIR_DIRECTION_PULL)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "shortest paths cannot pull alone: direction push or switch");
    if (options->direction == WEIR_DIRECTION_SWITCH && !fits)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "shortest paths go in step with integer weights whose sums fit 32 bits");
    if (fits && plan->skewed && !weir__sssp_run_possible(context, parts))
        usual = WEIR_DIRECTION_SWITCH;
    if ((status = weir__direction_choose(context, &without, parts, usual, &picked)))
        return status;
    *step_out = picked == WEIR_DIRECTION_SWITCH;
    return *step_out ? weir__sssp_run_possible(context, parts) : WEIR_OK;
}
