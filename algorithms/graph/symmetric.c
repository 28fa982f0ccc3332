/** @file symmetric.c  Does a graph have the reverse of every arc? */
#include "algorithms/graph/arcs.h"
#include "algorithms/graph/random.h"
#include "algorithms/graph/sketch.h"
#include "runtime/observe.h"
#include "runtime/support.h"

struct symmetry {
    const weir_graph *graph;
    const uint32_t *weights; /* NULL: they do not count */
    uint64_t sum[2];         /* relaxed atomics, read after the join */
};

/* Two hashes of an edge, the same for both of its arcs if their weights are equal. */
static inline void hash_edge(uint64_t v, uint64_t t, uint32_t weight, uint64_t hash[2])
{
    uint64_t low = v < t ? v : t, high = v < t ? t : v;
    hash[0] = weir__mix(weir__mix(low << 32 | high) + weight);
    hash[1] = weir__mix(hash[0] ^ (high << 32 | low));
}

static void add_hashes(void *user, uint64_t begin, uint64_t end)
{
    struct symmetry *s = user;
    const weir_graph *graph = s->graph;
    const uint32_t *weights = s->weights;
    struct weir__arc_walk walk = weir__arc_walk_from(graph, begin);
    uint64_t sum[2] = {0, 0};
    for (uint64_t i = begin; i < end; i++) {
        uint64_t v = weir__arc_walk_to(&walk, i), t = graph->targets[i], hash[2];
        uint64_t minus = (uint64_t)0 - (v > t); /* all bits, or none: (x ^ -1) + 1 is -x */
        hash_edge(v, t, weights ? weights[i] : 0, hash);
        sum[0] += (hash[0] ^ minus) - minus;
        sum[1] += (hash[1] ^ minus) - minus;
    }
    __atomic_fetch_add(&s->sum[0], sum[0], __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->sum[1], sum[1], __ATOMIC_RELAXED);
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

/* A symmetric graph has the same edges upwards, to larger ids, as downwards. Whether it has is seen from two
 * sums of 64-bit hashes, those of upward arcs less those of downward ones: a graph that is not symmetric has
 * both at 0 once in 2^128. To look each reverse up takes a few reads from all over the graph an arc, which is
 * a hundred times as long. */
int weir__graph_symmetric(const weir_graph *graph, const uint32_t *weights)
{
    struct symmetry s = {graph, weights, {0, 0}};
    if (weir__graph_is_sketch(graph))
        return graph->format == undirected_sketch;
    if (graph->mirrored)
        return 1;
    if (graph->arcs % 2)
        return 0;
    if (weir__activity_for("looking for reverse arcs", "arcs", graph->arcs, WEIR__ARC_CHUNK, 0,
                           add_hashes, &s))
        return 0;
    return s.sum[0] == 0 && s.sum[1] == 0;
}
