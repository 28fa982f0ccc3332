/** @file test_sssp_firsts.c  Shortest paths in step whose arcs lie in host memory: pulls look at the first arcs of rows, which are kept on
 * the device, and only where these do not do at the arcs. Distances and trees are the same. */
#include "tests/algorithms/sssp_fixture.h"
#include "tests/lib/share.h"

#define ON_SETS(f)                                                                            \
    ON_HOSTS(f), ON_BACKEND(f, "host:4"), ON_BACKEND(f, "host:2x3"), ON_BACKEND(f, "cuda:0"), \
        ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0-3")

static weir_sssp *in_step(weir_context *context, const weir_graph *graph, weir_memory memory,
                          uint32_t delta, int parents)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.direction = WEIR_DIRECTION_SWITCH;
    options.memory = memory;
    options.delta = delta;
    options.parents = parents;
    return placed(context, graph, WEIR_PARTITION_EDGE, &options);
}

static weir_run_stats run_from(weir_sssp *sssp, uint64_t source)
{
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    OK(weir_sssp_run(sssp, source, &stats));
    return stats;
}

static uint64_t pulls(const weir_run_stats *stats)
{
    for (int i = 0; i < WEIR_RUN_PHASES; i++)
        if (stats->phase[i].name && !strcmp(stats->phase[i].name, "heavy pull"))
            return stats->phase[i].steps;
    fail_msg("there are no pulls");
    return 0;
}

