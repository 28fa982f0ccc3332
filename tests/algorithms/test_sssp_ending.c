/** @file test_sssp_ending.c  Sources and partitions that do not fit, limits, cancels, and every fault. */
#include "tests/algorithms/sssp_fixture.h"
#include "tests/lib/share.h"

/* ThreadSanitizer is slow: it sees some of the faults. */
#ifdef __SANITIZE_THREAD__
#define STRIDE 7
#else
#define STRIDE test_stride()
#endif

/* Three arcs that add up to more than 32 bits hold, beside so many of weight 0 that 32 bits are tried:
 * short runs that go through both operators. */
static weir_graph *too_far(void)
{
    static struct arcs arcs;
    arcs.count = 0;
    for (uint64_t v = 0; v < 3; v++)
        arc(&arcs, v, v + 1, 2e9);
    for (uint64_t v = 5; v < 2000; v++)
        arc(&arcs, 4, v, 0);
    return graph_of(2000, &arcs);
}

static void a_bad_source_is_refused(void **state)
{
    (void)state;
    const struct arcs none = {.count = 0};
    weir_context *context = open_or_skip(&(void *){(void *)(uintptr_t) "host:2"});
    weir_graph *graph = chain_of(50, 3, 4), *empty = graph_of(0, &none);
    weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, NULL);
    STATUS(weir_sssp_run(sssp, 50, NULL), WEIR_ERR_INVALID);
    assert_detail("source 50 is not a vertex: the graph has 50");
    STATUS(weir_sssp_run(sssp, UINT64_MAX, NULL), WEIR_ERR_INVALID);
    assert_sssp(sssp, graph, 49); /* and does no harm */
    OK(weir_sssp_run(sssp, 3, NULL));
    weir_sssp_destroy(sssp);
    sssp = placed(context, empty, WEIR_PARTITION_BLOCK, NULL);
    STATUS(weir_sssp_run(sssp, 0, NULL), WEIR_ERR_INVALID);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(empty);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void nothing_is_reached_before_a_run(void **state)
{
    (void)state;
    static const double weights[] = {1, 4294967296.5};
    weir_context *context = open_or_skip(&(void *){(void *)(uintptr_t) "host:2"});
    for (int i = 0; i < 2; i++) {
        weir_graph *graph = chain_of(9, weights[i], weights[i]);
        weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, NULL);
        double distances[9];
        OK(weir_sssp_distances(sssp, distances));
        for (int v = 0; v < 9; v++)
            assert_true(isinf(distances[v]));
        weir_sssp_destroy(sssp);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    weir_context *two = open_or_skip(&(void *){(void *)(uintptr_t) "host:2"}),
                 *three = open_or_skip(&(void *){(void *)(uintptr_t) "host:3"});
    weir_graph *graph = chain_of(20, 1, 1), *other = chain_of(21, 1, 1);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_partition *partition;
    weir_sssp *sssp;
    OK(weir_partition_create(graph, WEIR_PARTITION_BLOCK, 2, 1, NULL, &partition));
    OK(weir_sssp_create(three, graph, partition, NULL, &sssp)); /* on the first two */
    weir_sssp_destroy(sssp);
    STATUS(weir_sssp_create(two, other, partition, NULL, &sssp), WEIR_ERR_INVALID);
    assert_null(sssp);
    options.size = 3;
    STATUS(weir_sssp_create(two, graph, partition, &options, &sssp), WEIR_ERR_INVALID);
    assert_null(sssp);
    weir_sssp_destroy(NULL);
    weir_partition_destroy(partition);
    OK(weir_partition_create(graph, WEIR_PARTITION_BLOCK, 3, 1, NULL, &partition));
    options = (weir_run_options)WEIR_RUN_OPTIONS_INIT;
    STATUS(weir_sssp_create(two, graph, partition, &options, &sssp), WEIR_ERR_INVALID);
    assert_null(sssp);
    options.direction = WEIR_DIRECTION_SWITCH;
    STATUS(weir_sssp_create(two, graph, partition, &options, &sssp), WEIR_ERR_INVALID);
    assert_null(sssp);
    weir_partition_destroy(partition);
    weir_graph_destroy(other);
    weir_graph_destroy(graph);
    weir_context_destroy(three);
    weir_context_destroy(two);
}

/* A chain around all devices takes far longer than a millisecond: each step is a hop. */
static void a_time_limit_ends_a_run(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:100000x1", 0);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.time_limit_ms = 1;
    weigh(graph, "random");
    weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_RANDOM, &options);
    STATUS(weir_sssp_run(sssp, 0, NULL), WEIR_ERR_TIMEOUT);
    STATUS(weir_sssp_run(sssp, 0, NULL), WEIR_ERR_TIMEOUT);
    weir_sssp_destroy(sssp);
    sssp =
        placed(context, graph, WEIR_PARTITION_BLOCK, NULL); /* the context is as good as before */
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void *cancel(void *sssp)
{
    weir_sssp_cancel(sssp);
    return NULL;
}

static void a_cancel_ends_a_run(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:100000x1", 0);
    weigh(graph, "random");
    weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_RANDOM, NULL);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel, sssp), 0);
    weir_status status = WEIR_OK;
    while (!status) /* one that is over before the cancel comes leaves it to the next */
        status = weir_sssp_run(sssp, 0, NULL);
    pthread_join(thread, NULL);
    STATUS(status, WEIR_ERR_CANCELLED);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* In step, and through the worklist with each operator: a run leaves distances, a source that is refused leaves them as
 * they are, and after a run that was cancelled there are none, now and later. */
