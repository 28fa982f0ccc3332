/** @file channels.c  Channels: the latency of a packet between two running kernels, and what they carry.
 *
 * A hop is half of a packet forth and one back between two kernels that stay resident; the receiver's calls return when
 * all of its threads may read the packet. The streams are one kernel of so many blocks that sends and one that stores
 * what comes into memory of its own, so each byte is written twice and read twice. */
#include "router/measure/channel_kernel.h"
#include "router/measure/list.h"

#include "runtime/internal.h"

#include <stdio.h>
#include <string.h>

#define ROUNDS     1000u
#define PACKET_MAX 65536u

struct channels {
    struct bench *bench;
    uint32_t device[2];
    weir_channel *way[2]; /* [i]: from device i to the other */
    struct region region; /* a queue of each */
    char *data[2], *target[2];
    uint64_t bytes; /* of a stream; 0: hops */
    uint32_t packet, rings, threads;
    int keeps; /* hops store their last packet */
};

static void close_ways(struct channels *c)
{
    for (int i = 0; i < 2; i++) {
        weir_channel_destroy(c->way[i]);
        c->way[i] = NULL;
    }
}

static weir_status open_ways(struct channels *c)
{
    const weir_channel_config config = {sizeof config, c->packet, 8, c->rings,
                                        WEIR_CHANNEL_FORMAT_AUTO};
    weir_status status = WEIR_OK;
    for (int i = 0; i < 2 && !status; i++)
        status = weir_channel_create(weir__bench_device(c->bench, c->device[i]),
                                     weir__bench_device(c->bench, c->device[1 - i]), &config,
                                     &c->way[i]);
    return status;
}

static weir_status launch(struct channels *c, uint32_t i, uint32_t does, uint32_t rounds)
{
    struct weir__channel_args args = {
        .tx = weir_channel_tx_of(c->way[does == WEIR__CHANNEL_DRAIN ? 0 : i]),
        .rx = weir_channel_rx_of(c->way[does == WEIR__CHANNEL_PING ? 1 - i : 0]),
        .data = c->data[i],
        .target = c->target[i],
        .bytes = c->bytes,
        .packet = c->packet,
        .rounds = rounds,
        .does = does,
        .second = i,
        .threads = c->threads};
    if (does == WEIR__CHANNEL_PING && !c->keeps)
        args.target = NULL;
    return weir_queue_launch(c->region.queue[i], &weir__channel_kernel, &args, sizeof args);
}

/* Both kernels; a kernel that is alone would wait for ever. */
static weir_status run(struct channels *c, uint32_t rounds, double *ms_out)
{
    weir_status status = weir__region_begin(&c->region);
    if (!status)
        status = launch(c, 0, c->bytes ? WEIR__CHANNEL_FEED : WEIR__CHANNEL_PING, rounds);
    if (!status)
        status = launch(c, 1, c->bytes ? WEIR__CHANNEL_DRAIN : WEIR__CHANNEL_PING, rounds);
    if (status)
        for (int i = 0; i < 2; i++)
            weir_channel_stop(c->way[i]);
    return weir__region_end(&c->region, status, ms_out);
}

static weir_status trial(void *user, uint64_t number, double *figure_out)
{
    struct channels *c = user;
    double ms = 0;
    weir_status status = run(c, ROUNDS, &ms);
    (void)number;
    *figure_out = c->bytes ? weir__gbs((double)c->bytes, ms) : ms * 1e3 / (2.0 * ROUNDS);
    return status;
}

/* Fresh patterns, one more run, and what came last on each side, or all of a stream. */
static weir_status verify(struct channels *c, const char *what)
{
    struct bench *bench = c->bench;
    const uint64_t seed = weir__bench_seed(bench), bytes = c->bytes ? c->bytes : c->packet;
    double ms;
    weir_status status = weir__bench_cancelled(bench);
    for (uint32_t i = 0; i < 2 && !status; i++)
        if (!(status = weir__pattern_put(bench, c->device[i], c->data[i], bytes, seed + i)))
            status = weir__pattern_poison(bench, c->device[i], c->target[i], bytes);
    if (status)
        return status;
    c->keeps = 1;
    status = run(c, 3, &ms);
    c->keeps = 0;
    for (uint32_t i = c->bytes ? 1 : 0; i < 2 && !status; i++)
        status = weir__pattern_check(bench, c->device[i], c->target[i], bytes, seed + 1 - i, what);
    return status;
}

