/** @file bfs_step_absorb.h  The rest of a level top-down on several devices: what others found is taken in. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_ABSORB_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_ABSORB_H

#include "algorithms/bfs/bfs_step_down.h"

/** After a barrier: find out what came since the inboxes were opened last, and note how far they are read now; all threads of a
 *  block. The note is another one than the blocks read which open them now, so it needs no barrier of its own. */
WEIR_DEV void bfs_open(const struct bfs_step_args *a, const struct weir_steps_block *b,
                       const struct bfs_walk *w, struct weir_steps_inboxes *inboxes)
{
    for (uint32_t d = b->thread; d < a->rows.parts; d += b->threads) {
        const uint64_t end = weir_steps_told(&a->member, b, d);
        inboxes->first[d] = weir_load_relaxed_dev_u64(&a->taken[w->opened * WEIR_DEVICES_MAX + d]);
        inboxes->end[d] = end;
        if (b->block == 0)
            weir_store_relaxed_dev_u64(&a->taken[(w->opened ^ 1u) * WEIR_DEVICES_MAX + d], end);
    }
    weir_block_sync();
}

/* Words of an item: a number, and its parent, unless that stays with the finder. */
WEIR_DEV uint32_t bfs_item_words(const struct bfs_step_args *a)
{
    return a->parent && !BFS_WIRES ? 2 : 1;
}

/* A row is taken in as a device found it, for an item of its inbox. */
WEIR_DEV void bfs_take(const struct bfs_step_args *a, const struct bfs_walk *w, uint32_t device,
                       uint32_t row, uint64_t item)
{
    a->level[row] = w->level;
    if (!a->parent)
        return;
    if (BFS_WIRES)
        a->finder[row] = (uint8_t)device;
    else
        a->parent[row] = a->inbox[device][2 * item + 1];
}

/* Where the lanes of a worker are many: BFS_AT_ONCE items a lane of what a device sent. @param[in] until  of bfs_put_many(). */
WEIR_DEV void bfs_absorb_many(const struct bfs_step_args *a, const struct bfs_walk *w,
                              struct bfs_tally *t, uint32_t device, uint32_t base, uint32_t end,
                              uint64_t until)
{
    const uint32_t *inbox = a->inbox[device];
    uint32_t number[BFS_AT_ONCE], row[BFS_AT_ONCE];
    int is[BFS_AT_ONCE];
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++) {
        const uint64_t i = (uint64_t)base + k * WEIR_LANES + weir_lane();
        is[k] = i < end;
        number[k] = inbox[(is[k] ? i : end - 1) * bfs_item_words(a)];
        row[k] = number[k] - a->rows.begin;
    }
    const int any = bfs_claim_many(a->found[w->current][a->member.index], is, number);
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++) {
        const uint64_t i = (uint64_t)base + k * WEIR_LANES + weir_lane();
        if (is[k])
            bfs_take(a, w, device, row[k], i);
    }
    if (weir_ballot(any))
        bfs_put_many(a, t, is, row, until, a->bytes ? BFS_IN_SHORT : 1);
}

/* One item after the other, by a worker of one lane. */
WEIR_DEV void bfs_absorb_alone(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                               const struct bfs_walk *w, struct bfs_tally *t, uint32_t device,
                               uint32_t i)
{
    const uint32_t number = a->inbox[device][(uint64_t)i * bfs_item_words(a)];
    const uint32_t row = number - a->rows.begin;
    if (!bfs_claim(a->found[w->current][a->member.index], number))
        return;
    bfs_take(a, w, device, row, i);
    bfs_put(a, shared, t, 1, row, 1);
}

#if BFS_WIRES
/* A bitmap of own rows, of which some are known. @param[in] until  of bfs_put_many(). */
WEIR_DEV void bfs_absorb_bits(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                              const struct weir_steps_block *b, const struct bfs_walk *w,
                              struct bfs_tally *t, uint32_t device, uint64_t until)
{
    const uint32_t *bits = a->inbox[device];
    uint32_t *found = a->found[w->current][a->member.index] + a->rows.begin / 32;
    const uint32_t words = bfs_stretch_words(a, a->rows.part);
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(b) * WEIR_LANES; base < words;
         base += (uint64_t)w->awake * b->threads) {
        const uint64_t at = base + weir_lane();
        uint32_t fresh = at < words ? bits[at] : 0;
        if (fresh)
            fresh &= ~weir_load_relaxed_dev_u32(&found[at]);
        if (fresh) /* another sender may have the same */
            fresh &= ~weir_atomic_or_relaxed_dev_u32(&found[at], fresh);
        WEIR_ROLLED
        while (weir_ballot(fresh != 0)) {
            uint32_t row[BFS_AT_ONCE];
            int is[BFS_AT_ONCE];
            for (uint32_t k = 0; k < BFS_AT_ONCE; k++) {
                is[k] = fresh != 0;
                row[k] = is[k] ? (uint32_t)at * 32 + weir_first_bit_u32(fresh) : 0;
                if (is[k])
                    bfs_take(a, w, device, row[k], 0);
                fresh &= fresh - 1;
            }
            for (uint32_t k = 0; k < BFS_AT_ONCE && WEIR_LANES == 1u; k++)
                if (is[k])
                    bfs_put(a, shared, t, 1, row[k], 1);
            if (WEIR_LANES > 1u)
                bfs_put_many(a, t, is, row, until, a->bytes ? BFS_IN_SHORT : 1);
        }
    }
}
#endif

/** The blocks that are awake take in what other devices found, whose level is this one already. */
WEIR_DEV void bfs_absorb(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                         struct weir_steps_block b, struct bfs_walk w)
{
    const uint32_t each = WEIR_LANES == 1u ? 1 : WEIR_LANES * BFS_AT_ONCE;
    const uint32_t step = w.awake * b.threads / WEIR_LANES * each;
    /* What is not to be put into the queue: all, where not all of the level is there. A worker of one lane puts it there all the same. */
    const uint64_t until = w.enough == BFS_UNLISTED;
    struct bfs_tally t = {0, 0, 0, 0, 0, 0, 0};
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->rows.parts; d++) {
#if BFS_WIRES /* what comes lies at the begin of the inbox, each time */
        const uint32_t first = 0;
        const uint32_t end = (uint32_t)(shared->inboxes.end[d] - shared->inboxes.first[d]);
        if (end && bfs_is_bitmap(a->wire, end, bfs_stretch_words(a, a->rows.part))) {
            bfs_absorb_bits(a, shared, &b, &w, &t, d, until);
            continue;
        }
#else
        const uint32_t first = (uint32_t)shared->inboxes.first[d];
        const uint32_t end = (uint32_t)shared->inboxes.end[d];
#endif
        WEIR_ROLLED
        for (uint32_t base = first + weir_steps_warp(&b) * each; base < end; base += step) {
            if (WEIR_LANES == 1u)
                bfs_absorb_alone(a, shared, &w, &t, d, base);
            else
                bfs_absorb_many(a, &w, &t, d, base, end, until);
        }
    }
    bfs_flush(a, shared, &t);
}

#endif
