/** @file pending.c  Receives under way (pipelined receivers, Groute 4.1). */
#include "router/internal.h"

#include "runtime/backend.h"

weir_status weir_link_receive(weir_link *link, weir_pending **pending_out)
{
    struct output *output = link->output;
    weir_status status = WEIR_ERR_FULL;
    *pending_out = NULL;
    if (!output)
        return weir__fail(WEIR_ERR_INVALID, "%s: a link into a router does not receive",
                          link->source->name);
    pthread_mutex_lock(&output->lock);
    if (output->taken < output->posted) {
        *pending_out = &output->slots[output->order[output->taken++ % output->buffers]];
        status = WEIR_OK;
    }
    pthread_mutex_unlock(&output->lock);
    return status;
}

weir_status weir_pending_assigned(weir_pending *pending, weir_segment *segment_out)
{
    pthread_mutex_lock(&pending->output->lock);
    weir_status status = pending->assigned;
    if (status == WEIR_OK)
        *segment_out = pending->segment;
    pthread_mutex_unlock(&pending->output->lock);
    if (status < 0)
        (void)weir__router_status(pending->output->router); /* for its sentence */
    return status;
}

weir_status weir_pending_wait(weir_pending *pending, int64_t timeout_ms, weir_segment *segment_out)
{
    weir_status status = weir_future_wait(pending->future, timeout_ms);
    return status ? status : weir_pending_assigned(pending, segment_out);
}

weir_status weir_pending_gate(weir_pending *pending, weir_queue *queue)
{
    return weir_queue_wait_future(queue, pending->future);
}

weir_future *weir_pending_future(weir_pending *pending)
{
    return pending->future;
}

static void drop_event(void *event)
{
    weir_event_release(event);
}

weir_status weir_pending_release(weir_pending *pending, weir_queue *queue)
{
    weir_event *event = NULL;
    weir_segment segment;
    weir_status status = weir_pending_assigned(pending, &segment);
    if (status == WEIR_PENDING)
        return weir__fail(WEIR_ERR_INVALID, "%s: a receive is released before anything came",
                          pending->output->destination->name);
    if (!queue && weir_future_query(pending->future) == WEIR_PENDING)
        return weir__fail(WEIR_ERR_INVALID, "%s: a receive is released before its bytes came",
                          pending->output->destination->name);
    status = WEIR_OK;
    if (queue) {
        /* Whoever writes the buffer next waits for this copy too, not only for its readers. */
        if ((status = weir_queue_wait_future(queue, pending->future)))
            return status;
        if ((status = weir_event_acquire(weir_queue_device(queue), &event)))
            return weir__fail(WEIR_ERR_NOMEM, "all events of a device are in use (WEIR_EVENTS)");
        if ((status = weir_queue_record(queue, event))) {
            weir_event_release(event);
            return status;
        }
    }
    /* The copy that filled the buffer waits for the event before it: that one goes when the copy is
     * over. */
    if (pending->reuse &&
        (status = weir__future_notify(pending->future, drop_event, pending->reuse))) {
        weir_event_release(event);
        return status;
    }
    pending->reuse = event;
    weir_future_release(pending->future);
    pending->future = NULL;
    return weir__output_repost(pending->output, pending);
}
