/** @file undirected.c  A graph with the reverse of every arc. */
#include "algorithms/graph/build.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

#define ROW_CHUNK (UINT64_C(1) << 12)

struct list {
    const weir_graph *graph;
    uint32_t *sources;
};

static void write_sources(void *user, uint64_t begin, uint64_t end)
{
    const struct list *list = user;
    const uint64_t *offsets = list->graph->offsets;
    for (uint64_t v = begin; v < end; v++)
        for (uint64_t i = offsets[v]; i < offsets[v + 1]; i++)
            list->sources[i] = (uint32_t)v;
}

void weir__undirected_need(const weir_graph *graph, struct weir__need *need)
{
    const weir__arcs arcs = {.vertices = graph->vertices, .borrowed = 1, .mirror = 1};
    weir__need_take(need, graph->arcs, sizeof(uint32_t));
    weir__build_need(&arcs, graph->arcs, WEIR_WEIGHT_NONE, need);
    weir__need_give(need, graph->arcs, sizeof(uint32_t));
}

weir_status weir_graph_undirected(const weir_graph *graph, weir_graph **graph_out)
{
    const uint64_t begin_ns = weir__now_ns();
    struct list list = {.graph = graph};
    struct weir__need need = {0, 0};
    weir_status status;
    *graph_out = NULL;
    if ((status = weir_graph_fetch(graph)))
        return status;
    weir__undirected_need(graph, &need);
    if ((status = weir__need_fits(&need, "the undirected graph of %s", graph->name)) ||
        (status =
             weir__alloc(graph->arcs, sizeof *list.sources, "undirected graph", &list.sources)))
        return status;
    struct weir__activity outer;
    weir__activity_begin(&outer, "adding reverse arcs", NULL, 0);
    status = weir__activity_for("writing rows as arcs", "vertices", graph->vertices, ROW_CHUNK, 0,
                                write_sources, &list);
    weir__arcs arcs = {.vertices = graph->vertices,
                       .count = graph->arcs,
                       .sources = list.sources,
                       .targets = (uint32_t *)graph->targets, /* borrowed: read only */
                       .borrowed = 1,
                       .mirror = 1};
    if (!status && !(status = weir__build(&arcs, 0, graph_out)) &&
        !(status = weir__graph_name(graph_out, graph->name, graph->format)))
        (*graph_out)->prepare_ms = weir__elapsed_ms(begin_ns);
    free(list.sources);
    return weir__activity_end(&outer, status);
}
