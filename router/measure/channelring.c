/** @file channelring.c  A broadcast along the ring by resident kernels: Groute's "DA ring", Figure 2(d).
 *
 * One kernel on each device stores what has arrived into the memory of the next one, packet after packet, and says so
 * through a channel; nothing is launched and no host takes part in between. The last device's kernel only waits, so that
 * the time is that until the last one has everything. */
#include "router/measure/channel_kernel.h"
#include "router/measure/list.h"

#include "runtime/internal.h"

#include <string.h>

#define SERIES       "ring, resident kernels"
#define PACKET_LEAST (256u << 10)
#define PACKET_MOST  (16u << 20)
#define RINGS        256u
#define RING_BYTES   (32u << 10) /* of a packet: as many rings share it */
#define SLOTS        64u         /* a receiver says so seldom that it has seen packets */

struct around {
    struct bench *bench;
    struct region region; /* a queue of each, in the ring's order */
    uint32_t count, device[WEIR_DEVICES_MAX];
    weir_channel *next[WEIR_DEVICES_MAX]; /* [i]: from device i of the ring to the one behind */
    char *data[WEIR_DEVICES_MAX];
    uint32_t rings;
    uint64_t packet;
};

/* A packet that all rings shared would have each wait, at its end, until what it stored is there. Where they share it in
 * groups, some store the next packets meanwhile. */
static uint32_t share_of(const struct around *r)
{
    const uint64_t share = r->packet / RING_BYTES;
    return share < 1 ? 1 : share < r->rings ? (uint32_t)share : r->rings;
}

static weir_status launch(struct around *r, uint32_t i, uint64_t bytes)
{
    const int first = i == 0, last = i + 1 == r->count;
    const uint32_t share = share_of(r);
    struct weir__channel_args args = {.tx = weir_channel_tx_of(last ? NULL : r->next[i]),
                                      .rx = weir_channel_rx_of(first ? NULL : r->next[i - 1]),
                                      .data = r->data[i],
                                      .target = last ? NULL : r->data[i + 1],
                                      .bytes = bytes,
                                      .packet = (uint32_t)r->packet,
                                      .does = WEIR__CHANNEL_FORWARD,
                                      .takes = !first,
                                      .sends = !last,
                                      .rings = r->rings / share * share,
                                      .share = share,
                                      .threads = WEIR__CHANNEL_THREADS};
    return weir_queue_launch(r->region.queue[i], &weir__channel_kernel, &args, sizeof args);
}

/* All kernels; those before one that could not be launched would wait for ever. */
static weir_status run(struct around *r, double *ms_out)
{
    weir_status status = weir__region_begin(&r->region);
    for (uint32_t i = 0; i < r->count && !status; i++)
        status = launch(r, i, r->bench->config.bytes);
    if (status)
        for (uint32_t i = 0; i + 1 < r->count; i++)
            weir_channel_stop(r->next[i]);
    return weir__region_end(&r->region, status, ms_out);
}

static weir_status trial(void *user, uint64_t number, double *gbs_out)
{
    struct around *r = user;
    double ms = 0;
    weir_status status = run(r, &ms);
    (void)number; /* the bytes are the same in all timed trials */
    *gbs_out = weir__gbs((double)r->bench->config.bytes, ms);
    return status;
}

static weir_status put(struct around *r, uint64_t seed)
{
    return weir__pattern_put(r->bench, r->device[0], r->data[0], r->bench->config.bytes, seed);
}

/* A fresh pattern, poisoned targets, one run, all bytes compared. */
static weir_status verify(struct around *r)
{
    struct bench *bench = r->bench;
    const uint64_t bytes = bench->config.bytes, seed = weir__bench_seed(bench);
    double ms;
    weir_status status = weir__bench_cancelled(bench);
    if (!status)
        status = put(r, seed);
    for (uint32_t i = 1; i < r->count && !status; i++)
        status = weir__pattern_poison(bench, r->device[i], r->data[i], bytes);
    if (!status)
        status = run(r, &ms);
    for (uint32_t i = 1; i < r->count && !status; i++)
        status = weir__pattern_check(bench, r->device[i], r->data[i], bytes, seed, SERIES);
    return status;
}

