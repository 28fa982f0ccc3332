/** @file choose.h  What algorithms pick in place of no partition: on how many devices they run. Which form runs is in
 * forms.h. Not installed. */
#ifndef WEIR_ALGORITHMS_COMMON_CHOOSE_H
#define WEIR_ALGORITHMS_COMMON_CHOOSE_H

#include "algorithms/algorithms.h"

/** Make the partition that a NULL stands for: edge, on as many devices as weir_devices_advise() says.
 *  @param[in,out] partition_io  NULL on entry: what was made, on return.
 *  @param[out] own_out  what was made, for weir_partition_destroy(); NULL if there was one.
 *  @param[out] why_out  of weir_devices_advise(); of a partition that was given, why not all devices take part. */
weir_status weir__partition_choose(weir_context *context, const weir_graph *graph,
                                   const weir_partition **partition_io, weir_shape shape,
                                   weir_partition **own_out, const char **why_out);

#endif
