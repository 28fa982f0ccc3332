/** @file bag.h  A worker's local queue: a bag of elements in device memory, with room behind it in host
 *  memory.
 *
 * The contract is in the names: `_mp` puts are multi-producer, any number of lanes at once; reading is
 * for after a barrier, when nobody puts: every element below the tail may then be read, by any thread, in
 * any order. (Rounds of the engine alternate: what one round puts, a later one reads.) So a put needs one
 * atomic add for a whole warp and no flag a slot, and no index is ever compared and swapped.
 *
 * A bag is bounded. Elements past `room` go to `more`, page-locked host memory (that is the spill), and
 * past that a put fails: nothing is overwritten. Failed puts still count in the tail, so whoever looks at
 * it after the barrier sees that elements were refused; the puts before them are all there, without
 * holes. Typed wrappers come from bag_tmpl.h. */
#ifndef WEIR_WORKLIST_BAG_H
#define WEIR_WORKLIST_BAG_H

#include "runtime/dialect.h"

/** Where a bag lies; a plain value. Its tail is a word of the device's memory, kept apart. */
struct weir_bag {
    void *slots;        /**< device memory */
    void *more;         /**< page-locked host memory, or NULL */
    uint32_t room;      /**< elements of `slots` */
    uint32_t more_room; /**< elements of `more` */
};

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
