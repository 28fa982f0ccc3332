/** @file test_narrow_words.c  What narrow rounds say in words and arrivals, what comes next, and what blocks may keep. */
#include "tests/algorithms/narrow_fixture.h"

static void other_words_have_no_queued_items(void **state)
{
    static const uint32_t counts[] = {0, 1, 0xFFFF, 0x10000, 0xABCD1234, UINT32_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint64_t word = weir_word_make(7, WEIR_ACTION_PLAN, 1, 31, counts[i]);
        assert_int_equal(weir_word_queued(word), 0);
        assert_int_equal(weir_word_count(word), counts[i]);
        assert_int_equal(weir_word_shared(word), counts[i]);
    }
}

static void narrow_words_say_which_items_are_queued(void **state)
{
    static const uint32_t parts[][2] = {
        {0, 1}, {1, 1}, {300, 1000}, {32767, 32768}, {65535, 65535}};
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint64_t word = queued_word(0xFFFFF, 1, 9, parts[i][0], parts[i][1]);
        assert_int_equal(weir_word_queued(word), parts[i][0]);
        assert_int_equal(weir_word_count(word), parts[i][1]);
        assert_int_equal(weir_word_shared(word), parts[i][1] - parts[i][0]);
        /* and all else as in any other word */
        assert_int_equal(weir_word_generation(word), 0xFFFFF);
        assert_int_equal(weir_word_action(word), WEIR_ACTION_NEAR);
        assert_int_equal(weir_word_near_bag(word), 1);
        assert_int_equal(weir_word_blocks_log(word), 9);
        assert_true(weir_word_has_bounds(word));
    }
}

/* Generations have 20 bits, the uppermost of the word. */
static void a_later_word_differs_in_its_generation_alone(void **state)
{
    static const uint32_t generations[] = {0, 1, 0x7FFFF, 0xFFFFE, 0xFFFFF};
    const uint64_t rest = ((uint64_t)1 << 44) - 1;
    (void)state;
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++) {
        uint64_t word = queued_word(generations[i], 1, 31, 0xFFFF, 0xFFFF);
        uint64_t later = weir_word_later(word);
        assert_int_equal(weir_word_generation(later), (generations[i] + 1) & 0xFFFFF);
        assert_int_equal(later & rest, word & rest);
        assert_true(weir_word_is_newer(later, word));
    }
}

/* ---- arrivals ----------------------------------------------------------------------------------- */

enum { BLOCKS = 512 }; /* of a narrow round, at the most */

/* Arrivals of all: each pushed that many and saw that; together they keep @p own items. */
static uint64_t all_arrive(uint32_t pushed, uint32_t own, int special)
{
    uint64_t sum = weir_arrivals_none(0xAB);
    for (uint32_t b = 0; b < BLOCKS; b++)
        sum += weir_arrivals_one_narrow(pushed, own / BLOCKS + (b < own % BLOCKS), special);
    return sum;
}

/* Each field at its most alone, and all of them: no sum carries into the field beside it. */
static void arrivals_of_all_blocks_fit_side_by_side(void **state)
{
    (void)state;
    for (uint32_t which = 0; which < 8; which++) {
        const uint32_t pushed = which & 1 ? WEIR_NARROW_PUSHED : 0;
        const uint32_t own = which & 2 ? WEIR_NARROW_QUEUED : 0;
        const uint64_t sum = all_arrive(pushed, own, which & 4);
        assert_true(weir_arrivals_are_of(sum, 0xAB));
        assert_int_equal(weir_arrivals_pushed_narrow(sum), BLOCKS * pushed);
        assert_int_equal(weir_arrivals_queued(sum), own);
        assert_int_equal(weir_arrivals_special(sum), which & 4 ? BLOCKS : 0);
        assert_int_equal(weir_arrivals_blocks(sum), BLOCKS);
    }
}

/* The decider looks at the bag's tail then; nobody needs the sum. */
static void to_push_more_than_a_sum_holds_is_special(void **state)
{
    static const uint32_t more[] = {WEIR_NARROW_PUSHED + 1, 1u << 21, UINT32_MAX};
    (void)state;
    uint64_t one = weir_arrivals_one_narrow(WEIR_NARROW_PUSHED, 3, 0);
    assert_int_equal(weir_arrivals_special(one), 0);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        one = weir_arrivals_one_narrow(more[i], 3, 0);
        assert_int_equal(weir_arrivals_special(one), 1);
        assert_int_equal(weir_arrivals_queued(one), 3);
        assert_int_equal(weir_arrivals_blocks(one), 1);
        one = weir_arrivals_one_narrow(more[i], 3, 1); /* is special for two reasons, once */
        assert_int_equal(weir_arrivals_special(one), 1);
    }
}

