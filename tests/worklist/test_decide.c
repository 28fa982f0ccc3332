/** @file test_decide.c  What a decider makes of counters: the word, plans, commands, how many to wake.
 *
 * The parts of worklist/engine/decider.h that look at words alone, called on words made by hand. */
#include "tests/worklist/decide_fixture.h"

/* ---- the word ------------------------------------------------------------------------------------ */

static void a_word_says_what_was_put_in(void **state)
{
    static const uint32_t generations[] = {0, 1, 0x12345, 0xFFFFF};
    static const uint32_t counts[] = {0, 1, 0x80000000u, 0xFFFFFFFFu};
    (void)state;
    for (size_t i = 0; i < 4 * 4 * 4 * 2 * 17; i++) {
        uint32_t generation = generations[i % 4], count = counts[i / 4 % 4];
        uint32_t action = i / 16 % 4, bag = i / 64 % 2, log = (uint32_t)(i / 128);
        uint64_t word = weir_word_make(generation, action, bag, log, count);
        assert_int_equal(weir_word_generation(word), generation);
        assert_int_equal(weir_word_action(word), action);
        assert_int_equal(weir_word_near_bag(word), bag);
        assert_int_equal(weir_word_count(word), count);
        assert_int_equal(weir_word_blocks(word, 1u << 20), 1u << log);
        assert_int_equal(weir_word_blocks(word, 3), log < 2 ? 1u << log : 3);
        /* The next generation differs in nothing else, and wraps. */
        uint64_t next = weir_word_make(generation + 1, action, bag, log, count);
        assert_true(weir_word_is_newer(next, word) && !weir_word_is_newer(word, next));
        assert_false(weir_word_is_newer(word, word));
        assert_int_equal(weir_word_generation(next), (generation + 1) & 0xFFFFF);
    }
}

/* ---- plans --------------------------------------------------------------------------------------- */

static void a_near_bag_needs_no_plan(void **state)
{
    struct world *world = make_world(WEIR_ENGINE_SOFT, 0);
    (void)state;
    for (uint32_t turn = 0; turn < 4; turn++) {
        uint32_t bag = turn % 2;
        memset(world->ledger.look, 0, sizeof world->ledger.look);
        world->ledger.look[WEIR_BAG_NEAR + bag] = ROOM;
        assert_int_equal(weir_plan_make(&world->args, &world->ledger), ROOM);
        expect_segment(world, 0, WEIR_SEGMENT_NEAR, &world->device[bag], ROOM);
        assert_true(weir_plan_is_near(&world->ledger));
        assert_int_equal(world->ledger.plan.took, 1u << bag);
        assert_int_equal(world->ledger.plan.order.near_bag, bag ^ 1); /* they take turns */
        assert_int_equal(world->ledger.spilled, 0);
    }
    memset(world->ledger.look, 0, sizeof world->ledger.look);
    assert_int_equal(weir_plan_make(&world->args, &world->ledger), 0);
    free(world);
}

static void a_spilled_bag_has_two_segments(void **state)
{
    (void)state;
    for (uint32_t count = ROOM + 1; count <= ROOM + MORE_ROOM; count += 7) {
        struct world *world = make_world(WEIR_ENGINE_SOFT, 0);
        world->ledger.look[WEIR_BAG_NEAR] = count;
        assert_int_equal(weir_plan_make(&world->args, &world->ledger), count);
        assert_int_equal(world->ledger.plan.segments, 2);
        expect_segment(world, 0, WEIR_SEGMENT_NEAR, &world->device[WEIR_BAG_NEAR], ROOM);
        expect_segment(world, 1, WEIR_SEGMENT_NEAR, NULL, count);
        assert_int_equal(world->ledger.plan.segment[1].bag, WEIR_BAG_NEAR);
        assert_int_equal(world->ledger.spilled, count - ROOM);
        assert_false(weir_plan_is_near(&world->ledger));
        free(world);
    }
}

