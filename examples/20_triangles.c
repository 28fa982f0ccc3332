/** @file 20_triangles.c  One number of a graph, and no vector: how many triangles it has.
 *
 *     build/examples/20_triangles [DEVICES [GRAPH [TRIALS]]]      host:3 rmat:12 3, where they are left out
 *
 * The body is 20_triangles_body.h; a schedule deals its work out. A serial loop that marks far ends counts them again. */
#include "examples/20_triangles_body.h"

#define WEIR_STEPS tri
#include <weir/worklist/steps_host_tmpl.h>

#define ARGS struct tri_args
#include "examples/example_graph.h"

static const weir_steps_array arrays[] = {
    {.name = "next", FILLED(0), .bytes = 4, FIELD(next)},
};
PROGRAM("triangles", weir__tri_steps);

/* Every edge from its end of smaller degree to the other; of equal ones from the smaller vertex. */
static weir_graph *one_way(const weir_graph *graph, uint64_t *offsets, uint32_t *targets)
{
    const uint64_t *at = graph->offsets;
    weir_csr csr = WEIR_CSR_INIT;
    weir_graph *turned;
    uint64_t arcs = 0;
    for (uint64_t u = 0; u < graph->vertices; u++) {
        const uint64_t degree = at[u + 1] - at[u];
        for (uint64_t arc = at[u]; arc < at[u + 1]; arc++) {
            const uint64_t v = graph->targets[arc], other = at[v + 1] - at[v];
            if (degree < other || (degree == other && u < v))
                targets[arcs++] = (uint32_t)v;
        }
        offsets[u + 1] = arcs;
    }
    csr.vertices = graph->vertices;
    csr.arcs = arcs;
    csr.offsets = offsets;
    csr.targets = targets;
    TRY(weir_graph_wrap(&csr, &turned));
    return turned;
}

/* ---- check ---------------------------------------------------------------------------------- */

/* For each vertex: mark where its arcs lead, and see how many paths of two arcs end at a mark. */
static uint64_t triangles_serial(const weir_graph *graph)
{
    uint32_t *mark = zeroed(graph->vertices, sizeof *mark);
    uint64_t found = 0;
    for (uint64_t u = 0; u < graph->vertices; u++) {
        for (uint64_t arc = graph->offsets[u]; arc < graph->offsets[u + 1]; arc++)
            mark[graph->targets[arc]] = (uint32_t)u + 1;
        for (uint64_t arc = graph->offsets[u]; arc < graph->offsets[u + 1]; arc++) {
            const uint64_t v = graph->targets[arc];
            for (uint64_t next = graph->offsets[v]; next < graph->offsets[v + 1]; next++)
                found += mark[graph->targets[next]] == u + 1;
        }
    }
    free(mark);
    return found;
}

/* ---- program -------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    struct job *job = job_open(argc, argv, "rmat:12");
    uint64_t *offsets = zeroed(job->graph->vertices + 1, sizeof *offsets);
    uint32_t *targets = zeroed(job->graph->arcs / 2, sizeof *targets);
    weir_graph *turned = one_way(job->graph, offsets, targets);

    job_place(job, turned, NULL, &program, offsetof(ARGS, rows));
    for (uint32_t d = 0; d < job->devices; d++) {
        struct tri_args *args = weir_steps_args(job->steps, d);
        for (uint32_t e = 0; e < job->devices; e++) {
            args->offsets[e] = weir_rows_part_of(job->rows, e)->out.offsets;
            args->targets[e] = weir_rows_part_of(job->rows, e)->out.targets;
        }
    }
    for (uint32_t trial = 0; job_trial(job, trial); trial++)
        (void)job_run(job);

    const uint64_t found = weir_steps_results(job->steps, 0)[TRI_FOUND];
    const uint64_t expected = triangles_serial(turned);
    printf("%llu triangles of %llu edges\n", (unsigned long long)found,
           (unsigned long long)turned->arcs);
    weir_graph_destroy(turned);
    free(offsets);
    free(targets);
    return job_close(job, found > expected ? found - expected : expected - found);
}
