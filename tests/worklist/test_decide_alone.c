/** @file test_decide_alone.c  What the decider of the only worker does by itself: it takes its own commands, raises the threshold
 *  early, and has what became near handed out. */
#include "tests/worklist/decide_fixture.h"

/* Enough for a round that hands out to be taken; the bags of the fixture hold 100 items. */
#define NARROW 64u

static struct weir_status_words statuses[2];

/* Two buckets hold items, and nothing else is there. */
static struct world *make_lone(uint32_t first, uint32_t second)
{
    struct world *world = make_world(WEIR_ENGINE_SOFT, 0);
    struct weir_ledger *ledger = &world->ledger;
    memset(statuses, 0, sizeof statuses);
    statuses[0].turn = 77;
    world->args.statuses = statuses;
    world->args.workers = 1;
    world->args.narrow = NARROW;
    world->args.target = 1000;
    ledger->look[WEIR_BAG_BUCKET] = first;
    ledger->look[WEIR_BAG_BUCKET + 1] = second;
    ledger->consumed = 40;
    ledger->produced = 40 + first + second;
    return world;
}

/* ---- commands ------------------------------------------------------------------------------------- */

static void it_takes_its_own_commands(void **state)
{
    struct world *world = make_lone(3, 4);
    struct weir_ledger *ledger = &world->ledger;
    (void)state;
    weir_wait(&world->args, ledger);
    assert_int_equal(ledger->raises, 1);
    assert_int_equal(ledger->early_raises, 0);
    assert_int_equal(ledger->epoch, 1);
    assert_int_equal(ledger->end, 0);
    assert_int_equal(ledger->bucket_pending & 3u, 3);
    assert_in_range(ledger->plan.order.threshold, 120, 100 + 10 * WEIR_BUCKETS);
    memset(ledger->look, 0, sizeof ledger->look);
    ledger->consumed = ledger->produced;
    weir_wait(&world->args, ledger);
    assert_int_equal(ledger->end, WEIR_ENGINE_DONE);
    /* No report was made, and no command came by its mail. */
    assert_int_equal(statuses[0].turn, 77);
    assert_int_equal(statuses[0].produced, 0);
    assert_int_equal(world->mail.command.epoch, 0);
    free(world);
}

/* Items under way would make it wait, until it is told to stop. */
static void it_takes_none_while_items_are_under_way(void **state)
{
    struct world *world = make_lone(3, 4);
    (void)state;
    world->ledger.produced++;
    world->control.look[WEIR_LOOK_STOP].word = 1;
    weir_wait(&world->args, &world->ledger);
    assert_int_equal(world->ledger.end, WEIR_ENGINE_STOPPED);
    assert_int_equal(world->ledger.raises, 0);
    free(world);
}

/* All buckets at a time where no round hands out, else half of them; fewer where it is to begin gradually. */
static void a_cheap_rise_is_a_small_one(void **state)
{
    struct world *world = make_lone(3, 4);
    (void)state;
    assert_int_equal(weir_raise_now(&world->args, &world->ledger), WEIR_BUCKETS / 2);
    world->ledger.sums.deferred = WEIR_HAND_OUT_MOST + 1;
    assert_int_equal(weir_raise_now(&world->args, &world->ledger), WEIR_BUCKETS);
    world->ledger.sums.deferred = WEIR_HAND_OUT_MOST;
    world->args.workers = 2;
    assert_int_equal(weir_raise_now(&world->args, &world->ledger), WEIR_BUCKETS);
    world->args.workers = 1;
    world->args.narrow = 0;
    assert_int_equal(weir_raise_now(&world->args, &world->ledger), WEIR_BUCKETS);
    world->args.narrow = NARROW;
    world->args.gradual = 1;
    assert_int_equal(weir_raise_now(&world->args, &world->ledger), 1);
    free(world);
}

/* ---- handing out ---------------------------------------------------------------------------------- */

static void what_became_near_is_handed_out(void **state)
{
    struct world *world = make_lone(60, 70);
    struct weir_ledger *ledger = &world->ledger;
    uint32_t total = 0;
    (void)state;
    weir_wait(&world->args, ledger);
    ledger->plan.order.window = 3;
    assert_int_equal(weir_plan_next(&world->args, ledger, &total), WEIR_ACTION_HAND_OUT);
    assert_int_equal(total, 130);
    expect_segment(world, 0, WEIR_SEGMENT_NEAR, &world->device[WEIR_BAG_BUCKET], 60);
    expect_segment(world, 1, WEIR_SEGMENT_NEAR, &world->device[WEIR_BAG_BUCKET + 1], 130);
    assert_int_equal(ledger->hand_outs, 1);
    assert_int_equal(ledger->plan.order.window, WEIR_BUCKETS);
    assert_int_equal(ledger->plan.order.early, 130 >> WEIR_EARLY_LOG);
    assert_false(weir_order_is_told(ledger)); /* so it is shown */
    weir_plan_show(&world->args, ledger);
    assert_true(weir_order_is_told(ledger));
    assert_int_equal(world->control.plan.order.early, 130 >> WEIR_EARLY_LOG);
    free(world);
}

