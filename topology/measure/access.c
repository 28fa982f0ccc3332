/** @file access.c  Kernels of device 0 that read, write and add to memories near and far: in order, 16
 *  bytes a lane, and at random places, 4 bytes a lane (Groute, Figure 2(a)).
 *
 * Every trial is checked: reads by the sum of what was written before, writes by comparing, additions by
 * looking at the counters. The memory's own device fills it before and looks at it afterwards. */
#include "topology/measure/list.h"
#include "topology/measure/work.h"

#include <stdio.h>

/* Accesses of a trial at random places: a fraction of a second even over a bus. */
#define RANDOM_OWN  ((uint64_t)1 << 26)
#define RANDOM_PEER ((uint64_t)1 << 24)
#define RANDOM_HOME ((uint64_t)1 << 20)
#define RANDOM_CPU  ((uint64_t)1 << 18)

/* A memory and what is done to it. */
struct place {
    struct work *work, *owner; /* device 0's, and that of the memory's device */
    const struct target *target;
    void *data;
    uint64_t bytes;
    uint64_t random; /* accesses of a trial at random places */
    const char *what;
};

/* ---- in order --------------------------------------------------------------------------------------- */

static weir_status read_in_order(void *user, uint64_t number, double *gbs_out)
{
    struct place *p = user;
    struct weir__stream_args args = {.from = p->data, .bytes = p->bytes, .sum = p->work->sum};
    uint64_t sum = 0;
    double ms = 0;
    weir_status status = weir__work_fill(p->owner, p->data, p->bytes, number, 1);
    if (!status)
        status = weir__work_run(p->work, &weir__kernel_stream_read, &args, sizeof args, &ms, &sum);
    if (status)
        return status;
    *gbs_out = weir__gbs((double)p->bytes, ms);
    return weir__work_same(p->work, p->what, sum, weir__filled_sum(p->bytes, number));
}

static weir_status write_in_order(void *user, uint64_t number, double *gbs_out)
{
    struct place *p = user;
    struct weir__stream_args args = {
        .to = p->data, .bytes = p->bytes, .seed = number, .step = 1, .sum = p->work->sum};
    double ms = 0;
    weir_status status =
        weir__work_run(p->work, &weir__kernel_stream_write, &args, sizeof args, &ms, NULL);
    if (status)
        return status;
    *gbs_out = weir__gbs((double)p->bytes, ms);
    return weir__work_check(p->owner, p->data, p->bytes, number, 1, p->what);
}

static weir_status add_in_order(void *user, uint64_t number, double *gbs_out)
{
    struct place *p = user;
    uint64_t start = number % 0x10000 * 0x100000001u; /* both counters of 4 bytes in a word */
    struct weir__stream_args args = {.to = p->data,
                                     .bytes = p->bytes,
                                     .sum = p->work->sum,
                                     .system = (uint32_t)p->target->system};
    double ms = 0;
    weir_status status = weir__work_fill(p->owner, p->data, p->bytes, start, 0);
    if (!status)
        status = weir__work_run(p->work, &weir__kernel_stream_add, &args, sizeof args, &ms, NULL);
    if (status)
        return status;
    *gbs_out = weir__gbs((double)p->bytes, ms);
    return weir__work_check(p->owner, p->data, p->bytes, start + 0x100000001u, 0, p->what);
}

/* ---- at random places ------------------------------------------------------------------------------- */

static struct weir__random_args random_args(const struct place *p, uint64_t seed,
                                            enum weir__access access)
{
    return (struct weir__random_args){.data = p->data,
                                      .words = weir__words_in(p->bytes),
                                      .count = p->random,
                                      .seed = seed,
                                      .sum = p->work->sum,
                                      .access = access,
                                      .system = (uint32_t)p->target->system};
}

static weir_status read_at_random(void *user, uint64_t number, double *gbs_out)
{
    struct place *p = user;
    struct weir__random_args args = random_args(p, number, WEIR__READ);
    uint64_t sum = 0, expected = 0;
    double ms = 0;
    weir_status status = weir__work_fill(p->owner, p->data, p->bytes, number, 1);
    if (status ||
        (status = weir__work_run(p->work, &weir__kernel_random, &args, sizeof args, &ms, &sum)))
        return status;
    *gbs_out = weir__gbs(4.0 * (double)p->random, ms);
    args.access = WEIR__EXPECT;
    status = weir__work_run(p->work, &weir__kernel_random, &args, sizeof args, NULL, &expected);
    return status ? status : weir__work_same(p->work, p->what, sum, expected);
}

static weir_status write_at_random(void *user, uint64_t number, double *gbs_out)
{
    struct place *p = user;
    struct weir__random_args args = random_args(p, number, WEIR__WRITE);
    uint64_t wrong = p->random;
    double ms = 0;
    weir_status status =
        weir__work_run(p->work, &weir__kernel_random, &args, sizeof args, &ms, NULL);
    if (status)
        return status;
    *gbs_out = weir__gbs(4.0 * (double)p->random, ms);
    args.access = WEIR__CHECK;
    args.sum = p->owner->sum;
    status = weir__work_run(p->owner, &weir__kernel_random, &args, sizeof args, NULL, &wrong);
    return status ? status : weir__work_same(p->work, p->what, p->random - wrong, p->random);
}