static void pieces_come_alone(void **state)
{
    struct world *world = make_world(WEIR_ENGINE_SOFT, 0);
    (void)state;
    world->ledger.look[WEIR_BAG_PIECE] = 5;
    world->ledger.look[WEIR_BAG_NEAR] = 7;
    assert_int_equal(weir_plan_make(&world->args, &world->ledger), 5);
    expect_segment(world, 0, WEIR_SEGMENT_PIECE, &world->device[WEIR_BAG_PIECE], 5);
    assert_int_equal(world->ledger.plan.took, 1u << WEIR_BAG_PIECE);
    assert_int_equal(world->ledger.plan.order.near_bag, WEIR_BAG_NEAR);
    world->ledger.look[WEIR_BAG_HELD] = ROOM / 2 + 1; /* they would make more of what is held */
    assert_int_equal(weir_plan_make(&world->args, &world->ledger), 0);
    free(world);
}

/* Counters of a round have 32 bits and go beyond its end: what would be too many waits for the next. */
static void a_round_has_no_more_than_it_can_count(void **state)
{
    struct world *world = make_world(WEIR_ENGINE_SOFT, 1);
    struct weir_ledger *ledger = &world->ledger;
    const uint32_t most = WEIR_PLAN_MOST;
    (void)state;
    for (uint32_t b = 0; b < WEIR_BAGS; b++)
        world->args.bag[b].room = most;
    ledger->look[WEIR_BAG_NEAR] = most - 10;
    ledger->look[WEIR_BAG_BUCKET] = 6;
    ledger->look[WEIR_BAG_BUCKET + 1] = 6;
    ledger->look[WEIR_BAG_FAR] = 5;
    ledger->look[WEIR_BAG_HELD] = 7;
    ledger->bucket_pending = 3;
    ledger->far_pending = ledger->retry = 1;
    ledger->available[0] = 8;
    assert_int_equal(weir_plan_make(&world->args, ledger), most - 4);
    assert_int_equal(ledger->plan.took, 1u << WEIR_BAG_NEAR | 1u << WEIR_BAG_BUCKET);
    assert_int_equal(ledger->bucket_pending, 2);
    assert_true(ledger->far_pending && ledger->retry);
    assert_int_equal(ledger->in_next[0], ledger->in_head[0]);
    ledger->look[WEIR_BAG_NEAR] = ledger->look[WEIR_BAG_BUCKET] = 0;
    assert_int_equal(weir_plan_make(&world->args, ledger), 6 + 5 + 7 + 8);
    free(world);
}

/* Of a generation the other bag is read; what comes out grows in near_bag. */
static void bulk_reads_the_generation_before(void **state)
{
    struct world *world = make_world(WEIR_ENGINE_BULK, 0);
    (void)state;
    world->ledger.look[WEIR_BAG_NEAR] = 7;
    assert_int_equal(weir_plan_make(&world->args, &world->ledger), 0);
    world->ledger.look[WEIR_BAG_NEAR + 1] = 4;
    assert_int_equal(weir_plan_make(&world->args, &world->ledger), 4);
    expect_segment(world, 0, WEIR_SEGMENT_NEAR, &world->device[WEIR_BAG_NEAR + 1], 4);
    assert_int_equal(world->ledger.plan.order.near_bag, WEIR_BAG_NEAR);
    free(world);
}

static void released_buckets_and_far_items_are_read(void **state)
{
    struct world *world = make_world(WEIR_ENGINE_SOFT, 0);
    struct weir_ledger *ledger = &world->ledger;
    (void)state;
    ledger->look[WEIR_BAG_BUCKET + 3] = 2;
    ledger->look[WEIR_BAG_BUCKET + 4] = 9;
    ledger->look[WEIR_BAG_FAR] = ROOM + 1;
    ledger->bucket_pending = 1u << 3 | 1u << 5; /* 5 is empty, 4 is not released */
    ledger->far_pending = 1;
    world->control.look[WEIR_LOOK_URGENCY].word = 77;
    assert_int_equal(weir_plan_make(&world->args, ledger), 2 + ROOM + 1);
    expect_segment(world, 0, WEIR_SEGMENT_NEAR, &world->device[WEIR_BAG_BUCKET + 3], 2);
    expect_segment(world, 1, WEIR_SEGMENT_FAR, &world->device[WEIR_BAG_FAR], 2 + ROOM);
    expect_segment(world, 2, WEIR_SEGMENT_FAR, NULL, 2 + ROOM + 1);
    assert_int_equal(ledger->plan.segments, 3);
    assert_int_equal(ledger->plan.order.window,
                     WEIR_BUCKETS - 2); /* nothing is put where is read */
    assert_int_equal(ledger->plan.order.far_bag, WEIR_BAG_FAR + 1);
    assert_int_equal(world->control.look[WEIR_LOOK_URGENCY].word,
                     0); /* what stays is counted anew */
    assert_int_equal(ledger->bucket_pending | ledger->far_pending, 0);
    free(world);
}

