/** @file pr_steal_body.h  PageRank by residuals in step (pr_steal.h): the steps, and what follows which. */
#ifndef WEIR_ALGORITHMS_PR_PR_STEAL_BODY_H
#define WEIR_ALGORITHMS_PR_PR_STEAL_BODY_H

#include "algorithms/pr/pr_steal.h"

#include <string.h>

/* Rows of a tile that a lane has. */
#define PR_STEAL_EACH (PR_STEAL_TILE / WEIR_LANES)
/* Pieces that a worker takes together: one a lane; a lane alone takes those of a stretch of the list. */
#define PR_STEAL_RUN (WEIR_LANES == 1u ? 16u : WEIR_LANES)

/* To the nearest unit, or beside it where there are more units than doubles. */
WEIR_DEV uint64_t pr_steal_fixed(double value, double units)
{
    const double scaled = value * units;
    return (uint64_t)(int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5));
}

WEIR_DEV double pr_steal_real(uint64_t fixed, double unit)
{
    return (double)(int64_t)fixed * unit;
}

/* ---- scan ---------------------------------------------------------------------------------------- */

/* Clear the sums that other devices read in the epoch before, each of which was an item for its owner. The owner of the tile is looked up, as few
 * tiles are touched where it matters. */
WEIR_COLD void pr_steal_clear(const struct pr_steal_args *a, struct pr_steal_shared *shared,
                              struct pr_steal_worker worker)
{
    uint64_t *incoming = a->incoming[a->member.index];
    uint32_t *touched = a->touched[a->member.index];
    const uint32_t tiles = a->rows.numbers / PR_STEAL_TILE;
    uint64_t cleared = 0;
    WEIR_ROLLED
    for (uint64_t base = (uint64_t)worker.index * WEIR_LANES; base < tiles;
         base += (uint64_t)worker.count * WEIR_LANES) {
        const uint64_t mine = base + weir_lane();
        const uint32_t word = mine < tiles ? weir_load_relaxed_dev_u32(&touched[mine]) : 0;
        WEIR_ROLLED
        for (uint32_t left = weir_ballot(word != 0); left; left &= left - 1) {
            const uint32_t tile = (uint32_t)base + weir_first_bit_u32(left);
            uint32_t items = 0;
            for (uint32_t k = weir_lane(); k < PR_STEAL_TILE; k += WEIR_LANES) {
                uint64_t *sum = &incoming[(uint64_t)tile * PR_STEAL_TILE + k];
                items += weir_load_relaxed_dev_u64(sum) != 0;
                weir_store_relaxed_dev_u64(sum, 0);
            }
            items = weir_sum_u32(items);
            if (weir_lane() == 0) {
                weir_store_relaxed_dev_u32(&touched[tile], 0);
                const uint32_t owner = weir_steps_owner(a->rows.first, tile * PR_STEAL_TILE);
                weir_add_relaxed_dev_u64(&weir_steps_mine(&a->member)->tell[owner], items);
            }
            cleared++;
        }
    }
    if (weir_lane() == 0 && cleared)
        weir_atomic_add_block_u64(&shared->all_tiles, cleared);
}

/* Take what a row has to hand on. @return what each of its arcs carries; 0: the row keeps what it has. */
WEIR_DEV uint64_t pr_steal_take(const struct pr_steal_args *a, const struct pr_steal_at *at,
                                uint64_t row, double degree, uint32_t *taken)
{
    pr_push_value *value = &a->value[row];
    const double each = a->course.damping / degree;
    double residual = value->residual + at->epoch.shift;
    uint64_t share = 0;
    if (at->making == PR_STEAL_LOOKS)
        return degree > 0;
    if (degree > 0 && pr_push_large(at->epoch.threshold, residual))
        share = pr_steal_fixed(each * residual, at->units);
    const double gone = share ? pr_steal_real(share, at->unit) / each : degree > 0 ? 0 : residual;
    if (at->making ==
        PR_STEAL_FIRST) /* what is here is a first rank, and the residual of no rank is t */
        residual = (1 - a->course.damping) / a->course.vertices;
    value->rank += gone;
    value->residual = residual - gone;
    *taken += gone != 0;
    return share;
}

