/** @file bag.h  A worker's local queue: a bag of elements in device memory, with room behind it in host
 *  memory.
 *
 * The contract is in the names: `_mp` puts are multi-producer, any number of lanes at once; reading is
 * for after a barrier, when no lane puts: every element below the tail may then be read, by any thread, in
 * any order. (Rounds of the engine alternate: what one round puts, a later one reads.) So a put needs one
 * atomic add for a whole warp and no flag a slot, and no index is ever compared and swapped.
 *
 * A bag is bounded. Elements past `room` *spill*: they go to chunks of page-locked host memory, which the host
 * gives when the first element of a chunk is put, up to WEIR_SPILL_BYTES for all bags of a device. Past that a
 * put fails, and nothing is overwritten. A put that failed still counts in the tail, and the lane that made it reports it
 * (weir_refuse()). Typed wrappers come from bag_tmpl.h. */
#ifndef WEIR_WORKLIST_ENGINE_BAG_H
#define WEIR_WORKLIST_ENGINE_BAG_H

#include "runtime/sync.h"

#include <stddef.h>

/** Where the elements of a bag spill to; in host memory that the device reaches. Behind it lie the addresses of
 *  its chunks, 0 for those that were not given yet: stored by the host, release, system scope. */
struct weir_spill {
    uint32_t wanted;  /**< chunks that a GPU waits for; relaxed, system scope, for the host */
    uint32_t refused; /**< there will be no more chunks; release, system scope, by the host */
    void (*give)(void *user, struct weir_spill *spill, uint32_t chunks); /**< called on the host */
    void *user;
};

/** Where a bag lies; a plain value. Its tail is a word of the device's memory, kept apart. */
struct weir_bag {
    void *slots;              /**< device memory */
    struct weir_spill *spill; /**< NULL: nothing spills */
    uint32_t room;            /**< elements of `slots` */
    uint32_t more_room;       /**< elements that may spill, if nothing else does */
    uint32_t chunk_log;       /**< elements of a chunk, as a power of two */
    uint32_t pad;
};

/** The word that has the address of a chunk. */
WEIR_BOTH uint64_t *weir_spill_word(const struct weir_spill *spill, uint32_t chunk)
{
    return (uint64_t *)(uintptr_t)(spill + 1) + chunk;
}

/** The chunk with that number. If it was not given yet the host is asked for it; a lane of a GPU then waits until the host,
 *  which looks at `wanted` while kernels run, has answered. One lane. @return NULL: there are no more. */
WEIR_DEV char *weir_spill_chunk(struct weir_spill *spill, uint32_t chunk)
{
    WEIR_ROLLED
    for (uint32_t looks = 0;; looks++) {
        uint64_t address = /* pairs with the release in spill.c: the chunk is ready */
            weir_load_acquire_sys_u64(weir_spill_word(spill, chunk));
        if (address)
            return (char *)(uintptr_t)address;
        if (weir_load_acquire_sys_u32(&spill->refused))
            return NULL;
#ifdef __CUDACC__
        /* A lane that wants a chunk of a lower number may overwrite this, so each lane stores again until it is served. */
        if (weir_load_relaxed_sys_u32(&spill->wanted) <= chunk)
            weir_store_relaxed_sys_u32(&spill->wanted, chunk + 1);
        weir_pause(looks);
#else
        spill->give(spill->user, spill, chunk + 1);
#endif
    }
}

/** The address of element @p at of those that spilled. One lane. @return NULL: there is no room for it. */
WEIR_DEV char *weir_spill_address(const struct weir_bag *bag, uint32_t at, uint32_t bytes)
{
    const uint32_t within = at & (((uint32_t)1 << bag->chunk_log) - 1u);
    char *chunk = weir_spill_chunk(bag->spill, at >> bag->chunk_log);
    return chunk ? chunk + (uint64_t)within * bytes : NULL;
}

/** Reserve a slot for each lane in @p wanting, with one atomic add. All lanes of a worker call it, with
 *  the same mask, which is not 0. @return the lane's slot; of no meaning in lanes that want none. */
WEIR_DEV uint32_t weir_bag_reserve_mp(uint32_t *tail, uint32_t wanting)
{
    uint32_t leader = weir_first_bit_u32(wanting), base = 0;
    if (weir_lane() == leader)
        base = weir_atomic_add_relaxed_dev_u32(tail, weir_popcount_u32(wanting));
    base = weir_broadcast_u32(base, leader);
    return base + weir_popcount_u32(wanting & ((1u << weir_lane()) - 1u));
}

#endif
