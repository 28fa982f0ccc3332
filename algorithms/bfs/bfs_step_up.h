/** @file bfs_step_up.h  A level bottom-up: from the vertices not found along their in-arcs; and the ways
 * from one direction to the other. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_UP_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_UP_H

#include "algorithms/bfs/bfs_step_down.h"

#define BFS_WORDS   4u  /* words of the bitmap that a worker has under way */
#define BFS_ABREAST 4u  /* looks that a lane has under way in a long row */
#define BFS_ALONE   16u /* arcs that a lane looks at before the worker does it together */

/* Words that a thread of a host device takes one after the other: whole lines of its cache, so that no two threads write to
 * one. A part has a multiple of that (algorithms/rows.h). */
#define BFS_LINE 32u

/* Bits of a word that a lane goes through: one on GPUs, where the lanes share a word; all on the host. */
#define BFS_BITS (32u / WEIR_LANES)

/* Words of this device's part. */
WEIR_DEV uint32_t bfs_words(const struct bfs_step_args *a)
{
    return (a->rows.first[a->rows.part + 1] - a->rows.begin) / 32;
}

/* The lanes of a worker look together along the arcs from `first` on. @param[in] lines  from the begin of its line, in whole lines.
 * @return the arc that led to what is found, in every lane; last: none. */
WEIR_COLD uint64_t bfs_look_together(const uint32_t *targets, const uint32_t *found, uint64_t first,
                                     uint64_t last, uint32_t lines)
{
    const uint64_t begin = lines ? first & ~(uint64_t)(WEIR_LANES - 1) : first;
    WEIR_ROLLED
    for (uint64_t i = begin; i < last; i += BFS_ABREAST * WEIR_LANES) {
        uint32_t number[BFS_ABREAST];
        for (uint32_t k = 0; k < BFS_ABREAST; k++) {
            const uint64_t arc = i + k * WEIR_LANES + weir_lane();
            number[k] = targets[arc < last ? arc : last - 1];
        }
        for (uint32_t k = 0; k < BFS_ABREAST; k++) {
            const uint64_t arc = i + k * WEIR_LANES + weir_lane();
            const int is = found[number[k] / 32] >> (number[k] & 31u) & 1u;
            const uint32_t hit = weir_ballot(is && arc >= first && arc < last);
            if (hit)
                return i + k * WEIR_LANES + weir_first_bit_u32(hit);
        }
    }
    return last;
}

/* Each lane looks for a found neighbour of its rows row[k] for which want[k] holds.
 * @param[out] by  by[k] is that neighbour; BFS_NONE: there is none. */
WEIR_DEV void bfs_look(const struct bfs_step_args *a, const uint32_t *found, const uint32_t *row,
                       const int *want, uint32_t *by, uint64_t *degree, struct bfs_tally *t)
{
    uint64_t at[BFS_WORDS], last[BFS_WORDS];
    for (uint32_t k = 0; k < BFS_WORDS; k++) {
        at[k] = last[k] = 0;
        by[k] = BFS_NONE;
        if (want[k]) {
            at[k] = a->rows.in.offsets[row[k]];
            last[k] = a->rows.in.offsets[row[k] + 1];
        }
        degree[k] = last[k] - at[k];
        t->up_rows += (uint64_t)want[k];
    }
    WEIR_ROLLED
    for (uint32_t i = 0; i < BFS_ALONE; i++) {
        uint32_t number[BFS_WORDS];
        int any = 0;
        for (uint32_t k = 0; k < BFS_WORDS; k++) {
            number[k] = BFS_NONE;
            if (by[k] == BFS_NONE && at[k] < last[k]) {
                number[k] = a->rows.in.targets[at[k]++];
                any = 1;
            }
        }
        if (!any)
            break;
        for (uint32_t k = 0; k < BFS_WORDS; k++)
            if (number[k] != BFS_NONE) {
                t->up_arcs++;
                /* The bitmap does not change while a level looks at it. */
                if (found[number[k] / 32] >> (number[k] & 31u) & 1u)
                    by[k] = number[k];
            }
    }
    for (uint32_t k = 0; k < BFS_WORDS; k++) {
        uint32_t left = weir_ballot(by[k] == BFS_NONE && at[k] < last[k]);
        WEIR_ROLLED
        for (; left; left &= left - 1) {
            const uint32_t lane = weir_first_bit_u32(left);
            const uint64_t arc =
                bfs_look_together(a->rows.in.targets, found, weir_broadcast_u64(at[k], lane),
                                  weir_broadcast_u64(last[k], lane), a->lines);
            if (weir_lane() == lane) {
                t->up_arcs += arc - at[k];
                by[k] = arc < last[k] ? a->rows.in.targets[arc] : BFS_NONE;
            }
        }
    }
}

