/** @file sssp_step_relax.h  Shortest paths in step: relaxing arcs of a row, by a lane, by a warp, in pieces. */
#ifndef WEIR_ALGORITHMS_SSSP_SSSP_STEP_RELAX_H
#define WEIR_ALGORITHMS_SSSP_SSSP_STEP_RELAX_H

#include "algorithms/sssp/sssp_step.h"

/** The arcs of a row that a worker or a lane relaxes. */
struct sssp_step_range {
    uint64_t at, end;  /* arcs */
    uint32_t distance; /* of the tail */
    uint32_t last;     /* the greatest weight that is relaxed */
};

WEIR_DEV uint32_t sssp_step_add(uint32_t distance, uint32_t weight)
{
    uint32_t sum = distance + weight;
    return sum < distance || sum > SSSP_U32_FAR ? SSSP_U32_FAR : sum;
}

/** What a thread has found when a phase begins. */
WEIR_DEV struct sssp_step_found sssp_step_nothing(void)
{
    struct sssp_step_found found;
    found.changed = found.looks = 0;
    found.arcs = 0;
    found.rows = found.values = found.reached = found.firsts = 0;
    found.low = SSSP_STEP_NONE;
    found.sum[0] = found.sum[1] = 0;
    return found;
}

/** Count a row whose distance fell, if it was FAR or is now. Each fall of a row's distance comes here once, so in the end
 *  those that became FAR on all devices, less those that left it, are how many rows are FAR. */
WEIR_DEV void sssp_step_count_far(struct sssp_step_shared *shared, uint32_t before, uint32_t after)
{
    if (after == SSSP_U32_FAR || before == SSSP_U32_FAR)
        (void)weir_atomic_add_relaxed_dev_u32(&shared->far[before == SSSP_U32_FAR], 1);
}

/** Hand what the threads of a worker found to their block, at the end of a phase. All lanes.
 *  @param[in] kind  under which the looks are counted. */
WEIR_DEV void sssp_step_flush(struct sssp_step_shared *shared, const struct sssp_step_found *found,
                              enum sssp_step_kind kind)
{
    const sssp_step_count any = found->changed | found->rows | found->looks | found->values;
    if (!weir_ballot(any != 0))
        return;
    const uint64_t changed = weir_sum_u64(found->changed), looks = weir_sum_u64(found->looks);
    const uint64_t first = weir_sum_u64(found->sum[0]), second = weir_sum_u64(found->sum[1]);
    const uint64_t rows = weir_sum_u64(found->rows), values = weir_sum_u64(found->values);
    const uint32_t reached = weir_sum_u32(found->reached), low = ~weir_max_u32(~found->low);
    const uint64_t arcs = reached ? weir_sum_u64(found->arcs) : 0;
    if (weir_lane())
        return;
    weir_atomic_add_block_u64(&shared->sum[0], changed);
    weir_atomic_add_block_u64(&shared->sum[1], first);
    weir_atomic_add_block_u64(&shared->sum[2], second);
    weir_atomic_add_block_u64(&shared->rows, rows);
    weir_atomic_add_block_u64(&shared->looks[kind], looks);
    if (values)
        weir_atomic_add_block_u64(&shared->values, values);
    if (reached) {
        weir_atomic_add_block_u64(&shared->reached, reached);
        weir_atomic_add_block_u64(&shared->arcs, arcs);
    }
    if (low != SSSP_STEP_NONE)
        (void)weir_atomic_min_relaxed_dev_u32(&shared->low, low);
}

/** Mark a row with the distance that it passes on, which is below FAR. Where that is large the mark may come too close to
 *  those of the next run, or go round; the host is told, and does the run again with more room (sssp_in_step.c). */
WEIR_DEV void sssp_step_mark(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                             uint32_t zero, uint32_t row, uint32_t distance)
{
    a->done[row] = zero + distance;
    if (distance >= SSSP_STEP_ROOM)
        weir_store_relaxed_dev_u32(&shared->large, 1);
}

