/** @file summarize.c  Facts about a graph: degrees, isolated vertices, symmetry, weights. */
#include "algorithms/algorithms.h"
#include "runtime/support.h"
#include "runtime/room.h"

#include <stdlib.h>

#define ROW_CHUNK (UINT64_C(1) << 12)

struct facts {
    const weir_graph *graph;
    uint8_t *entered; /* the vertex has an in-arc; relaxed atomic bytes, set only */
    int lopsided;     /* some arc lacks its reverse; relaxed atomic, set only */
};

static int has_arc(const weir_graph *graph, uint32_t source, uint32_t target)
{
    uint64_t low = graph->offsets[source], high = graph->offsets[source + UINT64_C(1)];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (graph->targets[middle] < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->offsets[source + UINT64_C(1)] && graph->targets[low] == target;
}

static void look(void *user, uint64_t begin, uint64_t end)
{
    struct facts *f = user;
    const weir_graph *graph = f->graph;
    int lopsided = __atomic_load_n(&f->lopsided, __ATOMIC_RELAXED);
    for (uint64_t v = begin; v < end; v++) {
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            __atomic_store_n(&f->entered[graph->targets[i]], 1, __ATOMIC_RELAXED);
            if (!lopsided && !has_arc(graph, graph->targets[i], (uint32_t)v))
                lopsided = 1;
        }
    }
    if (lopsided)
        __atomic_store_n(&f->lopsided, 1, __ATOMIC_RELAXED);
}

static void weights(const weir_graph *graph, weir_graph_summary *summary)
{
    for (uint64_t i = 0; graph->weight_kind != WEIR_WEIGHT_NONE && i < graph->arcs; i++) {
        double w = graph->weights_u32 ? (double)graph->weights_u32[i] : graph->weights_f64[i];
        if (i == 0 || w < summary->weight_min)
            summary->weight_min = w;
        if (i == 0 || w > summary->weight_max)
            summary->weight_max = w;
    }
}

weir_status weir_graph_summarize(const weir_graph *graph, weir_graph_summary *summary_out)
{
    struct facts facts = {.graph = graph};
    struct weir__need need = {0, 0};
    uint64_t n = graph->vertices;
    weir_graph_summary summary = WEIR_GRAPH_SUMMARY_INIT;
    weir_status status =
        weir__sized_out(summary_out, &summary, sizeof summary, "weir_graph_summary");
    if (status)
        return status;
    weir__need_pass(&need, n, 1);
    if ((status = weir__need_fits(&need, "a summary of %s", graph->name)) ||
        (status = weir__calloc(n, 1, "graph summary", &facts.entered)))
        return status;
    weir__parallel_for(n, ROW_CHUNK, 0, look, &facts);
    for (uint64_t v = 0; v < n; v++) {
        uint64_t degree = graph->offsets[v + 1] - graph->offsets[v];
        if (degree > summary.degree_max) {
            summary.degree_max = degree;
            summary.degree_max_vertex = v;
        }
        summary.isolated += degree == 0 && !facts.entered[v];
    }
    summary.degree_mean = n ? (double)graph->arcs / (double)n : 0;
    summary.symmetric = !facts.lopsided;
    weights(graph, &summary);
    free(facts.entered);
    return weir__sized_out(summary_out, &summary, sizeof summary, "weir_graph_summary");
}
