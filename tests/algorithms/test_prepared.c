/** @file test_prepared.c  What is said of the time before a first run: opening, partition, placing, copying. */
#include "tests/algorithms/sssp_fixture.h"

#include "runtime/support.h"

#include <pthread.h>

enum algorithm { BFS, SSSP, PR, CC, ALGORITHMS };

struct object {
    enum algorithm algorithm;
    void *it;
};

static void create(struct object *object, weir_context *context, const weir_graph *graph,
                   const weir_partition *partition, const weir_run_options *options)
{
    switch (object->algorithm) {
    case BFS:
        OK(weir_bfs_create(context, graph, partition, options, (weir_bfs **)&object->it));
        break;
    case SSSP:
        OK(weir_sssp_create(context, graph, partition, options, (weir_sssp **)&object->it));
        break;
    case PR:
        OK(weir_pr_create(context, graph, partition, options, NULL, (weir_pr **)&object->it));
        break;
    default:
        OK(weir_cc_create(context, graph, partition, options, WEIR_CC_RESIDENT,
                          (weir_cc **)&object->it));
    }
}

static weir_prepare_stats prepared(const struct object *object)
{
    weir_prepare_stats stats = WEIR_PREPARE_STATS_INIT;
    switch (object->algorithm) {
    case BFS:
        weir_bfs_prepared(object->it, &stats);
        break;
    case SSSP:
        weir_sssp_prepared(object->it, &stats);
        break;
    case PR:
        weir_pr_prepared(object->it, &stats);
        break;
    default:
        weir_cc_prepared(object->it, &stats);
    }
    return stats;
}

static void run(const struct object *object)
{
    switch (object->algorithm) {
    case BFS:
        OK(weir_bfs_run(object->it, 0, NULL));
        break;
    case SSSP:
        OK(weir_sssp_run(object->it, 0, NULL));
        break;
    case PR:
        OK(weir_pr_run(object->it, NULL));
        break;
    default:
        OK(weir_cc_run(object->it, NULL));
    }
}

static void destroy(struct object *object)
{
    switch (object->algorithm) {
    case BFS:
        weir_bfs_destroy(object->it);
        break;
    case SSSP:
        weir_sssp_destroy(object->it);
        break;
    case PR:
        weir_pr_destroy(object->it);
        break;
    default:
        weir_cc_destroy(object->it);
    }
}

/* What create took by a clock of the caller is at least what is said of it.
 * @return the part of it that is accounted for. */
static double assert_within(const weir_prepare_stats *stats, double chosen_ms, double wall_ms)
{
    const double sum = stats->placing_ms + stats->copying_ms + chosen_ms;
    assert_true(stats->placing_ms > 0);
    assert_true(stats->copying_ms > 0);
    assert_true(sum <= wall_ms);
    return sum / wall_ms;
}

/* A create that was interrupted between its clocks and ours is tried again. */
static void assert_accounted(weir_context *context, const weir_graph *graph,
                             const weir_partition *partition, const weir_run_options *options,
                             enum algorithm algorithm)
{
    double share = 0;
    for (int attempt = 0; attempt < 10 && share < 0.8; attempt++) {
        struct object object = {.algorithm = algorithm};
        const uint64_t begin_ns = weir__now_ns();
        create(&object, context, graph, partition, options);
        const double wall_ms = weir__elapsed_ms(begin_ns);
        const weir_prepare_stats stats = prepared(&object);
        assert_true(stats.opening_ms == graph->prepare_ms);
        if (partition)
            assert_true(stats.partition_ms == partition->prepare_ms);
        assert_true(stats.partition_ms > 0);
        share = assert_within(&stats, partition ? 0 : stats.partition_ms, wall_ms);
        run(&object);
        const weir_prepare_stats after = prepared(&object);
        assert_memory_equal(&after, &stats, sizeof stats);
        destroy(&object);
    }
    assert_true(share >= 0.8);
}

static void all_of_a_create_is_accounted_for(void **state)
{
    weir_context *context = open_or_skip(state); /* may leave this function */
    weir_graph *graph = open_graph("rmat:12", 1);
    weir_run_options push = WEIR_RUN_OPTIONS_INIT;
    weir_partition *partition;
    weigh(graph, "random");
    push.direction = WEIR_DIRECTION_PUSH;
    OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, weir_context_device_count(context), 1,
                             NULL, &partition));
    for (int algorithm = 0; algorithm < ALGORITHMS; algorithm++) {
        assert_accounted(context, graph, partition, NULL, (enum algorithm)algorithm);
        assert_accounted(context, graph, NULL, NULL, (enum algorithm)algorithm);
        if (algorithm != CC)
            assert_accounted(context, graph, partition, &push, (enum algorithm)algorithm);
    }
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

