/** @file rows_in.c  In-arcs: those of a symmetric graph are its out-arcs; others are counted here, and
 *  gathered in rows_transpose.c. */
#include "algorithms/common/rows_build.h"
#include "runtime/support.h"

#include <stdlib.h>

static void count_in(void *user, uint64_t begin, uint64_t end)
{
    const struct weir__rows_build *build = user;
    for (uint64_t i = begin; i < end; i++)
        __atomic_fetch_add(&build->in_degree[build->graph->targets[i]], 1, __ATOMIC_RELAXED);
}

void weir__rows_look(const weir_graph *graph, struct weir__rows_config *config)
{
    config->symmetric =
        config->in && weir__graph_symmetric(graph, config->weights ? graph->weights_u32 : NULL);
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
    weir__parallel_for(graph->arcs, WEIR__ARC_CHUNK, 0, count_in, build);
    return WEIR_OK;
}
