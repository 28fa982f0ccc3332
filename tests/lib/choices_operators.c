/** @file choices_operators.c  The algorithms that all choices are tried with. One more is one more
 *  group of functions and a line in the table at the end. */
#include "tests/lib/choices.h"

#include <math.h>
#include <stdlib.h>

/* Choices are to be seen at work on all devices. */
static weir_run_options at_work(const weir_run_options *options)
{
    weir_run_options asked = WEIR_RUN_OPTIONS_INIT;
    asked = options ? *options : asked;
    if (asked.balance == WEIR_BALANCE_AUTO)
        asked.balance = WEIR_BALANCE_OFF;
    return asked;
}

/* ---- breadth-first search ----------------------------------------------------------------------- */

static weir_status bfs_create(weir_context *context, const weir_graph *graph,
                              const weir_partition *partition, const weir_run_options *options,
                              void **object_out)
{
    const weir_run_options asked = at_work(options);
    weir_bfs *bfs;
    weir_status status = weir_bfs_create(context, graph, partition, &asked, &bfs);
    *object_out = bfs;
    return status;
}

static weir_status bfs_run(void *bfs, uint64_t source, weir_run_stats *stats_out)
{
    return weir_bfs_run(bfs, source, stats_out);
}

static void widen(const int32_t *levels, uint64_t vertices, double *values_out)
{
    for (uint64_t v = 0; v < vertices; v++)
        values_out[v] = levels[v] == -1 ? INFINITY : levels[v];
}

static weir_status bfs_values(void *bfs, uint64_t vertices, double *values_out)
{
    int32_t *levels = malloc(vertices * sizeof *levels + 1);
    weir_status status = levels ? weir_bfs_levels(bfs, levels) : WEIR_ERR_NOMEM;
    if (!status)
        widen(levels, vertices, values_out);
    free(levels);
    return status;
}

static weir_status bfs_reference(const weir_graph *graph, uint64_t source, double *values_out)
{
    int32_t *levels = malloc(graph->vertices * sizeof *levels + 1);
    weir_status status = levels ? weir_bfs_reference(graph, source, levels) : WEIR_ERR_NOMEM;
    if (!status)
        widen(levels, graph->vertices, values_out);
    free(levels);
    return status;
}

static void bfs_cancel(void *bfs)
{
    weir_bfs_cancel(bfs);
}

static void bfs_destroy(void *bfs)
{
    weir_bfs_destroy(bfs);
}

#define BFS bfs_create, bfs_run, bfs_values, bfs_reference, bfs_cancel, bfs_destroy

/* ---- shortest paths ----------------------------------------------------------------------------- */

static weir_status sssp_create(weir_context *context, const weir_graph *graph,
                               const weir_partition *partition, const weir_run_options *options,
                               void **object_out)
{
    const weir_run_options asked = at_work(options);
    weir_sssp *sssp;
    weir_status status = weir_sssp_create(context, graph, partition, &asked, &sssp);
    *object_out = sssp;
    return status;
}

static weir_status sssp_run(void *sssp, uint64_t source, weir_run_stats *stats_out)
{
    return weir_sssp_run(sssp, source, stats_out);
}

static weir_status sssp_values(void *sssp, uint64_t vertices, double *values_out)
{
    (void)vertices;
    return weir_sssp_distances(sssp, values_out);
}

static weir_status sssp_reference(const weir_graph *graph, uint64_t source, double *values_out)
{
    return weir_sssp_reference(graph, source, values_out);
}

static void sssp_cancel(void *sssp)
{
    weir_sssp_cancel(sssp);
}

static void sssp_destroy(void *sssp)
{
    weir_sssp_destroy(sssp);
}

#define SSSP sssp_create, sssp_run, sssp_values, sssp_reference, sssp_cancel, sssp_destroy

/* ---- the table ---------------------------------------------------------------------------------- */

const struct choice_operator choice_operators[] = {
    {"bfs", CHOICE_WEIGHTS_NONE, BFS, 1},
    {"sssp", CHOICE_WEIGHTS_U32, SSSP, 0},
    {"sssp-f64", CHOICE_WEIGHTS_F64, SSSP, 0},
};
const uint32_t choice_operator_count = sizeof choice_operators / sizeof *choice_operators;
