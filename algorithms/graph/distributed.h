/** @file distributed.h  A partitioned graph on the devices of a context. Not installed.
 *
 * Part p lives on device p: the rows of the vertices it owns, with arcs that name vertices by local
 * number. Owned vertices come first, in their old order; behind them the *halo*, the vertices of
 * other parts that its arcs lead to. Global numbers count vertices part after part. */
#ifndef WEIR_ALGORITHMS_GRAPH_DISTRIBUTED_H
#define WEIR_ALGORITHMS_GRAPH_DISTRIBUTED_H

#include "algorithms/algorithms.h"

struct weir__part {
    weir_device *device;
    uint32_t owned, halo_count;
    uint64_t arcs;
    uint64_t *offsets; /* device memory: owned + 1 */
    uint32_t *targets; /* device memory: arcs, local numbers */
    uint32_t *halo;    /* device memory: halo_count, global numbers */
};

struct weir__distributed {
    weir_context *context;
    uint64_t vertices, arcs;
    uint32_t parts;
    uint32_t part_first[WEIR_DEVICES_MAX + 1]; /* global numbers */
    struct weir__part part[WEIR_DEVICES_MAX];
    uint8_t *owner;   /* host memory, by vertex */
    uint32_t *local;  /* host memory, by vertex: its number in its owner */
    uint32_t *degree; /* host memory, by vertex */
};

weir_status weir__distribute(weir_context *context, const weir_graph *graph,
                             const weir_partition *partition,
                             struct weir__distributed **distributed_out);
void weir__distributed_destroy(struct weir__distributed *distributed);

#endif
