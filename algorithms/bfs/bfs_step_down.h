/** @file bfs_step_down.h  A level top-down: from the queue's stretch along the out-arcs. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_DOWN_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_DOWN_H

#include "algorithms/bfs/bfs_step_put.h"

#define BFS_SHARES (BFS_PIECE / WEIR_LANES) /* of an entry, at most: arcs for each lane */
/* Of a worker of one lane: entries that it takes one after the other, and how far ahead of them it asks for targets. */
#define BFS_STRETCH 256u
#define BFS_AHEAD   8u
#define BFS_FRESH   (WEIR_LANES == 1u ? 32u : 1u) /* finds that wait for their levels */

/* The lanes for which `is` holds have found `number`, along an arc of `row`. All lanes of a worker. @return whether the device owns
 * it, and it is to be put into the queue. */
WEIR_DEV int bfs_found(const struct bfs_step_args *a, const struct bfs_walk *w, struct bfs_tally *t,
                       int is, uint32_t number, uint32_t row, int eager)
{
    const int own = is && bfs_owns(a, number);
    if (own && eager) {
        weir_min_relaxed_dev_u32(&a->level[number - a->rows.begin], w->level + 1);
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

#if BFS_HUBS
/* Whether the stretch is another device's, and some of its rows may have copies here. */
WEIR_DEV int bfs_may_be_copied(const struct bfs_step_args *a, const struct bfs_walk *w)
{
    return a->hub_words && w->queue != a->queue;
}

/* Whether an entry of another device is of a row that this one has a copy of. @param[in,out] first  its first arc; becomes its place there. */
WEIR_DEV int bfs_is_copied(const struct bfs_step_args *a, const struct bfs_walk *w, uint32_t row,
                           uint64_t *first)
{
    const uint32_t number = w->owner_begin + row, bit = 1u << (number & 31u);
    const struct bfs_hub_word word = a->hub_words[number / 32];
    if (!(word.bits & bit))
        return 0;
    *first += a->hub_shifts[word.before + weir_popcount_u32(word.bits & (bit - 1))];
    return 1;
}

/* As bfs_expand_pieces(), of another device: behind each other the arcs that only that one has, and those of which there is a copy. */
WEIR_DEV void bfs_expand_others(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                                const struct bfs_walk *w, struct bfs_tally *t,
                                struct bfs_piece piece, uint64_t until, int wide, int eager)
{
    const int copied = piece.count && bfs_is_copied(a, w, piece.row, &piece.first);
    const uint64_t arcs = weir_sum_u64(copied ? piece.count : 0);
    const int passes = weir_ballot(copied) ? 2 : 1;
    struct bfs_walk from = *w;
    if (weir_lane() == 0 && arcs)
        weir_add_relaxed_dev_u64(&weir_steps_mine(&a->member)->result[BFS_RESULT_COPIED], arcs);
    WEIR_ROLLED
    for (int pass = 0; pass < passes; pass++) {
        struct bfs_piece its = piece;
        its.count = copied == pass ? piece.count : 0;
        bfs_expand_pieces(a, shared, &from, t, its, until, wide, eager);
        from.targets = a->hub_targets;
    }
}
#endif

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
#if BFS_HUBS
    /* Wide levels alone are shared out, and none of arcs in host memory. */
    if (wide && wide != BFS_IN_LINES && bfs_may_be_copied(a, w)) {
        bfs_expand_others(a, shared, w, t, piece, until, wide, eager);
        return;
    }
#endif
    bfs_expand_pieces(a, shared, w, t, piece, until, wide, eager);
}

/* Rows that a worker of one lane has claimed, whose levels and entries come later. */
struct bfs_fresh {
    uint32_t count;
    uint32_t row[BFS_FRESH], under[BFS_FRESH]; /* and the rows that they were found from */
};

/* They get levels, parents and entries. A core's atomic waits until the stores in front of it are in memory, and loads behind it
 * wait for the atomic: with a level between two claims, which mostly lies far away, each claim would take as long as an access to memory.
 * Here nothing waits for anything else. */
WEIR_DEV void bfs_settle_fresh(const struct bfs_step_args *a, const struct bfs_walk *w,
                               struct bfs_tally *t, struct bfs_kept *kept, struct bfs_fresh *fresh,
                               int counted, uint64_t until)
{
    for (uint32_t i = 0; i < fresh->count; i++) {
        const uint32_t row = fresh->row[i];
        a->level[row] = w->level + 1;
        if (a->parent)
            a->parent[row] = BFS_BEGIN(a, w) + fresh->under[i];
        bfs_keep_entry(a, t, kept, row, counted, until);
    }
    fresh->count = 0;
}

/* As bfs_expand_pieces(), by a worker of one lane, as those of host devices are. A look is cheaper there than an atomic that changes
 * nothing, in any level, and what is found is kept until there are many. @param[in] targets  of arcs, to which piece.first is a place.
 * @param[in,out] fresh  what was claimed; NULL: it is settled at once, by levels that are minima (bfs_step_eager.h). */
WEIR_DEV void bfs_arcs_alone(const struct bfs_step_args *a, const struct bfs_walk *w,
                             struct bfs_tally *t, struct bfs_kept *kept, struct bfs_piece piece,
                             const uint32_t *targets, int counted, uint64_t until,
                             struct bfs_fresh *fresh)
{
    uint32_t *found = a->found[w->current][a->member.index];
    for (uint32_t i = 0; i < piece.count; i++) {
        const uint32_t number = targets[piece.first + i], row = number - a->rows.begin;
        if (bfs_is_set(found, number) || !bfs_claim(found, number))
            continue;
        if (!bfs_owns(a, number)) {
            t->sent++;
            bfs_send(a, 1, number, BFS_BEGIN(a, w) + piece.row);
            continue;
        }
        if (!fresh) {
            weir_min_relaxed_dev_u32(&a->level[row], w->level + 1);
            bfs_keep_entry(a, t, kept, row, counted, until);
            continue;
        }
        weir_prefetch(&a->level[row]);
        weir_prefetch(&a->rows.out.offsets[row]);
        fresh->row[fresh->count] = row;
        fresh->under[fresh->count++] = piece.row;
        if (fresh->count == BFS_FRESH)
            bfs_settle_fresh(a, w, t, kept, fresh, counted, until);
    }
    t->down_arcs += piece.count;
}

/* The same of entries of the queue, one after the other. */
WEIR_DEV void bfs_expand_alone(const struct bfs_step_args *a, const struct bfs_walk *w,
                               struct bfs_tally *t, struct bfs_kept *kept, uint32_t at,
                               uint32_t count, int counted, uint64_t until, int eager)
{
#if BFS_HUBS
    const int copies = bfs_may_be_copied(a, w);
#endif
    struct bfs_fresh fresh;
    uint64_t copied = 0;
    fresh.count = 0;
    for (uint32_t e = 0; e < count; e++) {
        struct bfs_piece piece = BFS_QUEUE(a, w)[at + e];
        const uint32_t *targets = BFS_TARGETS(a, w);
        if (e + BFS_AHEAD < count)
            weir_prefetch(&BFS_TARGETS(a, w)[BFS_QUEUE(a, w)[at + e + BFS_AHEAD].first]);
#if BFS_HUBS
        if (copies && bfs_is_copied(a, w, piece.row, &piece.first)) {
            targets = a->hub_targets;
            copied += piece.count;
        }
#endif
        bfs_arcs_alone(a, w, t, kept, piece, targets, counted, until, eager ? NULL : &fresh);
    }
    bfs_settle_fresh(a, w, t, kept, &fresh, counted, until);
    if (BFS_HUBS && copied)
        weir_add_relaxed_dev_u64(&weir_steps_mine(&a->member)->result[BFS_RESULT_COPIED], copied);
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
        weir_add_relaxed_dev_u64(&weir_steps_mine(&a->member)->result[BFS_RESULT_SHARED], entries);
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
        const struct steal_cut cut = a->steal.cuts[owner * STEAL_DEVICES + me];
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
            weir_add_relaxed_dev_u64(&weir_steps_mine(&a->member)->result[BFS_RESULT_FOR + owner],
                                     done);
    }
}
#endif

