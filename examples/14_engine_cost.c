/** @file 14_engine_cost.c  What the engine costs: the same work through it and by simple kernels, in one run.
 *
 *     build/examples/14_engine_cost [DEVICE [GRAPH [SOURCE]]]      say "cuda:0 grid:4900x4900,0.65"
 *
 * Breadth-first search and shortest paths by weir with direction push, against a cooperative kernel each; a product of a
 * matrix with a vector by the schedules of worklist/schedule.h, against rows that lanes pull; and an iteration of PageRank by
 * weir with direction pull, against a product along the same rows that reads no weights.
 * The simple kernels (14_engine_cost.cu) do one thing on one GPU and are taken at the best of several settings;
 * weir picks its own. Milliseconds, the median of 10 runs after a warm-up; all answers are compared, ranks by weir_pr_check(). SOURCE is 0
 * if left out; a graph without integer weights gets some from 1 to 255. There are simple kernels for GPUs
 * alone: without one the program says so and is skipped. */
#include "examples/14_engine_cost.h"
#include <weir/algorithms/algorithms.h>
#include "examples/example.h"

#include <math.h>

#if WEIR_CUDA

enum { RUNS = 10 };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void *array(uint64_t count, size_t bytes)
{
    void *data = malloc((count ? count : 1) * bytes);
    if (!data)
        exit(WRONG);
    return data;
}

static void check(int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "%s: CUDA error %d\n", what, error);
    exit(WRONG);
}

/* One line. @return how many values differ. */
static uint64_t line(const char *work, double engine_ms, const struct simple_answer *simple,
                     const char *setting, uint64_t different)
{
    printf("%-8s  %10.3f  %10.3f  %6.2f   %s %u\n", work, engine_ms, simple->ms,
           engine_ms / simple->ms, setting, simple->setting);
    if (different)
        printf("%s: %llu values differ\n", work, (unsigned long long)different);
    return different;
}

static uint64_t bfs(weir_context *context, const weir_graph *graph, const weir_partition *whole,
                    const struct simple_graph *plain, uint32_t source, struct simple_answer *simple)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_bfs *bfs;
    double ms[RUNS + 1];
    int32_t *levels = array(graph->vertices, sizeof *levels);
    uint64_t different = 0;
    options.direction = WEIR_DIRECTION_PUSH;
    TRY(weir_bfs_create(context, graph, whole, &options, &bfs));
    for (int run = 0; run <= RUNS; run++) {
        TRY(weir_bfs_run(bfs, source, &stats));
        ms[run] = stats.kernel_ms;
    }
    qsort(ms + 1, RUNS, sizeof *ms, by_size);
    TRY(weir_bfs_levels(bfs, levels));
    weir_bfs_destroy(bfs);
    check(simple_bfs(plain, source, RUNS, simple), "simple BFS");
    for (uint64_t v = 0; v < graph->vertices; v++)
        different += (uint32_t)levels[v] != simple->values[v];
    free(levels);
    return line("BFS", ms[1 + RUNS / 2], simple, "blocks", different);
}

static uint64_t sssp(weir_context *context, const weir_graph *graph, const weir_partition *whole,
                     const struct simple_graph *plain, uint32_t source,
                     struct simple_answer *simple)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_sssp *sssp;
    double ms[RUNS + 1], *distances = array(graph->vertices, sizeof *distances);
    uint64_t different = 0;
    options.direction = WEIR_DIRECTION_PUSH;
    TRY(weir_sssp_create(context, graph, whole, &options, &sssp));
    for (int run = 0; run <= RUNS; run++) {
        TRY(weir_sssp_run(sssp, source, &stats));
        ms[run] = stats.kernel_ms;
    }
    qsort(ms + 1, RUNS, sizeof *ms, by_size);
    TRY(weir_sssp_distances(sssp, distances));
    weir_sssp_destroy(sssp);
    check(simple_sssp(plain, source, RUNS, simple), "simple SSSP");
    for (uint64_t v = 0; v < graph->vertices; v++)
        different += simple->values[v] == UINT32_MAX
                         ? isfinite(distances[v])
                         : distances[v] < simple->values[v] || distances[v] > simple->values[v];
    free(distances);
    return line("SSSP", ms[1 + RUNS / 2], simple, "step", different);
}

/* @return how many rows of the product without weights differ. */
static uint64_t check_sums(const weir_graph *graph, const uint32_t *sums)
{
    uint64_t different = 0;
    for (uint64_t row = 0; row < graph->vertices; row++) {
        uint32_t sum = 0;
        for (uint64_t arc = graph->offsets[row]; arc < graph->offsets[row + 1]; arc++)
            sum += 1 + graph->targets[arc] % 5;
        different += sums[row] != sum;
    }
    return different;
}

