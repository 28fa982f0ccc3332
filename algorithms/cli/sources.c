/** @file sources.c  Which vertices the runs start from. */
#include "algorithms/cli/traversal.h"
#include "algorithms/graph/arcs.h"

#include <stdlib.h>

/* SplitMix64, which is small and gives the same numbers on every machine. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Draw a number below bound, all with equal probability: the few values that would favour small numbers are drawn
 * again. */
static uint64_t random_below(uint64_t *state, uint64_t bound)
{
    uint64_t reject = (UINT64_MAX - bound + 1) % bound, value;
    do
        value = next_random(state);
    while (value < reject);
    return value % bound;
}

static uint64_t out_degree(const weir_graph *graph, uint64_t v)
{
    return graph->offsets[v + 1] - graph->offsets[v];
}

/* One pass takes each candidate with probability wanted / left, which makes every set of sources
 * equally likely without a list of candidates; then the order is shuffled. */
static void draw(const weir_graph *graph, uint64_t seed, uint64_t candidates, uint64_t *sources,
                 uint64_t count)
{
    uint64_t state = seed, taken = 0;
    for (uint64_t v = 0; taken < count; v++) {
        if (out_degree(graph, v) == 0)
            continue;
        if (random_below(&state, candidates--) < count - taken)
            sources[taken++] = v;
    }
    for (uint64_t i = count; i > 1; i--) {
        uint64_t j = random_below(&state, i), keep = sources[i - 1];
        sources[i - 1] = sources[j];
        sources[j] = keep;
    }
}

static int check(const weir__cli_request *request, const weir_graph *graph, uint64_t candidates)
{
    unsigned long long vertices = graph->vertices;
    if (vertices == 0)
        return weir__cli_fail(EXIT_USAGE, "%s: the graph has no vertices to start from",
                              request->graph);
    if (weir__cli_given(request, "source") && request->source >= vertices)
        return weir__cli_fail(EXIT_USAGE, "--source %llu: the graph has %llu %s (0 to %llu)",
                              (unsigned long long)request->source, vertices,
                              vertices == 1 ? "vertex" : "vertices", vertices - 1);
    if (request->sources > candidates)
        return weir__cli_fail(EXIT_USAGE,
                              "--sources %llu: the graph has only %llu %s with out-arcs",
                              (unsigned long long)request->sources, (unsigned long long)candidates,
                              candidates == 1 ? "vertex" : "vertices");
    return EXIT_DONE;
}

int weir__cli_sources(const weir__cli_request *request, const weir_graph *graph,
                      uint64_t **sources_out, size_t *count_out)
{
    uint64_t candidates = 0;
    for (uint64_t v = 0; request->sources && v < graph->vertices; v++)
        candidates += out_degree(graph, v) > 0;
    if (check(request, graph, candidates))
        return EXIT_USAGE;
    size_t count = request->sources ? (size_t)request->sources : 1;
    uint64_t *sources = calloc(count, sizeof *sources);
    if (!sources)
        return weir__cli_fail(EXIT_RUN, "--sources %zu: out of memory", count);
    if (request->sources)
        draw(graph, request->seed, candidates, sources, count);
    else
        sources[0] =
            weir__cli_given(request, "source") ? request->source : weir__graph_largest(graph);
    *sources_out = sources;
    *count_out = count;
    return EXIT_DONE;
}
