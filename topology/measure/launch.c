/** @file launch.c  What it costs to start a kernel, and what barriers inside running kernels cost, which
 *  are there to save starts; and what the frame of a timed region adds to every other figure. */
#include "topology/measure/list.h"
#include "topology/measure/partners.h"

#include <stdio.h>

#define LAUNCHES       2000u
#define GRID_ROUNDS    1000u
#define BARRIER_ROUNDS 20000u

/* ---- launches ----------------------------------------------------------------------------------------- */

struct launches {
    struct bench *bench;
    weir_queue *queue;
    weir_stamp *start, *stop;
};

static weir_status launch_many(struct launches *l)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < LAUNCHES && !status; i++)
        status = weir_queue_launch(l->queue, &weir__kernel_empty, NULL, 0);
    return status;
}

/* The queue is not held: how fast the host puts launches in is part of it. */
static weir_status back_to_back(void *user, uint64_t number, double *us_out)
{
    struct launches *l = user;
    double ms = 0;
    weir_status status, drained;
    (void)number;
    if (!(status = weir_queue_stamp(l->queue, l->start)) && !(status = launch_many(l)))
        status = weir_queue_stamp(l->queue, l->stop);
    drained = weir__bench_drain(l->bench, 0, "launches");
    if (!status)
        status = drained;
    if (!status)
        status = weir_stamp_elapsed(l->start, l->stop, &ms);
    weir__bench_took(l->bench, ms);
    *us_out = ms * 1e3 / LAUNCHES;
    return status;
}

static weir_status and_wait(void *user, uint64_t number, double *us_out)
{
    struct launches *l = user;
    uint64_t begin = weir__now_ns();
    weir_status status = WEIR_OK;
    (void)number;
    for (uint32_t i = 0; i < LAUNCHES && !status; i++)
        if (!(status = weir_queue_launch(l->queue, &weir__kernel_empty, NULL, 0)))
            status = weir_queue_sync(l->queue);
    const double ms = weir__elapsed_ms(begin);
    weir__bench_took(l->bench, ms);
    *us_out = ms * 1e3 / LAUNCHES;
    return status;
}

static weir_status row_of(struct bench *bench, const char *series, weir__trial_fn trial, void *user)
{
    weir_bench_row row = {.verified = 0};
    snprintf(row.series, sizeof row.series, "%s", series);
    (void)weir__bench_label(bench, 0, row.from);
    return weir__bench_row(bench, &row, trial, user);
}

static weir_status rows_of_launches(struct bench *bench)
{
    struct launches l = {bench, NULL, NULL, NULL};
    weir_device *device = weir__bench_device(bench, 0);
    weir_status status = weir__bench_queue(bench, 0, &l.queue);
    if (!status && !(status = weir_stamp_create(device, &l.start)))
        status = weir_stamp_create(device, &l.stop);
    if (!status)
        status = row_of(bench, "launch, back to back", back_to_back, &l);
    if (!status && !bench->simulated)
        status = row_of(bench, "launch and wait, host's clock", and_wait, &l);
    weir__bench_settle(bench);
    weir_stamp_destroy(l.stop);
    weir_stamp_destroy(l.start);
    return status;
}

/* ---- the frame of a region ------------------------------------------------------------------ */

static weir_status empty_region(void *user, uint64_t number, double *us_out)
{
    struct region *region = user;
    weir_status status = weir__region_begin(region);
    (void)number;
    if (status)
        return status;
    status = weir__region_end(region, WEIR_OK, us_out);
    *us_out *= 1e3;
    return status;
}

/* Nothing between the stamps but what every region has: marks that join its queues. */
static weir_status row_of_frame(struct bench *bench, uint32_t queues)
{
    uint32_t devices[WEIR_DEVICES_MAX] = {0};
    char series[48];
    struct region region;
    for (uint32_t i = 1; i < queues; i++)
        devices[i] = i;
    weir_status status = weir__region_open(&region, bench, devices, queues);
    if (status)
        return status;
    snprintf(series, sizeof series, "empty region, %u queue%s", queues, queues > 1 ? "s" : "");
    status = row_of(bench, series, empty_region, &region);
    weir__region_close(&region);
    return status;
}

static weir_status rows_of_frames(struct bench *bench)
{
    weir_status status = row_of_frame(bench, 1);
    return status || bench->devices < 2 ? status : row_of_frame(bench, bench->devices);
}

/* ---- the blocks of one kernel --------------------------------------------------------------------------- */

