/** @file bfs_step_down.h  A level top-down: from the queue's stretch along the out-arcs. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_DOWN_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_DOWN_H

#include "algorithms/bfs/bfs_step.h"

/* Of a wide level, in place of 1: arcs in host memory are read in whole lines; all rows are shorter than WEIR_ROWS_BYTE. */
#define BFS_IN_LINES 2
#define BFS_IN_SHORT 3
#define BFS_AT_ONCE  4u                       /* arcs that a lane has under way in a wide level */
#define BFS_FEW      8u                       /* entries that a lane writes alone */
#define BFS_SHARES   (BFS_PIECE / WEIR_LANES) /* of an entry, at most: arcs for each lane */
/* Of a worker of one lane: entries that it takes one after the other, and how far ahead of them it asks for targets. */
#define BFS_STRETCH 256u
#define BFS_AHEAD   8u

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

/* Keep the entry of a row that was found, and put what is behind its first piece into the queue.
 * @param[in] until  of bfs_put_many(). */
WEIR_DEV void bfs_keep_entry(const struct bfs_step_args *a, struct bfs_tally *t,
                             struct bfs_kept *kept, uint32_t row, int counted, uint64_t until)
{
    const uint64_t first = a->rows.out.offsets[row], last = a->rows.out.offsets[row + 1];
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

/* The lanes for which `is` holds have found `number`, along an arc of `row`. All lanes of a worker. @return whether the device owns
 * it, and it is to be put into the queue. */
WEIR_DEV int bfs_found(const struct bfs_step_args *a, const struct bfs_walk *w, struct bfs_tally *t,
                       int is, uint32_t number, uint32_t row, int eager)
{
    const int own = is && bfs_owns(a, number);
    if (own && eager) {
        (void)weir_atomic_min_relaxed_dev_u32(&a->level[number - a->rows.begin], w->level + 1);
    } else if (own) {
        a->level[number - a->rows.begin] = w->level + 1;
        if (a->parent)
            a->parent[number - a->rows.begin] = BFS_BEGIN(a, w) + row;
    }
    if (a->rows.parts > 1) {
        const uint32_t far = weir_ballot(is && !own);
        t->sent += weir_popcount_u32(far);
        if (far)
            bfs_send(a, is && !own, number, BFS_BEGIN(a, w) + row);
    }
    return own;
}

/* Which lane has the piece that arc `i` of the worker's arcs belongs to: the first lane whose sum is above `i`. */
WEIR_DEV uint32_t bfs_lane_of(uint32_t upto, uint32_t i)
{
    uint32_t low = 0;
    for (uint32_t step = WEIR_LANES / 2; step; step /= 2)
        if (weir_broadcast_u32(upto, low + step - 1) <= i)
            low += step;
    return low;
}

/* Claim the numbers for which `is` holds. Nothing is behind a branch that another access could be under way beside, so the atomics of
 * a lane wait together. @param[in,out] is  whether the number was not found before.  @return whether any was not. */
WEIR_DEV int bfs_claim_many(uint32_t *found, int *is, const uint32_t *number)
{
    uint32_t word[BFS_AT_ONCE];
    int any = 0;
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++)
        word[k] = weir_atomic_or_bits_relaxed_dev_u32(&found[number[k] / 32],
                                                      is[k] ? 1u << (number[k] & 31u) : 0);
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++)
        any |= is[k] = is[k] && !(word[k] >> (number[k] & 31u) & 1u);
    return any;
}

/* As bfs_claim_many(), behind a look at the bits, since most arcs lead to vertices that are found. Of short rows the looks of a lane wait
 * together too. With long ones levels are so wide and few that the longer code takes longer to come than it saves.
 * @param[in] number  also where `is` does not hold some vertex. */
WEIR_DEV int bfs_look_and_claim(uint32_t *found, int *is, const uint32_t *number, int wide)
{
    uint32_t word[BFS_AT_ONCE];
    int any = 0;
    for (uint32_t k = 0; k < BFS_AT_ONCE && wide == BFS_IN_SHORT; k++)
        word[k] = weir_load_relaxed_dev_u32(&found[number[k] / 32]);
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++)
        is[k] = is[k] && !(wide == BFS_IN_SHORT ? word[k] >> (number[k] & 31u) & 1u
                                                : (uint32_t)bfs_is_set(found, number[k]));
    if (wide == BFS_IN_SHORT)
        return bfs_claim_many(found, is, number);
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++)
        any |= is[k] = is[k] && bfs_claim(found, number[k]);
    return any;
}

