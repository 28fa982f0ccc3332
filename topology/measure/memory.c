/** @file memory.c  Each device's own memory: what its kernels read, write and copy, and what its copy
 *  engine copies. A copy counts the bytes it reads and the bytes it writes. */
#include "topology/measure/list.h"
#include "topology/measure/work.h"

#include <stdio.h>

struct room {
    struct work work;
    void *from, *to;
    uint64_t bytes;
};

static weir_status filled(struct room *room, uint64_t number)
{
    return weir__work_fill(&room->work, room->from, room->bytes, number, 1);
}

static weir_status check(struct room *room, uint64_t number, const char *what)
{
    return weir__work_check(&room->work, room->to, room->bytes, number, 1, what);
}

static weir_status read_all(void *user, uint64_t number, double *gbs_out)
{
    struct room *r = user;
    struct weir__stream_args args = {.from = r->from, .bytes = r->bytes, .sum = r->work.sum};
    uint64_t sum = 0;
    double ms = 0;
    weir_status status = filled(r, number);
    if (status || (status = weir__work_run(&r->work, &weir__kernel_stream_read, &args, sizeof args,
                                           &ms, &sum)))
        return status;
    *gbs_out = weir__gbs((double)r->bytes, ms);
    return weir__work_same(&r->work, "read kernel", sum, weir__filled_sum(r->bytes, number));
}

static weir_status write_all(void *user, uint64_t number, double *gbs_out)
{
    struct room *r = user;
    struct weir__stream_args args = {.to = r->to, .bytes = r->bytes, .seed = number, .step = 1};
    double ms = 0;
    weir_status status =
        weir__work_run(&r->work, &weir__kernel_stream_write, &args, sizeof args, &ms, NULL);
    if (status)
        return status;
    *gbs_out = weir__gbs((double)r->bytes, ms);
    return check(r, number, "write kernel");
}

static weir_status copy_all(void *user, uint64_t number, double *gbs_out)
{
    struct room *r = user;
    struct weir__stream_args args = {.to = r->to, .from = r->from, .bytes = r->bytes};
    double ms = 0;
    weir_status status = filled(r, number);
    if (status || (status = weir__work_run(&r->work, &weir__kernel_stream_copy, &args, sizeof args,
                                           &ms, NULL)))
        return status;
    *gbs_out = weir__gbs(2.0 * (double)r->bytes, ms);
    return check(r, number, "copy kernel");
}

static weir_status engine_copy(struct room *r, double *ms_out)
{
    struct region *region = &r->work.region;
    weir_device *device = weir_queue_device(region->queue[0]);
    weir_status status = weir__region_begin(region);
    if (status)
        return status;
    status = weir_queue_copy(region->queue[0], device, r->to, device, r->from, r->bytes);
    return weir__region_end(region, status, ms_out);
}

static weir_status copy_by_engine(void *user, uint64_t number, double *gbs_out)
{
    struct room *r = user;
    double ms = 0;
    weir_status status = filled(r, number);
    if (status || (status = engine_copy(r, &ms)))
        return status;
    *gbs_out = weir__gbs(2.0 * (double)r->bytes, ms);
    return check(r, number, "copy engine");
}

static const struct {
    const char *name;
    weir__trial_fn trial;
} operations[] = {
    {"read kernel", read_all},
    {"write kernel", write_all},
    {"copy kernel, read + write", copy_all},
    {"copy engine, read + write", copy_by_engine},
};
#define OPERATIONS (sizeof operations / sizeof *operations)

/* Two memories of one size: what is had for the second decides. */
static weir_status take(struct room *room, struct bench *bench, uint32_t device)
{
    weir_status status = weir__work_memory(bench, device, &room->bytes, &room->from);
    uint64_t bytes = room->bytes;
    if (!status)
        status = weir__work_memory(bench, device, &room->bytes, &room->to);
    if (room->bytes > bytes)
        room->bytes = bytes;
    return status;
}

static weir_status rows_of(struct bench *bench, uint32_t device)
{
    struct room room = {.bytes = bench->config.bytes * WEIR__BEYOND_CACHES};
    weir_bench_row row = {.verified = 1};
    weir_status status = weir__work_open(&room.work, bench, device);
    if (!status)
        status = take(&room, bench, device);
    (void)weir__bench_label(bench, device, row.from);
    (void)weir__bench_label(bench, device, row.to);
    row.x = (double)room.bytes;
    for (size_t i = 0; i < OPERATIONS && !status; i++) {
        snprintf(row.series, sizeof row.series, "%s", operations[i].name);
        status = weir__bench_row(bench, &row, operations[i].trial, &room);
    }
    weir__bench_settle(bench);
    weir_device_free(weir__bench_device(bench, device), room.to);
    weir_device_free(weir__bench_device(bench, device), room.from);
    weir__work_close(&room.work);
    return status;
}

weir_status weir__bench_memory(struct bench *bench)
{
    weir_status status = WEIR_OK;
    weir__bench_describe(bench, "GB/s", 1, "working set bytes",
                         "each device's own memory; copies count bytes read and bytes written");
    if (weir__skip_simulated(bench))
        return WEIR_OK;
    for (uint32_t i = 0; i < bench->devices && !status; i++)
        status = rows_of(bench, i);
    return status;
}
