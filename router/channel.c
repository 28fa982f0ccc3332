/** @file channel.c  Channels on the host's side: where their words lie, and who may still wait. What kernels do with them
 * is in channel.h. */
#include "router/channel.h"

#include "runtime/internal.h"
#include "runtime/trace.h"

#include <stdlib.h>
#include <string.h>

#define LINE_BYTES  (WEIR_CHANNEL_LINE * sizeof(uint64_t))
#define SLOTS_USUAL 8u
#define ALIGN       128u /* bytes: slots begin at multiples of it */

/* A piece of memory that is cleared when the channel is. */
struct area {
    weir_device *device;
    void *data;
    size_t bytes;
};
enum area_name { AREA_SLOTS, AREA_MARKS, AREA_CREDIT, AREA_SENDER, AREA_RECEIVER, AREAS };

struct weir_channel {
    weir_context *context;
    weir_device *from, *to;
    struct area area[AREAS];
    void *plain; /* of the receiver; not cleared, since nobody reads what was not written */
    size_t plain_bytes;
    uint32_t *stop; /* page-locked; relaxed, stored by any thread */
    int in_host_memory;
    weir_channel_tx tx;
    weir_channel_rx rx;
    weir__alarm *alarm;       /* stops both sides when a device fails */
    _Atomic uint64_t counted; /* relaxed: packets put when they were counted last */
    struct weir__trace_place trace;
};

/* ---- memory --------------------------------------------------------------------------------- */

/* Whether kernels of one device store into memory of another, which a host device's do not into a GPU's, although copies go
 * there straight. */
static int stores_to(const weir_device *from, const weir_device *to)
{
    if (from == to)
        return 1;
    if (weir__device_is_gpu(from) != weir__device_is_gpu(to))
        return 0;
    return weir__device_is_gpu(from) ? weir_device_reaches(from, to) : 1;
}

static weir_status take(struct area *area, weir_device *device, size_t bytes)
{
    weir_status status = weir_device_alloc(device, bytes, &area->data);
    area->device = device;
    area->bytes = status ? 0 : bytes;
    return status;
}

/* Put a clear of each area of a GPU into a queue. */
static weir_status clear_gpu(weir_channel *channel, weir_device *gpu)
{
    weir_queue *queue;
    weir_status status = weir_queue_create(gpu, 0, &queue);
    if (status)
        return status;
    for (int a = 0; a < AREAS && !status; a++)
        if (channel->area[a].device == gpu)
            status = weir_queue_fill(queue, channel->area[a].data, 0, channel->area[a].bytes);
    if (!status)
        status = weir_queue_sync(queue);
    weir_queue_destroy(queue);
    return status;
}

/* Clear what both sides share, and where they are. No kernel uses it. */
static weir_status clear(weir_channel *channel)
{
    weir_status status = WEIR_OK;
    for (int a = 0; a < AREAS; a++)
        if (!weir__device_is_gpu(channel->area[a].device))
            memset(channel->area[a].data, 0, channel->area[a].bytes);
    if (weir__device_is_gpu(channel->from))
        status = clear_gpu(channel, channel->from);
    if (!status && channel->to != channel->from && weir__device_is_gpu(channel->to))
        status = clear_gpu(channel, channel->to);
    return status;
}