/** A worker that relaxes. */
struct sssp_step_relaxer {
    const struct sssp_step_args *a;
    struct sssp_step_shared *shared;
    uint32_t *tent, *stamp; /* of this device */
    uint64_t *stage;
    uint32_t waiting; /* items in the stage; the same in all lanes */
    uint32_t iteration;
#if SSSP_STEALS
    uint32_t far;          /* arcs are those of any device */
    const uint64_t *pairs; /* then: theirs */
#endif
};

/* Of which arcs: the device's own, but for what it does for others. Where `far` is constant, as it is in each phase, nothing is left of the
 * question, and rows that push have no pointers in registers. */
#if SSSP_STEALS
#define SSSP_STEP_PAIRS(r) ((r)->far ? (r)->pairs : (r)->a->pairs.out)
#else
#define SSSP_STEP_PAIRS(r) ((r)->a->pairs.out)
#endif

WEIR_DEV struct sssp_step_relaxer sssp_step_relaxer_of(const struct sssp_step_args *a,
                                                       struct sssp_step_shared *shared,
                                                       const struct sssp_step_worker *worker)
{
    struct sssp_step_relaxer r;
    r.a = a;
    r.shared = shared;
    r.tent = a->tent[a->member.index];
    r.stamp = a->stamp[a->member.index];
    r.stage = shared->stage[worker->in_block];
    r.waiting = 0;
    r.iteration = worker->iteration;
#if SSSP_STEALS
    r.far = 0;
    r.pairs = NULL;
#endif
    return r;
}

/** A distance has been lowered, or not, in its owner's memory, for whom it is counted here.
 *  @param[in] before  what lay there. @return 1: it was. */
WEIR_DEV uint32_t sssp_step_lowered(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                    uint32_t owner, uint64_t item, uint32_t before,
                                    uint32_t iteration)
{
    const uint32_t row = (uint32_t)(item >> 32) - a->part.first[owner];
    if ((uint32_t)item >= before)
        return 0;
    weir_store_relaxed_sys_u32(&a->stamp[owner][sssp_step_stamp(row, iteration + 1)],
                               iteration + 1);
    sssp_step_count_far(shared, before, (uint32_t)item);
    return 1;
}

/** Lower the distance of an item in its owner's memory. @return 1: it was lowered. */
WEIR_COLD uint32_t sssp_step_spill(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                   uint32_t owner, uint64_t item, uint32_t iteration)
{
    return sssp_step_lowered(
        a, shared, owner, item,
        weir_atomic_min_relaxed_sys_u32(&a->tent[owner][item >> 32], (uint32_t)item), iteration);
}

/** Whose a stage's item is that a lane looks at; WEIR_DEVICES_MAX: there is none. */
WEIR_DEV uint32_t sssp_step_to(const struct sssp_step_args *a, const uint64_t *stage,
                               uint32_t waiting, uint32_t at)
{
    return at < waiting ? weir_steps_owner(a->part.first, (uint32_t)(stage[at] >> 32))
                        : WEIR_DEVICES_MAX;
}

/** Lower the distances of what waits in a stage where they lie. All lanes of a worker. */
WEIR_DEV void sssp_step_direct(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                               const uint64_t *stage, uint32_t waiting, uint32_t iteration)
{
    const uint32_t two = a->part.parts == 2, other = 1 - a->member.index;
    uint32_t lowered = 0;
    weir_lanes_sync();
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i - weir_lane() < waiting; i += SSSP_STEP_BATCH * WEIR_LANES) {
        uint32_t before[SSSP_STEP_BATCH], owner[SSSP_STEP_BATCH];
        for (uint32_t j = 0; j < SSSP_STEP_BATCH; j++) { /* all are under way together */
            const uint32_t at = i + j * WEIR_LANES;
            before[j] = 0;
            owner[j] = two && at < waiting ? other : sssp_step_to(a, stage, waiting, at);
            if (at < waiting)
                before[j] = weir_atomic_min_relaxed_sys_u32(&a->tent[owner[j]][stage[at] >> 32],
                                                            (uint32_t)stage[at]);
        }
        for (uint32_t j = 0; j < SSSP_STEP_BATCH; j++) {
            const uint32_t at = i + j * WEIR_LANES;
            if (at >= waiting)
                continue;
            lowered += sssp_step_lowered(a, shared, owner[j], stage[at], before[j], iteration);
            if (!two)
                weir_atomic_add_block_u64(&shared->direct[owner[j]], 1);
        }
    }
    weir_lanes_sync();
    lowered = weir_sum_u32(lowered);
    if (weir_lane())
        return;
    if (two)
        weir_atomic_add_block_u64(&shared->direct[other], waiting);
    if (lowered) /* the owner does not see that its distances changed */
        weir_atomic_add_block_u64(&shared->sum[0], lowered);
}

