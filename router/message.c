/** @file message.c  A message under way: when is the sender's memory its own again?
 *
 * When all parcels were copied. Copies of one queue run in order, so the event behind the last one in
 * each queue is enough; it is the event of the receiver's future, held once more. Almost always there
 * is one queue, and the sender's future is given that event; with several a countdown completes it. */
#include "router/internal.h"

#include "runtime/backend.h"

#include <stdlib.h>
#include <string.h>

/* The parts of the block behind the struct, in order of falling alignment. */
static void lay_out(struct message *message, const struct message_size *size,
                    _Atomic uint32_t **claims_out)
{
    message->parcels = (struct parcel *)(message + 1);
    message->offers = (struct offer *)(message->parcels + size->parcels);
    message->tails = (struct tail *)(message->offers + size->offers);
    message->leaves = (struct leaf *)(message->tails + STREAMS_MAX * size->leaves);
    message->leaf_count = size->leaves;
    *claims_out = (_Atomic uint32_t *)(message->leaves + size->leaves);
}

/* Numbers that traces tell messages apart by; relaxed. */
static _Atomic uint64_t serials = 1;

weir_status weir__message_create(weir_router *router, struct window *window,
                                 const weir_segment *segment, weir_event *ready,
                                 const struct message_size *size, uint64_t copies,
                                 weir_future **done_out, struct message **message_out,
                                 _Atomic uint32_t **claims_out)
{
    struct message *message;
    weir_status status;
    size_t bytes = sizeof *message + size->parcels * sizeof(struct parcel) +
                   size->offers * sizeof(struct offer) + size->claims * sizeof(uint32_t) +
                   size->leaves * (STREAMS_MAX * sizeof(struct tail) + sizeof(struct leaf));
    if ((status = weir__calloc(1, bytes, "message", &message)))
        return status;
    if (done_out && (status = weir_future_create(router->context, done_out))) {
        free(message);
        return status;
    }
    lay_out(message, size, claims_out);
    message->done = done_out ? weir_future_retain(*done_out) : NULL;
    message->router = router;
    weir__router_ref(message->router);
    message->window = window;
    if (window)
        weir__window_ref(window);
    message->segment = *segment;
    message->ready = ready ? weir__event_retain(ready) : NULL;
    if (weir__tracing(router->context)) {
        message->posted_ns = weir_context_time_ns(router->context);
        message->serial = atomic_fetch_add_explicit(&serials, 1, memory_order_relaxed);
    }
    atomic_store_explicit(&message->is_ready, !ready, memory_order_relaxed);
    atomic_store_explicit(&message->copies_left, copies, memory_order_relaxed);
    atomic_store_explicit(&message->references, (uint32_t)size->offers + 1, memory_order_relaxed);
    pthread_mutex_init(&message->lock, NULL);
    *message_out = message;
    return WEIR_OK;
}

void weir__message_ref(struct message *message)
{
    atomic_fetch_add_explicit(&message->references, 1, memory_order_relaxed);
}

/* By the beacons: routers between may have been parted since, and their outputs still have its packets. */
void weir__message_kick(struct message *message)
{
    uint32_t first = 0;
    if (message->turns)
        first = atomic_fetch_add_explicit(&message->router->turn, 1, memory_order_relaxed);
    for (uint32_t i = 0; i < message->leaf_count; i++) {
        struct beacon *beacon = message->leaves[(first + i) % message->leaf_count].beacon;
        if (beacon)
            weir__beacon_kick(beacon);
    }
}

void weir__message_unref(struct message *message, uint32_t count)
{
    if (atomic_fetch_sub_explicit(&message->references, count, memory_order_acq_rel) > count)
        return;
    weir_router *router = message->router;
    for (uint32_t i = 0; i < message->leaf_count; i++)
        weir__beacon_unref(message->leaves[i].beacon);
    weir_event_release(message->ready);
    free(message->detail);
    weir__window_unref(message->window);
    pthread_mutex_destroy(&message->lock);
    free(message);
    weir__router_unref(router); /* last: it may give up what keeps the context */
}

int weir__message_is_ready(struct message *message)
{
    if (!atomic_load_explicit(&message->is_ready, memory_order_relaxed) &&
        weir__event_over(message->ready))
        atomic_store_explicit(&message->is_ready, 1, memory_order_relaxed);
    return atomic_load_explicit(&message->is_ready, memory_order_relaxed);
}

