/** @file measure_machine.c  A machine with measured figures in place of assumed ones.
 *
 * A copy of b bytes is taken to cost overhead + latency + b / bandwidth. FEW and MANY small
 * copies, back to back, differ by what one of them costs: its *floor*. A large copy costs the
 * floor and the time of its bytes: that is the bandwidth. A device's copy within its own memory
 * has no latency, so its floor is the overhead; what the floor of a pair is above that is the
 * pair's latency. Overheads are those of device 0; figures of staged pairs follow from those of
 * their two halves. */
#include "topology/measure/kernels.h"
#include "topology/measure/schedule.h"

#include <stdio.h>
#include <stdlib.h>

#define FEW           8u
#define MANY          64u
#define SMALL         4096u
#define LEAST_US      1e-4  /* less is no time: the memory is as fast as one likes */
#define LATENCY_LEAST 0.001 /* of a measured pair, in us: 0 would mean unknown */

struct speed {
    double floor_us; /* of a small copy */
    double gbs;      /* 0: the bytes cost nothing that could be measured */
};

static double last_median(const struct bench *bench)
{
    return bench->table->rows[bench->table->count - 1].median;
}

/* Time of `repeats` copies of `bytes`, in us. */
static weir_status time_copies(struct bench *bench, uint32_t from, uint32_t to, enum way way,
                               uint64_t bytes, uint32_t repeats, double *us_out)
{
    struct schedule schedule;
    struct lane lane;
    weir__schedule_init(&schedule, bench);
    char *source = weir__schedule_source(&schedule, from, bytes * repeats, 0);
    char *target = weir__schedule_target(&schedule, to, bytes * repeats, 0);
    weir__lane_init(&lane, bench, from, to, way, bytes, 1);
    weir__lane_message(&schedule, &lane, target, source, bytes * repeats, bytes);
    weir_bench_row row = weir__row_make(bench, from, to, (double)bytes, "%s", weir__way_text[way]);
    weir_status status = weir__schedule_row(&schedule, &row);
    weir__schedule_free(&schedule);
    if (!status)
        *us_out = last_median(bench);
    return status;
}

/* What one costs where FEW and MANY took so long; noise must not make it negative. */
static double one_of(double few_us, double many_us)
{
    double us = (many_us - few_us) / (MANY - FEW);
    return us > 0 ? us : many_us / MANY;
}

static weir_status measure_speed(struct bench *bench, uint32_t from, uint32_t to, enum way way,
                                 struct speed *speed_out)
{
    uint64_t large = bench->config.bytes, small = large < SMALL ? large : SMALL;
    double few, many, whole;
    weir_status status;
    if ((status = time_copies(bench, from, to, way, small, FEW, &few)) ||
        (status = time_copies(bench, from, to, way, small, MANY, &many)) ||
        (status = time_copies(bench, from, to, way, large, 1, &whole)))
        return status;
    double floor_us = one_of(few, many), bytes_us = whole - floor_us;
    double bytes = (double)(large - small);
    if (bytes == 0 || bytes_us <= 0) { /* one size, or noise: the plain quotient */
        bytes = (double)large;
        bytes_us = whole;
    }
    speed_out->floor_us = floor_us;
    speed_out->gbs = bytes_us > LEAST_US ? bytes / (bytes_us * 1e3) : 0;
    return WEIR_OK;
}

/* The floor without the bytes' part. */
static double overhead_us(const struct bench *bench, const struct speed *speed)
{
    double small = bench->config.bytes < SMALL ? (double)bench->config.bytes : SMALL;
    double us = speed->floor_us - (speed->gbs > 0 ? small / (speed->gbs * 1e3) : 0);
    return us > 0 ? us : 0;
}

/* ---- launches ------------------------------------------------------------------------------- */

struct launches {
    struct region region;
    uint32_t count;
};

