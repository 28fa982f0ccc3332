/** @file transfer.c  Copying a parcel into a receive buffer. */
#include "router/transport/transport.h"
#include "runtime/backend.h"

#define OPERATIONS_MAX 8 /* of one packet in one queue: waits, copies, records */

static const struct stream *choose_stream(struct send_queue *sends, size_t bytes)
{
    return bytes <= sends->small_bytes ? &sends->small : &sends->large[sends->turn++ % 2];
}

/* Whether the packet is written where readers of the one before may still be: into the link's own memory, or through the
 * bounce buffer. */
static int writes_again(const struct stream *stream, const struct weir_pending *slot)
{
    return slot->reuse && (slot->own || stream->transport->bounces);
}

/* Hold the queue until the buffer may be written, and the message read; once a message and queue is
 * enough for the latter. */
static weir_status put_waits(const struct stream *stream, struct weir_pending *slot,
                             struct message *message)
{
    weir_queue *queue = stream->first;
    weir_status status = WEIR_OK;
    if (writes_again(stream, slot) && (status = weir_queue_wait_event(queue, slot->reuse)))
        return status;
    if (slot->ready && (status = weir_queue_wait_event(queue, slot->ready)))
        return status;
    if (message->ready && !weir__message_is_in(message, queue))
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

/* What can run out is taken before anything is put into a queue. */
static weir_status put(struct crossing *crossing, struct message *message)
{
    const struct stream *stream = crossing->stream;
    weir_status status = weir__queue_reserve(stream->first, OPERATIONS_MAX);
    if (!status && stream->last != stream->first)
        status = weir__queue_reserve(stream->last, OPERATIONS_MAX);
    if (status ||
        (status = get_event(crossing->output, weir_queue_device(stream->last), &crossing->arrived)))
        return status;
    if (!(status = put_waits(stream, crossing->slot, message)) &&
        (status = stream->transport->put(crossing)) == WEIR_FULL)
        status = stream->transport->put(crossing); /* one event may have come back */
    if (!status)
        return WEIR_OK;
    /* The device is lost, or there is no event between the two queues. */
    weir_event_release(crossing->arrived);
    return status == WEIR_FULL ? await_events(crossing->output, weir_queue_device(stream->first))
                               : status;
}

static void count(struct output *output, const struct stream *stream, const struct parcel *parcel)
{
    output->stats.packets++;
    output->stats.bytes += parcel->bytes;
    output->stats.by[stream->transport->which]++;
    output->stats.failed_over +=
        (uint64_t)atomic_load_explicit(&parcel->returned, memory_order_relaxed);
}

/* Once it is assigned the program may release the slot: the caller has the future, held. Output locked. */
static weir_future *assign_to(struct weir_pending *slot, weir_status status)
{
    slot->assigned = status;
    return weir_future_retain(slot->future);
}

static void fail(const struct crossing *crossing, struct offer *offer, weir_status status)
{
    const struct stream *stream = crossing->stream;
    struct message *message = offer->parcel->message;
    weir__output_lock(crossing->output);
    weir_future *future = assign_to(crossing->slot, status);
    weir__output_unlock(crossing->output);
    (void)weir_future_fail(future, status);
    weir_future_release(future);
    weir__offer_keep(offer);
    if (crossing->begun)
        weir__message_stuck(crossing->output, message, stream->first, stream->last, status);
    else
        weir__message_failed(message, status);
    weir__message_unref(message, 1);
}

/* The program has the receive, or the packet is for nobody else: the copy counts. */
static void keep(const struct crossing *crossing, struct send_queue *sends, struct offer *offer)
{
    weir__offer_keep(offer);
    weir__message_copied(offer->parcel->message, sends, crossing->stream->first, crossing->sent);
    weir_event_release(crossing->sent);
    if (weir__offer_is_awaited(offer))
        weir__message_offered_again(offer);
    else
        weir__message_unref(offer->parcel->message, 1);
}

/* Else it counts when the program has the receive, since the packet may come back until then. @return 0: it counts now. Output
 * locked. */
static int lend(const struct crossing *crossing, struct offer *offer)
{
    struct weir_pending *slot = crossing->slot;
    if (!offer->parcel->lends || slot->taken)
        return 0;
    weir__slot_lend(slot, offer);
    slot->copied_in = crossing->stream->first;
    slot->copied = crossing->sent;
    return 1;
}

/* The receive has the packet, whose bytes are on their way. @return whether the offer is lent. */
static int assign(const struct crossing *crossing, struct offer *offer)
{
    struct weir_pending *slot = crossing->slot;
    const struct parcel *parcel = offer->parcel;
    const struct message *message = parcel->message;
    if (writes_again(crossing->stream, slot)) {
        weir_event_release(slot->reuse); /* the queue keeps what it waits for */
        slot->reuse = NULL;
    }
    slot->bounced = crossing->stream->transport->bounces;
    slot->segment = (weir_segment){.device = crossing->output->destination->device,
                                   .data = slot->data,
                                   .bytes = parcel->bytes,
                                   .offset = message->base + parcel->offset,
                                   .meta = message->segment.meta,
                                   .tag = message->segment.tag,
                                   .source = message->segment.source};
    if (parcel->lends)
        weir__pace_assigned(slot);
    else
        weir__pace_dropped(slot);
    count(crossing->output, crossing->stream, parcel);
    weir__output_lock(crossing->output);
    weir_future *future = assign_to(slot, WEIR_OK);
    const int lent = lend(crossing, offer);
    weir__output_unlock(crossing->output);
    (void)weir__future_set(future, crossing->arrived);
    weir_future_release(future);
    return lent;
}

weir_status weir__transfer(struct output *output, struct send_queue *sends,
                           struct weir_pending *slot, struct offer *offer)
{
    const struct parcel *parcel = offer->parcel;
    const weir_segment *segment = &parcel->message->segment;
    struct crossing crossing = {
        .output = output,
        .slot = slot,
        .stream = choose_stream(sends, parcel->bytes),
        .source = segment->device,
        .from = segment->bytes ? (const char *)segment->data + parcel->offset : NULL,
        .bytes = parcel->bytes};
    struct weir__trace *trace = weir__tracing(output->router->context);
    struct weir__trace_mark mark = {.link = 0}, before = mark;
    weir_status status = check_room(output, slot, parcel);
    if (trace) {
        mark = weir__traced_packet(trace, output, sends, parcel);
        before = weir__trace_message(mark);
    }
    if (!status)
        status = put(&crossing, parcel->message);
    if (trace)
        (void)weir__trace_message(before);
    if (status == WEIR_FULL)
        return status;
    if (status) {
        fail(&crossing, offer, status);
        return status;
    }
    if (trace)
        weir__traced_carried(trace, &mark);
    if (!assign(&crossing, offer))
        keep(&crossing, sends, offer);
    return WEIR_OK;
}
