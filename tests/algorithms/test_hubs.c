/** @file test_hubs.c  Vertices with more arcs than any usual graph has: stars, in-stars and hubs that share their
 *  neighbours, by every algorithm and every mapping, in full.
 *
 * Pieces of a tile are a thousandth of it beyond 2^20 arcs; on a device with one thread arcs were lost from 2047 x 1024
 * on. Sizes are beyond that. */
#include "tests/algorithms/sssp_fixture.h"
#include "tests/lib/share.h"

/* More than 2^20, and what a device with one thread lost arcs of. Sanitizers see the same code in fewer leaves. */
#define LEAVES 1049000u
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define LEAVES_ONE LEAVES
#define FEWER      20000u
#define HUBS       100000u
#else
#define LEAVES_ONE 2100000u
#define FEWER      100000u /* more than the smallest queues hold by far */
#define HUBS       1000000u
#endif

enum shape { STAR, IN_STAR, TWO_HUBS, SHAPES };

/* Both ways between each of the hubs and each leaf, or one way. Weights are halves, so that no algorithm for whole
 * numbers takes them, unless @p whole. */
static weir_graph *hub_graph(enum shape shape, uint32_t leaves, int whole)
{
    const uint64_t hubs = shape == TWO_HUBS ? 2 : 1, most = (uint64_t)leaves * (hubs == 2 ? 4 : 1);
    uint32_t *source = malloc(most * sizeof *source), *target = malloc(most * sizeof *target);
    double *weight = malloc(most * sizeof *weight);
    uint64_t m = 0, state = 7;
    weir_graph *graph;
    assert_true(source && target && weight);
    for (uint64_t h = 0; h < hubs; h++)
        for (uint64_t v = hubs; v < hubs + leaves; v++)
            for (int back = 0; back < (hubs == 2 ? 2 : 1); back++) {
                const int inward = back || shape == IN_STAR;
                source[m] = (uint32_t)(inward ? v : h);
                target[m] = (uint32_t)(inward ? h : v);
                weight[m++] = (double)(1 + next_random(&state) % 255) / (whole ? 1 : 2);
            }
    OK(weir_graph_from_arcs(hubs + leaves, m, source, target, weight, NULL, &graph));
    free(source);
    free(target);
    free(weight);
    return graph;
}

static uint32_t leaves_of(const char *spec, enum shape shape)
{
    return shape != STAR ? FEWER : strcmp(spec, "host:1") == 0 ? LEAVES_ONE : LEAVES;
}

static weir_run_options pushing(void)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.direction = WEIR_DIRECTION_PUSH;
    return options;
}

static weir_partition *parts_of(const weir_context *context, const weir_graph *graph)
{
    weir_partition *partition;
    OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, weir_context_device_count(context), 1,
                             NULL, &partition));
    return partition;
}

static void check_levels(weir_context *context, const weir_graph *graph,
                         const weir_run_options *options, uint64_t source)
{
    weir_partition *partition = parts_of(context, graph);
    int32_t *have = malloc(graph->vertices * sizeof *have),
            *want = malloc(graph->vertices * sizeof *want);
    weir_bfs *bfs;
    assert_true(have && want);
    OK(weir_bfs_create(context, graph, partition, options, &bfs));
    OK(weir_bfs_run(bfs, source, NULL));
    OK(weir_bfs_levels(bfs, have));
    OK(weir_bfs_reference(graph, source, want));
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (have[v] != want[v])
            fail_msg("vertex %llu has level %d, not %d", (unsigned long long)v, have[v], want[v]);
    weir_bfs_destroy(bfs);
    weir_partition_destroy(partition);
    free(have);
    free(want);
}

static void check_ranks(weir_context *context, const weir_graph *graph,
                        const weir_run_options *options, double tolerance)
{
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_partition *partition = parts_of(context, graph);
    double *ranks = malloc(graph->vertices * sizeof *ranks);
    weir_pr_change change = WEIR_PR_CHANGE_INIT;
    weir_pr *pr;
    assert_non_null(ranks);
    config.tolerance = tolerance;
    OK(weir_pr_create(context, graph, partition, options, &config, &pr));
    OK(weir_pr_run(pr, NULL));
    OK(weir_pr_ranks(pr, ranks));
    OK(weir_pr_check(graph, NULL, ranks, &change));
    if (!(change.l1 <= tolerance))
        fail_msg("an iteration changes %g", change.l1);
    weir_pr_destroy(pr);
    weir_partition_destroy(partition);
    free(ranks);
}

static void check_labels(weir_context *context, const weir_graph *graph, weir_cc_source from)
{
    uint32_t *labels = malloc(graph->vertices * sizeof *labels);
    weir_cc *cc;
    assert_non_null(labels);
    OK(weir_cc_create(context, graph, NULL, NULL, from, &cc));
    OK(weir_cc_run(cc, NULL));
    OK(weir_cc_labels(cc, labels));
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (labels[v] != 0)
            fail_msg("vertex %llu has label %u", (unsigned long long)v, labels[v]);
    weir_cc_destroy(cc);
    free(labels);
}

static void check_paths(weir_context *context, const weir_graph *graph,
                        const weir_run_options *options, uint64_t source)
{
    weir_partition *partition = parts_of(context, graph);
    weir_sssp *sssp;
    OK(weir_sssp_create(context, graph, partition, options, &sssp));
    assert_sssp(sssp, graph, source);
    weir_sssp_destroy(sssp);
    weir_partition_destroy(partition);
}

/* ---- the worklist ----------------------------------------------------------------------------- */

