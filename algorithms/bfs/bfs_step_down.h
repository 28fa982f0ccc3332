/** @file bfs_step_down.h  A level top-down: from the queue's stretch along the out-arcs. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_DOWN_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_DOWN_H

#include "algorithms/bfs/bfs_step.h"

#define BFS_AT_ONCE 4u /* arcs that a lane has under way in a wide level */
#define BFS_FEW     8u /* entries that a lane writes alone */
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

/* Put what the lanes' rows have behind their first piece into the queue. A lane writes a few pieces itself; many are
 * written by all lanes together. @return how many. */
WEIR_COLD uint32_t bfs_put_rest(struct bfs_piece *queue, uint32_t *tail, uint32_t row,
                                uint64_t first, uint64_t last)
{
    const uint32_t pieces = (uint32_t)((last - first + BFS_PIECE - 1) / BFS_PIECE);
    const uint32_t more = pieces > 1 ? pieces - 1 : 0;
    const uint32_t upto = weir_prefix_u32(more);
    const uint32_t all = weir_broadcast_u32(upto, WEIR_LANES - 1);
    uint32_t at = 0;
    if (weir_lane() == 0)
        at = weir_atomic_add_relaxed_dev_u32(tail, all);
    at = weir_broadcast_u32(at, 0) + upto - more;
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
    return all;
}

/* Keep the entry of a row that was found, and put what is behind its first piece into the queue. */
WEIR_DEV void bfs_keep_entry(const struct bfs_step_args *a, struct bfs_tally *t,
                             struct bfs_kept *kept, uint32_t row, int counted)
{
    const uint64_t first = a->rows.out.offsets[row], last = a->rows.out.offsets[row + 1];
    if (kept->count == BFS_KEPT)
        bfs_kept_flush(a, kept);
    kept->piece[kept->count++] = bfs_piece_of(row, first, last, 0);
    t->put++;
    if (last - first > BFS_PIECE)
        t->put += BFS_SPLIT + bfs_put_rest(a->queue, a->tail, row, first, last);
    if (counted) {
        t->arcs += last - first;
        t->found++;
    }
}

/** Put the rows of the lanes for which `is` holds into the queue; all lanes of a worker. Their level and parent
 *  are set already. The places are reserved while the offsets are on their way. */
