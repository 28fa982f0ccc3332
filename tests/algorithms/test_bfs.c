/** @file test_bfs.c  BFS through the worklist on every set of devices against the serial reference; in step:
 * test_bfs_step.c. */
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

#include <pthread.h>

#define ON_EACH_SPEC(f)                                                                \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"),         \
        ON_BACKEND(f, "host:4"), ON_BACKEND(f, "host:8"), ON_BACKEND(f, "host:2x2"),   \
        ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0-3"), \
        ON_BACKEND(f, "cuda:0,host:1")

/* ---- graphs --------------------------------------------------------------------------------- */

static weir_graph *from_arcs(uint64_t vertices, const uint32_t (*arc)[2], uint64_t arcs)
{
    uint32_t sources[4096], targets[4096];
    weir_graph *graph;
    assert_true(arcs <= 4096);
    for (uint64_t i = 0; i < arcs; i++) {
        sources[i] = arc[i][0];
        targets[i] = arc[i][1];
    }
    OK(weir_graph_from_arcs(vertices, arcs, sources, targets, NULL, NULL, &graph));
    return graph;
}

enum shape { ONE, NO_ARCS, CHAIN, STAR_OUT, STAR_IN, COMPLETE, DISCONNECTED, DIRTY, CYCLE, SHAPES };

static weir_graph *shaped(enum shape shape)
{
    uint32_t arc[4096][2];
    uint64_t arcs = 0, n = 20;
#define ARC(from, to)       (arc[arcs][0] = (uint32_t)(from), arc[arcs++][1] = (uint32_t)(to))
#define FOR(i, first, last) for (uint32_t i = first; i < last; i++)
    switch (shape) {
    case ONE:
        return from_arcs(1, NULL, 0);
    case NO_ARCS:
        return from_arcs(n, NULL, 0);
    case CHAIN:
        FOR(i, 0, 19) ARC(i, i + 1);
        break;
    case STAR_OUT:
        FOR(i, 0, 19) ARC(7, i < 7 ? i : i + 1);
        break;
    case STAR_IN:
        FOR(i, 0, 19) ARC(i < 7 ? i : i + 1, 7);
        break;
    case COMPLETE:
        FOR(i, 0, 20) FOR(j, 0, 20) if (i != j) ARC(i, j);
        break;
    case DISCONNECTED: /* 0..9 and 10..17 in circles of both directions, 18 and 19 alone */
        FOR(i, 0, 10) ARC(i, (i + 1) % 10), ARC((i + 1) % 10, i);
        FOR(i, 0, 8) ARC(10 + i, 10 + (i + 1) % 8), ARC(10 + (i + 1) % 8, 10 + i);
        break;
    case DIRTY: /* loops and repeats, which loading drops */
        FOR(i, 0, 20) FOR(j, 0, 3) ARC(i, i), ARC(i, (i * 3 + 1) % n), ARC(i, (i * 7 + j) % n);
        break;
    default:
        n = 50;
        FOR(i, 0, 50) ARC(i, (i + 1) % 50);
        break;
    }
    return from_arcs(n, (const uint32_t(*)[2])arc, arcs);
}

/* ---- one run -------------------------------------------------------------------------------- */

static weir_partition *cut(const weir_graph *graph, weir_partition_kind kind,
                           const weir_context *context)
{
    weir_partition *partition;
    OK(weir_partition_create(graph, kind, weir_context_device_count(context), 1, NULL, &partition));
    return partition;
}

static weir_bfs *placed(weir_context *context, const weir_graph *graph, weir_partition_kind kind,
                        const weir_run_options *options)
{
    weir_partition *partition = cut(graph, kind, context);
    weir_run_options push = WEIR_RUN_OPTIONS_INIT;
    weir_bfs *bfs;
    push = options ? *options : push;
    push.direction = WEIR_DIRECTION_PUSH;
    if (push.balance == WEIR_BALANCE_AUTO) /* items are to go from device to device */
        push.balance = WEIR_BALANCE_OFF;
    OK(weir_bfs_create(context, graph, partition, &push, &bfs));
    weir_partition_destroy(partition); /* it is not needed any more */
    return bfs;
}

