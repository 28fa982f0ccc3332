/** @file hops.c  Latency of a segment through a router, from the sender's queue to the receiver's.
 *
 * Two devices send to each other in turn, each through a router of policy "any" with one input and one
 * output. A hop is: a mark in the sender's queue, a send that is ready at that mark, a gate in the
 * receiver's queue; the next mark stands behind the gate. The whole chain is in the queues before it
 * starts, so that no host takes part. Beside it the same chain of bare copies, marks and waits. */
#include "router/measure/list.h"

#include "runtime/internal.h"

#include <stdio.h>
#include <string.h>

#define ROUNDS 64u
#define SIZES  3

static const uint64_t sizes[SIZES] = {64, 4096, WEIR__SMALL_MOST};

struct hops {
    struct bench *bench;
    uint32_t device[2];
    weir_endpoint *endpoint[2];
    weir_router *router[2]; /* [i]: the way from device i to the other */
    weir_link *in[2], *out[2];
    struct region region;      /* a queue of each */
    char *data[2], *target[2]; /* what a device sends; where what it got is kept */
    uint64_t size;
    uint32_t rounds;
    int keeps;
    weir_status (*hop)(struct hops *hops, uint32_t from);
};

/* ---- one hop -------------------------------------------------------------------------------- */

static weir_status hop_routed(struct hops *h, uint32_t from)
{
    weir_queue *queue = h->region.queue[1 - from];
    weir_segment segment = {.device = weir__bench_device(h->bench, h->device[from]),
                            .data = h->data[from],
                            .bytes = h->size};
    weir_event *ready;
    weir_pending *pending;
    weir_status status = weir__region_mark(&h->region, from, &ready);
    if (status || (status = weir_link_send(h->in[from], &segment, ready, NULL)) ||
        (status = weir__bench_take(h->out[from], queue, &pending, &segment)))
        return status;
    if (h->keeps)
        status = weir__bench_keep(queue, h->target[1 - from], &segment);
    weir_status given = weir__bench_give(h->out[from], queue, pending);
    return status ? status : given;
}

/* A host's queue does not copy to a GPU: the GPU's does, once it has waited. */
static int pulls(const struct hops *h, uint32_t from)
{
    return !weir__device_is_gpu(weir__bench_device(h->bench, h->device[from])) &&
           weir__device_is_gpu(weir__bench_device(h->bench, h->device[1 - from]));
}

typedef weir_status (*copy_fn)(weir_queue *queue, weir_device *destination_device,
                               void *destination, weir_device *source_device, const void *source,
                               size_t bytes);

static weir_status hop_by(struct hops *h, uint32_t from, copy_fn copy)
{
    uint32_t to = 1 - from, works = pulls(h, from) ? to : from;
    weir_status status = works == to ? weir__region_chain(&h->region, from, to) : WEIR_OK;
    if (!status)
        status =
            copy(h->region.queue[works], weir__bench_device(h->bench, h->device[to]), h->target[to],
                 weir__bench_device(h->bench, h->device[from]), h->data[from], h->size);
    return status || works == to ? status : weir__region_chain(&h->region, from, to);
}

static weir_status hop_bare(struct hops *h, uint32_t from)
{
    return hop_by(h, from, weir_queue_copy);
}

static weir_status hop_pushed(struct hops *h, uint32_t from)
{
    return hop_by(h, from, weir_queue_push);
}