static void held_items_wait_for_a_credit(void **state)
{
    struct world *world = make_world(WEIR_ENGINE_SOFT, 0);
    (void)state;
    world->ledger.look[WEIR_BAG_HELD] = 3;
    assert_int_equal(weir_plan_make(&world->args, &world->ledger), 0);
    world->ledger.retry = 1;
    assert_int_equal(weir_plan_make(&world->args, &world->ledger), 3);
    expect_segment(world, 0, WEIR_SEGMENT_HELD, &world->device[WEIR_BAG_HELD], 3);
    assert_int_equal(world->ledger.plan.order.held_bag, WEIR_BAG_HELD + 1);
    assert_int_equal(world->ledger.retry, 0);
    free(world);
}

/* A worker that holds more than half of what it can on the device processes nothing that would make more of it, in any
 * order, until credits come; it takes in what arrives, and forgets nothing. */
static void a_choked_worker_sends_and_takes_in(void **state)
{
    static const uint32_t orders[] = {WEIR_ENGINE_SOFT, WEIR_ENGINE_BULK};
    const uint32_t held = ROOM / 2;
    (void)state;
    for (int o = 0; o < 2; o++) {
        struct world *world = make_world(orders[o], 1);
        struct weir_ledger *ledger = &world->ledger;
        const uint32_t near = WEIR_BAG_NEAR + (orders[o] == WEIR_ENGINE_BULK);
        ledger->look[WEIR_BAG_HELD] = held + 1;
        ledger->look[near] = 7;
        ledger->look[WEIR_BAG_BUCKET + 3] = ledger->look[WEIR_BAG_FAR] = 2;
        ledger->bucket_pending = 1u << 3;
        ledger->far_pending = 1;
        assert_int_equal(weir_plan_make(&world->args, ledger), 0);
        ledger->available[0] = 4;
        assert_int_equal(weir_plan_make(&world->args, ledger), 4);
        expect_segment(world, 0, WEIR_SEGMENT_ARRIVED, world->ring, 4);
        assert_int_equal(ledger->plan.took, 0);
        assert_int_equal(ledger->plan.order.window, WEIR_BUCKETS - 1); /* 3 is still to be read */
        ledger->available[0] = 0;
        ledger->retry = 1;
        assert_int_equal(weir_plan_make(&world->args, ledger), held + 1);
        assert_int_equal(ledger->plan.took, 1u << WEIR_BAG_HELD);
        ledger->look[WEIR_BAG_HELD] = 0;
        ledger->look[WEIR_BAG_HELD + 1] = held;
        assert_int_equal(weir_plan_make(&world->args, ledger), 7 + 2 + 2);
        assert_int_equal(ledger->plan.took,
                         1u << near | 1u << (WEIR_BAG_BUCKET + 3) | 1u << WEIR_BAG_FAR);
        assert_int_equal(ledger->bucket_pending | ledger->far_pending, 0);
        free(world);
    }
}

/* What arrived makes near items meanwhile. Once they take up half of their room, and part of what they may spill, they are processed all the same,
 * but for bulk, where they are the next generation. */
static void a_choked_worker_with_too_many_near_items(void **state)
{
    const uint32_t many = ROOM / 2 + MORE_ROOM / 8;
    (void)state;
    for (uint32_t order = WEIR_ENGINE_SOFT; order <= WEIR_ENGINE_BULK; order++) {
        struct world *world = make_world(order, 1);
        struct weir_ledger *ledger = &world->ledger;
        ledger->look[WEIR_BAG_HELD] = many + 1;
        ledger->look[WEIR_BAG_NEAR + 1] = order == WEIR_ENGINE_BULK ? 3 : 0;
        ledger->look[WEIR_BAG_NEAR] = many;
        assert_int_equal(weir_plan_make(&world->args, ledger), 0);
        ledger->look[WEIR_BAG_NEAR] = many + 1;
        if (order == WEIR_ENGINE_BULK) {
            assert_int_equal(weir_plan_make(&world->args, ledger), 0);
        } else {
            assert_int_equal(weir_plan_make(&world->args, ledger), many + 1);
            assert_int_equal(ledger->plan.took, 1u << WEIR_BAG_NEAR);
            assert_int_equal(ledger->plan.order.near_bag, WEIR_BAG_NEAR + 1);
        }
        free(world);
    }
}

