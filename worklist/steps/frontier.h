/** @file frontier.h  Supersteps: a frontier, and numbers that devices tell each other of. Included by steps.h.
 *
 * For programs whose superstep works on some rows and finds those of the next one by it, each row once in a run: levels of a search,
 * peeling. A queue has room for each own row and only grows, and the frontier is a stretch of it: what was put there since the stretch before. What a
 * worker finds that another device owns it tells the owner, by items of one number (inbox.h), which are heard in a superstep of
 * their own. A round, by all threads of all devices:
 *
 *     weir_steps_frontier_next(front);
 *     ... rows begin to end - 1 of the queue: weir_steps_frontier_put() what is found here, _tell() what is elsewhere
 *     stop = weir_steps_frontier_sync(front);
 *     if (!stop && front->told) {
 *         weir_steps_frontier_open(front);
 *         while (weir_steps_frontier_heard(front, &number))
 *             ... _put() it if it is news
 *         stop = weir_steps_frontier_sync(front);
 *     }
 *
 * and `front->found` says how many rows the next round has, on all devices together. docs/steps.md "The frontier" derives it. */
#ifndef WEIR_WORKLIST_STEPS_FRONTIER_H
#define WEIR_WORKLIST_STEPS_FRONTIER_H

#include "worklist/steps/inbox.h"
#include "worklist/steps/owner.h"

#include <stddef.h>

/** The arrays of a frontier: a member of a body's arguments, set by the rows WEIR_STEPS_FRONTIER() of its table. */
struct weir_steps_frontier {
    uint32_t *queue;                    /**< rows, in the order in which they were put */
    uint32_t *tail;                     /**< how many there are */
    uint32_t *inbox[WEIR_DEVICES_MAX];  /**< by sender: numbers of own rows */
    uint32_t *outbox[WEIR_DEVICES_MAX]; /**< by receiver: its inbox for this device */
};

/** What the threads of a block share of it: a member of a body's `struct NAME_shared`. */
struct weir_steps_frontier_block {
    uint64_t put; /**< rows since the last barrier */
    struct weir_steps_inboxes inboxes;
};

/** Where a device is. Each thread has one, and what does not say otherwise is the same in all threads of the device. */
struct weir_steps_front {
    const struct weir_steps_member *member;
    struct weir_steps_block *block;
    const struct weir_steps_frontier *arrays;
    struct weir_steps_frontier_block *shared;
    uint32_t begin, end;  /**< the frontier of this device: rows begin to end - 1 of the queue */
    uint32_t queued;      /**< rows that the queue had at the last barrier */
    uint64_t found;       /**< rows that all devices put since weir_steps_frontier_next() */
    uint64_t all;         /**< and in the run */
    uint64_t told;        /**< items that all devices sent in the last superstep */
    uint64_t puts, tells; /* by this thread since the last barrier */
    uint64_t item;        /* what this thread hears next: an item of inbox `from` */
    uint32_t from;
    uint32_t open; /* the inboxes are */
};