static weir_status run(struct hops *h, double *ms_out)
{
    weir_status status = weir__region_begin(&h->region);
    if (status)
        return status;
    for (uint32_t i = 0; i < 2 * h->rounds && !status; i++)
        status = h->hop(h, i % 2);
    return weir__region_end(&h->region, status, ms_out);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static weir_status trial(void *user, uint64_t number, double *us_out)
{
    struct hops *h = user;
    double ms = 0;
    weir_status status = run(h, &ms);
    (void)number; /* the bytes are the same in all timed trials */
    *us_out = ms * 1e3 / (2 * h->rounds);
    return status;
}

/* Fresh patterns on both sides, one more chain, and what came last on each. */
static weir_status verify(struct hops *h, const char *what)
{
    struct bench *bench = h->bench;
    uint64_t seed = weir__bench_seed(bench);
    double ms;
    weir_status status = weir__bench_cancelled(bench);
    for (uint32_t i = 0; i < 2 && !status; i++)
        if (!(status = weir__pattern_put(bench, h->device[i], h->data[i], h->size, seed + i)))
            status = weir__pattern_poison(bench, h->device[i], h->target[i], h->size);
    if (status)
        return status;
    h->keeps = 1;
    status = run(h, &ms);
    h->keeps = 0;
    for (uint32_t i = 0; i < 2 && !status; i++)
        status =
            weir__pattern_check(bench, h->device[i], h->target[i], h->size, seed + 1 - i, what);
    return status;
}

static weir_status rows_of(struct hops *h, const char *series)
{
    weir_status status = WEIR_OK;
    for (int i = 0; i < SIZES && !status; i++) {
        weir_bench_row row =
            weir__row_make(h->bench, h->device[0], h->device[1], (double)sizes[i], "%s", series);
        h->size = sizes[i];
        if (!(status = weir__bench_row(h->bench, &row, trial, h)))
            status = verify(h, row.series);
    }
    return status;
}

/* ---- the graph ------------------------------------------------------------------------------ */

static uint32_t rounds_of(const struct bench *bench)
{
    uint32_t most = weir__region_marks_max(bench) / 8;
    return most < 1 ? 1 : most < ROUNDS ? most : ROUNDS;
}

static weir_status open_memory(struct hops *h, struct bench *bench, const uint32_t devices[2])
{
    weir_status status = WEIR_OK;
    memset(h, 0, sizeof *h);
    h->bench = bench;
    h->rounds = rounds_of(bench);
    for (uint32_t i = 0; i < 2 && !status; i++) {
        h->device[i] = devices[i];
        if (!(status =
                  weir__bench_endpoint(bench, devices[i], i ? "pong" : "ping", &h->endpoint[i])) &&
            !(status = weir__bench_alloc(bench, devices[i], WEIR__SMALL_MOST, &h->data[i])))
            status = weir__bench_alloc(bench, devices[i], WEIR__SMALL_MOST, &h->target[i]);
    }
    return status ? status : weir__region_open(&h->region, bench, devices, 2);
}

static weir_status open_links(struct hops *h, weir_transport transport)
{
    const weir_policy any = weir_policy_any();
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_status status = WEIR_OK;
    config.transport = transport;
    config.packet_bytes = WEIR__SMALL_MOST; /* one hop is one packet */
    for (uint32_t i = 0; i < 2 && !status; i++) {
        if ((status = weir_router_create(h->bench->context, "hop", &any, &h->router[i])))
            break;
        weir_endpoint *router = weir_router_endpoint(h->router[i]);
        if (!(status = weir_link_create(h->endpoint[i], router, NULL, &h->in[i])))
            status = weir_link_create(router, h->endpoint[1 - i], &config, &h->out[i]);
    }
    return status;
}

static void close_links(struct hops *h)
{
    for (uint32_t i = 0; i < 2; i++) {
        weir_link_destroy(h->in[i]);
        weir_link_destroy(h->out[i]);
        weir_router_destroy(h->router[i]);
        h->in[i] = h->out[i] = NULL;
        h->router[i] = NULL;
    }
}

static void close_memory(struct hops *h)
{
    weir__region_close(&h->region);
    weir__bench_settle(h->bench);
    for (uint32_t i = 0; i < 2; i++) {
        weir_endpoint_destroy(h->endpoint[i]);
        weir_device_free(weir__bench_device(h->bench, h->device[i]), h->data[i]);
        weir_device_free(weir__bench_device(h->bench, h->device[i]), h->target[i]);
    }
}

/* ---- what is measured ----------------------------------------------------------------------- */

static weir_status bare_rows(struct hops *h)
{
    weir_device *a = weir__bench_device(h->bench, h->device[0]);
    weir_device *b = weir__bench_device(h->bench, h->device[1]);
    if (!weir_device_reaches(a, b) || !weir_device_reaches(b, a))
        return WEIR_OK;
    h->hop = hop_bare;
    weir_status status = rows_of(h, "bare copy and wait");
    h->hop = hop_pushed;
    return status ? status : rows_of(h, "bare copy by a kernel and wait");
}

static weir_status routed_rows(struct hops *h, weir_transport transport)
{
    char series[48];
    weir_status status = open_links(h, transport);
    if (status == WEIR_ERR_UNSUPPORTED && transport != WEIR_TRANSPORT_AUTO) {
        close_links(h);
        return WEIR_OK;
    }
    snprintf(series, sizeof series, "router%s%s", transport ? ", " : "",
             transport ? weir_transport_name(transport) : "");
    h->hop = hop_routed;
    if (!status)
        status = rows_of(h, series);
    close_links(h);
    return status;
}

static weir_status chains_between(struct bench *bench, uint32_t a, uint32_t b)
{
    const uint32_t devices[2] = {a, b};
    struct hops hops;
    weir_status status = open_memory(&hops, bench, devices);
    if (!status)
        status = bare_rows(&hops);
    for (int t = WEIR_TRANSPORT_AUTO; t < WEIR_TRANSPORT_COUNT && !status; t++)
        status = routed_rows(&hops, (weir_transport)t);
    close_memory(&hops);
    return status;
}

weir_status weir__bench_hops(struct bench *bench)
{
    weir_status status;
    weir__bench_describe(
        bench, "us", 0, "message bytes",
        "a hop of a chain forth and back, queue to queue; the small message, start "
        "to receiver's queue, alone and behind %llu bytes of another sender",
        (unsigned long long)weir__fair_bytes(bench));
    status = chains_between(bench, 0, bench->devices > 1 ? 1 : 0);
    return status ? status : weir__fair_rows(bench);
}
