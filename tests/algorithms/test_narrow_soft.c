/** @file test_narrow_soft.c  Soft order in narrow rounds of one device: what becomes near as the threshold rises is handed out, and the
 *  threshold rises while a few near items are left. */
#include "tests/algorithms/graph_fixture.h"
#include "tests/algorithms/narrow_fixture.h"

/* ---- one round ------------------------------------------------------------------------------------ */

enum { FIRST = 70, SECOND = 50 };

static sssp_u32_item handed[2][FIRST];

/* Items of two segments, of which every seventh is fresh, in a round of blocks of one thread. */
static uint32_t hand_out(uint32_t block_number, uint32_t blocks)
{
    for (uint32_t i = 0; i < FIRST + SECOND; i++) {
        sssp_u32_item *item = i < FIRST ? &handed[0][i] : &handed[1][i - FIRST];
        *item = (sssp_u32_item){i, 50 + i};
        distance[i] = i % 7 == 0 ? 50 + i : 49 + i;
    }
    block.base.segment[0] = (struct weir_work_segment){.slots = handed[0], .end = FIRST};
    block.base.segment[1] = (struct weir_work_segment){.slots = handed[1], .end = FIRST + SECOND};
    block.base.word = weir_word_make(9, WEIR_ACTION_HAND_OUT, FROM, 2, FIRST + SECOND);
    return sssp_u32_hand_out(&block, TO, block_number, blocks);
}

static void assert_is_queued(uint32_t slot, uint32_t vertex)
{
    assert_item(&block.queued[TO][slot], vertex, 50 + vertex);
    assert_int_equal(block.queued_bounds[TO][slot], bounds_of(vertex));
}

static void what_is_fresh_is_queued(void **state)
{
    (void)state;
    assert_int_equal(hand_out(0, 1), 0);
    assert_int_equal(weir_block_queue_items(&block.base.queue, TO), (FIRST + SECOND + 6) / 7);
    for (uint32_t i = 0; i * 7 < FIRST + SECOND; i++)
        assert_is_queued(i, i * 7);
    assert_int_equal(control.look[WEIR_LOOK_MOVED].word, (FIRST + SECOND + 6) / 7);
    assert_int_equal(block.base.tally[0].stale, FIRST + SECOND - (FIRST + SECOND + 6) / 7);
    assert_int_equal(control.look[TO].word, 0);
}

/* Four blocks have every fourth item each. */
static void each_block_has_its_share(void **state)
{
    uint32_t count = 0;
    (void)state;
    assert_int_equal(hand_out(3, 8), 0); /* of eight blocks four take part */
    for (uint32_t i = 3; i < FIRST + SECOND; i += 4)
        if (i % 7 == 0)
            assert_is_queued(count++, i);
    assert_int_equal(weir_block_queue_items(&block.base.queue, TO), count);
}

static void what_finds_no_room_goes_to_the_bag(void **state)
{
    (void)state;
    block.args.work.queue_most = 10;
    weir_block_queue_clear(&block.args.work, &block.base.queue);
    assert_int_equal(hand_out(0, 1), (FIRST + SECOND + 6) / 7 - 10);
    assert_is_queued(9, 63);
    for (uint32_t i = 10; i * 7 < FIRST + SECOND; i++) {
        assert_item(&near[TO][i - 10], i * 7, 50 + i * 7);
        assert_int_equal(bounds[TO][i - 10], bounds_of(i * 7));
    }
}

/* ---- runs ----------------------------------------------------------------------------------------- */

/* All devices have a part; by default one is picked for graphs as small as these. */
static weir_worklist_stats searched(weir_context *context, weir_graph *graph, weir_order_kind order,
                                    uint32_t delta)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    double *want = malloc(graph->vertices * sizeof *want);
    double *have = malloc(graph->vertices * sizeof *have);
    weir_partition *partition;
    weir_sssp *sssp;
    assert_true(want && have);
    options.balance = WEIR_BALANCE_OFF;
    options.direction = WEIR_DIRECTION_PUSH;
    options.order = order;
    options.delta = delta;
    OK(weir_partition_create(graph, WEIR_PARTITION_BLOCK, weir_context_device_count(context), 1,
                             NULL, &partition));
    OK(weir_sssp_create(context, graph, partition, &options, &sssp));
    weir_partition_destroy(partition);
    OK(weir_sssp_reference(graph, 77, want));
    for (int run = 0; run < 3; run++) {
        OK(weir_sssp_run(sssp, 77, &stats));
        OK(weir_sssp_distances(sssp, have));
        assert_memory_equal(have, want, graph->vertices * sizeof *want);
        assert_int_equal(stats.work.produced, stats.work.consumed);
        assert_true(stats.work.stale < stats.work.processed);
    }
    weir_sssp_destroy(sssp);
    free(want);
    free(have);
    return stats.work;
}