static weir_status add_at_random(void *user, uint64_t number, double *gbs_out)
{
    struct place *p = user;
    struct weir__random_args args = random_args(p, number, WEIR__ADD);
    struct weir__counters_args counters = {p->data, args.words, p->owner->sum, 0};
    uint64_t sum = 0;
    double ms = 0;
    weir_status status = weir__work_fill(p->owner, p->data, p->bytes, 0, 0);
    if (status ||
        (status = weir__work_run(p->work, &weir__kernel_random, &args, sizeof args, &ms, NULL)))
        return status;
    *gbs_out = weir__gbs(4.0 * (double)p->random, ms);
    status =
        weir__work_run(p->owner, &weir__kernel_counters, &counters, sizeof counters, NULL, &sum);
    return status ? status : weir__work_same(p->work, p->what, sum, p->random);
}

/* ---- rows --------------------------------------------------------------------------------------------- */

static const struct operation {
    const char *name;
    weir__trial_fn trial;
    int reads, atomic, random;
} operations[] = {
    {.name = "coalesced read", .trial = read_in_order, .reads = 1},
    {.name = "coalesced write", .trial = write_in_order},
    {.name = "coalesced atomic add", .trial = add_in_order, .atomic = 1},
    {.name = "random read", .trial = read_at_random, .reads = 1, .random = 1},
    {.name = "random write", .trial = write_at_random, .random = 1},
    {.name = "random atomic add", .trial = add_at_random, .atomic = 1, .random = 1},
};
#define OPERATIONS (sizeof operations / sizeof *operations)

static weir_status row_of(struct place *p, const struct operation *operation)
{
    struct bench *bench = p->work->bench;
    uint64_t bytes = operation->random ? 4 * weir__words_in(p->bytes) : p->bytes;
    weir_bench_row row = {.verified = 1, .x = (double)bytes};
    snprintf(row.series, sizeof row.series, "%s, %s", p->target->what, operation->name);
    (void)weir__bench_label(bench, p->target->device, operation->reads ? row.from : row.to);
    (void)weir__bench_label(bench, p->work->device, operation->reads ? row.to : row.from);
    p->what = row.series;
    return weir__bench_row(bench, &row, operation->trial, p);
}

static uint64_t random_of(const struct bench *bench, const struct target *target)
{
    uint64_t count = RANDOM_CPU, most = bench->config.bytes / 4 * 4;
    if (weir__is_gpu(bench, 0))
        count = target->device == bench->devices ? RANDOM_HOME
                : target->device                 ? RANDOM_PEER
                                                 : RANDOM_OWN;
    return count < most ? count : most;
}

static weir_status rows_in(struct place *place)
{
    struct bench *bench = place->work->bench;
    uint32_t device = place->target->device;
    weir_status status = weir__work_memory(bench, device, &place->bytes, &place->data);
    for (size_t i = 0; i < OPERATIONS && !status; i++)
        if (place->target->atomics || !operations[i].atomic)
            status = row_of(place, &operations[i]);
    weir__bench_settle(bench);
    weir_device_free(weir__bench_device(bench, device), place->data);
    return status;
}

/* A GPU's caches do not hold what is behind a bus: one transfer's bytes are enough there. */
static weir_status rows_of(struct work *work, const struct target *target)
{
    struct bench *bench = work->bench;
    int bus = target->device == bench->devices && weir__is_gpu(bench, 0);
    struct work room;
    struct place place = {.work = work,
                          .target = target,
                          .bytes = bench->config.bytes * (bus ? 1 : WEIR__BEYOND_CACHES),
                          .random = random_of(bench, target)};
    weir_status status = weir__owner_open(work, target->device, &room, &place.owner);
    if (!status)
        status = rows_in(&place);
    weir__work_close(&room);
    return status;
}

weir_status weir__bench_access(struct bench *bench)
{
    struct target targets[TARGETS_MAX];
    struct work work;
    char label[16];
    weir_status status;
    weir__bench_describe(bench, "GB/s", 1, "working set bytes",
                         "memories as kernels of %s see them: coalesced 16 bytes a lane (atomics "
                         "4), random 4 bytes: 1 Gop/s is 4 GB/s",
                         weir__bench_label(bench, 0, label));
    if (weir__skip_simulated(bench))
        return WEIR_OK;
    if ((status = weir__work_open(&work, bench, 0)))
        return status;
    uint32_t count = weir__targets_find(bench, targets);
    for (uint32_t i = 0; i < count && !status; i++)
        status = rows_of(&work, &targets[i]);
    weir__work_close(&work);
    return status;
}