/* Arcs of a wide level, BFS_AT_ONCE a lane, those for which `is` holds. @param[in] until  of bfs_put_many(). */
WEIR_DEV void bfs_take_many(const struct bfs_step_args *a, const struct bfs_walk *w,
                            struct bfs_tally *t, int *is, const uint32_t *number, uint32_t *row,
                            uint64_t until, int wide)
{
    int far[BFS_AT_ONCE];
    int any = bfs_look_and_claim(a->found[w->current][a->member.index], is, number, wide);
    if (!weir_ballot(any))
        return;
    if (a->rows.parts > 1) {
        uint32_t sent = 0;
        for (uint32_t k = 0; k < BFS_AT_ONCE; k++)
            sent += weir_popcount_u32(weir_ballot(far[k] = is[k] && !bfs_owns(a, number[k])));
        t->sent += sent;
        if (sent)
            bfs_send_many(a, far, number, BFS_BEGIN(a, w), row);
    }
    any = 0;
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++) {
        const uint32_t from = row[k];
        row[k] = number[k] - a->rows.begin;
        any |= is[k] = is[k] && bfs_owns(a, number[k]);
        if (is[k])
            a->level[row[k]] = w->level + 1;
        if (is[k] && a->parent)
            a->parent[row[k]] = BFS_BEGIN(a, w) + from;
    }
    if (weir_ballot(any))
        bfs_put_many(a, t, is, row, until, wide);
}

/* As bfs_expand_pieces(), of a wide level, for arcs in host memory: the lanes read whole lines of one piece at a time, since a link
 * carries less in requests of less than a line. Slots of a first and a last line that are no arcs of the piece stay idle. All lanes of a
 * worker. @param[in] piece  of at least a line, or empty. */
WEIR_DEV void bfs_expand_lines(const struct bfs_step_args *a, const struct bfs_walk *w,
                               struct bfs_tally *t, struct bfs_piece piece, uint64_t until)
{
    const uint32_t skip = (uint32_t)piece.first & (WEIR_LANES - 1);
    const uint32_t slots =
        piece.count ? (skip + piece.count + WEIR_LANES - 1) / WEIR_LANES * WEIR_LANES : 0;
    const uint32_t upto = weir_prefix_u32(slots);
    const uint32_t all = weir_broadcast_u32(upto, WEIR_LANES - 1);
    const uint64_t base = piece.first - skip - (upto - slots);
    WEIR_ROLLED
    for (uint32_t i = 0; i < all; i += WEIR_LANES * BFS_AT_ONCE) {
        uint32_t number[BFS_AT_ONCE], row[BFS_AT_ONCE];
        int is[BFS_AT_ONCE];
        for (uint32_t k = 0; k < BFS_AT_ONCE; k++) {
            const uint32_t slot = i + k * WEIR_LANES + weir_lane();
            const uint32_t lane = bfs_lane_of(upto, slot < all ? slot : all - 1);
            const uint64_t arc = weir_broadcast_u64(base, lane) + slot;
            const uint64_t first = weir_broadcast_u64(piece.first, lane);
            const uint32_t count = weir_broadcast_u32(piece.count, lane);
            row[k] = weir_broadcast_u32(piece.row, lane);
            is[k] = slot < all && arc - first < count;
            number[k] = is[k] ? BFS_TARGETS(a, w)[arc] : 0;
            t->down_arcs += (uint64_t)is[k];
        }
        bfs_take_many(a, w, t, is, number, row, until, BFS_IN_LINES);
    }
}

/* The arcs of the lanes' pieces, of which any may be empty; all lanes of a worker. In a wide level a lane has several arcs under way at
 * a time. In a narrow level it does not look at the bit before its atomic, which would only make the chain of dependent accesses
 * longer. @param[in] until  of bfs_put_many(). @param[in] eager  levels are minima (bfs_step_eager.h). */