/* ---- the end ----------------------------------------------------------------------------------- */

/* What has to be waited for where no lock is held: copies that could not be marked with an event, since their device is
 * lost, and events that could not be watched, for want of memory. A tail says which of the two it is, so that no room is
 * needed for it. The thread that met them first waits when it has unlocked everything, for what others find until then
 * as well. */
static _Thread_local struct message *stuck; /* linked by next_stuck, each held */

static void count_tail(void *message);

/* The message is locked. */
static void remember(struct message *message)
{
    if (message->is_stuck)
        return;
    weir__message_ref(message);
    message->is_stuck = 1;
    message->next_stuck = stuck;
    stuck = message;
}

/* A tail that is to be waited for, no longer to be found; 0: there is none, and the message is forgotten. */
static int take_stuck(struct message *message, struct tail *tail_out)
{
    int found = 0;
    pthread_mutex_lock(&message->lock);
    for (uint32_t i = 0; i < message->tail_count && !found; i++) {
        struct tail *tail = &message->tails[i];
        found = tail->unmarked || tail->unwatched;
        *tail_out = *tail;
        tail->unmarked = 0;
        tail->unwatched = 0;
        tail->output = NULL;
    }
    message->is_stuck = found;
    pthread_mutex_unlock(&message->lock);
    return found;
}

static void settle(struct message *message)
{
    struct tail tail;
    while (take_stuck(message, &tail)) {
        if (tail.unwatched) {
            weir__event_settle(tail.event); /* held by the message until this tail is counted */
            count_tail(message);
            continue;
        }
        weir__queue_settle(tail.first);
        weir__queue_settle(tail.queue);
        for (uint32_t i = 0; i < tail.unmarked; i++)
            weir__message_failed(message, tail.status);
        weir__output_unref(tail.output);
    }
    weir__message_unref(message, 1);
}

static void *settle_apart(void *data)
{
    settle(data);
    return NULL;
}

/* A thread that a queue waits for may not wait for a queue: another one does. */
static int hand_over(struct message *message)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, settle_apart, message))
        return 0;
    pthread_detach(thread);
    return 1;
}

/* Packets that came back, with their references: other outputs are to look. */
static _Thread_local struct offer *again;

void weir__message_offered_again(struct offer *offer)
{
    offer->next = again;
    again = offer;
}

static void tell_others(void)
{
    while (again) {
        struct message *message = again->parcel->message;
        again = again->next;
        weir__message_kick(message);
        weir__message_unref(message, 1);
    }
}

void weir__messages_settle(void)
{
    tell_others();
    while (stuck) {
        struct message *message = stuck;
        stuck = message->next_stuck;
        if (!weir__watch_calling() || !hand_over(message))
            settle(message);
    }
    if (weir__watch_calling())
        weir__futures_settle_apart();
    else
        weir__futures_settle();
}

static struct tail *find_tail(struct message *message, const weir_queue *queue)
{
    struct tail *tail = message->tails;
    while (tail < message->tails + message->tail_count && tail->queue != queue)
        tail++;
    return tail;
}

/* The message is locked. */
static struct tail *tail_of(struct message *message, weir_queue *queue)
{
    struct tail *tail = find_tail(message, queue);
    if (tail == message->tails + message->tail_count) {
        *tail = (struct tail){.queue = queue};
        message->tail_count++;
    }
    return tail;
}

void weir__message_stuck(struct output *output, struct message *message, weir_queue *first,
                         weir_queue *last, weir_status status)
{
    if (!message
             ->done) { /* nobody asked when the segment is free, so nobody waits: queues may be held for long */
        weir__message_failed(message, status);
        return;
    }
    pthread_mutex_lock(&message->lock);
    struct tail *tail = tail_of(message, last);
    if (!tail->output) {
        weir__output_ref(output);
        tail->output = output;
    }
    tail->first = first;
    tail->status = status;
    tail->unmarked++;
    remember(message);
    pthread_mutex_unlock(&message->lock);
}

/* All copies are accounted for: stale offers may keep the message for long, but no events. */
static void drop_tails(struct message *message)
{
    pthread_mutex_lock(&message->lock);
    while (message->tail_count > 0)
        weir_event_release(message->tails[--message->tail_count].event);
    pthread_mutex_unlock(&message->lock);
}

