/** @file bring.h  What placements and rows do alike: a partition where none is given, an owner that is no part, arrays to a
 * device and away, and where arcs lie. Not installed. */
#ifndef WEIR_ALGORITHMS_COMMON_BRING_H
#define WEIR_ALGORITHMS_COMMON_BRING_H

#include "algorithms/algorithms.h"
#include "algorithms/common/need.h"

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

/** The same of an array of arcs, which lies on the device, or in host memory that it reads (WEIR_MEMORY_HOST). */
weir_status weir__bring_arcs(weir_device *device, weir_memory memory, const char *what,
                             const void *data, uint64_t count, size_t bytes,
                             const void **placed_out);
void weir__bring_arcs_free(weir_device *device, weir_memory memory, const void *placed);

/** Copy arcs back, to memory of the caller's. */
weir_status weir__bring_back(weir_device *device, weir_memory memory, void *destination,
                             const void *placed, size_t bytes);

/** Count an array of arcs that @p device reads: with the host's memory wherever it lies there. */
void weir__need_take_arcs(struct weir__need *need, const weir_device *device, weir_memory memory,
                          uint64_t count, uint64_t bytes);

/** Where arcs lie: where nobody said, on the devices if their pools still hold all arrays of the parts, else in host memory.
 *  @param[in] arc_bytes  of an arc, its weight in it.  @param[in] beside  bytes of a part's other arrays, by part.
 *  @param[in,out] memory_io  WEIR_MEMORY_AUTO becomes one of the other two.
 *  @retval WEIR_ERR_INVALID  there is no such value. */
weir_status weir__memory_choose(const struct weir__sizes *sizes, uint64_t arc_bytes,
                                const uint64_t *beside, weir_memory *memory_io);

#endif
