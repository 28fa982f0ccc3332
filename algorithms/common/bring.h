/** @file bring.h  What placements and rows do alike: a partition where none is given, an owner that is no part, arrays to a
 * device and away. Not installed. */
#ifndef WEIR_ALGORITHMS_COMMON_BRING_H
#define WEIR_ALGORITHMS_COMMON_BRING_H

#include "algorithms/algorithms.h"

/** Make the partition that a NULL stands for: edge, over all devices.
 *  @param[in,out] partition_io  NULL on entry: what was made, on return.
 *  @param[out] made_out  what was made, for weir_partition_destroy(); NULL if there was one. */
weir_status weir__partition_over_all(const weir_context *context, const weir_graph *graph,
                                     const weir_partition **partition_io,
                                     weir_partition **made_out);

/** Name the first vertex whose owner is no part; there is one. @retval WEIR_ERR_INVALID  always. */
weir_status weir__refuse_owner(const uint8_t *owner, uint32_t parts);

/** Copy an array of the host to new memory of a device. In a context that only counts @p data is not looked at.
 *  @param[in] what         the array's name, a constant.
 *  @param[out] placed_out  set as soon as there is memory, so that it is freed with its owner after a failure as well. */
weir_status weir__bring(weir_device *device, const char *what, const void *data, uint64_t count,
                        size_t bytes, const void **placed_out);
/** Free what weir__bring() placed; NULL is fine. */
void weir__bring_free(weir_device *device, const void *placed);

#endif