/* Rings of 16 slots of 8 bytes: from every place, every number, also where the counters wrap. */
static void a_channel_that_wraps_has_two_segments(void **state)
{
    (void)state;
    for (uint32_t head = 0xFFFFFFF0u - 3; head != 20; head++)
        for (uint32_t count = 0; count <= 16; count++) {
            struct world *world = make_world(WEIR_ENGINE_SOFT, 1);
            uint32_t at = head % 16, straight = 16 - at < count ? 16 - at : count;
            world->ledger.in_head[0] = world->ledger.in_next[0] = head;
            world->mail.in_tail[0] = head + count;
            assert_int_equal(weir_look_in(&world->args, &world->ledger), count > 0);
            assert_int_equal(weir_plan_make(&world->args, &world->ledger), count);
            if (count)
                expect_segment(world, 0, WEIR_SEGMENT_ARRIVED, world->ring + (size_t)8 * at,
                               straight);
            if (count > straight)
                expect_segment(world, 1, WEIR_SEGMENT_ARRIVED, world->ring, count);
            assert_int_equal(world->ledger.plan.segments, count == 0 ? 0 : 1 + (count > straight));
            assert_int_equal(world->ledger.in_next[0], head + count);
            assert_int_equal(world->ledger.plan.took, 0);
            assert_false(weir_plan_is_near(&world->ledger));
            free(world);
        }
}

/* With more channels than a round takes items from, each is read in time, and the plan stays in bounds. */
static void every_channel_is_read_in_time(void **state)
{
    struct world *world = make_world(WEIR_ENGINE_SOFT, WEIR_WORK_ARRIVALS + 5);
    uint32_t taken[WEIR_WORK_ARRIVALS + 5] = {0};
    (void)state;
    for (world->ledger.rounds = 0; world->ledger.rounds < WEIR_WORK_ARRIVALS + 5;
         world->ledger.rounds++) {
        for (uint32_t l = 0; l < world->args.channels_in; l++) {
            world->ledger.in_head[l] = world->ledger.in_next[l] = 10;
            world->ledger.available[l] = 16; /* wraps: two segments each */
        }
        assert_int_equal(weir_plan_make(&world->args, &world->ledger), 16 * WEIR_WORK_ARRIVALS);
        assert_int_equal(world->ledger.plan.segments, 2 * WEIR_WORK_ARRIVALS);
        for (uint32_t l = 0; l < world->args.channels_in; l++)
            taken[l] += world->ledger.in_next[l] != 10;
    }
    for (uint32_t l = 0; l < world->args.channels_in; l++)
        assert_int_equal(taken[l], WEIR_WORK_ARRIVALS);
    free(world);
}

/* Who knows of the next generation already is not listened to. */
static void bulk_leaves_channels_that_are_ahead(void **state)
{
    struct world *world = make_world(WEIR_ENGINE_BULK, 2);
    (void)state;
    world->ledger.epoch = 7;
    world->mail.in_tail[0] = world->mail.in_tail[1] = 3;
    world->mail.in_epoch[0] = 7;
    world->mail.in_epoch[1] = 8;
    assert_true(weir_look_in(&world->args, &world->ledger));
    assert_int_equal(world->ledger.available[0], 3);
    assert_int_equal(world->ledger.available[1], 0);
    world->mail.in_tail[0] = 0;
    assert_false(weir_look_in(&world->args, &world->ledger));
    world->ledger.epoch = 8;
    assert_true(weir_look_in(&world->args, &world->ledger));
    assert_int_equal(world->ledger.available[1], 3);
    free(world);
}

/* ---- commands ------------------------------------------------------------------------------------ */

