/** @file 15_kcore.c  Supersteps of your own: the core numbers of a graph's vertices.
 *
 *     build/examples/15_kcore [DEVICES]      say "cuda"; "host:3" if left out
 *
 * The body is 15_kcore_body.h; docs/steps.md derives it from the serial loop below. */
#include "examples/15_kcore_body.h"

#define WEIR_STEPS kcore
#define WEIR_STEPS_EPILOGUE
#include <weir/worklist/steps_host_tmpl.h>

#include <weir/algorithms/algorithms.h>
#include "examples/example.h"

#include <stddef.h>
#include <string.h>

enum { VERTICES = 1 << 12, RUNS = 2, TIME_LIMIT_MS = 60000, NONE = 0x7FFFFFFF };

/* Core numbers. */
static uint32_t core[VERTICES], expected[VERTICES];

/* For k = 0, 1, 2 and so on: peel what has at most k arcs left, until nothing has. */
static void kcore_serial(const weir_graph *graph)
{
    static uint64_t degree[VERTICES];
    uint64_t left = graph->vertices;
    for (uint64_t v = 0; v < graph->vertices; v++) {
        degree[v] = graph->offsets[v + 1] - graph->offsets[v];
        expected[v] = NONE;
    }
    for (uint32_t k = 0; left; k++)
        for (uint64_t peeled = 1; peeled; left -= peeled) {
            peeled = 0;
            for (uint64_t v = 0; v < graph->vertices; v++) {
                if (expected[v] != NONE || degree[v] > k)
                    continue;
                expected[v] = k;
                peeled++;
                for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++)
                    degree[graph->targets[arc]]--;
            }
        }
}

/* ---- the program ---------------------------------------------------------------------------- */

/* What the functions below count in. */
struct problem {
    const weir_graph *graph;
    weir_steps_domain domain;
};

/* A stretch of vertices for each device, of about as many arcs as those of the others. */
static void cut(struct problem *p, uint32_t devices)
{
    const weir_graph *graph = p->graph;
    weir_steps_domain *domain = &p->domain;
    *domain = (weir_steps_domain){.devices = devices};
    domain->first[devices] = (uint32_t)graph->vertices;
    for (uint32_t d = 0, v = 0; d < devices; d++) {
        while (graph->offsets[v] < graph->arcs * d / devices)
            v++;
        domain->first[d] = v;
    }
    for (uint32_t d = 0; d < devices; d++)
        domain->owned[d] = domain->first[d + 1] - domain->first[d];
}

/* The arcs of a device's vertices, in the graph: from `first` on. */
static uint64_t arcs_of(const struct problem *p, uint32_t device, uint64_t *first)
{
    *first = p->graph->offsets[p->domain.first[device]];
    return p->graph->offsets[p->domain.first[device + 1]] - *first;
}

static uint64_t arc_count(const void *user, uint32_t device, uint32_t sender)
{
    uint64_t first;
    (void)sender;
    return arcs_of(user, device, &first);
}

/* Each arc is sent along once: that of a sender's vertex to one of this device. */
static uint64_t inbox_count(const void *user, uint32_t device, uint32_t sender)
{
    const struct problem *p = user;
    uint64_t first, count = 0, arcs = arcs_of(p, sender, &first);
    for (uint64_t arc = first; arc < first + arcs; arc++)
        count += weir_steps_owner(p->domain.first, p->graph->targets[arc]) == device;
    return count;
}

