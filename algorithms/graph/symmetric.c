/** @file symmetric.c  Does a graph have the reverse of every arc? */
#include "algorithms/graph/arcs.h"
#include "algorithms/graph/random.h"
#include "algorithms/graph/sketch.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#define SAMPLES 32u

struct symmetry {
    const weir_graph *graph;
    const uint32_t *weights; /* NULL: they do not count */
    uint64_t sum[2];         /* relaxed atomics, read after the join */
};

/* Of a vertex or a weight: never 0, and no two alike. */
static inline uint64_t random_of(uint32_t x)
{
    return weir__mix(x + WEIR__GOLDEN);
}

/* What the far ends of a part of a row add up to: sums of the first three powers, weighted where weights count. */
struct powers {
    uint64_t sum[3];
};

static inline struct powers add_ends(const uint32_t *targets, const uint32_t *weights,
                                     uint64_t count)
{
    uint64_t first = 0, second = 0, third = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t x = random_of(targets[i]), once = weights ? x * random_of(weights[i]) : x,
                       twice = once * x;
        first += once;
        second += twice;
        third += twice * x;
    }
    return (struct powers){{first, second, third}};
}

static void add_rows(void *user, uint64_t begin, uint64_t end)
{
    struct symmetry *s = user;
    const weir_graph *graph = s->graph;
    struct weir__arc_walk walk = weir__arc_walk_from(graph, begin);
    uint64_t sum[2] = {0, 0};
    for (uint64_t i = begin; i < end;) {
        const uint64_t x = random_of((uint32_t)weir__arc_walk_to(&walk, i)),
                       stop = walk.row_end < end ? walk.row_end : end;
        const struct powers of = s->weights ? add_ends(graph->targets + i, s->weights + i, stop - i)
                                            : add_ends(graph->targets + i, NULL, stop - i);
        sum[0] += x * of.sum[1] - x * x * of.sum[0];
        sum[1] += x * of.sum[2] - x * x * x * of.sum[0];
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

/* Each vertex has a random number. Arcs from x to y add x y^2 - x^2 y to one sum of 64 bits and x y^3 - x^3 y to another, so that
 * an arc and its reverse add nothing together; of a graph that is not symmetric what is left of the others is a polynomial
 * that is not 0, and has both sums at 0 for hardly any numbers. What depends on x alone is a factor of what a row adds up to: of an arc
 * only the powers of y are left. To look each reverse up takes reads from all over the graph, many times as long. */
int weir__graph_symmetric(const weir_graph *graph, const uint32_t *weights)
{
    struct symmetry s = {graph, weights, {0, 0}};
    if (weir__graph_is_sketch(graph))
        return graph->format == undirected_sketch;
    if (graph->mirrored)
        return 1;
    if (graph->arcs % 2 || lacks_one(graph, weights))
        return 0;
    if (weir__activity_for("looking for reverse arcs", "arcs", graph->arcs, WEIR__ARC_CHUNK, 0,
                           add_rows, &s))
        return 0;
    return s.sum[0] == 0 && s.sum[1] == 0;
}