/* Where rounds are not narrow one field has the bits of two. */
static void arrivals_of_other_rounds_have_one_large_sum(void **state)
{
    uint64_t sum = weir_arrivals_none(0xAB);
    (void)state;
    assert_int_equal(weir_arrivals_pushed(weir_arrivals_one(UINT32_MAX, 0)), UINT32_MAX);
    for (uint32_t b = 0; b < WEIR_BLOCKS_MOST; b++)
        sum += weir_arrivals_one(UINT32_MAX / WEIR_BLOCKS_MOST, 1);
    assert_int_equal(weir_arrivals_pushed(sum), UINT32_MAX / WEIR_BLOCKS_MOST * WEIR_BLOCKS_MOST);
    assert_int_equal(weir_arrivals_special(sum), WEIR_BLOCKS_MOST);
    assert_int_equal(weir_arrivals_blocks(sum), WEIR_BLOCKS_MOST);
    assert_true(weir_arrivals_are_of(sum, 0xAB));
}

/* ---- the next word ------------------------------------------------------------------------------ */

/* After a round of that word, with so many items kept and pushed. */
static uint64_t next_after(uint64_t word, uint32_t own, uint32_t pushed, int special)
{
    uint64_t arrivals = weir_arrivals_none(weir_word_generation(word)) +
                        weir_arrivals_one_narrow(pushed, own, special);
    return weir_next_narrow(&block.args.work, word, arrivals, block.base.order.early);
}

static void block_0_decides_where_there_is_something_to(void **state)
{
    const uint64_t word = queued_word(5, 0, 2, 10, 20);
    struct weir_engine_args *work = &block.args.work;
    (void)state;
    assert_int_not_equal(next_after(word, 10, 10, 0), 0);
    assert_int_equal(next_after(word, 10, 10, 1), 0); /* something special */
    assert_int_equal(next_after(word, 0, 0, 0), 0);   /* nothing is left */
    assert_int_not_equal(next_after(word, NARROW - 10, 10, 0), 0);
    assert_int_equal(next_after(word, NARROW - 10, 11, 0), 0); /* that is not narrow */
    work->bag[WEIR_BAG_NEAR].room = 10;
    work->bag[WEIR_BAG_NEAR + 1].room = 10;
    assert_int_not_equal(next_after(word, 500, 10, 0), 0); /* queued items need no room in it */
    assert_int_equal(next_after(word, 0, 11, 0), 0);
    block.base.order.early = 9; /* so few are left that the threshold may rise */
    assert_int_equal(next_after(word, 4, 5, 0), 0);
    assert_int_not_equal(next_after(word, 5, 5, 0), 0);
    block.base.order.early = 0;
    work->narrow = 0;
    assert_int_equal(next_after(word, 1, 0, 0), 0);
}

static void the_next_word_says_who_has_what(void **state)
{
    (void)state;
    for (uint32_t bag = 0; bag < 2; bag++)
        for (uint32_t own = 0; own < 200; own += 7)
            for (uint32_t pushed = own == 0; pushed < 200; pushed += 11) {
                uint64_t next = next_after(queued_word(0xFFFFF, bag, 0, 3, 4), own, pushed, 0);
                assert_int_equal(weir_word_generation(next), 0); /* after the last */
                assert_int_equal(weir_word_action(next), WEIR_ACTION_NEAR);
                assert_int_equal(weir_word_near_bag(next), bag ^ 1);
                assert_int_equal(weir_word_queued(next), own);
                assert_int_equal(weir_word_shared(next), pushed);
                assert_true(weir_word_has_bounds(next));
            }
}

/* To at most 4 items a block here, while there are more blocks. */
static void more_items_are_spread_to_more_blocks(void **state)
{
    const struct weir_engine_args *work = &block.args.work;
    uint32_t before = 0;
    (void)state;
    for (uint32_t count = 1; count <= NARROW; count++) {
        const uint64_t next =
            next_after(queued_word(1, 0, 0, 0, 1), count / 2, count - count / 2, 0);
        const uint32_t log = weir_word_blocks_log(next);
        assert_true(log >= before);
        assert_true(log <= work->narrow_blocks_log);
        if (log < work->narrow_blocks_log)
            assert_true(count <= 1u << (log + work->narrow_items_log));
        if (log > 0) /* and half as many blocks would not do */
            assert_true(count > 1u << (log - 1 + work->narrow_items_log));
        before = log;
    }
    assert_int_equal(before, work->narrow_blocks_log);
}

