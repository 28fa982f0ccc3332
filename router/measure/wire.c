/** @file wire.c  A link that is measured: messages back to back through held queues. */
#include "router/measure/measure.h"

#include <string.h>

/* ---- opening -------------------------------------------------------------------------------- */

/* Times are taken by a GPU where one takes part; it is its copy engine that works. */
static uint32_t leader(const struct bench *bench, const struct wire_shape *shape)
{
    return weir__device_is_gpu(weir__bench_device(bench, shape->from)) ||
                   !weir__device_is_gpu(weir__bench_device(bench, shape->to))
               ? shape->from
               : shape->to;
}

static weir_status make_link(struct wire *wire)
{
    const struct wire_shape *shape = &wire->shape;
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_status status;
    config.packet_bytes = shape->packet;
    config.buffers = shape->buffers;
    config.transport = shape->transport;
    if ((status = weir__bench_endpoint(wire->bench, shape->from, "sender", &wire->source)) ||
        (status = weir__bench_endpoint(wire->bench, shape->to, "receiver", &wire->sink)))
        return status;
    return weir_link_create(wire->source, wire->sink, &config, &wire->link);
}

weir_status weir__wire_open(struct wire *wire, struct bench *bench, const struct wire_shape *shape,
                            uint64_t bytes)
{
    uint32_t devices[2];
    weir_status status;
    memset(wire, 0, sizeof *wire);
    wire->bench = bench;
    wire->shape = *shape;
    wire->bytes = wire->size = bytes;
    wire->repeats = 1;
    devices[0] = leader(bench, shape);
    devices[1] = shape->to;
    if ((status = make_link(wire)) ||
        (status = weir__bench_alloc(bench, shape->from, bytes, &wire->data)) ||
        (status = weir__bench_alloc(bench, shape->to, bytes, &wire->target)) ||
        (status = weir__region_open(&wire->region, bench, devices, 2)) ||
        (status = weir__pacer_open(&wire->pacer, &wire->region, 1)))
        weir__wire_close(wire);
    return status;
}

/* The link goes before the memory: a copy may be under way after a failure. */
void weir__wire_close(struct wire *wire)
{
    if (!wire->bench)
        return;
    weir__region_close(&wire->region);
    weir_link_destroy(wire->link);
    weir_endpoint_destroy(wire->sink);
    weir_endpoint_destroy(wire->source);
    weir__bench_settle(wire->bench);
    weir__pacer_close(&wire->pacer);
    weir_device_free(weir__bench_device(wire->bench, wire->shape.to), wire->target);
    weir_device_free(weir__bench_device(wire->bench, wire->shape.from), wire->data);
    memset(wire, 0, sizeof *wire);
}

/* ---- one run -------------------------------------------------------------------------------- */

static uint64_t part(const struct wire *wire)
{
    return wire->meter.clock && !wire->meter.whole ? wire->meter.clock() : 0;
}

static uint64_t whole(const struct wire *wire)
{
    return wire->meter.clock && wire->meter.whole ? wire->meter.clock() : 0;
}

/* The receive for what is expected at `at`, with `left` bytes of the message to come. */
static weir_status take(struct wire *wire, char *at, uint64_t left, weir_pending **pending_out,
                        weir_segment *segment_out)
{
    weir_queue *queue = wire->region.queue[1];
    if (wire->shape.buffers != WEIR_BUFFERS_NONE)
        return weir__bench_take(wire->link, queue, pending_out, segment_out);
    weir_status status = weir_link_receive_into(wire->link, at, left, NULL, pending_out);
    return status ? status : weir__bench_gate(wire->link, queue, *pending_out, segment_out);
}