WEIR_DEV void bfs_put(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                      struct bfs_tally *t, int is, uint32_t row, int counted)
{
    if (WEIR_LANES == 1u) {
        if (is)
            bfs_keep_entry(a, t, &shared->kept, row, counted);
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

/* The lanes for which `is` holds have found `number`, along an arc of `row`. All lanes of a worker. */
WEIR_DEV void bfs_found(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                        const struct bfs_walk *w, struct bfs_tally *t, int is, uint32_t number,
                        uint32_t row, int wide)
{
    const int own = is && bfs_owns(a, number);
    if (own) {
        a->level[number - a->rows.begin] = w->level + 1;
        if (a->parent)
            a->parent[number - a->rows.begin] = a->rows.begin + row;
    }
    if (a->rows.parts > 1) {
        const uint32_t far = weir_ballot(is && !own);
        t->sent += weir_popcount_u32(far);
        if (far)
            bfs_send(a, is && !own, number, a->rows.begin + row);
    }
    if (weir_ballot(own))
        bfs_put(a, shared, t, own, number - a->rows.begin, wide);
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

/* A worker takes the entries at to at + count - 1 of the queue, at most one a lane. In a wide level a lane looks at the
 * bit before its atomic, since most arcs lead to vertices that are found, and has several arcs under way at a time. In a
 * narrow level the look would only make the chain of dependent accesses longer. */
WEIR_DEV void bfs_expand(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                         const struct bfs_walk *w, struct bfs_tally *t, uint32_t at, uint32_t count,
                         int wide)
{
    uint32_t *found = a->found[w->current][a->member.index];
    const uint32_t step = wide ? BFS_AT_ONCE : 1;
    struct bfs_piece piece = {0, 0, 0};
    if (weir_lane() < count)
        piece = a->queue[at + weir_lane()];
    const uint32_t upto = weir_prefix_u32(piece.count);
    const uint32_t all = weir_broadcast_u32(upto, WEIR_LANES - 1);
    const uint64_t base = piece.first - (upto - piece.count);
    t->pieces += weir_lane() < count;
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
            number[k] = is[k] ? a->rows.out.targets[from + arc] : 0;
            t->down_arcs += (uint64_t)is[k];
        }
        for (uint32_t k = 0; k < step && wide; k++)
            is[k] = is[k] && !bfs_is_set(found, number[k]);
        for (uint32_t k = 0; k < step; k++) {
            is[k] = is[k] && bfs_claim(found, number[k]);
            if (weir_ballot(is[k]))
                bfs_found(a, shared, w, t, is[k], number[k], row[k], wide);
        }
    }
}

/* As bfs_expand(), by a worker of one lane, as those of host devices are: entry after entry. A look is cheaper there than
 * an atomic that changes nothing, in any level, and what is found is kept until there are many. */
WEIR_DEV void bfs_expand_alone(const struct bfs_step_args *a, const struct bfs_walk *w,
                               struct bfs_tally *t, struct bfs_kept *kept, uint32_t at,
                               uint32_t count, int counted)
{
    uint32_t *found = a->found[w->current][a->member.index];
    const uint32_t *targets = a->rows.out.targets;
    for (uint32_t e = 0; e < count; e++) {
        const struct bfs_piece piece = a->queue[at + e];
        if (e + BFS_AHEAD < count)
            weir_prefetch(&targets[a->queue[at + e + BFS_AHEAD].first]);
        for (uint32_t i = 0; i < piece.count; i++) {
            const uint32_t number = targets[piece.first + i], row = number - a->rows.begin;
            if (bfs_is_set(found, number) || !bfs_claim(found, number))
                continue;
            if (!bfs_owns(a, number)) {
                t->sent++;
                bfs_send(a, 1, number, a->rows.begin + piece.row);
                continue;
            }
            a->level[row] = w->level + 1;
            if (a->parent)
                a->parent[row] = a->rows.begin + piece.row;
            bfs_keep_entry(a, t, kept, row, counted);
        }
        t->down_arcs += piece.count;
    }
    t->pieces += count;
}

/* Worker @p index of @p workers, of one lane each, takes its share of the entries begin to end - 1: equal stretches of
 * BFS_STRETCH entries at most. */
WEIR_DEV void bfs_share_alone(const struct bfs_step_args *a, const struct bfs_walk *w,
                              struct bfs_tally *t, struct bfs_kept *kept, uint32_t index,
                              uint32_t workers, int counted)
{
    const uint32_t entries = w->end - w->begin;
    uint32_t take = (entries + workers - 1) / workers;
    take = take < 1 ? 1 : take > BFS_STRETCH ? BFS_STRETCH : take;
    for (uint64_t at = (uint64_t)index * take; at < entries; at += (uint64_t)workers * take) {
        const uint32_t left = entries - (uint32_t)at;
        bfs_expand_alone(a, w, t, kept, w->begin + (uint32_t)at, left < take ? left : take,
                         counted);
    }
}

/* The blocks that are awake take all entries of the stretch. */
WEIR_DEV struct bfs_tally bfs_down(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                                   const struct weir_steps_block *b, const struct bfs_walk *w,
                                   int wide)
{
    struct bfs_tally t = {0, 0, 0, 0, 0, 0, 0, 0};
    const uint32_t workers = w->awake * b->threads / WEIR_LANES;
    const uint32_t entries = w->end - w->begin;
    if (WEIR_LANES == 1u) {
        bfs_share_alone(a, w, &t, &shared->kept, weir_steps_warp(b), workers, wide);
        bfs_flush(a, shared, &t);
        return t;
    }
    /* Where entries are few a worker takes few at a time, so that all workers have some. */
    uint32_t take = (entries + workers - 1) / workers;
    take = take < 1 ? 1 : take > WEIR_LANES ? WEIR_LANES : take;
    WEIR_ROLLED
    for (uint32_t at = weir_steps_warp(b) * take; at < entries; at += workers * take) {
        const uint32_t left = entries - at;
        bfs_expand(a, shared, w, &t, w->begin + at, left < take ? left : take, wide);
    }
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

/** The same of a narrow stretch, whose rows may be long. */
WEIR_COLD struct bfs_tally bfs_down_narrow(const struct bfs_step_args *a,
                                           struct bfs_step_shared *shared,
                                           struct weir_steps_block b, struct bfs_walk w)
{
    return bfs_down(a, shared, &b, &w, 0);
}

/** The blocks that are awake take in what other devices found, whose level is this one already. */
WEIR_COLD void bfs_absorb(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                          struct weir_steps_block b, struct bfs_walk w)
{
    const uint32_t threads = w.awake * b.threads;
    struct bfs_tally t = {0, 0, 0, 0, 0, 0, 0, 0};
    uint32_t *found = a->found[w.current][a->member.index];
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->rows.parts; d++) {
        const uint32_t *inbox = a->inbox[d];
        const uint32_t end = (uint32_t)shared->inboxes.end[d];
        WEIR_ROLLED
        for (uint32_t base = (uint32_t)shared->inboxes.first[d] + weir_steps_warp(&b) * WEIR_LANES;
             base < end; base += threads) {
            const uint64_t i = (uint64_t)base + weir_lane();
            uint32_t number = a->rows.begin;
            int is = i < end;
            if (is) {
                number = inbox[a->parent ? 2 * i : i];
                is = bfs_claim(found, number);
            }
            if (is) {
                a->level[number - a->rows.begin] = w.level;
                if (a->parent)
                    a->parent[number - a->rows.begin] = inbox[2 * i + 1];
            }
            if (weir_ballot(is))
                bfs_put(a, shared, &t, is, number - a->rows.begin, 1);
        }
    }
    bfs_flush(a, shared, &t);
}

#endif