/* Blocks with queued items take part. */
static void blocks_never_get_fewer(void **state)
{
    const uint32_t most = block.args.work.narrow_blocks_log;
    (void)state;
    for (uint32_t log = 0; log <= most; log++)
        for (uint32_t own = 1; own <= NARROW; own = own * 2 + 1) {
            uint64_t next = next_after(queued_word(1, 0, log, 0, 1), own, 0, 0);
            assert_in_range(weir_word_blocks_log(next), log, most);
        }
}

/* ---- what blocks may keep ----------------------------------------------------------------------- */

/* The limit after a round in which @p before items were shared and the block queued @p own; now @p shared of 100 items
 * are, and 8 blocks take part: 20 are fair. */
static uint32_t limit_of(uint32_t before, uint32_t shared, uint32_t own)
{
    const uint64_t word = queued_word(5, 0, 3, 50, 50 + before);
    const uint64_t next = queued_word(6, 1, 3, 100 - shared, 100);
    block.base.queue.count[0] = 33;
    block.base.queue.count[1] = own;
    block.base.queue.limit[0] = UNTOUCHED;
    block.base.queue.limit[1] = QUEUE_MOST;
    weir_block_queue_swap(&block.args.work, &block.base.queue, word, next, own);
    /* The half that was read is empty now; that which is read next is as it was. */
    assert_int_equal(block.base.queue.count[0], 0);
    assert_int_equal(block.base.queue.count[1], own);
    assert_int_equal(block.base.queue.limit[1], QUEUE_MOST);
    return block.base.queue.limit[0];
}

static void a_block_keeps_what_it_can_while_nobody_shares(void **state)
{
    (void)state;
    assert_int_equal(limit_of(0, 0, 0), QUEUE_MOST);
    assert_int_equal(limit_of(0, 0, 20), QUEUE_MOST);
    assert_int_equal(limit_of(9, 0, 20), QUEUE_MOST); /* nor shares any longer */
}

static void all_give_in_the_first_round_that_shares(void **state)
{
    (void)state;
    assert_int_equal(limit_of(0, 1, 0), 100 / 8 + FAIR_ABOVE);
    assert_int_equal(limit_of(0, 100, 10), 100 / 8 + FAIR_ABOVE);
    assert_int_equal(limit_of(1, 1, 10), QUEUE_MOST); /* in the second they keep again */
}

static void a_block_gives_that_has_far_too_much(void **state)
{
    const uint32_t fair = 100 / 8 + FAIR_ABOVE;
    (void)state;
    assert_int_equal(limit_of(0, 0, 2 * fair), QUEUE_MOST);
    assert_int_equal(limit_of(0, 0, 2 * fair + 1), fair);
    assert_int_equal(limit_of(7, 7, 2 * fair + 1), fair); /* shared or not */
    block.args.work.queue_most = 2 * (2 * fair + 5);
    assert_int_equal(limit_of(0, 0, 2 * fair + 5), 2 * (2 * fair + 5)); /* fits its warps */
    assert_int_equal(limit_of(0, 0, 2 * fair + 6), fair);
}

static void a_fair_share_is_never_more_than_fits(void **state)
{
    (void)state;
    block.args.work.queue_most = 16;
    assert_int_equal(limit_of(0, 1, 0), 16);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(other_words_have_no_queued_items),
        TEST(narrow_words_say_which_items_are_queued),
        TEST(a_later_word_differs_in_its_generation_alone),
        TEST(arrivals_of_all_blocks_fit_side_by_side),
        TEST(to_push_more_than_a_sum_holds_is_special),
        TEST(arrivals_of_other_rounds_have_one_large_sum),
        TEST(block_0_decides_where_there_is_something_to),
        TEST(the_next_word_says_who_has_what),
        TEST(more_items_are_spread_to_more_blocks),
        TEST(blocks_never_get_fewer),
        TEST(a_block_keeps_what_it_can_while_nobody_shares),
        TEST(all_give_in_the_first_round_that_shares),
        TEST(a_block_gives_that_has_far_too_much),
        TEST(a_fair_share_is_never_more_than_fits),
    };
    return cmocka_run_group_tests_name("words of narrow rounds", tests, NULL, NULL);
}
