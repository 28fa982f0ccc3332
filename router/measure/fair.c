/** @file fair.c  A small message to a device that is getting a large one from somebody else.
 *
 * Both are sent at the start, the large one first, through one router to one receiver. Its senders take
 * turns packet by packet, so the small one comes behind the packets that had buffers already, not behind
 * the whole. The time is from the start to the receiver's queue, by the receiver's clock. */
#include "router/measure/measure.h"

#include <string.h>

#define SMALL      4096u
#define META_SMALL 1u
/* The large one is ten times config.bytes, but a gibibyte is large enough. */
#define TIMES 10u
#define MOST  ((uint64_t)1 << 30)

struct fair {
    struct bench *bench;
    uint32_t to, large_from, small_from;
    weir_endpoint *sink, *large, *small;
    weir_router *router;
    weir_link *large_in, *small_in, *out;
    struct region region; /* the receiver's queue */
    struct pacer pacer;
    weir_stamp *arrived; /* the small one */
    char *data, *target, *small_data, *small_target;
    uint64_t bytes;
    int alone, keeps;
};

/* Three quarters of the host's memory are the benchmarks': source, target, buffers, and the rest. */
uint64_t weir__fair_bytes(const struct bench *bench)
{
    uint64_t one = bench->config.bytes, room = weir__host_room(bench) / 8;
    uint64_t bytes = one >= MOST ? one : one * TIMES > MOST ? MOST : one * TIMES;
    return !bench->gpus && bytes > room ? room / 64 * 64 : bytes;
}

/* ---- one run -------------------------------------------------------------------------------- */

static weir_status send(struct fair *f, weir_link *link, uint32_t from, char *data, uint64_t bytes,
                        uint64_t meta, weir_event *ready)
{
    const weir_segment segment = {
        .device = weir__bench_device(f->bench, from), .data = data, .bytes = bytes, .meta = meta};
    return weir_link_send(link, &segment, ready, NULL);
}

static weir_status send_both(struct fair *f)
{
    weir_event *ready;
    weir_status status = weir__region_mark(&f->region, 0, &ready);
    if (!status && !f->alone)
        status = send(f, f->large_in, f->large_from, f->data, f->bytes, 0, ready);
    return status ? status
                  : send(f, f->small_in, f->small_from, f->small_data, SMALL, META_SMALL, ready);
}

static weir_status take_one(struct fair *f, uint64_t *bytes_out)
{
    weir_queue *queue = f->region.queue[0];
    weir_pending *pending;
    weir_segment segment;
    weir_status status = weir__bench_take(f->out, queue, &pending, &segment);
    if (status)
        return status;
    int small = segment.meta == META_SMALL;
    *bytes_out += segment.bytes;
    if (small)
        status = weir_queue_stamp(queue, f->arrived);
    if (!status && f->keeps)
        status = weir__bench_keep(queue, (small ? f->small_target : f->target) + segment.offset,
                                  &segment);
    weir_status given = weir__bench_give(f->out, queue, pending);
    if (!status && !(status = given))
        status = weir__pacer_step(&f->pacer);
    return status;
}

