/** @file bfs_2d_wire.h  What devices tell each other in a search in two dimensions: EXPAND, FOLD, UPDATE, and parents in the end. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_2D_WIRE_H
#define WEIR_ALGORITHMS_BFS_BFS_2D_WIRE_H

#include "algorithms/bfs/bfs_2d_step.h"

/* How many rows a device was told, written down; by the first worker of block 0. @param[in] result  which bytes they are. */
WEIR_DEV void bfs_2d_told(const struct bfs_2d_args *a, const struct bfs_2d_walk *w, uint32_t to,
                          uint32_t count, uint32_t words, uint32_t result)
{
    (void)weir_steps_reserve(&a->member, to, count);
    if (weir_lane())
        return;
    const uint32_t sent = bfs_is_bitmap(a->wire, count, words) ? words : count;
    weir_add_relaxed_dev_u64(&weir_steps_mine(&a->member)->result[result], (uint64_t)sent * 4);
    if (w->level < BFS_2D_LEVELS)
        a->log[w->level].items[to] = count;
}

/* The bits of 32 rows of which this level begins with some, for the word that each lane has. All lanes.
 * @param[in] word  of lane 0; words behind the last row are 0. */
WEIR_DEV uint32_t bfs_2d_word(const struct bfs_2d_args *a, const struct bfs_2d_walk *w,
                              uint64_t word)
{
    uint32_t bits = 0;
    if (WEIR_LANES == 1u) {
        for (uint32_t i = 0; i < 32; i++)
            if (word * 32 + i < a->rows.owned && a->level[word * 32 + i] == w->level)
                bits |= 1u << i;
        return bits;
    }
    WEIR_ROLLED
    for (uint32_t k = 0; k < WEIR_LANES; k++) {
        const uint64_t row = (word + k) * 32 + weir_lane();
        const uint32_t its = weir_ballot(row < a->rows.owned && a->level[row] == w->level);
        bits = weir_lane() == k ? its : bits;
    }
    return bits;
}

/** EXPAND: the frontier of this device goes to the others of its column. */
WEIR_COLD void bfs_2d_expand(const struct bfs_2d_args *a, struct weir_steps_block b,
                             struct bfs_2d_walk w)
{
    const struct weir__cell *cell = &a->cell;
    const uint32_t count = w.to - w.from, words = bfs_2d_stretch(a, a->member.index) / 32;
    const int bitmap = bfs_is_bitmap(a->wire, count, words);
    const uint64_t end = !count ? 0 : bitmap ? words : count;
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(&b) * WEIR_LANES; base < end;
         base += weir_steps_threads(&b)) {
        const uint64_t at = base + weir_lane();
        const uint32_t item = bitmap     ? bfs_2d_word(a, &w, base)
                              : at < end ? a->queue[w.from + at]
                                         : 0;
        WEIR_ROLLED
        for (uint32_t row = 0; row < cell->rows; row++)
            if (row != cell->row && at < end)
                a->outbox[weir__cell_device(cell, row, cell->column)][at] = item;
    }
    if (b.block || b.thread >= WEIR_LANES || !count)
        return;
    WEIR_ROLLED
    for (uint32_t row = 0; row < cell->rows; row++)
        if (row != cell->row)
            bfs_2d_told(a, &w, weir__cell_device(cell, row, cell->column), count, words,
                        BFS_2D_RESULT_EXPAND_BYTES);
}

/** FOLD: what was met of others goes to them. */
WEIR_COLD void bfs_2d_fold(const struct bfs_2d_args *a, struct weir_steps_block b,
                           struct bfs_2d_walk w)
{
    const struct weir__cell *cell = &a->cell;
    WEIR_ROLLED
    for (uint32_t column = 0; column < cell->columns; column++) {
        const uint32_t first = cell->first[column], words = (cell->first[column + 1] - first) / 32;
        const uint32_t count =
            column == cell->column ? 0 : weir_load_relaxed_dev_u32(&a->met_of[column]);
        const uint32_t to = weir__cell_device(cell, cell->row, column);
        if (!count)
            continue;
        const int bitmap = bfs_is_bitmap(a->wire, count, words);
        const uint32_t *items = bitmap ? a->seen + first / 32 : a->met + first;
        const uint64_t end = bitmap ? words : count;
        WEIR_ROLLED
        for (uint64_t i = weir_steps_thread(&b); i < end; i += weir_steps_threads(&b))
            a->outbox[to][i] = items[i];
        if (b.block == 0 && b.thread < WEIR_LANES)
            bfs_2d_told(a, &w, to, count, words, BFS_2D_RESULT_FOLD_BYTES);
    }
}