static weir_status receive(struct wire *wire, char *target)
{
    weir_queue *queue = wire->region.queue[1];
    weir_status status = WEIR_OK;
    for (uint64_t got = 0; got < wire->size && !status;) {
        weir_pending *pending;
        weir_segment segment;
        if ((status = take(wire, target + got, wire->size - got, &pending, &segment)))
            break;
        if (wire->keeps && wire->shape.buffers != WEIR_BUFFERS_NONE)
            status = weir__bench_keep(queue, target + segment.offset, &segment);
        got += segment.bytes;
        weir_status given = weir__bench_give(wire->link, queue, pending);
        if (!status && !(status = given))
            status = weir__pacer_step(&wire->pacer);
    }
    return status;
}

static weir_status pass(struct wire *wire, uint64_t number, weir_event *ready)
{
    const weir_segment segment = {.device = weir__bench_device(wire->bench, wire->shape.from),
                                  .data = wire->data + number * wire->size,
                                  .bytes = wire->size,
                                  .meta = number};
    uint64_t start = part(wire);
    weir_status status = weir_link_send(wire->link, &segment, ready, NULL);
    uint64_t sent = part(wire);
    if (!status)
        status = receive(wire, wire->target + number * wire->size);
    wire->meter.send += sent - start;
    wire->meter.receive += part(wire) - sent;
    return status;
}

/* The leader's device can copy between the two, whichever way: see leader(). */
static weir_status copy_bare(struct wire *wire)
{
    weir_device *from = weir__bench_device(wire->bench, wire->shape.from);
    weir_device *to = weir__bench_device(wire->bench, wire->shape.to);
    weir_status status = WEIR_OK;
    for (uint64_t at = 0; at < wire->size * wire->repeats && !status; at += wire->size)
        status = weir_queue_copy(wire->region.queue[0], to, wire->target + at, from,
                                 wire->data + at, wire->size);
    return status ? status : weir__region_chain(&wire->region, 0, 1);
}

static weir_status fill_queues(struct wire *wire)
{
    weir_event *ready;
    weir_status status = weir__region_mark(&wire->region, 0, &ready);
    if (!status && wire->running)
        status = weir__guard_open_gate(&wire->region);
    uint64_t start = whole(wire);
    for (uint64_t i = 0; i < wire->repeats && !status; i++)
        status = pass(wire, i, ready);
    wire->meter.send += whole(wire) - start;
    return status;
}

weir_status weir__wire_run(struct wire *wire, double *ms_out)
{
    weir_status status = weir__region_begin(&wire->region);
    wire->pacer.packets = 0;
    if (status)
        return status;
    status = wire->bare ? copy_bare(wire) : fill_queues(wire);
    return weir__region_end(&wire->region, status, ms_out);
}

/* ---- rows ----------------------------------------------------------------------------------- */

weir_status weir__wire_gbs(void *user, uint64_t number, double *gbs_out)
{
    struct wire *wire = user;
    double ms = 0;
    weir_status status = weir__wire_run(wire, &ms);
    (void)number; /* the bytes are the same in all timed trials */
    *gbs_out = weir__gbs((double)wire->size * (double)wire->repeats, ms);
    return status;
}

static weir_status put(struct wire *wire, uint64_t seed)
{
    return weir__pattern_put(wire->bench, wire->shape.from, wire->data, wire->size * wire->repeats,
                             seed);
}

static weir_status verify(struct wire *wire, const char *what)
{
    struct bench *bench = wire->bench;
    uint64_t seed = weir__bench_seed(bench), bytes = wire->size * wire->repeats;
    uint32_t to = wire->shape.to;
    double ms;
    weir_status status = weir__bench_cancelled(bench);
    if (status || (status = put(wire, seed)) ||
        (status = weir__pattern_poison(bench, to, wire->target, bytes)))
        return status;
    wire->keeps = 1;
    status = weir__wire_run(wire, &ms);
    wire->keeps = 0;
    return status ? status : weir__pattern_check(bench, to, wire->target, bytes, seed, what);
}

weir_status weir__wire_row(struct wire *wire, const weir_bench_row *row, weir__trial_fn trial,
                           void *user)
{
    weir_status status = put(wire, weir__bench_seed(wire->bench));
    if (!status)
        status = weir__bench_row(wire->bench, row, trial, user);
    return status ? status : verify(wire, row->series);
}
