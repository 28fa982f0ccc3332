/** @file test_narrow.c  Narrow rounds: of traversals of one device that have few items at a time.
 *
 * One graph has a path long enough for thousands of such rounds, twigs of more arcs than a group has lanes on
 * it, and a hub whose tile is cut and whose neighbours make a round that is not narrow, in the middle. The other has
 * rows of many lengths about that of a group. The functions of such rounds, one by one: test_narrow_queue.c and others. */
#include "algorithms/sssp/sssp_op.h"
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

#define WEIR_OPERATOR sssp_u32
#include "worklist/engine/engine_tmpl.h"

/* Threads of host devices would do all items of a path in one round otherwise. */
static const char *const without_fusing[] = {"fuse_items=0", NULL};

enum { PATH = 3000, EVERY = 50, TWIGS = 11, LEAVES = 5000, ARCS_MOST = 40000 };
enum { STRIP = 5000, REACH = 40, LATE = 10000 };

static uint32_t sources[ARCS_MOST], targets[ARCS_MOST];
static double weights[ARCS_MOST];
static uint64_t arcs;

static void both_ways(uint32_t from, uint32_t to)
{
    assert_true(arcs + 2 <= ARCS_MOST);
    sources[arcs] = from, targets[arcs] = to;
    weights[arcs] = 1 + (from * 7 + to) % 13, arcs++;
    sources[arcs] = to, targets[arcs] = from;
    weights[arcs] = 1 + (from + to * 5) % 11, arcs++;
}

static void one_way(uint32_t from, uint32_t to, double weight)
{
    assert_true(arcs < ARCS_MOST);
    sources[arcs] = from, targets[arcs] = to;
    weights[arcs++] = weight;
}

static weir_graph *of_arcs(uint64_t vertices)
{
    weir_graph *graph;
    if (weir_graph_from_arcs(vertices, arcs, sources, targets, weights, NULL, &graph))
        fail_msg("%s", weir_error_detail());
    return graph;
}

static weir_graph *path_with_hub(void)
{
    uint32_t next = PATH;
    arcs = 0;
    for (uint32_t v = 1; v < PATH; v++)
        both_ways(v - 1, v);
    for (uint32_t v = EVERY; v < PATH; v += EVERY)
        for (uint32_t twig = 0; twig < TWIGS; twig++)
            both_ways(v, next++);
    for (uint32_t leaf = 0; leaf < LEAVES; leaf++, next++) {
        both_ways(PATH / 2, next);
        if (leaf % 3 == 0) /* a second way: news of one round that others bring too */
            both_ways(next, PATH + leaf % TWIGS);
    }
    return of_arcs(next);
}

/* A ring of rows that reach a little way ahead: of 5 to 9 arcs each second one, else of few, of none, or of more than
 * two for each lane of a group. A round has some tens of items, all of other lengths. */
static weir_graph *strip_of_uneven_rows(void)
{
    static const uint32_t lengths[] = {5, 1, 9, 3,  6, 0, 8, 2, 7, 4,
                                       5, 1, 6, 17, 7, 2, 9, 3, 8, 40};
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    arcs = 0;
    for (uint32_t v = 0; v < STRIP; v++)
        for (uint32_t i = 0; i < lengths[v % LENGTHS]; i++) {
            const uint32_t ahead = 1 + (v * 11 + i * 23) % REACH; /* no two the same */
            one_way(v, (v + ahead) % STRIP, 1 + (v * 7 + i * 3) % 13);
        }
    return of_arcs(STRIP);
}

/* A path that is near as a whole if steps are LATE / 2 wide, and from each vertex on it a leaf that is not. */
static weir_graph *path_with_late_leaves(void)
{
    arcs = 0;
    for (uint32_t v = 0; v < PATH; v++) {
        one_way(v, PATH + v, LATE);
        if (v + 1 < PATH)
            one_way(v, v + 1, 1);
    }
    return of_arcs(2 * PATH);
}