/* Take what a tile of rows has to hand on, and put its arcs on the list. All lanes of a worker. */
WEIR_DEV void pr_steal_scan_tile(const struct pr_steal_args *a, struct pr_steal_shared *shared,
                                 const struct pr_steal_at *at, uint64_t begin)
{
    const uint64_t *offsets = a->rows.out.offsets;
    uint64_t share[PR_STEAL_EACH], arcs = 0;
    uint32_t pieces = 0, taken = 0;
    WEIR_UNROLLED
    for (uint32_t k = 0; k < PR_STEAL_EACH; k++) {
        const uint64_t row = begin + k * WEIR_LANES + weir_lane();
        share[k] = 0;
        if (row >= a->rows.owned)
            continue;
        const uint64_t degree = offsets[row + 1] - offsets[row];
        share[k] = pr_steal_take(a, at, row, (double)degree, &taken);
        if (share[k]) {
            arcs += degree;
            pieces += (uint32_t)((degree + PR_STEAL_PIECE - 1) / PR_STEAL_PIECE);
        }
    }
    const uint32_t behind = weir_prefix_u32(pieces);
    const uint32_t all = weir_broadcast_u32(behind, WEIR_LANES - 1);
    const uint64_t looks = weir_sum_u64(arcs);
    uint32_t to = 0;
    taken = weir_sum_u32(taken);
    if (weir_lane() == 0) {
        if (all)
            to = weir_atomic_add_relaxed_dev_u32(a->listed, all);
        weir_atomic_add_block_u64(&shared->arcs, looks);
        weir_atomic_add_block_u64(&shared->pieces, all);
        weir_atomic_add_block_u64(&shared->all_rows, taken);
    }
    to = weir_broadcast_u32(to, 0) + behind - pieces;
    WEIR_UNROLLED
    for (uint32_t k = 0; k < PR_STEAL_EACH; k++) {
        const uint64_t row = begin + k * WEIR_LANES + weir_lane();
        if (!share[k])
            continue;
        WEIR_ROLLED
        for (uint64_t arc = offsets[row], end = offsets[row + 1]; arc < end;
             arc += PR_STEAL_PIECE) {
            struct pr_steal_piece *piece = &a->list[to++];
            piece->first = arc;
            piece->share = share[k];
            piece->count = (uint32_t)(end - arc < PR_STEAL_PIECE ? end - arc : PR_STEAL_PIECE);
        }
    }
}

WEIR_COLD void pr_steal_scan(const struct pr_steal_args *a, struct pr_steal_shared *shared,
                             struct pr_steal_worker worker, struct pr_steal_at at)
{
    uint64_t *sums = a->sums[a->member.index];
    WEIR_ROLLED
    for (uint64_t begin = (uint64_t)worker.index * PR_STEAL_TILE; begin < a->rows.owned;
         begin += (uint64_t)worker.count * PR_STEAL_TILE)
        pr_steal_scan_tile(a, shared, &at, begin);
    if (worker.index == 0) /* the slot that was read before the last epoch's scan was over */
        for (uint32_t i = weir_lane(); i < PR_PUSH_SUMS; i += WEIR_LANES)
            weir_store_relaxed_dev_u64(&sums[at.number % 2 * PR_PUSH_SUMS + i], 0);
}

/* ---- hand on ------------------------------------------------------------------------------------- */

/* What an arc carries goes to its target's sum on this device. */
WEIR_DEV void pr_steal_add(const struct pr_steal_args *a, uint32_t number, uint64_t share)
{
    const uint32_t me = a->member.index, begin = a->rows.begin;
    weir_add_relaxed_dev_u64(&a->incoming[me][number], share);
    if (number - begin < a->rows.first[me + 1] - begin)
        return;
    uint32_t *touched = &a->touched[me][number / PR_STEAL_TILE];
    if (!weir_load_relaxed_dev_u32(touched))
        weir_store_relaxed_dev_u32(touched, 1);
}

