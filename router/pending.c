/** @file pending.c  Receives under way (pipelined receivers, Groute 4.1). */
#include "router/internal.h"
#include "runtime/backend.h"

static weir_status check_receive(const weir_link *link, int own)
{
    const struct output *output = link->output;
    if (!output)
        return weir__fail(WEIR_ERR_INVALID, "%s: a link into a router does not receive",
                          link->router->self.name);
    if (!output->senders)
        return weir__fail(WEIR_ERR_INVALID, "router %s is unconnected: nobody sends to it",
                          output->router->self.name);
    if (own && !output->buffers)
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: the link has no buffers: receive into memory of your own",
                          output->destination->name);
    if (!own && output->buffers)
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: the link receives into its own %u buffers (WEIR_BUFFERS_NONE)",
                          output->destination->name, output->buffers);
    return WEIR_OK;
}

weir_status weir_link_receive(weir_link *link, weir_pending **pending_out)
{
    struct output *output = link->output;
    weir_status status;
    *pending_out = NULL;
    if ((status = check_receive(link, 1)))
        return status;
    status = WEIR_ERR_FULL;
    pthread_mutex_lock(&output->lock);
    if (output->untaken) {
        *pending_out = output->untaken;
        output->untaken = output->untaken->next;
        weir__output_ref(output);
        status = WEIR_OK;
    }
    pthread_mutex_unlock(&output->lock);
    return status;
}

static weir_status take_spare(struct output *output, struct weir_pending **slot_out)
{
    struct weir_pending *slot = output->spare;
    weir_status status = WEIR_OK;
    if (slot)
        output->spare = slot->next;
    else if (!(status = weir__calloc(1, sizeof *slot, "receive", &slot)))
        slot->output = output;
    if (!status && output->bouncing && (status = weir__slot_bounce(output, slot))) {
        slot->next = output->spare;
        output->spare = slot;
    }
    *slot_out = slot;
    return status;
}

weir_status weir_link_receive_into(weir_link *link, void *data, size_t bytes, weir_event *ready,
                                   weir_pending **pending_out)
{
    struct output *output = link->output;
    struct weir_pending *slot;
    weir_status status;
    *pending_out = NULL;
    if ((status = check_receive(link, 0)))
        return status;
    pthread_mutex_lock(&output->lock);
    if ((status = take_spare(output, &slot))) {
        pthread_mutex_unlock(&output->lock);
        return status;
    }
    slot->data = data;
    slot->room = bytes < output->packet_bytes ? bytes : output->packet_bytes;
    slot->ready = ready;
    if ((status = weir__output_post(output, slot))) {
        slot->next = output->spare;
        output->spare = slot;
        pthread_mutex_unlock(&output->lock);
        return status;
    }
    output->untaken = NULL;
    weir__output_ref(output);
    *pending_out = slot;
    /* A copy that could not be made ends this receive like the others: the pending says so. */
    if ((status = weir__output_progress(output, output->ended != WEIR_OK)))
        weir_router_cancel(output->router, status);
    weir__messages_settle();
    return WEIR_OK;
}

/* It will be the next to be taken again: it was the last one taken. */
static void put_back(weir_pending *pending)
{
    struct output *output = pending->output;
    pthread_mutex_lock(&output->lock);
    if (!pending->next)
        pending->next = output->untaken;
    output->untaken = pending;
    pthread_mutex_unlock(&output->lock);
    weir__output_unref(output);
}

weir_status weir_link_next(weir_link *link, int64_t timeout_ms, weir_pending **pending_out,
                           weir_segment *segment_out)
{
    weir_pending *pending;
    weir_status status = weir_link_receive(link, &pending);
    *pending_out = NULL;
    if (status)
        return status;
    status = weir_pending_wait(pending, timeout_ms, segment_out);
    if (status == WEIR_OK) {
        *pending_out = pending;
        return WEIR_OK;
    }
    if (status == WEIR_ERR_TIMEOUT)
        put_back(pending);
    else
        (void)weir_pending_release(pending, NULL); /* it ended */
    return status;
}

weir_status weir_pending_assigned(weir_pending *pending, weir_segment *segment_out)
{
    pthread_mutex_lock(&pending->output->lock);
    weir_status status = pending->assigned;
    if (status == WEIR_OK)
        *segment_out = pending->segment;
    pthread_mutex_unlock(&pending->output->lock);
    weir__alarms_raise(pending->output->router->context); /* a program may do nothing but ask */
    if (status < 0)
        (void)weir__router_status(pending->output->router); /* for its sentence */
    return status;
}

weir_status weir_pending_wait_assigned(weir_pending *pending, int64_t timeout_ms,
                                       weir_segment *segment_out)
{
    weir_status status = weir__future_wait_decided(pending->future, timeout_ms);
    return status ? status : weir_pending_assigned(pending, segment_out);
}

weir_status weir_pending_wait(weir_pending *pending, int64_t timeout_ms, weir_segment *segment_out)
{
    weir_status status = weir_future_wait(pending->future, timeout_ms);
    return status ? status : weir_pending_assigned(pending, segment_out);
}

weir_status weir_pending_gate(weir_pending *pending, weir_queue *queue)
{
    weir_status status = weir_queue_wait_future(queue, pending->future);
    if (!status)
        atomic_store_explicit(&pending->gated, queue, memory_order_relaxed);
    return status;
}

weir_future *weir_pending_future(weir_pending *pending)
{
    return pending->future;
}

/* The event behind all that is in `queue` now, which waits for the bytes itself: whoever writes the
 * buffer next waits for the copy into it too, not only for its readers. */
static weir_status mark(weir_pending *pending, weir_queue *queue, weir_event **event_out)
{
    weir_status status;
    if (atomic_load_explicit(&pending->gated, memory_order_relaxed) != queue &&
        (status = weir_queue_wait_future(queue, pending->future)))
        return status;
    if (weir_event_acquire(weir_queue_device(queue), event_out))
        return weir__fail(WEIR_ERR_NOMEM, "all events of a device are in use (WEIR_EVENTS)");
    if ((status = weir_queue_record(queue, *event_out))) {
        weir_event_release(*event_out);
        *event_out = NULL;
    }
    return status;
}

weir_status weir_pending_release(weir_pending *pending, weir_queue *queue)
{
    struct output *output = pending->output;
    weir_event *event = NULL;
    weir_segment segment;
    weir_status given, status = weir_pending_assigned(pending, &segment);
    if (status == WEIR_PENDING)
        return weir__fail(WEIR_ERR_INVALID, "%s: a receive is released before anything came",
                          output->destination->name);
    if (status == WEIR_OK && !queue && weir_future_query(pending->future) == WEIR_PENDING)
        return weir__fail(WEIR_ERR_INVALID, "%s: a receive is released before its bytes came",
                          output->destination->name);
    /* Nothing was written into a buffer of a receive that ended, and nothing will be. */
    status = status == WEIR_OK && queue && (pending->own || pending->bounce)
                 ? mark(pending, queue, &event)
                 : WEIR_OK;
    if (status) /* nothing says when the buffer may be written: nobody writes it any more */
        weir_router_cancel(output->router, status);
    if (event) /* else the one before stays: it was not waited for */
        pending->reuse = event;
    weir_future_release(pending->future);
    pending->future = NULL;
    given = weir__output_give_back(output, pending);
    return status ? status : given;
}
