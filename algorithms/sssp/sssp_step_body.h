/** @file sssp_step_body.h  Shortest paths in step: the steps of a run and what follows which.
 *
 * All threads of all devices come to the same decisions, from the sums of the last barrier. A run ends when
 * a push that was told to relax everything, or a pull, lowered no distance on any device, or when a light
 * push lowered none and no settled vertex has an arc left; if parents are wanted they are looked for then.
 *
 * The lane that lowers a distance counts it before its barrier, and pieces that are left for later are counted as well.
 * An item is counted when it is sent, and again by the owner if it lowers a distance there. So nothing is under way
 * when nothing is sent and the sum is 0. All counts but finitely many are of a distance that fell, so the sum does
 * become 0, even with zero weights and equal distances. */
#ifndef WEIR_ALGORITHMS_SSSP_SSSP_STEP_BODY_H
#define WEIR_ALGORITHMS_SSSP_SSSP_STEP_BODY_H

#include "algorithms/sssp/sssp_steal.h"
#include "algorithms/sssp/sssp_step_absorb.h"
#include "algorithms/sssp/sssp_step_tree.h"

/* Each device has a copy of the source's distance, and its owner looks at the source in the first iteration. What the source
 * before has left is taken back first. */
WEIR_DEV void sssp_step_set_source(const struct sssp_step_args *a)
{
    uint32_t *tent = a->tent[a->member.index], *stamp = a->stamp[a->member.index];
    const uint32_t row = a->source - a->part.begin, before = a->previous - a->part.begin;
    if (a->previous != SSSP_STEP_NONE) {
        tent[a->previous] = SSSP_STEP_NONE;
        if (before < a->part.owned)
            stamp[sssp_step_stamp(before, SSSP_STEP_FIRST)] = 0;
        if (before < a->part.owned && a->parent)
            a->parent[before] = SSSP_STEP_NONE;
    }
    tent[a->source] = 0;
    if (row < a->part.owned)
        stamp[sssp_step_stamp(row, SSSP_STEP_FIRST)] = SSSP_STEP_FIRST;
}

WEIR_DEV void sssp_step_begin(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                              const struct weir_steps_block *b)
{
    struct sssp_step_at *at = &shared->at;
#if SSSP_STEALS
    sssp_steal_begin(shared, b);
#endif
    if (b->thread == 0) {
        shared->sent = shared->rows = shared->values = shared->spilled = 0;
        shared->firsts = shared->reached = shared->arcs = shared->far[0] = shared->far[1] =
            shared->large = 0;
        for (uint32_t i = 0; i < SSSP_STEP_SUMS; i++)
            shared->sum[i] = 0;
        for (uint32_t i = 0; i < SSSP_STEP_KINDS; i++)
            shared->looks[i] = 0;
        for (uint32_t d = 0; d < WEIR_DEVICES_MAX; d++)
            shared->inboxes.sent[d] = shared->direct[d] = 0;
        shared->low = SSSP_STEP_NONE;
        shared->since_ns = weir_clock_ns();
        at->kind = SSSP_STEP_START;
        at->push = SSSP_STEP_LIGHT;
        at->iteration = SSSP_STEP_FIRST;
        at->quiet = at->goes_on = 1;
        at->dense = at->pulled = at->known_all = 0;
        at->direct = a->direct != 0;
        at->moved = 0;
        at->limit = a->delta < SSSP_U32_FAR ? a->delta : SSSP_U32_FAR;
        at->least = at->base = 0;
        at->low = SSSP_STEP_NONE;
        at->known = at->left = 0;
    }
    weir_block_sync();
}

