/** @file transfer.c  Copying a parcel into a receive buffer. */
#include "router/internal.h"

#include "runtime/backend.h"

#define OPERATIONS_MAX 8 /* of one packet in one queue: waits, copies, records */

static const struct stream *choose_stream(struct send_queue *sends, size_t bytes)
{
    return bytes <= sends->small_bytes ? &sends->small : &sends->large[sends->turn++ % 2];
}

/* Hold the queue until the buffer may be written, and the message read; once a message and queue is
 * enough for the latter. */
static weir_status put_waits(const struct stream *stream, struct weir_pending *slot,
                             struct message *message)
{
    weir_queue *queue = stream->first;
    weir_status status = WEIR_OK;
    if (slot->reuse && (status = weir_queue_wait_event(queue, slot->reuse)))
        return status;
    if (slot->ready && (status = weir_queue_wait_event(queue, slot->ready)))
        return status;
    if (message->ready && !weir__message_is_in(message, stream->last))
        status = weir_queue_wait_event(queue, message->ready);
    return status;
}

static weir_status check_room(const struct output *output, const struct weir_pending *slot,
                              const struct parcel *parcel)
{
    if (parcel->bytes <= slot->room)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID, "%s: a packet of %zu bytes came into %zu bytes of memory",
                      output->destination->name, parcel->bytes, slot->room);
}

/* None of a device's events is free. What is under way gives some back; where nothing is, nobody will. */
static weir_status await_events(struct output *output, weir_device *device)
{
    if (output->starved || !weir__output_watch_pool(output, device)) {
        output->starved = 1;
        return WEIR_FULL;
    }
    return weir__fail(WEIR_ERR_NOMEM, "all events of a device are in use (WEIR_EVENTS)");
}

/* One may come back between two looks, and the second is cheaper than to be called back. */
static weir_status get_event(struct output *output, weir_device *device, weir_event **event_out)
{
    weir_status status;
    if (!weir_event_acquire(device, event_out) || !weir_event_acquire(device, event_out))
        return WEIR_OK;
    if ((status = await_events(output, device)) == WEIR_FULL)
        return status;
    return weir_event_acquire(device, event_out) ? status : WEIR_OK;
}

/* What can run out is taken before anything is put into a queue; `event` is recorded behind the copy.
 * @param[out] put_out  set if a copy was, or may have been, put there. */
static weir_status copy(struct output *output, const struct stream *stream,
                        struct weir_pending *slot, const struct parcel *parcel,
                        weir_event **event_out, int *put_out)
{
    const weir_segment *segment = &parcel->message->segment;
    const void *from = segment->bytes ? (const char *)segment->data + parcel->offset : NULL;
    weir_status status = check_room(output, slot, parcel);
    *put_out = 0;
    if (status)
        return status;
    if ((status = weir__queue_reserve(stream->first, OPERATIONS_MAX)) ||
        (stream->last != stream->first &&
         (status = weir__queue_reserve(stream->last, OPERATIONS_MAX))))
        return status;
    if ((status = get_event(output, weir_queue_device(stream->last), event_out)))
        return status;
    if (!(status = put_waits(stream, slot, parcel->message))) {
        status = stream->transport->put(output, stream, segment->device, slot, from, parcel->bytes);
        if (status == WEIR_FULL) /* nothing was put; one event may have come back */
            status =
                stream->transport->put(output, stream, segment->device, slot, from, parcel->bytes);
        *put_out = !status || (stream->first != stream->last && status != WEIR_FULL);
        if (!status && !(status = weir_queue_record(stream->last, *event_out))) {
            weir_event_release(slot->reuse); /* the queue keeps what it waits for */
            slot->reuse = NULL;
            return WEIR_OK;
        }
    }
    /* The device is lost, or there is no event between the two queues. */
    weir_event_release(*event_out);
    return status == WEIR_FULL ? await_events(output, weir_queue_device(stream->first)) : status;
}

static void count(struct output *output, const struct stream *stream, const struct parcel *parcel)
{
    output->stats.packets++;
    output->stats.bytes += parcel->bytes;
    output->stats.by[stream->transport->which]++;
    output->stats.failed_over +=
        (uint64_t)atomic_load_explicit(&parcel->returned, memory_order_relaxed);
}

static void fail(struct output *output, struct weir_pending *slot, const struct stream *stream,
                 struct offer *offer, weir_status status, int put)
{
    struct message *message = offer->parcel->message;
    slot->assigned = status;
    (void)weir_future_fail(slot->future, status);
    weir__offer_keep(offer);
    if (put)
        weir__message_stuck(output, message, stream->first, stream->last, status);
    else
        weir__message_failed(message, status);
    weir__message_unref(message, 1);
}

/* The copy counts: now, or when the program has the receive if the packet may come back until then. */
static void lend(struct weir_pending *slot, struct send_queue *sends, const struct stream *stream,
                 struct offer *offer, weir_event *event)
{
    if (offer->parcel->lends && !slot->taken) {
        slot->lent = offer;
        slot->copied_in = stream->last;
        slot->copied = event;
        return;
    }
    weir__message_copied(offer->parcel->message, sends, stream->last, event);
    weir__message_unref(offer->parcel->message, 1);
    weir_event_release(event);
}

weir_status weir__transfer(struct output *output, struct send_queue *sends,
                           struct weir_pending *slot, struct offer *offer)
{
    const struct parcel *parcel = offer->parcel;
    const struct stream *stream = choose_stream(sends, parcel->bytes);
    weir_event *event = NULL;
    int put;
    weir_status status = copy(output, stream, slot, parcel, &event, &put);
    if (status == WEIR_FULL)
        return status;
    if (status) {
        fail(output, slot, stream, offer, status, put);
        return status;
    }
    slot->segment = (weir_segment){.device = output->destination->device,
                                   .data = slot->data,
                                   .bytes = parcel->bytes,
                                   .offset = parcel->message->base + parcel->offset,
                                   .meta = parcel->message->segment.meta,
                                   .tag = parcel->message->segment.tag,
                                   .source = parcel->message->segment.source};
    slot->assigned = WEIR_OK;
    count(output, stream, parcel);
    (void)weir__future_set(slot->future, weir__event_retain(event));
    lend(slot, sends, stream, offer, event);
    return WEIR_OK;
}
