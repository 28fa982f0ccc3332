/** @file sssp_step_absorb.h  Shortest paths in step: what other devices sent in a push is applied. */
#ifndef WEIR_ALGORITHMS_SSSP_SSSP_STEP_ABSORB_H
#define WEIR_ALGORITHMS_SSSP_SSSP_STEP_ABSORB_H

#include "algorithms/sssp/sssp_step_relax.h"

/** Apply the items `first` to before `end` of an inbox, SSSP_STEP_BATCH a lane.
 *  @return how many of them lowered a distance. */
WEIR_DEV uint32_t sssp_step_apply(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                                  const uint64_t *inbox, uint32_t first, uint32_t end,
                                  uint32_t iteration)
{
    uint32_t *tent = a->tent[a->member.index], *stamp = a->stamp[a->member.index];
    uint64_t item[SSSP_STEP_BATCH];
    uint32_t before[SSSP_STEP_BATCH], changed = 0;
    for (uint32_t j = 0; j < SSSP_STEP_BATCH; j++) {
        const uint32_t i = first + j * WEIR_LANES + weir_lane();
        item[j] = i < end ? inbox[i] : 0;
    }
    for (uint32_t j = 0; j < SSSP_STEP_BATCH; j++) {
        const uint32_t i = first + j * WEIR_LANES + weir_lane();
        before[j] = 0;
        if (i < end)
            before[j] = weir_atomic_min_relaxed_sys_u32(&tent[item[j] >> 32], (uint32_t)item[j]);
    }
    for (uint32_t j = 0; j < SSSP_STEP_BATCH; j++)
        if ((uint32_t)item[j] < before[j]) {
            const uint32_t row = (uint32_t)(item[j] >> 32) - a->part.begin;
            weir_store_relaxed_sys_u32(&stamp[sssp_step_stamp(row, iteration + 1)], iteration + 1);
            sssp_step_count_far(shared, before[j], (uint32_t)item[j]);
            changed++;
        }
    return changed;
}

/** All workers apply what is in the inboxes. */
WEIR_DEV void sssp_step_absorb(const struct sssp_step_args *a, struct sssp_step_shared *shared,
                               struct sssp_step_worker worker)
{
    struct sssp_step_found found = sssp_step_nothing();
    const uint32_t each = SSSP_STEP_BATCH * WEIR_LANES;
    WEIR_ROLLED
    for (uint32_t d = 0; d < a->member.count; d++) {
        const uint64_t told = shared->inboxes.end[d] - shared->inboxes.first[d];
        const uint32_t room = a->room[a->member.index]; /* what did not fit came as atomics */
        const uint32_t end = told < room ? (uint32_t)told : room;
        WEIR_ROLLED
        for (uint64_t first = (uint64_t)worker.index * each; first < end;
             first += (uint64_t)worker.count * each)
            found.changed +=
                sssp_step_apply(a, shared, a->inbox[d], (uint32_t)first, end, worker.iteration);
    }
    sssp_step_flush(shared, &found, SSSP_STEP_ABSORB);
}

#endif