extern const weir_operator weir__bfs_operator;

/* A traversal adds what it took itself to what its placement took. */
static void assert_adds(weir_placement *placement, const weir_prepare_stats *before)
{
    weir_prepare_stats stats = WEIR_PREPARE_STATS_INIT;
    weir_traversal *traversal;
    const uint64_t begin_ns = weir__now_ns();
    OK(weir_traversal_create(placement, &weir__bfs_operator, NULL, NULL, &traversal));
    const double wall_ms = weir__elapsed_ms(begin_ns);
    weir_traversal_prepared(traversal, &stats);
    const double more =
        stats.placing_ms - before->placing_ms + stats.copying_ms - before->copying_ms;
    assert_true(more > 0 && more <= wall_ms);
    assert_true(stats.opening_ms == before->opening_ms);
    assert_true(stats.partition_ms == before->partition_ms);
    weir_traversal_destroy(traversal);
}

static void a_placement_says_what_it_took(void **state)
{
    weir_context *context = open_or_skip(state); /* may leave this function */
    weir_graph *graph = open_graph("rmat:12", 1);
    weir_prepare_stats stats = WEIR_PREPARE_STATS_INIT;
    weir_placement *placement;
    const uint64_t begin_ns = weir__now_ns();
    OK(weir_placement_create(context, graph, NULL, WEIR_PART_WEIGHTS_NONE, &placement));
    const double wall_ms = weir__elapsed_ms(begin_ns);
    weir_placement_prepared(placement, &stats);
    assert_true(stats.opening_ms == graph->prepare_ms);
    (void)assert_within(&stats, stats.partition_ms, wall_ms);
    assert_adds(placement, &stats);
    weir_placement_destroy(placement);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void weighing_is_part_of_opening(void **state)
{
    static const uint32_t ends[] = {0, 1, 2};
    weir_graph *graph = open_graph("rmat:12", 1), *own;
    (void)state;
    const double opened = graph->prepare_ms;
    assert_true(opened > 0);
    weigh(graph, "random");
    assert_true(graph->prepare_ms > opened);
    weir_graph_destroy(graph);
    OK(weir_graph_from_arcs(3, 3, ends, ends, NULL, NULL, &own));
    assert_true(own->prepare_ms > 0);
    weir_graph_destroy(own);
}

struct upload {
    weir_device *device;
    void *to;
    uint64_t spent_ns;
};

static void *upload(void *user)
{
    static const char bytes[1 << 20];
    struct upload *one = user;
    const uint64_t begin_ns = weir__upload_ns();
    if (!weir__upload(one->device, one->to, bytes, sizeof bytes))
        one->spent_ns = weir__upload_ns() - begin_ns;
    return NULL;
}

static void uploads_of_other_threads_do_not_count(void **state)
{
    weir_context *context = open_or_skip(state); /* may leave this function */
    struct upload one = {.device = weir_context_device(context, 0)};
    pthread_t thread;
    OK(weir_device_alloc(one.device, 1 << 20, &one.to));
    const uint64_t begin_ns = weir__upload_ns();
    assert_int_equal(pthread_create(&thread, NULL, upload, &one), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(one.spent_ns > 0);
    assert_true(weir__upload_ns() == begin_ns);
    one.spent_ns = 0;
    upload(&one);
    assert_true(one.spent_ns > 0);
    assert_true(weir__upload_ns() == begin_ns + one.spent_ns);
    weir_device_free(one.device, one.to);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(all_of_a_create_is_accounted_for, "host:1"),
        ON_BACKEND(all_of_a_create_is_accounted_for, "host:4"),
        ON_BACKEND(all_of_a_create_is_accounted_for, "host:2x3"),
        ON_BACKEND(all_of_a_create_is_accounted_for, "cuda:0"),
        ON_BACKEND(all_of_a_create_is_accounted_for, "cuda:0-1"),
        ON_EACH_BACKEND(a_placement_says_what_it_took),
        cmocka_unit_test(weighing_is_part_of_opening),
        ON_EACH_BACKEND(uploads_of_other_threads_do_not_count),
    };
    return cmocka_run_group_tests_name("times before a run", tests, NULL, NULL);
}