static weir_status row_of(struct around *r)
{
    weir_bench_row row =
        weir__row_make(r->bench, r->device[0], QUEUE_NONE, (double)r->packet, SERIES);
    weir_status status;
    strcpy(row.to, "all");
    if ((status = put(r, weir__bench_seed(r->bench))) ||
        (status = weir__bench_row(r->bench, &row, trial, r)))
        return status;
    return verify(r);
}

static weir_status rows(struct around *r)
{
    uint64_t sizes[PACKET_SIZES_MAX];
    const uint32_t count =
        weir__packet_sizes(r->bench->config.bytes, PACKET_LEAST, PACKET_MOST, 4, sizes);
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < count && !status; i++) {
        r->packet = sizes[i];
        status = row_of(r);
    }
    return status;
}

/* As many rings on each device, and no more than are served at once: all kernels wait for each other. */
static uint32_t rings_of(const struct around *r)
{
    uint32_t rings = RINGS;
    for (uint32_t i = 0; i < r->count; i++) {
        weir_device *device = weir__bench_device(r->bench, r->device[i]);
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(device, &info);
        if (weir__device_is_gpu(device))
            info.units *= WEIR__CHANNEL_PER_UNIT;
        rings = info.units < rings ? info.units : rings;
    }
    return rings;
}

static weir_status open_around(struct around *r)
{
    weir_channel_config config = WEIR_CHANNEL_CONFIG_INIT;
    weir_status status = WEIR_OK;
    r->rings = rings_of(r);
    config.packet_bytes = 0;
    config.rings = r->rings;
    config.slots = SLOTS;
    for (uint32_t i = 0; i < r->count && !status; i++)
        status =
            weir__bench_alloc(r->bench, r->device[i], r->bench->config.bytes, (void *)&r->data[i]);
    for (uint32_t i = 0; i + 1 < r->count && !status; i++)
        status = weir_channel_create(weir__bench_device(r->bench, r->device[i]),
                                     weir__bench_device(r->bench, r->device[i + 1]), &config,
                                     &r->next[i]);
    if (!status)
        status = weir__region_open(&r->region, r->bench, r->device, r->count);
    r->packet = PACKET_LEAST;
    for (uint32_t i = 0; i < r->count && !status; i++) /* load the kernels: nobody waits */
        if (!(status = launch(r, i, 0)))
            status = weir_queue_sync(r->region.queue[i]);
    return status;
}

static void close_around(struct around *r)
{
    weir__region_close(&r->region);
    weir__bench_settle(r->bench);
    for (uint32_t i = 0; i < r->count; i++) {
        weir_channel_destroy(r->next[i]);
        weir_device_free(weir__bench_device(r->bench, r->device[i]), r->data[i]);
    }
}

/* What stands in the way, or NULL. */
static const char *obstacle(const struct around *r)
{
    if (r->bench->simulated)
        return "simulated devices run their kernels one after the other";
    if (r->count < 2)
        return "needs two devices";
    for (uint32_t i = 0; i + 1 < r->count; i++)
        if (!weir_device_reaches(weir__bench_device(r->bench, r->device[i]),
                                 weir__bench_device(r->bench, r->device[i + 1])))
            return "a device's kernels cannot store into the next one's memory";
    return NULL;
}

weir_status weir__bench_channelring(struct bench *bench)
{
    uint8_t order[WEIR_DEVICES_MAX];
    struct around around;
    const char *why;
    weir_status status;
    weir__bench_describe(
        bench, "GB/s", 1, "packet bytes",
        "broadcast of %llu bytes from one device along the ring by resident kernels, "
        "until the last one has them",
        (unsigned long long)bench->config.bytes);
    memset(&around, 0, sizeof around);
    around.bench = bench;
    around.count = bench->devices;
    if (!bench->simulated && bench->devices > 1 && (status = weir__ring_order(bench, order)))
        return status;
    for (uint32_t i = 0; i < around.count; i++)
        around.device[i] = bench->devices > 1 && !bench->simulated ? order[i] : i;
    if ((why = obstacle(&around)))
        return weir__bench_skip(bench, "%s", why);
    if (!(status = open_around(&around)))
        status = rows(&around);
    close_around(&around);
    return status;
}
