/** @file message.c  A message under way: when is the sender's memory its own again?
 *
 * When all parcels were copied. Copies of one queue run in order, so the event behind the last one
 * in each queue is enough. Almost always there is one queue, and the sender's future is given that
 * event; with several a countdown completes it. */
#include "router/internal.h"

#include "runtime/backend.h"

#include <stdlib.h>

weir_status weir__message_create(weir_context *context, const weir_segment *segment,
                                 weir_event *ready, uint32_t parcels, uint32_t offers_each,
                                 weir_future **done_out, struct message **message_out)
{
    struct message *message;
    weir_status status;
    size_t offers = (size_t)parcels * offers_each;
    size_t bytes = sizeof *message + parcels * sizeof(struct parcel);
    if ((status = weir__calloc(1, bytes + offers * sizeof(struct offer), "message", &message)))
        return status;
    message->offers = (struct offer *)((char *)message + bytes);
    if (done_out && (status = weir_future_create(context, done_out))) {
        free(message);
        return status;
    }
    message->done = done_out ? weir_future_retain(*done_out) : NULL;
    message->segment = *segment;
    message->ready = ready;
    message->parcels_left = parcels;
    atomic_store_explicit(&message->references, (uint32_t)offers + 1, memory_order_relaxed);
    pthread_mutex_init(&message->lock, NULL);
    for (uint32_t p = 0; p < parcels; p++) {
        message->parcels[p].message = message;
        for (uint32_t i = 0; i < offers_each; i++)
            message->offers[(size_t)p * offers_each + i].parcel = &message->parcels[p];
    }
    *message_out = message;
    return WEIR_OK;
}

void weir__message_unref(struct message *message)
{
    if (atomic_fetch_sub_explicit(&message->references, 1, memory_order_acq_rel) > 1)
        return;
    pthread_mutex_destroy(&message->lock);
    free(message);
}

/* Completes a future after several events. */
struct countdown {
    _Atomic uint32_t left; /* acq_rel: the last one sees what the others did */
    weir_future *done;
    weir_status status;
    uint32_t count;
    weir_event *events[2 * PORTS_MAX];
};

static void finish(weir_future *done, weir_status status)
{
    if (status)
        (void)weir_future_fail(done, status);
    else
        (void)weir_future_set(done, NULL);
    weir_future_release(done);
}

static void count_down(void *user)
{
    struct countdown *down = user;
    if (atomic_fetch_sub_explicit(&down->left, 1, memory_order_acq_rel) > 1)
        return;
    for (uint32_t i = 0; i < down->count; i++)
        weir_event_release(down->events[i]);
    finish(down->done, down->status);
    free(down);
}

static void start_countdown(weir_future *done, weir_status status, const struct tail *tails,
                            uint32_t count)
{
    struct countdown *down;
    weir_status memory = weir__calloc(1, sizeof *down, "countdown", &down);
    if (memory) { /* wait here: the sender must not reuse what is still being read */
        for (uint32_t i = 0; i < count; i++) {
            (void)weir_event_wait(tails[i].event, -1);
            weir_event_release(tails[i].event);
        }
        finish(done, status);
        return;
    }
    down->done = done;
    down->status = status;
    down->count = count;
    atomic_store_explicit(&down->left, count, memory_order_relaxed);
    for (uint32_t i = 0; i < count; i++)
        down->events[i] = tails[i].event;
    for (uint32_t i = 0; i < count; i++)
        if (tails[i].event->device->ops->event_notify(tails[i].event, count_down, down)) {
            (void)weir_event_wait(tails[i].event, -1);
            count_down(down);
        }
}

static struct tail *find_tail(struct message *message, const weir_queue *queue)
{
    struct tail *tail = message->tails;
    while (tail < message->tails + message->tail_count && tail->queue != queue)
        tail++;
    return tail;
}

weir_status weir__message_reserve(struct message *message, weir_queue *queue)
{
    weir_status status = WEIR_OK;
    if (!message->done)
        return WEIR_OK;
    pthread_mutex_lock(&message->lock);
    struct tail *tail = find_tail(message, queue);
    if (tail == message->tails + message->tail_count) {
        if (weir_event_acquire(weir_queue_device(queue), &tail->event))
            status = weir__fail(WEIR_ERR_NOMEM, "all events of a device are in use (WEIR_EVENTS)");
        tail->queue = queue;
        message->tail_count += !status;
    }
    pthread_mutex_unlock(&message->lock);
    return status;
}

/* Note that this message's copies in `queue` go as far as now. */
static weir_status mark(struct message *message, weir_queue *queue)
{
    weir_status status = weir_queue_record(queue, find_tail(message, queue)->event);
    if (status) /* the device is lost, or memory is: the sender must not reuse what is being read */
        (void)weir_queue_sync(queue);
    return status;
}

void weir__message_parcel_done(struct message *message, weir_queue *queue, weir_status status)
{
    pthread_mutex_lock(&message->lock);
    if (queue && message->done) {
        weir_status marked = mark(message, queue);
        if (!status)
            status = marked;
    }
    if (status && !message->status)
        message->status = status;
    int last = --message->parcels_left == 0;
    pthread_mutex_unlock(&message->lock);
    if (!last || !message->done)
        return;
    /* The last parcel: nobody else touches the message's tails any more. */
    if (message->tail_count == 1 && !message->status) {
        (void)weir_future_set(message->done, message->tails[0].event);
        weir_future_release(message->done);
    } else if (message->tail_count > 0) {
        start_countdown(message->done, message->status, message->tails, message->tail_count);
    } else {
        finish(message->done, message->status);
    }
}
