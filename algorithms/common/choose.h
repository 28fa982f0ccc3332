/** @file choose.h  What algorithms pick in place of "auto": the form, and how many devices. Not
 * installed. */
#ifndef WEIR_ALGORITHMS_COMMON_CHOOSE_H
#define WEIR_ALGORITHMS_COMMON_CHOOSE_H

#include "algorithms/algorithms.h"

/** Which form a run takes on the first @p parts devices. Options of the worklist that were given (route, order,
 *  kernel, worker, fetch, mapping) mean push.
 *  @param[in] usual  what auto becomes where devices can go in step.
 *  @retval WEIR_ERR_UNSUPPORTED  a form in step was asked for, and the devices cannot or an option of the
 *          worklist was given too. */
weir_status weir__direction_choose(const weir_context *context, const weir_run_options *options,
                                   uint32_t parts, weir_direction usual,
                                   weir_direction *direction_out);
/** Make the partition that a NULL stands for: edge, on as many devices as weir_devices_advise() says.
 *  @param[in,out] partition_io  NULL on entry: what was made, on return.
 *  @param[out] own_out  what was made, for weir_partition_destroy(); NULL if there was one.
 *  @param[out] why_out  of weir_devices_advise(); of a partition that was given, why not all devices take part. */
weir_status weir__partition_choose(weir_context *context, const weir_graph *graph,
                                   const weir_partition **partition_io, weir_shape shape,
                                   weir_partition **own_out, const char **why_out);

#endif
