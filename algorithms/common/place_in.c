/** @file place_in.c  In-arcs of a graph that is placed: the host holds the transposed graph while parts are built.
 *
 * The in-arcs of a symmetric graph are its out-arcs. Arcs of any other graph are counted by target and put into the rows of
 * their targets in any order, and then each row is sorted. The weight of an arc is looked up in the row of its source. */
#include "algorithms/common/need.h"
#include "algorithms/common/placement.h"
#include "algorithms/graph/sketch.h"
#include "algorithms/graph/arcs.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

#define SORT_NAME   sort_row
#define SORT_TYPE   uint32_t
#define SORT_KEY(x) (x)
#include "algorithms/graph/sort_tmpl.h"

#define ROW_CHUNK (UINT64_C(1) << 12)

struct transpose {
    const weir_graph *graph;
    /* By vertex: where its row begins, and where the row ends when all arcs were put into rows. */
    uint64_t *ends;
    uint64_t *offsets;
    uint32_t *sources;
    void *weights; /* of the graph's own type; NULL: no weights are wanted */
};

static void count_in(void *user, uint64_t begin, uint64_t end)
{
    const struct transpose *transpose = user;
    for (uint64_t arc = begin; arc < end; arc++)
        __atomic_fetch_add(&transpose->ends[transpose->graph->targets[arc]], 1, __ATOMIC_RELAXED);
}

static void deal_out(void *user, uint64_t begin, uint64_t end)
{
    const struct transpose *transpose = user;
    struct weir__arc_walk walk = weir__arc_walk_from(transpose->graph, begin);
    for (uint64_t arc = begin; arc < end; arc++) {
        const uint32_t source = (uint32_t)weir__arc_walk_to(&walk, arc);
        uint64_t at = __atomic_fetch_add(&transpose->ends[transpose->graph->targets[arc]], 1,
                                         __ATOMIC_RELAXED);
        transpose->sources[at] = source;
    }
}

static void finish_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct transpose *transpose = user;
    const weir_graph *graph = transpose->graph;
    for (uint64_t v = begin; v < end; v++) {
        const uint64_t row = transpose->offsets[v], last = transpose->offsets[v + 1];
        sort_row(transpose->sources + row, last - row, 24);
        for (uint64_t at = row; transpose->weights && at < last; at++) {
            const uint64_t arc = weir__arc_find(graph, transpose->sources[at], (uint32_t)v);
            if (graph->weight_kind == WEIR_WEIGHT_U32)
                ((uint32_t *)transpose->weights)[at] = graph->weights_u32[arc];
            else
                ((double *)transpose->weights)[at] = graph->weights_f64[arc];
        }
    }
}

static size_t graph_weight_bytes(const weir_graph *graph, weir_part_weights weights)
{
    return weights == WEIR_PART_WEIGHTS_NONE ? 0 : graph->weight_kind == WEIR_WEIGHT_U32 ? 4 : 8;
}

static weir_status fill(struct transpose *transpose)
{
    const weir_graph *graph = transpose->graph;
    uint64_t sum = 0;
    weir_status status = weir__activity_for("counting in-arcs", "arcs", graph->arcs,
                                            WEIR__ARC_CHUNK, 0, count_in, transpose);
    if (status)
        return status;
    for (uint64_t v = 0; v < graph->vertices; v++) {
        const uint64_t here = transpose->ends[v];
        transpose->offsets[v] = transpose->ends[v] = sum;
        sum += here;
    }
    transpose->offsets[graph->vertices] = sum;
    status = weir__activity_for("dealing out in-arcs", "arcs", graph->arcs, WEIR__ARC_CHUNK, 0,
                                deal_out, transpose);
    return status ? status
                  : weir__activity_for("sorting in-arcs", "vertices", graph->vertices, ROW_CHUNK, 0,
                                       finish_rows, transpose);
}

int weir__place_symmetric(const weir_graph *graph, weir_part_weights weights)
{
    if (weights == WEIR_PART_WEIGHTS_NONE)
        return weir__graph_symmetric(graph, NULL);
    return graph->weight_kind == WEIR_WEIGHT_U32 &&
           weir__graph_symmetric(graph, graph->weights_u32);
}

weir_status weir__place_transpose(struct weir__place *place, weir_part_weights weights)
{
    const weir_graph *graph = place->graph;
    const size_t bytes = graph_weight_bytes(graph, weights);
    struct transpose transpose = {.graph = graph};
    weir_status status;
    if (!(status = weir_graph_fetch(graph)) &&
        !(status = weir__alloc(graph->vertices + 1, 8, "offsets of in-arcs", &transpose.offsets)) &&
        !(status = weir__calloc(graph->vertices, 8, "ends of in-arcs", &transpose.ends)) &&
        !(status = weir__alloc(graph->arcs, 4, "in-arcs", &transpose.sources)) && bytes)
        status = weir__alloc(graph->arcs, bytes, "weights of in-arcs", &transpose.weights);
    place->transposed = (weir_graph){.vertices = graph->vertices,
                                     .arcs = graph->arcs,
                                     .offsets = transpose.offsets,
                                     .targets = transpose.sources,
                                     .weight_kind = bytes ? graph->weight_kind : WEIR_WEIGHT_NONE,
                                     .weights_u32 = bytes == 4 ? transpose.weights : NULL,
                                     .weights_f64 = bytes == 8 ? transpose.weights : NULL};
    if (!status)
        status = fill(&transpose);
    free(transpose.ends);
    return status;
}

void weir__place_transpose_free(struct weir__place *place)
{
    free((void *)(uintptr_t)place->transposed.offsets);
    free((void *)(uintptr_t)place->transposed.targets);
    free((void *)(uintptr_t)place->transposed.weights_u32);
    free((void *)(uintptr_t)place->transposed.weights_f64);
}

/* ---- how much it takes -------------------------------------------------------------------------- */

struct count {
    const weir_graph *graph;
    const uint8_t *owner;
    struct weir__sizes *sizes; /* relaxed additions; the join publishes them */
};

static void count_by_part(void *user, uint64_t begin, uint64_t end)
{
    const struct count *count = user;
    uint64_t arcs[256] = {0};
    for (uint64_t arc = begin; arc < end; arc++)
        arcs[count->owner[count->graph->targets[arc]]]++;
    for (uint32_t p = 0; p < 256; p++)
        if (arcs[p])
            __atomic_fetch_add(&count->sizes->in_arcs_of[p], arcs[p], __ATOMIC_RELAXED);
}

weir_status weir__sizes_transpose(const weir_graph *graph, const weir_partition *partition,
                                  struct weir__sizes *sizes)
{
    struct count count = {graph, partition->owner, sizes};
    sizes->transposed = 1;
    if (weir__graph_is_sketch(graph))
        return WEIR_OK; /* they are counted as equal already */
    const weir_status status = weir_graph_fetch(graph);
    return status ? status
                  : weir__activity_for("counting in-arcs", "arcs", graph->arcs, WEIR__ARC_CHUNK, 0,
                                       count_by_part, &count);
}