/* A copy that a held queue kept may have failed when it was submitted. */
static weir_status tails_status(const struct message *message)
{
    for (uint32_t i = 0; i < message->tail_count; i++) {
        weir_event *event = message->tails[i].event;
        weir_status status = event ? weir__event_failed(event) : WEIR_OK;
        if (status)
            return status;
    }
    return WEIR_OK;
}

static void finish(struct message *message)
{
    weir_future *done = message->done;
    if (!message->status)
        message->status = tails_status(message);
    drop_tails(message);
    if (message->detail)
        weir__fail_adopt(message->status, message->detail);
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
        struct tail *tail = &message->tails[i];
        weir_event *event = tail->event;
        if (!event) {
            count_tail(message); /* its copies were waited for, or came to nothing */
        } else if (weir__event_notify(event, count_tail, message)) {
            pthread_mutex_lock(&message->lock);
            tail->unwatched = 1;
            remember(message);
            pthread_mutex_unlock(&message->lock);
        }
    }
}

static int is_of(const struct send_queue *sends, const weir_queue *queue)
{
    return queue == sends->large[0].first || queue == sends->large[1].first ||
           queue == sends->small.first;
}

/* A queue that may come after all the message's copies and holds up nobody else: one of its send queue's for
 * large packets, if any is in there; NULL if the copies came through several send queues. */
static weir_queue *joining_queue(const struct message *message, const struct send_queue *sends,
                                 weir_queue *queue)
{
    for (uint32_t i = 0; i < message->tail_count; i++) {
        if (!is_of(sends, message->tails[i].queue))
            return NULL;
        if (queue == sends->small.first)
            queue = message->tails[i].queue;
    }
    return queue;
}

/* Have one queue come after all the message's copies. @return the event behind them, and its queue, or
 * NULL if that cannot be done. */
static weir_event *join_tails(struct message *message, const struct send_queue *sends,
                              weir_queue **queue)
{
    weir_event *event;
    if (message->tail_count == 1)
        return weir__event_retain(message->tails[0].event);
    if (!sends || !(*queue = joining_queue(message, sends, *queue)))
        return NULL;
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

/* The last copy was put into `queue` from `sends`, or none was and both are NULL: nobody else touches the
 * message's lower half any more. */
static void complete(struct message *message, const struct send_queue *sends, weir_queue *queue)
{
    weir_event *event = NULL;
    if (message->window)
        weir__message_over(message);
    if (!message->done) {
        drop_tails(message);
        return;
    }
    if (queue && !message->status)
        event = join_tails(message, sends, &queue);
    if (event) {
        if (weir__future_set(message->done, event))
            weir_event_release(event);
        weir_future_release(message->done);
        drop_tails(message);
    } else if (message->tail_count > 0) {
        wait_for_tails(message);
    } else {
        finish(message);
    }
}

static void count_copy(struct message *message, const struct send_queue *sends, weir_queue *queue)
{
    if (atomic_fetch_sub_explicit(&message->copies_left, 1, memory_order_acq_rel) == 1)
        complete(message, sends, queue);
}

int weir__message_is_in(struct message *message, const weir_queue *queue)
{
    pthread_mutex_lock(&message->lock);
    int is = find_tail(message, queue) < message->tails + message->tail_count;
    pthread_mutex_unlock(&message->lock);
    return is;
}

void weir__message_reads(struct message *message, weir_queue *queue, weir_event *event)
{
    pthread_mutex_lock(&message->lock);
    struct tail *tail = tail_of(message, queue);
    weir_event_release(tail->event);
    tail->event = weir__event_retain(event);
    pthread_mutex_unlock(&message->lock);
}

void weir__message_copied(struct message *message, const struct send_queue *sends,
                          weir_queue *queue, weir_event *event)
{
    if (event)
        weir__message_reads(message, queue, event);
    count_copy(message, sends, queue);
}

void weir__message_failed(struct message *message, weir_status status)
{
    pthread_mutex_lock(&message->lock);
    if (status && !message->status) {
        const char *cause = message->done && status < 0 ? weir__fail_cause(status) : NULL;
        message->detail = cause ? strdup(cause) : NULL;
        message->status = status;
    }
    pthread_mutex_unlock(&message->lock);
    count_copy(message, NULL, NULL);
}
