/** @file step_body.h  Shortest paths in step: the steps of a run and what follows which.
 *
 * All threads of all devices come to the same decisions, from the sums of the last barrier. A run ends when
 * a push that was told to relax everything, or a pull, lowered no distance on any device, or when a light
 * push did not and no settled vertex has an arc left. A distance that is lowered is counted by whoever lowers
 * it, before its barrier, and pieces that are put aside are counted as well; what is sent is counted on its way, and
 * again by the owner that it lowers something for. So nothing is under way when nothing is sent and the sum is 0. Each count but finitely many is of a distance that fell, so it does become 0, zero weights and
 * equal distances or not. */
#ifndef WEIR_ALGORITHMS_SSSP_STEP_BODY_H
#define WEIR_ALGORITHMS_SSSP_STEP_BODY_H

#include "algorithms/sssp/step_absorb.h"
#include "algorithms/sssp/step_pull.h"

WEIR_DEV void sssp_step_begin(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                              const struct weir_steps_block *b)
{
    struct sssp_step_at *at = &shared->at;
    if (b->thread == 0) {
        shared->sent = shared->rows = shared->values = shared->spilled = 0;
        for (uint32_t i = 0; i < SSSP_STEP_SUMS; i++)
            shared->sum[i] = 0;
        for (uint32_t i = 0; i < SSSP_STEP_KINDS; i++)
            shared->looks[i] = 0;
        for (uint32_t d = 0; d < WEIR_DEVICES_MAX; d++)
            shared->base[d] = shared->taken[d] = 0;
        shared->low = SSSP_STEP_NONE;
        at->kind = at->push = SSSP_STEP_LIGHT;
        at->turn = SSSP_STEP_FIRST;
        at->quiet = at->goes_on = 1;
        at->dense = 0;
        at->limit = a->delta < SSSP_U32_FAR ? a->delta : SSSP_U32_FAR;
        at->least = at->base = 0;
        at->low = SSSP_STEP_NONE;
        at->known = at->left = 0;
    }
    weir_block_sync();
}

/* Thread 0 of a block takes what its threads found to the words of the devices. */
WEIR_DEV void sssp_step_tell(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                             const struct weir_steps_block *b, uint32_t turn)
{
    struct sssp_step_words *words = a->words[a->member.index];
    for (uint32_t i = 0; i < SSSP_STEP_SUMS; i++) {
        if (shared->sum[i])
            weir_steps_add(&a->member, b, i + 1, shared->sum[i]);
        shared->sum[i] = 0;
    }
    if (shared->low != SSSP_STEP_NONE) {
        WEIR_ROLLED
        for (uint32_t d = 0; d < a->member.count; d++)
            (void)weir_atomic_min_relaxed_sys_u32(&a->words[d]->low[turn % SSSP_STEP_SLOTS],
                                                  shared->low);
        shared->low = SSSP_STEP_NONE;
    }
    if (b->block == 0) {
        words->low[(turn + 2) % SSSP_STEP_SLOTS] = SSSP_STEP_NONE;
        words->pieces[(turn + 2) % SSSP_STEP_SLOTS] = 0;
    }
}

/* The barrier behind a phase.
 * @param[out] total_out  items sent, then sum[].  @return as weir_steps_sync(). */
WEIR_DEV uint32_t sssp_step_barrier(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                    struct weir_steps_block *b, uint64_t *total_out)
{
    weir_block_sync();
    if (b->thread == 0)
        sssp_step_tell(a, shared, b, shared->at.turn);
    return weir_steps_sync(&a->member, b, b->blocks, &shared->sent, 1, total_out);
}

/* A push is over, and what it sent is absorbed. @return 0: so is the run. */
WEIR_DEV uint32_t sssp_step_pushed(const struct sssp_step_args *a, struct sssp_step_at *at)
{
    const uint32_t quiet = at->quiet;
    at->kind = at->push;
    at->quiet = 1;
    at->dense = 0;
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
                                       const uint64_t *total, uint32_t low)
{
    at->known += total[2];
    at->left += total[3];
    at->low = low < at->low ? low : at->low;
    at->quiet = total[1] == 0;
    at->push = at->kind;
    if (total[0]) {
        at->kind = SSSP_STEP_ABSORB;
        return 1;
    }
    return sssp_step_pushed(a, at);
}

