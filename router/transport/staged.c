/** @file staged.c  Through page-locked memory of the host, in two halves, so that one is on its way down while the
 * other goes up (Groute 2.1). The packet is sent when its second half is down: the sender does not wait for the
 * receiver's copies. */
#include "router/transport/transport.h"

#define HALVES_FROM ((size_t)64 << 10) /* a packet below is not worth two copies each way */

/* What starts or ends in the home memory is there already. */
static int joins(weir_device *source, weir_device *destination)
{
    const weir_device *home = weir_context_home(weir__device_context(source));
    return source != home && destination != home;
}

static weir_status open(struct output *output, weir_device *source, uint32_t number,
                        struct stream *stream)
{
    weir_status status = weir__output_push_queue(output, source, number, &stream->first);
    stream->last = output->pull;
    return status;
}

weir_status weir__slot_bounce(struct output *output, struct weir_pending *slot)
{
    weir_device *home = weir_context_home(output->router->context);
    if (slot->bounce)
        return WEIR_OK;
    return weir__device_alloc_near(home, output->destination->device, output->packet_bytes,
                                   &slot->bounce);
}

/* `to` goes on only after all that is in `from` now. */
static weir_status chain(weir_queue *from, weir_queue *to, weir_event *event)
{
    weir_status status = weir_queue_record(from, event);
    return status ? status : weir_queue_wait_event(to, event);
}

/* One event for each part of a packet, before anything is put. */
static weir_status take_events(weir_device *device, weir_event *events[2], size_t count)
{
    weir_status status = WEIR_OK;
    events[0] = events[1] = NULL;
    for (size_t i = 0; i < count && !status; i++)
        status = weir_event_acquire(device, &events[i]);
    return status;
}

static weir_status put_part(const struct crossing *crossing, size_t at, size_t bytes,
                            weir_event *down)
{
    weir_device *home = weir_context_home(crossing->output->router->context);
    const struct stream *stream = crossing->stream;
    char *bounce = (char *)crossing->slot->bounce + at;
    weir_status status = weir_queue_copy(stream->first, home, bounce, crossing->source,
                                         (const char *)crossing->from + at, bytes);
    if (status || (status = chain(stream->first, stream->last, down)))
        return status;
    return weir_queue_copy(stream->last, crossing->output->destination->device,
                           (char *)crossing->slot->data + at, home, bounce, bytes);
}

/* An empty packet too comes after what its queue waits for. */
static weir_status put(struct crossing *crossing)
{
    size_t bytes = crossing->bytes, half = (bytes / 2 + 255) & ~(size_t)255;
    size_t parts = bytes < HALVES_FROM ? 1 : 2;
    weir_event *down[2];
    weir_status status = take_events(crossing->source, down, parts);
    crossing->begun = status != WEIR_FULL;
    for (size_t i = 0; i < parts && !status; i++)
        status = put_part(crossing, i * half, i + 1 < parts ? half : bytes - i * half, down[i]);
    if (!status)
        status = weir_queue_record(crossing->stream->last, crossing->arrived);
    if (!status)
        crossing->sent = weir__event_retain(down[parts - 1]);
    weir_event_release(down[0]); /* a queue keeps what it waits for */
    weir_event_release(down[1]);
    return status;
}

const struct transport weir__transport_staged = {
    .which = WEIR_TRANSPORT_STAGED,
    .bounces = 1,
    .or_auto = 1, /* with one end at home one copy is all that there is to stage */
    .streams = 1,
    .joins = joins,
    .open = open,
    .put = put,
};
