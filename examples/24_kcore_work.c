/** @file 24_kcore_work.c  Core numbers once more, by a worklist: a run for each k, that peels in any order.
 *
 *     build/examples/24_kcore_work [DEVICES [GRAPH [TRIALS]]]      host:3 rmat:12 3, where they are left out
 *
 * The operator is 24_kcore_work_op.h; examples/15_kcore.c has the same in supersteps. A trial is all runs from the first k to the last.
 * The serial algorithm of Matula and Beck (1983), which knows nothing of rounds, finds the core numbers again. */
#include "examples/24_kcore_work_op.h"
#define WEIR_OPERATOR peel
#include <weir/worklist/engine_host_tmpl.h>

#include "examples/example_graph.h"

static void bind(const struct job *job, const weir_placement *placement, weir_traversal *traversal,
                 uint32_t k)
{
    for (uint32_t p = 0; p < job->devices; p++) {
        const peel_state state = {*weir_placement_part(placement, p),
                                  weir_traversal_values(traversal, p), k};
        TRY(weir_traversal_bind(traversal, p, &state));
    }
    TRY(weir_traversal_seed_all(traversal));
}

/* ---- check ---------------------------------------------------------------------------------- */

/* Take away a vertex of the fewest arcs left, again and again. Vertices lie ordered by those, in buckets, and one that loses an arc
 * changes places with the first of its bucket, which then begins behind it. */
static void cores_serial(const weir_graph *graph, uint32_t *core)
{
    const uint64_t n = graph->vertices;
    uint32_t *order = zeroed(n, sizeof *order), *place = zeroed(n, sizeof *place);
    uint64_t *begin = zeroed(n + 2, sizeof *begin);
    for (uint64_t v = 0; v < n; v++) {
        core[v] = (uint32_t)(graph->offsets[v + 1] - graph->offsets[v]);
        begin[core[v] + 2]++;
    }
    for (uint64_t degree = 2; degree < n + 2; degree++)
        begin[degree] += begin[degree - 1];
    for (uint32_t v = 0; v < n; v++) {
        place[v] = (uint32_t)begin[core[v] + 1]++; /* then begin[d] is where bucket d begins */
        order[place[v]] = v;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t v = order[i];
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++) {
            const uint32_t other = graph->targets[arc];
            if (core[other] <= core[v])
                continue;
            uint64_t *first = &begin[core[other]];
            *first = *first > i + 1 ? *first : i + 1;
            const uint32_t moved = order[*first];
            order[place[other]] = moved;
            place[moved] = place[other];
            place[other] = (uint32_t)*first;
            order[(*first)++] = other;
            core[other]--;
        }
    }
    free(order);
    free(place);
    free(begin);
}

/* ---- program -------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    struct job *job = job_open(argc, argv, "rmat:12");
    const uint64_t vertices = job->graph->vertices;
    weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    weir_placement *placement;
    weir_traversal *traversal;
    uint32_t k = 0;

    config.value_bytes = sizeof(uint32_t);
    config.keep_values = 1; /* from one k to the next */
    job_try(job, weir_placement_create(job->context, job->graph, NULL, WEIR_PART_WEIGHTS_NONE,
                                       &placement));
    TRY(weir_traversal_create(placement, &weir__peel_operator, NULL, &config, &traversal));
    for (uint32_t trial = 0; job_trial(job, trial); trial++) {
        uint64_t left = vertices;
        bind(job, placement, traversal, 0);
        (void)job_traverse(job, traversal);
        for (k = 0; left;) {
            bind(job, placement, traversal, ++k);
            left -= job_traverse(job, traversal).work.processed;
        }
    }

    uint32_t *core = zeroed(vertices, sizeof *core), *expected = zeroed(vertices, sizeof *expected);
    uint64_t wrong = 0, innermost = 0;
    TRY(weir_traversal_gather(traversal, core));
    cores_serial(job->graph, expected);
    for (uint64_t v = 0; v < vertices; v++) {
        wrong += core[v] != (PEEL_GONE | expected[v]);
        innermost += core[v] == (PEEL_GONE | (k - 1));
    }
    if (k)
        printf("the innermost core is the %u-core, of %llu vertices\n", k - 1,
               (unsigned long long)innermost);
    free(core);
    free(expected);
    weir_traversal_destroy(traversal);
    weir_placement_destroy(placement);
    return job_close(job, wrong);
}