/* After a pull. @return 0: the run is over. */
WEIR_DEV uint32_t sssp_step_after_pull(struct sssp_step_at *at, const uint64_t *total, uint32_t low)
{
    if (!total[1])
        return 0;
    at->least = at->base = low; /* what changed is no nearer, nor is what comes of it */
    at->low = SSSP_STEP_NONE;
    at->dense = 0;
    if (total[2] < total[3]) {
        at->kind = SSSP_STEP_PUSH;
        at->limit = SSSP_U32_FAR;
    }
    return 1;
}

/* Times by the clock of the device, for block 0. */
WEIR_DEV void sssp_step_account(const struct sssp_step_args *a, enum sssp_step_kind kind,
                                uint64_t *since)
{
    struct sssp_step_words *words = a->words[a->member.index];
    const uint64_t now = weir_clock_ns();
    words->steps[kind]++;
    words->ns[kind] += now - *since;
    *since = now;
}

/* What all steps of a block came to, for the host. */
WEIR_DEV void sssp_step_finish(const struct sssp_step_args *a,
                               const struct sssp_step_shared *shared,
                               const struct weir_steps_block *b)
{
    struct sssp_step_words *words = a->words[a->member.index];
    if (b->thread)
        return;
    (void)weir_atomic_add_relaxed_dev_u64(&words->rows, shared->rows);
    (void)weir_atomic_add_relaxed_dev_u64(&words->pushed, shared->looks[SSSP_STEP_LIGHT]);
    (void)weir_atomic_add_relaxed_dev_u64(&words->pulled, shared->looks[SSSP_STEP_PULL]);
    (void)weir_atomic_add_relaxed_dev_u64(&words->values, shared->values);
    (void)weir_atomic_add_relaxed_dev_u64(&words->spilled, shared->spilled);
}

WEIR_DEV void sssp_step_work(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                             const struct weir_steps_block *b)
{
    const struct sssp_step_at *at = &shared->at;
    struct sssp_step_crew crew;
    struct sssp_step_bounds bounds;
    crew.worker = b->block + b->blocks * (b->thread / WEIR_LANES);
    crew.workers = b->blocks * (b->threads / WEIR_LANES);
    crew.within = b->thread / WEIR_LANES;
    crew.turn = at->turn;
    bounds.least = at->least;
    bounds.base = at->base;
    switch (at->kind) {
    case SSSP_STEP_PULL:
        sssp_step_pull(a, shared, crew, bounds);
        break;
    case SSSP_STEP_EXCHANGE:
        sssp_step_exchange(a, shared, crew);
        break;
    case SSSP_STEP_ABSORB:
        sssp_step_open(a, shared, b);
        sssp_step_absorb(a, shared, crew);
        break;
    default:
        sssp_step_push(a, shared, crew, at->dense, at->limit);
    }
}

/* After a barrier: what comes next. Thread 0 of a block, the same in all blocks. */
WEIR_DEV void sssp_step_next(const struct sssp_step_args *a, struct sssp_step_at *at,
                             const uint64_t *total)
{
    const uint32_t low =
        weir_load_relaxed_dev_u32(&a->words[a->member.index]->low[at->turn % SSSP_STEP_SLOTS]);
    switch (at->kind) {
    case SSSP_STEP_PULL:
        at->goes_on = sssp_step_after_pull(at, total, low);
        break;
    case SSSP_STEP_EXCHANGE:
        at->kind = SSSP_STEP_PULL;
        break;
    case SSSP_STEP_ABSORB:
        at->quiet &= total[1] == 0;
        at->goes_on = sssp_step_pushed(a, at);
        break;
    default:
        at->goes_on = sssp_step_after_push(a, at, total, low);
    }
    at->turn += at->kind != SSSP_STEP_ABSORB; /* which belongs to the turn of its push */
}

WEIR_DEV void sssp_step_body(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                             struct weir_steps_block *b)
{
    const int clerk = b->block == 0 && b->thread == 0;
    uint64_t since = clerk ? weir_clock_ns() : 0, total[WEIR_STEPS_SUMS];
    sssp_step_begin(a, shared, b);
    WEIR_ROLLED
    while (shared->at.goes_on) {
        sssp_step_work(a, shared, b);
        if (sssp_step_barrier(a, shared, b, total))
            return;
        if (clerk)
            sssp_step_account(a, shared->at.kind, &since);
        if (b->thread == 0)
            sssp_step_next(a, &shared->at, total);
        weir_block_sync();
    }
    sssp_step_finish(a, shared, b);
}

#endif