/** Hand on what waits in a stage: send it to one device after the other, or lower it there. All lanes of a worker. */
WEIR_COLD void sssp_step_send(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                              const uint64_t *stage, uint32_t waiting, uint32_t iteration)
{
    const uint32_t lane = weir_lane();
    uint32_t spilled = 0, lowered = 0;
    if (shared->at.direct) {
        sssp_step_direct(a, shared, stage, waiting, iteration);
        return;
    }
    weir_lanes_sync();
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->part.parts; d++) {
        uint32_t count = a->part.parts == 2 ? waiting : 0; /* all are the other's */
        if (d == a->member.index)
            continue;
        WEIR_ROLLED
        for (uint32_t i = 0; i < waiting && a->part.parts > 2; i += WEIR_LANES)
            count += weir_popcount_u32(weir_ballot(sssp_step_to(a, stage, waiting, i + lane) == d));
        if (!count)
            continue;
        uint64_t slot = weir_steps_reserve(&a->member, d, count) - shared->inboxes.sent[d];
        WEIR_ROLLED
        for (uint32_t i = 0; i < waiting; i += WEIR_LANES) {
            const int mine = a->part.parts > 2 ? sssp_step_to(a, stage, waiting, i + lane) == d
                                               : i + lane < waiting;
            const uint32_t those = weir_ballot(mine);
            const uint64_t at = slot + weir_popcount_u32(those & ((1u << lane) - 1));
            slot += weir_popcount_u32(those);
            if (!mine)
                continue;
            const uint64_t item = stage[i + lane];
            if (at < a->room[d]) {
                a->outbox[d][at] = item;
                continue;
            }
            lowered += sssp_step_spill(a, shared, d, item, iteration);
            spilled++;
        }
    }
    weir_lanes_sync();
    spilled = weir_sum_u32(spilled);
    lowered = weir_sum_u32(lowered);
    if (lane)
        return;
    weir_atomic_add_block_u64(&shared->sent, waiting);
    if (spilled) {
        weir_atomic_add_block_u64(&shared->spilled, spilled);
        weir_atomic_add_block_u64(&shared->sum[0], lowered);
    }
}

/** Lower the distances of up to SSSP_STEP_BATCH numbers for which `wanted` holds. All lanes of a worker. */
WEIR_DEV void sssp_step_lower(struct sssp_step_relaxer *r, const int *wanted,
                              const uint32_t *number, const uint32_t *sum,
                              struct sssp_step_found *found)
{
    const uint32_t begin = r->a->part.begin, owned = r->a->part.owned;
    uint32_t before[SSSP_STEP_BATCH];
    for (uint32_t j = 0; j < SSSP_STEP_BATCH; j++) { /* all are under way together */
        before[j] = 0;
        if (wanted[j])
            before[j] = weir_atomic_min_relaxed_sys_u32(&r->tent[number[j]], sum[j]);
    }
    for (uint32_t j = 0; j < SSSP_STEP_BATCH; j++) {
        const uint32_t row = number[j] - begin;
        const int lower = wanted[j] && sum[j] < before[j], own = row < owned;
        if (lower && own) {
            weir_store_relaxed_sys_u32(&r->stamp[sssp_step_stamp(row, r->iteration + 1)],
                                       r->iteration + 1);
            sssp_step_count_far(r->shared, before[j], sum[j]);
            found->changed++;
        }
        const uint32_t far = weir_ballot(lower && !own);
        if (lower && !own)
            r->stage[r->waiting + weir_popcount_u32(far & ((1u << weir_lane()) - 1))] =
                (uint64_t)number[j] << 32 | sum[j];
        r->waiting += weir_popcount_u32(far);
    }
    if (r->waiting >= SSSP_STEP_SENDS * WEIR_LANES) {
        sssp_step_send(r->a, r->shared, r->stage, r->waiting, r->iteration);
        r->waiting = 0;
    }
}

