/** @file bfs_fold.h  Levels top-down on several devices whose finds may go as bitmaps (`wire bitmap` and `auto`): what was found for others is
 * kept until the level is over, and then goes to each owner as whichever is shorter.
 *
 * A phase and its barrier come between the two of a level: DOWN, each device looks along its arcs, and notes what it finds of others;
 * FOLD, it sends each owner the numbers, or the bits of the owner's stretch; ABSORB, the owner takes in what it did not know. Of numbers
 * a device keeps no more than the owner's stretch has words of a bitmap, since a longer list never goes. The bits are those of the bitmap of
 * what this device knows to be found. They have all that it sent before, which costs the same, and the owner knows the rest.
 *
 * A tree takes nothing on the way: who finds a vertex of another device keeps the parent, the owner notes whose find it took in, and behind
 * the last level reads each parent that lies elsewhere, once.
 *
 * A kernel of its own (bfs_wire_body.h), so that the one whose finds are lists need not pay for it. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_FOLD_H
#define WEIR_ALGORITHMS_BFS_BFS_FOLD_H

#include "algorithms/bfs/bfs_step.h"
#include "algorithms/bfs/bfs_wire.h"

/* Words of a bitmap of what a device owns. */
WEIR_DEV uint32_t bfs_stretch_words(const struct bfs_step_args *a, uint32_t device)
{
    return (a->rows.first[device + 1] - a->rows.first[device]) / 32;
}

/* The first of so many places for numbers that a device is to be told. All lanes. */
WEIR_DEV uint32_t bfs_places(const struct bfs_step_args *a, uint32_t device, uint32_t count)
{
    uint32_t at = 0;
    if (weir_lane() == 0)
        at = weir_atomic_add_relaxed_dev_u32(&a->met_of[device], count);
    return weir_broadcast_u32(at, 0);
}

WEIR_DEV void bfs_note(const struct bfs_step_args *a, uint32_t device, uint32_t place,
                       uint32_t number)
{
    if (place < bfs_stretch_words(a, device))
        a->met[a->rows.first[device] / 32 + place] = number;
}

/* The owner will ask for the parent. */
WEIR_DEV void bfs_keep_parent(const struct bfs_step_args *a, uint32_t owner, uint32_t number,
                              uint32_t parent)
{
    a->inbox[owner][bfs_stretch_words(a, a->rows.part) + number - a->rows.first[owner]] = parent;
}

/* Keep the numbers of the lanes for which `is` holds for their owners. */
WEIR_COLD void bfs_send(const struct bfs_step_args *a, int is, uint32_t number, uint32_t parent)
{
    const uint32_t to = is ? weir_steps_owner(a->rows.first, number) : BFS_NONE;
    if (is && a->parent)
        bfs_keep_parent(a, to, number, parent);
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->rows.parts; d++) {
        const uint32_t those = weir_ballot(to == d);
        if (!those)
            continue;
        const uint32_t at = bfs_places(a, d, weir_popcount_u32(those));
        if (to == d)
            bfs_note(a, d, at + weir_popcount_u32(those & ((1u << weir_lane()) - 1)), number);
    }
}

/* The same of BFS_AT_ONCE numbers a lane. */
WEIR_DEV void bfs_send_many(const struct bfs_step_args *a, const int *is, const uint32_t *number,
                            uint32_t begin, const uint32_t *row)
{
    uint32_t to[BFS_AT_ONCE];
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++)
        to[k] = is[k] ? weir_steps_owner(a->rows.first, number[k]) : BFS_NONE;
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++)
        if (is[k] && a->parent)
            bfs_keep_parent(a, to[k], number[k], begin + row[k]);
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->rows.parts; d++) {
        uint32_t those[BFS_AT_ONCE], count = 0;
        for (uint32_t k = 0; k < BFS_AT_ONCE; k++)
            count += weir_popcount_u32(those[k] = weir_ballot(to[k] == d));
        if (!count)
            continue;
        uint32_t at = bfs_places(a, d, count);
        for (uint32_t k = 0; k < BFS_AT_ONCE; k++) {
            if (to[k] == d)
                bfs_note(a, d, at + weir_popcount_u32(those[k] & ((1u << weir_lane()) - 1)),
                         number[k]);
            at += weir_popcount_u32(those[k]);
        }
    }
}

/* How many vertices a device is told, written down; by the first worker of block 0. */
WEIR_DEV void bfs_tell(const struct bfs_step_args *a, uint32_t to, uint32_t count, uint64_t words,
                       int bitmap)
{
    uint64_t *result = weir_steps_mine(&a->member)->result;
    (void)weir_steps_reserve(&a->member, to, count);
    if (weir_lane())
        return;
    weir_add_relaxed_dev_u64(&result[BFS_RESULT_WIRE_BYTES], (bitmap ? words : count) * 4);
    weir_add_relaxed_dev_u64(&result[BFS_RESULT_BITMAPS], (uint64_t)bitmap);
}

/** FOLD: the blocks that are awake send each owner what was found of it in this level. */
WEIR_COLD void bfs_fold(const struct bfs_step_args *a, struct weir_steps_block b, struct bfs_walk w)
{
    const uint64_t threads = (uint64_t)w.awake * b.threads;
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->rows.parts; d++) {
        const uint32_t first = a->rows.first[d] / 32, words = bfs_stretch_words(a, d);
        const uint32_t count = d == a->rows.part ? 0 : weir_load_relaxed_dev_u32(&a->met_of[d]);
        if (!count)
            continue;
        const int bitmap = bfs_is_bitmap(a->wire, count, words);
        const uint32_t *items = (bitmap ? a->found[w.current][a->member.index] : a->met) + first;
        const uint64_t end = bitmap ? words : count;
        WEIR_ROLLED
        for (uint64_t i = weir_steps_thread(&b); i < end; i += threads)
            a->outbox[d][i] = items[i];
        if (b.block == 0 && b.thread < WEIR_LANES)
            bfs_tell(a, d, count, words, bitmap);
    }
}

/** Behind the body: parents of what others found for this device lie with those who did. @return how many those are. */
WEIR_DEV uint64_t bfs_ask(const struct bfs_step_args *a, const struct weir_steps_block *b)
{
    uint64_t asked = 0;
    WEIR_ROLLED
    for (uint64_t row = weir_steps_thread(b); a->parent && row < a->rows.owned;
         row += weir_steps_threads(b)) {
        const uint32_t finder = a->finder[row];
        if (finder == BFS_HERE)
            continue;
        a->parent[row] = a->outbox[finder][bfs_stretch_words(a, finder) + row];
        asked++;
    }
    return asked;
}

/* Before the next level: nothing is kept. */
WEIR_DEV void bfs_forget_met(const struct bfs_step_args *a, const struct weir_steps_block *b)
{
    for (uint32_t d = b->thread; b->block == 0 && d < a->rows.parts; d += b->threads)
        weir_store_relaxed_dev_u32(&a->met_of[d], 0);
}

#endif