/* Thread 0 of a block adds what its threads found to the words of the devices. */
WEIR_DEV void sssp_step_tell(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                             const struct weir_steps_block *b, uint32_t iteration)
{
#if SSSP_STEALS
    if (sssp_steal_pushes(shared->at.kind))
        sssp_steal_pack(shared, b->blocks);
#endif
    for (uint32_t i = 0; i < SSSP_STEP_SUMS; i++) {
        if (shared->sum[i])
            weir_steps_add(&a->member, b, i + 1, shared->sum[i]);
        shared->sum[i] = 0;
    }
    if (shared->low != SSSP_STEP_NONE) {
        WEIR_ROLLED
        for (uint32_t d = 0; d < a->member.count; d++) {
            (void)weir_atomic_min_relaxed_sys_u32(&a->low[d][iteration % SSSP_STEP_SLOTS],
                                                  shared->low);
        }
        shared->low = SSSP_STEP_NONE;
    }
    if (b->block == 0) {
        a->low[a->member.index][(iteration + 2) % SSSP_STEP_SLOTS] = SSSP_STEP_NONE;
        a->piece_count[(iteration + 2) % SSSP_STEP_SLOTS] = 0;
        a->candidates[(iteration + 2) % SSSP_STEP_SLOTS] = 0;
    }
}

/* The barrier behind a phase.
 * @param[out] total_out  items sent, then sum[].  @return as weir_steps_sync(). */
WEIR_DEV uint32_t sssp_step_barrier(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                    struct weir_steps_block *b, uint64_t *total_out)
{
    weir_block_sync();
    if (b->thread == 0)
        sssp_step_tell(a, shared, b, shared->at.iteration);
    return weir_steps_meet(&a->member, b, b->blocks, &shared->sent, 1, total_out);
}

/* What a device knows of a step beside the sums of its barrier: words in memory, which are looked at together. */
struct sssp_step_seen {
    uint32_t low;    /* the lowest distance that was left */
    uint32_t pieces; /* of long rows, for the next push */
};

/* Whether the next push has so little to tell other devices that it goes directly: few distances have fallen, and there are few
 * pieces of long rows, each arc of which may lower another one. Devices may differ in this. */
WEIR_DEV uint32_t sssp_step_few(const struct sssp_step_args *a, const struct sssp_step_at *at,
                                struct sssp_step_seen seen)
{
    return at->moved <= a->direct && seen.pieces <= a->direct / SSSP_STEP_PIECE;
}

/* A push is over, and what it sent is absorbed: decide what comes next. @return 0: the run is over. */
WEIR_DEV uint32_t sssp_step_pushed(const struct sssp_step_args *a, struct sssp_step_at *at,
                                   struct sssp_step_seen seen)
{
    const uint32_t quiet = at->quiet;
    at->kind = at->push;
    at->quiet = 1;
    at->dense = at->pulled = 0;
    at->direct = !quiet && sssp_step_few(a, at, seen);
    if (!quiet)
        return 1;
    if (at->low == SSSP_STEP_NONE) /* as always if all arcs are relaxed */
        return 0;
    if (a->part.arcs_all - at->known < at->left) {
        at->kind = a->member.count > 1 ? SSSP_STEP_EXCHANGE : SSSP_STEP_PULL;
        at->least = at->limit - 1; /* what is not settled is at the limit or above */
        at->base = 0;
        return 1;
    }
    const uint64_t limit = (uint64_t)at->low + a->delta;
    at->limit = limit < SSSP_U32_FAR ? (uint32_t)limit : SSSP_U32_FAR;
    at->low = SSSP_STEP_NONE;
    at->dense = 1;
    return 1;
}

/* After the barrier of a push. @return 0: the run is over. */
WEIR_DEV uint32_t sssp_step_after_push(const struct sssp_step_args *a, struct sssp_step_at *at,
                                       const uint64_t *total, struct sssp_step_seen seen)
{
    at->known += total[2];
    at->left += total[3];
    at->low = seen.low < at->low ? seen.low : at->low;
    at->quiet = total[1] == 0;
    at->moved = total[1];
    at->push = at->kind;
    if (total[0]) {
        at->kind = SSSP_STEP_ABSORB;
        return 1;
    }
    return sssp_step_pushed(a, at, seen);
}