/** Begin, with nothing in the queue. All threads of a block, before anything else that is done with it. */
WEIR_DEV void weir_steps_frontier_begin(struct weir_steps_front *front,
                                        const struct weir_steps_member *m,
                                        struct weir_steps_block *b,
                                        const struct weir_steps_frontier *arrays,
                                        struct weir_steps_frontier_block *shared)
{
    const struct weir_steps_front begun = {m, b, arrays, shared, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    *front = begun;
    if (b->thread == 0)
        shared->put = 0;
    weir_block_sync();
}

/** A row of this device is found. Any thread; each row once in a run. */
WEIR_DEV void weir_steps_frontier_put(struct weir_steps_front *front, uint32_t row)
{
    const struct weir_steps_frontier *f = front->arrays;
    f->queue[weir_atomic_add_relaxed_dev_u32(f->tail, 1)] = row;
    front->puts++;
}

/** Tell the owner of a number that it is found. All lanes of a worker.
 *  @param[in] to  the owner; UINT32_MAX, or this device itself: this lane tells nobody.
 *  @pre The inbox has room for all items of a run (WEIR_STEPS_FRONTIER()). */
WEIR_DEV void weir_steps_frontier_tell(struct weir_steps_front *front, uint32_t to, uint32_t number)
{
    if (front->member->count == 1)
        return;
    if (to == front->member->index)
        to = UINT32_MAX;
    const uint64_t at = weir_steps_send_to(front->member, to);
    if (to == UINT32_MAX)
        return;
    front->arrays->outbox[to][at] = number;
    front->tells++;
}

/** The end of a superstep: a barrier of all threads of all devices, which know then what all have found and told. Items that were
 *  heard are not heard again. @return as weir_steps_sync(). */
WEIR_DEV uint32_t weir_steps_frontier_sync(struct weir_steps_front *front)
{
    const struct weir_steps_member *m = front->member;
    struct weir_steps_block *b = front->block;
    uint64_t total[WEIR_STEPS_SUMS];
    if (front->puts)
        weir_atomic_add_block_u64(&front->shared->put, front->puts);
    if (front->tells)
        weir_steps_add(m, b, 1, front->tells);
    const uint32_t stop = weir_steps_sync(m, b, b->blocks, &front->shared->put, 1, total);
    front->queued += (uint32_t)(m->count > 1 ? weir_steps_own(m, b) : total[0]);
    front->found += total[0];
    front->all += total[0];
    front->told = total[1];
    front->puts = front->tells = 0;
    if (front->open && b->block == 0)
        weir_steps_close(m, b, &front->shared->inboxes);
    front->open = 0;
    return stop;
}

/** What was put since the last frontier is the next one. Behind a barrier; each thread. */
WEIR_DEV void weir_steps_frontier_next(struct weir_steps_front *front)
{
    front->begin = front->end;
    front->end = front->queued;
    front->found = 0;
}

/** Before a superstep that hears what was told in the last one, and tells nothing itself. All threads of a block. */
WEIR_DEV void weir_steps_frontier_open(struct weir_steps_front *front)
{
    weir_steps_open(front->member, front->block, &front->shared->inboxes);
    front->item = weir_steps_thread(front->block);
    front->from = 0;
    front->open = 1;
}

/** The next number for this thread; any thread. @return 0: there is none. */
WEIR_DEV int weir_steps_frontier_heard(struct weir_steps_front *front, uint32_t *number)
{
    const struct weir_steps_inboxes *in = &front->shared->inboxes;
    for (; front->from < front->member->count; front->from++) {
        const uint64_t at = in->first[front->from] + front->item;
        if (at < in->end[front->from]) {
            *number = front->arrays->inbox[front->from][at];
            front->item += weir_steps_threads(front->block);
            return 1;
        }
        front->item = weir_steps_thread(front->block);
    }
    return 0;
}

/** The rows of a program's table that a frontier needs.
 *  @param args   the arguments' type. @param field  its struct weir_steps_frontier.
 *  @param items  weir_steps_array.count: the most items that a sender tells a device of in a run. */
#define WEIR_STEPS_FRONTIER(args, field_, items)                                       \
    {.name = "queue",                                                                  \
     .extent = WEIR_STEPS_OWNED,                                                       \
     .bytes = sizeof(uint32_t),                                                        \
     .field = offsetof(args, field_.queue)},                                           \
        {.name = "tail",                                                               \
         .extent = WEIR_STEPS_ONE,                                                     \
         .first = WEIR_STEPS_FILLED,                                                   \
         .bytes = sizeof(uint32_t),                                                    \
         .field = offsetof(args, field_.tail)},                                        \
    {                                                                                  \
        .name = "inbox", .extent = WEIR_STEPS_COUNTED, .count = items,                 \
        .holding = WEIR_STEPS_INBOXES, .bytes = sizeof(uint32_t),                      \
        .field = offsetof(args, field_.inbox), .outbox = offsetof(args, field_.outbox) \
    }

#endif
