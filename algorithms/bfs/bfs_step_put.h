/** @file bfs_step_put.h  What a level top-down found: into the queue as pieces of rows, or to its owner. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_PUT_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_PUT_H

#include "algorithms/bfs/bfs_step.h"

/* Of a wide level, in place of 1: arcs in host memory are read in whole lines; all rows are shorter than WEIR_ROWS_BYTE. */
#define BFS_IN_LINES 2
#define BFS_IN_SHORT 3
#define BFS_FEW      8u /* entries that a lane writes alone */

/* Entry `i` of a row. */
WEIR_DEV struct bfs_piece bfs_piece_of(uint32_t row, uint64_t first, uint64_t last, uint32_t i)
{
    const uint64_t begin = first + (uint64_t)i * BFS_PIECE, left = last - begin;
    struct bfs_piece piece = {begin, row, (uint32_t)(left < BFS_PIECE ? left : BFS_PIECE)};
    return piece;
}

/* Write pieces 1 to `more` of the lanes' rows to the queue, from `at` on. A lane writes a few pieces itself; many are written by
 * all lanes together. */
WEIR_DEV void bfs_write_rest(struct bfs_piece *queue, uint32_t at, uint32_t more, uint32_t row,
                             uint64_t first, uint64_t last)
{
    WEIR_ROLLED
    for (uint32_t i = 0; i < more && more <= BFS_FEW; i++)
        queue[at + i] = bfs_piece_of(row, first, last, i + 1);
    WEIR_ROLLED
    for (uint32_t many = weir_ballot(more > BFS_FEW); many; many &= many - 1) {
        const uint32_t lane = weir_first_bit_u32(many), end = weir_broadcast_u32(more, lane);
        const uint32_t base = weir_broadcast_u32(at, lane), its = weir_broadcast_u32(row, lane);
        const uint64_t begin = weir_broadcast_u64(first, lane);
        const uint64_t behind = weir_broadcast_u64(last, lane);
        for (uint32_t i = weir_lane(); i < end; i += WEIR_LANES)
            queue[base + i] = bfs_piece_of(its, begin, behind, i + 1);
    }
}

/* Pieces of a row; one at the least. */
WEIR_DEV uint32_t bfs_pieces(uint64_t first, uint64_t last)
{
    const uint32_t pieces = (uint32_t)((last - first + BFS_PIECE - 1) / BFS_PIECE);
    return pieces > 1 ? pieces : 1;
}

/* Put what the lanes' rows have behind their first piece into the queue. @return how many pieces. */
WEIR_COLD uint32_t bfs_put_rest(struct bfs_piece *queue, uint32_t *tail, uint32_t row,
                                uint64_t first, uint64_t last)
{
    const uint32_t more = bfs_pieces(first, last) - 1;
    const uint32_t upto = weir_prefix_u32(more);
    const uint32_t all = weir_broadcast_u32(upto, WEIR_LANES - 1);
    uint32_t at = 0;
    if (weir_lane() == 0)
        at = weir_atomic_add_relaxed_dev_u32(tail, all);
    at = weir_broadcast_u32(at, 0) + upto - more;
    bfs_write_rest(queue, at, more, row, first, last);
    return all;
}

/* Keep the entry of a row that was found, arcs first to last - 1, and put what is behind its first piece into the queue.
 * @param[in] until  of bfs_put_many(). */
WEIR_DEV void bfs_keep_row(const struct bfs_step_args *a, struct bfs_tally *t,
                           struct bfs_kept *kept, uint32_t row, uint64_t first, uint64_t last,
                           int counted, uint64_t until)
{
    if (counted) {
        t->arcs += last - first;
        t->found++;
    }
    if (until) {
        if (weir_load_relaxed_dev_u64(a->listed) >= until) {
            t->unlisted++;
            return;
        }
        kept->arcs += last - first;
    }
    if (kept->count == BFS_KEPT)
        bfs_kept_flush(a, kept);
    kept->piece[kept->count++] = bfs_piece_of(row, first, last, 0);
    t->put++;
    if (last - first > BFS_PIECE)
        t->put += BFS_SPLIT + bfs_put_rest(a->queue, a->tail, row, first, last);
}