WEIR_DEV void bfs_expand_pieces(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                                const struct bfs_walk *w, struct bfs_tally *t,
                                struct bfs_piece piece, uint64_t until, int wide, int eager)
{
    uint32_t *found = a->found[w->current][a->member.index];
    const uint32_t step = wide ? BFS_AT_ONCE : 1;
    if (wide == BFS_IN_LINES) {
        struct bfs_piece longer = piece;
        if (piece.count < WEIR_LANES)
            longer.count = 0;
        else
            piece.count = 0;
        bfs_expand_lines(a, w, t, longer, until);
    }
    const uint32_t upto = weir_prefix_u32(piece.count);
    const uint32_t all = weir_broadcast_u32(upto, WEIR_LANES - 1);
    const uint64_t base = piece.first - (upto - piece.count);
    WEIR_ROLLED
    for (uint32_t i = 0; i < all; i += WEIR_LANES * step) {
        uint32_t number[BFS_AT_ONCE], row[BFS_AT_ONCE];
        int is[BFS_AT_ONCE];
        for (uint32_t k = 0; k < step; k++) {
            const uint32_t arc = i + k * WEIR_LANES + weir_lane();
            const uint32_t lane = bfs_lane_of(upto, arc < all ? arc : all - 1);
            const uint64_t from = weir_broadcast_u64(base, lane);
            row[k] = weir_broadcast_u32(piece.row, lane);
            is[k] = arc < all;
            if (is[k] || wide == BFS_IN_SHORT) /* no branch there, so that the four go together */
                number[k] = BFS_TARGETS(a, w)[from + (is[k] ? arc : all - 1)];
            else
                number[k] = 0;
            t->down_arcs += (uint64_t)is[k];
        }
        if (wide) {
            bfs_take_many(a, w, t, is, number, row, until, wide);
            continue;
        }
        is[0] = is[0] && bfs_claim(found, number[0]);
        if (weir_ballot(is[0])) {
            is[0] = bfs_found(a, w, t, is[0], number[0], row[0], eager);
            if (weir_ballot(is[0]))
                bfs_put(a, shared, t, is[0], number[0] - a->rows.begin, BFS_STEALS);
        }
    }
}

/* A worker takes the entries at to at + count - 1 of the queue, at most one a lane, or a share of a single one.
 * @param[in] share, shares  which share, of how many; 0, 1: all arcs. The others are of bfs_expand_pieces(). */
WEIR_DEV void bfs_expand(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                         const struct bfs_walk *w, struct bfs_tally *t, uint32_t at, uint32_t count,
                         uint32_t share, uint32_t shares, uint64_t until, int wide, int eager)
{
    struct bfs_piece piece = {0, 0, 0};
    if (weir_lane() < count)
        piece = BFS_QUEUE(a, w)[at + weir_lane()];
    t->pieces += weir_lane() < count && share == 0;
    if (shares > 1) {
        const uint32_t skip = BFS_PIECE / shares * share;
        const uint32_t left = piece.count > skip ? piece.count - skip : 0;
        piece.first += skip;
        piece.count = left < BFS_PIECE / shares ? left : BFS_PIECE / shares;
    }
    bfs_expand_pieces(a, shared, w, t, piece, until, wide, eager);
}

/* As bfs_expand_pieces(), by a worker of one lane, as those of host devices are. A look is cheaper there than an atomic that changes
 * nothing, in any level, and what is found is kept until there are many. */
WEIR_DEV void bfs_arcs_alone(const struct bfs_step_args *a, const struct bfs_walk *w,
                             struct bfs_tally *t, struct bfs_kept *kept, struct bfs_piece piece,
                             int counted, uint64_t until, int eager)
{
    uint32_t *found = a->found[w->current][a->member.index];
    for (uint32_t i = 0; i < piece.count; i++) {
        const uint32_t number = BFS_TARGETS(a, w)[piece.first + i], row = number - a->rows.begin;
        if (bfs_is_set(found, number) || !bfs_claim(found, number))
            continue;
        if (!bfs_owns(a, number)) {
            t->sent++;
            bfs_send(a, 1, number, BFS_BEGIN(a, w) + piece.row);
            continue;
        }
        if (eager)
            (void)weir_atomic_min_relaxed_dev_u32(&a->level[row], w->level + 1);
        else
            a->level[row] = w->level + 1;
        if (a->parent)
            a->parent[row] = BFS_BEGIN(a, w) + piece.row;
        bfs_keep_entry(a, t, kept, row, counted, until);
    }
    t->down_arcs += piece.count;
}

/* The same of entries of the queue, one after the other. */
WEIR_DEV void bfs_expand_alone(const struct bfs_step_args *a, const struct bfs_walk *w,
                               struct bfs_tally *t, struct bfs_kept *kept, uint32_t at,
                               uint32_t count, int counted, uint64_t until, int eager)
{
    for (uint32_t e = 0; e < count; e++) {
        if (e + BFS_AHEAD < count)
            weir_prefetch(&BFS_TARGETS(a, w)[BFS_QUEUE(a, w)[at + e + BFS_AHEAD].first]);
        bfs_arcs_alone(a, w, t, kept, BFS_QUEUE(a, w)[at + e], counted, until, eager);
    }
    t->pieces += count;
}

/* Worker @p index of @p workers, of one lane each, takes its share of the entries begin to end - 1: equal stretches of
 * BFS_STRETCH entries at most. */