static void a_raise_releases_buckets(void **state)
{
    struct world *world = make_world(WEIR_ENGINE_SOFT, 0);
    struct weir_ledger *ledger = &world->ledger;
    struct weir_command_words command = {.epoch = 1, .kind = WEIR_COMMAND_RAISE, .buckets = 3};
    (void)state;
    ledger->plan.order.bucket = 14;
    ledger->look[WEIR_LOOK_URGENCY] = ~UINT32_C(130);
    weir_take_command(&world->args, ledger, &command);
    assert_int_equal(ledger->epoch, 1);
    assert_int_equal(ledger->plan.order.threshold, 130);
    assert_int_equal(ledger->plan.order.bucket, 1);
    assert_int_equal(ledger->bucket_pending, 1u << 14 | 1u << 15 | 1u << 0);
    assert_int_equal(ledger->far_pending, 0); /* 130 is not below 130 */
    command.epoch = 2;
    command.buckets = 1;
    weir_take_command(&world->args, ledger, &command);
    assert_true(ledger->far_pending);
    assert_int_equal(ledger->raises, 2);
    assert_int_equal(ledger->width_sum, 4);
    assert_int_equal(ledger->width_count, 2);
    ledger->plan.order.delta = 0x10000000u;
    command.epoch = 3;
    command.buckets = WEIR_BUCKETS;
    weir_take_command(&world->args, ledger, &command);
    assert_int_equal(ledger->plan.order.threshold, UINT32_MAX); /* saturates */
    assert_int_equal(ledger->end, WEIR_ENGINE_RUNS);
    free(world);
}

static void other_commands(void **state)
{
    struct world *world = make_world(WEIR_ENGINE_SOFT, 0);
    struct weir_ledger *ledger = &world->ledger;
    struct weir_command_words command = {
        .epoch = 5, .kind = WEIR_COMMAND_REBASE, .threshold = 900, .delta = 20};
    (void)state;
    ledger->plan.order.bucket = 9;
    ledger->width_sum = ledger->width_count = 3;
    ledger->look[WEIR_LOOK_URGENCY] = ~UINT32_C(2000);
    weir_take_command(&world->args, ledger, &command);
    assert_int_equal(ledger->plan.order.threshold, 900);
    assert_int_equal(ledger->plan.order.delta, 20);
    assert_int_equal(ledger->plan.order.bucket, 0);
    assert_int_equal(ledger->width_sum | ledger->width_count, 0);
    assert_true(ledger->far_pending); /* all are sorted anew */
    command = (struct weir_command_words){.epoch = 6, .kind = WEIR_COMMAND_DONE};
    weir_take_command(&world->args, ledger, &command);
    assert_int_equal(ledger->end, WEIR_ENGINE_DONE);
    assert_int_equal(ledger->raises, 1);
    free(world);
    world = make_world(WEIR_ENGINE_BULK, 0);
    command = (struct weir_command_words){.epoch = 1, .kind = WEIR_COMMAND_RAISE};
    weir_take_command(&world->args, &world->ledger, &command);
    assert_int_equal(world->ledger.plan.order.near_bag, WEIR_BAG_NEAR + 1);
    assert_int_equal(world->ledger.plan.order.threshold, 100);
    free(world);
}

/* ---- how many ------------------------------------------------------------------------------------- */

static void enough_blocks_are_woken(void **state)
{
    struct weir_engine_args args = {.block_least_log = 3};
    (void)state;
    for (uint32_t total = 1; total < 10000; total++) {
        uint32_t log = weir_blocks_log(&args, total);
        assert_true(8u << log >= total);
        assert_true(log == 0 || 8u << (log - 1) < total);
    }
    assert_int_equal(weir_blocks_log(&args, UINT32_MAX), 29);
}

static void all_is_fetched_evenly(void **state)
{
    struct weir_engine_args args = {.fetch_least = 8, .worker = WEIR_ENGINE_WARP};
    (void)state;
    for (uint32_t total = 1; total < 3000; total++) {
        uint32_t each = weir_fetch_now(&args, total, 10, 16);
        assert_in_range(each, 8, 32);
        /* One fetch each is enough where a set holds as many. */
        assert_true(each == 32 || each * 10 >= total);
    }
    args.fetch = args.fetch_least = 5; /* asked for */
    assert_int_equal(weir_fetch_now(&args, 1000000, 10, 16), 5);
    args = (struct weir_engine_args){.fetch_least = 8, .worker = WEIR_ENGINE_BLOCK};
    assert_int_equal(weir_fetch_now(&args, 1000000, 10, 16), 512);
}

/* ---- woven rings --------------------------------------------------------------------------------- */

#define NARROW 64u

