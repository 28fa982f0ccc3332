/** @file write_gap.c  Serialized graphs of the GAP Benchmark Suite (load_gap.c has the layout). */
#include "algorithms/graph/arcs.h"
#include "algorithms/graph/build.h"
#include "algorithms/graph/rows.h"
#include "algorithms/graph/write.h"
#include "runtime/support.h"

#include <stdlib.h>

static void write_rows(weir__pack *pack, const weir_graph *graph, int weighted)
{
    weir__pack_bytes(pack, graph->offsets, (graph->vertices + 1) * sizeof *graph->offsets);
    if (!weighted) {
        weir__pack_bytes(pack, graph->targets, graph->arcs * sizeof *graph->targets);
        return;
    }
    for (uint64_t i = 0; i < graph->arcs && !pack->failed; i++) {
        const uint32_t pair[] = {graph->targets[i], graph->weights_u32 ? graph->weights_u32[i] : 1};
        weir__pack_bytes(pack, pair, sizeof pair);
    }
}

/* The graph with its arcs turned round. */
static weir_status turn(const weir_graph *graph, weir_graph **graph_out)
{
    const uint64_t m = graph->arcs;
    const int weighted = graph->weights_u32 != NULL;
    struct weir__need need = {0, 0};
    uint32_t *targets = NULL;
    double *weights = NULL;
    weir_status status;
    weir__need_take(&need, m, sizeof *targets);
    weir__need_take(&need, weighted ? m : 0, sizeof *weights);
    if ((status = weir__need_fits(&need, "%llu arcs turned round", (unsigned long long)m)) ||
        (status = weir__alloc(m, sizeof *targets, "arcs turned round", &targets)) ||
        (weighted && (status = weir__alloc(m, sizeof *weights, "arcs turned round", &weights))))
        goto out;
    if ((status = weir__rows_sources(graph->offsets, graph->vertices, 0, targets)))
        goto out;
    for (uint64_t i = 0; weighted && i < m; i++)
        weights[i] = graph->weights_u32[i];
    weir__arcs arcs = {.vertices = graph->vertices,
                       .count = m,
                       .sources = (uint32_t *)graph->targets, /* borrowed: only read */
                       .targets = targets,
                       .weights = weights,
                       .weighted = weighted,
                       .borrowed = 1};
    status = weir__build(&arcs, 0, graph_out);
out:
    free(weights);
    free(targets);
    return status;
}

static void write_gap(weir__pack *pack, const weir_graph *graph, int weighted)
{
    const char directed = !weir__graph_symmetric(graph, graph->weights_u32);
    weir_graph *turned = NULL;
    if (directed && (pack->failed = turn(graph, &turned)))
        return;
    weir__pack_bytes(pack, &directed, sizeof directed);
    weir__pack_bytes(pack, &graph->arcs, sizeof graph->arcs);
    weir__pack_bytes(pack, &graph->vertices, sizeof graph->vertices);
    write_rows(pack, graph, weighted);
    if (directed)
        write_rows(pack, turned, weighted);
    weir_graph_destroy(turned);
}

void weir__write_gap(weir__pack *pack, const weir_graph *graph)
{
    write_gap(pack, graph, 0);
}

void weir__write_gap_weighted(weir__pack *pack, const weir_graph *graph)
{
    write_gap(pack, graph, 1);
}