/* Go along the arcs of as many pieces as there are lanes, or fewer: lanes take arc by arc of all of them, however long each piece is.
 * All lanes of a worker. */
WEIR_DEV void pr_steal_pieces(const struct pr_steal_args *a, const struct pr_steal_piece *list,
                              const uint32_t *targets, uint32_t at, uint32_t end)
{
    const uint32_t mine = at + weir_lane();
    struct pr_steal_piece piece = {0, 0, 0, 0};
    if (mine < end)
        piece = list[mine];
    const uint32_t behind = weir_prefix_u32(piece.count), before = behind - piece.count;
    const uint32_t all = weir_broadcast_u32(behind, WEIR_LANES - 1);
    const uint64_t base = piece.first - before; /* arc i of all is arc base + i of its piece */
    WEIR_ROLLED
    for (uint32_t round = 0; round < all; round += WEIR_LANES) {
        const uint32_t i = round + weir_lane();
        uint32_t of = 0; /* the last piece that begins at i or before */
        WEIR_UNROLLED
        for (uint32_t half = WEIR_LANES / 2; half; half /= 2)
            of += weir_broadcast_u32(before, of + half) <= i ? half : 0;
        const uint64_t arc = weir_broadcast_u64(base, of) + i;
        const uint64_t share = weir_broadcast_u64(piece.share, of);
        if (i < all)
            pr_steal_add(a, targets[arc], share);
    }
}

/* All workers hand on what the device takes of each list, its own first; or of its own all. Workers go on counting runs of pieces from one list to the
 * next, so that each gets as many. */
WEIR_COLD void pr_steal_hand(const struct pr_steal_args *a, struct pr_steal_worker worker,
                             uint32_t shared_out)
{
    const uint32_t me = a->member.index, n = a->steal.devices;
    uint32_t run = worker.index; /* of the worker, from where a list begins */
    WEIR_ROLLED
    for (uint32_t k = 0; k < (shared_out ? n : 1); k++) {
        const uint32_t owner = (me + k) % n;
        const struct steal_cut *cut = &a->steal.cuts[owner * STEAL_DEVICES + me];
        const uint32_t begin = shared_out ? cut->begin : 0;
        const uint32_t end = shared_out ? cut->end : weir_load_relaxed_dev_u32(a->listed);
        const uint32_t runs =
            (uint32_t)((end - begin + UINT64_C(0) + PR_STEAL_RUN - 1) / PR_STEAL_RUN);
        const struct pr_steal_piece *list = a->peer[owner].list;
        const uint32_t *targets = a->peer[owner].targets;
        WEIR_ROLLED
        for (; run < runs; run += worker.count) {
            const uint32_t at = begin + run * PR_STEAL_RUN;
            const uint32_t behind = end - at < PR_STEAL_RUN ? end : at + PR_STEAL_RUN;
            WEIR_ROLLED
            for (uint32_t i = at; i < behind; i += WEIR_LANES)
                pr_steal_pieces(a, list, targets, i, behind);
        }
        run -= runs;
    }
}

/* ---- absorb -------------------------------------------------------------------------------------- */

/* Which other devices have anything for a tile. All lanes of a worker. */
WEIR_DEV uint32_t pr_steal_who(const struct pr_steal_args *a, uint32_t tile)
{
    const uint32_t me = a->member.index;
    uint32_t who = 0;
    WEIR_ROLLED
    for (uint32_t d = weir_lane(); d < a->member.count; d += WEIR_LANES)
        if (d != me && weir_load_relaxed_sys_u32(&a->touched[d][tile]))
            who |= 1u << d;
    return (uint32_t)weir_or_u64(who);
}

/* What has come in for an own row. */
WEIR_DEV uint64_t pr_steal_came(const struct pr_steal_args *a, uint32_t number, uint32_t who)
{
    uint64_t *mine = &a->incoming[a->member.index][number];
    uint64_t sum = weir_load_relaxed_dev_u64(mine);
    if (sum)
        weir_store_relaxed_dev_u64(mine, 0);
    WEIR_ROLLED
    for (; who; who &= who - 1)
        sum += weir_load_relaxed_sys_u64(&a->incoming[weir_first_bit_u32(who)][number]);
    return sum;
}