#define FIELD(name) offsetof(struct kcore_args, name)
static const weir_steps_array arrays[] = {
    {.name = "offsets", .extent = WEIR_STEPS_OWNED, .more = 1, .bytes = 8, .field = FIELD(offsets)},
    {.name = "targets",
     .extent = WEIR_STEPS_COUNTED,
     .count = arc_count,
     .bytes = 4,
     .field = FIELD(targets)},
    {.name = "degrees", .extent = WEIR_STEPS_OWNED, .bytes = 4, .field = FIELD(degrees)},
    {.name = "degree",
     .extent = WEIR_STEPS_OWNED,
     .bytes = 4,
     .first = WEIR_STEPS_COPIED,
     .from = "degrees",
     .field = FIELD(degree)},
    {.name = "core",
     .extent = WEIR_STEPS_NUMBERS,
     .holding = WEIR_STEPS_SHARED,
     .bytes = 4,
     .field = FIELD(core)},
    {.name = "queue", .extent = WEIR_STEPS_OWNED, .bytes = 4, .field = FIELD(queue)},
    {.name = "tail",
     .extent = WEIR_STEPS_ONE,
     .first = WEIR_STEPS_FILLED,
     .bytes = 4,
     .field = FIELD(tail)},
    {.name = "inbox",
     .extent = WEIR_STEPS_COUNTED,
     .count = inbox_count,
     .holding = WEIR_STEPS_INBOXES,
     .bytes = 4,
     .field = FIELD(inbox),
     .outbox = FIELD(outbox)},
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

/* ---- the arrays' contents ------------------------------------------------------------------- */

/* Copy into an array of a device, by way of page-locked memory; or out of it. */
static void upload(weir_context *context, weir_steps *steps, const char *name, uint32_t d,
                   const void *from, size_t bytes)
{
    weir_device *device = weir_context_device(context, d), *home = weir_context_home(context);
    weir_queue *queue = weir_steps_queue(steps, d);
    void *through = alloc_on(home, bytes);
    memcpy(through, from, bytes);
    TRY(weir_queue_copy(queue, device, weir_steps_data(steps, name, d), home, through, bytes));
    TRY(weir_queue_sync(queue));
    weir_device_free(home, through);
}

static void download(weir_context *context, weir_steps *steps, const char *name, uint32_t d,
                     void *to, size_t bytes)
{
    weir_device *device = weir_context_device(context, d), *home = weir_context_home(context);
    weir_queue *queue = weir_steps_queue(steps, d);
    void *through = alloc_on(home, bytes);
    TRY(weir_queue_copy(queue, home, through, device, weir_steps_data(steps, name, d), bytes));
    TRY(weir_queue_sync(queue));
    memcpy(to, through, bytes);
    weir_device_free(home, through);
}

/* A device's stretch of the graph, and what the table does not say of its arguments. */
static void bind(weir_context *context, weir_steps *steps, const struct problem *p, uint32_t d)
{
    static uint64_t offsets[VERTICES + 1];
    static uint32_t degrees[VERTICES];
    const weir_graph *graph = p->graph;
    const uint32_t begin = p->domain.first[d], owned = p->domain.owned[d];
    struct kcore_args *args = weir_steps_args(steps, d);
    uint64_t first, arcs = arcs_of(p, d, &first);
    memcpy(args->first, p->domain.first, sizeof args->first);
    args->owned = owned;
    for (uint32_t row = 0; row <= owned; row++)
        offsets[row] = graph->offsets[begin + row] - first;
    for (uint32_t row = 0; row < owned; row++)
        degrees[row] = (uint32_t)(offsets[row + 1] - offsets[row]);
    upload(context, steps, "offsets", d, offsets, (owned + (size_t)1) * sizeof *offsets);
    upload(context, steps, "degrees", d, degrees, owned * sizeof *degrees);
    upload(context, steps, "targets", d, graph->targets + first, arcs * sizeof *graph->targets);
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* Core numbers unlike those of the serial loop, in the copies of all devices. */
static uint32_t different(weir_context *context, weir_steps *steps, const weir_graph *graph)
{
    uint32_t count = 0;
    for (uint32_t d = 0; d < weir_context_device_count(context); d++) {
        download(context, steps, "core", d, core, graph->vertices * sizeof *core);
        for (uint64_t v = 0; v < graph->vertices; v++)
            count += core[v] != expected[v];
    }
    return count;
}

/* What the epilogue counted, and what it should have. */
static int innermost_is_wrong(const weir_steps *steps, const weir_graph *graph)
{
    uint64_t vertices = 0, arcs = 0, largest = 0;
    for (uint64_t v = 0; v < graph->vertices; v++)
        largest = expected[v] > largest ? expected[v] : largest;
    for (uint64_t v = 0; v < graph->vertices; v++) {
        if (expected[v] != largest)
            continue;
        vertices++;
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++)
            arcs += expected[graph->targets[arc]] == largest;
    }
    return weir_steps_results(steps, 0)[KCORE_LARGEST] != largest ||
           weir_steps_total(steps, KCORE_VERTICES) != vertices ||
           weir_steps_total(steps, KCORE_ARCS) != arcs;
}

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
    weir_context *context = open_devices(argc, argv, "host:3");
    const uint32_t devices = weir_context_device_count(context);
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_steps_times times = WEIR_STEPS_TIMES_INIT;
    struct problem problem;
    weir_graph *graph;
    weir_steps *steps;
    uint32_t wrong = 0;

    if (weir_steps_possible(context, devices)) {
        fprintf(stderr, "%s\n", weir_error_detail());
        weir_context_destroy(context);
        return SKIPPED;
    }
    options.undirected = 1;
    TRY(weir_graph_open("rmat:12,8", &options, &graph));
    kcore_serial(graph);
    problem.graph = graph;
    cut(&problem, devices);
    TRY(weir_steps_create(context, &program, &problem.domain, &problem, TIME_LIMIT_MS, &steps));
    for (uint32_t d = 0; d < devices; d++)
        bind(context, steps, &problem, d);

    for (int run = 0; run < RUNS; run++) { /* the second finds what the first has left */
        TRY(weir_steps_run(steps, &times));
        wrong += different(context, steps, graph);
        wrong += (uint32_t)innermost_is_wrong(steps, graph);
    }
    print_times(steps, &times);
    printf("the innermost core is the %llu-core, of %llu vertices and %llu arcs; %u unlike in the "
           "serial loop\n",
           (unsigned long long)weir_steps_results(steps, 0)[KCORE_LARGEST],
           (unsigned long long)weir_steps_total(steps, KCORE_VERTICES),
           (unsigned long long)weir_steps_total(steps, KCORE_ARCS), wrong);

    weir_steps_cancel(steps); /* any thread may, before a run or during it */
    wrong += weir_steps_run(steps, NULL) != WEIR_ERR_CANCELLED;

    weir_steps_destroy(steps);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
    return wrong ? WRONG : RIGHT;
}
