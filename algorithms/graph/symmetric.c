/** @file symmetric.c  Does a graph have the reverse of every arc? */
#include "algorithms/graph/arcs.h"
#include "algorithms/graph/reverse.h"
#include "algorithms/graph/sketch.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#define SAMPLES 32u

struct symmetry {
    const weir_graph *graph;
    const uint32_t *weights; /* NULL: they do not count */
    uint64_t sum[2];         /* relaxed atomics, read after the join */
};

static void add_rows(void *user, uint64_t begin, uint64_t end)
{
    struct symmetry *s = user;
    const weir_graph *graph = s->graph;
    struct weir__arc_walk walk = weir__arc_walk_from(graph, begin);
    uint64_t sum[2] = {0, 0};
    for (uint64_t i = begin; i < end;) {
        const struct weir__reverse own = weir__reverse_of((uint32_t)weir__arc_walk_to(&walk, i));
        const uint64_t stop = walk.row_end < end ? walk.row_end : end;
        const struct weir__reverse ends =
            weir__reverse_sums(WEIR__REVERSE_ALL, graph->targets + i,
                               s->weights ? s->weights + i : NULL, 1, 0, stop - i);
        sum[0] += own.first * ends.second - own.second * ends.first;
        sum[1] += own.first * ends.third - own.third * ends.first;
        i = stop;
    }
    __atomic_fetch_add(&s->sum[0], sum[0], __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->sum[1], sum[1], __ATOMIC_RELAXED);
}

/* Whether one of a few arcs has no reverse: as a rule that is seen at once. */
static int lacks_one(const weir_graph *graph, const uint32_t *weights)
{
    for (uint64_t k = 0; k < SAMPLES; k++) {
        const uint64_t arc = graph->arcs / SAMPLES * k + graph->arcs % SAMPLES * k / SAMPLES;
        if (arc >= graph->arcs)
            break;
        const uint64_t v = weir__arc_walk_from(graph, arc).v,
                       back = weir__arc_find(graph, graph->targets[arc], v);
        if (back == UINT64_MAX || (weights && weights[arc] != weights[back]))
            return 1;
    }
    return 0;
}

static const char undirected_sketch[] = "undirected sketch", directed_sketch[] = "sketch";

weir_graph weir__graph_sketch(uint64_t vertices, uint64_t arcs, int undirected,
                              weir_weight_kind weights)
{
    return (weir_graph){.vertices = vertices,
                        .arcs = arcs,
                        .weight_kind = weights,
                        .name = "a graph of these sizes",
                        .format = undirected ? undirected_sketch : directed_sketch};
}

int weir__graph_is_sketch(const weir_graph *graph)
{
    return graph->format == undirected_sketch || graph->format == directed_sketch;
}

/* A few arcs looked up, then two sums (reverse.h). To look all reverses up takes reads from all over the graph, many times as long. */
int weir__graph_symmetric(const weir_graph *graph, const uint32_t *weights)
{
    struct symmetry s = {graph, weights, {0, 0}};
    if (weir__graph_is_sketch(graph))
        return graph->format == undirected_sketch;
    if (graph->mirrored)
        return 1;
    if (graph->arcs % 2 || weir_graph_fetch(graph) || lacks_one(graph, weights))
        return 0;
    if (weir__activity_for("looking for reverse arcs", "arcs", graph->arcs, WEIR__ARC_CHUNK, 0,
                           add_rows, &s))
        return 0;
    return s.sum[0] == 0 && s.sum[1] == 0;
}
