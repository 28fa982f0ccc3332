/** @file inbox.h  Supersteps: items for other devices, which are stored into inboxes in the memory of their receivers and
 * absorbed there in a later step. Included by steps.h.
 *
 * An inbox is an array of the table (WEIR_STEPS_INBOXES), one a sender. Stores that lie side by side reach a peer many
 * times as fast as atomics on its memory. In the step that sends, a lane asks for its item's number, weir_steps_send(),
 * and stores the item into its outbox at a place that it makes of the number: the number itself where an inbox has room
 * for all items of a run, or `number - inboxes.sent[to]` where the inbox is used again from its beginning after it was
 * absorbed. Whether there is room is for the algorithm to see. Behind the next barrier every block of the receiver opens
 * the inboxes, all workers absorb the items from `first` to `end`, and behind the barrier after that block 0 closes them.
 * No device sends while one absorbs. */
#ifndef WEIR_WORKLIST_STEPS_INBOX_H
#define WEIR_WORKLIST_STEPS_INBOX_H

#include "worklist/steps/barrier.h"

/** What a block knows of the inboxes, in the memory that its threads share; zero at first where `sent` is used. Items
 *  of a sender count from 0 in each run. */
struct weir_steps_inboxes {
    uint64_t first[WEIR_DEVICES_MAX]; /* by sender: the first item that is not absorbed yet */
    uint64_t end[WEIR_DEVICES_MAX];   /* how many items it has sent */
    uint64_t sent[WEIR_DEVICES_MAX];  /* by receiver: how many this device had sent to it */
};

/** The number of the first of @p count items for device @p to. All lanes of a worker, which get the same. All that reserve add to one
 *  word, so a worker is the faster the more items it reserves at a time. */
WEIR_DEV uint64_t weir_steps_reserve(const struct weir_steps_member *m, uint32_t to, uint32_t count)
{
    uint64_t number = 0;
    if (weir_lane() == 0)
        number = weir_atomic_add_relaxed_dev_u64(&weir_steps_mine(m)->tell[to], count);
    return weir_broadcast_u64(number, 0);
}

/** The number of an item for device @p to, for each lane whose bit is set. All lanes of a worker.
 *  @param[in] lanes  of weir_ballot(): lanes that have an item for that device; at least one. */
WEIR_DEV uint64_t weir_steps_send(const struct weir_steps_member *m, uint32_t to, uint32_t lanes)
{
    return weir_steps_reserve(m, to, weir_popcount_u32(lanes)) +
           weir_popcount_u32(lanes & ((1u << weir_lane()) - 1));
}

/** The number of an item for each lane that has one, whichever devices the items are for: a turn for each device that any of them is
 *  for. All lanes of a worker.
 *  @param[in] to  the device that this lane's item is for; UINT32_MAX: it has none.
 *  @return the item's number among those for that device; 0 for a lane that has none. */
WEIR_DEV uint64_t weir_steps_send_to(const struct weir_steps_member *m, uint32_t to)
{
    uint64_t number = 0;
    WEIR_ROLLED
    for (uint32_t left = weir_ballot(to != UINT32_MAX), lanes; left; left &= ~lanes) {
        const uint32_t d = weir_broadcast_u32(to, weir_first_bit_u32(left));
        lanes = weir_ballot(to == d);
        const uint64_t at = weir_steps_send(m, d, lanes);
        number = to == d ? at : number;
    }
    return number;
}

/** After a barrier, in a step in which no device sends: find out what the inboxes hold. All threads of a block. */
WEIR_DEV void weir_steps_open(const struct weir_steps_member *m, const struct weir_steps_block *b,
                              struct weir_steps_inboxes *inboxes)
{
    const struct weir_steps_page *page = weir_steps_mine(m);
    for (uint32_t d = b->thread; d < m->count; d += b->threads) {
        inboxes->first[d] = weir_load_relaxed_dev_u64(&page->absorbed[d]);
        inboxes->end[d] = weir_steps_told(m, b, d);
        inboxes->sent[d] = weir_load_relaxed_dev_u64(&page->tell[d]);
    }
    weir_block_sync();
}

/** After the barrier that follows an absorbing step, by all threads of block 0: no block will see the absorbed items again,
 *  also none that sleeps now. */
WEIR_DEV void weir_steps_close(const struct weir_steps_member *m, const struct weir_steps_block *b,
                               const struct weir_steps_inboxes *inboxes)
{
    for (uint32_t d = b->thread; d < m->count; d += b->threads)
        weir_store_relaxed_dev_u64(&weir_steps_mine(m)->absorbed[d], inboxes->end[d]);
}

#endif