/* The blocks that are awake take what the device has of the level. */
WEIR_DEV struct bfs_tally bfs_down(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                                   const struct weir_steps_block *b, const struct bfs_walk *w,
                                   int wide)
{
    struct bfs_tally t = {0, 0, 0, 0, 0, 0, 0};
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
WEIR_DEV struct bfs_tally bfs_down_wide(const struct bfs_step_args *a,
                                        struct bfs_step_shared *shared, struct weir_steps_block b,
                                        struct bfs_walk w)
{
    return bfs_down(a, shared, &b, &w, 1);
}

/** The same where all rows are short. */
WEIR_DEV struct bfs_tally bfs_down_short(const struct bfs_step_args *a,
                                         struct bfs_step_shared *shared, struct weir_steps_block b,
                                         struct bfs_walk w)
{
    return bfs_down(a, shared, &b, &w, BFS_IN_SHORT);
}

/** The same of arcs in host memory. */
WEIR_DEV struct bfs_tally bfs_down_lines(const struct bfs_step_args *a,
                                         struct bfs_step_shared *shared, struct weir_steps_block b,
                                         struct bfs_walk w)
{
    return bfs_down(a, shared, &b, &w, BFS_IN_LINES);
}

/** The same of a narrow stretch, whose rows may be long. */
WEIR_DEV struct bfs_tally bfs_down_narrow(const struct bfs_step_args *a,
                                          struct bfs_step_shared *shared, struct weir_steps_block b,
                                          struct bfs_walk w)
{
    return bfs_down(a, shared, &b, &w, 0);
}

#endif