static void a_run_that_is_stopped_leaves_no_distances(void **state)
{
    static const struct {
        weir_direction direction;
        double weight;
        int wide;
    } forms[] = {{WEIR_DIRECTION_SWITCH, 3, 0},
                 {WEIR_DIRECTION_PUSH, 3, 0},
                 {WEIR_DIRECTION_PUSH, 4294967296.5, 1}};
    weir_context *context = open_or_skip(state);
    const int mixed = strchr(*state, ',') != NULL;
    for (int i = mixed ? 1 : 0; i < 3; i++) {
        weir_graph *graph = chain_of(700, forms[i].weight, forms[i].weight);
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weir_values values = WEIR_VALUES_INIT;
        double distance[700];
        options.direction = forms[i].direction;
        weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, &options);
        OK(weir_sssp_run(sssp, 0, &stats));
        assert_int_equal(stats.direction, forms[i].direction);
        assert_int_equal(weir__sssp_wide(sssp), forms[i].wide);
        STATUS(weir_sssp_run(sssp, 700, NULL), WEIR_ERR_INVALID);
        OK(weir_sssp_distances(sssp, distance));
        assert_true(distance[699] == 699 * forms[i].weight);
        weir_sssp_cancel(sssp);
        for (int again = 0; again < 2; again++) {
            STATUS(weir_sssp_run(sssp, 699, NULL), WEIR_ERR_CANCELLED);
            STATUS(weir_sssp_distances(sssp, distance), WEIR_ERR_INVALID);
            assert_detail("the last run was not complete: there are no distances");
            STATUS(weir_sssp_values(sssp, 0, &values), WEIR_ERR_INVALID);
        }
        weir_sssp_destroy(sssp);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

struct canceller {
    weir_sssp *sssp;
    long after_us;
};

static void *cancel_later(void *user)
{
    struct canceller *canceller = user;
    usleep((useconds_t)canceller->after_us);
    weir_sssp_cancel(canceller->sssp);
    return NULL;
}

/* Also between the two runs that distances of more than 32 bits take: the run after it ends at the
 * latest. */
static void cancels_at_any_time(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = too_far();
    uint64_t random = 3;
    for (int i = 0; i < 20; i++) {
        struct canceller canceller = {placed(context, graph, WEIR_PARTITION_BLOCK, NULL),
                                      (long)(next_random(&random) % 6000)};
        weir_status status = WEIR_OK;
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, cancel_later, &canceller), 0);
        while (!status)
            status = weir_sssp_run(canceller.sssp, 0, NULL);
        pthread_join(thread, NULL);
        STATUS(status, WEIR_ERR_CANCELLED);
        weir_sssp_destroy(canceller.sssp);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- faults ---- */

/* A whole life, cut short by what fails: created, run by both operators, read. */
static weir_status live(weir_context *context, const weir_graph *graph,
                        const weir_partition *partition)
{
    weir_sssp *sssp;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    double distances[2000];
    weir_status status = weir_sssp_create(context, graph, partition, NULL, &sssp);
    assert_int_equal(sssp == NULL, status != WEIR_OK);
    if (status)
        return status;
    if (!(status = weir_sssp_run(sssp, 0, &stats)) &&
        !(status = weir_sssp_distances(sssp, distances))) {
        assert_true(distances[3] == 6e9);
        assert_int_equal(stats.reached, 4);
    }
    weir_sssp_destroy(sssp);
    return status;
}

/* Fail the n-th of a kind for every n until a life gets by without it: the failure comes out, nothing
 * hangs, nothing is left behind. A broken device stays broken: then each try has a context of its own. */
static void every_fault(void **state, enum weir__fault kind, uint64_t step)
{
    weir_graph *graph = too_far();
    weir_context *context = open_or_skip(state);
    weir_partition *partition;
    int struck = 1;
    OK(weir_partition_create(graph, WEIR_PARTITION_RANDOM, weir_context_device_count(context), 1,
                             NULL, &partition));
    for (uint64_t n = 1; struck; n += step) {
        weir__fault_arm(kind, n);
        weir_status status = live(context, graph, partition);
        struck = weir__fault_struck(kind);
        weir__fault_arm(kind, 0);
        if (!struck)
            OK(status);
        if (struck && kind == WEIR__FAULT_DEVICE) {
            weir_context_destroy(context);
            context = open_or_skip(state);
        }
        assert_true(n < 100000);
    }
    weir_partition_destroy(partition);
    weir_context_destroy(context);
    weir_graph_destroy(graph);
}

static void every_allocation_may_fail(void **state)
{
    every_fault(state, WEIR__FAULT_ALLOC, STRIDE);
}

static void every_copy_may_fail(void **state)
{
    every_fault(state, WEIR__FAULT_COPY, STRIDE);
}

static void every_event_may_fail(void **state)
{
    every_fault(state, WEIR__FAULT_EVENT, STRIDE);
}

static void every_operation_may_break_its_device(void **state)
{
    every_fault(state, WEIR__FAULT_DEVICE, STRIDE);
}

#define ON_TWO(f) ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2")

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_source_is_refused),
        cmocka_unit_test(nothing_is_reached_before_a_run),
        cmocka_unit_test(what_does_not_fit_is_refused),
        ON_EACH_SPEC(a_time_limit_ends_a_run),
        ON_EACH_SPEC(a_cancel_ends_a_run),
        ON_EACH_SPEC(a_run_that_is_stopped_leaves_no_distances),
        ON_EACH_SPEC(cancels_at_any_time),
        ON_TWO(every_allocation_may_fail),
        ON_TWO(every_copy_may_fail),
        ON_TWO(every_event_may_fail),
        ON_TWO(every_operation_may_break_its_device),
    };
    return cmocka_run_group_tests_name("sssp ending", tests, make_folder, remove_folder);
}