/* After a pull. @return 0: the run is over. */
WEIR_DEV uint32_t sssp_step_after_pull(const struct sssp_step_args *a, struct sssp_step_at *at,
                                       const uint64_t *total, struct sssp_step_seen seen)
{
    if (!total[1])
        return 0;
    at->least = at->base = seen.low; /* neither what changed nor what follows from it is nearer */
    at->low = SSSP_STEP_NONE;
    if (total[2] < total[3]) {
        at->kind = SSSP_STEP_PUSH;
        at->pulled = 1;
        at->limit = SSSP_U32_FAR;
        at->moved = total[1];
        at->direct = sssp_step_few(a, at, seen);
    }
    return 1;
}

/* What went to no inbox was told all the same: add it where it is counted, by receiver, since nobody looks into an inbox any more. Thread
 * 0 of a block. A function of its own: the kernel has no register to spare. */
WEIR_COLD void sssp_step_book_direct(const struct sssp_step_args *a,
                                     const struct sssp_step_shared *shared)
{
    struct weir_steps_page *mine = weir_steps_mine(&a->member);
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->member.count; d++) {
        if (!shared->direct[d])
            continue;
        weir_add_relaxed_dev_u64(&mine->tell[d], shared->direct[d]);
        weir_add_relaxed_dev_u64(&mine->result[SSSP_STEP_RESULT_DIRECT], shared->direct[d]);
    }
}

/* Add what a block counted in all its steps to the results for the host. */
WEIR_DEV void sssp_step_finish(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                               const struct weir_steps_block *b)
{
    uint64_t *result = weir_steps_mine(&a->member)->result;
    const uint64_t all[SSSP_STEP_RESULT_DIRECT - SSSP_STEP_RESULT_ROWS] = {
        shared->rows,
        shared->looks[SSSP_STEP_LIGHT] + (SSSP_STEALS ? shared->looks[SSSP_STEP_COUNT] : 0),
        shared->looks[SSSP_STEP_PULL],
        shared->values,
        shared->spilled,
        shared->reached,
        shared->arcs,
        (uint64_t)shared->far[0] - shared->far[1],
        shared->large,
        shared->firsts}; /* in the order of enum sssp_step_result */
    if (b->thread)
        return;
    sssp_step_book_direct(a, shared);
#if SSSP_STEALS
    sssp_steal_finish(a, shared, b);
#endif
    for (uint32_t i = 0; i < SSSP_STEP_RESULT_DIRECT - SSSP_STEP_RESULT_ROWS; i++)
        if (all[i])
            weir_add_relaxed_dev_u64(&result[SSSP_STEP_RESULT_ROWS + i], all[i]);
}

WEIR_DEV void sssp_step_work(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                             const struct weir_steps_block *b)
{
    const struct sssp_step_at *at = &shared->at;
    struct sssp_step_worker worker;
    struct sssp_step_bounds bounds;
    worker.index = b->block + b->blocks * (b->thread / WEIR_LANES);
    worker.count = b->blocks * (b->threads / WEIR_LANES);
    worker.in_block = b->thread / WEIR_LANES;
    worker.iteration = at->iteration;
    bounds.least = at->least;
    bounds.base = at->base;
#if SSSP_STEALS
    sssp_steal_learn_late(a, shared, b);
#endif
    switch (at->kind) {
    case SSSP_STEP_PULL:
        sssp_step_pull(a, shared, worker, bounds);
        break;
    case SSSP_STEP_EXCHANGE:
        sssp_step_exchange(a, shared, worker);
        break;
    case SSSP_STEP_ABSORB:
        weir_steps_open(&a->member, b, &shared->inboxes);
        sssp_step_absorb(a, shared, worker);
        break;
    case SSSP_STEP_TREE:
        sssp_step_tree(a, shared, worker);
        break;
    case SSSP_STEP_START:
        if (b->block == 0 && b->thread == 0)
            sssp_step_set_source(a);
        break;
#if SSSP_STEALS
    case SSSP_STEP_COUNT:
        sssp_steal_count(a, shared, worker);
        break;
    case SSSP_STEP_CUT:
        if (b->block == 0)
            sssp_steal_out(a, shared, at->iteration, b->thread, b->threads);
        break;
#endif
    default:
#if SSSP_STEALS
        if (at->shared_out)
            sssp_steal_pieces(a, shared, worker);
#endif
        if (at->pulled)
            sssp_step_push_pulled(a, shared, worker, sssp_steal_is_out(at));
        else
            sssp_step_push(a, shared, worker, at->dense, at->limit, sssp_steal_is_out(at));
    }
}

