/** @file live_queue.h  A queue that any lanes put into and take from at the same time; of the live kernel (live_tmpl.h).
 *
 * The contract is in the names: `_mpmc`, many producers and many consumers. A queue is a ring of slots. Each element has
 * a *ticket*, its number since the queue was made; tickets are 64 bits and do not wrap. Beside each slot lies a *mark*,
 * which says whose turn it is: 2 g, the slot is free for the element of turn g of the ring, or 2 g + 1, that element is
 * there. So a queue is empty and right if all of its memory is 0, and stays right from one run to the next.
 *
 * - A push reserves room (`used`), then tickets (`tail`), for all lanes of a warp by one atomic add each. Then each lane
 *   stores its element and releases the mark. A push that finds no room reserves nothing and says so; nothing is overwritten.
 * - A pop looks at the marks behind `head`, and claims the elements from there on that are published, by one
 *   compare-and-swap. It never claims an element that is not there yet, so no consumer waits for a producer that is slow:
 *   it goes away empty-handed and looks elsewhere. Then each lane copies its element and releases the mark for the next turn.
 *
 * Consumers may release their marks in another order than they claimed them. So a lane that has a ticket may have to wait
 * until the consumer before it, which copies a few words and waits for nobody, has gone. That wait ends by the stop word too.
 *
 * Room is a power of two. The elements of an *overflow* queue, and their marks, lie in chunks of host memory that are
 * given when they are needed (bag.h). A look at a mark there takes a GPU microseconds, and thousands of warps that look at the
 * same time keep each other from what they look for. So one warp at a time claims from an overflow queue; others find nothing
 * there. Typed functions come from live_queue_tmpl.h. */
#ifndef WEIR_WORKLIST_ENGINE_LIVE_QUEUE_H
#define WEIR_WORKLIST_ENGINE_LIVE_QUEUE_H

#include "worklist/engine/bag.h"

/** Compare-and-swaps that a pop tries before it goes away empty-handed. */
#define WEIR_LIVE_TRIES 4u
/** Bytes of a mark, and what is lost to its alignment behind the elements of a chunk. */
#define WEIR_LIVE_MARK_BYTES 8u

/** The words of one queue, 0 at first; device memory, all relaxed, device scope. Consumers write the first line, producers the
 *  second, and both subtract from `used`. */
struct weir_live_words {
    uint64_t head; /* tickets that were claimed */
    /* 0: nobody claims from this queue; of an overflow queue alone; acquire and release, device scope. */
    uint32_t lock;
    uint32_t pad0[29];
    uint64_t tail; /* tickets that were given out */
    uint64_t
        used; /* slots that are reserved or hold an element; more for a moment, by pushes that find no room */
    uint64_t pad1[14];
};

/** Where a queue lies; a plain value. */
struct weir_live_queue {
    struct weir_live_words *words;
    void *slots;              /* in device memory; not of an overflow queue */
    uint32_t *marks;          /* the same */
    struct weir_spill *spill; /* of an overflow queue; NULL: it is none */
    uint32_t room_log;        /* slots, as a power of two */
    uint32_t chunk_log;       /* of an overflow queue: elements of a chunk, as a power of two */
    uint32_t element_bytes;
    uint32_t exists; /* 0: there is no such queue, and nothing fits */
};

/** The mark of a slot in which the element of this ticket may be stored; one more: it is there. */
WEIR_DEV uint32_t weir_live_turn(const struct weir_live_queue *queue, uint64_t ticket)
{
    return (uint32_t)(ticket >> queue->room_log) * 2u;
}

WEIR_DEV uint32_t weir_live_slot(const struct weir_live_queue *queue, uint64_t ticket)
{
    return (uint32_t)ticket & (((uint32_t)1 << queue->room_log) - 1u);
}

/** Where an element and its mark lie. */
struct weir_live_place {
    char *element; /* NULL: its chunk is not there */
    uint32_t *mark;
};

/** Find the place of a ticket. One lane. @param[in] asks  ask for a chunk that was not given yet, and wait for it. */
WEIR_DEV struct weir_live_place weir_live_find(const struct weir_live_queue *queue, uint64_t ticket,
                                               int asks)
{
    const uint32_t slot = weir_live_slot(queue, ticket);
    struct weir_live_place place;
    if (!queue->spill) {
        place.element = (char *)queue->slots + (uint64_t)slot * queue->element_bytes;
        place.mark = queue->marks + slot;
        return place;
    }
    const uint32_t chunk = slot >> queue->chunk_log;
    const uint32_t at = slot & (((uint32_t)1 << queue->chunk_log) - 1u);
    const uint64_t bytes = (uint64_t)queue->element_bytes << queue->chunk_log;
    char *base =
        asks ? weir_spill_chunk(queue->spill, chunk)
             : (char *)(uintptr_t)weir_load_acquire_sys_u64(weir_spill_word(queue->spill, chunk));
    place.element = base ? base + (uint64_t)at * queue->element_bytes : NULL;
    place.mark = base ? (uint32_t *)(void *)(base + (bytes + 3) / 4 * 4) + at : NULL;
    return place;
}

/** Elements that wait; a moment later it may be another number. */
WEIR_DEV uint64_t weir_live_length(const struct weir_live_queue *queue)
{
    /* The head first: it never passes the tail. */
    const uint64_t head = weir_load_relaxed_dev_u64(&queue->words->head);
    const uint64_t tail = weir_load_relaxed_dev_u64(&queue->words->tail);
    return tail > head ? tail - head : 0;
}

/** Reserve room and tickets for up to @p wanted elements. One lane.
 *  @param[in,out] high  the most elements that the queue was seen to hold.
 *  @return how many there is room for; their tickets are *ticket_out and those behind it. */
