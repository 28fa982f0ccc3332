/** @file graph.c  The graph object: from arrays, by name, and its end. */
#include "algorithms/graph/build.h"
#include "algorithms/graph/load.h"
#include "algorithms/graph/resident.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

weir_status weir__graph_name(weir_graph **graph, const char *name, const char *format)
{
    (*graph)->format = format;
    (*graph)->name = strdup(name);
    if ((*graph)->name)
        return WEIR_OK;
    weir_graph_destroy(*graph);
    *graph = NULL;
    return weir__fail(WEIR_ERR_NOMEM, "graph: no memory for its name");
}

void weir__graph_drop_weights(weir_graph *graph)
{
    if (!graph->borrowed_weights) {
        free((void *)graph->weights_u32);
        free((void *)graph->weights_f64);
    }
    graph->weights_u32 = NULL;
    graph->weights_f64 = NULL;
    graph->borrowed_weights = 0;
}

void weir_graph_destroy(weir_graph *graph)
{
    if (!graph)
        return;
    if (!graph->borrowed) {
        free((void *)graph->offsets);
        free((void *)graph->targets);
    }
    weir__graph_drop_weights(graph);
    weir__resident_destroy(graph->resident);
    free((void *)graph->name);
    free(graph);
}

static weir_status check_arcs(uint64_t vertices, uint64_t arcs, const uint32_t *sources,
                              const uint32_t *targets, const double *weights)
{
    if (vertices > WEIR_VERTICES_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%llu vertices are over the limit of %llu",
                          (unsigned long long)vertices, (unsigned long long)WEIR_VERTICES_MAX);
    if (arcs && (!sources || !targets))
        return weir__fail(WEIR_ERR_INVALID, "weir_graph_from_arcs: no arrays of arcs");
    for (uint64_t i = 0; i < arcs; i++) {
        if (sources[i] >= vertices || targets[i] >= vertices)
            return weir__fail(WEIR_ERR_INVALID, "arc %llu (%u to %u) is not within %llu vertices",
                              (unsigned long long)i, sources[i], targets[i],
                              (unsigned long long)vertices);
        if (weights && !isfinite(weights[i]))
            return weir__fail(WEIR_ERR_INVALID, "the weight of arc %llu is not finite",
                              (unsigned long long)i);
    }
    return WEIR_OK;
}

weir_status weir__graph_options_in(weir_graph_options *chosen, const weir_graph_options *given)
{
    weir_status status = weir__sized_in(chosen, sizeof *chosen, given, "weir_graph_options");
    if (!status && chosen->context && chosen->context_of)
        status = weir__fail(WEIR_ERR_INVALID,
                            "weir_graph_options: both context and context_of were given");
    return status;
}

weir_status weir_graph_from_arcs(uint64_t vertices, uint64_t arcs, const uint32_t *sources,
                                 const uint32_t *targets, const double *weights,
                                 const weir_graph_options *options, weir_graph **graph_out)
{
    const uint64_t begin_ns = weir__now_ns();
    weir_graph_options chosen = WEIR_GRAPH_OPTIONS_INIT;
    weir_status status;
    *graph_out = NULL;
    if ((status = weir__graph_options_in(&chosen, options)) ||
        (status = check_arcs(vertices, arcs, sources, targets, weights)))
        return status;
    /* Borrowed arrays are only read; the list's pointers are writable for the loaders' sake. */
    weir__arcs list = {.vertices = vertices,
                       .count = arcs,
                       .sources = (uint32_t *)sources,
                       .targets = (uint32_t *)targets,
                       .weights = (double *)weights,
                       .weighted = weights != NULL,
                       .borrowed = 1,
                       .mirror = chosen.undirected};
    struct weir__activity outer;
    weir__activity_begin(&outer, "building a graph", NULL, 0);
    status = weir__activity_end(&outer, weir__build_with(&list, &chosen, graph_out));
    if (status || (status = weir__graph_name(graph_out, "arcs", "memory")))
        return status;
    (*graph_out)->prepare_ms = weir__elapsed_ms(begin_ns);
    return WEIR_OK;
}