/** Relax up to SSSP_STEP_BATCH arcs, each `stride` behind the one before, from `from` on. All lanes of a
 *  worker, those that have nothing with `from` at the end.
 *  @param[in] without  1: the first of them is none.
 *  @return how many: fewer than that if the range ends, or the weights that are relaxed do. */
WEIR_DEV uint32_t sssp_step_batch(struct sssp_step_relaxer *r, const struct sssp_step_range *range,
                                  uint64_t from, uint32_t stride, uint32_t without,
                                  struct sssp_step_found *found)
{
    uint32_t weight[SSSP_STEP_BATCH], target[SSSP_STEP_BATCH], count = 0;
    int wanted[SSSP_STEP_BATCH];
    for (uint32_t j = 0; j < SSSP_STEP_BATCH; j++) { /* all loads are under way together */
        const uint64_t arc = from + (uint64_t)j * stride;
        wanted[j] = arc < range->end && j >= without;
        const uint64_t pair = wanted[j] ? SSSP_STEP_PAIRS(r)[arc] : 0;
        weight[j] = weir_rows_pair_weight(pair);
        target[j] = weir_rows_pair_target(pair);
    }
    for (uint32_t j = 0; j < SSSP_STEP_BATCH; j++) {
        wanted[j] = wanted[j] && weight[j] <= range->last;
        if (wanted[j])
            count = j + 1; /* weights ascend */
        weight[j] = sssp_step_add(range->distance, weight[j]);
    }
    uint32_t known[SSSP_STEP_BATCH];
    for (uint32_t j = 0; j < SSSP_STEP_BATCH; j++)
        known[j] = wanted[j] ? weir_load_relaxed_dev_u32(&r->tent[target[j]]) : 0;
    for (uint32_t j = 0; j < SSSP_STEP_BATCH; j++)
        wanted[j] = weight[j] < known[j]; /* most arcs improve nothing */
    sssp_step_lower(r, wanted, target, weight, found);
    count -= count ? without : 0;
    found->looks += count;
    return count;
}

/** Lanes relax up to SSSP_STEP_ALONE arcs, each of its own range; at == end: none.
 *  @return whether more are to be relaxed, perhaps. */
WEIR_DEV uint32_t sssp_step_alone(struct sssp_step_relaxer *r, struct sssp_step_range *range,
                                  struct sssp_step_found *found)
{
    uint32_t more = range->at < range->end;
    WEIR_ROLLED
    for (uint32_t i = 0; i < SSSP_STEP_ALONE && weir_ballot((int)more); i += SSSP_STEP_BATCH) {
        uint32_t count = sssp_step_batch(r, range, more ? range->at : range->end, 1, 0, found);
        range->at += count;
        more = count == SSSP_STEP_BATCH && range->at < range->end;
    }
    return more;
}

/** A worker relaxes the arcs of a range that all its lanes have, as long as weights are relaxed; those in host memory in whole lines, so that
 *  the first turn may take fewer. */
WEIR_DEV void sssp_step_together(struct sssp_step_relaxer *r, struct sssp_step_range *range,
                                 struct sssp_step_found *found)
{
    uint32_t all = 1;
    WEIR_ROLLED
    while (all && range->at < range->end) {
        const uint32_t before = r->a->lines ? (uint32_t)range->at & (SSSP_STEP_LINE - 1) : 0;
        uint32_t count = sssp_step_batch(r, range, range->at - before + weir_lane(), WEIR_LANES,
                                         weir_lane() < before, found);
        count = weir_sum_u32(count);
        range->at += count;
        all = count == SSSP_STEP_BATCH * WEIR_LANES - before;
    }
}