/* An iteration of PageRank reads targets and a value for each, and no weights: so does what it is held against. */
static uint64_t ranks(weir_context *context, const weir_graph *graph, const weir_partition *whole,
                      const struct simple_graph *plain, struct simple_answer *simple)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_pr *pr;
    weir_pr_change change = WEIR_PR_CHANGE_INIT;
    double ms[RUNS + 1], *found = array(graph->vertices, sizeof *found);
    options.direction = WEIR_DIRECTION_PULL;
    TRY(weir_pr_create(context, graph, whole, &options, &config, &pr));
    for (int run = 0; run <= RUNS; run++) {
        TRY(weir_pr_run(pr, &stats));
        ms[run] = stats.kernel_ms / (double)stats.steps;
    }
    qsort(ms + 1, RUNS, sizeof *ms, by_size);
    TRY(weir_pr_ranks(pr, found));
    weir_pr_destroy(pr);
    TRY(weir_pr_check(graph, &config, found, &change));
    free(found);
    check(simple_sums(plain, RUNS, simple), "simple product without weights");
    /* Ranks within 1e-5 of the true ones; what an iteration changes is within the tolerance of 1e-6. */
    return line("PageRank", ms[1 + RUNS / 2], simple, "no weights, lanes a row",
                check_sums(graph, simple->values) + !(change.within < 1e-5));
}

static uint64_t product(const struct simple_graph *plain, struct simple_answer *simple)
{
    struct simple_answer ours = {.values = array(plain->vertices, sizeof *ours.values)};
    uint64_t different = 0;
    check(schedule_product(plain, RUNS, &ours), "product by schedules");
    check(simple_product(plain, RUNS, simple), "simple product");
    for (uint32_t row = 0; row < plain->vertices; row++)
        different += ours.values[row] != simple->values[row];
    free(ours.values);
    return line("product", ours.ms, simple, "lanes a row", different);
}

/* The graph with integer weights: its own, or some that look random. */
static weir_graph *weighted(const weir_graph *graph)
{
    uint32_t *sources = array(graph->arcs, sizeof *sources);
    double *weights = array(graph->arcs, sizeof *weights);
    weir_graph *with;
    for (uint64_t v = 0; v < graph->vertices; v++)
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++) {
            uint64_t mixed = (arc + 1) * UINT64_C(0x9E3779B97F4A7C15);
            sources[arc] = (uint32_t)v;
            weights[arc] = graph->weights_u32 ? graph->weights_u32[arc]
                                              : (double)(1 + (mixed ^ mixed >> 29) % 255);
        }
    TRY(weir_graph_from_arcs(graph->vertices, graph->arcs, sources, graph->targets, weights, NULL,
                             &with));
    free(sources);
    free(weights);
    return with;
}

static int compare(weir_context *context, const char *text, uint32_t source)
{
    weir_graph *read, *graph;
    weir_partition *whole;
    TRY(weir_graph_open(text, NULL, &read));
    graph = weighted(read);
    weir_graph_destroy(read);
    if (source >= graph->vertices || graph->arcs > UINT32_MAX / 2) {
        fprintf(stderr, "%s: no such source, or too many arcs for 32 bits\n", text);
        exit(USAGE);
    }
    TRY(weir_partition_create(graph, WEIR_PARTITION_EDGE, 1, 0, NULL, &whole));
    uint32_t *offsets = array(graph->vertices + 1, sizeof *offsets);
    for (uint64_t v = 0; v <= graph->vertices; v++)
        offsets[v] = (uint32_t)graph->offsets[v];
    struct simple_graph plain = {(uint32_t)graph->vertices, (uint32_t)graph->arcs, offsets,
                                 graph->targets, graph->weights_u32};
    struct simple_answer simple = {.values = array(graph->vertices, sizeof *simple.values)};
    printf("%s: %u vertices, %u arcs\n%-8s  %10s  %10s  %6s   simple with\n", text, plain.vertices,
           plain.arcs, "", "weir ms", "simple ms", "ratio");
    uint64_t different = bfs(context, graph, whole, &plain, source, &simple);
    different += sssp(context, graph, whole, &plain, source, &simple);
    different += product(&plain, &simple);
    different += ranks(context, graph, whole, &plain, &simple);
    free(simple.values);
    free(offsets);
    weir_partition_destroy(whole);
    weir_graph_destroy(graph);
    return different ? WRONG : RIGHT;
}

#else

static int compare(weir_context *context, const char *text, uint32_t source)
{
    (void)context, (void)text, (void)source;
    return SKIPPED;
}

#endif

int main(int argc, char **argv)
{
    weir_context *context = open_devices(argc > 1 ? 2 : 1, argv, "host:1");
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    int status = SKIPPED;
    weir_device_info_get(weir_context_device(context, 0), &info);
    if (weir_context_device_count(context) != 1 || info.kind != WEIR_DEVICE_CUDA || !WEIR_CUDA)
        fprintf(stderr, "there are simple kernels for one GPU alone: say cuda:0\n");
    else
        status = compare(context, argc > 2 ? argv[2] : "grid:400x400,0.65",
                         argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0);
    weir_context_destroy(context);
    return status;
}
