/** @file message.c  A message under way: when is the sender's memory its own again?
 *
 * When all parcels were copied. Copies of one queue run in order, so the event behind the last one in
 * each queue is enough; it is the event of the receiver's future, held once more. Almost always there
 * is one queue, and the sender's future is given that event; with several a countdown completes it. */
#include "router/internal.h"

#include "runtime/backend.h"

#include <stdlib.h>

/* The parts of the block behind the struct, in order of falling alignment. */
static void lay_out(struct message *message, const struct message_size *size,
                    _Atomic uint16_t **claims_out)
{
    message->parcels = (struct parcel *)(message + 1);
    message->offers = (struct offer *)(message->parcels + size->parcels);
    message->tails = (struct tail *)(message->offers + size->offers);
    message->leaves = (struct leaf *)(message->tails + STREAMS_MAX * size->leaves);
    *claims_out = (_Atomic uint16_t *)(message->leaves + size->leaves);
}

weir_status weir__message_create(weir_context *context, const weir_segment *segment,
                                 weir_event *ready, const struct message_size *size,
                                 uint64_t copies, weir_future **done_out,
                                 struct message **message_out, _Atomic uint16_t **claims_out)
{
    struct message *message;
    weir_status status;
    size_t bytes = sizeof *message + size->parcels * sizeof(struct parcel) +
                   size->offers * sizeof(struct offer) + size->claims * sizeof(uint16_t) +
                   size->leaves * (STREAMS_MAX * sizeof(struct tail) + sizeof(struct leaf));
    if ((status = weir__calloc(1, bytes, "message", &message)))
        return status;
    if (done_out && (status = weir_future_create(context, done_out))) {
        free(message);
        return status;
    }
    lay_out(message, size, claims_out);
    message->done = done_out ? weir_future_retain(*done_out) : NULL;
    message->segment = *segment;
    message->ready = ready ? weir__event_retain(ready) : NULL;
    atomic_store_explicit(&message->copies_left, copies, memory_order_relaxed);
    atomic_store_explicit(&message->references, (uint32_t)size->offers + 1, memory_order_relaxed);
    pthread_mutex_init(&message->lock, NULL);
    *message_out = message;
    return WEIR_OK;
}

void weir__message_unref(struct message *message, uint32_t count)
{
    if (atomic_fetch_sub_explicit(&message->references, count, memory_order_acq_rel) > count)
        return;
    weir_event_release(message->ready);
    pthread_mutex_destroy(&message->lock);
    free(message);
}

/* ---- the end ----------------------------------------------------------------------------------- */

/* What has to be waited for where no lock is held: copies that could not be marked with an event, since
 * their device is lost, and events that could not be watched, for want of memory. The thread that met
 * them waits when it has unlocked everything. */
#define STUCK_MAX 16
static _Thread_local struct stuck {
    struct message *message; /* held */
    weir_queue *first, *last;
    weir_event *event; /* held, or NULL: the queues */
    weir_status status;
} stuck[STUCK_MAX];
static _Thread_local uint32_t stuck_count;

static void count_tail(void *message);

static void settle(struct stuck one)
{
    if (one.event) {
        weir__event_settle(one.event);
        weir_event_release(one.event);
        count_tail(one.message);
    } else {
        weir__queue_settle(one.first);
        weir__queue_settle(one.last);
        weir__message_failed(one.message, one.status);
    }
    weir__message_unref(one.message, 1);
}

static void remember(struct stuck one)
{
    atomic_fetch_add_explicit(&one.message->references, 1, memory_order_relaxed);
    if (stuck_count < STUCK_MAX)
        stuck[stuck_count++] = one;
    else
        settle(one);
}

void weir__messages_settle(void)
{
    while (stuck_count)
        settle(stuck[--stuck_count]);
}

void weir__message_stuck(struct message *message, weir_queue *first, weir_queue *last,
                         weir_status status)
{
    if (message->done)
        remember(
            (struct stuck){.message = message, .first = first, .last = last, .status = status});
    else /* nobody asked when the segment is free again, so nobody waits: queues may be held for long */
        weir__message_failed(message, status);
}

/* All copies are accounted for: stale offers may keep the message for long, but no events. */
static void drop_tails(struct message *message)
{
    while (message->tail_count > 0)
        weir_event_release(message->tails[--message->tail_count].event);
}

static void finish(struct message *message)
{
    weir_future *done = message->done;
    drop_tails(message);
    if (message->status)
        (void)weir_future_fail(done, message->status);
    else
        (void)weir_future_set(done, NULL);
    weir_future_release(done);
}