WEIR_DEV void pr_steal_absorb_row(const struct pr_steal_args *a, const struct pr_steal_at *at,
                                  uint64_t row, uint64_t came, uint64_t *sum)
{
    pr_push_value *value = &a->value[row];
    const double n = a->course.vertices, damping = a->course.damping;
    if (at->making ==
        PR_STEAL_LOOKS) { /* a vertex that no arc leads to has t, any other begins with 1 / n */
        value->rank = 0;
        value->residual = (came ? 1 : 1 - damping) / n;
        return;
    }
    const double residual = value->residual + pr_steal_real(came, at->unit);
    const double rank = value->rank + residual;
    const uint64_t all = pr_steal_fixed(fabs(residual), at->units);
    const uint64_t net = residual < 0 ? 0 - all : all;
    value->residual = residual;
    if (at->making == PR_STEAL_FIRST)
        a->first[row] = *value;
    sum[PR_PUSH_RANK] += pr_steal_fixed(rank, at->rank_units);
    sum[PR_PUSH_NET] += net;
    sum[PR_PUSH_ALL] += all;
    if (a->rows.out.offsets[row] <
        a->rows.out.offsets[row + 1]) { /* the damping comes at the end */
        sum[PR_PUSH_PASSED_NET] += net;
        sum[PR_PUSH_PASSED_ALL] += all;
    }
    sum[PR_PUSH_RESTLESS] += fabs(residual) > a->restless * rank;
}

WEIR_COLD void pr_steal_absorb(const struct pr_steal_args *a, struct pr_steal_shared *shared,
                               struct pr_steal_worker worker, struct pr_steal_at at)
{
    uint64_t sum[PR_PUSH_SUMS] = {0, 0, 0, 0, 0, 0};
    const uint32_t begin = a->rows.begin;
    WEIR_ROLLED
    for (uint64_t first = (uint64_t)worker.index * PR_STEAL_TILE; first < a->rows.owned;
         first += (uint64_t)worker.count * PR_STEAL_TILE) {
        const uint32_t who = pr_steal_who(a, (begin + (uint32_t)first) / PR_STEAL_TILE);
        for (uint64_t row = first + weir_lane(); row < first + PR_STEAL_TILE && row < a->rows.owned;
             row += WEIR_LANES)
            pr_steal_absorb_row(a, &at, row, pr_steal_came(a, begin + (uint32_t)row, who), sum);
    }
    for (uint32_t i = 0; i < PR_PUSH_SUMS; i++) {
        sum[i] = weir_sum_u64(sum[i]);
        if (weir_lane() == 0 && sum[i])
            weir_atomic_add_block_u64(&shared->total[i], sum[i]);
    }
    if (worker.index == 0 && weir_lane() == 0)
        weir_store_relaxed_dev_u32(a->listed, 0);
}

/* ---- what follows which --------------------------------------------------------------------------- */

/* 2^PR_STEAL_BITS units are more than this. @param[out] units_out  how many 1 is. */
WEIR_DEV double pr_steal_unit(double most, double *units_out)
{
    int bits;
    (void)frexp(fmax(most, 1e-250), &bits);
    *units_out = ldexp(1.0, PR_STEAL_BITS - bits);
    return ldexp(1.0, bits - PR_STEAL_BITS);
}

/* The units of an epoch that begins with residuals of @p all in all, which are twice that at most with what they are short of. What it adds up, and
 * what is left of it, is no more than that each. @param[in] ranks  the sum of ranks and residuals, which changes by as much at most. */
WEIR_COLD void pr_steal_set_units(struct pr_steal_at *at, double all, double ranks)
{
    at->unit = pr_steal_unit(2 * all, &at->units);
    at->rank_unit = pr_steal_unit(fabs(ranks) + 4 * all, &at->rank_units);
}