static void graphs_weights_and_widths(void **state)
{
    static const char *const texts[] = {"rmat:10,8", "rmat:9,2", "star:700", "grid:30x30"};
    static const char *const weights[] = {"random", "unit", "random:0-3", "random:0-60000"};
    static const uint32_t deltas[] = {0, 1, 40, UINT32_MAX};
    weir_context *context = open_or_skip(state);
    for (size_t i = 0; i < 32; i += (size_t)test_stride()) {
        weir_graph *graph = open_graph(texts[i % 4], i / 4 & 1);
        weir_graph_summary summary = WEIR_GRAPH_SUMMARY_INIT;
        weigh(graph, weights[i / 8]);
        OK(weir_graph_summarize(graph, &summary));
        weir_sssp *sssp =
            in_step(context, graph, WEIR_MEMORY_HOST, deltas[(i + i / 4 + i / 8) % 4], 0);
        assert_sssp(sssp, graph, summary.degree_max_vertex);
        assert_sssp(sssp, graph, graph->vertices / 3);
        assert_sssp(sssp, graph, summary.degree_max_vertex);
        weir_sssp_destroy(sssp);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* A hub and what hangs on it, so that there are pulls and rows are numbered by degree; and rows for which the first arc is of no use: its tail is not
 * reached, or lies further away than the second's, or the third's. */
static weir_graph *misled(void)
{
    enum { LEAVES = 900, LOST = LEAVES + 1, FIRST };
    static struct arcs arcs;
    arcs.count = 0;
    for (uint64_t v = 1; v <= LEAVES; v++) {
        arc(&arcs, 0, v, 1 + (double)(v % 90));
        arc(&arcs, v, 0, 1);
        arc(&arcs, v, 1 + v % 7, 200);
    }
    for (uint64_t i = 0; i < 200; i++) {
        const uint64_t v = FIRST + i;
        arc(&arcs, v, LOST + 400, 7); /* nobody reaches it but by these */
        arc(&arcs, LOST, v, 1);       /* nothing leads to it */
        if (i % 4 > 0)
            arc(&arcs, 89 + i % 4, v,
                2 + (double)(i % 3)); /* 90, 91 or 92: far from the hub, or near */
        if (i % 4 > 1)
            arc(&arcs, 1 + i, v, 3 + (double)(i % 5));
        if (i % 4 != 1)
            arc(&arcs, 0, v, i == 8 ? UINT32_MAX - 3 : 100 + (double)i);
    }
    return graph_of(LOST + 401, &arcs);
}

static void first_arcs_that_are_of_no_use(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = misled();
    for (uint32_t i = 0; i < 6; i++) {
        weir_sssp *sssp = in_step(context, graph, WEIR_MEMORY_HOST, i % 3 * 20, i / 3 != 0);
        assert_sssp(sssp, graph, 0);
        assert_sssp(sssp, graph, 17);
        if (i / 3) {
            double *distances = calloc(graph->vertices, sizeof *distances);
            int64_t *parents = calloc(graph->vertices, sizeof *parents);
            assert_true(distances && parents);
            OK(weir_sssp_distances(sssp, distances));
            OK(weir_sssp_parents(sssp, parents));
            OK(weir_sssp_tree_check(graph, 17, parents, distances));
            free(distances);
            free(parents);
        }
        weir_sssp_destroy(sssp);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Of R-MAT graphs most rows are through with the lightest arc. Arcs on the devices have no need of it. */
static void most_rows_are_through_with_them(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:13", 1);
    weir_graph_summary summary = WEIR_GRAPH_SUMMARY_INIT;
    weigh(graph, "random");
    OK(weir_graph_summarize(graph, &summary));
    uint64_t looks = 0; /* with arcs on the devices, on one */
    for (int host = 0; host < 2; host++) {
        weir_sssp *sssp =
            in_step(context, graph, host ? WEIR_MEMORY_HOST : WEIR_MEMORY_DEVICE, 0, 0);
        const weir_run_stats stats = run_from(sssp, summary.degree_max_vertex);
        assert_true(pulls(&stats) > 0);
        if (host)
            assert_in_range(stats.firsts, stats.reached / 2, 2 * stats.reached);
        else
            assert_int_equal(stats.firsts, 0);
        if (host && !strcmp(*state, "host:1")) /* no arc is looked at twice */
            assert_in_range(stats.work.atoms, 1, looks);
        looks = stats.work.atoms;
        assert_distances(graph, sssp, summary.degree_max_vertex, &stats);
        weir_sssp_destroy(sssp);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* A device that has room for all but the first arcs goes without them, and one that has less says what it lacks. */
static void goes_without_them_where_there_is_no_room(void **state)
{
    weir_graph *graph = open_graph("rmat:16", 1);
    weir_pool_stats pool = WEIR_POOL_STATS_INIT;
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    (void)state;
    options.direction = WEIR_DIRECTION_SWITCH;
    options.memory = WEIR_MEMORY_HOST;
    weigh(graph, "random");
    for (int lacks = 0; lacks < 3; lacks++) {
        weir_context *context;
        weir_sssp *sssp;
        char bound[32];
        if (lacks) {
            snprintf(
                bound, sizeof bound, "%llu",
                (unsigned long long)(pool.used_bytes - graph->vertices * (lacks == 1 ? 8 : 24)));
            setenv("WEIR_POOL_BYTES", bound, 1);
        }
        OK(weir_context_create("host:1", NULL, &context));
        weir_partition *partition;
        OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, 1, 1, NULL, &partition));
        const weir_status status = weir_sssp_create(context, graph, partition, &options, &sssp);
        weir_partition_destroy(partition);
        if (lacks == 2) {
            assert_int_equal(status, WEIR_ERR_NOMEM);
            assert_non_null(strstr(weir_error_detail(), "host:0 needs"));
        } else {
            OK(status);
            const weir_run_stats stats = run_from(sssp, 0);
            assert_true((stats.firsts == 0) == (lacks == 1));
            assert_distances(graph, sssp, 0, &stats);
            if (!lacks)
                OK(weir_device_pool_stats(weir_context_device(context, 0), &pool));
            weir_sssp_destroy(sssp);
        }
        weir_context_destroy(context);
    }
    unsetenv("WEIR_POOL_BYTES");
    weir_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_SETS(graphs_weights_and_widths),
        ON_SETS(first_arcs_that_are_of_no_use),
        ON_SETS(most_rows_are_through_with_them),
        cmocka_unit_test(goes_without_them_where_there_is_no_room),
    };
    return cmocka_run_group_tests_name("sssp_firsts", tests, NULL, NULL);
}
