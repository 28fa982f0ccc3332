/** @file beats_body.h  The body of beats.h. What every block adds, and how many are awake, follows from the step
 * and the device, so each block knows all sums without having been told. */
#ifndef WEIR_TESTS_LIB_BEATS_BODY_H
#define WEIR_TESTS_LIB_BEATS_BODY_H

#include "tests/lib/beats.h"

struct beats_shared {
    uint64_t first;
};

/* The step a block is at, of this run; the block's own may have begun anywhere. */
WEIR_DEV uint32_t beats_at(const struct beats_args *a, const struct weir_steps_block *b)
{
    return b->step - a->before;
}

/* Blocks of device d that are awake from the barrier of a step on; all in the end. */
WEIR_DEV uint32_t beats_want(const struct beats_args *a, const struct weir_steps_block *b,
                             uint32_t d, uint32_t step)
{
    uint32_t h = (step / 5 + 1) * 2654435761u + d * 40503u + a->seed;
    if (step >= a->steps)
        return b->blocks;
    h ^= h >> 15;
    h *= 0x85EBCA6Bu;
    h ^= h >> 13;
    return h & 0x300u ? h % b->blocks + 1 : 1;
}

/* Blocks of device d that arrive at a step's barrier: those that fall asleep then, too. */
WEIR_DEV uint32_t beats_arriving(const struct beats_args *a, const struct weir_steps_block *b,
                                 uint32_t d, uint32_t step)
{
    const uint32_t now = step ? beats_want(a, b, d, step - 1) : 1, next = beats_want(a, b, d, step);
    return now > next ? now : next;
}

/* At some steps nothing goes to sum 0, at some nothing to the others. */
WEIR_DEV int beats_first(uint32_t step)
{
    return step % 11 != 10;
}

WEIR_DEV int beats_more(uint32_t step)
{
    return step % 4 != 1;
}

WEIR_DEV uint64_t beats_value(uint32_t step, uint32_t d, uint64_t block)
{
    return (step % 7 + 1) * (block + 1) + d;
}

/* What a block adds to sum 0 beside its threads: as searches do, in two halves of the word. At some steps two
 * blocks are enough for more than 48 bits hold. */
WEIR_DEV uint64_t beats_upper(uint32_t step)
{
    return step % 3 ? 0 : UINT64_C(1) << (step % 2 ? 32 : 47);
}

/* Sum 0 of device d, as it would be. */
WEIR_DEV uint64_t beats_all(const struct beats_args *a, const struct weir_steps_block *b,
                            uint32_t d, uint32_t step)
{
    const uint64_t n = beats_arriving(a, b, d, step);
    return n * (n + 1) / 2 * (step % 7 + 1) + n * (d + b->threads + beats_upper(step));
}

/* Sum 0 of device d: of 48 bits. */
WEIR_DEV uint64_t beats_sum(const struct beats_args *a, const struct weir_steps_block *b,
                            uint32_t d, uint32_t step)
{
    return beats_all(a, b, d, step) & ((UINT64_C(1) << 48) - 1);
}

/* Before a barrier: sums, a word for each device, a cell. */
WEIR_DEV void beats_put(const struct beats_args *a, struct beats_shared *shared,
                        const struct weir_steps_block *b)
{
    const uint32_t me = a->member.index, s = beats_at(a, b);
    const uint64_t value = beats_value(s, me, b->block);
    if (beats_first(s))
        weir_atomic_add_block_u64(&shared->first, b->thread ? 1 : 1 + value + beats_upper(s));
    if (b->thread)
        return;
    for (uint32_t i = 1; i < WEIR_STEPS_SUMS && beats_more(s); i++)
        weir_steps_add(&a->member, b, i, i * value);
    a->cell[me][s % 2 * BEATS_BLOCKS_MAX + b->block] = (uint64_t)s * BEATS_BLOCKS_MAX + b->block;
    for (uint32_t d = 0; d < a->member.count && b->block == 0; d++)
        weir_store_relaxed_dev_u64(&weir_steps_mine(&a->member)->tell[d],
                                   (uint64_t)s * 4096 + me * 64 + d);
}

/* What the devices told at the barrier of step s. @return how much is wrong. */
WEIR_DEV uint64_t beats_told(const struct beats_args *a, const struct weir_steps_block *b,
                             uint32_t s)
{
    const uint32_t me = a->member.index;
    uint64_t wrong = 0;
    for (uint32_t from = 0; from < a->member.count; from++)
        wrong += weir_steps_told(&a->member, b, from) != (uint64_t)s * 4096 + from * 64 + me;
    return wrong + (weir_steps_own(&a->member, b) != (beats_first(s) ? beats_sum(a, b, me, s) : 0));
}