WEIR_COLD void pr_steal_next_epoch(struct pr_steal_shared *shared, double net, double all,
                                   double ranks)
{
    struct pr_steal_at *at = &shared->at;
    at->epoch = pr_epoch_next(&shared->course, net, all);
    pr_steal_set_units(at, all, ranks);
    at->kind = PR_STEAL_SCAN;
}

/* All threads of a block; a weir_block_sync() follows. */
WEIR_DEV void pr_steal_begin(const struct pr_steal_args *a, struct pr_steal_shared *shared,
                             const struct weir_steps_block *b)
{
    struct pr_steal_at *at = &shared->at;
    steal_reset(&shared->steal, b->thread, b->threads);
    for (uint32_t i = b->thread; i < PR_PUSH_SUMS; i += b->threads)
        shared->total[i] = 0;
    if (b->thread)
        return;
    shared->arcs = shared->pieces = 0;
    shared->all_rows = shared->all_arcs = shared->all_pieces = shared->all_tiles = 0;
    shared->since_ns = weir_clock_ns();
    shared->course = a->course;
    at->making = a->making;
    at->shared_out = at->number = 0;
    pr_steal_next_epoch(shared, a->net, a->all, PR_STEAL_FIRST_RANKS);
    if (at->making) {
        at->epoch.shift = at->epoch.threshold = 0;
        pr_steal_set_units(at, 1, PR_STEAL_FIRST_RANKS);
    }
}

/* What the rules want to know of the sums of all devices. Devices that decided differently whether a run is over would wait for each other for ever, so what
 * stays is added up in whole numbers, and then there are multiplications and one division alone, which compilers for different devices
 * cannot put together in different ways. */
WEIR_DEV void pr_steal_sum(const struct pr_steal_args *a, const struct pr_steal_at *at,
                           const uint64_t *total, double *sum)
{
    const uint64_t net = total[PR_PUSH_PASSED_NET];
    const uint64_t lost = a->course.spread ? ((int64_t)net < 0 ? 0 - net : net) : 0;
    sum[PR_PUSH_RANK] = pr_steal_real(total[PR_PUSH_RANK], at->rank_unit);
    sum[PR_PUSH_NET] = pr_steal_real(total[PR_PUSH_NET], at->unit);
    sum[PR_PUSH_ALL] = pr_steal_real(total[PR_PUSH_ALL], at->unit);
    sum[PR_PUSH_PASSED_NET] = 0; /* it is with the others */
    sum[PR_PUSH_PASSED_ALL] =
        pr_steal_real(total[PR_PUSH_PASSED_ALL] + lost, at->unit) * a->course.damping;
    sum[PR_PUSH_RESTLESS] = (double)total[PR_PUSH_RESTLESS];
}

/* An epoch is over. Thread 0 of a block, with the sums of all devices. */
WEIR_COLD void pr_steal_over(const struct pr_steal_args *a, struct pr_steal_shared *shared,
                             int keeps)
{
    struct pr_steal_at *at = &shared->at;
    uint64_t *result = weir_steps_mine(&a->member)->result;
    double sum[PR_PUSH_SUMS];
    pr_steal_sum(a, at, shared->total, sum);
    if (keeps) {
        result[PR_STEAL_RESULT_NET] = shared->total[PR_PUSH_NET];
        result[PR_STEAL_RESULT_ALL] = shared->total[PR_PUSH_ALL];
    }
    for (uint32_t i = 0; i < PR_PUSH_SUMS; i++)
        shared->total[i] = 0;
    at->number++;
    at->shared_out = 0;
    if (at->making == PR_STEAL_LOOKS) {
        at->making = PR_STEAL_FIRST;
        at->kind = PR_STEAL_SCAN;
        return;
    }
    if (at->making || pr_epoch_ended(&shared->course, sum) || at->number >= a->epochs)
        at->kind = PR_STEAL_END;
    else
        pr_steal_next_epoch(shared, sum[PR_PUSH_NET], sum[PR_PUSH_ALL], sum[PR_PUSH_RANK]);
}