/* Keep what the lanes found: levels, parents, numbers of arcs. @return a bit for each lane that found something. */
WEIR_DEV uint32_t bfs_keep(const struct bfs_step_args *a, const struct bfs_walk *w,
                           struct bfs_tally *t, uint32_t row, uint32_t by, uint64_t degree)
{
    const int is = by != BFS_NONE;
    const uint32_t bits = weir_ballot(is);
    if (!bits)
        return 0;
    if (is) {
        a->level[row] = w->level + 1;
        if (a->parent)
            a->parent[row] = by;
        if (a->rows.in.offsets != a->rows.out.offsets)
            degree = a->rows.out.offsets[row + 1] - a->rows.out.offsets[row];
    }
    t->arcs += is ? degree : 0; /* of each lane; summed up at the end */
    t->found += weir_popcount_u32(bits);
    return bits;
}

/* A worker takes words at to at + BFS_WORDS - 1 of this part. Full words have no work but are still written, since the
 * other bitmap is an older one. */
WEIR_DEV void bfs_up_words(const struct bfs_step_args *a, const struct bfs_walk *w,
                           struct bfs_tally *t, uint32_t at)
{
    const uint32_t part_word = a->rows.begin / 32;
    const uint32_t *found = a->found[w->current][a->member.index];
    uint32_t word[BFS_WORDS];
    for (uint32_t k = 0; k < BFS_WORDS; k++)
        word[k] = found[part_word + at + k];
    WEIR_ROLLED
    for (uint32_t bit = 0; bit < BFS_BITS; bit++) { /* once on a GPU */
        uint32_t row[BFS_WORDS], by[BFS_WORDS];
        uint64_t degree[BFS_WORDS];
        int want[BFS_WORDS], any = 0;
        for (uint32_t k = 0; k < BFS_WORDS; k++) {
            const uint32_t i = bit + weir_lane();
            row[k] = (at + k) * 32 + i;
            want[k] = !(found[part_word + at + k] >> i & 1u) && row[k] < a->rows.owned;
            any |= want[k];
        }
        if (!weir_ballot(any))
            continue;
        bfs_look(a, found, row, want, by, degree, t);
        for (uint32_t k = 0; k < BFS_WORDS; k++)
            word[k] |= bfs_keep(a, w, t, row[k], by[k], degree[k]) << bit;
    }
    /* Lane k + BFS_WORDS * d writes word k to device d. */
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < BFS_WORDS * a->rows.parts; i += WEIR_LANES) {
        uint32_t value = word[0];
        for (uint32_t k = 1; k < BFS_WORDS; k++)
            value = i % BFS_WORDS == k ? word[k] : value;
        a->found[w->current ^ 1][i / BFS_WORDS][part_word + at + i % BFS_WORDS] = value;
    }
}

/** All blocks search a level. They write the other bitmap, here and on all devices. */
WEIR_COLD struct bfs_tally bfs_up(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                                  struct weir_steps_block b, struct bfs_walk w)
{
    struct bfs_tally t = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    const uint32_t words = bfs_words(a);
    const uint32_t workers = b.blocks * b.threads / WEIR_LANES;
    if (WEIR_LANES == 1u) {
        for (uint32_t at = weir_steps_warp(&b) * BFS_LINE; at < words; at += workers * BFS_LINE)
            for (uint32_t k = 0; k < BFS_LINE; k += BFS_WORDS)
                bfs_up_words(a, &w, &t, at + k);
    } else {
        WEIR_ROLLED
        for (uint32_t at = weir_steps_warp(&b) * BFS_WORDS; at < words; at += workers * BFS_WORDS)
            bfs_up_words(a, &w, &t, at);
    }
    t.arcs = weir_sum_u64(t.arcs);
    bfs_flush(a, shared, &t);
    return t;
}

/** From bottom-up to top-down: what the last level found becomes a stretch of the queue. */
WEIR_COLD void bfs_list(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                        struct weir_steps_block b, struct bfs_walk w)
{
    const uint32_t *now = a->found[w.current][a->member.index] + a->rows.begin / 32;
    const uint32_t *before = a->found[w.current ^ 1][a->member.index] + a->rows.begin / 32;
    const uint32_t words = bfs_words(a), threads = b.blocks * b.threads;
    struct bfs_tally t = {0, 0, 0, 0, 0, 0, 0, 0, 0};
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
WEIR_COLD void bfs_share(const struct bfs_step_args *a, struct weir_steps_block b,
                         struct bfs_walk w)
{
    bfs_share_with(a, &b, &w, 0, a->rows.parts);
}

#endif