/** Find where those of `length` arcs from `low` on end that weigh no more than `last`. All lanes search together, each
 *  at its own arc. */
WEIR_DEV uint64_t sssp_step_search(const uint64_t *pairs, uint64_t low, uint64_t length,
                                   uint32_t last)
{
    const uint64_t lane = weir_lane(), parts = WEIR_LANES + 1;
    WEIR_ROLLED
    while (length > WEIR_LANES) {
        const uint64_t probe = low + length * (lane + 1) / parts;
        const uint32_t below =
            weir_popcount_u32(weir_ballot(weir_rows_pair_weight(pairs[probe]) <= last));
        const uint64_t begin = below ? length * below / parts + 1 : 0;
        const uint64_t end = below < WEIR_LANES ? length * (below + 1) / parts : length;
        low += begin;
        length = end - begin;
    }
    return low + weir_popcount_u32(weir_ballot(lane < length &&
                                               weir_rows_pair_weight(pairs[low + lane]) <= last));
}

/** The list that the push of an iteration reads. */
WEIR_DEV struct sssp_step_piece *sssp_step_piece_list(const struct sssp_step_args *a,
                                                      uint32_t iteration)
{
    return a->piece + (iteration % 2 ? a->pieces_most : 0);
}

/** How many pieces so many arcs are. */
WEIR_DEV uint32_t sssp_step_pieces_of(uint64_t arcs)
{
    return (uint32_t)((arcs + SSSP_STEP_PIECE - 1) / SSSP_STEP_PIECE);
}

/** Put the arcs from `first` to before `end` that weigh no more than `last` on the list of the next iteration. A
 *  worker whose lanes all have the same. @return where they end. */
WEIR_COLD uint64_t sssp_step_cut(const struct sssp_step_args *a, uint32_t iteration, uint64_t first,
                                 uint64_t end, uint32_t distance, uint32_t last)
{
    end = sssp_step_search(a->pairs.out, first, end - first, last);
    const uint32_t count = sssp_step_pieces_of(end - first);
    uint32_t slot = 0;
    if (weir_lane() == 0 && count)
        slot = weir_atomic_add_relaxed_dev_u32(&a->piece_count[(iteration + 1) % SSSP_STEP_SLOTS],
                                               count);
    slot = weir_broadcast_u32(slot, 0);
    for (uint32_t i = weir_lane(); i < count; i += WEIR_LANES) {
        const uint64_t at = first + (uint64_t)i * SSSP_STEP_PIECE;
        struct sssp_step_piece *piece = &sssp_step_piece_list(a, iteration + 1)[slot + i];
        piece->first = at;
        piece->count = (uint32_t)(end - at < SSSP_STEP_PIECE ? end - at : SSSP_STEP_PIECE);
        piece->distance = distance;
    }
    return end;
}

/** Relax every `stride`-th piece of a list, from `from` on. */
WEIR_DEV void sssp_step_list(struct sssp_step_relaxer *r, const struct sssp_step_piece *list,
                             uint32_t from, uint32_t end, uint32_t stride,
                             struct sssp_step_found *found)
{
    WEIR_ROLLED
    for (uint32_t i = from; i < end; i += stride) {
        const struct sssp_step_piece *piece = &list[i];
        struct sssp_step_range range;
        range.at = piece->first;
        range.end = piece->first + piece->count;
        range.distance = piece->distance;
        range.last = UINT32_MAX;
        sssp_step_together(r, &range, found);
    }
}

/** Relax the pieces that the last iteration left, one a worker at a time. */
WEIR_DEV void sssp_step_pieces(struct sssp_step_relaxer *r, const struct sssp_step_worker *worker,
                               struct sssp_step_found *found)
{
    const struct sssp_step_args *a = r->a;
    const uint32_t count =
        weir_load_relaxed_dev_u32(&a->piece_count[worker->iteration % SSSP_STEP_SLOTS]);
    sssp_step_list(r, sssp_step_piece_list(a, worker->iteration), worker->index, count,
                   worker->count, found);
}

#endif