/* From vertex 7 a set for each warp of a block, and behind each of these some that are deferred, all at the same time. */
static weir_graph *star_of_late_stars(void)
{
    enum { NEAR = 100, LATE_EACH = 24 };
    uint32_t next = 8 + NEAR;
    arcs = 0;
    for (uint32_t i = 0; i < NEAR; i++) {
        one_way(7, 8 + i, 1);
        for (uint32_t late = 0; late < LATE_EACH; late++)
            one_way(8 + i, next++, 100 + (i * 7 + late * 13) % 90);
    }
    return of_arcs(next);
}

static weir_partition *whole(const weir_graph *graph)
{
    weir_partition *partition;
    OK(weir_partition_create(graph, WEIR_PARTITION_BLOCK, 1, 0, NULL, &partition));
    return partition;
}

/* A run of many rounds went along a path; what is not one has rounds of more items than few lanes take. */
static void assert_some_narrow(const weir_worklist_stats *work)
{
    const uint64_t least = work->rounds < PATH / 2 ? 0 : PATH / 4;
    if (work->narrow_rounds < least || work->narrow_rounds > work->rounds)
        fail_msg("%llu of %llu rounds were narrow", (unsigned long long)work->narrow_rounds,
                 (unsigned long long)work->rounds);
}

static void check_bfs(weir_context *context, const weir_graph *graph, weir_order_kind order)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.balance = WEIR_BALANCE_OFF; /* items go from device to device */
    weir_partition *partition = whole(graph);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_bfs *bfs;
    int32_t *want = malloc(graph->vertices * sizeof *want);
    int32_t *have = malloc(graph->vertices * sizeof *have);
    assert_true(want && have);
    options.order = order;
    options.direction = WEIR_DIRECTION_PUSH;
    OK(weir_bfs_create(context, graph, partition, &options, &bfs));
    for (uint32_t run = 0; run < 3; run++) {
        uint64_t source = run * 1499;
        OK(weir_bfs_run(bfs, source, &stats));
        OK(weir_bfs_levels(bfs, have));
        OK(weir_bfs_reference(graph, source, want));
        assert_memory_equal(have, want, graph->vertices * sizeof *want);
        /* Level after level every vertex is news once, whoever counts it. */
        assert_int_equal(stats.work.processed, stats.reached);
        assert_int_equal(stats.work.atoms, stats.arcs_reached);
        assert_int_equal(stats.work.stale, 0);
        assert_some_narrow(&stats.work);
    }
    weir_bfs_destroy(bfs);
    weir_partition_destroy(partition);
    free(want);
    free(have);
}

static void check_sssp(weir_context *context, const weir_graph *graph, weir_order_kind order,
                       uint32_t delta)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.balance = WEIR_BALANCE_OFF; /* items go from device to device */
    weir_partition *partition = whole(graph);
    weir_sssp *sssp;
    double *want = malloc(graph->vertices * sizeof *want);
    double *have = malloc(graph->vertices * sizeof *have);
    assert_true(want && have);
    options.order = order;
    options.delta = delta;
    options.direction = WEIR_DIRECTION_PUSH;
    OK(weir_sssp_create(context, graph, partition, &options, &sssp));
    OK(weir_sssp_run(sssp, 7, NULL));
    OK(weir_sssp_distances(sssp, have));
    OK(weir_sssp_reference(graph, 7, want));
    assert_memory_equal(have, want, graph->vertices * sizeof *want);
    weir_sssp_destroy(sssp);
    weir_partition_destroy(partition);
    free(want);
    free(have);
}

/* In orders without priorities items go stale; in the other they are deferred, with a small step most of them. */
static void check_all(weir_context *context, weir_graph *graph)
{
    check_bfs(context, graph, WEIR_ORDER_FIFO);
    check_bfs(context, graph, WEIR_ORDER_BULK);
    check_sssp(context, graph, WEIR_ORDER_FIFO, 0);
    check_sssp(context, graph, WEIR_ORDER_BULK, 0);
    check_sssp(context, graph, WEIR_ORDER_SOFT, 0);
    check_sssp(context, graph, WEIR_ORDER_SOFT, 3);
    weir_graph_destroy(graph);
}

