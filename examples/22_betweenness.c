/** @file 22_betweenness.c  Betweenness centrality from 8 sources: which vertices the shortest paths go through.
 *
 *     build/examples/22_betweenness [DEVICES [GRAPH [TRIALS]]]      host:3 rmat:12 3, where they are left out
 *
 * The body is 22_betweenness_body.h; a source is a run of it, forward and back, and a trial is all of them. Brandes's serial algorithm
 * is held against the sums. Paths are counted in doubles: a graph where two vertices have more than 1e308 shortest paths (a grid of
 * 520 x 520) is beyond it. */
#include "examples/22_betweenness_body.h"

#define WEIR_STEPS bc
#include <weir/worklist/steps_host_tmpl.h>

#define ARGS struct bc_args
#include "examples/example_graph.h"

enum { SOURCES = 8 };

static const weir_steps_array arrays[] = {
    {.name = "level", COPIES, FILLED(0xFF), .bytes = 4, FIELD(level)},
    {.name = "paths", COPIES, .bytes = 8, FIELD(paths)},
    {.name = "carried", COPIES, .bytes = 8, FIELD(carried)},
    {.name = "sum", OWNED, .bytes = 8, FIELD(sum)},
    {.name = "ends", NUMBERS, .more = 2, .bytes = 4, FIELD(ends)},
    WEIR_STEPS_FRONTIER(ARGS, frontier, job_owned), /* each device tells of a vertex once */
};
PROGRAM("betweenness centrality", weir__bc_steps);

/* Vertices that have arcs, spread over all. @return how many. */
static uint32_t sources_of(const weir_graph *graph, uint32_t *sources)
{
    uint32_t count = 0;
    for (uint64_t v = 0; v < graph->vertices && count < SOURCES; v++)
        if (v * SOURCES >= count * graph->vertices && graph->offsets[v] != graph->offsets[v + 1])
            sources[count++] = (uint32_t)v;
    return count;
}

/* ---- check ---------------------------------------------------------------------------------- */

/* Brandes: a queue of vertices as they are reached, and back through it. */
static void brandes(const weir_graph *graph, uint32_t source, double *sum)
{
    uint32_t *queue = zeroed(graph->vertices, sizeof *queue);
    uint32_t *level = zeroed(graph->vertices, sizeof *level); /* from 1 */
    double *paths = zeroed(graph->vertices, sizeof *paths);
    double *carried = zeroed(graph->vertices, sizeof *carried);
    uint64_t end = 1;
    queue[0] = source;
    level[source] = 1;
    paths[source] = 1;
    for (uint64_t i = 0; i < end; i++)
        for (uint64_t arc = graph->offsets[queue[i]]; arc < graph->offsets[queue[i] + 1]; arc++) {
            const uint32_t other = graph->targets[arc];
            if (!level[other]) {
                level[other] = level[queue[i]] + 1;
                queue[end++] = other;
            }
            if (level[other] == level[queue[i]] + 1)
                paths[other] += paths[queue[i]];
        }
    while (end-- > 1) { /* all but the source */
        const uint32_t v = queue[end];
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++) {
            const uint32_t other = graph->targets[arc];
            if (level[other] + 1 == level[v])
                carried[other] += paths[other] / paths[v] * (1 + carried[v]);
        }
        sum[v] += carried[v];
    }
    free(queue);
    free(level);
    free(paths);
    free(carried);
}

/* ---- program -------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    struct job *job = job_open(argc, argv, "rmat:12");
    const weir_graph *graph = job->graph;
    uint32_t sources[SOURCES];
    const uint32_t count = sources_of(graph, sources);
    double *expected = zeroed(graph->vertices, sizeof *expected);
    uint64_t wrong = 0, most = 0;

    job_place(job, graph, NULL, &program, offsetof(ARGS, rows));
    for (uint32_t trial = 0; job_trial(job, trial); trial++)
        for (uint32_t s = 0; s < count; s++) {
            for (uint32_t d = 0; d < job->devices; d++) {
                struct bc_args *args = weir_steps_args(job->steps, d);
                args->source = weir_rows_numbers(job->rows)[sources[s]];
                args->afresh = s == 0;
            }
            (void)job_run(job);
        }

    double *sum = job_gather(job, "sum", sizeof *sum, WEIR_STEPS_OWNED);
    for (uint32_t s = 0; s < count; s++)
        brandes(graph, sources[s], expected);
    for (uint64_t v = 0; v < graph->vertices; v++) {
        const double error = sum[v] > expected[v] ? sum[v] - expected[v] : expected[v] - sum[v];
        wrong += !(error <= 1e-9 * (1 + expected[v])); /* what is no number is wrong */
        most = sum[v] > sum[most] ? v : most;
    }
    if (count)
        printf("from %u sources, most paths go through vertex %llu: %.6g; the last run had %llu "
               "levels\n",
               count, (unsigned long long)most, sum[most],
               (unsigned long long)weir_steps_results(job->steps, 0)[BC_LEVELS]);
    free(sum);
    free(expected);
    return job_close(job, wrong);
}