/* After the barrier of step s. @return how much is wrong. */
WEIR_DEV uint64_t beats_check(const struct beats_args *a, const struct weir_steps_block *b,
                              uint32_t s, const uint64_t *total, int sums)
{
    const uint32_t me = a->member.index, count = a->member.count;
    uint64_t want[2] = {0, 0}, wrong = 0;
    for (uint32_t d = 0; d < count; d++) {
        want[0] += beats_first(s) ? beats_sum(a, b, d, s) : 0;
        want[1] +=
            beats_all(a, b, d, s) - beats_arriving(a, b, d, s) * (b->threads + beats_upper(s));
    }
    wrong += total[0] != want[0];
    for (uint32_t i = 1; i < WEIR_STEPS_SUMS && sums; i++)
        wrong += total[i] != (beats_more(s) ? i * want[1] : 0);
    /* A cell that another block wrote, of this device or the next one. */
    const uint32_t d = (me + s % 2) % count, k = (b->block + 1) % beats_arriving(a, b, d, s);
    wrong += a->cell[d][s % 2 * BEATS_BLOCKS_MAX + k] != (uint64_t)s * BEATS_BLOCKS_MAX + k;
    return wrong + (count > 1 ? beats_told(a, b, s) : 0);
}

WEIR_DEV uint64_t beats_board(uint32_t step, uint32_t i)
{
    return ((uint64_t)step << 32) + i * 7;
}

/* Wait to be woken. @return as weir_steps_sync(). */
WEIR_DEV uint32_t beats_sleep(const struct beats_args *a, struct weir_steps_block *b,
                              uint64_t *wrong)
{
    uint64_t board[8];
    uint32_t blocks;
    const uint32_t stop = weir_steps_sleep(&a->member, b, board, &blocks), s = beats_at(a, b);
    if (stop)
        return stop;
    for (uint32_t i = 0; i < 8; i++)
        *wrong += board[i] != beats_board(s, i);
    *wrong += blocks != beats_want(a, b, a->member.index, s) || b->block >= blocks;
    if (s && a->member.count > 1) /* of the barrier that it slept through last */
        *wrong += beats_told(a, b, s - 1);
    if (b->thread == 0)
        weir_atomic_add_relaxed_dev_u64(&weir_steps_mine(&a->member)->result[BEATS_SLEPT], 1);
    return 0;
}

/* A step from its beginning to behind its barrier; or asleep behind the barrier, until another step. */
WEIR_DEV uint32_t beats_step(const struct beats_args *a, struct beats_shared *shared,
                             struct weir_steps_block *b, uint64_t *wrong)
{
    const struct weir_steps_member *m = &a->member;
    const uint32_t s = beats_at(a, b), arriving = beats_arriving(a, b, m->index, s);
    const uint32_t now = s ? beats_want(a, b, m->index, s - 1) : 1;
    const uint32_t next = beats_want(a, b, m->index, s);
    uint64_t *first = beats_first(s) ? &shared->first : NULL;
    uint64_t total[WEIR_STEPS_SUMS], board[8];
    uint32_t stop;
    for (uint32_t i = 0; i < 8; i++)
        board[i] = beats_board(s, i);
    if (next > now && b->block == 0)
        weir_steps_wake(m, b, next, board);
    beats_put(a, shared, b);
    if (b->block >= next) {
        weir_steps_leave(m, b, arriving, first);
        return beats_sleep(a, b, wrong);
    }
    const int alone = m->count == 1 && first && !beats_more(s);
    if (alone)
        stop = weir_steps_sync_alone(weir_steps_mine(m), b, arriving, b->threads, first, total);
    else
        stop = weir_steps_sync(m, b, arriving, first, beats_more(s), total);
    if (!stop)
        *wrong += beats_check(a, b, s, total, !alone);
    return stop;
}

/* Flags that an earlier run has left, counted before this device arrives at its first barrier: until then no other
 * device gets beyond that barrier, and so no flag of this run has another number than that of the first step. */
WEIR_DEV uint64_t beats_left(const struct beats_args *a)
{
    const struct weir_steps_page *page = weir_steps_mine(&a->member);
    uint64_t left = 0;
    for (uint32_t d = 0; d < a->member.count; d++)
        for (uint32_t i = 0; i < 2 * WEIR_STEPS_FLAG_WORDS; i++) {
            const uint64_t *word = page->from[i / WEIR_STEPS_FLAG_WORDS][d].word;
            const uint32_t step =
                (uint32_t)(weir_load_acquire_sys_u64(&word[i % WEIR_STEPS_FLAG_WORDS]) >> 32);
            left += step && step != a->before + 1;
        }
    return left;
}

