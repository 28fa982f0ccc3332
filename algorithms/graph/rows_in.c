/** @file rows_in.c  In-arcs: those of a symmetric graph are its out-arcs; others are counted here, and
 *  gathered in rows_transpose.c. */
#include "algorithms/graph/random.h"
#include "algorithms/graph/rows_build.h"
#include "runtime/internal.h"

#include <stdlib.h>

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
    struct weir__rows_walk walk = weir__rows_walk_from(graph, begin);
    uint64_t sum[2] = {0, 0};
    for (uint64_t i = begin; i < end; i++) {
        uint64_t v = weir__rows_walk_to(&walk, i), t = graph->targets[i], hash[2];
        uint64_t minus = (uint64_t)0 - (v > t); /* all bits, or none: (x ^ -1) + 1 is -x */
        hash_edge(v, t, weights ? weights[i] : 0, hash);
        sum[0] += (hash[0] ^ minus) - minus;
        sum[1] += (hash[1] ^ minus) - minus;
    }
    __atomic_fetch_add(&s->sum[0], sum[0], __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->sum[1], sum[1], __ATOMIC_RELAXED);
}

/* A symmetric graph has the same edges upwards, to larger ids, as downwards. Whether it has is seen from two
 * sums of 64-bit hashes, those of upward arcs less those of downward ones: a graph that is not symmetric has
 * both at 0 once in 2^128. To look each reverse up takes a few reads from all over the graph an arc, which is
 * a hundred times as long. */
static int symmetric(const weir_graph *graph, const uint32_t *weights)
{
    struct symmetry s = {graph, weights, {0, 0}};
    if (graph->arcs % 2)
        return 0;
    weir__parallel_for(graph->arcs, WEIR__ROWS_ARCS, 0, add_hashes, &s);
    return s.sum[0] == 0 && s.sum[1] == 0;
}

static void count_in(void *user, uint64_t begin, uint64_t end)
{
    const struct weir__rows_build *build = user;
    for (uint64_t i = begin; i < end; i++)
        __atomic_fetch_add(&build->in_degree[build->graph->targets[i]], 1, __ATOMIC_RELAXED);
}

void weir__rows_look(const weir_graph *graph, struct weir__rows_config *config)
{
    config->symmetric = config->in && symmetric(graph, config->weights ? graph->weights_u32 : NULL);
}

weir_status weir__rows_look_back(struct weir__rows_build *build)
{
    const weir_graph *graph = build->graph;
    weir_status status;
    build->rows->symmetric = build->config->symmetric;
    if (!build->config->in || build->rows->symmetric)
        return WEIR_OK;
    if ((status = weir__calloc(graph->vertices, 4, "in-degrees", &build->in_degree)))
        return status;
    weir__parallel_for(graph->arcs, WEIR__ROWS_ARCS, 0, count_in, build);
    return WEIR_OK;
}