/* After a barrier: what comes next. Thread 0 of a block, the same in all blocks. */
WEIR_DEV void sssp_step_next(const struct sssp_step_args *a, struct sssp_step_at *at,
                             const uint64_t *total)
{
    const struct sssp_step_seen seen = {
        weir_load_relaxed_dev_u32(&a->low[a->member.index][at->iteration % SSSP_STEP_SLOTS]),
        weir_load_relaxed_dev_u32(&a->piece_count[(at->iteration + 1) % SSSP_STEP_SLOTS])};
    switch (at->kind) {
    case SSSP_STEP_PULL:
        at->goes_on = sssp_step_after_pull(a, at, total, seen);
        break;
    case SSSP_STEP_EXCHANGE:
        at->kind = at->known_all ? SSSP_STEP_TREE : SSSP_STEP_PULL;
        break;
    case SSSP_STEP_TREE:
        at->goes_on = 0;
        return;
    case SSSP_STEP_START: /* of the first iteration, too */
        at->kind = SSSP_STEP_LIGHT;
        return;
#if SSSP_STEALS
    case SSSP_STEP_COUNT: /* of the iteration of the push that follows, both */
        at->kind = SSSP_STEP_CUT;
        return;
    case SSSP_STEP_CUT:
        at->kind = at->push;
        at->shared_out = 1;
        return;
#endif
    case SSSP_STEP_ABSORB:
        at->quiet &= total[1] == 0;
        at->moved += total[1];
        at->goes_on = sssp_step_pushed(a, at, seen);
        break;
    default:
        at->goes_on = sssp_step_after_push(a, at, total, seen);
    }
    if (!at->goes_on && a->tree && !at->known_all) {
        at->kind = a->member.count > 1 ? SSSP_STEP_EXCHANGE : SSSP_STEP_TREE;
        at->goes_on = at->known_all = 1;
    }
    at->iteration += at->kind != SSSP_STEP_ABSORB; /* which belongs to the iteration of its push */
}

/* Under which kind the time of a step is counted. */
WEIR_DEV uint32_t sssp_step_booked(uint32_t kind)
{
    return SSSP_STEALS && kind == SSSP_STEP_CUT ? (uint32_t)SSSP_STEP_COUNT : kind;
}

WEIR_DEV void sssp_step_body(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                             struct weir_steps_block *b)
{
    uint64_t total[WEIR_STEPS_SUMS];
    sssp_step_begin(a, shared, b);
    WEIR_ROLLED
    while (shared->at.goes_on) {
        const uint32_t kind =
            shared->at.kind; /* thread 0 changes it as soon as it is through the barrier */
        sssp_step_work(a, shared, b);
        if (sssp_step_barrier(a, shared, b, total))
            return;
        if (b->block == 0 && kind == SSSP_STEP_ABSORB)
            weir_steps_close(&a->member, b, &shared->inboxes);
        if (b->thread == 0) {
            if (b->block == 0 && kind != SSSP_STEP_START)
                weir_steps_book(&a->member, &shared->since_ns,
                                SSSP_STEP_RESULT_NS + sssp_step_booked(kind),
                                SSSP_STEP_RESULT_STEPS + sssp_step_booked(kind));
#if SSSP_STEALS
            shared->at.owed = 0;
            if (sssp_steal_pushes(kind))
                sssp_steal_unpack(a, shared, b, total);
            if (kind == SSSP_STEP_COUNT)
                sssp_steal_counted(a, shared, b);
#endif
            sssp_step_next(a, &shared->at, total);
#if SSSP_STEALS
            sssp_steal_next(a, shared, kind);
#endif
        }
        weir_block_sync();
    }
    sssp_step_finish(a, shared, b);
}

#endif
