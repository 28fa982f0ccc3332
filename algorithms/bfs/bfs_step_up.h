/** @file bfs_step_up.h  A level bottom-up: from the vertices not found along their in-arcs; and the ways
 * from one direction to the other. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_UP_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_UP_H

#include "algorithms/bfs/bfs_step_chunk.h"

/* The least words of a chunk (bfs_step_chunk.h). */
#define BFS_LEAST_SPAN 4u

/* Words of this device's part. */
WEIR_DEV uint32_t bfs_words(const struct bfs_step_args *a)
{
    return (a->rows.first[a->rows.part + 1] - a->rows.begin) / 32;
}

/** All blocks search a level. They write the other bitmap, here and on all devices. */
WEIR_DEV void bfs_up(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                     struct weir_steps_block b, struct bfs_walk w)
{
    struct bfs_up_tally t = {0, 0, {0, 0, 0}};
    const uint32_t words = bfs_busy_words(a), worker = weir_steps_warp(&b);
    const uint32_t workers = b.blocks * b.threads / WEIR_LANES;
    if (WEIR_LANES == 1u) {
        for (uint32_t at = worker * BFS_LINE; at < words; at += workers * BFS_LINE)
            bfs_up_line(a, &w, &t, at);
    } else {
        /* Chunks so small that each worker has some. */
        uint32_t span = WEIR_LANES;
        while (span > BFS_LEAST_SPAN && words < workers * span * 2u)
            span /= 2;
        WEIR_ROLLED
        for (uint32_t at = worker * span; at < words; at += workers * span)
            bfs_up_chunk(a, &w, &shared->chunk[b.thread / WEIR_LANES], &t, at, span,
                         at + workers * span);
    }
    const struct bfs_tally did = {0, weir_sum_u64(t.arcs), t.found, 0, 0, 0, 0};
    bfs_flush(a, shared, &did);
    const struct bfs_ups ups = {weir_sum_u64(t.ups.arcs), weir_sum_u64(t.ups.rows),
                                weir_sum_u64(t.ups.firsts)};
    if (weir_lane() == 0) {
        weir_atomic_add_block_u64(&shared->ups.arcs, ups.arcs);
        weir_atomic_add_block_u64(&shared->ups.rows, ups.rows);
        weir_atomic_add_block_u64(&shared->ups.firsts, ups.firsts);
    }
}

/** From bottom-up to top-down: what the last level found becomes a stretch of the queue. */
WEIR_DEV void bfs_list(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                       struct weir_steps_block b, struct bfs_walk w)
{
    const uint32_t *now = a->found[w.current][a->member.index] + a->rows.begin / 32;
    const uint32_t *before = a->found[w.current ^ 1][a->member.index] + a->rows.begin / 32;
    const uint32_t words = bfs_busy_words(a), threads = b.blocks * b.threads;
    struct bfs_tally t = {0, 0, 0, 0, 0, 0, 0};
    WEIR_ROLLED
    for (uint32_t base = weir_steps_warp(&b) * WEIR_LANES; base < words; base += threads) {
        const uint32_t at = base + weir_lane();
        uint32_t bits = at < words ? now[at] & ~before[at] : 0;
        WEIR_ROLLED
        while (weir_ballot(bits != 0)) {
            const int is = bits != 0;
            bfs_put(a, shared, &t, is, is ? at * 32 + weir_first_bit_u32(bits) : 0, BFS_STEALS);
            bits &= bits - 1;
        }
    }
    bfs_flush(a, shared, &t);
}

/* All blocks copy their device's part of the bitmap to devices first to behind - 1. */
WEIR_DEV void bfs_share_with(const struct bfs_step_args *a, const struct weir_steps_block *b,
                             const struct bfs_walk *w, uint32_t first, uint32_t behind)
{
    const uint32_t part_word = a->rows.begin / 32, words = bfs_words(a);
    const uint32_t *mine = a->found[w->current][a->member.index];
    WEIR_ROLLED
    for (uint32_t at = b->block * b->threads + b->thread; at < words; at += b->blocks * b->threads)
        for (uint32_t d = first; d < behind; d++)
            if (d != a->rows.part)
                a->found[w->current][d][part_word + at] = mine[part_word + at];
}

/** From top-down to bottom-up on several devices: each copies its part of the bitmap to the others. */
WEIR_DEV void bfs_share(const struct bfs_step_args *a, struct weir_steps_block b, struct bfs_walk w)
{
    bfs_share_with(a, &b, &w, 0, a->rows.parts);
}

#endif