static uint32_t padded(uint32_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* Bytes of a slot: a woven packet has 8 for each 4, and 8 for its length. */
static uint32_t slot_bytes(uint32_t packet_bytes, uint32_t woven)
{
    return padded(woven ? 8 * ((packet_bytes + 3) / 4 + 1) : packet_bytes);
}

static weir_status take_all(weir_channel *channel)
{
    const weir_channel_rx *rx = &channel->rx;
    const size_t rings = rx->rings, slots = rings * (rx->mask + 1u);
    weir_device *home = weir_context_home(channel->context);
    weir_device *at = stores_to(channel->from, channel->to) ? channel->to : home;
    weir_device *credits = stores_to(channel->to, channel->from) ? channel->from : home;
    weir_status status;
    void *stop;
    channel->in_host_memory = !weir__device_is_gpu(at);
    channel->plain_bytes = slots * rx->plain_bytes;
    if ((status = take(&channel->area[AREA_SLOTS], at, slots * rx->slot_bytes)) ||
        (status = take(&channel->area[AREA_MARKS], at, slots * LINE_BYTES)) ||
        (status = take(&channel->area[AREA_CREDIT], credits, rings * LINE_BYTES)) ||
        (status = take(&channel->area[AREA_SENDER], channel->from, rings * LINE_BYTES)) ||
        (status = take(&channel->area[AREA_RECEIVER], channel->to, rings * LINE_BYTES)) ||
        (status = weir_device_alloc(channel->to, channel->plain_bytes, &channel->plain)) ||
        (status = weir_device_alloc(home, sizeof *channel->stop, &stop)))
        return status;
    channel->stop = stop;
    *channel->stop = 0;
    return clear(channel);
}

/* What both sides are told. */
static void tell(weir_channel *channel)
{
    weir_channel_rx *rx = &channel->rx;
    rx->slots = channel->area[AREA_SLOTS].data;
    rx->marks = channel->area[AREA_MARKS].data;
    rx->credit = channel->area[AREA_CREDIT].data;
    rx->state = channel->area[AREA_RECEIVER].data;
    rx->plain = channel->plain;
    rx->stop = channel->stop;
    channel->tx = (weir_channel_tx){.slots = rx->slots,
                                    .marks = rx->marks,
                                    .credit = rx->credit,
                                    .state = channel->area[AREA_SENDER].data,
                                    .stop = rx->stop,
                                    .ring_bytes = rx->ring_bytes,
                                    .slot_bytes = rx->slot_bytes,
                                    .mask = rx->mask,
                                    .packet_bytes = rx->packet_bytes,
                                    .rings = rx->rings,
                                    .woven = rx->woven};
}

/* ---- counting ------------------------------------------------------------------------------- */

/* Add up a half of the state words of all rings. */
static weir_status sum(const struct area *area, int shift, uint64_t *sum_out)
{
    uint64_t *words;
    weir_status status = weir__alloc(1, area->bytes, "a channel's counters", &words);
    if (status)
        return status;
    if (!(status = weir__download(area->device, words, area->data, area->bytes)))
        for (size_t r = 0; r < area->bytes / LINE_BYTES; r++)
            *sum_out += (uint32_t)(words[r * WEIR_CHANNEL_LINE] >> shift);
    free(words);
    return status;
}

/* So many packets were put since the rings were empty: a trace that is on is told of those since this was known last. */
static void tell_trace(weir_channel *channel, uint64_t put)
{
    struct weir__trace *trace = weir__tracing(channel->context);
    const uint64_t before = atomic_exchange_explicit(&channel->counted, put, memory_order_relaxed);
    weir_device_info ends[2] = {WEIR_DEVICE_INFO_INIT, WEIR_DEVICE_INFO_INIT};
    const uint32_t more = (uint32_t)(put - before); /* rings count modulo 2^32 */
    if (!trace || !more)
        return;
    weir_device_info_get(channel->from, &ends[0]);
    weir_device_info_get(channel->to, &ends[1]);
    weir__trace_carried(
        trace, weir__trace_link(trace, &channel->trace, ends[0].label, ends[1].label, "channels"),
        more, 0, 0);
}

/* No kernel uses the channel, and what its rings have counted is about to go. */
static void count_for_trace(weir_channel *channel)
{
    uint64_t put = 0;
    if (weir__tracing(channel->context) && channel->tx.state &&
        !weir_device_status(channel->from) && !sum(&channel->area[AREA_SENDER], 0, &put))
        tell_trace(channel, put);
}

/* ---- making and ending ---------------------------------------------------------------------- */

static weir_status check(weir_device *from, weir_device *to, const weir_channel_config *config)
{
    weir_context *context = weir__device_context(from);
    if (weir__device_context(to) != context)
        return weir__fail(WEIR_ERR_INVALID, "a channel between devices of two contexts");
    if (config->packet_bytes > WEIR_CHANNEL_PACKET_MAX)
        return weir__fail(WEIR_ERR_INVALID, "packets of %u bytes in a channel: at most %u",
                          config->packet_bytes, WEIR_CHANNEL_PACKET_MAX);
    if (config->slots > WEIR_CHANNEL_SLOTS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%u slots in a ring of a channel: at most %u",
                          config->slots, WEIR_CHANNEL_SLOTS_MAX);
    if (config->rings > WEIR_CHANNEL_RINGS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%u rings in a channel: at most %u", config->rings,
                          WEIR_CHANNEL_RINGS_MAX);
    if ((unsigned)config->format >= WEIR_CHANNEL_FORMAT_COUNT)
        return weir__fail(WEIR_ERR_INVALID, "%d is no format of a channel's packets",
                          (int)config->format);
    if (config->format == WEIR_CHANNEL_FORMAT_WOVEN &&
        (!config->packet_bytes || config->packet_bytes > WEIR_CHANNEL_WOVEN))
        return weir__fail(WEIR_ERR_INVALID, "woven packets of %u bytes in a channel: 1 to %u",
                          config->packet_bytes, WEIR_CHANNEL_WOVEN);
    if (weir_context_simulated(context))
        return weir__fail(
            WEIR_ERR_UNSUPPORTED,
            "a channel between simulated devices, whose kernels run one after the other "
            "and cannot wait for each other");
    return WEIR_OK;
}

/* Between host devices a release costs nothing, and unpacking does. */
static uint32_t weaves(const weir_device *from, const weir_device *to,
                       const weir_channel_config *config)
{
    const int gpu = weir__device_is_gpu(from) || weir__device_is_gpu(to);
    if (config->format != WEIR_CHANNEL_FORMAT_AUTO)
        return config->format == WEIR_CHANNEL_FORMAT_WOVEN;
    return gpu && config->packet_bytes && config->packet_bytes <= WEIR_CHANNEL_WOVEN;
}

static void shape(weir_channel_rx *rx, const weir_channel_config *config, uint32_t woven)
{
    const uint32_t wanted = config->slots ? config->slots : SLOTS_USUAL;
    uint32_t slots = 1;
    while (slots < wanted)
        slots *= 2;
    rx->mask = slots - 1;
    rx->rings = config->rings ? config->rings : 1;
    rx->packet_bytes = config->packet_bytes;
    rx->woven = woven;
    rx->slot_bytes = slot_bytes(rx->packet_bytes, woven);
    rx->ring_bytes = (uint64_t)slots * rx->slot_bytes;
    rx->plain_bytes = woven ? padded(rx->packet_bytes) : 0;
}

static void on_alarm(void *user, weir_status status)
{
    (void)status;
    weir_channel_stop(user);
}

weir_status weir_channel_create(weir_device *from, weir_device *to,
                                const weir_channel_config *config, weir_channel **channel_out)
{
    weir_channel_config known = WEIR_CHANNEL_CONFIG_INIT;
    weir_channel *channel;
    weir_status status;
    if (channel_out)
        *channel_out = NULL;
    if (!from || !to || !channel_out)
        return weir__missing("weir_channel_create", !from ? "from" : !to ? "to" : "channel_out");
    if ((status = weir__sized_in(&known, sizeof known, config, "weir_channel_config")) ||
        (status = check(from, to, &known)) ||
        (status = weir__calloc(1, sizeof *channel, "a channel", &channel)))
        return status;
    channel->context = weir__device_context(from);
    weir__context_retain(channel->context);
    channel->from = from;
    channel->to = to;
    shape(&channel->rx, &known, weaves(from, to, &known));
    if (!(status = take_all(channel))) {
        tell(channel);
        status = weir__alarm_create(channel->context, on_alarm, channel, &channel->alarm);
    }
    if (status) {
        weir_channel_destroy(channel);
        return status;
    }
    *channel_out = channel;
    return WEIR_OK;
}

void weir_channel_destroy(weir_channel *channel)
{
    if (!channel)
        return;
    weir__alarm_destroy(channel->alarm);
    count_for_trace(channel);
    for (int a = 0; a < AREAS; a++)
        if (channel->area[a].data)
            weir_device_free(channel->area[a].device, channel->area[a].data);
    weir_device_free(channel->to, channel->plain);
    weir_device_free(weir_context_home(channel->context), channel->stop);
    weir__context_release(channel->context);
    free(channel);
}

weir_channel_tx weir_channel_tx_of(const weir_channel *channel)
{
    return channel ? channel->tx : (weir_channel_tx){0};
}

weir_channel_rx weir_channel_rx_of(const weir_channel *channel)
{
    return channel ? channel->rx : (weir_channel_rx){0};
}

/* ---- use ------------------------------------------------------------------------------------ */

void weir_channel_stop(weir_channel *channel)
{
    if (channel)
        __atomic_store_n(channel->stop, 1, __ATOMIC_RELAXED);
}

weir_status weir_channel_reset(weir_channel *channel)
{
    weir_status status = WEIR_OK;
    if (!channel)
        return weir__missing("weir_channel_reset", "channel");
    if ((status = weir_device_status(channel->from)) || (status = weir_device_status(channel->to)))
        return status;
    count_for_trace(channel);
    atomic_store_explicit(&channel->counted, 0, memory_order_relaxed);
    if (!(status = clear(channel)))
        __atomic_store_n(channel->stop, 0, __ATOMIC_RELAXED);
    return status;
}

weir_status weir_channel_stats_get(const weir_channel *channel, weir_channel_stats *stats_out)
{
    weir_channel_stats stats = WEIR_CHANNEL_STATS_INIT;
    weir_status status;
    if (!channel)
        return weir__missing("weir_channel_stats_get", "channel");
    if ((status = sum(&channel->area[AREA_SENDER], 0, &stats.put)) ||
        (status = sum(&channel->area[AREA_RECEIVER], 0, &stats.taken)) ||
        (status = sum(&channel->area[AREA_RECEIVER], 32, &stats.released)))
        return status;
    tell_trace((weir_channel *)channel, stats.put);
    stats.memory_bytes = channel->plain_bytes + sizeof *channel->stop;
    for (int a = 0; a < AREAS; a++)
        stats.memory_bytes += channel->area[a].bytes;
    stats.woven = channel->rx.woven != 0;
    stats.in_host_memory = channel->in_host_memory;
    return weir__sized_out(stats_out, &stats, sizeof stats, "weir_channel_stats");
}
