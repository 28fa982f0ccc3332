/** @file letters_body.h  The body of letters.h, in the dialect. */
#ifndef WEIR_TESTS_LIB_LETTERS_BODY_H
#define WEIR_TESTS_LIB_LETTERS_BODY_H

#include "tests/lib/letters.h"

struct letters_shared {
    struct weir_steps_inboxes inboxes;
};

WEIR_DEV void letters_send(const struct letters_args *a, const struct letters_shared *shared,
                           const struct weir_steps_block *b, uint32_t to, uint32_t round)
{
    const uint32_t count = letters_count(a->member.index, to, round);
    const uint32_t threads = (uint32_t)weir_steps_threads(b);
    for (uint32_t base = weir_steps_warp(b) * WEIR_LANES; base < count; base += threads) {
        const uint32_t i = base + weir_lane();
        const uint64_t number = weir_steps_send(&a->member, to, weir_ballot(i < count));
        if (i < count)
            a->outbox[to][a->again ? number - shared->inboxes.sent[to] : number] =
                (uint64_t)round << 32 | i;
    }
}

/* The same items, to all devices at a time: those for each lie one behind the other, and a stride keeps lanes that are side by side
 * from having the same receiver for long. Some lanes have none. */
WEIR_DEV void letters_send_mixed(const struct letters_args *a, const struct letters_shared *shared,
                                 const struct weir_steps_block *b, uint32_t round)
{
    const struct weir_steps_member *m = &a->member;
    const uint32_t most = 301, slots = most * m->count, threads = (uint32_t)weir_steps_threads(b);
    for (uint32_t base = weir_steps_warp(b) * WEIR_LANES; base < slots; base += threads) {
        const uint32_t slot = base + weir_lane(), i = slot / m->count;
        uint32_t to = slot % m->count;
        if (slot >= slots || to == m->index || i >= letters_count(m->index, to, round))
            to = UINT32_MAX;
        const uint64_t number = weir_steps_send_to(m, to);
        if (to != UINT32_MAX)
            a->outbox[to][a->again ? number - shared->inboxes.sent[to] : number] =
                (uint64_t)round << 32 | i;
    }
}

WEIR_DEV uint64_t letters_absorb(const struct letters_args *a, const struct letters_shared *shared,
                                 const struct weir_steps_block *b, uint32_t from, uint32_t round)
{
    uint64_t *result = weir_steps_mine(&a->member)->result, came = 0;
    const uint64_t first = shared->inboxes.first[from], end = shared->inboxes.end[from];
    for (uint64_t i = first + weir_steps_thread(b); i < end; i += weir_steps_threads(b)) {
        const uint64_t item = a->inbox[from][a->again ? i - first : i];
        const uint32_t of = (uint32_t)(item >> 32);
        if (of != round && (a->again || of + 1 != round))
            (void)weir_atomic_add_relaxed_dev_u64(&result[LETTERS_WRONG], 1);
        (void)weir_atomic_add_relaxed_dev_u64(&result[LETTERS_CAME], 1);
        (void)weir_atomic_add_relaxed_dev_u64(&result[LETTERS_SUM], (uint32_t)item);
        came++;
    }
    return came;
}

WEIR_DEV void letters_body(const struct letters_args *a, struct letters_shared *shared,
                           struct weir_steps_block *b)
{
    uint64_t total[WEIR_STEPS_SUMS], since = weir_clock_ns(), all = 0;
    for (uint32_t d = b->thread; d < WEIR_DEVICES_MAX; d += b->threads)
        shared->inboxes.sent[d] = 0;
    weir_block_sync();
    for (uint32_t round = 0; round < a->rounds; round++) {
        for (uint32_t d = 0; d < a->member.count; d++)
            if (d != a->member.index && !a->mixed)
                letters_send(a, shared, b, d, round);
        if (a->mixed)
            letters_send_mixed(a, shared, b, round);
        if (weir_steps_sync(&a->member, b, b->blocks, 0, 0, total))
            return;
        if (a->again || round % 2 || round + 1 == a->rounds) {
            weir_steps_open(&a->member, b, &shared->inboxes);
            uint64_t came = 0;
            for (uint32_t d = 0; d < a->member.count; d++)
                came += letters_absorb(a, shared, b, d, round);
            if (weir_steps_sum(&a->member, b, came, &came))
                return;
            all += came;
            if (b->block == 0)
                weir_steps_close(&a->member, b, &shared->inboxes);
        }
        if (b->block == 0 && b->thread == 0)
            weir_steps_book(&a->member, &since, LETTERS_NS, LETTERS_STEPS);
    }
    if (b->block == 0 && b->thread == 0)
        weir_steps_mine(&a->member)->result[LETTERS_ALL] = all;
}

#endif
