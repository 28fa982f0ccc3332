/** @file owner.h  Supersteps: which device owns a number, which thread of its device a thread is, and what all threads
 * counted. Included by steps.h. */
#ifndef WEIR_WORKLIST_STEPS_OWNER_H
#define WEIR_WORKLIST_STEPS_OWNER_H

#include "worklist/steps/barrier.h"

/** Which device owns a number. @param[in] first  where the stretch of each device begins (weir_steps_domain.first). */
WEIR_DEV uint32_t weir_steps_owner(const uint32_t *first, uint32_t number)
{
    uint32_t d = 0;
    WEIR_ROLLED
    while (number >= first[d + 1])
        d++;
    return d;
}

/** The number of this thread's worker (a warp; on a host device the thread) among all workers of its device, block after
 *  block. There are weir_steps_threads() / WEIR_LANES of them. */
WEIR_DEV uint32_t weir_steps_warp(const struct weir_steps_block *b)
{
    return (b->block * b->threads + b->thread) / WEIR_LANES;
}

/** This thread among all threads of its device, and how many there are. */
WEIR_DEV uint64_t weir_steps_thread(const struct weir_steps_block *b)
{
    return (uint64_t)b->block * b->threads + b->thread;
}
WEIR_DEV uint64_t weir_steps_threads(const struct weir_steps_block *b)
{
    return (uint64_t)b->blocks * b->threads;
}

/** Add what the threads of a block counted to results of the device that follow one another, with one atomic a block
 *  and result. All threads of the block; in a body or an epilogue.
 *  @param[in] result  index of the first in weir_steps_page.result.
 *  @param[in] values  @p count values of this thread; at most WEIR_STEPS_SUMS. */
WEIR_DEV void weir_steps_count(const struct weir_steps_member *m, const struct weir_steps_block *b,
                               uint32_t result, const uint64_t *values, uint32_t count)
{
    weir_block_sync(); /* the words may be in use */
    for (uint32_t i = b->thread; i < count; i += b->threads)
        b->share[i] = 0;
    weir_block_sync();
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t sum = weir_sum_u64(values[i]);
        if (weir_lane() == 0 && sum)
            weir_atomic_add_block_u64(&b->share[i], sum);
    }
    weir_block_sync();
    for (uint32_t i = b->thread; i < count; i += b->threads)
        if (b->share[i])
            weir_add_relaxed_dev_u64(&weir_steps_mine(m)->result[result + i], b->share[i]);
    weir_block_sync();
}

#endif