WEIR_DEV void bfs_keep_entry(const struct bfs_step_args *a, struct bfs_tally *t,
                             struct bfs_kept *kept, uint32_t row, int counted, uint64_t until)
{
    bfs_keep_row(a, t, kept, row, a->rows.out.offsets[row], a->rows.out.offsets[row + 1], counted,
                 until);
}

/** Put the rows of the lanes for which `is` holds into the queue; all lanes of a worker. Their level and parent
 *  are set already. The places are reserved while the offsets are on their way. */
WEIR_DEV void bfs_put(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                      struct bfs_tally *t, int is, uint32_t row, int counted)
{
    if (WEIR_LANES == 1u) {
        if (is)
            bfs_keep_entry(a, t, &shared->kept, row, counted, 0);
        return;
    }
    const uint32_t those = weir_ballot(is), count = weir_popcount_u32(those);
    uint64_t first = 0, last = 0;
    uint32_t at = 0;
    if (is) {
        first = a->rows.out.offsets[row];
        last = a->rows.out.offsets[row + 1];
    }
    if (weir_lane() == 0)
        at = weir_atomic_add_relaxed_dev_u32(a->tail, count);
    t->put += count;
    at = weir_broadcast_u32(at, 0) + weir_popcount_u32(those & ((1u << weir_lane()) - 1));
    if (is)
        a->queue[at] = bfs_piece_of(row, first, last, 0);
    if (weir_ballot(last - first > BFS_PIECE))
        t->put += BFS_SPLIT + bfs_put_rest(a->queue, a->tail, row, first, last);
    if (counted) {
        t->arcs += weir_sum_u64(last - first);
        t->found += count;
    }
}

/* Count rows that were found and are not put into the queue. @param[in] arcs  that they have. */
WEIR_DEV void bfs_count(struct bfs_tally *t, uint32_t rows, uint64_t arcs)
{
    rows = weir_sum_u32(rows);
    t->found += rows;
    t->unlisted += rows;
    t->arcs += weir_sum_u64(arcs);
}

/* As bfs_put_many(), of short rows of which none is put. Where each of them lies would be a line of memory for every row; the bytes that
 * say how long it is stay in the second-level cache. */
WEIR_DEV void bfs_count_short(const struct bfs_step_args *a, struct bfs_tally *t, const int *is,
                              const uint32_t *row)
{
    uint32_t rows = 0, arcs = 0, degree[BFS_AT_ONCE];
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++)
        degree[k] = a->rows.out_byte[is[k] ? row[k] : 0];
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++) {
        rows += (uint32_t)is[k];
        arcs += is[k] ? degree[k] : 0;
    }
    bfs_count(t, rows, arcs);
}

/* As bfs_put(), of BFS_AT_ONCE rows a lane, counted: their offsets are under way together, and all pieces have their places by one
 * addition to the tail. Nothing is put where so much was found that the next level goes bottom-up, which needs no queue.
 * @param[in] until  in terms of a->listed.  @param[in] wide  BFS_IN_SHORT, or another value. */
