/** @file test_narrow_queue.c  The block queue of narrow rounds: new items, deferred items, and handing both back. */
#include "tests/algorithms/narrow_fixture.h"

/* Item number i goes to slot i: first slots of the block queue, then slots of the bag. A warp may need both. */
static void new_items_stay_up_to_the_limit(void **state)
{
    enum { LIMIT = 7, ALL = 21 };
    (void)state;
    block.base.queue.limit[TO] = LIMIT;
    for (uint32_t made = 0, count = 1; made < ALL; made += count++)
        make_new(made, count);
    assert_int_equal(weir_block_queue_items(&block.base.queue, TO), LIMIT);
    assert_int_equal(self.pushed, ALL - LIMIT);
    assert_int_equal(control.look[TO].word, ALL - LIMIT);
    for (uint32_t i = 0; i < LIMIT; i++)
        assert_queued(TO, i, i);
    for (uint32_t i = LIMIT; i < ALL; i++)
        assert_near(TO, i - LIMIT, i);
    assert_int_equal(near[TO][ALL - LIMIT].vertex, UNTOUCHED);
    /* The half and the bag that are read in this round are as they were. */
    assert_int_equal(weir_block_queue_items(&block.base.queue, FROM), 0);
    assert_int_equal(control.look[FROM].word, 0);
}

static void what_fits_is_not_pushed(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < QUEUE_MOST; i += 2)
        make_new(i, 2);
    assert_int_equal(weir_block_queue_items(&block.base.queue, TO), QUEUE_MOST);
    assert_int_equal(self.pushed, 0);
    assert_int_equal(control.look[TO].word, 0);
}

static void bounds_lie_beside_the_first_items_alone(void **state)
{
    const sssp_u32_item item = {5, 1005};
    (void)state;
    block.args.work.narrow = 3;
    for (uint32_t slot = 0; slot < 5; slot++)
        sssp_u32_put_narrow(&self, slot, &item, bounds_of(5));
    for (uint32_t slot = 0; slot < 5; slot++)
        assert_item(&near[TO][slot], 5, 1005);
    assert_int_equal(bounds[TO][2], bounds_of(5));
    assert_int_equal((uint32_t)bounds[TO][3], UNTOUCHED);
}

/* ---- deferred, handed back ----------------------------------------------------------------------- */

static void items_are_deferred_in_the_block_while_there_is_room(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sssp_u32_deferred_most; i++)
        assert_int_equal(sssp_u32_defer_in_block(&block, 1, &(sssp_u32_item){i, 100 + i}), 0);
    for (uint32_t i = 0; i < 1000; i++) { /* refused, however often they come */
        assert_int_equal(sssp_u32_defer_in_block(&block, 1, &(sssp_u32_item){1, 1}), 1);
        assert_int_equal(block.base.queue.deferred_count, sssp_u32_deferred_most);
    }
    for (uint32_t i = 0; i < sssp_u32_deferred_most; i++)
        assert_item(&block.deferred[i], i, 100 + i);
}

/* What a bucket or the far bag holds of the items that were deferred; each is counted in @p seen. */
static uint32_t tally(const sssp_u32_item *slots, uint32_t count, uint32_t room, uint32_t least,
                      uint32_t below, uint32_t *seen)
{
    count = count < room ? count : room;
    for (uint32_t i = 0; i < count; i++) {
        assert_in_range(slots[i].distance, least, below - 1);
        assert_int_equal(slots[i].distance, 100 + slots[i].vertex);
        seen[slots[i].vertex]++;
    }
    return count;
}

/* Each bucket is filled first, with items of its priority; the far bag gets those that buckets have no room for, and all later ones. */
static void deferred_items_are_handed_back_in_order(void **state)
{
    static uint32_t seen[sssp_u32_deferred_most];
    uint32_t all = 0;
    (void)state;
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < sssp_u32_deferred_most; i++)
        assert_int_equal(sssp_u32_defer_in_block(&block, 1, &(sssp_u32_item){i, 100 + i}), 0);
    sssp_u32_defer_in_block(
        &block, 1, &(sssp_u32_item){0, 100}); /* refused: this test does not defer it elsewhere */
    block.base.queue.last_queued = weir_block_queue_items(&block.base.queue, TO);
    sssp_u32_hand_back(&block, TO);
    for (uint32_t step = 0; step < 4; step++) {
        const uint32_t b = (14 + step) % WEIR_BUCKETS, least = 100 + 10 * step;
        assert_int_equal(control.look[WEIR_BAG_BUCKET + b].word, 10);
        all += tally(buckets[b], 10, BUCKET_ROOM, least, least + 10, seen);
    }
    all += tally(far, control.look[WEIR_BAG_FAR].word, FAR_ROOM, 100, UINT32_MAX, seen);
    assert_int_equal(all, sssp_u32_deferred_most);
    for (uint32_t i = 0; i < sssp_u32_deferred_most; i++)
        assert_int_equal(seen[i], 1);
    assert_int_equal(control.look[WEIR_LOOK_URGENCY].word,
                     ~(100u + BUCKET_ROOM)); /* the bucket's 5th */
    for (uint32_t b = 2; b < 14; b++)
        assert_int_equal(control.look[WEIR_BAG_BUCKET + b].word, 0);
    assert_int_equal(control.look[TO].word, 0);
}

/* More slots were asked for than the block queue has, so some items are in the bag already. */
static void queued_items_are_handed_back_with_their_bounds(void **state)
{
    enum { LIMIT = 40, MADE = 47 };
    static uint32_t seen[MADE];
    (void)state;
    memset(seen, 0, sizeof seen);
    block.base.queue.limit[TO] = LIMIT;
    for (uint32_t i = 0; i < MADE; i++)
        make_new(i, 1);
    block.base.queue.count[FROM] = 3; /* the half that was read: these items are processed */
    block.base.queue.last_queued = weir_block_queue_items(&block.base.queue, TO);
    sssp_u32_hand_back(&block, TO);
    assert_int_equal(control.look[TO].word, MADE);
    assert_int_equal(control.look[FROM].word, 0);
    for (uint32_t i = 0; i < MADE; i++) {
        assert_in_range(near[TO][i].vertex, 0, MADE - 1);
        assert_near(TO, i, near[TO][i].vertex);
        seen[near[TO][i].vertex]++;
    }
    for (uint32_t i = 0; i < MADE; i++)
        assert_int_equal(seen[i], 1);
    assert_int_equal(self.pushed, MADE - LIMIT); /* arrivals counted the others as queued */
}

static void a_block_with_nothing_hands_nothing_back(void **state)
{
    (void)state;
    block.base.queue.last_queued = weir_block_queue_items(&block.base.queue, TO);
    sssp_u32_hand_back(&block, TO);
    for (uint32_t i = 0; i < WEIR_LOOKS; i++)
        assert_int_equal(control.look[i].word, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(new_items_stay_up_to_the_limit),
        TEST(what_fits_is_not_pushed),
        TEST(bounds_lie_beside_the_first_items_alone),
        TEST(items_are_deferred_in_the_block_while_there_is_room),
        TEST(deferred_items_are_handed_back_in_order),
        TEST(queued_items_are_handed_back_with_their_bounds),
        TEST(a_block_with_nothing_hands_nothing_back),
    };
    return cmocka_run_group_tests_name("block queues of narrow rounds", tests, NULL, NULL);
}
