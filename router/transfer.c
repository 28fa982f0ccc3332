/** @file transfer.c  Copying a parcel into a receive buffer. */
#include "router/internal.h"

#include "runtime/backend.h"

#define OPERATIONS_MAX 8 /* of one packet in one queue: waits, copies, records */

static const struct stream *choose_stream(struct lane *lane, size_t bytes)
{
    return bytes <= lane->small_bytes ? &lane->small : &lane->large[lane->turn++ % 2];
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
    weir_event_release(slot->reuse); /* the queue keeps what it waits for */
    slot->reuse = NULL;
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

static weir_status no_events(void)
{
    return weir__fail(WEIR_ERR_NOMEM, "all events of a device are in use (WEIR_EVENTS)");
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
    if (weir_event_acquire(weir_queue_device(stream->last), event_out))
        return no_events();
    if (!(status = put_waits(stream, slot, parcel->message))) {
        status = stream->transport->put(output, stream, segment->device, slot, from, parcel->bytes);
        *put_out = !status || (stream->first != stream->last && status != WEIR_ERR_FULL);
        if (!status && !(status = weir_queue_record(stream->last, *event_out)))
            return WEIR_OK;
    }
    weir_event_release(
        *event_out); /* the device is lost, or there is none between the two queues */
    return status == WEIR_ERR_FULL ? no_events() : status;
}

static void count(struct output *output, const struct stream *stream, const struct parcel *parcel)
{
    output->stats.packets++;
    output->stats.bytes += parcel->bytes;
    output->stats.by[stream->transport->which]++;
}

weir_status weir__transfer(struct output *output, struct lane *lane, struct weir_pending *slot,
                           struct parcel *parcel)
{
    const struct stream *stream = choose_stream(lane, parcel->bytes);
    struct message *message = parcel->message;
    weir_event *event = NULL;
    int put;
    weir_status status = copy(output, stream, slot, parcel, &event, &put);
    if (status) {
        slot->assigned = status;
        (void)weir_future_fail(slot->future, status);
        if (put)
            weir__message_stuck(message, stream->first, stream->last, status);
        else
            weir__message_failed(message, status);
        return status;
    }
    slot->segment = (weir_segment){.device = output->destination->device,
                                   .data = slot->data,
                                   .bytes = parcel->bytes,
                                   .offset = parcel->offset,
                                   .meta = message->segment.meta};
    slot->assigned = WEIR_OK;
    count(output, stream, parcel);
    (void)weir__future_set_in(slot->future, weir__event_retain(event), stream->last);
    weir__message_copied(message, lane, stream->last, event);
    weir_event_release(event);
    return WEIR_OK;
}
