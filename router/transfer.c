/** @file transfer.c  Copying a parcel into a receive buffer, by the best way the pair has.
 *
 * One copy where the devices reach each other; through page-locked host memory where they do not
 * (Groute section 2.1, "indirect" copies). Which queue runs it: a GPU's that is the source, because a
 * copy that writes to another GPU starts in 2 us where one that reads from it takes 13 (H200,
 * docs/benchmarks.md); else the receiver's, so that packets for one receiver queue up there. */
#include "router/internal.h"

static int is_host(const weir_device *device)
{
    weir_device_info info;
    weir_device_info_get(device, &info);
    return info.kind == WEIR_DEVICE_HOST;
}

static uint32_t index_of(const weir_device *device)
{
    weir_device_info info;
    weir_device_info_get(device, &info);
    return info.index;
}

/* Through host memory: because nothing else goes, or because the link was asked to. What starts or ends
 * in the home memory is there already. */
static int is_staged(const struct output *output, const weir_device *source)
{
    const weir_device *home = weir_context_home(output->router->context);
    const weir_device *destination = output->destination->device;
    if (!weir_device_reaches(source, destination))
        return 1;
    return output->staged && source != home && destination != home;
}

/* A host queue copies between host memories only. */
static int needs_push(const struct output *output, const weir_device *source)
{
    return (!is_host(source) && source != output->destination->device) || is_staged(output, source);
}

weir_status weir__output_prepare(struct output *output, weir_device *source)
{
    weir_queue **push = &output->push[index_of(source)];
    weir_status status = WEIR_OK;
    if (!needs_push(output, source))
        return WEIR_OK;
    if (!*push)
        status = weir_queue_create(source, 1, push);
    if (status || !is_staged(output, source))
        return status;
    weir_device *home = weir_context_home(output->router->context);
    for (uint32_t i = 0; i < output->buffers && !status; i++)
        if (!output->slots[i].bounce)
            status = weir_device_alloc(home, output->packet_bytes, &output->slots[i].bounce);
    return status;
}

/* `to` goes on only after all that is in `from` now. */
static weir_status chain(weir_queue *from, weir_queue *to)
{
    weir_event *event;
    weir_status status = weir_event_acquire(weir_queue_device(from), &event);
    if (status)
        return weir__fail(WEIR_ERR_NOMEM, "all events of a device are in use (WEIR_EVENTS)");
    if (!(status = weir_queue_record(from, event)))
        status = weir_queue_wait_event(to, event);
    weir_event_release(event); /* both queues are of one backend, which took note of the record */
    return status;
}

static weir_status put_waits(weir_queue *queue, const struct weir_pending *slot,
                             const struct message *message)
{
    weir_status status = WEIR_OK;
    if (slot->reuse)
        status = weir_queue_wait_event(queue, slot->reuse);
    if (!status && message->ready)
        status = weir_queue_wait_event(queue, message->ready);
    return status;
}

/* The queue that reads the source and the one that writes the destination; the same if one copy does
 * it. */
static void queues_for(const struct output *output, const weir_device *source,
                       weir_queue **first_out, weir_queue **last_out)
{
    weir_queue *push = output->push[index_of(source)];
    *first_out = needs_push(output, source) ? push : output->pull;
    *last_out = is_staged(output, source) ? output->pull : *first_out;
}

static weir_status put_copies(struct output *output, struct weir_pending *slot,
                              const struct parcel *parcel, weir_queue *first, weir_queue *last)
{
    const weir_segment *segment = &parcel->message->segment;
    weir_device *source = segment->device, *destination = output->destination->device;
    weir_device *home = weir_context_home(output->router->context);
    const void *from = segment->bytes ? (const char *)segment->data + parcel->offset : NULL;
    weir_status status;
    if ((status = put_waits(first, slot, parcel->message)))
        return status;
    if (first == last)
        return weir_queue_copy(first, destination, slot->data, source, from, parcel->bytes);
    output->stats.staged++;
    if ((status = weir_queue_copy(first, home, slot->bounce, source, from, parcel->bytes)) ||
        (status = chain(first, last)))
        return status;
    return weir_queue_copy(last, destination, slot->data, home, slot->bounce, parcel->bytes);
}

/* What can run out is taken before anything is put into a queue, so that a failure leaves no copy
 * under way; `event` is recorded behind the copy. */
static weir_status transfer(struct output *output, struct weir_pending *slot, struct parcel *parcel,
                            weir_queue *first, weir_queue *last, weir_event **event_out)
{
    weir_status status;
    if ((status = weir__message_reserve(parcel->message, first)))
        return status;
    if (weir_event_acquire(weir_queue_device(last), event_out))
        return weir__fail(WEIR_ERR_NOMEM, "all events of a device are in use (WEIR_EVENTS)");
    if (!(status = put_copies(output, slot, parcel, first, last)) &&
        !(status = weir_queue_record(last, *event_out)))
        return WEIR_OK;
    /* A lost device, or no host memory for an operation of a queue. */
    (void)weir_queue_sync(first);
    (void)weir_queue_sync(last);
    weir_event_release(*event_out);
    return status;
}

weir_status weir__transfer(struct output *output, struct weir_pending *slot, struct parcel *parcel)
{
    weir_queue *first, *last;
    weir_event *event = NULL;
    queues_for(output, parcel->message->segment.device, &first, &last);
    weir_status status = transfer(output, slot, parcel, first, last, &event);
    if (status) {
        slot->assigned = status;
        (void)weir_future_fail(slot->future, status);
        weir__message_parcel_done(parcel->message, NULL, status);
        return status;
    }
    slot->segment = (weir_segment){.device = output->destination->device,
                                   .data = slot->data,
                                   .bytes = parcel->bytes,
                                   .offset = parcel->offset,
                                   .meta = parcel->message->segment.meta};
    slot->assigned = WEIR_OK;
    output->stats.packets++;
    output->stats.bytes += parcel->bytes;
    (void)weir_future_set(slot->future, event);
    weir__message_parcel_done(parcel->message, first, WEIR_OK);
    return WEIR_OK;
}
