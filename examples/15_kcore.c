/** @file 15_kcore.c  Supersteps of your own: the core numbers of a graph's vertices.
 *
 *     build/examples/15_kcore [DEVICES [GRAPH [TRIALS]]]      host:3 rmat:12,8 3, where they are left out
 *
 * The body is 15_kcore_body.h; docs/steps.md derives it from the serial loop below. */
#include "examples/15_kcore_body.h"

#define WEIR_STEPS kcore
#define WEIR_STEPS_EPILOGUE
#include <weir/worklist/steps_host_tmpl.h>

#include "examples/example_graph.h"

/* ---- check ---------------------------------------------------------------------------------- */

/* For k = 0, 1, 2 and so on: peel what has at most k arcs left, until nothing has. */
static void kcore_serial(const weir_graph *graph, uint32_t *core)
{
    uint64_t *degree = zeroed(graph->vertices, sizeof *degree), left = graph->vertices;
    uint32_t *rest = zeroed(graph->vertices, sizeof *rest); /* vertices that are left */
    for (uint64_t v = 0; v < graph->vertices; v++) {
        degree[v] = graph->offsets[v + 1] - graph->offsets[v];
        rest[v] = (uint32_t)v;
    }
    for (uint32_t k = 0; left; k++)
        for (uint64_t before = left + 1; left < before;) {
            before = left;
            left = 0;
            for (uint64_t i = 0; i < before; i++) {
                const uint32_t v = rest[i];
                if (degree[v] > k) {
                    rest[left++] = v;
                    continue;
                }
                core[v] = k;
                for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++)
                    degree[graph->targets[arc]]--;
            }
        }
    free(degree);
    free(rest);
}

/* ---- program -------------------------------------------------------------------------------- */

/* Each arc is sent along once, from the device of its tail to that of its head. Since every arc has its reverse, no more
 * of them lead from one device to the other than either has arcs. */
static uint64_t inbox_count(const void *user, uint32_t device, uint32_t sender)
{
    const uint64_t to = weir_rows_part_of(user, device)->arcs_out;
    const uint64_t from = weir_rows_part_of(user, sender)->arcs_out;
    return to < from ? to : from;
}

static const weir_steps_array arrays[] = {
    {.name = "degree",
     .extent = WEIR_STEPS_OWNED,
     .bytes = 4,
     .field = offsetof(struct kcore_args, degree)},
    {.name = "core",
     .extent = WEIR_STEPS_NUMBERS,
     .holding = WEIR_STEPS_SHARED,
     .bytes = 4,
     .field = offsetof(struct kcore_args, core)},
    WEIR_STEPS_FRONTIER(struct kcore_args, frontier, inbox_count),
};

static const weir_steps_phase phases[] = {
    {.name = "scan", .ns = KCORE_NS + KCORE_SCAN, .steps = KCORE_STEPS + KCORE_SCAN},
    {.name = "peel", .ns = KCORE_NS + KCORE_PEEL, .steps = KCORE_STEPS + KCORE_PEEL},
    {.name = "absorb", .ns = KCORE_NS + KCORE_ABSORB, .steps = KCORE_STEPS + KCORE_ABSORB},
};

static const weir_steps_program program = {
    .what = "core numbers",
    .body = &weir__kcore_steps,
    .arrays = arrays,
    .array_count = sizeof arrays / sizeof *arrays,
    .phases = phases,
    .phase_count = sizeof phases / sizeof *phases,
};

/* ---- check ---------------------------------------------------------------------------------- */

/* Core numbers that are not those of the serial loop, and what the epilogue counted otherwise. */
static uint64_t different(const struct job *job, const uint32_t *expected)
{
    const weir_graph *graph = job->graph;
    uint32_t *core = job_gather(job, "core", sizeof *core, WEIR_STEPS_NUMBERS);
    uint64_t wrong = 0, vertices = 0, arcs = 0, largest = 0;
    for (uint64_t v = 0; v < graph->vertices; v++) {
        wrong += core[v] != expected[v];
        largest = expected[v] > largest ? expected[v] : largest;
    }
    for (uint64_t v = 0; v < graph->vertices; v++) {
        if (expected[v] != largest)
            continue;
        vertices++;
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++)
            arcs += expected[graph->targets[arc]] == largest;
    }
    free(core);
    return wrong + (weir_steps_results(job->steps, 0)[KCORE_LARGEST] != largest) +
           (weir_steps_total(job->steps, KCORE_VERTICES) != vertices) +
           (weir_steps_total(job->steps, KCORE_ARCS) != arcs);
}

/* ---- program -------------------------------------------------------------------------------- */

/* The time of the last run. */
static void print_times(const weir_steps *steps, const weir_steps_times *times)
{
    const char *name;
    uint64_t count;
    double ms;
    printf("%.3f ms in kernels", times->kernel_ms);
    for (uint32_t i = 0; (name = weir_steps_phase_of(steps, i, &ms, &count)); i++)
        printf(", %s %.3f ms in %llu supersteps", name, ms, (unsigned long long)count);
    printf("\n");
}

int main(int argc, char **argv)
{
    struct job *job = job_open(argc, argv, "rmat:12,8");
    uint32_t *expected = zeroed(job->graph->vertices, sizeof *expected);
    weir_steps_times times = WEIR_STEPS_TIMES_INIT;
    uint64_t wrong = 0;

    kcore_serial(job->graph, expected);
    job_place(job, job->graph, NULL, &program, offsetof(struct kcore_args, rows));
    for (uint32_t run = 0; job_trial(job, run); run++) { /* a run finds what the last has left */
        times = job_run(job);
        wrong += different(job, expected);
    }
    print_times(job->steps, &times);
    printf("the innermost core is the %llu-core, of %llu vertices and %llu arcs\n",
           (unsigned long long)weir_steps_results(job->steps, 0)[KCORE_LARGEST],
           (unsigned long long)weir_steps_total(job->steps, KCORE_VERTICES),
           (unsigned long long)weir_steps_total(job->steps, KCORE_ARCS));

    weir_steps_cancel(job->steps); /* any thread may, before a run or during it */
    wrong += weir_steps_run(job->steps, NULL) != WEIR_ERR_CANCELLED;
    free(expected);
    return job_close(job, wrong);
}