static void assert_stats(const weir_graph *graph, const int32_t *levels,
                         const weir_run_stats *stats)
{
    uint64_t reached = 0, arcs = 0;
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (levels[v] >= 0) {
            reached++;
            arcs += graph->offsets[v + 1] - graph->offsets[v];
        }
    assert_int_equal(stats->reached, reached);
    assert_int_equal(stats->arcs_reached, arcs);
    assert_true(stats->work.processed >= reached);
    assert_true(stats->work.rounds > 0);
    assert_true(stats->ms > 0 && stats->ms >= stats->kernel_ms);
    assert_true(stats->work.route > WEIR_ROUTE_AUTO && stats->work.route <= WEIR_ROUTE_STAGED);
    assert_true(stats->work.order == WEIR_ORDER_FIFO || stats->work.order == WEIR_ORDER_SOFT);
}

static void assert_bfs(weir_bfs *bfs, const weir_graph *graph, uint64_t source)
{
    size_t bytes = graph->vertices * sizeof(int32_t);
    int32_t *have = malloc(bytes), *want = malloc(bytes);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    assert_non_null(have);
    assert_non_null(want);
    assert_int_equal(weir_bfs_reference(graph, source, want), WEIR_OK);
    if (weir_bfs_run(bfs, source, &stats))
        fail_msg("%s from %llu: %s", graph->name, (unsigned long long)source, weir_error_detail());
    assert_int_equal(weir_bfs_levels(bfs, have), WEIR_OK);
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (have[v] != want[v])
            fail_msg("%s from %llu: vertex %llu has level %d, not %d", graph->name,
                     (unsigned long long)source, (unsigned long long)v, have[v], want[v]);
    assert_stats(graph, want, &stats);
    free(have);
    free(want);
}