static weir_status row_of(struct channels *c, const char *series)
{
    weir_bench_row row =
        weir__row_make(c->bench, c->device[0], c->device[1], (double)c->packet, "%s", series);
    weir_status status = open_ways(c);
    if (!status && !(status = weir__bench_row(c->bench, &row, trial, c)))
        status = verify(c, row.series);
    weir__bench_settle(c->bench);
    close_ways(c);
    return status;
}

/* No rounds: nobody waits, and the kernels are there afterwards. While a queue is held they could not be loaded. */
static weir_status load(struct channels *c)
{
    c->packet = 8;
    c->rings = 1;
    c->threads = WEIR__CHANNEL_WORKER;
    weir_status status = open_ways(c);
    for (uint32_t i = 0; i < 2 && !status; i++)
        if (!(status = launch(c, i, WEIR__CHANNEL_PING, 0)))
            status = weir_queue_sync(c->region.queue[i]);
    close_ways(c);
    return status;
}

/* ---- what is measured ----------------------------------------------------------------------- */

static weir_status hops(struct channels *c)
{
    static const uint32_t sizes[] = {8, 64, 1024, 4096, 8192, 65536};
    weir_status status = WEIR_OK;
    c->bytes = 0;
    c->rings = 1;
    for (int group = 0; group < 2 && !status; group++) {
        c->threads = group ? WEIR__CHANNEL_THREADS / 2 : WEIR__CHANNEL_WORKER;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes && !status; s++) {
            if (c->bench->gpus && !group && sizes[s] > 1024)
                continue; /* a worker alone is no way to send that much */
            c->packet = sizes[s];
            status = row_of(c, !c->bench->gpus ? "hop"
                               : group         ? "hop, by a block"
                                               : "hop, by a worker");
        }
        if (!c->bench->gpus)
            break;
    }
    return status;
}

static weir_status streams(struct channels *c, uint64_t bytes)
{
    static const uint32_t rings[] = {1, 8, 32, 64};
    static const uint32_t sizes[] = {1024, 8192, 16384, 65536};
    char series[48];
    weir_status status = WEIR_OK;
    c->bytes = bytes;
    c->threads = WEIR__CHANNEL_THREADS;
    for (size_t r = 0; r < sizeof rings / sizeof *rings && !status; r++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes && !status; s++) {
            c->rings = rings[r];
            c->packet = sizes[s];
            snprintf(series, sizeof series, "stream, %u ring%s", rings[r], rings[r] > 1 ? "s" : "");
            status = row_of(c, series);
        }
    return status;
}

static weir_status between(struct bench *bench, uint32_t a, uint32_t b, int streaming)
{
    const uint32_t devices[2] = {a, b};
    const uint64_t bytes = streaming ? bench->config.bytes : PACKET_MAX;
    struct channels c;
    weir_status status = WEIR_OK;
    memset(&c, 0, sizeof c);
    c.bench = bench;
    for (uint32_t i = 0; i < 2 && !status; i++) {
        c.device[i] = devices[i];
        if (!(status = weir__bench_alloc(bench, devices[i], bytes, &c.data[i])))
            status = weir__bench_alloc(bench, devices[i], bytes, &c.target[i]);
    }
    if (!status && !(status = weir__region_open(&c.region, bench, devices, 2)) &&
        !(status = load(&c)))
        status = streaming ? streams(&c, bytes) : hops(&c);
    weir__region_close(&c.region);
    weir__bench_settle(bench);
    for (uint32_t i = 0; i < 2; i++) {
        weir_device_free(weir__bench_device(bench, devices[i]), c.data[i]);
        weir_device_free(weir__bench_device(bench, devices[i]), c.target[i]);
    }
    return status;
}

/* Two kernels of one GPU run at the same time; those of a host device do not. */
static weir_status run_bench(struct bench *bench, int streaming)
{
    if (bench->simulated)
        return weir__bench_skip(bench, "simulated devices run their kernels one after the other");
    if (bench->devices < 2 && !bench->gpus)
        return weir__bench_skip(bench,
                                "a host device runs its kernels one after the other: give two");
    return between(bench, 0, bench->devices > 1 ? 1 : 0, streaming);
}

weir_status weir__bench_channels(struct bench *bench)
{
    weir__bench_describe(bench, "us", 0, "packet bytes",
                         "a packet from one resident kernel to another through a channel, half of "
                         "forth and back");
    return run_bench(bench, 0);
}

weir_status weir__bench_channelstreams(struct bench *bench)
{
    weir__bench_describe(
        bench, "GB/s", 1, "packet bytes",
        "bytes from one resident kernel through a channel to another, which stores "
        "them in its own memory");
    return run_bench(bench, 1);
}
