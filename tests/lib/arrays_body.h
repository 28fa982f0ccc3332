/** @file arrays_body.h  The body of arrays.h: look, write, pass a barrier, look at what the others wrote. */
#ifndef WEIR_TESTS_LIB_ARRAYS_BODY_H
#define WEIR_TESTS_LIB_ARRAYS_BODY_H

#include "tests/lib/arrays.h"

/* What a thread found. */
struct arrays_found {
    uint64_t wrong, seen;
};

WEIR_DEV void arrays_expect(struct arrays_found *f, uint64_t is, uint64_t want)
{
    f->seen++;
    f->wrong += is != want;
}

/* What the table promises before a run. */
WEIR_DEV void arrays_before(const struct arrays_args *a, const struct weir_steps_block *b,
                            struct arrays_found *f)
{
    const uint32_t me = a->member.index, count = a->member.count;
    const uint64_t thread = weir_steps_thread(b), threads = weir_steps_threads(b);
    for (uint64_t i = thread; i < 4; i += threads)
        arrays_expect(f, a->one[i], 0x5A5A5A5Au);
    for (uint64_t row = thread; row < a->owned; row += threads) {
        arrays_expect(f, a->origin[row], 3 * (a->first[me] + row));
        arrays_expect(f, a->own[row], 3 * (a->first[me] + row));
        arrays_expect(f, a->once[row], 0x11111111u + a->run);
        arrays_expect(f, a->some[row], 0x22222222u + (row < ARRAYS_SOME ? 0 : a->run));
    }
    for (uint64_t d = thread; d < count; d += threads)
        arrays_expect(f, a->devices[d], 0);
    for (uint64_t i = thread; i < a->first[count]; i += threads)
        arrays_expect(f, a->all[me][i], 0);
    for (uint64_t i = thread; i < (a->first[count] + UINT64_C(31)) / 32; i += threads)
        arrays_expect(f, a->words[me][i], 0xFFFFFFFFu);
    arrays_expect(f, a->none != 0, 0);
    arrays_expect(f, a->left_out != 0, 0);
    arrays_expect(f, a->inbox[me] != 0 || a->outbox[me] != 0, 0);
}

/* Every element is overwritten that is to be reset, and what others are to see is written there. */
WEIR_DEV void arrays_write(const struct arrays_args *a, const struct weir_steps_block *b)
{
    const uint32_t me = a->member.index, count = a->member.count;
    const uint64_t thread = weir_steps_thread(b), threads = weir_steps_threads(b);
    for (uint64_t i = thread; i < 4; i += threads)
        a->one[i] = 1;
    for (uint64_t row = thread; row < a->owned; row += threads) {
        a->own[row] = 5;
        a->once[row]++;
        a->some[row]++;
        for (uint32_t d = 0; d < count; d++)
            a->all[d][a->first[me] + row] = a->first[me] + (uint32_t)row + a->run;
    }
    for (uint64_t d = thread; d < count; d += threads)
        a->devices[d] = d + 1;
    for (uint64_t i = a->first[me] / 32 + thread; i < a->first[me + 1] / 32; i += threads)
        for (uint32_t d = 0; d < count; d++)
            a->words[d][i] = (uint32_t)i;
    for (uint32_t d = 0; d < count; d++)
        for (uint64_t i = thread; d != me && i < arrays_items(d, me); i += threads)
            a->outbox[d][i] = me * 1000 + (uint32_t)i + a->run;
}

/* What all devices have written. */
WEIR_DEV void arrays_after(const struct arrays_args *a, const struct weir_steps_block *b,
                           struct arrays_found *f)
{
    const uint32_t me = a->member.index, count = a->member.count;
    const uint64_t thread = weir_steps_thread(b), threads = weir_steps_threads(b);
    for (uint64_t i = thread; i < a->first[count]; i += threads)
        arrays_expect(f, a->all[me][i] == 0 || a->all[me][i] == i + a->run, 1);
    for (uint64_t row = thread; row < a->owned; row += threads)
        arrays_expect(f, a->all[me][a->first[me] + row], a->first[me] + row + a->run);
    for (uint64_t i = thread; i < a->first[count] / 32; i += threads)
        arrays_expect(f, a->words[me][i], i);
    for (uint32_t d = 0; d < count; d++)
        for (uint64_t i = thread; d != me && i < arrays_items(me, d); i += threads)
            arrays_expect(f, a->inbox[d][i], d * UINT64_C(1000) + i + a->run);
    for (uint64_t i = thread; i < a->first[count]; i += threads)
        arrays_expect(f, weir_steps_owner(a->first, (uint32_t)i), i / ARRAYS_EACH);
}

WEIR_DEV void arrays_body(const struct arrays_args *a, struct arrays_shared *shared,
                          struct weir_steps_block *b)
{
    struct weir_steps_page *page = weir_steps_mine(&a->member);
    struct arrays_found found = {0, 0};
    uint64_t total[WEIR_STEPS_SUMS];
    if (b->thread == 0)
        shared->wrong = 0;
    arrays_before(a, b, &found);
    if (weir_steps_sync(&a->member, b, b->blocks, 0, 0, total))
        return;
    arrays_write(a, b);
    if (weir_steps_sync(&a->member, b, b->blocks, 0, 0, total))
        return;
    arrays_after(a, b, &found);
    weir_atomic_add_block_u64(&shared->wrong, found.wrong);
    weir_atomic_add_relaxed_dev_u64(&page->result[ARRAYS_SEEN], found.seen);
    weir_block_sync();
    if (b->thread == 0)
        weir_atomic_add_relaxed_dev_u64(&page->result[ARRAYS_WRONG], shared->wrong);
}

/** Behind the body: count what it has left in `own`. */
WEIR_DEV void arrays_epilogue(const struct arrays_args *a, const struct weir_steps_block *b)
{
    uint64_t *result = weir_steps_mine(&a->member)->result;
    for (uint64_t row = weir_steps_thread(b); row < a->owned; row += weir_steps_threads(b))
        weir_atomic_add_relaxed_dev_u64(&result[ARRAYS_AFTER], a->own[row] == 5);
}

#endif
