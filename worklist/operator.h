/** @file operator.h  What an operator header holds, and what its kernels are given.
 *
 * An operator NAME is a header in the dialect of runtime/dialect.h that defines:
 *
 * - `NAME_item`: a work item as it waits in a queue; names the *tile* (a vertex, say).
 * - `NAME_wire`: a packed item as it travels; fixed-width, no padding.
 * - `NAME_state`: the operator's state of one device: plain values and pointers to its memory.
 *
 * - `int NAME_tile(const NAME_state *, const NAME_item *, uint64_t *first, uint64_t *last)`
 *
 *   The atoms of an item's tile, first to last - 1. 0: the item is stale and is dropped whole. Asked
 *   by all lanes of a worker with the same item when the item is taken, and once more each time a full
 *   queue interrupted it: it must give the same atoms each time it gives any. Asked by single lanes
 *   when a deferred item is looked at again. Must not change anything.
 *
 * - `int NAME_atom(const NAME_state *, const NAME_item *, uint64_t atom, NAME_item *next)`
 *
 *   One atom. Non-zero: *next is a new item. By one lane, once for each atom.
 *
 * - `enum weir_fate NAME_on_send(const NAME_state *, const NAME_item *)`
 *
 *   A new item at the device it came from: KEEP, PASS to its owner, or DROP (it improves nothing).
 *   Once for each, by the lane that made it. Applies the update.
 *
 * - `uint32_t NAME_pack(const NAME_state *, const NAME_item *, NAME_wire *)`
 *
 *   Pack a PASSed item. Returns the worker that owns it.
 *
 * - `enum weir_fate NAME_on_receive(const NAME_state *, const NAME_wire *)`
 *
 *   A packed item at a device it came to: KEEP if it is the owner's and news, DROP if it is the owner's
 *   and no news, PASS if another worker owns it. Once at each device it comes to. Applies the update.
 *
 * - `uint32_t NAME_owner(const NAME_state *, const NAME_wire *)`
 *
 *   The worker that owns a packed item; asked for when it is PASSed on.
 *
 * - `void NAME_unpack(const NAME_state *, const NAME_wire *, NAME_item *)`
 *
 *   Unpack an item that was KEPT.
 *
 * - `uint32_t NAME_priority(const NAME_state *, const NAME_item *)`
 *
 *   Smaller is more urgent. A hint.
 *
 * The engine adds names of its own behind NAME_: args, parcel, strand, tally, tally_add, near_or_far,
 * settle_new, settle_arrived, store, push, push_all, strand_parcels, expand, unstrand, process, receive,
 * release, and with _host or _kernel behind the last three, worker. Do not use these.
 *
 * All are WEIR_DEV. They run on many workers at once and may touch the state's memory with the
 * dialect's atomics. Then x_host.c includes worklist/engine_host_tmpl.h and x_cuda.cu includes
 * worklist/engine_cuda_tmpl.cuh, both with WEIR_OPERATOR defined to NAME.
 *
 * The structs below are what the engine passes to the kernels of any operator. Only the host side
 * (worklist/round.c) writes them; kernels write through their pointers. */
#ifndef WEIR_WORKLIST_OPERATOR_H
#define WEIR_WORKLIST_OPERATOR_H

#include "runtime/dialect.h"
#include "runtime/runtime.h"

/** What becomes of an item. */
enum weir_fate {
    WEIR_FATE_DROP = 0, /**< forget it: merged with an item that says as much or more */
    WEIR_FATE_KEEP,     /**< into this worker's queue */
    WEIR_FATE_PASS      /**< over the router, towards its owner */
};

/** Packets one round may take in. */
#define WEIR_WORK_PACKETS 8

/** A place where kernels put items: slot i of this launch is slots[(tail + i) & mask], i < room. */
struct weir_work_place {
    void *slots;
    uint32_t tail;
    uint32_t mask;
    uint32_t room;
};

/** Places: the queue, the deferred queue, then one lane of packed items for each next hop. */
enum { WEIR_PLACE_NEAR = 0, WEIR_PLACE_FAR = 1, WEIR_PLACE_LANE = 2 };
/** Places of a worker. */
#define WEIR_PLACES_MAX (WEIR_PLACE_LANE + WEIR_DEVICES_MAX)
/** No place: there is nothing to put. */
#define WEIR_PLACE_NONE 0xFFFFFFFFu

/** What the kernels of one round count; cleared before the round, read by the host after it. */
struct weir_work_counters {
    uint64_t produced; /**< new items KEPT or PASSED */
    uint64_t merged;   /**< items that arrived or were deferred and were dropped */
    uint64_t finished; /**< items of the batch whose atoms are all done */
    uint64_t parked;   /**< items put into the deferred queue for the first time */
    uint64_t released; /**< items that left the deferred queue */
    uint32_t cursor;   /**< items of the batch that were taken; may run past its end */
    uint32_t stranded; /**< workers that hold something for the next round */
    uint32_t urgency;  /**< largest ~priority put into the deferred queue */
    uint32_t lost;     /**< items a place had no room for where it must have; an error */
    uint32_t pushed[WEIR_PLACES_MAX]; /**< slots asked for; those past `room` were not given */
};

/** Arguments of the three kernels; the operator's state follows. 16-byte multiple. */
struct weir_work_args {
    struct weir_work_counters *counters;
    void *strands;        /**< one for each worker */
    const void *batch;    /**< queue the batch lies in */
    const void *deferred; /**< deferred queue that is released from */
    uint32_t batch_head, batch_mask, batch_count;
    uint32_t deferred_head, deferred_mask, deferred_count;
    uint32_t threshold; /**< priorities below it are near; UINT32_MAX: all are */
    uint32_t packets;
    const void *packet[WEIR_WORK_PACKETS];
    uint32_t packet_count[WEIR_WORK_PACKETS]; /**< items */
    uint8_t lane_of[WEIR_DEVICES_MAX];        /**< owner to lane, without WEIR_PLACE_LANE */
    struct weir_work_place place[WEIR_PLACES_MAX];
};

#endif