/* The sums of all devices, by all threads of a block. */
WEIR_DEV void pr_steal_learn(const struct pr_steal_args *a, struct pr_steal_shared *shared,
                             const struct weir_steps_block *b)
{
    const uint32_t slot = shared->at.number % 2 * PR_PUSH_SUMS;
    for (uint32_t i = b->thread; i < a->member.count * PR_PUSH_SUMS; i += b->threads)
        weir_atomic_add_block_u64(
            &shared->total[i % PR_PUSH_SUMS],
            weir_load_relaxed_sys_u64(&a->sums[i / PR_PUSH_SUMS][slot + i % PR_PUSH_SUMS]));
    weir_block_sync();
}

/* Behind the scan, COUNT or CUT: whether the lists are shared out. Thread 0 of a block. */
WEIR_COLD void pr_steal_share(const struct pr_steal_args *a, struct pr_steal_shared *shared,
                              struct weir_steps_block b)
{
    struct pr_steal_at *at = &shared->at;
    struct steal_shared *steal = &shared->steal;
    const uint32_t me = a->member.index, was = at->kind;
    if (was == PR_STEAL_SCAN)
        for (uint32_t d = 0; d < a->steal.devices; d++) {
            steal->load[d] = weir_steps_flagged(&a->member, &b, d, 1);
            steal->list[d] = weir_steps_flagged(&a->member, &b, d, 2);
        }
    at->shared_out = was == PR_STEAL_CUT;
    at->kind = was == PR_STEAL_COUNT                                     ? PR_STEAL_CUT
               : was == PR_STEAL_SCAN && steal_pays(&a->steal, steal, 0) ? PR_STEAL_COUNT
                                                                         : PR_STEAL_HAND;
    if (at->kind != PR_STEAL_HAND || b.block)
        return;
    steal_book(&a->steal, steal, me, (int)at->shared_out, NULL);
    shared->all_arcs += steal_done(&a->steal, steal, me, (int)at->shared_out);
    for (uint32_t i = 0; i < a->steal.devices && at->shared_out; i++)
        if (i != me)
            weir_steps_mine(&a->member)->result[PR_STEAL_RESULT_FOR + i] +=
                a->steal.cuts[i * STEAL_DEVICES + me].units;
}

WEIR_DEV void pr_steal_work(const struct pr_steal_args *a, struct pr_steal_shared *shared,
                            const struct weir_steps_block *b, uint32_t kind)
{
    const uint32_t pieces = weir_load_relaxed_dev_u32(a->listed);
    struct pr_steal_worker worker;
    worker.index = b->block + b->blocks * (b->thread / WEIR_LANES);
    worker.count = b->blocks * (b->threads / WEIR_LANES);
    switch (kind) {
    case PR_STEAL_SCAN:
        pr_steal_clear(a, shared, worker);
        pr_steal_scan(a, shared, worker, shared->at);
        break;
    case PR_STEAL_COUNT:
        if (pieces)
            (void)steal_count(&a->steal, &a->list->count, sizeof *a->list / 4, 0, pieces,
                              worker.index, worker.count);
        break;
    case PR_STEAL_CUT:
        if (b->block == 0)
            steal_out(&a->steal, &shared->steal, 0, a->member.index, 0, pieces, b->thread,
                      b->threads);
        break;
    case PR_STEAL_HAND:
        pr_steal_hand(a, worker, shared->at.shared_out);
        break;
    default:
        pr_steal_absorb(a, shared, worker, shared->at);
    }
}

/* Hand what the threads of a block found to the device, in front of the barrier of a step. Thread 0. */
WEIR_DEV void pr_steal_tell(const struct pr_steal_args *a, struct pr_steal_shared *shared,
                            const struct weir_steps_block *b, uint32_t kind)
{
    uint64_t *sums = a->sums[a->member.index] + shared->at.number % 2 * PR_PUSH_SUMS;
    if (kind == PR_STEAL_SCAN) {
        if (shared->arcs)
            weir_steps_add(&a->member, b, 1, shared->arcs);
        if (shared->pieces)
            weir_steps_add(&a->member, b, 2, shared->pieces);
        shared->all_pieces += shared->pieces;
        shared->arcs = shared->pieces = 0;
    }
    for (uint32_t i = 0; i < PR_PUSH_SUMS && kind == PR_STEAL_ABSORB; i++) {
        if (shared->total[i])
            weir_add_relaxed_dev_u64(&sums[i], shared->total[i]);
        shared->total[i] = 0;
    }
}