/* A row is found for this device by another one, of the lanes for which @p is holds. All lanes. */
WEIR_DEV void bfs_2d_found(const struct bfs_2d_args *a, struct bfs_2d_shared *shared,
                           const struct bfs_2d_walk *w, int is, uint32_t row, uint32_t column)
{
    if (is) {
        a->level[row] = w->level + 1;
        if (a->parent)
            a->finder[row] = (uint8_t)column;
    }
    bfs_2d_put(a, shared, is, row);
}

/* A list of own rows. */
WEIR_DEV void bfs_2d_take_list(const struct bfs_2d_args *a, struct bfs_2d_shared *shared,
                               const struct weir_steps_block *b, const struct bfs_2d_walk *w,
                               const uint32_t *list, uint32_t count, uint32_t column)
{
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(b) * WEIR_LANES; base < count;
         base += weir_steps_threads(b)) {
        const uint64_t at = base + weir_lane();
        const uint32_t row = at < count ? list[at] : 0;
        const int is = at < count && bfs_2d_claim(a->seen, a->cell.first[a->cell.column] + row);
        bfs_2d_found(a, shared, w, is, row, column);
    }
}

/* A bitmap of own rows, of which some are known. */
WEIR_DEV void bfs_2d_take_bitmap(const struct bfs_2d_args *a, struct bfs_2d_shared *shared,
                                 const struct weir_steps_block *b, const struct bfs_2d_walk *w,
                                 const uint32_t *bitmap, uint32_t words, uint32_t column)
{
    uint32_t *seen = a->seen + a->cell.first[a->cell.column] / 32;
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)weir_steps_warp(b) * WEIR_LANES; base < words;
         base += weir_steps_threads(b)) {
        const uint64_t at = base + weir_lane();
        uint32_t fresh = at < words ? bitmap[at] : 0;
        if (fresh)
            fresh &= ~weir_load_relaxed_dev_u32(&seen[at]);
        if (fresh) /* another sender may have the same */
            fresh &= ~weir_atomic_or_relaxed_dev_u32(&seen[at], fresh);
        WEIR_ROLLED
        for (; weir_ballot(fresh != 0); fresh &= fresh - 1) {
            const int is = fresh != 0;
            const uint32_t row = is ? (uint32_t)at * 32 + weir_first_bit_u32(fresh) : 0;
            bfs_2d_found(a, shared, w, is, row, column);
        }
    }
}

/** UPDATE: take in what the others of the row have met. What this device has met is forgotten. */
WEIR_COLD void bfs_2d_update(const struct bfs_2d_args *a, struct bfs_2d_shared *shared,
                             struct weir_steps_block b, struct bfs_2d_walk w)
{
    const struct weir__cell *cell = &a->cell;
    const uint32_t words = bfs_2d_stretch(a, a->member.index) / 32;
    weir_steps_open(&a->member, &b, &shared->inboxes);
    WEIR_ROLLED
    for (uint32_t column = 0; column < cell->columns; column++) {
        const uint32_t from = weir__cell_device(cell, cell->row, column);
        if (column == cell->column)
            continue;
        const uint32_t count = (uint32_t)(shared->inboxes.end[from] - shared->inboxes.first[from]);
        if (count && bfs_is_bitmap(a->wire, count, words))
            bfs_2d_take_bitmap(a, shared, &b, &w, a->inbox[from], words, column);
        else if (count)
            bfs_2d_take_list(a, shared, &b, &w, a->inbox[from], count, column);
    }
    if (b.block == 0)
        for (uint32_t column = b.thread; column < cell->columns; column += b.threads)
            weir_store_relaxed_dev_u32(&a->met_of[column], 0);
}

/** In the end: the parents of what others found for this device lie with those who did. @return how many those are. */
WEIR_COLD uint64_t bfs_2d_parents(const struct bfs_2d_args *a, struct weir_steps_block b)
{
    const struct weir__cell *cell = &a->cell;
    const uint32_t first = cell->first[cell->column];
    uint64_t asked = 0;
    WEIR_ROLLED
    for (uint64_t row = weir_steps_thread(&b); row < a->rows.owned; row += weir_steps_threads(&b)) {
        const uint32_t column = a->finder[row];
        if (column == BFS_2D_HERE)
            continue;
        a->parent[row] = a->tail[weir__cell_device(cell, cell->row, column)][first + row];
        asked++;
    }
    return asked;
}

#endif