WEIR_DEV uint32_t weir_live_reserve_mpmc(const struct weir_live_queue *queue, uint32_t wanted,
                                         uint64_t *ticket_out, uint32_t *high)
{
    struct weir_live_words *words = queue->words;
    const uint64_t room = (uint64_t)1 << queue->room_log;
    *ticket_out = 0;
    if (!queue->exists || weir_load_relaxed_dev_u64(&words->used) >= room)
        return 0;
    const uint64_t before = weir_atomic_add_relaxed_dev_u64(&words->used, wanted);
    uint32_t got = wanted;
    if (before + wanted > room)
        got = before < room ? (uint32_t)(room - before) : 0;
    if (got < wanted)
        weir_add_relaxed_dev_u64(&words->used, 0 - (uint64_t)(wanted - got));
    if (got)
        *ticket_out = weir_atomic_add_relaxed_dev_u64(&words->tail, got);
    if (got && *high < before + got)
        *high = (uint32_t)(before + got);
    return got;
}

/** Whether the element of a ticket is there. One lane. */
WEIR_DEV int weir_live_is_ready(const struct weir_live_queue *queue, uint64_t ticket)
{
    const struct weir_live_place place = weir_live_find(queue, ticket, 0);
    /* Pairs with the release in put(): who sees the mark sees the element. */
    return place.element &&
           weir_load_acquire_dev_u32(place.mark) == weir_live_turn(queue, ticket) + 1u;
}

/** Claim up to @p want elements that are there, in the order of their tickets. All lanes of a warp; lane i looks at those
 *  whose numbers are i modulo the lanes. @param[in] head  of the queue, as it was seen a moment ago.
 *  @return how many; all of them have to be taken soon, and then given back with weir_live_return_mpmc(). */
WEIR_DEV uint32_t weir_live_claim_ready(const struct weir_live_queue *queue, uint32_t want,
                                        uint64_t *head_inout, uint64_t *ticket_out)
{
    const uint32_t all = WEIR_LANES == 32u ? 0xFFFFFFFFu : 1u;
    uint64_t head = *head_inout;
    *ticket_out = 0;
    WEIR_ROLLED
    for (uint32_t tries = 0; tries < WEIR_LIVE_TRIES; tries++) {
        uint32_t ready = 0, won = 0;
        WEIR_ROLLED
        while (ready < want) {
            const uint32_t at = ready + weir_lane();
            const uint32_t there = weir_ballot(at < want && weir_live_is_ready(queue, head + at));
            ready += there == all ? WEIR_LANES : weir_first_bit_u32(~there);
            if (there != all)
                break;
        }
        ready = ready < want ? ready : want;
        uint64_t now = head;
        if (weir_lane() == 0 && ready) {
            /* Nobody has claimed these if the head is where it was when their marks were looked at, since it only grows. */
            now = weir_atomic_compare_swap_relaxed_dev_u64(&queue->words->head, head, head + ready);
            won = now == head;
        } else if (weir_lane() == 0) {
            now = weir_load_relaxed_dev_u64(&queue->words->head);
        }
        if (weir_broadcast_u32(won, 0)) {
            *ticket_out = head;
            *head_inout = head + ready;
            return ready;
        }
        now = weir_broadcast_u64(now, 0);
        *head_inout = now;
        if (now == head) /* what is at the head is not there yet */
            return 0;
        head = now;
    }
    return 0;
}

/** Try to be the one warp that claims from an overflow queue. All lanes of a warp. */
WEIR_DEV int weir_live_lock(const struct weir_live_queue *queue)
{
    uint32_t *lock = &queue->words->lock, mine = 0;
    if (weir_lane() == 0 && !weir_load_relaxed_dev_u32(lock))
        mine = weir_add_acq_rel_dev_u32(lock, 1) == 0;
    return (int)weir_broadcast_u32(mine, 0);
}

WEIR_DEV void weir_live_unlock(const struct weir_live_queue *queue)
{
    weir_lanes_sync();
    if (weir_lane() == 0)
        weir_store_release_dev_u32(&queue->words->lock, 0); /* pairs with whoever locks next */
}

/** The same as weir_live_claim_ready(), of a queue of either kind. @return 0, too: another warp claims from it. */
WEIR_DEV uint32_t weir_live_claim_from_mpmc(const struct weir_live_queue *queue, uint32_t want,
                                            uint64_t *head_inout, uint64_t *ticket_out)
{
    *ticket_out = 0;
    if (queue->spill && !weir_live_lock(queue))
        return 0;
    const uint32_t count = weir_live_claim_ready(queue, want, head_inout, ticket_out);
    if (queue->spill)
        weir_live_unlock(queue);
    return count;
}

/** Where the head of a queue is. All lanes of a warp. */
WEIR_DEV uint64_t weir_live_head(const struct weir_live_queue *queue)
{
    uint64_t head = 0;
    if (weir_lane() == 0)
        head = weir_load_relaxed_dev_u64(&queue->words->head);
    return weir_broadcast_u64(head, 0);
}

/** The same, from wherever the head is. */
WEIR_DEV uint32_t weir_live_claim_mpmc(const struct weir_live_queue *queue, uint32_t want,
                                       uint64_t *ticket_out)
{
    uint64_t head = weir_live_head(queue);
    return weir_live_claim_from_mpmc(queue, want, &head, ticket_out);
}

/** Give back the room of @p count elements that were taken. One lane, once the marks of all are released: a push that gets
 *  the room waits for a mark otherwise. */
WEIR_DEV void weir_live_return_mpmc(const struct weir_live_queue *queue, uint32_t count)
{
    weir_add_relaxed_dev_u64(&queue->words->used, 0 - (uint64_t)count);
}

#endif
