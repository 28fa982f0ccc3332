/** @file measure_machine.c  A machine with measured figures in place of assumed ones.
 *
 * A copy of b bytes is taken to cost overhead + latency + b / bandwidth; n of them back to back in a
 * region cost the region's frame and n times that. FEW and MANY small copies differ by what one of
 * them costs: its *floor*; what FEW cost above their floors is the frame. A large copy costs the
 * frame, the floor and the time of its bytes: that is the bandwidth. A device's copy within its own memory
 * has no latency, so its floor is the overhead; what the floor of a pair is above that is the
 * pair's latency. Overheads are those of device 0; figures of staged pairs follow from those of
 * their two halves. */
#include "topology/measure/kernels.h"
#include "topology/measure/schedule.h"

#include <stdio.h>
#include <stdlib.h>

#define FEW            WEIR__COPIES_FEW
#define MANY           WEIR__COPIES_MANY
#define SMALL          4096u
#define LEAST_US       1e-4  /* less is no time: the memory is as fast as one likes */
#define MEASURED_LEAST 0.001 /* us, of overheads and latencies: 0 would mean unknown */

static double at_least(double us)
{
    return us > MEASURED_LEAST ? us : MEASURED_LEAST;
}

static double last_median(const struct bench *bench)
{
    return bench->table->rows[bench->table->count - 1].median;
}

/* Time of `repeats` copies of `bytes`, in us. */
static weir_status time_copies(struct bench *bench, uint32_t from, uint32_t to, enum way way,
                               uint64_t bytes, uint32_t repeats, double *us_out)
{
    struct schedule schedule;
    struct carrier carrier;
    weir__schedule_init(&schedule, bench);
    char *source = weir__schedule_source(&schedule, from, bytes * repeats, 0);
    char *target = weir__schedule_target(&schedule, to, bytes * repeats, 0);
    weir__carrier_init(&carrier, bench, from, to, way, bytes, 1);
    weir__carrier_message(&schedule, &carrier, target, source, bytes * repeats, bytes);
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

struct weir__speed weir__speed_of(const struct weir__copy_times *times)
{
    double floor_us = one_of(times->few_us, times->many_us);
    double frame_us = times->few_us - FEW * floor_us; /* noise must not make it negative */
    double bytes_us = times->large_us - floor_us - (frame_us > 0 ? frame_us : 0);
    double bytes = (double)(times->large - times->small);
    if (bytes == 0 || bytes_us <= 0) { /* one size, or noise: the plain quotient */
        bytes = (double)times->large;
        bytes_us = times->large_us;
    }
    return (struct weir__speed){floor_us, bytes_us > LEAST_US ? bytes / (bytes_us * 1e3) : 0};
}

static weir_status measure_speed(struct bench *bench, uint32_t from, uint32_t to, enum way way,
                                 struct weir__speed *speed_out)
{
    uint64_t large = bench->config.bytes, small = large < SMALL ? large : SMALL;
    struct weir__copy_times times = {.small = small, .large = large};
    weir_status status;
    if ((status = time_copies(bench, from, to, way, small, FEW, &times.few_us)) ||
        (status = time_copies(bench, from, to, way, small, MANY, &times.many_us)) ||
        (status = time_copies(bench, from, to, way, large, 1, &times.large_us)))
        return status;
    *speed_out = weir__speed_of(&times);
    return WEIR_OK;
}

/* The floor without the bytes' part. */
static double overhead_us(const struct bench *bench, const struct weir__speed *speed)
{
    double small = bench->config.bytes < SMALL ? (double)bench->config.bytes : SMALL;
    return at_least(speed->floor_us - (speed->gbs > 0 ? small / (speed->gbs * 1e3) : 0));
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

static weir_status warm_up(weir_queue *queue)
{
    uint64_t nothing = 0;
    weir_status status = weir_queue_launch(queue, &weir__kernel_empty, &nothing, sizeof nothing);
    return status ? status : weir_queue_sync(queue);
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
    if (!status) /* a kernel's first launch loads it, which may wait for streams that are held */
        status = warm_up(launches.region.queue[0]);
    for (int i = 0; i < 2 && !status; i++) {
        launches.count = counts[i];
        if (!(status = weir__bench_row(bench, &row, launch_trial, &launches)))
            us[i] = last_median(bench);
    }
    weir__region_close(&launches.region);
    *us_out = at_least(one_of(us[0], us[1]));
    return status;
}

/* ---- the machine ---------------------------------------------------------------------------- */

static weir_status measure_local(struct bench *bench, weir_machine *machine)
{
    weir_status status = WEIR_OK;
    struct weir__speed speed;
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
    struct weir__speed speed;
    weir_status status = measure_speed(bench, from, to, WAY_ENGINE, &speed);
    if (status)
        return status;
    pair->bandwidth_gbs = speed.gbs;
    pair->latency_us = at_least(overhead_us(bench, &speed) - machine->overheads.copy_us);
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
        status = weir__bench_judge(&bench, measure_all(&bench, machine));
    }
    weir__bench_close(&bench);
    weir_bench_table_destroy(bench.table);
    if (status)
        weir_machine_destroy(machine);
    else
        *machine_out = machine;
    return status;
}
