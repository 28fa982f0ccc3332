/** @file 25_widest.c  Widest paths from the vertex that has most arcs: how much fits through the best path to each vertex.
 *
 *     build/examples/25_widest [DEVICES [GRAPH [TRIALS]]]      host:3 rmat:12 3, where they are left out
 *
 * The operator is 25_widest_op.h. Weights are the input's, or random from 1 to 255. To see whether widths are right, edges are put
 * into the graph from the widest to the narrowest: the one that first joins a vertex to the source is the width of its path. */
#include "examples/25_widest_op.h"
#include <weir/worklist/engine_host_tmpl.h>

#include "examples/example_graph.h"

/* ---- check ---------------------------------------------------------------------------------- */

struct edge {
    uint32_t weight, tail, head;
};

static int wider(const void *x, const void *y)
{
    const uint32_t a = ((const struct edge *)x)->weight, b = ((const struct edge *)y)->weight;
    return (a < b) - (a > b);
}

/* Vertices that are joined lie in a ring and have a leader. Two rings become one when two of their links are exchanged, and the
 * smaller one gets the other's leader. */
static void widths_serial(const weir_graph *graph, uint32_t source, uint32_t *width)
{
    const uint64_t n = graph->vertices;
    struct edge *edges = zeroed(graph->arcs / 2, sizeof *edges);
    uint32_t *leader = zeroed(n, sizeof *leader), *next = zeroed(n, sizeof *next);
    uint32_t *size = zeroed(n, sizeof *size);
    uint64_t count = 0;
    for (uint32_t v = 0; v < n; v++) {
        leader[v] = next[v] = v;
        size[v] = 1;
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++)
            if (v < graph->targets[arc])
                edges[count++] = (struct edge){graph->weights_u32[arc], v, graph->targets[arc]};
    }
    qsort(edges, count, sizeof *edges, wider);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t a = leader[edges[i].tail], b = leader[edges[i].head];
        if (a == b)
            continue;
        if (a == leader[source] || b == leader[source]) { /* the other ring is reached */
            const uint32_t other = a == leader[source] ? b : a;
            uint32_t v = other;
            do
                width[v] = edges[i].weight;
            while ((v = next[v]) != other);
        }
        if (size[a] < size[b]) {
            const uint32_t larger = b;
            b = a;
            a = larger;
        }
        for (uint32_t v = b; leader[v] != a; v = next[v])
            leader[v] = a;
        const uint32_t link = next[a];
        next[a] = next[b];
        next[b] = link;
        size[a] += size[b];
    }
    free(edges);
    free(leader);
    free(next);
    free(size);
}

/* ---- program -------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    const weir_weights weights = {.kind = WEIR_WEIGHTS_AUTO, .seed = 1};
    struct job *job = job_open(argc, argv, "rmat:12");
    const weir_graph *graph = job->graph;
    weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    weir_graph_summary facts = WEIR_GRAPH_SUMMARY_INIT;
    weir_placement *placement;
    weir_traversal *traversal;
    uint32_t part, global;

    job_try(job, weir_graph_weigh(job->graph, &weights));
    job_try(job,
            weir_placement_create(job->context, graph, NULL, WEIR_PART_WEIGHTS_U32, &placement));
    TRY(weir_graph_summarize(graph, &facts));
    const uint32_t source = (uint32_t)facts.degree_max_vertex, largest = (uint32_t)facts.weight_max;
    config.fill = 0;
    config.delta_hint = largest / 32 + 1;
    TRY(weir_traversal_create(placement, &weir__widest_operator, NULL, &config, &traversal));
    for (uint32_t p = 0; p < job->devices; p++) {
        const widest_state state = {*weir_placement_part(placement, p),
                                    weir_traversal_values(traversal, p), largest};
        TRY(weir_traversal_bind(traversal, p, &state));
    }
    for (uint32_t trial = 0; graph->arcs && job_trial(job, trial); trial++) {
        TRY(weir_placement_locate(placement, source, &part, &global, NULL));
        const widest_wire seed = {global, largest};
        TRY(weir_traversal_seed(traversal, part, &seed, 1));
        (void)job_traverse(job, traversal);
    }

    uint32_t *width = zeroed(graph->vertices, sizeof *width);
    uint32_t *expected = zeroed(graph->vertices, sizeof *expected);
    uint64_t wrong = 0, reached = 0, sum = 0;
    TRY(weir_traversal_gather(traversal, width));
    if (graph->arcs) {
        expected[source] = largest;
        widths_serial(graph, source, expected);
    }
    for (uint64_t v = 0; v < graph->vertices; v++) {
        wrong += width[v] != expected[v];
        reached += width[v] != 0;
        sum += width[v];
    }
    printf("from vertex %u: %llu vertices are reached, by paths %.1f wide on average\n", source,
           (unsigned long long)reached, reached ? (double)sum / (double)reached : 0);
    free(width);
    free(expected);
    weir_traversal_destroy(traversal);
    weir_placement_destroy(placement);
    return job_close(job, wrong);
}
