/** @file sizes.c  How much of a graph each part of a partition has, counted without taking memory. */
#include "algorithms/common/need.h"
#include "algorithms/graph/partition.h"
#include "algorithms/graph/sketch.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <math.h>

#define ROW_CHUNK (UINT64_C(1) << 16)

struct count {
    const weir_graph *graph;
    const uint8_t *owner;
    struct weir__sizes *sizes; /* relaxed additions; the join publishes them */
};

/* Vertices of a part mostly stand together, and then one addition does for a stretch of them. Where they do not, threads
 * would wait for each other at every vertex: so a chunk is added up by itself first. */
static void count_parts(void *user, uint64_t begin, uint64_t end)
{
    const struct count *count = user;
    uint64_t owned[256] = {0}, arcs[256] = {0};
    for (uint64_t v = begin, first = begin; v < end; first = v) {
        const uint8_t owner = count->owner[first];
        while (v < end && count->owner[v] == owner)
            v++;
        owned[owner] += v - first;
        arcs[owner] += count->graph->offsets[v] - count->graph->offsets[first];
    }
    for (uint32_t owner = 0; owner < 256; owner++) {
        if (!owned[owner])
            continue;
        __atomic_fetch_add(&count->sizes->owned[owner], owned[owner], __ATOMIC_RELAXED);
        __atomic_fetch_add(&count->sizes->arcs_of[owner], arcs[owner], __ATOMIC_RELAXED);
    }
}

/* The p-th of equal shares. */
static uint64_t share(uint64_t all, uint32_t parts, uint32_t p)
{
    return all / parts + (p < all % parts);
}

static void share_equally(struct weir__sizes *sizes)
{
    for (uint32_t p = 0; p < sizes->parts; p++) {
        sizes->owned[p] = share(sizes->vertices, sizes->parts, p);
        sizes->arcs_of[p] = sizes->in_arcs_of[p] = share(sizes->arcs, sizes->parts, p);
    }
}

uint64_t weir__halo_usual(const struct weir__sizes *sizes, uint32_t part)
{
    const double n = (double)sizes->vertices;
    const double others = (double)(sizes->vertices - sizes->owned[part]);
    return n > 0 ? (uint64_t)(others * -expm1(-(double)sizes->arcs_of[part] / n)) : 0;
}

weir_status weir__sizes_of(weir_context *context, const weir_graph *graph,
                           const weir_partition *partition, struct weir__sizes *sizes_out)
{
    struct count count = {graph, partition->owner, sizes_out};
    weir_status status = weir__partition_fits(context, graph, partition);
    if (status)
        return status;
    *sizes_out = (struct weir__sizes){.context = context,
                                      .vertices = graph->vertices,
                                      .arcs = graph->arcs,
                                      .parts = partition->parts};
    sizes_out->touched = graph->arcs < graph->vertices ? graph->arcs + 1 : graph->vertices;
    sizes_out->numbers = graph->vertices + partition->parts * (uint64_t)WEIR_ROWS_ALIGN;
    if (weir__graph_is_sketch(graph))
        share_equally(sizes_out);
    else
        status = weir__activity_for("counting vertices", "vertices", graph->vertices, ROW_CHUNK, 0,
                                    count_parts, &count);
    return status;
}
