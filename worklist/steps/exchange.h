/** @file exchange.h  Supersteps: who owns a number, workers, and items for other devices. By way of steps.h.
 *
 * In a superstep a device may store items into *inboxes* in the memory of others, one for each sender. Places are
 * counted in weir_steps_page.tell, which travels with the next barrier; behind that barrier the receiver knows how
 * many items each inbox has, and takes them in. Stores that lie side by side are many times as fast over a link
 * as atomics on a peer's memory. */
#ifndef WEIR_WORKLIST_STEPS_EXCHANGE_H
#define WEIR_WORKLIST_STEPS_EXCHANGE_H

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

/** This thread's warp among all warps of its device, block after block. */
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

/** Reserve places in the inboxes of a device: one for each lane for which @p is holds. All lanes of a warp.
 *  @param[in] to  the receiver, the same in all lanes.
 *  @return this lane's place, counted over the whole run; undefined where @p is does not hold. */
WEIR_DEV uint64_t weir_steps_place(const struct weir_steps_member *m, uint32_t to, int is)
{
    const uint32_t those = weir_ballot(is);
    uint64_t base = 0;
    if (weir_lane() == 0)
        base = weir_atomic_add_relaxed_dev_u64(&weir_steps_mine(m)->tell[to],
                                               weir_popcount_u32(those));
    return weir_broadcast_u64(base, 0) +
           weir_popcount_u32(those & ((UINT32_C(1) << weir_lane()) - 1));
}

#endif