static void a_hub_loses_no_arcs(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_run_options options = pushing();
    for (int shape = 0; shape < SHAPES; shape++) {
        weir_graph *graph = hub_graph((enum shape)shape, leaves_of(*state, (enum shape)shape), 0);
        check_levels(context, graph, &options, 0);
        check_levels(context, graph, &options, graph->vertices - 1);
        check_paths(context, graph, NULL, 0);
        check_ranks(context, graph, &options, 1e-6);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void a_hub_loses_no_arcs_by_any_mapping(void **state)
{
    static const struct {
        weir_mapping_kind mapping;
        weir_worker_kind worker;
        weir_kernel_kind kernel;
    } ways[] = {{WEIR_MAPPING_THREAD, WEIR_WORKER_WARP, WEIR_KERNEL_FUSED},
                {WEIR_MAPPING_WARP, WEIR_WORKER_WARP, WEIR_KERNEL_FUSED},
                {WEIR_MAPPING_BLOCK, WEIR_WORKER_BLOCK, WEIR_KERNEL_DISCRETE},
                {WEIR_MAPPING_GROUP, WEIR_WORKER_BLOCK, WEIR_KERNEL_FUSED},
                {WEIR_MAPPING_MERGE, WEIR_WORKER_WARP, WEIR_KERNEL_DISCRETE},
                {WEIR_MAPPING_MERGE, WEIR_WORKER_BLOCK, WEIR_KERNEL_FUSED},
                {WEIR_MAPPING_AUTO, WEIR_WORKER_THREAD, WEIR_KERNEL_DISCRETE},
                {WEIR_MAPPING_AUTO, WEIR_WORKER_BLOCK, WEIR_KERNEL_FUSED}};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = hub_graph(STAR, 2 * LEAVES, 0); /* asked for, a mapping cuts from 2^21 on */
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i += (size_t)test_stride()) {
        weir_run_options options = pushing();
        options.mapping = ways[i].mapping;
        options.worker = ways[i].worker;
        options.kernel = ways[i].kernel;
        check_levels(context, graph, &options, 0);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* The smallest queues hold sixteen pieces: a warp does the rest of a row at once, and its new items spill. */
static void a_hub_in_the_smallest_queues(void **state)
{
    static const char *const small[] = {"queue_items=16", NULL};
    weir_context *context = open_with_or_skip(*state, small);
    weir_run_options options = pushing();
    for (int shape = 0; shape < SHAPES; shape++) {
        weir_graph *graph = hub_graph((enum shape)shape, FEWER, 0);
        check_levels(context, graph, &options, 0);
        check_ranks(context, graph, &options, 1e-6);
        options.order = WEIR_ORDER_SOFT;
        check_paths(context, graph, &options, 0);
        options.order = WEIR_ORDER_AUTO;
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* What all neighbours of a hub are sent is more than a lane takes, and more than a queue holds: on four host devices with a
 * third of the leaves, too, which is all that two cores have time for. */
static void two_hubs_spill_as_far_as_they_need(void **state)
{
    static const weir_order_kind orders[] = {WEIR_ORDER_SOFT, WEIR_ORDER_FIFO};
    static const weir_route_kind routes[] = {WEIR_ROUTE_TREE, WEIR_ROUTE_RING};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = hub_graph(
        TWO_HUBS, strcmp(*state, "host:4") == 0 || test_stride() > 1 ? HUBS / 3 : HUBS, 1);
    for (int i = 0; i < 2; i++) {
        weir_run_options options = pushing();
        options.order = orders[i];
        check_paths(context, graph, &options, 0);
        options = pushing();
        options.route = routes[i];
        check_ranks(context, graph, &options, 1e-1); /* the waves are as high, and fewer */
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- in step ---------------------------------------------------------------------------------- */

static void a_hub_in_step(void **state)
{
    weir_context *context = open_or_skip(state);
    for (int shape = 0; shape < SHAPES; shape++) {
        weir_graph *graph = hub_graph((enum shape)shape, leaves_of("", (enum shape)shape), 1);
        check_levels(context, graph, NULL, 0);
        check_levels(context, graph, NULL, graph->vertices - 1);
        check_paths(context, graph, NULL, 0);
        check_ranks(context, graph, NULL, 1e-6);
        check_labels(context, graph, WEIR_CC_RESIDENT);
        check_labels(context, graph, WEIR_CC_STREAMED);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

#define ON_SOME(f)                                                               \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:1x2"), ON_BACKEND(f, "cuda:0"), \
        ON_BACKEND(f, "cuda:0-1")
#define ON_SEVERAL(f)                                                            \
    ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:4"), ON_BACKEND(f, "cuda:0-1"), \
        ON_BACKEND(f, "cuda:0-3")

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_SOME(a_hub_loses_no_arcs),
        ON_BACKEND(a_hub_loses_no_arcs, "host:3"),
        ON_BACKEND(a_hub_loses_no_arcs_by_any_mapping, "host:1x2"),
        ON_BACKEND(a_hub_loses_no_arcs_by_any_mapping, "cuda:0"),
        ON_BACKEND(a_hub_loses_no_arcs_by_any_mapping, "cuda:0-1"),
        ON_SOME(a_hub_in_the_smallest_queues),
        ON_BACKEND(a_hub_in_the_smallest_queues, "host:2"),
        ON_SEVERAL(two_hubs_spill_as_far_as_they_need),
        ON_BACKEND(a_hub_in_step, "host:2x2"),
        ON_BACKEND(a_hub_in_step, "cuda:0"),
        ON_BACKEND(a_hub_in_step, "cuda:0-1"),
    };
    return cmocka_run_group_tests_name("hubs", tests, NULL, NULL);
}