/* The last step is that of `steps`, at which all are awake. */
WEIR_DEV uint32_t beats_count(const struct beats_args *a, struct beats_shared *shared,
                              struct weir_steps_block *b, uint64_t *wrong)
{
    b->step = a->before;
    if (b->block == 0 && b->thread == 0)
        *wrong += beats_left(a);
    uint32_t stop = b->block ? beats_sleep(a, b, wrong) : 0;
    while (!stop && beats_at(a, b) <= a->steps)
        stop = beats_step(a, shared, b, wrong);
    return stop;
}

/* Barriers that go on until there is a reason to stop. */
WEIR_DEV uint32_t beats_endless(const struct beats_args *a, struct weir_steps_block *b)
{
    const struct weir_steps_member *m = &a->member;
    uint64_t total[WEIR_STEPS_SUMS];
    uint32_t stop = 0, missing = 0;
    while (!stop) {
        if (b->step == a->steps && a->mode == BEATS_STUCK && m->index == 0)
            missing = 1;
        if (b->step == a->steps && a->mode == BEATS_STOPS && b->block == 0 && b->thread == 0)
            weir_store_relaxed_sys_u32(&weir_steps_mine(m)->stop, WEIR_STEPS_STOPPED);
        stop = weir_steps_sync(m, b, b->blocks + missing, NULL, 0, total);
    }
    return stop;
}

WEIR_DEV void beats_pass_time(uint64_t ns)
{
    const uint64_t until_ns = weir_clock_ns() + ns;
    while (weir_clock_ns() < until_ns)
        ;
}

/* A few long steps: none is waited for longer than another. */
WEIR_DEV uint32_t beats_slow(const struct beats_args *a, struct weir_steps_block *b)
{
    uint64_t total[WEIR_STEPS_SUMS];
    uint32_t stop = 0;
    while (!stop && b->step < a->steps) {
        beats_pass_time(BEATS_SLOW_NS);
        stop = weir_steps_sync(&a->member, b, b->blocks, NULL, 0, total);
    }
    return stop;
}

/* The flags of the last barrier come to device 0 when its body has ended. */
WEIR_DEV uint32_t beats_late(const struct beats_args *a, struct weir_steps_block *b)
{
    const struct weir_steps_member *m = &a->member;
    uint64_t total[WEIR_STEPS_SUMS], board[8];
    uint32_t stop = 0, blocks;
    while (!stop && b->step < a->steps)
        stop = weir_steps_sync(m, b, b->blocks, NULL, 0, total);
    if (m->index && b->block == 0)
        beats_pass_time(BEATS_LATE_NS);
    if (b->block == 0 && b->thread == 0)
        weir_store_relaxed_sys_u32(&weir_steps_mine(m)->stop, WEIR_STEPS_STOPPED);
    if (m->index == 0)
        return weir_steps_sync(m, b, b->blocks, NULL, 0, total);
    weir_steps_leave(m, b, b->blocks, NULL);
    return weir_steps_sleep(m, b, board, &blocks);
}

WEIR_DEV void beats_body(const struct beats_args *a, struct beats_shared *shared,
                         struct weir_steps_block *b)
{
    struct weir_steps_page *page = weir_steps_mine(&a->member);
    uint64_t wrong = 0, unused = 0;
    uint32_t stop;
    if (b->thread == 0)
        shared->first = 0;
    weir_block_sync();
    if (a->mode == BEATS_COUNT)
        stop = b->blocks <= BEATS_BLOCKS_MAX ? beats_count(a, shared, b, &wrong) : 1;
    else if (a->mode == BEATS_ASLEEP)
        stop = beats_sleep(a, b, &unused);
    else if (a->mode == BEATS_SLOW)
        stop = beats_slow(a, b);
    else if (a->mode == BEATS_LATE)
        stop = beats_late(a, b);
    else
        stop = beats_endless(a, b);
    if (wrong)
        weir_atomic_add_relaxed_dev_u64(&page->result[BEATS_WRONG], wrong);
    if (b->thread)
        return;
    if (!stop)
        weir_atomic_add_relaxed_dev_u64(&page->result[BEATS_CAME], 1);
    if (b->block)
        return;
    page->result[BEATS_BLOCKS] = b->blocks;
    page->result[BEATS_STEP] = beats_at(a, b);
    page->result[BEATS_LAST] = a->seed;
}

#endif
