/** @file 23_communities.c  Communities of a graph by label propagation.
 *
 *     build/examples/23_communities [DEVICES [GRAPH [TRIALS]]]      host:3 rmat:12 3, where they are left out
 *
 * The body is 23_communities_body.h. It stops when no label changes any more, or after 50 rounds. A serial program takes the same
 * rounds, and every label is held against its own. */
#include "examples/23_communities_body.h"

#define WEIR_STEPS lp
#include <weir/worklist/steps_host_tmpl.h>

#define ARGS struct lp_args
#include "examples/example_graph.h"

#include <string.h>

static uint64_t slot_count(const void *user, uint32_t device, uint32_t sender)
{
    const weir_rows_part *part = weir_rows_part_of(user, device);
    (void)sender;
    return 2 * part->arcs_out + part->owned;
}

static const weir_steps_array arrays[] = {
    {.name = "even", COPIES, .bytes = 4, FIELD(label[0])},
    {.name = "odd", COPIES, .bytes = 4, FIELD(label[1])},
    {.name = "slots",
     .extent = WEIR_STEPS_COUNTED,
     .count = slot_count,
     .first = WEIR_STEPS_FILLED_ONCE, /* a round leaves them empty */
     .bytes = 8,
     FIELD(slots)},
    {.name = "longs", OWNED, .bytes = 4, FIELD(longs)},
    {.name = "long_count", FILLED(0), .bytes = 4, FIELD(long_count)},
};
PROGRAM("communities", weir__lp_steps);

/* ---- check ---------------------------------------------------------------------------------- */

/* The same rounds, a vertex after the other. @return how many. */
static uint32_t serial(const weir_graph *graph, uint32_t *label)
{
    uint32_t *next = zeroed(graph->vertices, sizeof *next);
    uint32_t *votes = zeroed(graph->vertices, sizeof *votes), round = 0;
    for (uint64_t v = 0; v < graph->vertices; v++)
        label[v] = (uint32_t)v;
    for (uint64_t changed = 1; changed && round < LP_ROUNDS_MAX; round++) {
        changed = 0;
        for (uint64_t v = 0; v < graph->vertices; v++) {
            const uint64_t first = graph->offsets[v], last = graph->offsets[v + 1];
            uint32_t best = label[v];
            votes[best]++;
            for (uint64_t arc = first; arc < last; arc++)
                votes[label[graph->targets[arc]]]++;
            for (uint64_t arc = first; arc < last; arc++) {
                const uint32_t other = label[graph->targets[arc]];
                if (votes[other] > votes[best] || (votes[other] == votes[best] && other < best))
                    best = other;
            }
            for (uint64_t arc = first; arc < last; arc++)
                votes[label[graph->targets[arc]]] = 0;
            votes[label[v]] = 0;
            next[v] = best;
            changed += best != label[v];
        }
        memcpy(label, next, graph->vertices * sizeof *label);
    }
    free(next);
    free(votes);
    return round;
}

/* ---- program -------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    struct job *job = job_open(argc, argv, "rmat:12");
    const uint64_t vertices = job->graph->vertices;
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    config.order = WEIR_ROWS_BY_ID; /* numbers ascend as vertices do, in consecutive parts */
    job_place(job, job->graph, &config, &program, offsetof(ARGS, rows));
    for (uint32_t trial = 0; job_trial(job, trial); trial++)
        (void)job_run(job);

    const uint64_t *results = weir_steps_results(job->steps, 0);
    const uint64_t rounds = results[LP_ROUNDS];
    uint32_t *label =
        job_gather(job, rounds % 2 ? "odd" : "even", sizeof *label, WEIR_STEPS_NUMBERS);
    uint32_t *expected = zeroed(vertices, sizeof *expected);
    uint64_t *size = zeroed(vertices, sizeof *size), largest = 0, count = 0;
    uint64_t wrong = rounds != serial(job->graph, expected);
    for (uint64_t v = 0; v < vertices; v++) {
        const uint32_t of = weir_rows_vertices(job->rows)[label[v]];
        wrong += of != expected[v];
        count += size[expected[v]]++ == 0;
        largest = size[expected[v]] > largest ? size[expected[v]] : largest;
    }
    printf("%llu communities, the largest of %llu vertices; %llu rounds, the last changed %llu "
           "labels\n",
           (unsigned long long)count, (unsigned long long)largest, (unsigned long long)rounds,
           (unsigned long long)results[LP_CHANGED]);
    free(label);
    free(expected);
    free(size);
    return job_close(job, wrong);
}