static void not_all_is_handed_out(void **state)
{
    (void)state;
    for (uint32_t which = 0; which < 6; which++) {
        struct world *world = make_lone(60, 70);
        struct weir_ledger *ledger = &world->ledger;
        uint32_t total = 0, wanted = 130;
        weir_wait(&world->args, ledger);
        if (which == 0)
            world->args.workers = 2;
        if (which == 1)
            world->args.narrow = 0;
        if (which == 2) { /* items that may be far still */
            ledger->far_pending = 1;
            ledger->look[WEIR_BAG_FAR] = 1;
            wanted++;
        }
        if (which == 3) { /* near items of which some spilled */
            ledger->look[WEIR_BAG_NEAR] = ROOM + 1;
            wanted += ROOM + 1;
        }
        if (which == 4) { /* a bucket with very many */
            world->args.bag[WEIR_BAG_BUCKET].room = WEIR_HAND_OUT_MOST;
            ledger->look[WEIR_BAG_BUCKET] = WEIR_HAND_OUT_MOST - 70 + 1;
            wanted = WEIR_HAND_OUT_MOST + 1;
        }
        if (which == 5) { /* no bucket became near */
            ledger->bucket_pending = 0;
            ledger->look[WEIR_BAG_NEAR] = wanted = 5;
        }
        assert_int_equal(weir_plan_next(&world->args, ledger, &total),
                         which == 5 ? WEIR_ACTION_NEAR : WEIR_ACTION_PLAN);
        assert_int_equal(total, wanted);
        assert_int_equal(ledger->hand_outs, 0);
        assert_int_equal(ledger->plan.order.early, 0);
        free(world);
    }
}

/* A round that hands out has read what its plan says, and is counted as one that processed it. */
static void it_is_counted_as_what_it_read(void **state)
{
    struct world *world = make_lone(60, 70);
    struct weir_ledger *ledger = &world->ledger;
    const uint64_t word = weir_word_make(4, WEIR_ACTION_HAND_OUT, 0, 0, 130);
    struct weir_decision decision;
    uint32_t total = 0;
    (void)state;
    weir_wait(&world->args, ledger);
    assert_int_equal(weir_plan_next(&world->args, ledger, &total), WEIR_ACTION_HAND_OUT);
    assert_true(weir_is_narrow(&world->args, word, 4));
    assert_int_equal(weir_took(ledger, word), 3u << WEIR_BAG_BUCKET);
    memset(ledger->look, 0, sizeof ledger->look);
    ledger->look[WEIR_BAG_NEAR] = 20; /* the fresh ones are in the near bag */
    ledger->look[WEIR_LOOK_MOVED] = 20;
    weir_count_round(&world->args, ledger, word, &decision);
    assert_int_equal(ledger->produced, 170);
    assert_int_equal(ledger->consumed, 40 + 110);
    assert_int_equal(ledger->processed, 110); /* stale ones */
    assert_int_equal(ledger->rounds, 1);
    assert_int_equal(weir_decide_near(&world->args, word, 20),
                     weir_word_make(5, WEIR_ACTION_NEAR, 1, weir_blocks_log(&world->args, 20), 20));
    free(world);
}

/* ---- early ---------------------------------------------------------------------------------------- */

static void the_threshold_rises_when_few_are_left(void **state)
{
    (void)state;
    for (uint32_t near = 9; near <= 11; near++) {
        struct world *world = make_lone(60, 70);
        struct weir_ledger *ledger = &world->ledger;
        const int rises = near <= 10;
        uint32_t total = 0;
        ledger->plan.order.early = 10;
        ledger->look[WEIR_BAG_NEAR] = near;
        ledger->produced += near;
        assert_int_equal(weir_plan_next(&world->args, ledger, &total),
                         rises ? WEIR_ACTION_HAND_OUT : WEIR_ACTION_NEAR);
        assert_int_equal(total, rises ? 130 + near : near);
        assert_int_equal(ledger->early_raises, rises);
        assert_int_equal(ledger->raises, rises);
        assert_int_equal(ledger->plan.order.early, rises ? total >> WEIR_EARLY_LOG : 0);
        assert_int_equal(ledger->plan.order.near_bag, WEIR_BAG_NEAR + 1);
        free(world);
    }
}

static void it_does_not_rise_early_for_nothing(void **state)
{
    (void)state;
    for (uint32_t which = 0; which < 4; which++) {
        struct world *world = make_lone(which == 0 ? 0 : 60, 0);
        struct weir_ledger *ledger = &world->ledger;
        uint32_t total = 0;
        ledger->plan.order.early = which == 1 ? 0 : 10;
        ledger->look[WEIR_BAG_NEAR] = 5;
        ledger->produced += 5;
        if (which == 2) /* some are under way */
            ledger->produced++;
        if (which == 3) /* the last rise is not over */
            ledger->bucket_pending = 1;
        (void)weir_plan_next(&world->args, ledger, &total);
        assert_int_equal(ledger->raises, 0);
        assert_int_equal(ledger->early_raises, 0);
        free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_takes_its_own_commands),
        cmocka_unit_test(it_takes_none_while_items_are_under_way),
        cmocka_unit_test(a_cheap_rise_is_a_small_one),
        cmocka_unit_test(what_became_near_is_handed_out),
        cmocka_unit_test(not_all_is_handed_out),
        cmocka_unit_test(it_is_counted_as_what_it_read),
        cmocka_unit_test(the_threshold_rises_when_few_are_left),
        cmocka_unit_test(it_does_not_rise_early_for_nothing),
    };
    return cmocka_run_group_tests_name("decide alone", tests, NULL, NULL);
}