/* A tail was reached; after the last one the message is done. */
static void count_tail(void *user)
{
    struct message *message = user;
    if (atomic_fetch_sub_explicit(&message->tails_left, 1, memory_order_acq_rel) == 1)
        finish(message);
    weir__message_unref(message, 1);
}

static void wait_for_tails(struct message *message)
{
    uint32_t count = message->tail_count;
    atomic_store_explicit(&message->tails_left, count, memory_order_relaxed);
    atomic_fetch_add_explicit(&message->references, count, memory_order_relaxed);
    for (uint32_t i = 0; i < count; i++) {
        weir_event *event = message->tails[i].event;
        if (event->device->ops->event_notify(event, count_tail, message))
            remember((struct stuck){
                .message = message, .event = weir__event_retain(event), .status = WEIR_OK});
    }
}

static int is_of(const struct lane *lane, const weir_queue *queue)
{
    return queue == lane->large[0].last || queue == lane->large[1].last ||
           queue == lane->small.last;
}

/* A queue that may come after all the message's copies and holds up nobody else: one of its lane's for
 * large packets, if any is in there; NULL if the copies are in several lanes. */
static weir_queue *joining_queue(const struct message *message, const struct lane *lane,
                                 weir_queue *queue)
{
    for (uint32_t i = 0; i < message->tail_count; i++) {
        if (!is_of(lane, message->tails[i].queue))
            return NULL;
        if (queue == lane->small.last)
            queue = message->tails[i].queue;
    }
    return queue;
}

/* Have one queue come after all the message's copies. @return the event behind them, and its queue, or
 * NULL if that cannot be done. */
static weir_event *join_tails(struct message *message, const struct lane *lane, weir_queue **queue)
{
    weir_event *event;
    if (!(*queue = joining_queue(message, lane, *queue)))
        return NULL;
    if (message->tail_count == 1)
        return weir__event_retain(message->tails[0].event);
    for (uint32_t i = 0; i < message->tail_count; i++)
        if (message->tails[i].queue != *queue &&
            weir_queue_wait_event(*queue, message->tails[i].event))
            return NULL;
    if (weir_event_acquire(weir_queue_device(*queue), &event))
        return NULL;
    if (!weir_queue_record(*queue, event))
        return event;
    weir_event_release(event);
    return NULL;
}

/* The last copy was put into `queue` of `lane`, or none was and both are NULL: nobody else touches the
 * message's lower half any more. */
static void complete(struct message *message, const struct lane *lane, weir_queue *queue)
{
    weir_event *event = NULL;
    if (!message->done) {
        drop_tails(message);
        return;
    }
    if (queue && !message->status)
        event = join_tails(message, lane, &queue);
    if (event) {
        if (weir__future_set_in(message->done, event, queue))
            weir_event_release(event);
        weir_future_release(message->done);
        drop_tails(message);
    } else if (message->tail_count > 0) {
        wait_for_tails(message);
    } else {
        finish(message);
    }
}

static void count_copy(struct message *message, const struct lane *lane, weir_queue *queue)
{
    if (atomic_fetch_sub_explicit(&message->copies_left, 1, memory_order_acq_rel) == 1)
        complete(message, lane, queue);
}

static struct tail *find_tail(struct message *message, const weir_queue *queue)
{
    struct tail *tail = message->tails;
    while (tail < message->tails + message->tail_count && tail->queue != queue)
        tail++;
    return tail;
}

int weir__message_is_in(struct message *message, const weir_queue *queue)
{
    pthread_mutex_lock(&message->lock);
    int is = find_tail(message, queue) < message->tails + message->tail_count;
    pthread_mutex_unlock(&message->lock);
    return is;
}

void weir__message_copied(struct message *message, const struct lane *lane, weir_queue *queue,
                          weir_event *event)
{
    pthread_mutex_lock(&message->lock);
    struct tail *tail = find_tail(message, queue);
    if (tail == message->tails + message->tail_count)
        message->tail_count++;
    else
        weir_event_release(tail->event);
    *tail = (struct tail){queue, weir__event_retain(event)};
    pthread_mutex_unlock(&message->lock);
    count_copy(message, lane, queue);
}

void weir__message_failed(struct message *message, weir_status status)
{
    pthread_mutex_lock(&message->lock);
    if (status && !message->status)
        message->status = status;
    pthread_mutex_unlock(&message->lock);
    count_copy(message, NULL, NULL);
}