WEIR_DEV void bfs_share_alone(const struct bfs_step_args *a, const struct bfs_walk *w,
                              struct bfs_tally *t, struct bfs_kept *kept, uint32_t index,
                              uint32_t workers, int counted, uint64_t until, int eager)
{
    const uint32_t entries = w->end - w->begin;
    uint32_t take = (entries + workers - 1) / workers;
    take = take < 1 ? 1 : take > BFS_STRETCH ? BFS_STRETCH : take;
    for (uint64_t at = (uint64_t)index * take; at < entries; at += (uint64_t)workers * take) {
        const uint32_t left = entries - (uint32_t)at;
        bfs_expand_alone(a, w, t, kept, w->begin + (uint32_t)at, left < take ? left : take, counted,
                         until, eager);
    }
}

/* The blocks that are awake take all entries of the stretch. @param[in] until  of bfs_put_many(). */
WEIR_DEV void bfs_stretch(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                          const struct weir_steps_block *b, const struct bfs_walk *w,
                          struct bfs_tally *t, uint64_t until, int wide)
{
    const uint32_t workers = w->awake * b->threads / WEIR_LANES;
    const uint32_t entries = w->end - w->begin;
    if (WEIR_LANES == 1u) {
        bfs_share_alone(a, w, t, &shared->kept, weir_steps_warp(b), workers, wide || BFS_STEALS,
                        until, 0);
        return;
    }
    /* Where entries are few a worker takes few at a time, so that all workers have some; where they are fewer than workers,
     * as those of a single long row are, several workers share one: what a worker finds it puts into the queue in a chain
     * of accesses, as often as it has as many arcs as lanes. */
    uint32_t take = (entries + workers - 1) / workers, shares = 1;
    take = take < 1 ? 1 : take > WEIR_LANES ? WEIR_LANES : take;
    while (wide && shares < BFS_SHARES && 2 * shares * entries <= workers)
        shares *= 2;
    if (shares > 1 && b->block == 0 && b->thread == 0)
        (void)weir_atomic_add_relaxed_dev_u64(
            &weir_steps_mine(&a->member)->result[BFS_RESULT_SHARED], entries);
    WEIR_ROLLED
    for (uint32_t i = weir_steps_warp(b); i < (entries + take - 1) / take * shares; i += workers) {
        const uint32_t at = i / shares * take, left = entries - at;
        bfs_expand(a, shared, w, t, w->begin + at, left < take ? left : take, i % shares, shares,
                   until, wide, 0);
    }
}

#if BFS_STEALS
/* The blocks take their device's share of every device's stretch, their own first. */
WEIR_DEV void bfs_shares(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                         const struct weir_steps_block *b, const struct bfs_walk *w,
                         struct bfs_tally *t, uint64_t until, int wide)
{
    const uint32_t me = a->member.index;
    WEIR_ROLLED
    for (uint32_t k = 0; k < a->rows.parts; k++) {
        const uint32_t owner = (me + k) % a->rows.parts;
        const struct steal_cut cut = a->cuts[owner * STEAL_DEVICES + me];
        struct bfs_walk its = *w;
        const uint64_t before = t->down_arcs;
        its.begin = cut.begin;
        its.end = cut.end;
        its.queue = a->peer[owner].queue;
        its.targets = a->peer[owner].targets;
        its.owner_begin = a->rows.first[owner];
        if (cut.begin == cut.end)
            continue;
        bfs_stretch(a, shared, b, &its, t, until, wide);
        const uint64_t done = weir_sum_u64(t->down_arcs - before);
        if (owner != me && weir_lane() == 0 && done)
            (void)weir_atomic_add_relaxed_dev_u64(
                &weir_steps_mine(&a->member)->result[BFS_RESULT_FOR + owner], done);
    }
}
#endif

/* The blocks that are awake take what the device has of the level. */
WEIR_DEV struct bfs_tally bfs_down(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                                   const struct weir_steps_block *b, const struct bfs_walk *w,
                                   int wide)
{
    struct bfs_tally t = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    /* Blocks do not begin together: what others have found in this level may be in the word already, and then more is listed than
     * need be. */
    const uint64_t until = wide && w->enough
                               ? weir_broadcast_u64(weir_load_relaxed_dev_u64(a->listed), 0) +
                                     (a->rows.arcs_all >> w->enough)
                               : 0;
#if BFS_STEALS
    if (w->stolen)
        bfs_shares(a, shared, b, w, &t, until, wide);
    else
#endif
        bfs_stretch(a, shared, b, w, &t, until, wide);
    bfs_flush(a, shared, &t);
    return t;
}

