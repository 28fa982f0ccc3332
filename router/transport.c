/** @file transport.c  The ways to carry a packet: one table, asked in turn.
 *
 * Which queue copies: a GPU's that is the source, because a copy engine that writes to another GPU
 * starts in 2 us where one that reads from it takes 13 (H200, docs/benchmarks.md); else the receiver's,
 * so that packets for one receiver queue up there. */
#include "router/internal.h"
#include "runtime/config.h"

#define HALVES_FROM ((size_t)64 << 10) /* a packet below is not worth two copies each way */

/* Between GPUs a packet up to this goes by a kernel's stores where a link may choose. A queue that waits
 * for another takes 3 to 5 us where a copy engine is concerned and less than 2 for kernels: a segment
 * takes 6.2 us from the sender's queue to the receiver's, against 11 (H200, docs/benchmarks.md). And it
 * does not stand in one queue with large packets. */
#define STORE_UP_TO ((size_t)64 << 10)

const char *weir_transport_name(weir_transport transport)
{
    static const char *const names[] = {"auto", "local", "host", "copy", "store", "staged"};
    return (unsigned)transport < WEIR_TRANSPORT_COUNT ? names[transport] : "unknown";
}

static int is_host(const weir_device *device)
{
    return !weir__device_is_gpu(device);
}

static weir_device *home_of(const weir_device *device)
{
    return weir_context_home(weir__device_context(device));
}

/* ---- one copy ---------------------------------------------------------------------------------- */

static int local_joins(weir_device *source, weir_device *destination)
{
    return source == destination ||
           (is_host(source) && is_host(destination) && weir_device_reaches(source, destination));
}

static int host_joins(weir_device *source, weir_device *destination)
{
    return is_host(source) != is_host(destination) && weir_device_reaches(source, destination);
}

static int copy_joins(weir_device *source, weir_device *destination)
{
    return !is_host(source) && !is_host(destination) && source != destination &&
           weir_device_reaches(source, destination);
}

static int store_joins(weir_device *source, weir_device *destination)
{
    return is_host(source) <= is_host(destination) && weir_device_reaches(source, destination);
}

static weir_status open_pull(struct output *output, weir_device *source, uint32_t number,
                             struct stream *stream)
{
    (void)source;
    (void)number;
    stream->first = stream->last = output->pull;
    return WEIR_OK;
}

static weir_status open_push(struct output *output, weir_device *source, uint32_t number,
                             struct stream *stream)
{
    weir_status status = weir__output_push_queue(output, source, number, &stream->first);
    stream->last = stream->first;
    return status;
}

static weir_status open_host(struct output *output, weir_device *source, uint32_t number,
                             struct stream *stream)
{
    return (is_host(source) ? open_pull : open_push)(output, source, number, stream);
}

static weir_status put_copy(struct output *output, const struct stream *stream, weir_device *source,
                            struct weir_pending *slot, const void *from, size_t bytes)
{
    return weir_queue_copy(stream->first, output->destination->device, slot->data, source, from,
                           bytes);
}

static weir_status put_store(struct output *output, const struct stream *stream,
                             weir_device *source, struct weir_pending *slot, const void *from,
                             size_t bytes)
{
    return weir_queue_push(stream->first, output->destination->device, slot->data, source, from,
                           bytes);
}

/* ---- through the host ---------------------------------------------------------------------------- */

/* What starts or ends in the home memory is there already. */
static int has_home_end(const weir_device *source, const weir_device *destination)
{
    const weir_device *home = home_of(source);
    return source == home || destination == home;
}

static int staged_joins(weir_device *source, weir_device *destination)
{
    return !has_home_end(source, destination);
}

