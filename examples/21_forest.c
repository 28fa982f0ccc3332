/** @file 21_forest.c  A minimum spanning forest: in every component, the lightest edges that hold it together.
 *
 *     build/examples/21_forest [DEVICES [GRAPH [TRIALS]]]      host:3 rmat:12 3, where they are left out
 *
 * The body is 21_forest_body.h. Weights are the input's, or random from 1 to 255. Kruskal's algorithm (1956) says how much a forest
 * weighs; that this is one, of edges of the graph, is looked at for itself. */
#include "examples/21_forest_body.h"

#define WEIR_STEPS msf
#include <weir/worklist/steps_host_tmpl.h>

#define ARGS struct msf_args
#include "examples/example_graph.h"

static const weir_steps_array arrays[] = {
    {.name = "even", COPIES, .bytes = 4, FIELD(label[0])},
    {.name = "odd", COPIES, .bytes = 4, FIELD(label[1])},
    {.name = "mark", OWNED, FILLED(0), .bytes = 4, FIELD(mark)},
    {.name = "best", NUMBERS, FILLED(0xFF), .bytes = 8, FIELD(best)},
    {.name = "offers", INBOXES(inbox, outbox), FILLED(0), .bytes = sizeof(struct msf_edge)},
    {.name = "tree", OWNED, FILLED(0), .bytes = sizeof(struct msf_edge), FIELD(tree)},
};
PROGRAM("a minimum spanning forest", weir__msf_steps);

/* ---- check ---------------------------------------------------------------------------------- */

/* The component of a vertex, and shorter ways to it. */
static uint32_t find(uint32_t *above, uint32_t v)
{
    while (above[v] != v)
        v = above[v] = above[above[v]];
    return v;
}

/* @return non-zero: they were apart, and are one now. */
static int join(uint32_t *above, uint32_t u, uint32_t v)
{
    const uint32_t x = find(above, u), y = find(above, v);
    above[x] = y;
    return x != y;
}

struct edge {
    uint32_t weight, tail, head;
};

static int lighter(const void *x, const void *y)
{
    const uint32_t a = ((const struct edge *)x)->weight, b = ((const struct edge *)y)->weight;
    return (a > b) - (a < b);
}

static uint32_t *apart(uint64_t vertices)
{
    uint32_t *above = zeroed(vertices, sizeof *above);
    for (uint64_t v = 0; v < vertices; v++)
        above[v] = (uint32_t)v;
    return above;
}

/* @return the weight of a lightest forest. */
static uint64_t kruskal(const weir_graph *graph, uint64_t *edges_out)
{
    struct edge *edges = zeroed(graph->arcs / 2, sizeof *edges);
    uint32_t *above = apart(graph->vertices);
    uint64_t count = 0, weight = 0;
    for (uint32_t v = 0; v < graph->vertices; v++)
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++)
            if (v < graph->targets[arc])
                edges[count++] = (struct edge){graph->weights_u32[arc], v, graph->targets[arc]};
    qsort(edges, count, sizeof *edges, lighter);
    *edges_out = 0;
    for (uint64_t i = 0; i < count; i++)
        if (join(above, edges[i].tail, edges[i].head)) {
            weight += edges[i].weight;
            ++*edges_out;
        }
    free(above);
    free(edges);
    return weight;
}

/* Edges that are none of the graph, or close a circle. */
static uint64_t strange(const struct job *job, const struct msf_edge *tree)
{
    const weir_graph *graph = job->graph;
    const uint32_t *vertices = weir_rows_vertices(job->rows);
    uint32_t *above = apart(graph->vertices);
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < graph->vertices; i++) {
        if (!tree[i].round)
            continue;
        const uint32_t tail = vertices[tree[i].tail], head = vertices[tree[i].head];
        uint64_t arc = graph->offsets[tail];
        while (arc < graph->offsets[tail + 1] && graph->targets[arc] != head)
            arc++;
        wrong += arc == graph->offsets[tail + 1] || graph->weights_u32[arc] != tree[i].weight ||
                 !join(above, tail, head);
    }
    free(above);
    return wrong;
}

/* ---- program -------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    const weir_weights weights = {.kind = WEIR_WEIGHTS_AUTO, .seed = 1};
    struct job *job = job_open(argc, argv, "rmat:12");
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    config.weights = config.by_weight = 1;
    job_try(job, weir_graph_weigh(job->graph, &weights));
    job_place(job, job->graph, &config, &program, offsetof(ARGS, rows));
    for (uint32_t trial = 0; job_trial(job, trial); trial++)
        (void)job_run(job);

    struct msf_edge *tree = job_gather(job, "tree", sizeof *tree, WEIR_STEPS_OWNED);
    const uint64_t weight = weir_steps_total(job->steps, MSF_WEIGHT);
    const uint64_t edges = weir_steps_total(job->steps, MSF_EDGES);
    uint64_t edges_expected;
    const uint64_t expected = kruskal(job->graph, &edges_expected);
    printf("%llu edges weigh %llu, in %llu rounds\n", (unsigned long long)edges,
           (unsigned long long)weight,
           (unsigned long long)weir_steps_results(job->steps, 0)[MSF_ROUNDS]);
    const uint64_t wrong = strange(job, tree) + (weight != expected) + (edges != edges_expected);
    free(tree);
    return job_close(job, wrong);
}