/* More devices than the usual machine has cores: a run there takes long for the turns they take. */
static int crowded(const weir_context *context)
{
    return weir_context_device_count(context) > 4;
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* All sources, some with each partition. Most of these graphs have parts without vertices. */
static void small_graphs_from_every_source(void **state)
{
    weir_context *context = open_or_skip(state);
    for (int shape = 0; shape < SHAPES; shape++) {
        weir_graph *graph = shaped((enum shape)shape);
        for (int kind = WEIR_PARTITION_BLOCK; kind <= WEIR_PARTITION_RANDOM; kind++) {
            weir_bfs *bfs = placed(context, graph, (weir_partition_kind)kind, NULL);
            for (uint64_t source = (uint64_t)kind % graph->vertices; source < graph->vertices;
                 source += 3)
                assert_bfs(bfs, graph, source);
            weir_bfs_destroy(bfs);
        }
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* Each with each: a third of them on each graph, on many devices a fifth. */
static void every_partition_route_and_order(void **state)
{
    static const char *const texts[] = {"rmat:8", "grid:20x13", "grid:40x9,.6"};
    static const struct {
        weir_order_kind order;
        uint32_t delta;
    } orders[] = {{WEIR_ORDER_FIFO, 0}, {WEIR_ORDER_SOFT, 0}, {WEIR_ORDER_SOFT, 3}};
    weir_context *context = open_or_skip(state);
    const int stride = crowded(context) ? 5 : 3; /* still every value of each on each graph */
    for (int g = 0; g < 3; g++) {
        weir_graph *graph = open_graph(texts[g], 0);
        for (int i = g; i < 4 * 4 * 3; i += stride) {
            weir_run_options options = WEIR_RUN_OPTIONS_INIT;
            options.route = (weir_route_kind)(WEIR_ROUTE_DIRECT + i / 4 % 4);
            options.order = orders[i / 16].order;
            options.delta = orders[i / 16].delta;
            weir_bfs *bfs = placed(context, graph, (weir_partition_kind)(i % 4), &options);
            assert_bfs(bfs, graph, 0);
            assert_bfs(bfs, graph, graph->vertices - 1);
            weir_bfs_destroy(bfs);
        }
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void one_object_for_many_sources(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:9,8", 0);
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_EDGE, NULL);
    for (uint64_t source = 0; source < graph->vertices; source += 13)
        assert_bfs(bfs, graph, source);
    weir_bfs_destroy(bfs);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void with_the_smallest_queues(void **state)
{
    static const char *const settings[] = {"queue_items=16", "packet_bytes=64", "link_buffers=1",
                                           NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_graph *graph = open_graph("rmat:9,8", 0);
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_RANDOM, NULL);
    for (uint64_t source = 0; source < graph->vertices; source += 100)
        assert_bfs(bfs, graph, source);
    weir_bfs_destroy(bfs);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void a_bad_source_is_refused(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_graph *graph = shaped(CYCLE), *empty = from_arcs(0, NULL, 0);
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_BLOCK, NULL);
    assert_int_equal(weir_bfs_run(bfs, 50, NULL), WEIR_ERR_INVALID);
    assert_non_null(strstr(weir_error_detail(), "50"));
    assert_int_equal(weir_bfs_run(bfs, UINT64_MAX, NULL), WEIR_ERR_INVALID);
    assert_bfs(bfs, graph, 49); /* and does no harm */
    assert_int_equal(weir_bfs_run(bfs, 3, NULL), WEIR_OK);
    weir_bfs_destroy(bfs);
    bfs = placed(context, empty, WEIR_PARTITION_BLOCK, NULL);
    assert_int_equal(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_INVALID);
    weir_bfs_destroy(bfs);
    weir_graph_destroy(empty);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void levels_before_a_run_are_unreached(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_graph *graph = shaped(CHAIN);
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_BLOCK, NULL);
    int32_t levels[20];
    assert_int_equal(weir_bfs_levels(bfs, levels), WEIR_OK);
    for (int v = 0; v < 20; v++)
        assert_int_equal(levels[v], -1);
    weir_bfs_destroy(bfs);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void a_partition_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    weir_context *two = open_with_or_skip("host:2", NULL),
                 *three = open_with_or_skip("host:3", NULL);
    weir_graph *graph = shaped(CHAIN), *other = shaped(CYCLE);
    weir_partition *partition = cut(graph, WEIR_PARTITION_BLOCK, two);
    weir_partition *of_three = cut(graph, WEIR_PARTITION_BLOCK, three);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_bfs *bfs;
    assert_int_equal(weir_bfs_create(two, graph, of_three, NULL, &bfs), WEIR_ERR_INVALID);
    assert_null(bfs);
    weir_partition_destroy(of_three);
    assert_int_equal(weir_bfs_create(two, other, partition, NULL, &bfs), WEIR_ERR_INVALID);
    assert_null(bfs);
    options.size = 3;
    assert_int_equal(weir_bfs_create(two, graph, partition, &options, &bfs), WEIR_ERR_INVALID);
    assert_null(bfs);
    weir_bfs_destroy(NULL);
    weir_partition_destroy(partition);
    weir_graph_destroy(other);
    weir_graph_destroy(graph);
    weir_context_destroy(three);
    weir_context_destroy(two);
}

/* A directed chain around all devices takes far longer than a millisecond: each step is a hop. */
static void a_time_limit_ends_a_run(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:100000x1", 0);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.time_limit_ms = 1;
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_RANDOM, &options);
    assert_int_equal(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_TIMEOUT);
    assert_non_null(strstr(weir_error_detail(), "worker 0: produced"));
    assert_int_equal(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_TIMEOUT);
    weir_bfs_destroy(bfs);
    bfs = placed(context, graph, WEIR_PARTITION_BLOCK, NULL); /* the context is as good as before */
    weir_bfs_destroy(bfs);
    weir_graph_destroy(graph);
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
    weir_graph *graph = open_graph("grid:100000x1", 0);
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_RANDOM, NULL);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel, bfs), 0);
    weir_status status = WEIR_OK;
    while (!status) /* one that is over before the cancel comes leaves it to the next */
        status = weir_bfs_run(bfs, 0, NULL);
    pthread_join(thread, NULL);
    assert_int_equal(status, WEIR_ERR_CANCELLED);
    weir_bfs_destroy(bfs);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void the_reference_refuses_too(void **state)
{
    (void)state;
    weir_graph *graph = shaped(CHAIN);
    int32_t levels[20];
    assert_int_equal(weir_bfs_reference(graph, 20, levels), WEIR_ERR_INVALID);
    assert_int_equal(weir_bfs_reference(graph, 5, levels), WEIR_OK);
    for (int v = 0; v < 20; v++)
        assert_int_equal(levels[v], v < 5 ? -1 : v - 5);
    weir_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(small_graphs_from_every_source),
        ON_EACH_SPEC(every_partition_route_and_order),
        ON_EACH_SPEC(one_object_for_many_sources),
        ON_EACH_SPEC(with_the_smallest_queues),
        ON_EACH_SPEC(a_time_limit_ends_a_run),
        ON_EACH_SPEC(a_cancel_ends_a_run),
        cmocka_unit_test(a_bad_source_is_refused),
        cmocka_unit_test(levels_before_a_run_are_unreached),
        cmocka_unit_test(a_partition_that_does_not_fit_is_refused),
        cmocka_unit_test(the_reference_refuses_too),
    };
    return cmocka_run_group_tests_name("bfs", tests, make_folder, remove_folder);
}
