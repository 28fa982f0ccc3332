/** @file test_bfs_step_ending.c  BFS in step: which form is chosen, what is refused, before a run and without
 * vertices, limits, cancels, allocations that fail. */
#include "runtime/internal.h"
#include "tests/algorithms/bfs_step_fixture.h"
#include "tests/topology/sim_fixture.h"

#include <pthread.h>

/* On devices of one kind the choice is a search in step, unless an option of the worklist was given. */
/* A mesh goes through the worklist on GPUs, all else in step. */
static void what_is_chosen(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_graph *graph = graph_of("grid:71x64", 0);
    weir_run_options options = plain_options();
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_bfs *bfs;
    weir_device_info_get(weir_context_device(context, 0), &info);
    OK(weir_bfs_create(context, graph, NULL, NULL, &bfs));
    OK(weir_bfs_run(bfs, 5, &stats));
    assert_int_equal(stats.direction,
                     info.kind == WEIR_DEVICE_CUDA ? WEIR_DIRECTION_PUSH : WEIR_DIRECTION_SWITCH);
    weir_bfs_destroy(bfs);
    graph = graph_of("rmat:10", 1);
    OK(weir_bfs_create(context, graph, NULL, NULL, &bfs));
    OK(weir_bfs_run(bfs, 5, &stats));
    assert_int_equal(stats.direction, WEIR_DIRECTION_SWITCH);
    assert_in_range(stats.devices, 1, weir_context_device_count(context));
    assert_int_equal(stats.devices < weir_context_device_count(context), stats.why_devices != NULL);
    OK(weir_bfs_run(bfs, 6, NULL));
    weir_bfs_destroy(bfs);
    options.mapping = WEIR_MAPPING_THREAD;
    OK(weir_bfs_create(context, graph, NULL, &options, &bfs));
    OK(weir_bfs_run(bfs, 5, &stats));
    assert_int_equal(stats.direction, WEIR_DIRECTION_PUSH);
    assert_int_equal(stats.steps, 0);
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

static void assert_refused(weir_context *context, const weir_graph *graph,
                           const weir_run_options *options, weir_status status, const char *detail)
{
    weir_bfs *bfs;
    STATUS(weir_bfs_create(context, graph, NULL, options, &bfs), status);
    assert_detail_has(detail);
    assert_null(bfs);
}

static void options_that_do_not_go_together(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_context *simulated = simulate(star_machine(0), NULL);
    const weir_graph *graph = graph_of("grid:700x1", 0);
    weir_run_options options = plain_options();
    const weir_run_options none = WEIR_RUN_OPTIONS_INIT;
    for (int i = 0; i < 6 * 2; i++) {
        static const char *const names[] = {"route",  "order", "kernel",
                                            "worker", "fetch", "mapping"};
        options = none;
        options.direction = in_step[i % 2];
        options.route = i / 2 == 0 ? WEIR_ROUTE_RING : WEIR_ROUTE_AUTO;
        options.order = i / 2 == 1 ? WEIR_ORDER_SOFT : WEIR_ORDER_AUTO;
        options.kernel = i / 2 == 2 ? WEIR_KERNEL_DISCRETE : WEIR_KERNEL_AUTO;
        options.worker = i / 2 == 3 ? WEIR_WORKER_BLOCK : WEIR_WORKER_AUTO;
        options.fetch = i / 2 == 4;
        options.mapping = i / 2 == 5 ? WEIR_MAPPING_WARP : WEIR_MAPPING_AUTO;
        assert_refused(context, graph, &options, WEIR_ERR_UNSUPPORTED, names[i / 2]);
        assert_detail_has("breadth-first search in step");
    }
    options = none;
    options.parents = 1;
    options.direction = WEIR_DIRECTION_PUSH;
    assert_refused(context, graph, &options, WEIR_ERR_UNSUPPORTED, "parents");
    options.direction = WEIR_DIRECTION_AUTO;
    options.order = WEIR_ORDER_FIFO;
    assert_refused(context, graph, &options, WEIR_ERR_UNSUPPORTED, "parents");
    options = none;
    options.parents = 1; /* it is not the options that such devices have no search in step */
    assert_refused(simulated, graph, &options, WEIR_ERR_UNSUPPORTED, "simulated");
    options = none;
    for (int i = 0; i < 2; i++) {
        options.direction = in_step[i];
        assert_refused(simulated, graph, &options, WEIR_ERR_UNSUPPORTED, "simulated");
    }
    options.direction = (weir_direction)17;
    assert_refused(context, graph, &options, WEIR_ERR_INVALID, "direction 17");
    weir_context_destroy(simulated);
    weir_context_destroy(context);
}

static void trees_that_were_not_asked_for(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    struct list list = {NULL, NULL, 0, 0};
    weir_graph *graph = made(&list, 1);
    weir_run_options options = plain_options();
    int64_t parent = 17;
    for (int i = 0; i < 2; i++) {
        options.direction = i ? WEIR_DIRECTION_PUSH : WEIR_DIRECTION_SWITCH;
        weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_BLOCK, 2, &options);
        OK(weir_bfs_run(bfs, 0, NULL));
        STATUS(weir_bfs_parents(bfs, &parent), WEIR_ERR_INVALID);
        assert_int_equal(parent, 17);
        weir_bfs_destroy(bfs);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void before_a_run_nothing_is_reached(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_graph *graph = graph_of("grid:700x1", 0);
    weir_run_options options = plain_options();
    int32_t level[700];
    int64_t parent[700];
    options.parents = 1;
    weir_bfs *bfs =
        placed(context, graph, WEIR_PARTITION_BLOCK, weir_context_device_count(context), &options);
    STATUS(weir_bfs_run(bfs, 700, NULL), WEIR_ERR_INVALID); /* no vertex, and does no harm */
    assert_detail_has("700");
    OK(weir_bfs_levels(bfs, level));
    OK(weir_bfs_parents(bfs, parent));
    for (int v = 0; v < 700; v++)
        assert_true(level[v] == -1 && parent[v] == -1);
    OK(weir_bfs_run(bfs, 699, NULL));
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

/* Also where the memory is what an object before had: 0, in every form. */
static void before_a_run_nothing_was_sent(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graph = graph_of("rmat:7", 0);
    for (int i = 0; i < 2 * 3; i++) {
        static const weir_direction directions[] = {WEIR_DIRECTION_PUSH, WEIR_DIRECTION_SWITCH,
                                                    WEIR_DIRECTION_PULL};
        weir_run_options options = plain_options();
        options.direction = directions[i % 3];
        weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_RANDOM, parts, &options);
        assert_int_equal(items_over_links(bfs, parts), 0);
        OK(weir_bfs_run(bfs, 0, NULL));
        weir_bfs_destroy(bfs);
    }
    weir_context_destroy(context);
}

static void a_graph_without_vertices(void **state)
{
    weir_context *context = open_or_skip(state);
    struct list list = {NULL, NULL, 0, 0};
    int32_t level = 17;
    int64_t parent = 17;
    weir_graph *graph = made(&list, 0);
    weir_run_options options = plain_options();
    for (int i = 0; i < 2; i++) {
        options.direction = in_step[i];
        options.parents = 1;
        weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_BLOCK,
                               weir_context_device_count(context), &options);
        STATUS(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_INVALID);
        OK(weir_bfs_levels(bfs, &level));
        OK(weir_bfs_parents(bfs, &parent));
        assert_true(level == 17 && parent == 17);
        weir_bfs_destroy(bfs);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* A path from part to part: each step goes to another device, or on one device is a barrier or less. */
static void a_time_limit_ends_a_run(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_graph *graph = graph_of("grid:400000x1", 0);
    weir_run_options options = plain_options();
    options.direction = WEIR_DIRECTION_SWITCH;
    options.time_limit_ms = 5;
    weir_bfs *bfs =
        placed(context, graph, WEIR_PARTITION_RANDOM, weir_context_device_count(context), &options);
    STATUS(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_TIMEOUT);
    assert_detail("bfs_step: the time limit of 5 ms is over");
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
    const weir_graph *graph = graph_of("grid:400000x1", 0);
    weir_run_options options = plain_options();
    pthread_t thread;
    for (int i = 0; i < 2; i++) {
        options.direction = in_step[i];
        weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_RANDOM,
                               weir_context_device_count(context), &options);
        assert_int_equal(pthread_create(&thread, NULL, cancel, bfs), 0);
        weir_status status = WEIR_OK;
        while (!status) /* one that is over before the cancel comes leaves it to the next */
            status = weir_bfs_run(bfs, 0, NULL);
        pthread_join(thread, NULL);
        assert_int_equal(status, WEIR_ERR_CANCELLED);
        STATUS(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_CANCELLED);
        weir_bfs_destroy(bfs);
    }
    weir_context_destroy(context);
}

/* In either form; a source that is refused leaves what is there. */
static void a_run_that_is_stopped_leaves_no_levels(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_graph *graph = graph_of("grid:700x1", 0);
    int32_t level[700];
    int64_t parent[700];
    for (int i = 0; i < 2; i++) {
        weir_run_options options = plain_options();
        weir_values values = WEIR_VALUES_INIT;
        options.direction = i ? WEIR_DIRECTION_PUSH : WEIR_DIRECTION_SWITCH;
        options.parents = !i;
        weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_BLOCK,
                               weir_context_device_count(context), &options);
        OK(weir_bfs_run(bfs, 0, NULL));
        STATUS(weir_bfs_run(bfs, 700, NULL), WEIR_ERR_INVALID);
        OK(weir_bfs_levels(bfs, level));
        assert_int_equal(level[699], 699);
        weir_bfs_cancel(bfs);
        STATUS(weir_bfs_run(bfs, 699, NULL), WEIR_ERR_CANCELLED);
        STATUS(weir_bfs_levels(bfs, level), WEIR_ERR_INVALID);
        assert_detail("the last run was not complete: there are no levels");
        STATUS(weir_bfs_values(bfs, 0, &values), WEIR_ERR_INVALID);
        STATUS(weir_bfs_parents(bfs, parent), WEIR_ERR_INVALID);
        weir_bfs_destroy(bfs);
    }
    weir_context_destroy(context);
}

/* Whichever allocation fails, nothing is left behind. */
static void every_allocation_may_fail(void **state)
{
    weir_context *context = open_with_or_skip("host:2", NULL);
    const weir_graph *graph = graph_of("rmat:7", 0);
    weir_partition *partition;
    weir_run_options options = plain_options();
    uint32_t failures = 0, struck = 1;
    options.parents = 1;
    options.balance = *state ? WEIR_BALANCE_BOTH : WEIR_BALANCE_OFF;
    OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, 2, 1, NULL, &partition));
    for (uint64_t nth = 1; struck; nth++) {
        weir_bfs *bfs;
        weir__fault_arm(WEIR__FAULT_ALLOC, nth);
        weir_status status = weir_bfs_create(context, graph, partition, &options, &bfs);
        struck = (uint32_t)weir__fault_struck(WEIR__FAULT_ALLOC);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        assert_int_equal(bfs != NULL, status == WEIR_OK);
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
        ON_BACKEND(what_is_chosen, "host:1"),
        ON_BACKEND(what_is_chosen, "host:3"),
        ON_BACKEND(what_is_chosen, "cuda:0-1"),
        cmocka_unit_test(options_that_do_not_go_together),
        cmocka_unit_test(trees_that_were_not_asked_for),
        ON_EACH_SPEC(before_a_run_nothing_is_reached),
        ON_EACH_SPEC(before_a_run_nothing_was_sent),
        ON_EACH_SPEC(a_graph_without_vertices),
        ON_BACKEND(a_time_limit_ends_a_run, "host:1"),
        ON_BACKEND(a_time_limit_ends_a_run, "host:2x3"),
        ON_BACKEND(a_time_limit_ends_a_run, "cuda:0"),
        ON_BACKEND(a_time_limit_ends_a_run, "cuda:0-1"),
        ON_BACKEND(a_cancel_ends_a_run, "host:1"),
        ON_BACKEND(a_cancel_ends_a_run, "host:2x3"),
        ON_BACKEND(a_cancel_ends_a_run, "cuda:0-1"),
        ON_BACKEND(a_run_that_is_stopped_leaves_no_levels, "host:1"),
        ON_BACKEND(a_run_that_is_stopped_leaves_no_levels, "host:2x3"),
        ON_BACKEND(a_run_that_is_stopped_leaves_no_levels, "cuda:0"),
        cmocka_unit_test(every_allocation_may_fail),
        ON_BACKEND(every_allocation_may_fail, "balance frontier"),
    };
    return cmocka_run_group_tests_name("bfs in step, endings", tests, NULL, keep_nothing);
}
