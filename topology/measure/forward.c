/** @file forward.c  A broadcast along the ring by resident kernels: Groute's "DA ring", Figure 2(d).
 *
 * One kernel on each device stores what has arrived into the memory of the next one, packet after
 * packet, and raises a flag there; nothing is launched and no host takes part in between. The last
 * device's kernel only waits, so that the time is that until the last one has everything. */
#include "topology/measure/partners.h"

#include <stdio.h>
#include <string.h>

#define SERIES "ring, resident kernels"
#define SEEDS  65536u /* as in schedule.c: patterns differ from all others of the run */

struct forward {
    struct partners partners; /* first: a partner's launch finds the rest from it */
    struct bench *bench;
    uint32_t blocks, count;
    uint64_t packet;
    void *data[WEIR_DEVICES_MAX]; /* of each device, in the ring's order */
};

static weir_status launch(struct partners *p, uint32_t i, uint32_t rounds)
{
    const struct forward *f = (const struct forward *)p;
    int first = i == 0, last = i + 1 == p->count;
    struct weir__forward_args args = {.from = f->data[i],
                                      .to = last ? NULL : f->data[i + 1],
                                      .mine = first ? NULL : p->flags[i],
                                      .theirs = last ? NULL : p->flags[i + 1],
                                      .bytes = p->bench->config.bytes,
                                      .packet = f->packet,
                                      .base = p->base,
                                      .packets = rounds,
                                      .blocks = f->blocks,
                                      .patience = p->patience};
    return weir_queue_launch(p->region.queue[i], &weir__kernel_forward, &args, sizeof args);
}

static weir_status run(struct forward *f, double *ms_out)
{
    uint64_t packets = (f->bench->config.bytes + f->packet - 1) / f->packet;
    return weir__partners_run(&f->partners, launch, (uint32_t)packets, ms_out);
}

static weir_status trial(void *user, uint64_t number, double *gbs_out)
{
    struct forward *f = user;
    double ms = 0;
    weir_status status = run(f, &ms);
    (void)number; /* the bytes are the same in all timed trials */
    *gbs_out = weir__gbs((double)f->bench->config.bytes, ms);
    return status;
}

static weir_status put(struct forward *f, uint64_t seed)
{
    return weir__pattern_put(f->bench, f->partners.device[0], f->data[0], f->bench->config.bytes,
                             seed);
}

/* A fresh pattern, poisoned targets, one run, all bytes compared. */
static weir_status verify(struct forward *f)
{
    struct bench *bench = f->bench;
    uint64_t bytes = bench->config.bytes, seed = ++bench->number * SEEDS;
    double ms;
    weir_status status = weir__bench_cancelled(bench);
    if (!status)
        status = put(f, seed);
    for (uint32_t i = 1; i < f->count && !status; i++)
        status = weir__pattern_poison(bench, f->partners.device[i], f->data[i], bytes);
    if (!status)
        status = run(f, &ms);
    for (uint32_t i = 1; i < f->count && !status; i++)
        status = weir__pattern_check(bench, f->partners.device[i], f->data[i], bytes, seed, SERIES);
    return status;
}

static weir_status row_of(struct forward *f, uint64_t packet)
{
    weir_bench_row row = {.series = SERIES, .to = "all", .x = (double)packet, .verified = 1};
    weir_status status;
    (void)weir__bench_label(f->bench, f->partners.device[0], row.from);
    f->packet = packet;
    if ((status = put(f, ++f->bench->number * SEEDS)) ||
        (status = weir__bench_row(f->bench, &row, trial, f)))
        return status;
    return verify(f);
}

/* Whether each can store into the next one's memory, and raise flags that its kernels see. */
static int possible(const struct bench *bench, const uint8_t *order, uint32_t count)
{
    if (!bench->gpus || bench->simulated || count < 2)
        return 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        const weir_pair *pair = weir_machine_pair(bench->machine, order[i], order[i + 1]);
        if (!pair || !pair->atomics ||
            !weir_device_reaches(weir__bench_device(bench, order[i]),
                                 weir__bench_device(bench, order[i + 1])))
            return 0;
    }
    return 1;
}

/* As many on each device, and fewer than multiprocessors: all are resident. */
static uint32_t blocks_of(const struct bench *bench, const uint8_t *order, uint32_t count)
{
    uint32_t blocks = WEIR__FORWARD_BLOCKS;
    for (uint32_t i = 0; i < count; i++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(weir__bench_device(bench, order[i]), &info);
        if (info.units <= blocks)
            blocks = info.units > 1 ? info.units - 1 : 1;
    }
    return blocks;
}

static weir_status open_forward(struct forward *f, struct bench *bench, const uint8_t *order,
                                uint32_t count)
{
    uint32_t devices[WEIR_DEVICES_MAX];
    weir_status status = WEIR_OK;
    memset(f, 0, sizeof *f);
    f->bench = bench;
    f->blocks = blocks_of(bench, order, count);
    for (; f->count < count && !status; f->count += !status) {
        devices[f->count] = order[f->count];
        status = weir__bench_alloc(bench, order[f->count], bench->config.bytes, &f->data[f->count]);
    }
    return status ? status : weir__partners_open(&f->partners, bench, devices, count, launch);
}

static void close_forward(struct forward *f, const uint8_t *order)
{
    weir__partners_close(&f->partners);
    weir__bench_settle(f->bench);
    while (f->count > 0) {
        f->count--;
        weir_device_free(weir__bench_device(f->bench, order[f->count]), f->data[f->count]);
    }
}

weir_status weir__forward_rows(struct bench *bench, const uint8_t *order, uint32_t count,
                               const uint64_t *packets, uint32_t sizes)
{
    struct forward forward;
    if (!possible(bench, order, count))
        return WEIR_OK;
    weir_status status = open_forward(&forward, bench, order, count);
    for (uint32_t i = 0; i < sizes && !status; i++)
        status = row_of(&forward, packets[i]);
    close_forward(&forward, order);
    return status;
}