static weir_status launch_trial(void *user, uint64_t number, double *value_out)
{
    struct launches *launches = user;
    uint64_t nothing = number; /* the kernel looks at no arguments */
    weir_status status = weir__region_begin(&launches->region);
    for (uint32_t i = 0; i < launches->count && !status; i++)
        status = weir_queue_launch(launches->region.queue[0], &weir__kernel_empty, &nothing,
                                   sizeof nothing);
    status = weir__region_end(&launches->region, status, value_out);
    *value_out *= 1000;
    return status;
}

static weir_status measure_launch(struct bench *bench, double *us_out)
{
    static const uint32_t counts[] = {FEW, MANY};
    struct launches launches;
    double us[2] = {0, 0};
    uint32_t device = 0;
    weir_bench_row row = weir__row_make(bench, 0, QUEUE_NONE, 0, "launch");
    weir_status status = weir__region_open(&launches.region, bench, &device, 1);
    row.verified = 0;
    for (int i = 0; i < 2 && !status; i++) {
        launches.count = counts[i];
        if (!(status = weir__bench_row(bench, &row, launch_trial, &launches)))
            us[i] = last_median(bench);
    }
    weir__region_close(&launches.region);
    *us_out = one_of(us[0], us[1]);
    return status;
}

/* ---- the machine ---------------------------------------------------------------------------- */

static weir_status measure_local(struct bench *bench, weir_machine *machine)
{
    weir_status status = WEIR_OK;
    struct speed speed;
    for (uint32_t d = 0; d <= machine->devices && !status; d++) {
        if ((status = measure_speed(bench, d, d, WAY_KERNEL, &speed)))
            break;
        machine->node[d].memory_gbs = 2 * speed.gbs; /* every byte is read and written */
        if (d == 0)
            machine->overheads.push_us = overhead_us(bench, &speed);
    }
    if (!status && !(status = measure_speed(bench, 0, 0, WAY_ENGINE, &speed)))
        machine->overheads.copy_us = overhead_us(bench, &speed);
    return status;
}

static weir_status measure_pair(struct bench *bench, weir_machine *machine, uint32_t from,
                                uint32_t to)
{
    weir_pair *pair = weir__machine_pair(machine, from, to);
    struct speed speed;
    weir_status status = measure_speed(bench, from, to, WAY_ENGINE, &speed);
    if (status)
        return status;
    double latency = overhead_us(bench, &speed) - machine->overheads.copy_us;
    pair->bandwidth_gbs = speed.gbs;
    pair->latency_us = latency > LATENCY_LEAST ? latency : LATENCY_LEAST;
    return WEIR_OK;
}

static weir_status measure_all(struct bench *bench, weir_machine *machine)
{
    weir_status status = measure_launch(bench, &machine->overheads.launch_us);
    if (!status)
        status = measure_local(bench, machine);
    for (uint32_t from = 0; from <= machine->devices && !status; from++)
        for (uint32_t to = 0; to <= machine->devices && !status; to++)
            if (from != to &&
                weir_device_reaches(weir__bench_device(bench, from), weir__bench_device(bench, to)))
                status = measure_pair(bench, machine, from, to);
    return status ? status : weir__machine_finish(machine);
}

weir_status weir_machine_measure(weir_context *context, const weir_bench_config *config,
                                 weir_machine **machine_out)
{
    struct bench bench;
    weir_machine *machine = NULL;
    weir_status status = weir__bench_open(&bench, context, config);
    *machine_out = NULL;
    if (status)
        return status;
    status = weir__calloc(1, sizeof *bench.table, "table of figures", &bench.table);
    if (!status)
        status = weir__machine_copy(bench.machine, &machine);
    if (!status) {
        snprintf(bench.table->name, sizeof bench.table->name, "measure");
        snprintf(machine->source, sizeof machine->source, "measured");
        status = measure_all(&bench, machine);
    }
    weir__bench_close(&bench);
    weir_bench_table_destroy(bench.table);
    if (status)
        weir_machine_destroy(machine);
    else
        *machine_out = machine;
    return status;
}