static weir_status open_staged(struct output *output, weir_device *source, uint32_t number,
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

/* In two halves, so that one is on its way down while the other goes up (Groute 2.1). An empty packet too
 * comes after what its queue waits for. */
static weir_status put_staged(struct output *output, const struct stream *stream,
                              weir_device *source, struct weir_pending *slot, const void *from,
                              size_t bytes)
{
    weir_device *home = weir_context_home(output->router->context);
    weir_device *destination = output->destination->device;
    size_t half = bytes < HALVES_FROM ? bytes : (bytes / 2 + 255) & ~(size_t)255;
    size_t parts = bytes < HALVES_FROM ? 1 : 2;
    weir_event *events[2];
    weir_status status = take_events(source, events, parts);
    for (size_t i = 0; i < parts && !status; i++) {
        size_t at = i * half, n = i + 1 < parts ? half : bytes - at;
        char *bounce = (char *)slot->bounce + at;
        if (!(status = weir_queue_copy(stream->first, home, bounce, source, (const char *)from + at,
                                       n)) &&
            !(status = chain(stream->first, stream->last, events[i])))
            status = weir_queue_copy(stream->last, destination, (char *)slot->data + at, home,
                                     bounce, n);
    }
    weir_event_release(events[0]); /* a queue keeps what it waits for */
    weir_event_release(events[1]);
    return status;
}

/* ---- the table --------------------------------------------------------------------------------- */

static const struct transport transports[] = {
    {WEIR_TRANSPORT_LOCAL, local_joins, open_pull, put_copy},
    {WEIR_TRANSPORT_HOST, host_joins, open_host, put_copy},
    {WEIR_TRANSPORT_COPY, copy_joins, open_push, put_copy},
    {WEIR_TRANSPORT_STORE, store_joins, open_push, put_store},
    {WEIR_TRANSPORT_STAGED, staged_joins, open_staged, put_staged},
};
#define TRANSPORTS (sizeof transports / sizeof *transports)

static const struct transport *find(weir_transport which, weir_device *source,
                                    weir_device *destination)
{
    for (size_t i = 0; i < TRANSPORTS; i++)
        if ((which == WEIR_TRANSPORT_AUTO || transports[i].which == which) &&
            transports[i].joins(source, destination))
            return &transports[i];
    return NULL;
}

static const char *label(const weir_device *device, weir_device_info *info)
{
    weir_device_info_get(device, info);
    return info->label;
}

static weir_status pick(weir_transport asked, weir_device *source, weir_device *destination,
                        const struct transport **transport_out)
{
    weir_device_info from = WEIR_DEVICE_INFO_INIT, to = WEIR_DEVICE_INFO_INIT;
    *transport_out = find(asked, source, destination);
    if (*transport_out)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_UNSUPPORTED, "transport %s cannot carry from %s to %s",
                      weir_transport_name(asked), label(source, &from), label(destination, &to));
}

/* What nobody asked for in particular: the tunable's, where it joins the two. */
static weir_transport tuned(weir_device *source, weir_device *destination)
{
    const weir_config *tunables = weir_context_config(weir__device_context(source));
    weir_transport which = (weir_transport)weir__config_get(tunables, WEIR__TRANSPORT);
    return find(which, source, destination) ? which : WEIR_TRANSPORT_AUTO;
}

static weir_status open_stream(struct output *output, struct send_queue *sends,
                               weir_transport asked, uint32_t number, struct stream *stream)
{
    weir_status status =
        pick(asked, sends->source, output->destination->device, &stream->transport);
    return status ? status : stream->transport->open(output, sends->source, number, stream);
}

weir_status weir__transport_open(struct output *output, struct send_queue *sends)
{
    weir_transport asked = output->transport;
    weir_status status;
    if (asked == WEIR_TRANSPORT_AUTO)
        asked = tuned(sends->source, output->destination->device);
    if (asked == WEIR_TRANSPORT_STAGED && has_home_end(sends->source, output->destination->device))
        asked = WEIR_TRANSPORT_AUTO;
    if (sends->link->source ==
        output->destination) /* nobody means what an endpoint sends to itself */
        asked = WEIR_TRANSPORT_AUTO;
    if ((status = open_stream(output, sends, asked, 0, &sends->large[0])))
        return status;
    sends->large[1] = sends->small = sends->large[0];
    if (sends->large[0].transport->which != WEIR_TRANSPORT_COPY)
        return WEIR_OK;
    /* A copy that waits for its buffer waits beside the one before it, not behind. */
    if ((status = open_stream(output, sends, asked, 1, &sends->large[1])) ||
        asked != WEIR_TRANSPORT_AUTO)
        return status;
    sends->small_bytes = STORE_UP_TO;
    return open_stream(output, sends, WEIR_TRANSPORT_STORE, 2, &sends->small);
}