/* Phases are called rather than copied into the body, so that each has all registers to itself. They are given copies,
 * so that what the body goes on with stays in registers too. */

/** The blocks that are awake take all entries of a wide stretch. */
WEIR_COLD struct bfs_tally bfs_down_wide(const struct bfs_step_args *a,
                                         struct bfs_step_shared *shared, struct weir_steps_block b,
                                         struct bfs_walk w)
{
    return bfs_down(a, shared, &b, &w, 1);
}

/** The same where all rows are short. */
WEIR_COLD struct bfs_tally bfs_down_short(const struct bfs_step_args *a,
                                          struct bfs_step_shared *shared, struct weir_steps_block b,
                                          struct bfs_walk w)
{
    return bfs_down(a, shared, &b, &w, BFS_IN_SHORT);
}

/** The same of arcs in host memory. */
WEIR_COLD struct bfs_tally bfs_down_lines(const struct bfs_step_args *a,
                                          struct bfs_step_shared *shared, struct weir_steps_block b,
                                          struct bfs_walk w)
{
    return bfs_down(a, shared, &b, &w, BFS_IN_LINES);
}

/** The same of a narrow stretch, whose rows may be long. */
WEIR_COLD struct bfs_tally bfs_down_narrow(const struct bfs_step_args *a,
                                           struct bfs_step_shared *shared,
                                           struct weir_steps_block b, struct bfs_walk w)
{
    return bfs_down(a, shared, &b, &w, 0);
}

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

/* Where the lanes of a worker are many: BFS_AT_ONCE items a lane. @param[in] until  of bfs_put_many(). */
WEIR_DEV void bfs_absorb_many(const struct bfs_step_args *a, const struct bfs_walk *w,
                              struct bfs_tally *t, const uint32_t *inbox, uint32_t base,
                              uint32_t end, uint64_t until)
{
    uint32_t number[BFS_AT_ONCE], row[BFS_AT_ONCE];
    int is[BFS_AT_ONCE];
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++) {
        const uint64_t i = (uint64_t)base + k * WEIR_LANES + weir_lane();
        is[k] = i < end;
        number[k] = inbox[(is[k] ? i : end - 1) * (a->parent ? 2 : 1)];
        row[k] = number[k] - a->rows.begin;
    }
    const int any = bfs_claim_many(a->found[w->current][a->member.index], is, number);
    for (uint32_t k = 0; k < BFS_AT_ONCE; k++) {
        const uint64_t i = (uint64_t)base + k * WEIR_LANES + weir_lane();
        if (is[k])
            a->level[row[k]] = w->level;
        if (is[k] && a->parent)
            a->parent[row[k]] = inbox[2 * i + 1];
    }
    if (weir_ballot(any))
        bfs_put_many(a, t, is, row, until, a->bytes ? BFS_IN_SHORT : 1);
}

/* One item after the other, by a worker of one lane. */
WEIR_DEV void bfs_absorb_alone(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                               const struct bfs_walk *w, struct bfs_tally *t, const uint32_t *inbox,
                               uint32_t i)
{
    const uint32_t number = inbox[a->parent ? 2 * (uint64_t)i : i], row = number - a->rows.begin;
    if (!bfs_claim(a->found[w->current][a->member.index], number))
        return;
    a->level[row] = w->level;
    if (a->parent)
        a->parent[row] = inbox[2 * (uint64_t)i + 1];
    bfs_put(a, shared, t, 1, row, 1);
}

/** The blocks that are awake take in what other devices found, whose level is this one already. */
WEIR_COLD void bfs_absorb(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                          struct weir_steps_block b, struct bfs_walk w)
{
    const uint32_t each = WEIR_LANES == 1u ? 1 : WEIR_LANES * BFS_AT_ONCE;
    const uint32_t step = w.awake * b.threads / WEIR_LANES * each;
    /* What is not to be put into the queue: all, where not all of the level is there. A worker of one lane puts it there all the same. */
    const uint64_t until = w.enough == BFS_UNLISTED;
    struct bfs_tally t = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->rows.parts; d++) {
        const uint32_t end = (uint32_t)shared->inboxes.end[d];
        WEIR_ROLLED
        for (uint32_t base = (uint32_t)shared->inboxes.first[d] + weir_steps_warp(&b) * each;
             base < end; base += step) {
            if (WEIR_LANES == 1u)
                bfs_absorb_alone(a, shared, &w, &t, a->inbox[d], base);
            else
                bfs_absorb_many(a, &w, &t, a->inbox[d], base, end, until);
        }
    }
    bfs_flush(a, shared, &t);
}

#endif
