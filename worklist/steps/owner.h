/** @file owner.h  Supersteps: which device owns a number, and which thread of its device a thread is. Included by steps.h. */
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

#endif
