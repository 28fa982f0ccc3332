/** @file test_narrow_ahead.c  Who looks at what in narrow rounds, before and when they begin, and what becomes of it. */
#include "tests/algorithms/narrow_fixture.h"

/* ---- who looks at what -------------------------------------------------------------------------- */

static uint32_t looked_at[VERTICES];

static void assert_looked_ahead(const struct sssp_u32_ahead *ahead)
{
    const uint32_t v = ahead->item.vertex, arcs = v % 4;
    assert_int_equal(ahead->count, 1);
    assert_true(v < VERTICES);
    looked_at[v]++;
    assert_int_equal(ahead->first, offsets[v]);
    assert_int_equal(ahead->atoms, arcs);
    assert_false(ahead->cut);
    assert_true(ahead->fresh);
    assert_int_equal(ahead->stale, 0);
    assert_int_equal(ahead->fresh_atoms, arcs);
    assert_int_equal(ahead->any, arcs > 0);
    assert_int_equal(ahead->both, arcs > 1);
    if (ahead->any)
        assert_item(&ahead->one.item, 0, ahead->item.distance + 1);
}

/* All that a block looks at in the round of @p word, in which it has @p own queued items, from vertex @p first on. */
static void look_at_all(uint64_t word, uint32_t number, uint32_t first, uint32_t own)
{
    const uint32_t half = weir_word_near_bag(word);
    struct weir_narrow_sets sets = weir_narrow_sets_make(word);
    struct sssp_u32_ahead ahead;
    self.block_number = number;
    for (uint32_t i = 0; i < own; i++) {
        block.queued[half][i] = (sssp_u32_item){first + i, 3};
        block.queued_bounds[half][i] = bounds_of(first + i);
    }
    memset(&ahead, 0, sizeof ahead);
    sets.queued = own;
    weir_narrow_deal(&self, &sets, word);
    for (uint32_t set = weir_warp_now();; set += WORKING_WARPS) {
        sssp_u32_look_at_set(&self, &ahead, &sets, set);
        if (!ahead.count)
            return; /* nor do later sets have any */
        assert_looked_ahead(&ahead);
    }
}

/* A round of @p blocks, of which number b has (b * 5) % 7 queued items; @p shared more lie in the bag. */
static void check_round(uint32_t generation, uint32_t blocks, uint32_t shared, uint64_t with_bounds)
{
    const uint32_t half = generation & 1u, log = weir_bits_u32(blocks - 1);
    uint32_t all = shared;
    for (uint32_t i = 0; i < shared; i++) {
        near[half][i] = (sssp_u32_item){i, 2};
        bounds[half][i] = with_bounds ? bounds_of(i) : UNTOUCHED;
    }
    memset(looked_at, 0, sizeof looked_at);
    for (uint32_t b = 0; b < blocks; b++)
        all += b * 5 % 7;
    self.blocks = blocks; /* so three of four take part where there are three */
    const uint64_t word =
        weir_word_make(generation, WEIR_ACTION_NEAR, half, log, (all - shared) << 16 | all) |
        WEIR_WORD_QUEUED | with_bounds;
    assert_int_equal(weir_word_blocks(word, blocks), blocks);
    for (uint32_t b = 0, first = shared; b < blocks; first += b * 5 % 7, b++)
        look_at_all(word, b, first, b * 5 % 7);
    for (uint32_t v = 0; v < VERTICES; v++)
        if (looked_at[v] != (v < all))
            fail_msg("generation %u, %u blocks, %u shared: item %u was looked at %u times",
                     generation, blocks, shared, v, looked_at[v]);
}

static void every_item_is_looked_at_once(void **state)
{
    static const uint32_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 31, 64, 100, NEAR_ROOM};
    (void)state;
    for (uint32_t blocks = 1; blocks <= BLOCKS_MOST; blocks++)
        for (uint32_t generation = 0; generation < 10; generation++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                check_round(generation, blocks, sizes[s], s % 2 ? WEIR_WORD_BOUNDS : 0);
}