struct grid {
    struct region region;
    uint32_t blocks;
};

static weir_status launch_grid(struct grid *grid, uint32_t rounds)
{
    struct weir__grid_args args = {rounds, grid->blocks};
    return weir_queue_launch(grid->region.queue[0], &weir__kernel_grid, &args, sizeof args);
}

static weir_status grid_barrier(void *user, uint64_t number, double *us_out)
{
    struct grid *grid = user;
    double ms = 0;
    weir_status status = weir__region_begin(&grid->region);
    (void)number;
    if (status)
        return status;
    status = weir__region_end(&grid->region, launch_grid(grid, GRID_ROUNDS), &ms);
    *us_out = ms * 1e3 / GRID_ROUNDS;
    return status;
}

static weir_status rows_of_grids(struct bench *bench)
{
    uint32_t device = 0;
    struct grid grid;
    weir_status status = weir__region_open(&grid.region, bench, &device, 1);
    for (grid.blocks = 1; grid.blocks <= 2 && !status; grid.blocks++) {
        char series[48];
        snprintf(series, sizeof series, "grid barrier, %u block%s a multiprocessor", grid.blocks,
                 grid.blocks > 1 ? "s" : "");
        if (!(status = launch_grid(&grid, 0)) && /* loads it */
            !(status = weir_queue_sync(grid.region.queue[0])))
            status = row_of(bench, series, grid_barrier, &grid);
    }
    weir__region_close(&grid.region);
    return status;
}

/* ---- several GPUs --------------------------------------------------------------------------------------- */

static weir_status launch_barrier(struct partners *p, uint32_t i, uint32_t rounds)
{
    struct weir__barrier_args args = {
        .me = i, .devices = p->count, .base = p->base, .rounds = rounds, .patience = p->patience};
    for (uint32_t d = 0; d < p->count; d++)
        args.flags[d] = p->flags[d];
    return weir_queue_launch(p->region.queue[i], &weir__kernel_barrier, &args, sizeof args);
}

static weir_status barrier(void *user, uint64_t number, double *us_out)
{
    double ms = 0;
    weir_status status = weir__partners_run(user, launch_barrier, BARRIER_ROUNDS, &ms);
    (void)number;
    *us_out = ms * 1e3 / BARRIER_ROUNDS;
    return status;
}

static weir_status row_of_barrier(struct bench *bench, const uint32_t *devices, uint32_t count)
{
    char series[48];
    struct partners partners;
    weir_status status = weir__partners_open(&partners, bench, devices, count, launch_barrier);
    if (status)
        return status;
    snprintf(series, sizeof series, "barrier inside kernels of %u GPUs", count);
    status = row_of(bench, series, barrier, &partners);
    weir__partners_close(&partners);
    return status;
}

/* GPUs in order, each of which all before it reach and are reached by. @return how many. */
static uint32_t clique(const struct bench *bench, uint32_t devices[WEIR_DEVICES_MAX])
{
    uint32_t count = 0;
    for (uint32_t d = 0; d < bench->devices; d++) {
        weir_device *device = weir__bench_device(bench, d);
        int all = weir__is_gpu(bench, d);
        for (uint32_t i = 0; i < count; i++) {
            weir_device *other = weir__bench_device(bench, devices[i]);
            all &= weir_device_reaches(device, other) && weir_device_reaches(other, device);
        }
        if (all)
            devices[count++] = d;
    }
    return count;
}

static weir_status rows_of_barriers(struct bench *bench)
{
    uint32_t devices[WEIR_DEVICES_MAX], most = clique(bench, devices);
    weir_status status = WEIR_OK;
    for (uint32_t count = 2; count < most && !status; count *= 2)
        status = row_of_barrier(bench, devices, count);
    return status || most < 2 ? status : row_of_barrier(bench, devices, most);
}

weir_status weir__bench_launch(struct bench *bench)
{
    int waits = !bench->simulated && weir__is_gpu(bench, 0); /* kernels may wait for others */
    weir_status status;
    weir__bench_describe(bench, "us", 0, "",
                         "starting empty kernels; the frame of a timed region, one queue a "
                         "device%s",
                         waits ? "; barriers inside running kernels" : "");
    if ((status = rows_of_launches(bench)) || (status = rows_of_frames(bench)) || !waits)
        return status;
    if ((status = rows_of_grids(bench)))
        return status;
    return rows_of_barriers(bench);
}