/* Three items wait, around the end of a ring of 16. */
static struct world *make_woven_world(void)
{
    struct world *world = make_world(WEIR_ENGINE_SOFT, 1);
    world->args.narrow = NARROW;
    world->args.seed_channel = 1;
    world->args.woven_mask = 15;
    world->args.woven_in = 1;
    world->control.in[0].woven = (uint64_t *)(void *)world->ring;
    world->control.woven_waiting[0] = 3;
    world->ledger.woven_head[0] = world->control.woven_next[0] = 14;
    world->ledger.woven_waits = 1;
    return world;
}

static void expect_woven(const struct world *world, uint32_t number, uint32_t before)
{
    const char *ring = world->ring;
    expect_segment(world, number, WEIR_SEGMENT_WOVEN, ring + 14 * 16, before + 2);
    expect_segment(world, number + 1, WEIR_SEGMENT_WOVEN, ring, before + 3);
    assert_int_equal(world->control.woven_next[0], 17);
}

static void narrow_rounds_take_what_is_woven(void **state)
{
    struct world *world = make_woven_world();
    (void)state;
    assert_int_equal(weir_plan_make(&world->args, &world->ledger), 0);
    world->ledger.look[WEIR_BAG_NEAR] = NARROW;
    assert_int_equal(weir_plan_make(&world->args, &world->ledger), NARROW);
    assert_true(weir_plan_is_near(&world->ledger));
    assert_int_equal(world->control.woven_next[0], 14);
    free(world);
}

static void others_plan_it(void **state)
{
    struct world *world = make_woven_world();
    (void)state;
    world->ledger.look[WEIR_BAG_NEAR] = NARROW + 1;
    assert_int_equal(weir_plan_make(&world->args, &world->ledger), NARROW + 4);
    expect_woven(world, 1, NARROW + 1);
    free(world);
    world = make_woven_world();
    world->ledger.wide_until = 1; /* rounds are not narrow */
    assert_int_equal(weir_plan_make(&world->args, &world->ledger), 3);
    expect_woven(world, 0, 0);
    free(world);
}

/* Narrow rounds count from the first slot of the bag on, where near items lie that a choked worker does not process. */
static void a_choked_worker_begins_no_narrow_round_upon_near_items(void **state)
{
    struct world *world = make_woven_world();
    (void)state;
    world->ledger.look[WEIR_BAG_HELD] = ROOM / 2 + 1;
    assert_int_equal(weir_plan_make(&world->args, &world->ledger), 0); /* none lie there */
    world->ledger.look[WEIR_BAG_NEAR] = 5;
    assert_int_equal(weir_plan_make(&world->args, &world->ledger), 3);
    expect_woven(world, 0, 0);
    assert_int_equal(world->ledger.plan.took, 0);
    free(world);
}

static void what_is_taken_is_counted_and_given_back(void **state)
{
    struct world *world = make_woven_world();
    uint32_t credit = 0;
    (void)state;
    world->control.in[0].woven_credit = &credit;
    world->control.woven_credited[0] = 12;
    world->ledger.woven_head[0] = 15; /* narrow rounds took one */
    assert_int_equal(weir_return_woven(&world->args, &world->ledger, 0), 1);
    assert_int_equal(weir_return_woven(&world->args, &world->ledger, 0), 0);
    assert_int_equal(credit, 0); /* less than a quarter */
    world->control.woven_next[0] = 16;
    assert_int_equal(weir_return_woven(&world->args, &world->ledger, 1), 0); /* a plan took it */
    assert_int_equal(world->ledger.woven_head[0], 16);
    assert_int_equal(credit, 16);
    free(world);
}

/* A worker that gets more than a quarter of its items from others has wide rounds for some time. */
static void who_gets_much_has_wide_rounds(void **state)
{
    struct world *world = make_woven_world();
    const uint64_t near = weir_word_make(7, WEIR_ACTION_NEAR, 0, 3, 5);
    (void)state;
    world->args.bag[WEIR_BAG_NEAR].room = ROOM;
    world->ledger.rounds = 10;
    world->ledger.processed = WEIR_WOVEN_JUDGED - 1;
    weir_judge_exchange(&world->ledger, WEIR_WOVEN_JUDGED); /* it is too early to say */
    assert_false(weir_stays_wide(&world->ledger));
    world->ledger.processed = WEIR_WOVEN_JUDGED;
    weir_judge_exchange(&world->ledger, 0);
    assert_true(weir_stays_wide(&world->ledger));
    world->ledger.rounds += WEIR_WOVEN_WIDE;
    assert_false(weir_stays_wide(&world->ledger));
    world->ledger.processed += WEIR_WOVEN_JUDGED;
    weir_judge_exchange(&world->ledger, WEIR_WOVEN_JUDGED / WEIR_WOVEN_SHARE);
    assert_false(weir_stays_wide(&world->ledger));
    /* The word says so, and the words that blocks make of it by themselves. */
    assert_true(weir_is_narrow(&world->args, near, 64));
    assert_false(weir_is_narrow(&world->args, near | WEIR_WORD_WIDE, 64));
    assert_true(weir_decide_near(&world->args, near | WEIR_WORD_WIDE, 6) & WEIR_WORD_WIDE);
    assert_false(weir_decide_near(&world->args, near, 6) & WEIR_WORD_WIDE);
    free(world);
}

