/** @file span.c  Components of a graph, and bounds of the diameter of the largest one, on the host.
 *
 * The diameter by the double sweep: the farthest vertex of a search is a good place to search from, and the depth of any
 * search is a lower bound. No two vertices are farther from each other than twice the depth of any search, which bounds
 * it from above; the last search begins in the middle of the way that the one before found, from where all is near.
 * The serial references do the work, since a few passes are all there is. */
#include "algorithms/graph/arcs.h"
#include "algorithms/reference.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define SWEEPS_MOST 3

/* Counts components by their labels, which are their smallest vertices. @param[out] size  by vertex. @return the label of the
 * largest one. */
static uint32_t count(const weir_graph *graph, const uint32_t *label, uint32_t *size,
                      weir_graph_span *span)
{
    uint32_t largest = 0;
    memset(size, 0, graph->vertices * sizeof *size);
    for (uint64_t v = 0; v < graph->vertices; v++) {
        span->components += label[v] == v;
        size[label[v]]++;
    }
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (size[v] > size[largest])
            largest = (uint32_t)v;
    span->largest = size[largest];
    return largest;
}

/* The first vertex of a component with the most arcs. */
static uint64_t first_source(const weir_graph *graph, const uint32_t *label, uint32_t component)
{
    uint64_t best = component, most = 0;
    for (uint64_t v = component; v < graph->vertices; v++) {
        const uint64_t degree = graph->offsets[v + 1] - graph->offsets[v];
        if (label[v] == component && degree > most) {
            best = v;
            most = degree;
        }
    }
    return best;
}

/* The depth of a search. @param[in,out] source  the first of the farthest vertices, for the next one. */
static weir_status search(const weir_graph *graph, uint64_t *source, int32_t *level,
                          uint64_t *depth_out)
{
    weir_status status = weir_bfs_reference(graph, *source, level);
    for (uint64_t v = 0; v < graph->vertices && !status; v++)
        if (level[v] > level[*source])
            *source = v;
    *depth_out = status ? 0 : (uint64_t)level[*source];
    return status;
}

/* No way is longer than one through all vertices. @return whether it is deeper than those before. */
static int learn(weir_graph_span *span, uint64_t depth)
{
    const int deeper = depth > span->diameter_least || !span->searches;
    if (!span->searches)
        span->diameter_most = span->largest - 1;
    if (2 * depth < span->diameter_most)
        span->diameter_most = 2 * depth;
    if (deeper)
        span->diameter_least = depth;
    span->searches++;
    return deeper;
}

/* The vertex halfway on a way from where a search began to a vertex that it reached. */
static uint64_t middle(const weir_graph *graph, const int32_t *level, uint64_t reached)
{
    for (int32_t left = level[reached] / 2; left > 0; left--) {
        uint64_t i = graph->offsets[reached];
        while (level[graph->targets[i]] != level[reached] - 1)
            i++;
        reached = graph->targets[i];
    }
    return reached;
}

static weir_status sweep(const weir_graph *graph, uint64_t source, int32_t *level,
                         weir_graph_span *span)
{
    uint64_t depth = 0;
    int deeper = 1;
    weir_status status = WEIR_OK;
    while (!status && deeper && span->searches < SWEEPS_MOST &&
           (!span->searches || span->diameter_least < span->diameter_most))
        if (!(status = search(graph, &source, level, &depth)))
            deeper = learn(span, depth);
    if (status || span->diameter_least == span->diameter_most)
        return status;
    source = middle(graph, level, source);
    if (!(status = search(graph, &source, level, &depth)))
        (void)learn(span, depth);
    return status;
}

static weir_status find(const weir_graph *graph, uint32_t *label, void *values,
                        weir_graph_span *span)
{
    weir_graph *both_ways = NULL;
    weir_status status = weir_cc_reference(graph, label);
    if (status)
        return status;
    const uint32_t largest = count(graph, label, values, span);
    if (!weir__graph_symmetric(graph, NULL) && (status = weir_graph_undirected(graph, &both_ways)))
        return status;
    if ((status = weir__activity_went(0))) {
        weir_graph_destroy(both_ways);
        return status;
    }
    const weir_graph *edges = both_ways ? both_ways : graph;
    status = sweep(edges, first_source(edges, label, largest), values, span);
    weir_graph_destroy(both_ways);
    return status;
}

weir_status weir_graph_span_find(const weir_graph *graph, weir_graph_span *span_out)
{
    const uint64_t n = graph->vertices;
    struct weir__need need = {0, 0};
    weir_graph_span span = WEIR_GRAPH_SPAN_INIT;
    uint32_t *label = NULL;
    void *values = NULL; /* sizes of components, then levels */
    weir_status status = weir__sized_room(span_out, sizeof span, "weir_graph_span");
    if (status)
        return status;
    weir__need_take(&need, n, 2 * sizeof(uint32_t));
    if (n && !(status = weir_graph_fetch(graph)) &&
        !(status = weir__need_fits(&need, "components of %s", graph->name)) &&
        !(status = weir__alloc(n, sizeof *label, "components", &label)) &&
        !(status = weir__alloc(n, sizeof(uint32_t), "levels", &values))) {
        struct weir__activity outer;
        weir__activity_begin(&outer, "finding the components", NULL, 0);
        status = weir__activity_end(&outer, find(graph, label, values, &span));
    }
    free(values);
    free(label);
    return status ? status : weir__sized_out(span_out, &span, sizeof span, "weir_graph_span");
}
