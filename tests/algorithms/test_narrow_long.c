/** @file test_narrow_long.c  Thousands of narrow rounds in a row: what wraps, and who is away for long.
 *
 * Rounds of one block are so short that a thread that waits for its turn may miss hundreds; the number of a round wraps
 * after 256 in arrivals and after 2^20 in the word (docs/memory-model.md). Runs here hung before threads looked at the word
 * each time, and before the word was shown behind items that were handed back. */
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

enum { SEGMENTS = 100, LEAVES = 40, LONG = 530000, HUBS = 8, HUB_ARCS = 1030 };

struct arcs {
    uint32_t *from, *to;
    uint64_t count, room;
};

static void add(struct arcs *arcs, uint32_t from, uint32_t to)
{
    assert_true(arcs->count < arcs->room);
    arcs->from[arcs->count] = from;
    arcs->to[arcs->count++] = to;
}

static struct arcs room_for(uint64_t room)
{
    struct arcs arcs = {malloc(room * sizeof(uint32_t)), malloc(room * sizeof(uint32_t)), 0, room};
    assert_true(arcs.from && arcs.to);
    return arcs;
}

static weir_graph *graph_of(struct arcs *arcs, uint64_t vertices)
{
    weir_graph *graph;
    if (weir_graph_from_arcs(vertices, arcs->count, arcs->from, arcs->to, NULL, NULL, &graph))
        fail_msg("%s", weir_error_detail());
    free(arcs->from);
    free(arcs->to);
    return graph;
}

/* A path whose levels have one vertex each, but for some more every so often, which several blocks share. */
static weir_graph *path_with_leaves(uint32_t every)
{
    const uint32_t length = every * SEGMENTS;
    struct arcs arcs = room_for(length + SEGMENTS * LEAVES);
    uint32_t next = length;
    for (uint32_t v = 0; v + 1 < length; v++) {
        add(&arcs, v, v + 1);
        for (uint32_t leaf = 0; v % every == every - 1 && leaf < LEAVES; leaf++)
            add(&arcs, v, next++);
    }
    return graph_of(&arcs, next);
}

/* A path with rows that are cut, just where the number of the word that follows is a multiple of 2^16. */
static weir_graph *path_with_hubs(void)
{
    static const uint32_t hubs[HUBS] = {65534,  131068, 196602, 262136,
                                        327670, 393204, 458738, 524272};
    struct arcs arcs = room_for(LONG + HUBS * HUB_ARCS);
    for (uint32_t v = 0, hub = 0; v + 1 < LONG; v++) {
        for (uint32_t u = 0; hub < HUBS && v == hubs[hub] && u < HUB_ARCS; u++)
            add(&arcs, v, u);
        hub += hub < HUBS && v == hubs[hub];
        add(&arcs, v, v + 1);
    }
    return graph_of(&arcs, LONG);
}

static void check(weir_context *context, weir_graph *graph, uint32_t runs)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.balance = WEIR_BALANCE_OFF; /* items go from device to device */
    weir_partition *whole;
    weir_bfs *bfs;
    int32_t *want = malloc(graph->vertices * sizeof *want);
    int32_t *have = malloc(graph->vertices * sizeof *have);
    assert_true(want && have);
    options.direction = WEIR_DIRECTION_PUSH;
    options.order = WEIR_ORDER_FIFO;
    options.time_limit_ms = 60000;
    OK(weir_partition_create(graph, WEIR_PARTITION_BLOCK, 1, 0, NULL, &whole));
    OK(weir_bfs_create(context, graph, whole, &options, &bfs));
    OK(weir_bfs_reference(graph, 0, want));
    for (uint32_t run = 0; run < runs; run++) {
        OK(weir_bfs_run(bfs, 0, NULL));
        OK(weir_bfs_levels(bfs, have));
        assert_memory_equal(have, want, graph->vertices * sizeof *want);
    }
    weir_bfs_destroy(bfs);
    weir_partition_destroy(whole);
    weir_graph_destroy(graph);
    free(want);
    free(have);
}

static void threads_that_miss_hundreds_of_rounds(void **state)
{
    static const uint32_t every[] = {250, 252, 254, 256};
    weir_context *context = open_or_skip(state);
    for (size_t i = 0; i < sizeof every / sizeof *every; i++)
        check(context, path_with_leaves(every[i]), 2);
    weir_context_destroy(context);
}

static void words_that_are_shown_now_and_then(void **state)
{
    weir_context *context = open_or_skip(state);
    check(context, path_with_hubs(), 1);
    weir_context_destroy(context);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        ON_BACKEND(threads_that_miss_hundreds_of_rounds, "host:1x6"),
        ON_BACKEND(threads_that_miss_hundreds_of_rounds, "cuda:0"),
        ON_BACKEND(words_that_are_shown_now_and_then, "host:1x2"),
        ON_BACKEND(words_that_are_shown_now_and_then, "cuda:0"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