/* ---- pace ---------------------------------------------------------------------------------------- */

static void a_worker_waits_for_those_behind(void **state)
{
    struct world *world = make_world(WEIR_ENGINE_SOFT, 1);
    uint32_t told[2] = {0, 0};
    uint32_t *const clock_of[2] = {&told[0], &told[1]};
    (void)state;
    world->args.pace = 1;
    world->mail.clock[0] = WEIR_CLOCK_NONE; /* its own */
    world->mail.clock[1] = 8;
    world->ledger.clock = 7;
    weir_pace_begin(&world->args, &world->ledger, clock_of);
    assert_int_equal(told[1], 8);
    assert_int_equal(told[0], 0);
    weir_pace_keep(&world->args, &world->ledger); /* level */
    assert_int_equal(world->ledger.paced, 0);
    weir_pace_begin(&world->args, &world->ledger, clock_of);
    weir_pace_keep(&world->args, &world->ledger); /* ahead: it looks, and goes on in the end */
    assert_int_equal(world->ledger.paced, 1);
    world->mail.clock[1] = WEIR_CLOCK_NONE; /* idle */
    weir_pace_begin(&world->args, &world->ledger, clock_of);
    weir_pace_keep(&world->args, &world->ledger);
    assert_int_equal(world->ledger.paced, 1);
    weir_pace_wake(&world->args, &world->ledger); /* there is nobody to take a clock from */
    assert_int_equal(world->ledger.clock, 10);
    world->mail.clock[1] = 99;
    weir_pace_wake(&world->args, &world->ledger);
    assert_int_equal(world->ledger.clock, 99);
    free(world);
}

/* A thread of a host device looks at all channels in, of which there are more than it has lanes, and asks for a decision only if
 * something came by one. */
static void rounds_go_on_while_nothing_comes(void **state)
{
    enum { CHANNELS = 5 };
    struct world *world = make_world(WEIR_ENGINE_SOFT, CHANNELS);
    (void)state;
    for (uint32_t l = 0; l < CHANNELS; l++)
        world->mail.in_tail[l] = world->ledger.in_head[l] = 7 * l;
    assert_false(weir_peek_judge(&world->args, &world->ledger,
                                 weir_peek_look(&world->args, &world->ledger)));
    for (uint32_t l = 0; l < CHANNELS; l++) {
        world->mail.in_tail[l]++;
        assert_true(weir_peek_judge(&world->args, &world->ledger,
                                    weir_peek_look(&world->args, &world->ledger)));
        world->mail.in_tail[l]--;
    }
    free(world);
}

/* Threads of a host device add to one word, and wait at another, which has nothing before the last one has come. */
static void threads_wait_apart_from_where_they_arrive(void **state)
{
    enum { THREADS = 3 };
    struct world *world = make_world(WEIR_ENGINE_SOFT, 0);
    struct weir_engine_block block = {0};
    const struct weir_engine_thread self = weir_thread_make(&world->args, &block, 0, THREADS);
    (void)state;
    for (uint32_t g = 0; g < 2 * WEIR_ARRIVALS; g++) {
        const uint64_t word = weir_word_make(g, WEIR_ACTION_NEAR, 0, 2, 1);
        const uint64_t *at = weir_complete_at(&self, word);
        uint64_t *added = weir_arrivals_at(&self, word);
        assert_true(at != added);
        world->control.complete[g % WEIR_ARRIVALS] = *added = weir_arrivals_none(g);
        for (uint32_t t = 0; t < THREADS; t++) {
            assert_int_equal(weir_arrivals_blocks(*at), 0);
            weir_add_arrivals(&self, word, THREADS, weir_arrivals_one(10 + t, 0));
        }
        assert_int_equal(*at, *added);
        assert_int_equal(weir_arrivals_pushed(weir_await_arrivals(&self, word, THREADS)), 33);
    }
    free(world);
}