WEIR_DEV void bfs_put_many(const struct bfs_step_args *a, struct bfs_tally *t, const int *is,
                           const uint32_t *row, uint64_t until, int wide)
{
    uint64_t first[BFS_AT_ONCE], last[BFS_AT_ONCE], arcs = 0;
    uint32_t pieces = 0, rows = 0, at = 0;
    uint64_t listed = 0;
    if (wide == BFS_IN_SHORT && until) {
        listed = weir_load_relaxed_dev_u64(a->listed);
        if (weir_broadcast_u64(listed, 0) >= until) { /* the same for all lanes */
            bfs_count_short(a, t, is, row);
            return;
        }
    }
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++) {
        first[k] = is[k] ? a->rows.out.offsets[row[k]] : 0;
        last[k] = is[k] ? a->rows.out.offsets[row[k] + 1] : 0;
    }
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++) {
        pieces += is[k] ? bfs_pieces(first[k], last[k]) : 0;
        rows += (uint32_t)is[k];
        arcs += last[k] - first[k];
    }
    const uint64_t sum = weir_sum_u64(arcs);
    /* Who adds knows what the others have listed up to now, and many workers may come here at the same time. */
    if (until && weir_lane() == 0)
        listed = weir_atomic_add_relaxed_dev_u64(a->listed, sum);
    if (until && weir_broadcast_u64(listed, 0) >= until) {
        bfs_count(t, rows, arcs);
        return;
    }
    t->arcs += sum;
    t->found += weir_sum_u32(rows);
    const uint32_t upto = weir_prefix_u32(pieces);
    const uint32_t all = weir_broadcast_u32(upto, WEIR_LANES - 1);
    if (weir_lane() == 0)
        at = weir_atomic_add_relaxed_dev_u32(a->tail, all);
    at = weir_broadcast_u32(at, 0) + upto - pieces;
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++) {
        const uint32_t its = is[k] ? bfs_pieces(first[k], last[k]) : 0;
        if (is[k])
            a->queue[at] = bfs_piece_of(row[k], first[k], last[k], 0);
        if (weir_ballot(its > 1))
            bfs_write_rest(a->queue, at + 1, its ? its - 1 : 0, row[k], first[k], last[k]);
        at += its;
    }
    t->put += all + (weir_ballot(pieces > rows) ? BFS_SPLIT : 0);
}

#if BFS_WIRES
#include "algorithms/bfs/bfs_fold.h"
#else

/* Send the numbers of the lanes for which `is` holds to their owners: store them into the inboxes there. */
WEIR_COLD void bfs_send(const struct bfs_step_args *a, int is, uint32_t number, uint32_t parent)
{
    const uint32_t to = is ? weir_steps_owner(a->rows.first, number) : BFS_NONE;
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->rows.parts; d++) {
        const uint32_t those = weir_ballot(to == d);
        if (!those)
            continue;
        const uint64_t at = weir_steps_send(&a->member, d, those);
        if (to == d) {
            if (a->parent) {
                a->outbox[d][2 * at] = number;
                a->outbox[d][2 * at + 1] = parent;
            } else {
                a->outbox[d][at] = number;
            }
        }
    }
}

/* The same of BFS_AT_ONCE numbers a lane, which for each device get their places by one addition. @param[in] begin, row  of the device whose stretch is taken: the number of its first row, rows there. */
WEIR_DEV void bfs_send_many(const struct bfs_step_args *a, const int *is, const uint32_t *number,
                            uint32_t begin, const uint32_t *row)
{
    uint32_t to[BFS_AT_ONCE];
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++)
        to[k] = is[k] ? weir_steps_owner(a->rows.first, number[k]) : BFS_NONE;
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->rows.parts; d++) {
        uint32_t those[BFS_AT_ONCE], count = 0;
        for (uint32_t k = 0; k < BFS_AT_ONCE; k++)
            count += weir_popcount_u32(those[k] = weir_ballot(to[k] == d));
        if (!count)
            continue;
        uint64_t at = weir_steps_reserve(&a->member, d, count);
        for (uint32_t k = 0; k < BFS_AT_ONCE; k++) {
            const uint64_t place = at + weir_popcount_u32(those[k] & ((1u << weir_lane()) - 1));
            if (to[k] == d && a->parent) {
                a->outbox[d][2 * place] = number[k];
                a->outbox[d][2 * place + 1] = begin + row[k];
            } else if (to[k] == d) {
                a->outbox[d][place] = number[k];
            }
            at += weir_popcount_u32(those[k]);
        }
    }
}

#endif

#endif