static weir_status run(struct fair *f, double *us_out)
{
    uint64_t wanted = SMALL + (f->alone ? 0 : f->bytes), got = 0;
    double ms = 0;
    weir_status status = weir__region_begin(&f->region);
    if (status)
        return status;
    f->pacer.packets = 0;
    status = send_both(f);
    while (got < wanted && !status)
        status = take_one(f, &got);
    status = weir__region_end(&f->region, status, &ms);
    if (!status)
        status = weir_stamp_elapsed(f->region.start, f->arrived, &ms);
    weir__bench_took(f->bench, ms); /* the small message's part of the region */
    *us_out = ms * 1e3;
    return status;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static weir_status trial(void *user, uint64_t number, double *us_out)
{
    (void)number; /* the bytes are the same in all timed trials */
    return run(user, us_out);
}

static weir_status prepare(struct fair *f, uint64_t seed)
{
    struct bench *bench = f->bench;
    weir_status status = weir__pattern_put(bench, f->large_from, f->data, f->bytes, seed);
    if (!status)
        status = weir__pattern_put(bench, f->small_from, f->small_data, SMALL, seed + 1);
    if (!status)
        status = weir__pattern_poison(bench, f->to, f->target, f->bytes);
    return status ? status : weir__pattern_poison(bench, f->to, f->small_target, SMALL);
}

static weir_status verify(struct fair *f, const char *what)
{
    struct bench *bench = f->bench;
    uint64_t seed = weir__bench_seed(bench);
    double us;
    weir_status status = weir__bench_cancelled(bench);
    if (status || (status = prepare(f, seed)))
        return status;
    f->keeps = 1;
    status = run(f, &us);
    f->keeps = 0;
    if (!status && !f->alone)
        status = weir__pattern_check(bench, f->to, f->target, f->bytes, seed, what);
    return status ? status
                  : weir__pattern_check(bench, f->to, f->small_target, SMALL, seed + 1, what);
}

static weir_status row_of(struct fair *f, int alone)
{
    weir_bench_row row = weir__row_make(f->bench, f->small_from, f->to, SMALL, "small message, %s",
                                        alone ? "alone" : "behind another's large one");
    f->alone = alone;
    weir_status status = weir__bench_row(f->bench, &row, trial, f);
    return status ? status : verify(f, row.series);
}

/* ---- the graph ------------------------------------------------------------------------------ */

static weir_status open_memory(struct fair *f)
{
    struct bench *bench = f->bench;
    weir_status status;
    if ((status = weir__bench_alloc(bench, f->large_from, f->bytes, &f->data)) ||
        (status = weir__bench_alloc(bench, f->to, f->bytes, &f->target)) ||
        (status = weir__bench_alloc(bench, f->small_from, SMALL, &f->small_data)) ||
        (status = weir__bench_alloc(bench, f->to, SMALL, &f->small_target)) ||
        (status = weir_stamp_create(weir__bench_device(bench, f->to), &f->arrived)))
        return status;
    status = weir__region_open(&f->region, bench, &f->to, 1);
    return status ? status : weir__pacer_open(&f->pacer, &f->region, 0);
}

static weir_status open_links(struct fair *f)
{
    const weir_policy any = weir_policy_any();
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    struct bench *bench = f->bench;
    weir_status status;
    if ((status = weir__bench_endpoint(bench, f->large_from, "large", &f->large)) ||
        (status = weir__bench_endpoint(bench, f->small_from, "small", &f->small)) ||
        (status = weir__bench_endpoint(bench, f->to, "receiver", &f->sink)) ||
        (status = weir_router_create(bench->context, "fair", &any, &f->router)))
        return status;
    weir_endpoint *router = weir_router_endpoint(f->router);
    if ((status = weir_link_create(f->large, router, NULL, &f->large_in)) ||
        (status = weir_link_create(f->small, router, NULL, &f->small_in)))
        return status;
    config.early = 1; /* all is put into the queues before the start that both senders wait for */
    return weir_link_create(router, f->sink, &config, &f->out);
}

static void close_all(struct fair *f)
{
    weir__region_close(&f->region);
    weir_link_destroy(f->large_in);
    weir_link_destroy(f->small_in);
    weir_link_destroy(f->out);
    weir_router_destroy(f->router);
    weir_endpoint_destroy(f->large);
    weir_endpoint_destroy(f->small);
    weir_endpoint_destroy(f->sink);
    weir__bench_settle(f->bench);
    weir__pacer_close(&f->pacer);
    weir_stamp_destroy(f->arrived);
    weir_device_free(weir__bench_device(f->bench, f->large_from), f->data);
    weir_device_free(weir__bench_device(f->bench, f->to), f->target);
    weir_device_free(weir__bench_device(f->bench, f->small_from), f->small_data);
    weir_device_free(weir__bench_device(f->bench, f->to), f->small_target);
}

static weir_status rows_from(struct bench *bench, uint32_t small_from)
{
    struct fair fair;
    weir_status status;
    memset(&fair, 0, sizeof fair);
    fair.bench = bench;
    fair.to = bench->devices > 1 ? 1 : 0;
    fair.small_from = small_from;
    fair.bytes = weir__fair_bytes(bench);
    if (!(status = open_memory(&fair)) && !(status = open_links(&fair)) &&
        !(status = prepare(&fair, weir__bench_seed(bench))) && !(status = row_of(&fair, 1)))
        status = row_of(&fair, 0);
    close_all(&fair);
    return status;
}

/* From a second endpoint of the large one's device, from the host, and from a third device. */
weir_status weir__fair_rows(struct bench *bench)
{
    weir_status status = rows_from(bench, 0);
    if (!status)
        status = rows_from(bench, bench->devices);
    return status || bench->devices < 3 ? status : rows_from(bench, 2);
}