/* Every order, with queues that hold a round and with some that spill. */
static void on_devices(void **state)
{
    static const char *const rooms[] = {NULL, "queue_items=300"};
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
        weir_context *context =
            open_with_or_skip(*state, (const char *[]){"fuse_items=0", rooms[r], NULL});
        check_all(context, path_with_hub());
        check_all(context, strip_of_uneven_rows());
        weir_context_destroy(context);
    }
}

/* Two blocks never have more in a narrow round than they can keep; of eight one has now and then, and all share. */
static void blocks_share_what_they_cannot_keep(void **state)
{
    weir_context *context = open_with_or_skip(*state, without_fusing);
    weir_graph *graph = strip_of_uneven_rows();
    check_sssp(context, graph, WEIR_ORDER_FIFO, 0);
    check_sssp(context, graph, WEIR_ORDER_SOFT, 0);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* The path is one row of narrow rounds, in which more items are deferred than a block has room for. */
static void warps_defer_side_by_side(void **state)
{
    weir_context *context = open_with_or_skip(*state, without_fusing);
    weir_graph *graph = star_of_late_stars();
    for (uint32_t run = 0; run < 20; run++)
        check_sssp(context, graph, WEIR_ORDER_SOFT, 10);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void more_is_deferred_than_a_block_keeps(void **state)
{
    static const char *const rooms[] = {NULL, "queue_items=300"};
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
        weir_context *context =
            open_with_or_skip(*state, (const char *[]){"fuse_items=0", rooms[r], NULL});
        weir_graph *graph = path_with_late_leaves();
        check_sssp(context, graph, WEIR_ORDER_SOFT, LATE / 2);
        weir_graph_destroy(graph);
        weir_context_destroy(context);
    }
}

/* ---- which rounds are narrow ---- */

/* What a run from one end of a path did, with these choices; the results are right whichever they are. */
static weir_worklist_stats down_a_path(weir_context *context, weir_run_options *options,
                                       int weighted)
{
    weir_graph *graph;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    OK(weir_graph_open("grid:2000x1", NULL, &graph));
    options->direction = WEIR_DIRECTION_PUSH;
    if (weighted) {
        weir_weights kind;
        weir_sssp *sssp;
        OK(weir_weights_parse("random:1-9", &kind));
        OK(weir_graph_weigh(graph, &kind));
        OK(weir_sssp_create(context, graph, NULL, options, &sssp));
        OK(weir_sssp_run(sssp, 0, &stats));
        weir_sssp_destroy(sssp);
    } else {
        weir_bfs *bfs;
        OK(weir_bfs_create(context, graph, NULL, options, &bfs));
        OK(weir_bfs_run(bfs, 0, &stats));
        weir_bfs_destroy(bfs);
    }
    assert_int_equal(stats.reached, graph->vertices);
    weir_graph_destroy(graph);
    return stats.work;
}

/* Two thousand rounds of an item: all but those in which seeds arrive or deferred items are
 * sorted. Nobody can switch the kernel for narrow rounds off without this test. */
static void rounds_of_few_items_are_narrow(void **state)
{
    weir_context *context = open_with_or_skip(*state, without_fusing);
    for (int weighted = 0; weighted < 2; weighted++)
        for (int order = WEIR_ORDER_AUTO; order <= WEIR_ORDER_BULK; order++) {
            weir_run_options options = WEIR_RUN_OPTIONS_INIT;
            options.balance = WEIR_BALANCE_OFF; /* items go from device to device */
            options.order = (weir_order_kind)order;
            const weir_worklist_stats work = down_a_path(context, &options, weighted);
            if (work.narrow_rounds < 1000 || 2 * work.narrow_rounds < work.rounds)
                fail_msg("%s, order %s: %llu of %llu rounds were narrow", weighted ? "sssp" : "bfs",
                         weir_order_kind_text(options.order),
                         (unsigned long long)work.narrow_rounds, (unsigned long long)work.rounds);
        }
    weir_context_destroy(context);
}

/* A thread of a host device goes down the path by itself, in as few rounds as its budget says, under soft order alone. What comes
 * of it is right; both runs are asked how much was reached. */
static void threads_of_host_devices_fuse(void **state)
{
    weir_context *fusing = open_or_skip(state), *not = open_with_or_skip(*state, without_fusing);
    for (int weighted = 0; weighted < 2; weighted++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        options.balance = WEIR_BALANCE_OFF; /* items go from device to device */
        options.order = WEIR_ORDER_SOFT;
        options.delta = 10000; /* all of the path is near */
        const weir_worklist_stats with = down_a_path(fusing, &options, weighted);
        const weir_worklist_stats without = down_a_path(not, &options, weighted);
        assert_true(with.fused > 1900 && with.fused <= with.processed);
        assert_int_equal(with.produced, with.consumed);
        assert_int_equal(without.fused, 0);
        if (with.rounds > 50 || without.rounds < 1500)
            fail_msg("%llu rounds, %llu without fusing", (unsigned long long)with.rounds,
                     (unsigned long long)without.rounds);
        options.order = WEIR_ORDER_FIFO;
        options.delta = 0;
        assert_int_equal(down_a_path(fusing, &options, weighted).fused, 0);
    }
    weir_context_destroy(not );
    weir_context_destroy(fusing);
}

/* What one thread makes in a round goes into the bags that all threads share by few additions, near items and deferred ones. */
static void what_a_thread_makes_is_put_together(void **state)
{
    weir_context *context = open_with_or_skip(*state, without_fusing);
    weir_graph *graph;
    weir_weights kind;
    OK(weir_graph_open("grid:300x300", NULL, &graph));
    OK(weir_weights_parse("random:1-99", &kind));
    OK(weir_graph_weigh(graph, &kind));
    for (int order = WEIR_ORDER_FIFO; order <= WEIR_ORDER_SOFT; order++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        options.balance = WEIR_BALANCE_OFF; /* items go from device to device */
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weir_sssp *sssp;
        options.order = (weir_order_kind)order;
        options.direction = WEIR_DIRECTION_PUSH;
        options.delta = order == WEIR_ORDER_SOFT ? 300 : 0;
        OK(weir_sssp_create(context, graph, NULL, &options, &sssp));
        OK(weir_sssp_run(sssp, 0, &stats));
        weir_sssp_destroy(sssp);
        assert_true(stats.work.flushes > 0);
        if (stats.work.flushes * 5 > stats.work.produced)
            fail_msg("%llu items were put by %llu additions",
                     (unsigned long long)stats.work.produced,
                     (unsigned long long)stats.work.flushes);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Whatever is not picked by default, but for the order. */
static void choices_leave_narrow_rounds_out(void **state)
{
    enum { CHOICES = 8 };
    weir_context *context = open_with_or_skip(*state, without_fusing);
    for (int weighted = 0; weighted < 2; weighted++)
        for (int choice = 0; choice < CHOICES; choice++) {
            static const weir_mapping_kind mappings[] = {WEIR_MAPPING_THREAD, WEIR_MAPPING_WARP,
                                                         WEIR_MAPPING_BLOCK, WEIR_MAPPING_GROUP};
            weir_run_options options = WEIR_RUN_OPTIONS_INIT;
            options.balance = WEIR_BALANCE_OFF; /* items go from device to device */
            if (choice < 4)
                options.mapping = mappings[choice];
            options.kernel = choice == 4 ? WEIR_KERNEL_DISCRETE : WEIR_KERNEL_AUTO;
            options.fetch = choice == 5 ? 3 : 0;
            if (choice > 5)
                options.worker = choice == 6 ? WEIR_WORKER_THREAD : WEIR_WORKER_BLOCK;
            const weir_worklist_stats work = down_a_path(context, &options, weighted);
            assert_true(work.rounds > 1500);
            if (work.narrow_rounds)
                fail_msg("%s, choice %d: %llu rounds were narrow", weighted ? "sssp" : "bfs",
                         choice, (unsigned long long)work.narrow_rounds);
        }
    weir_context_destroy(context);
}

/* An edge between two vertices, both ways. */
static uint32_t join(uint32_t *from, uint32_t *to, uint32_t n, uint32_t a, uint32_t b)
{
    from[n] = to[n + 1] = a;
    to[n] = from[n + 1] = b;
    return n + 2;
}

/* Paths of the same length, one behind the other in the numbers of vertices. At every so many steps each of the first half is joined
 * to the one that lies half of all paths further on; the first two are joined where they begin. */
static weir_graph *rails(uint32_t count, uint32_t length, uint32_t every)
{
    const uint32_t half = count / 2, most = 2 * (count * length + half * (length / every + 1) + 1);
    uint32_t *from = malloc(most * sizeof *from), *to = malloc(most * sizeof *to), n = 0;
    weir_graph *graph;
    assert_true(from && to);
    for (uint32_t v = 0; v + 1 < count * length; v++)
        if ((v + 1) % length)
            n = join(from, to, n, v, v + 1);
    for (uint32_t v = 0; v < half * length; v++)
        if (v % length % every == 0)
            n = join(from, to, n, v, v + half * length);
    if (half > 1)
        n = join(from, to, n, 0, length);
    assert_true(n <= most);
    OK(weir_graph_from_arcs(count * (uint64_t)length, n, from, to, NULL, NULL, &graph));
    free(from);
    free(to);
    return graph;
}

static weir_graph *opened(const char *name)
{
    weir_graph *graph;
    OK(weir_graph_open(name, NULL, &graph));
    return graph;
}

/* A breadth-first search or shortest paths by all devices, compared with the reference. @param[in] graph  is destroyed. */
static weir_worklist_stats over_all(weir_context *context, weir_graph *graph,
                                    weir_partition_kind kind, weir_route_kind route,
                                    weir_order_kind order, int weighted)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.balance = WEIR_BALANCE_OFF; /* items go from device to device */
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_partition *partition;
    weir_weights how;
    options.direction = WEIR_DIRECTION_PUSH;
    options.order = order;
    options.route = route;
    OK(weir_weights_parse("random:1-9", &how));
    OK(weir_graph_weigh(graph, &how));
    OK(weir_partition_create(graph, kind, weir_context_device_count(context), 1, NULL, &partition));
    if (weighted) {
        double *expected = malloc(graph->vertices * sizeof *expected);
        double *got = malloc(graph->vertices * sizeof *got);
        weir_sssp *sssp;
        assert_true(expected && got);
        OK(weir_sssp_create(context, graph, partition, &options, &sssp));
        OK(weir_sssp_run(sssp, 0, &stats));
        OK(weir_sssp_distances(sssp, got));
        OK(weir_sssp_reference(graph, 0, expected));
        assert_memory_equal(got, expected, graph->vertices * sizeof *got);
        weir_sssp_destroy(sssp);
        free(expected);
        free(got);
    } else {
        int32_t *expected = malloc(graph->vertices * sizeof *expected);
        int32_t *got = malloc(graph->vertices * sizeof *got);
        weir_bfs *bfs;
        assert_true(expected && got);
        OK(weir_bfs_create(context, graph, partition, &options, &bfs));
        OK(weir_bfs_run(bfs, 0, &stats));
        OK(weir_bfs_levels(bfs, got));
        OK(weir_bfs_reference(graph, 0, expected));
        assert_memory_equal(got, expected, graph->vertices * sizeof *got);
        weir_bfs_destroy(bfs);
        free(expected);
        free(got);
    }
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    return stats.work;
}

static weir_worklist_stats over_two(weir_context *context, weir_graph *graph,
                                    weir_partition_kind kind, weir_order_kind order, int weighted)
{
    assert_int_equal(weir_context_device_count(context), 2);
    return over_all(context, graph, kind, WEIR_ROUTE_AUTO, order, weighted);
}

static void assert_woven(const weir_worklist_stats *work, const char *what, uint64_t least)
{
    if (work->narrow_rounds < 500 || work->woven < least || work->woven > work->sent)
        fail_msg("%s, order %s: %llu narrow rounds, %llu items woven of %llu sent", what,
                 weir_order_kind_text(work->order), (unsigned long long)work->narrow_rounds,
                 (unsigned long long)work->woven, (unsigned long long)work->sent);
}

static void several_devices_have_narrow_rounds(void **state)
{
    weir_context *context = open_or_skip(state);
    for (int weighted = 0; weighted < 2; weighted++)
        for (int order = WEIR_ORDER_FIFO; order <= WEIR_ORDER_SOFT; order++) {
            const weir_worklist_stats work =
                over_two(context, opened("grid:2000x1"), WEIR_PARTITION_BLOCK,
                         (weir_order_kind)order, weighted);
            assert_woven(&work, weighted ? "sssp" : "bfs", 1);
        }
    weir_context_destroy(context);
}

/* More items than the woven rings of a host device have slots, so that credits have to come back. */
static void woven_rings_are_used_again(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_worklist_stats work =
        over_two(context, rails(2, 200000, 80), WEIR_PARTITION_BLOCK, WEIR_ORDER_FIFO, 0);
    assert_woven(&work, "two rails", 2 * WEIR_WOVEN_SLOTS + 1);
    weir_context_destroy(context);
}

/* On a ring or tree a device passes items on that it does not own, in narrow rounds too: rails 0 and 2, and 1 and 3, of four
 * devices are no neighbours on every ring. */
static void items_pass_through_others_in_narrow_rounds(void **state)
{
    weir_context *context = open_or_skip(state);
    for (int route = WEIR_ROUTE_DIRECT; route <= WEIR_ROUTE_TREE; route++)
        for (int weighted = 0; weighted < 2; weighted++) {
            const weir_worklist_stats work =
                over_all(context, rails(4, 4000, 100), WEIR_PARTITION_BLOCK, (weir_route_kind)route,
                         weighted ? WEIR_ORDER_SOFT : WEIR_ORDER_FIFO, weighted);
            assert_woven(&work, weir_route_kind_text((weir_route_kind)route), 1);
        }
    weir_context_destroy(context);
}

/* Where much is passed, and where all devices go generation by generation, there are none. */
static void not_where_much_is_passed_nor_in_bulk(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_worklist_stats work =
        over_two(context, opened("grid:2000x1"), WEIR_PARTITION_RANDOM, WEIR_ORDER_FIFO, 0);
    assert_int_equal(work.narrow_rounds + work.woven, 0);
    assert_true(work.sent > 500);
    work = over_two(context, opened("grid:2000x1"), WEIR_PARTITION_BLOCK, WEIR_ORDER_BULK, 0);
    assert_int_equal(work.narrow_rounds + work.woven + work.paced, 0);
    weir_context_destroy(context);
}

/* Two devices with the same work are not equally fast at every moment, unless one is through before the other has begun. */
static void the_one_ahead_waits(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_worklist_stats work = WEIR_WORKLIST_STATS_INIT;
    uint64_t paced = 0;
    for (int tries = 0; tries < 20 && !paced; tries++) {
        work = over_two(context, rails(2, 50000, 200), WEIR_PARTITION_BLOCK, WEIR_ORDER_FIFO, 0);
        paced = work.paced;
    }
    assert_true(paced > 0);
    work = over_two(context, rails(2, 50000, 200), WEIR_PARTITION_BLOCK, WEIR_ORDER_SOFT, 0);
    assert_int_equal(work.paced, 0);
    weir_context_destroy(context);
}

/* Items that come of a set with a long tile have no bounds beside them, also if that tile is stale and nothing is cut. The
 * next round would find the bounds of other tiles there, so block 0 has to decide on it. (On GPUs; on the host a set has
 * one tile.) */
static void no_bounds_are_taken_for_those_of_others(void **state)
{
    enum { LONG = 2000 };
    static uint64_t offsets[] = {0, LONG, LONG + 1, LONG + 1};
    static uint32_t to[LONG + 1], weight[LONG + 1], distance[] = {3, 7, UINT32_MAX};
    static struct weir_control control;
    static struct sssp_u32_block block;
    static sssp_u32_item near[4];
    (void)state;
    for (uint32_t i = 0; i <= LONG; i++)
        to[i] = 2, weight[i] = 1;
    block.args.state = (sssp_u32_state){
        .part = {.offsets = offsets, .targets = to, .weights = weight, .owned = 3, .parts = 1},
        .distance = distance};
    block.args.work.control = &control;
    block.args.work.workers = 1;
    block.args.work.cut = block.base.cut = 1024;
    block.args.work.mapping = WEIR_ENGINE_BY_GROUP;
    block.args.work.group = 4;
    block.args.work.bag[WEIR_BAG_NEAR + 1] = (struct weir_bag){.slots = near, .room = 4};
    block.item[0] = (sssp_u32_item){0, 9}; /* stale: 3 came since */
    block.item[1] = (sssp_u32_item){1, 7};
    assert_int_equal(sssp_u32_narrow_cut(&block, WEIR_BAG_NEAR + 1, 2), 1);
    assert_int_equal(near[0].vertex, 2);
    assert_int_equal(near[0].distance, 8);
    assert_int_equal(control.look[WEIR_BAG_PIECE].word, 0);
    assert_int_equal(block.base.special, 1);
}

/* What cannot be counted is refused, and not done; and so is an item for which the near bag has no room. */
static void what_is_too_much_is_refused(void **state)
{
    static uint64_t offsets[] = {0, ((uint64_t)1 << 32) + 1, ((uint64_t)1 << 32) + 1};
    static uint32_t to[] = {1}, weight[] = {1}, distance[] = {0, UINT32_MAX};
    static struct weir_control control;
    static struct sssp_u32_block block;
    static sssp_u32_item near[2];
    static uint64_t bounds[2];
    struct weir_engine_thread self;
    (void)state;
    block.args.state = (sssp_u32_state){
        .part = {.offsets = offsets, .targets = to, .weights = weight, .owned = 2, .parts = 1},
        .distance = distance};
    block.args.work.control = &control;
    block.args.work.workers = 1;
    block.args.work.cut = block.base.cut = 1024;
    block.args.work.narrow = 4;
    block.args.work.mapping = WEIR_ENGINE_BY_GROUP;
    block.args.work.group = 4;
    block.args.work.bag[WEIR_BAG_NEAR] = (struct weir_bag){.slots = near, .room = 1};
    block.args.work.bounds[0] = bounds;
    block.item[0] = (sssp_u32_item){0, 0};
    assert_int_equal(sssp_u32_narrow_cut(&block, WEIR_BAG_NEAR, 1), 0);
    assert_int_equal(control.look[WEIR_LOOK_LONG].word, 1);
    assert_int_equal(distance[1], UINT32_MAX);
    block.base.special = 0;
    self = weir_thread_called(&block.args.work, &block.base, WEIR_BAG_NEAR);
    sssp_u32_put_narrow(&self, 0, &block.item[0], 5);
    assert_int_equal(control.look[WEIR_LOOK_FULL].word, 0);
    assert_int_equal(block.base.special, 0);
    sssp_u32_put_narrow(&self, 1, &block.item[0], 5);
    assert_int_equal(control.look[WEIR_LOOK_FULL].word, 1);
    assert_int_equal(block.base.special, 1); /* so that the round after is not begun */
    assert_int_equal(bounds[0], 5);
    assert_int_equal(bounds[1], 0);
}

/* A stop comes through although narrow rounds look for one only now and then. */
static void time_limit(void **state)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.balance = WEIR_BALANCE_OFF; /* items go from device to device */
    weir_context *context = open_or_skip(state);
    weir_partition *partition;
    weir_graph *graph;
    weir_bfs *bfs;
    OK(weir_graph_open("grid:400000x1", NULL, &graph));
    partition = whole(graph);
    options.time_limit_ms = 1;
    options.direction = WEIR_DIRECTION_PUSH;
    OK(weir_bfs_create(context, graph, partition, &options, &bfs));
    STATUS(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_TIMEOUT);
    weir_bfs_destroy(bfs);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bounds_are_taken_for_those_of_others),
        cmocka_unit_test(what_is_too_much_is_refused),
        ON_BACKEND(rounds_of_few_items_are_narrow, "host:1"),
        ON_BACKEND(rounds_of_few_items_are_narrow, "host:1x3"),
        ON_BACKEND(rounds_of_few_items_are_narrow, "cuda:0"),
        ON_BACKEND(threads_of_host_devices_fuse, "host:1"),
        ON_BACKEND(threads_of_host_devices_fuse, "host:1x3"),
        ON_BACKEND(what_a_thread_makes_is_put_together, "host:1"),
        ON_BACKEND(what_a_thread_makes_is_put_together, "host:1x2"),
        ON_BACKEND(choices_leave_narrow_rounds_out, "host:1"),
        ON_BACKEND(choices_leave_narrow_rounds_out, "host:1x3"),
        ON_BACKEND(choices_leave_narrow_rounds_out, "cuda:0"),
        ON_BACKEND(several_devices_have_narrow_rounds, "host:2"),
        ON_BACKEND(several_devices_have_narrow_rounds, "host:2x3"),
        ON_BACKEND(several_devices_have_narrow_rounds, "cuda:0-1"),
        ON_BACKEND(woven_rings_are_used_again, "host:2"),
        ON_BACKEND(woven_rings_are_used_again, "cuda:0-1"),
        ON_BACKEND(items_pass_through_others_in_narrow_rounds, "host:4"),
        ON_BACKEND(items_pass_through_others_in_narrow_rounds, "cuda:0-3"),
        ON_BACKEND(not_where_much_is_passed_nor_in_bulk, "host:2"),
        ON_BACKEND(not_where_much_is_passed_nor_in_bulk, "cuda:0-1"),
        ON_BACKEND(the_one_ahead_waits, "host:2"),
        ON_BACKEND(the_one_ahead_waits, "cuda:0-1"),
        ON_BACKEND(on_devices, "host:1"),
        ON_BACKEND(on_devices, "host:1x3"),
        ON_BACKEND(on_devices, "cuda:0"),
        ON_BACKEND(blocks_share_what_they_cannot_keep, "host:1x8"),
        ON_BACKEND(blocks_share_what_they_cannot_keep, "cuda:0"),
        ON_BACKEND(more_is_deferred_than_a_block_keeps, "host:1"),
        ON_BACKEND(more_is_deferred_than_a_block_keeps, "host:1x3"),
        ON_BACKEND(more_is_deferred_than_a_block_keeps, "cuda:0"),
        ON_BACKEND(warps_defer_side_by_side, "host:1"),
        ON_BACKEND(warps_defer_side_by_side, "cuda:0"),
        ON_BACKEND(time_limit, "host:1"),
        ON_BACKEND(time_limit, "host:1x2"),
        ON_BACKEND(time_limit, "cuda:0"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
