/** @file bfs_step_look.h  A level bottom-up: what looks along the in-arcs of rows that are not found have in common, and those of a worker of
 * one lane. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_LOOK_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_LOOK_H

#include "algorithms/bfs/bfs_step_down.h"

/* Words that a thread of a host device takes one after the other: whole lines of its cache, so that no two threads write to
 * one. A part has a multiple of that (algorithms/rows.h). */
#define BFS_LINE    32u
#define BFS_PENDING 8u /* rows that it has under way behind their first arcs */
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

/* Rows that their first arcs did not settle, of a worker of one lane. */
struct bfs_pending {
    uint32_t count;
    uint32_t row[BFS_PENDING];
};

/* Rows look along their arcs behind the first, all of them at a time, so that several reads are under way. What they find goes into the
 * words of a line, which begins with word `at`. */
WEIR_DEV void bfs_look_on(const struct bfs_step_args *a, const struct bfs_walk *w,
                          const uint32_t *found, struct bfs_pending *pending,
                          struct bfs_up_tally *t, uint32_t at, uint32_t *word)
{
    uint64_t arc[BFS_PENDING], last[BFS_PENDING];
    const uint32_t count = pending->count;
    int any = count > 0;
    for (uint32_t k = 0; k < count; k++) {
        arc[k] = a->rows.in.offsets[pending->row[k]] + 1;
        last[k] = a->rows.in.offsets[pending->row[k] + 1];
    }
    while (any) {
        any = 0;
        for (uint32_t k = 0; k < count; k++) {
            if (arc[k] >= last[k])
                continue;
            const uint32_t row = pending->row[k], number = a->rows.in.targets[arc[k]++];
            t->ups.arcs++;
            any = 1;
            if (!bfs_met(found, number))
                continue;
            arc[k] = last[k];
            word[row / 32 - at] |= 1u << (row & 31u);
            (void)bfs_keep(a, w, t, 1, row, number, weir_rows_out_degree(&a->rows, row));
        }
    }
    pending->count = 0;
}

/* The rows of a word that are not found look at their first arcs, which lie side by side: without a jump for each, since nobody could
 * foresee it. @return the word with those that met what is found. */
WEIR_DEV uint32_t bfs_look_at_firsts(const struct bfs_step_args *a, const struct bfs_walk *w,
                                     const uint32_t *found, struct bfs_up_tally *t, uint32_t begin,
                                     uint32_t word)
{
    const uint32_t *firsts = &a->rows.in.firsts[begin];
    uint32_t hits = 0, looks = 0;
    for (uint32_t left = ~word; left; left &= left - 1) {
        const uint32_t bit = weir_first_bit_u32(left), number = firsts[bit];
        const uint32_t is = number != BFS_NONE, some = is ? number : 0;
        hits |= (found[some / 32] >> (some & 31u) & is) << bit;
        looks += is;
    }
    for (uint32_t left = hits; left; left &= left - 1) {
        const uint32_t bit = weir_first_bit_u32(left), row = begin + bit;
        (void)bfs_keep(a, w, t, 1, row, firsts[bit], weir_rows_out_degree(&a->rows, row));
    }
    t->ups.rows += weir_popcount_u32(~word);
    t->ups.arcs += looks;
    t->ups.firsts += weir_popcount_u32(hits);
    return word | hits;
}

/* A worker of one lane: words at to at + BFS_LINE - 1 of this part. Full words have no work but are still written, since the
 * other bitmap is an older one. */
WEIR_DEV void bfs_up_line(const struct bfs_step_args *a, const struct bfs_walk *w,
                          struct bfs_up_tally *t, uint32_t at)
{
    const int same = a->rows.in.offsets == a->rows.out.offsets; /* bytes tell of in-arcs too */
    const uint32_t part_word = a->rows.begin / 32 + at;
    const uint32_t *found = a->found[w->current][a->member.index];
    struct bfs_pending pending;
    uint32_t word[BFS_LINE];
    pending.count = 0;
    for (uint32_t k = 0; k < BFS_LINE; k++) {
        const uint32_t begin = (at + k) * 32;
        word[k] = found[part_word + k];
        if (word[k] == ~0u)
            continue;
        word[k] = bfs_look_at_firsts(a, w, found, t, begin, word[k]);
        for (uint32_t left = ~word[k]; left; left &= left - 1) {
            const uint32_t row = begin + weir_first_bit_u32(left);
            pending.row[pending.count] = row;
            pending.count += same ? a->rows.out_byte[row] > 1 : a->rows.in.firsts[row] != BFS_NONE;
            if (pending.count == BFS_PENDING)
                bfs_look_on(a, w, found, &pending, t, at, word);
        }
    }
    bfs_look_on(a, w, found, &pending, t, at, word);
    for (uint32_t d = 0; d < a->rows.parts; d++)
        for (uint32_t k = 0; k < BFS_LINE; k++)
            a->found[w->current ^ 1][d][part_word + k] = word[k];
}

#endif
