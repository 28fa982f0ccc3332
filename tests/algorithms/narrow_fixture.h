/** @file narrow_fixture.h  What tests of narrow rounds have in common that call one function of the engine at a time.
 *
 * The templates are those of sssp_u32 on the host, where a warp has one lane and a set one tile; whole runs:
 * test_narrow.c. Vertex v has v % 4 arcs, all to vertex 0; an item's distance is its priority. */
#ifndef WEIR_TESTS_ALGORITHMS_NARROW_FIXTURE_H
#define WEIR_TESTS_ALGORITHMS_NARROW_FIXTURE_H

#include "algorithms/sssp/sssp_op.h"
#include "tests/lib/support.h"

#define WEIR_OPERATOR sssp_u32
#include "worklist/engine/engine_tmpl.h"

enum {
    VERTICES = 2000,
    NARROW = 1024,    /* items of a round that may be narrow */
    NEAR_ROOM = 1000, /* what near bags hold */
    FAR_ROOM = 1100,
    BUCKET_ROOM = 4,
    QUEUE_MOST = 64,
    BLOCKS_MOST = 8,
    FROM = WEIR_BAG_NEAR,   /* the bag, or half, that rounds here read */
    TO = WEIR_BAG_NEAR + 1, /* and that they put into */
};

#define UNTOUCHED 0xABABABABu /* an item or bounds where nothing was put */

/* Of all tests; set_up() makes it anew. */
static struct weir_control control;
static struct sssp_u32_block block;
static struct weir_engine_thread self;
static uint64_t offsets[VERTICES + 1], bounds[2][NARROW];
static uint32_t targets[4 * VERTICES], weights[4 * VERTICES], distance[VERTICES];
static sssp_u32_item near[2][NEAR_ROOM], far[FAR_ROOM], buckets[WEIR_BUCKETS][BUCKET_ROOM];

static void make_graph(void)
{
    for (uint32_t v = 0; v < VERTICES; v++) {
        offsets[v + 1] = offsets[v] + v % 4;
        distance[v] = UINT32_MAX;
    }
    memset(targets, 0, sizeof targets);
    for (uint32_t i = 0; i < 4 * VERTICES; i++)
        weights[i] = 1;
}

static void make_bags(struct weir_engine_args *work)
{
    memset(near, 0xAB, sizeof near);
    memset(far, 0xAB, sizeof far);
    memset(buckets, 0xAB, sizeof buckets);
    memset(bounds, 0xAB, sizeof bounds);
    for (uint32_t b = 0; b < 2; b++) {
        work->bag[WEIR_BAG_NEAR + b] = (struct weir_bag){.slots = near[b], .room = NEAR_ROOM};
        work->bounds[b] = bounds[b];
    }
    work->bag[WEIR_BAG_FAR] = (struct weir_bag){.slots = far, .room = FAR_ROOM};
    for (uint32_t b = 0; b < WEIR_BUCKETS; b++)
        work->bag[WEIR_BAG_BUCKET + b] =
            (struct weir_bag){.slots = buckets[b], .room = BUCKET_ROOM};
}

/* Priorities below 100 are near; four buckets from number 14 on, each 10 wide, so the last two are 0 and 1. */
static inline int set_up(void **state)
{
    struct weir_engine_args *work = &block.args.work;
    (void)state;
    memset(&control, 0, sizeof control);
    memset(&block, 0, sizeof block);
    make_graph();
    make_bags(work);
    block.args.state = (sssp_u32_state){.part = {.offsets = offsets,
                                                 .targets = targets,
                                                 .weights = weights,
                                                 .owned = VERTICES,
                                                 .parts = 1},
                                        .distance = distance};
    block.base.order = (struct weir_work_order){.threshold = 100,
                                                .delta = 10,
                                                .bucket = 14,
                                                .window = 4,
                                                .near_bag = TO,
                                                .far_bag = WEIR_BAG_FAR,
                                                .held_bag = WEIR_BAG_HELD};
    work->control = &control;
    work->workers = 1;
    work->order = WEIR_ENGINE_SOFT;
    work->cut = block.base.cut = 1024;
    work->narrow = NARROW;
    work->queue_most = QUEUE_MOST;
    work->narrow_sets_log = 1;
    work->narrow_items_log = 2;
    work->narrow_blocks_log = 5;
    weir_block_queue_clear(work, &block.base.queue);
    self = (struct weir_engine_thread){
        .work = &block.args.work, .block = &block.base, .blocks = BLOCKS_MOST, .near_bag = TO};
    return 0;
}

static inline uint64_t bounds_of(uint32_t vertex)
{
    return weir_bounds_make(offsets[vertex], offsets[vertex + 1]);
}

static inline void assert_item(const sssp_u32_item *item, uint32_t vertex, uint32_t at)
{
    assert_int_equal(item->vertex, vertex);
    assert_int_equal(item->distance, at);
}

/* The word of a narrow round: some of its items are queued. */
static inline uint64_t queued_word(uint32_t generation, uint32_t near_bag, uint32_t log,
                                   uint32_t own, uint32_t count)
{
    return weir_word_make(generation, WEIR_ACTION_NEAR, near_bag, log, own << 16 | count) |
           WEIR_WORD_QUEUED | WEIR_WORD_BOUNDS;
}

/* Make items of vertices @p first to @p first + @p count - 1 as one warp does, and put them into slots. */
static inline void make_new(uint32_t first, uint32_t count)
{
    const struct weir_slots slots = weir_reserve_slots(&self, count, 0);
    for (uint32_t i = 0; i < count; i++) {
        const sssp_u32_item item = {first + i, first + i + 1000};
        sssp_u32_put_new(&self, &slots, i, &item, bounds_of(first + i));
    }
}

static inline void assert_queued(uint32_t half, uint32_t i, uint32_t vertex)
{
    assert_item(&block.queued[half][i], vertex, vertex + 1000);
    assert_int_equal(block.queued_bounds[half][i], bounds_of(vertex));
}

static inline void assert_near(uint32_t bag, uint32_t i, uint32_t vertex)
{
    assert_item(&near[bag][i], vertex, vertex + 1000);
    assert_int_equal(bounds[bag][i], bounds_of(vertex));
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)

#endif
