/** @file bfs_step_look.h  A level bottom-up: what looks along the in-arcs of rows that are not found have in common, and those of a worker of
 * one lane. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_LOOK_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_LOOK_H

#include "algorithms/bfs/bfs_step_down.h"

#define BFS_WORDS   4u /* words of the bitmap that a worker of one lane has under way */
#define BFS_ABREAST 4u /* looks that a lane has under way in a long row */

/* Words of this device's part that have rows with arcs. The others are full, in both bitmaps, before the first run. */
WEIR_DEV uint32_t bfs_busy_words(const struct bfs_step_args *a)
{
    return (a->rows.busy + 31u) / 32;
}

/* Whether an arc leads to what is found. The bitmap does not change while a level looks at it. @param[in] number  BFS_NONE: there is
 * no arc. */
WEIR_DEV int bfs_met(const uint32_t *found, uint32_t number)
{
    return number != BFS_NONE && found[number / 32] >> (number & 31u) & 1u;
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
            const uint32_t hit =
                weir_ballot(bfs_met(found, number[k]) && arc >= first && arc < last);
            if (hit)
                return i + k * WEIR_LANES + weir_first_bit_u32(hit);
        }
    }
    return last;
}

/* What a thread did in a level bottom-up. `found` counts for the whole worker, and its first lane keeps it. */
struct bfs_up_tally {
    uint64_t arcs;  /* out-arcs of the vertices found */
    uint64_t found; /* vertices */
    struct bfs_ups ups;
};

/* Keep what the lanes for which `is` holds found: levels, parents, numbers of arcs.
 * @param[in] degree  of the row, out-arcs. @return a bit for each of them. */
WEIR_DEV uint32_t bfs_keep(const struct bfs_step_args *a, const struct bfs_walk *w,
                           struct bfs_up_tally *t, int is, uint32_t row, uint32_t by,
                           uint64_t degree)
{
    const uint32_t bits = weir_ballot(is);
    if (!bits)
        return 0;
    if (is) {
        a->level[row] = w->level + 1;
        if (a->parent)
            a->parent[row] = by;
        t->arcs += degree; /* of each lane; summed up at the end */
    }
    t->found += weir_popcount_u32(bits);
    return bits;
}

/* Out-arcs of a row, if its in-arcs are `in`. */
WEIR_DEV uint64_t bfs_out_arcs(const struct bfs_step_args *a, uint32_t row, uint64_t in)
{
    return a->rows.in.offsets == a->rows.out.offsets ? in : weir_rows_out_degree(&a->rows, row);
}

/* Look for a found neighbour of the rows row[k] for which want[k] holds.
 * @param[out] by  by[k] is that neighbour; BFS_NONE: there is none. */
WEIR_DEV void bfs_look(const struct bfs_step_args *a, const uint32_t *found, const uint32_t *row,
                       const int *want, uint32_t *by, struct bfs_up_tally *t)
{
    uint64_t at[BFS_WORDS], last[BFS_WORDS];
    for (uint32_t k = 0; k < BFS_WORDS; k++)
        by[k] = want[k] ? a->rows.in.firsts[row[k]] : BFS_NONE;
    for (uint32_t k = 0; k < BFS_WORDS; k++) {
        at[k] = last[k] = 0;
        t->ups.rows += (uint64_t)want[k];
        t->ups.arcs += by[k] != BFS_NONE;
        if (bfs_met(found, by[k])) {
            t->ups.firsts++;
            continue;
        }
        if (by[k] == BFS_NONE)
            continue;
        by[k] = BFS_NONE;
        at[k] = a->rows.in.offsets[row[k]] + 1;
        last[k] = a->rows.in.offsets[row[k] + 1];
    }
    for (;;) {
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
            return;
        for (uint32_t k = 0; k < BFS_WORDS; k++)
            if (number[k] != BFS_NONE) {
                t->ups.arcs++;
                if (bfs_met(found, number[k]))
                    by[k] = number[k];
            }
    }
}

/* Words at to at + BFS_WORDS - 1 of this part. Full words have no work but are still written, since the other bitmap is an
 * older one. */
WEIR_DEV void bfs_up_words(const struct bfs_step_args *a, const struct bfs_walk *w,
                           struct bfs_up_tally *t, uint32_t at)
{
    const uint32_t part_word = a->rows.begin / 32;
    const uint32_t *found = a->found[w->current][a->member.index];
    uint32_t word[BFS_WORDS];
    for (uint32_t k = 0; k < BFS_WORDS; k++)
        word[k] = found[part_word + at + k];
    for (uint32_t bit = 0; bit < 32; bit++) {
        uint32_t row[BFS_WORDS], by[BFS_WORDS];
        int want[BFS_WORDS], any = 0;
        for (uint32_t k = 0; k < BFS_WORDS; k++) {
            row[k] = (at + k) * 32 + bit;
            want[k] = !(found[part_word + at + k] >> bit & 1u);
            any |= want[k];
        }
        if (!any)
            continue;
        bfs_look(a, found, row, want, by, t);
        for (uint32_t k = 0; k < BFS_WORDS; k++)
            if (by[k] != BFS_NONE)
                word[k] |=
                    bfs_keep(a, w, t, 1, row[k], by[k], weir_rows_out_degree(&a->rows, row[k]))
                    << bit;
    }
    for (uint32_t d = 0; d < a->rows.parts; d++)
        for (uint32_t k = 0; k < BFS_WORDS; k++)
            a->found[w->current ^ 1][d][part_word + at + k] = word[k];
}

#endif