/* Nobody can switch this off without this test. With queues that spill most rises are as they are elsewhere. */
static void one_device_hands_out_and_rises_early(void **state)
{
    for (int rows = 0; rows < 3; rows += 2) {
        weir_context *context = open_with_or_skip(
            *state,
            (const char *[]){"fuse_items=0", rows ? "padded_rows=2" : "padded_rows=0", NULL});
        weir_graph *graph = weighed("mesh:80x80,shuffle", "random:1-255");
        const weir_worklist_stats work = searched(context, graph, WEIR_ORDER_SOFT, 200);
        if (work.hand_outs == 0 || work.hand_outs > work.raises || work.early_raises == 0 ||
            work.early_raises > work.raises || work.hand_outs > work.narrow_rounds)
            fail_msg("%llu raises, %llu early, %llu rounds handed out",
                     (unsigned long long)work.raises, (unsigned long long)work.early_raises,
                     (unsigned long long)work.hand_outs);
        assert_int_equal(searched(context, graph, WEIR_ORDER_FIFO, 0).hand_outs, 0);
        assert_int_equal(searched(context, graph, WEIR_ORDER_BULK, 0).early_raises, 0);
        weir_graph_destroy(graph);
        weir_context_destroy(context);
    }
}

/* Widths from one that makes a rise for each few items to one that holds all of them, and the one that weir picks. */
static void any_width_and_small_queues(void **state)
{
    static const uint32_t widths[] = {0, 3, 40, 1000, 100000000};
    static const char *const rooms[] = {NULL, "queue_items=16", "queue_items=300"};
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
        weir_context *context =
            open_with_or_skip(*state, (const char *[]){"fuse_items=0", rooms[r], NULL});
        weir_graph *graph = weighed("mesh:50x40,shuffle", "random:1-255"),
                   *other = weighed("smallworld:3000,4", "random:1-255");
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            (void)searched(context, graph, WEIR_ORDER_SOFT, widths[w]);
            (void)searched(context, other, WEIR_ORDER_SOFT, widths[w]);
        }
        weir_graph_destroy(graph);
        weir_graph_destroy(other);
        weir_context_destroy(context);
    }
}

/* Several devices agree on each rise, by reports and commands. */
static void several_do_not(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = weighed("mesh:80x80,shuffle", "random:1-255");
    const weir_worklist_stats work = searched(context, graph, WEIR_ORDER_SOFT, 200);
    assert_true(work.raises > 0);
    assert_int_equal(work.hand_outs, 0);
    assert_int_equal(work.early_raises, 0);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* A tree whose levels double up to 16384 vertices, each of which has three leaves. */
static weir_graph *broom(void)
{
    enum { INNER = 32767, ARCS = 32766 + 3 * 16384 };
    uint32_t *from = malloc(ARCS * sizeof *from), *to = malloc(ARCS * sizeof *to), n = 0;
    weir_graph *graph;
    assert_true(from && to);
    for (uint32_t v = 0; v < INNER; v++)
        for (uint32_t k = 0; k < (v < INNER / 2 ? 2u : 3u); k++, n++)
            from[n] = v, to[n] = n + 1;
    assert_int_equal(n, ARCS);
    OK(weir_graph_from_arcs(n + 1, n, from, to, NULL, NULL, &graph));
    free(from);
    free(to);
    return graph;
}

/* A GPU that is alone has narrow rounds of all that 16 bits count: 49152 items here, three sets for each of its warps. */
static void many_items_are_narrow_on_one_gpu(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_graph *graph = broom();
    weir_bfs *bfs;
    options.direction = WEIR_DIRECTION_PUSH;
    OK(weir_bfs_create(context, graph, NULL, &options, &bfs));
    OK(weir_bfs_run(bfs, 0, &stats));
    assert_int_equal(stats.reached, graph->vertices);
    assert_int_equal(stats.work.rounds, 16);
    assert_int_equal(stats.work.narrow_rounds, 15); /* but for the one that takes the seed */
    weir_bfs_destroy(bfs);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_fresh_is_queued, set_up),
        cmocka_unit_test_setup(each_block_has_its_share, set_up),
        cmocka_unit_test_setup(what_finds_no_room_goes_to_the_bag, set_up),
        ON_BACKEND(one_device_hands_out_and_rises_early, "host:1"),
        ON_BACKEND(one_device_hands_out_and_rises_early, "host:1x4"),
        ON_BACKEND(one_device_hands_out_and_rises_early, "cuda:0"),
        ON_BACKEND(any_width_and_small_queues, "host:1"),
        ON_BACKEND(any_width_and_small_queues, "host:1x4"),
        ON_BACKEND(any_width_and_small_queues, "host:2"),
        ON_BACKEND(any_width_and_small_queues, "cuda:0"),
        ON_BACKEND(any_width_and_small_queues, "cuda:0-1"),
        ON_BACKEND(many_items_are_narrow_on_one_gpu, "cuda:0"),
        ON_BACKEND(several_do_not, "host:2"),
        ON_BACKEND(several_do_not, "cuda:0-1"),
    };
    return cmocka_run_group_tests_name("soft order in narrow rounds", tests, NULL, NULL);
}