/* Behind the last barrier: ranks, sums that others have read, and what was counted. */
WEIR_COLD void pr_steal_finish(const struct pr_steal_args *a, struct pr_steal_shared *shared,
                               const struct weir_steps_block b)
{
    uint64_t *result = weir_steps_mine(&a->member)->result;
    const double scale = shared->course.scale;
    struct pr_steal_worker worker;
    worker.index = b.block + b.blocks * (b.thread / WEIR_LANES);
    worker.count = b.blocks * (b.threads / WEIR_LANES);
    pr_steal_clear(a, shared, worker);
    for (uint64_t row = weir_steps_thread(&b); row < a->rows.owned; row += weir_steps_threads(&b))
        a->ranks[row] = scale * (a->value[row].rank + a->value[row].residual);
    weir_block_sync();
    if (b.thread)
        return;
    weir_add_relaxed_dev_u64(&result[PR_STEAL_RESULT_ROWS], shared->all_rows);
    weir_add_relaxed_dev_u64(&result[PR_STEAL_RESULT_ARCS], shared->all_arcs);
    weir_add_relaxed_dev_u64(&result[PR_STEAL_RESULT_PIECES], shared->all_pieces);
    weir_add_relaxed_dev_u64(&result[PR_STEAL_RESULT_TILES], shared->all_tiles);
    if (b.block)
        return;
    result[PR_STEAL_RESULT_EPOCHS] = shared->at.number;
    memcpy(&result[PR_STEAL_RESULT_SCALE], &shared->course.scale, sizeof scale);
    memcpy(&result[PR_STEAL_RESULT_BOUND], &shared->course.bound, sizeof scale);
    result[PR_STEAL_RESULT_STOLEN] = shared->steal.entries;
    result[PR_STEAL_RESULT_MOST_OWNED] = shared->steal.most_owned;
    result[PR_STEAL_RESULT_MOST_DONE] = shared->steal.most_done;
}

WEIR_DEV void pr_steal_body(const struct pr_steal_args *a, struct pr_steal_shared *shared,
                            struct weir_steps_block *b)
{
    const int keeps = b->block == 0 && b->thread == 0;
    uint64_t total[WEIR_STEPS_SUMS];
    uint32_t kind = PR_STEAL_SCAN;
    pr_steal_begin(a, shared, b);
    weir_block_sync();
    WEIR_ROLLED
    while (kind != PR_STEAL_END) {
        const uint32_t booked = kind == PR_STEAL_CUT ? (uint32_t)PR_STEAL_COUNT : kind;
        pr_steal_work(a, shared, b, kind);
        weir_block_sync();
        if (b->thread == 0)
            pr_steal_tell(a, shared, b, kind);
        if (weir_steps_meet(&a->member, b, b->blocks, NULL, 1, total))
            return;
        if (kind == PR_STEAL_ABSORB)
            pr_steal_learn(a, shared, b);
        if (b->thread == 0) {
            if (keeps)
                weir_steps_book(&a->member, &shared->since_ns, PR_STEAL_RESULT_NS + booked,
                                PR_STEAL_RESULT_STEPS + booked);
            if (kind == PR_STEAL_HAND)
                shared->at.kind = PR_STEAL_ABSORB;
            else if (kind == PR_STEAL_ABSORB)
                pr_steal_over(a, shared, keeps);
            else
                pr_steal_share(a, shared, *b);
        }
        weir_block_sync();
        kind = shared->at.kind;
    }
    pr_steal_finish(a, shared, *b);
}

#define WEIR_STEPS pr_steal

#endif
