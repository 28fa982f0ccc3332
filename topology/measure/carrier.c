/** @file carrier.c  From one device to another: straight, or through home memory. */
#include "topology/measure/schedule.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const weir__way_text[WAYS] = {"copy engine", "kernel"};

void weir__carrier_init(struct carrier *carrier, const struct bench *bench, uint32_t from,
                        uint32_t to, enum way way, uint64_t largest, uint32_t slots)
{
    memset(carrier, 0, sizeof *carrier);
    carrier->from = from;
    carrier->to = to;
    carrier->way = way;
    carrier->staged =
        !weir_device_reaches(weir__bench_device(bench, from), weir__bench_device(bench, to));
    carrier->push = carrier->pull = QUEUE_NONE;
    carrier->slot_bytes = largest;
    carrier->slots = slots;
}

static int is_gpu(const struct bench *bench, uint32_t device)
{
    return weir__device_is_gpu(weir__bench_device(bench, device));
}

static uint32_t queue_of(struct schedule *schedule, uint32_t *queue, uint32_t device)
{
    if (*queue == QUEUE_NONE)
        *queue = weir__schedule_queue(schedule, device);
    return *queue;
}

/* The source moves the bytes, unless only the destination has a copy engine. */
static uint32_t send_direct(struct schedule *schedule, struct carrier *carrier, char *target,
                            const char *source, uint64_t bytes, uint32_t after)
{
    const struct bench *bench = schedule->bench;
    int pulls = carrier->from == bench->devices ||
                (!is_gpu(bench, carrier->from) && is_gpu(bench, carrier->to));
    uint32_t queue = pulls ? queue_of(schedule, &carrier->pull, carrier->to)
                           : queue_of(schedule, &carrier->push, carrier->from);
    struct step step = {.queue = queue,
                        .from = carrier->from,
                        .to = carrier->to,
                        .target = target,
                        .source = source,
                        .bytes = bytes,
                        .kernel = carrier->way,
                        .after = {after, STEP_NONE}};
    return weir__schedule_step(schedule, &step);
}

static uint32_t send_staged(struct schedule *schedule, struct carrier *carrier, char *target,
                            const char *source, uint64_t bytes, uint32_t after)
{
    uint32_t home = schedule->bench->devices, slot = carrier->sent % carrier->slots;
    if (!carrier->bounce)
        carrier->bounce =
            weir__schedule_memory(schedule, home, carrier->slot_bytes * carrier->slots);
    if (schedule->status)
        return STEP_NONE;
    char *bounce = carrier->bounce + slot * carrier->slot_bytes;
    uint32_t emptied = carrier->sent >= carrier->slots ? carrier->pulled[slot] : STEP_NONE;
    struct step push = {.queue = queue_of(schedule, &carrier->push, carrier->from),
                        .from = carrier->from,
                        .to = home,
                        .target = bounce,
                        .source = source,
                        .bytes = bytes,
                        .kernel = carrier->way,
                        .after = {after, emptied}};
    uint32_t pushed = weir__schedule_step(schedule, &push);
    struct step pull = {.queue = queue_of(schedule, &carrier->pull, carrier->to),
                        .from = home,
                        .to = carrier->to,
                        .target = target,
                        .source = bounce,
                        .bytes = bytes,
                        .kernel = carrier->way,
                        .after = {pushed, STEP_NONE}};
    carrier->sent++;
    return carrier->pulled[slot] = weir__schedule_step(schedule, &pull);
}

uint32_t weir__carrier_send(struct schedule *schedule, struct carrier *carrier, char *target,
                            const char *source, uint64_t bytes, uint32_t after)
{
    if (schedule->status)
        return STEP_NONE;
    return (carrier->staged ? send_staged : send_direct)(schedule, carrier, target, source, bytes,
                                                         after);
}

void weir__carrier_message(struct schedule *schedule, struct carrier *carrier, char *target,
                           const char *source, uint64_t bytes, uint64_t packet)
{
    if (schedule->status)
        return;
    packet = packet ? packet : bytes;
    for (uint64_t at = 0; at < bytes; at += packet)
        weir__carrier_send(schedule, carrier, target + at, source + at,
                           bytes - at < packet ? bytes - at : packet, STEP_NONE);
}

weir_bench_row weir__row_make(const struct bench *bench, uint32_t from, uint32_t to, double x,
                              const char *format, ...)
{
    weir_bench_row row;
    va_list list;
    memset(&row, 0, sizeof row);
    if (from != QUEUE_NONE)
        weir__bench_label(bench, from, row.from);
    if (to != QUEUE_NONE)
        weir__bench_label(bench, to, row.to);
    row.x = x;
    row.verified = 1;
    va_start(list, format);
    vsnprintf(row.series, sizeof row.series, format, list);
    va_end(list);
    return row;
}

uint32_t weir__packet_sizes(uint64_t bytes, uint64_t least, uint64_t most, uint32_t factor,
                            uint64_t sizes_out[PACKET_SIZES_MAX])
{
    uint32_t count = 0;
    for (uint64_t size = least; size < bytes && size <= most && count < PACKET_SIZES_MAX;
         size *= factor)
        sizes_out[count++] = size;
    if (!count)
        sizes_out[count++] = (bytes / 4 + 63) / 64 * 64;
    return count;
}