/* ---- where words lie ------------------------------------------------------------------------------ */

/* All blocks add to the tails of bags, and a slice of a GPU's cache does the additions to a line one after the other: with all tails in one
 * line shortest paths of R-MAT graphs took 1.3 times as long. */
static void tails_lie_in_lines_of_their_own(void **state)
{
    static struct weir_control control;
    static const struct weir_engine_args args = {.control = &control};
    (void)state;
    for (uint32_t b = 1; b < WEIR_BAGS; b++)
        assert_true((char *)weir_bag_tail(&args, b) - (char *)weir_bag_tail(&args, b - 1) >= 128);
}

/* ---- where tiles are cut --------------------------------------------------------------------------- */

/* At what a warp has to do on average, between two bounds, but in narrow rounds. 10 blocks of one warp, as those of this compiler are. */
static void tiles_are_cut_at_a_warps_share(void **state)
{
    static const struct {
        uint32_t items, cut;
    } rounds[] = {{200, 256}, {320, 256}, {500, 400}, {1280, 1024}, {1u << 31, 1024}};
    struct world *world = make_world(WEIR_ENGINE_SOFT, 0);
    struct weir_engine_block *block = calloc(1, sizeof *block);
    (void)state;
    assert_non_null(block);
    world->args.cut = 1024;
    world->args.cut_least = 256;
    world->args.tile_atoms = 8;
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        const uint64_t word = weir_word_make(7, WEIR_ACTION_NEAR, 0, 4, rounds[i].items);
        world->args.narrow = 0;
        weir_block_begins(&world->args, block, 10, word);
        assert_int_equal(block->word, word);
        assert_int_equal(block->cut, rounds[i].cut);
        world->args.narrow = 300;
        world->args.block_least_log = 10;
        weir_block_begins(&world->args, block, 10, word);
        assert_int_equal(block->cut, rounds[i].items <= 300 ? 1024 : rounds[i].cut);
    }
    world->args.narrow = 0;
    world->args.cut_least = world->args.cut; /* a host device */
    assert_int_equal(weir_cut_of(&world->args, weir_word_make(7, WEIR_ACTION_NEAR, 0, 4, 1), 10),
                     1024);
    free(block);
    free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_says_what_was_put_in),
        cmocka_unit_test(a_near_bag_needs_no_plan),
        cmocka_unit_test(a_spilled_bag_has_two_segments),
        cmocka_unit_test(pieces_come_alone),
        cmocka_unit_test(a_round_has_no_more_than_it_can_count),
        cmocka_unit_test(bulk_reads_the_generation_before),
        cmocka_unit_test(released_buckets_and_far_items_are_read),
        cmocka_unit_test(held_items_wait_for_a_credit),
        cmocka_unit_test(a_choked_worker_sends_and_takes_in),
        cmocka_unit_test(a_choked_worker_with_too_many_near_items),
        cmocka_unit_test(a_channel_that_wraps_has_two_segments),
        cmocka_unit_test(every_channel_is_read_in_time),
        cmocka_unit_test(bulk_leaves_channels_that_are_ahead),
        cmocka_unit_test(a_raise_releases_buckets),
        cmocka_unit_test(other_commands),
        cmocka_unit_test(enough_blocks_are_woken),
        cmocka_unit_test(tiles_are_cut_at_a_warps_share),
        cmocka_unit_test(tails_lie_in_lines_of_their_own),
        cmocka_unit_test(all_is_fetched_evenly),
        cmocka_unit_test(narrow_rounds_take_what_is_woven),
        cmocka_unit_test(others_plan_it),
        cmocka_unit_test(a_choked_worker_begins_no_narrow_round_upon_near_items),
        cmocka_unit_test(what_is_taken_is_counted_and_given_back),
        cmocka_unit_test(who_gets_much_has_wide_rounds),
        cmocka_unit_test(rounds_go_on_while_nothing_comes),
        cmocka_unit_test(threads_wait_apart_from_where_they_arrive),
        cmocka_unit_test(a_worker_waits_for_those_behind),
    };
    return cmocka_run_group_tests_name("decide", tests, NULL, NULL);
}
