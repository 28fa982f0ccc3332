/** @file test_bfs_2d_ending.c  BFS in two dimensions: what there is before a run, graphs without vertices, limits, cancels, allocations
 * that fail. */
#include "runtime/internal.h"
#include "tests/algorithms/bfs_step_fixture.h"

#include <pthread.h>

/* A column of all devices, a row, and where their number is even both. */
static uint32_t rows_of(uint32_t devices, int i)
{
    return i == 0 ? devices : i == 1 ? 1 : devices % 2 ? 0 : devices / 2;
}

static weir_bfs *gridded(weir_context *context, const weir_graph *graph, uint32_t rows,
                         const weir_run_options *options)
{
    weir_partition *partition;
    weir_bfs *bfs;
    OK(weir_partition_create_2d(graph, rows, weir_context_device_count(context) / rows,
                                &partition));
    OK(weir_bfs_create(context, graph, partition, options, &bfs));
    weir_partition_destroy(partition);
    return bfs;
}

static void before_a_run_nothing_is_reached(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t devices = weir_context_device_count(context);
    const weir_graph *graph = graph_of("grid:700x1", 0);
    int32_t level[700];
    int64_t parent[700];
    for (int i = 0; i < 3; i++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        weir_values values = WEIR_VALUES_INIT;
        options.parents = 1;
        if (!rows_of(devices, i))
            continue;
        weir_bfs *bfs = gridded(context, graph, rows_of(devices, i), &options);
        STATUS(weir_bfs_run(bfs, 700, NULL), WEIR_ERR_INVALID); /* no vertex, and does no harm */
        assert_detail_has("700");
        OK(weir_bfs_levels(bfs, level));
        OK(weir_bfs_parents(bfs, parent));
        for (int v = 0; v < 700; v++)
            assert_true(level[v] == -1 && parent[v] == -1);
        STATUS(weir_bfs_values(bfs, 0, &values), WEIR_ERR_INVALID);
        assert_int_equal(items_over_links(bfs, devices), 0);
        OK(weir_bfs_run(bfs, 699, NULL));
        STATUS(weir_bfs_run(bfs, 700, NULL), WEIR_ERR_INVALID); /* leaves what is there */
        OK(weir_bfs_levels(bfs, level));
        assert_int_equal(level[0], 699);
        OK(weir_bfs_values(bfs, devices - 1, &values));
        weir_bfs_cancel(bfs);
        STATUS(weir_bfs_run(bfs, 699, NULL), WEIR_ERR_CANCELLED);
        STATUS(weir_bfs_levels(bfs, level), WEIR_ERR_INVALID);
        assert_detail("the last run was not complete: there are no levels");
        STATUS(weir_bfs_parents(bfs, parent), WEIR_ERR_INVALID);
        assert_int_equal(weir_bfs_levels_known(bfs), 0);
        weir_bfs_destroy(bfs);
    }
    weir_context_destroy(context);
}

static void a_tree_that_was_not_asked_for(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    int64_t parent[700];
    weir_bfs *bfs = gridded(context, graph_of("grid:700x1", 0), 1, &options);
    OK(weir_bfs_run(bfs, 0, NULL));
    STATUS(weir_bfs_parents(bfs, parent), WEIR_ERR_INVALID);
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

static void a_graph_without_vertices(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t devices = weir_context_device_count(context);
    struct list list = {NULL, NULL, 0, 0};
    int32_t level = 17;
    int64_t parent = 17;
    weir_graph *graph = made(&list, 0);
    for (int i = 0; i < 3; i++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        options.parents = 1;
        if (!rows_of(devices, i))
            continue;
        weir_bfs *bfs = gridded(context, graph, rows_of(devices, i), &options);
        STATUS(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_INVALID);
        OK(weir_bfs_levels(bfs, &level));
        OK(weir_bfs_parents(bfs, &parent));
        assert_true(level == 17 && parent == 17);
        weir_bfs_destroy(bfs);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void a_time_limit_ends_a_run(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.time_limit_ms = 5;
    weir_bfs *bfs = gridded(context, graph_of("grid:400000x1", 0),
                            weir_context_device_count(context), &options);
    STATUS(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_TIMEOUT);
    assert_detail("bfs_2d: the time limit of 5 ms is over");
    STATUS(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_TIMEOUT);
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

static void *cancel(void *bfs)
{
    weir_bfs_cancel(bfs);
    return NULL;
}

static void a_cancel_ends_a_run(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    pthread_t thread;
    weir_bfs *bfs = gridded(context, graph_of("grid:400000x1", 0), 1, &options);
    assert_int_equal(pthread_create(&thread, NULL, cancel, bfs), 0);
    weir_status status = WEIR_OK;
    while (!status) /* one that is over before the cancel comes leaves it to the next */
        status = weir_bfs_run(bfs, 0, NULL);
    pthread_join(thread, NULL);
    assert_int_equal(status, WEIR_ERR_CANCELLED);
    STATUS(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_CANCELLED);
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

/* Whichever allocation fails, nothing is left behind. */
static void every_allocation_may_fail(void **state)
{
    weir_context *context = open_with_or_skip("host:4", NULL);
    const weir_graph *graph = graph_of("rmat:7", 0);
    weir_partition *partition;
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    uint32_t failures = 0, struck = 1;
    (void)state;
    options.parents = 1;
    OK(weir_partition_create_2d(graph, 2, 2, &partition));
    for (uint64_t nth = 1; struck; nth++) {
        weir_bfs *bfs;
        weir_run_level level = WEIR_RUN_LEVEL_INIT;
        weir__fault_arm(WEIR__FAULT_ALLOC, nth);
        weir_status status = weir_bfs_create(context, graph, partition, &options, &bfs);
        assert_int_equal(bfs != NULL, status == WEIR_OK);
        if (!status && !(status = weir_bfs_run(bfs, 0, NULL)))
            status = weir_bfs_level_get(bfs, 0, &level);
        struck = (uint32_t)weir__fault_struck(WEIR__FAULT_ALLOC);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        assert_true(status == WEIR_OK || status == WEIR_ERR_NOMEM);
        weir_bfs_destroy(bfs);
        assert_no_memory_is_left(context);
        failures += status != WEIR_OK;
    }
    assert_true(failures > 30);
    weir_partition_destroy(partition);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(before_a_run_nothing_is_reached),
        ON_EACH_SPEC(a_tree_that_was_not_asked_for),
        ON_EACH_SPEC(a_graph_without_vertices),
        ON_BACKEND(a_time_limit_ends_a_run, "host:1"),
        ON_BACKEND(a_time_limit_ends_a_run, "host:2x3"),
        ON_BACKEND(a_time_limit_ends_a_run, "cuda:0"),
        ON_BACKEND(a_time_limit_ends_a_run, "cuda:0-1"),
        ON_BACKEND(a_cancel_ends_a_run, "host:1"),
        ON_BACKEND(a_cancel_ends_a_run, "host:2x3"),
        ON_BACKEND(a_cancel_ends_a_run, "cuda:0-1"),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("ends of bfs in two dimensions", tests, NULL, keep_nothing);
}