/* Each block gets each share in turn, so that none always gets the larger ones; as far as a mask can rotate them. */
static void shares_change_from_round_to_round(void **state)
{
    (void)state;
    for (uint32_t active = 1; active <= BLOCKS_MOST; active++)
        for (uint32_t number = 0; number < active; number++) {
            uint32_t shares = 0;
            for (uint32_t generation = 0xFFFFF - active + 1; generation <= 0xFFFFF; generation++)
                shares |= 1u << weir_narrow_share(number, generation, active);
            assert_int_equal(shares, active & (active - 1) ? 1u << number : (1u << active) - 1u);
        }
}

/* Also where the operator has to be asked for the bounds. */
static void stale_tiles_are_counted_and_their_atoms_are_not(void **state)
{
    struct sssp_u32_ahead ahead;
    (void)state;
    for (int known = 0; known < 2; known++) {
        memset(&ahead, 0, sizeof ahead);
        ahead.item = (sssp_u32_item){7, 50};
        distance[7] = 49; /* came since */
        sssp_u32_look_ahead(&self, &ahead, 1, known ? bounds_of(7) : WEIR_BOUNDS_UNKNOWN);
        assert_int_equal(ahead.first, offsets[7]);
        assert_int_equal(ahead.atoms, 3);
        assert_false(ahead.fresh);
        assert_int_equal(ahead.stale, 1);
        assert_int_equal(ahead.fresh_atoms, 0);
        sssp_u32_do_atoms(&self, &ahead, 0);
    }
    assert_int_equal(distance[0], UINT32_MAX);
    assert_int_equal(weir_block_queue_items(&block.base.queue, TO), 0);
}

/* A tile of more atoms than were looked ahead at, to vertices that are near, deferred, and no news. */
static void tiles_make_near_items_and_defer_others(void **state)
{
    static const uint32_t to[] = {10, 11, 12, 13, 14, 15, 16},
                          far_off[] = {1, 90, 1, 80, 200, 2, 3};
    static uint64_t rows[VERTICES + 1];
    struct sssp_u32_ahead ahead;
    (void)state;
    for (uint32_t v = 1; v <= VERTICES; v++)
        rows[v] = 7; /* vertex 0 has them all */
    block.args.state.part.offsets = rows;
    block.args.state.part.targets = to;
    block.args.state.part.weights = far_off;
    distance[12] = 21;
    distance[16] = 22; /* nearer than by this way */
    memset(&ahead, 0, sizeof ahead);
    ahead.item = (sssp_u32_item){0, 20};
    sssp_u32_look_ahead(&self, &ahead, 1, weir_bounds_make(0, 7));
    assert_int_equal(ahead.fresh_atoms, 7);
    sssp_u32_do_atoms(&self, &ahead, 0); /* two, and then the rest */
    assert_int_equal(sssp_u32_do_more(&block, TO, ahead.item, ahead.first, 2, 7), 0);
    assert_int_equal(weir_block_queue_items(&block.base.queue, TO), 2);
    assert_item(&block.queued[TO][0], 10, 21);
    assert_item(&block.queued[TO][1], 15, 22);
    assert_int_equal(block.queued_bounds[TO][1], weir_bounds_make(7, 7));
    assert_int_equal(block.base.queue.deferred_count, 3);
    assert_item(&block.deferred[0], 11, 110);
    assert_item(&block.deferred[1], 13, 100); /* the least that is deferred */
    assert_item(&block.deferred[2], 14, 220);
    assert_int_equal(self.pushed, 0);
}

/* An item for which the block has no room goes into its bucket at once. */
static void items_without_room_in_the_block_go_to_bags_at_once(void **state)
{
    const sssp_u32_item item = {9, 115};
    (void)state;
    block.base.queue.deferred_count = sssp_u32_deferred_most;
    assert_false(sssp_u32_keep_near(&self, 1, &item));
    assert_int_equal(block.base.queue.deferred_count, sssp_u32_deferred_most);
    assert_int_equal(control.look[WEIR_BAG_BUCKET + 15].word, 1);
    assert_item(&buckets[15][0], 9, 115);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(every_item_is_looked_at_once),
        TEST(shares_change_from_round_to_round),
        TEST(stale_tiles_are_counted_and_their_atoms_are_not),
        TEST(tiles_make_near_items_and_defer_others),
        TEST(items_without_room_in_the_block_go_to_bags_at_once),
    };
    return cmocka_run_group_tests_name("looking ahead in narrow rounds", tests, NULL, NULL);
}
