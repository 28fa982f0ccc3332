/** @file test_fewer_devices.c  Traversals on the first devices of a context, the others left alone. */
#include "tests/algorithms/sssp_fixture.h"

static weir_partition *cut(const weir_graph *graph, weir_partition_kind kind, uint32_t parts)
{
    weir_partition *partition;
    OK(weir_partition_create(graph, kind, parts, 1, NULL, &partition));
    return partition;
}

static void assert_levels(weir_context *context, const weir_graph *graph,
                          const weir_partition *partition, const weir_run_options *options)
{
    size_t bytes = graph->vertices * sizeof(int32_t);
    int32_t *have = malloc(bytes), *want = malloc(bytes);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    uint64_t items;
    weir_bfs *bfs;
    assert_non_null(have);
    assert_non_null(want);
    OK(weir_bfs_create(context, graph, partition, options, &bfs));
    for (uint64_t source = 0; source < graph->vertices; source += 101) {
        OK(weir_bfs_reference(graph, source, want));
        OK(weir_bfs_run(bfs, source, &stats));
        OK(weir_bfs_levels(bfs, have));
        assert_memory_equal(have, want, bytes);
        assert_int_equal(stats.devices, partition->parts);
        STATUS(weir_bfs_link_items(bfs, 0, partition->parts, &items), WEIR_ERR_INVALID);
    }
    weir_bfs_destroy(bfs);
    free(have);
    free(want);
}

static uint64_t peak_of(weir_context *context, uint32_t d)
{
    weir_pool_stats pool = WEIR_POOL_STATS_INIT;
    weir_device_pool_stats(weir_context_device(context, d), &pool);
    return pool.peak_bytes;
}

static void look_at_pools(weir_context *context, uint64_t *peaks_out)
{
    for (uint32_t d = 0; d < weir_context_device_count(context); d++)
        peaks_out[d] = peak_of(context, d);
}

/* Since then something was placed on these devices, and nothing ever on the others. */
static void assert_only_the_first(weir_context *context, uint32_t parts, const uint64_t *peaks)
{
    for (uint32_t d = 0; d < weir_context_device_count(context); d++)
        assert_int_equal(peak_of(context, d) > peaks[d], d < parts);
}

static void run_all(weir_context *context, const weir_graph *graph, uint32_t parts)
{
    static const weir_kernel_kind kernels[] = {WEIR_KERNEL_AUTO, WEIR_KERNEL_DISCRETE};
    weir_partition *partition = cut(graph, WEIR_PARTITION_RANDOM, parts);
    for (int i = 0; i < 5 * 2; i++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weir_sssp *sssp;
        options.route = (weir_route_kind)(i % 5);
        options.kernel = kernels[i / 5];
        options.direction = WEIR_DIRECTION_PUSH;
        if (i == 0 && parts > 1) /* the first one does all */
            options.balance = WEIR_BALANCE_OWNERSHIP;
        assert_levels(context, graph, partition, &options);
        OK(weir_sssp_create(context, graph, partition, &options, &sssp));
        for (uint64_t source = 0; source < graph->vertices; source += 101)
            assert_sssp(sssp, graph, source);
        OK(weir_sssp_run(sssp, 0, &stats));
        assert_int_equal(stats.devices, parts);
        weir_sssp_destroy(sssp);
    }
    weir_partition_destroy(partition);
}

/* A context for each number of parts: pools remember what they gave. */
static void traversals_on_the_first_devices(void **state)
{
    weir_context *context = open_or_skip(state); /* may leave this function */
    uint32_t devices = weir_context_device_count(context);
    weir_graph *graph = open_graph("rmat:9,4", 0);
    assert_true(devices > 1);
    weir_context_destroy(context);
    weigh(graph, "random");
    for (uint32_t parts = 1; parts < devices; parts++) {
        context = open_or_skip(state);
        uint64_t peaks[WEIR_DEVICES_MAX];
        look_at_pools(context, peaks);
        run_all(context, graph, parts);
        assert_only_the_first(context, parts, peaks);
        weir_context_destroy(context);
    }
    weir_graph_destroy(graph);
}

/* Routes of machines whose best ring or tree over all devices leads through others than the first ones. */
static void routes_do_not_lead_through_the_others(void **state)
{
    weir_graph *graph = open_graph("rmat:8,4", 0);
    (void)state;
    weigh(graph, "random");
    for (uint32_t parts = 1; parts < 8; parts += 2) {
        uint64_t peaks[WEIR_DEVICES_MAX];
        weir_machine *machine;
        weir_context *context;
        OK(weir_machine_open("dgx1v", &machine));
        OK(weir_machine_simulate(machine, NULL, &context));
        weir_machine_destroy(machine);
        look_at_pools(context, peaks);
        weir_partition *partition = cut(graph, WEIR_PARTITION_RANDOM, parts);
        for (int route = WEIR_ROUTE_AUTO; route <= WEIR_ROUTE_STAGED; route++) {
            weir_run_options options = WEIR_RUN_OPTIONS_INIT;
            options.route = (weir_route_kind)route;
            options.direction = WEIR_DIRECTION_PUSH;
            assert_levels(context, graph, partition, &options);
        }
        assert_only_the_first(context, parts, peaks);
        weir_partition_destroy(partition);
        weir_context_destroy(context);
    }
    weir_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(traversals_on_the_first_devices, "host:4"),
        ON_BACKEND(traversals_on_the_first_devices, "cuda:0-1"),
        ON_BACKEND(traversals_on_the_first_devices, "cuda:0-3"),
        cmocka_unit_test(routes_do_not_lead_through_the_others),
    };
    return cmocka_run_group_tests_name("fewer devices", tests, NULL, NULL);
}
