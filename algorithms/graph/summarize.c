/** @file summarize.c  Facts about a graph: degrees, isolated vertices, symmetry, weights. */
#include "algorithms/graph/arcs.h"
#include "runtime/room.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

#define ROW_CHUNK (UINT64_C(1) << 12)

struct facts {
    const weir_graph *graph;
    uint32_t *in; /* in-degrees: relaxed atomics; NULL: they are the out-degrees */
};

static void count_in(void *user, uint64_t begin, uint64_t end)
{
    const struct facts *facts = user;
    for (uint64_t i = begin; i < end; i++)
        __atomic_fetch_add(&facts->in[facts->graph->targets[i]], 1, __ATOMIC_RELAXED);
}

/* 0, 1, 2 to 3, 4 to 7, ... */
static int bucket(uint64_t degree)
{
    return degree ? 64 - __builtin_clzll(degree) : 0;
}

static weir_status degrees(const struct facts *facts, weir_graph_summary *summary)
{
    const weir_graph *graph = facts->graph;
    weir_status status = WEIR_OK;
    for (uint64_t v = 0; v < graph->vertices && !(status = weir__activity_at(v)); v++) {
        const uint64_t out = graph->offsets[v + 1] - graph->offsets[v];
        const uint64_t in = facts->in ? facts->in[v] : out;
        if (out > summary->degree_max) {
            summary->degree_max = out;
            summary->degree_max_vertex = v;
        }
        if (in > summary->in_degree_max) {
            summary->in_degree_max = in;
            summary->in_degree_max_vertex = v;
        }
        summary->out_degrees[bucket(out)]++;
        summary->in_degrees[bucket(in)]++;
        summary->isolated += !out && !in;
    }
    summary->degree_mean = graph->vertices ? (double)graph->arcs / (double)graph->vertices : 0;
    return status;
}

struct largest {
    const weir_graph *graph;
    uint64_t
        best; /* degree << 32 | ~vertex: of equal degrees the first vertex counts more; relaxed */
};

static void find_largest(void *user, uint64_t begin, uint64_t end)
{
    struct largest *largest = user;
    const uint64_t *offsets = largest->graph->offsets;
    uint64_t best = 0;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t key = (offsets[v + 1] - offsets[v]) << 32 | (uint32_t)~v;
        best = key > best ? key : best;
    }
    uint64_t before = __atomic_load_n(&largest->best, __ATOMIC_RELAXED);
    while (best > before && !__atomic_compare_exchange_n(&largest->best, &before, best, 0,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

uint64_t weir__graph_largest(const weir_graph *graph)
{
    struct largest largest = {graph, UINT32_MAX};
    weir__parallel_for(graph->vertices, ROW_CHUNK, 0, find_largest, &largest);
    return (uint32_t)~largest.best;
}

static weir_status weights(const weir_graph *graph, weir_graph_summary *summary)
{
    const uint64_t arcs = graph->weight_kind == WEIR_WEIGHT_NONE ? 0 : graph->arcs;
    double mean = 0;
    weir_status status = WEIR_OK;
    for (uint64_t i = 0; i < arcs && !(status = weir__activity_at(i)); i++) {
        double w = graph->weights_u32 ? (double)graph->weights_u32[i] : graph->weights_f64[i];
        if (i == 0 || w < summary->weight_min)
            summary->weight_min = w;
        if (i == 0 || w > summary->weight_max)
            summary->weight_max = w;
        mean += (w - mean) / (double)(i + 1); /* a sum of all might not fit a double */
    }
    summary->weight_mean = mean;
    return status;
}

static weir_status summarize(const weir_graph *graph, weir_graph_summary *summary)
{
    struct facts facts = {.graph = graph};
    struct weir__need need = {0, 0};
    struct weir__activity outer;
    weir_status status;
    summary->symmetric = weir__graph_symmetric(graph, NULL);
    if ((status = weir__activity_went(0)))
        return status;
    if (!summary->symmetric) {
        weir__need_pass(&need, graph->vertices, sizeof *facts.in);
        if ((status = weir__need_fits(&need, "a summary of %s", graph->name)) ||
            (status =
                 weir__calloc(graph->vertices, sizeof *facts.in, "graph summary", &facts.in)) ||
            (status = weir__activity_for("counting in-arcs", "arcs", graph->arcs, WEIR__ARC_CHUNK,
                                         0, count_in, &facts)))
            goto out;
    }
    weir__activity_begin(&outer, "counting degrees", "vertices", graph->vertices);
    status = weir__activity_end(&outer, degrees(&facts, summary));
    if (status)
        goto out;
    weir__activity_begin(&outer, "looking at weights", "arcs", graph->arcs);
    status = weir__activity_end(&outer, weights(graph, summary));
out:
    free(facts.in);
    return status;
}

weir_status weir_graph_summarize(const weir_graph *graph, weir_graph_summary *summary_out)
{
    weir_graph_summary summary = WEIR_GRAPH_SUMMARY_INIT;
    struct weir__activity outer;
    weir_status status =
        weir__sized_out(summary_out, &summary, sizeof summary, "weir_graph_summary");
    if (status)
        return status;
    weir__activity_begin(&outer, "summarizing", NULL, 0);
    if (!(status = weir_graph_fetch(graph)))
        status = summarize(graph, &summary);
    (void)weir__activity_end(&outer, status);
    return status ? status
                  : weir__sized_out(summary_out, &summary, sizeof summary, "weir_graph_summary");
}
