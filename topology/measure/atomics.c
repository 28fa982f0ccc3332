/** @file atomics.c  Random reads and atomics of 4 bytes by the size of the memory they fall into: caches
 *  serve a small one. The largest is measured in the memory of peers too. */
#include "topology/measure/list.h"
#include "topology/measure/work.h"

#include <stdio.h>

/* Accesses of a trial. */
#define COUNT_OWN  ((uint64_t)1 << 26)
#define COUNT_PEER ((uint64_t)1 << 24)
#define COUNT_CPU  ((uint64_t)1 << 18)

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
static const uint64_t sets_gpu[] = {4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB, 1024 * MIB};
static const uint64_t sets_cpu[] = {64 * KIB, MIB, 16 * MIB, 64 * MIB};

/* One kind of access to one working set. */
struct job {
    struct work *work, *owner; /* device 0's, and that of the memory's device, which checks */
    const struct target *target;
    void *data;
    uint64_t bytes, count;
    enum weir__access access;
    const char *what;
};

static struct weir__random_args args_of(const struct job *job, uint64_t seed)
{
    return (struct weir__random_args){.data = job->data,
                                      .words = weir__words_in(job->bytes),
                                      .count = job->count,
                                      .seed = seed,
                                      .sum = job->work->sum,
                                      .access = job->access,
                                      .system = (uint32_t)job->target->system};
}

/* What the accesses start from: numbers to read, zeros to add to, or the largest number. */
static weir_status prepare(struct job *job, uint64_t seed)
{
    if (job->access == WEIR__READ)
        return weir__work_fill(job->owner, job->data, job->bytes, seed, 1);
    return weir__work_fill(job->owner, job->data, job->bytes,
                           job->access == WEIR__ADD_FLOAT ? 0 : UINT64_MAX, 0);
}

static weir_status sum_of_counters(struct job *job, uint64_t *sum_out)
{
    struct weir__counters_args args = {job->data, weir__words_in(job->bytes), job->owner->sum, 1};
    return weir__work_run(job->owner, &weir__kernel_counters, &args, sizeof args, NULL, sum_out);
}

/* @param[in] sum  that of the timed kernel. */
static weir_status check(struct job *job, struct weir__random_args args, uint64_t sum)
{
    uint64_t found = 0;
    weir_status status;
    if (job->access == WEIR__ADD_FLOAT) {
        status = sum_of_counters(job, &found);
        return status ? status : weir__work_same(job->work, job->what, found, job->count);
    }
    args.access = job->access == WEIR__READ ? WEIR__EXPECT : WEIR__CHECK;
    args.sum = job->owner->sum;
    if ((status =
             weir__work_run(job->owner, &weir__kernel_random, &args, sizeof args, NULL, &found)))
        return status;
    if (job->access == WEIR__READ)
        return weir__work_same(job->work, job->what, sum, found);
    return weir__work_same(job->work, job->what, job->count - found, job->count);
}

static weir_status trial(void *user, uint64_t number, double *gops_out)
{
    struct job *job = user;
    struct weir__random_args args = args_of(job, number);
    uint64_t sum = 0;
    double ms = 0;
    weir_status status = prepare(job, number);
    if (status ||
        (status = weir__work_run(job->work, &weir__kernel_random, &args, sizeof args, &ms, &sum)))
        return status;
    *gops_out = ms > 0 ? (double)job->count / (ms * 1e6) : 0;
    return check(job, args, sum);
}

static const struct {
    const char *name;
    enum weir__access access;
} operations[] = {
    {"random read", WEIR__READ},
    {"atomicMin, result used", WEIR__MIN},
    {"atomicMin, result unused", WEIR__MIN_UNUSED},
    {"atomicAdd of floats", WEIR__ADD_FLOAT},
};
#define OPERATIONS (sizeof operations / sizeof *operations)

static weir_status rows_of(struct job *job)
{
    struct bench *bench = job->work->bench;
    weir_bench_row row = {.x = (double)job->bytes, .verified = 1};
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < OPERATIONS && !status; i++) {
        job->access = operations[i].access;
        int reads = job->access == WEIR__READ;
        (void)weir__bench_label(bench, job->target->device, reads ? row.from : row.to);
        (void)weir__bench_label(bench, job->work->device, reads ? row.to : row.from);
        job->what = row.series;
        snprintf(row.series, sizeof row.series, "%s%s%s",
                 job->target->device ? job->target->what : "", job->target->device ? ", " : "",
                 operations[i].name);
        status = weir__bench_row(bench, &row, trial, job);
    }
    return status;
}

static uint64_t count_of(const struct bench *bench, const struct target *target)
{
    uint64_t count = target->device ? COUNT_PEER : COUNT_OWN, most = bench->config.bytes / 4 * 4;
    if (!weir__is_gpu(bench, 0))
        count = COUNT_CPU;
    return count < most ? count : most;
}

/* The working sets that lie within what the benchmarks of bandwidth use; one at least. */
static size_t sets_of(const struct bench *bench, const uint64_t **sets_out)
{
    int gpu = weir__is_gpu(bench, 0);
    size_t count = gpu ? sizeof sets_gpu / sizeof *sets_gpu : sizeof sets_cpu / sizeof *sets_cpu;
    *sets_out = gpu ? sets_gpu : sets_cpu;
    while (count > 1 && (*sets_out)[count - 1] > bench->config.bytes * WEIR__BEYOND_CACHES)
        count--;
    return count;
}

/* All sets from sets[first] on, in one memory that has room for the largest there is room for. */
static weir_status sweep_in(struct job *job, const uint64_t *sets, size_t first, size_t count)
{
    struct bench *bench = job->work->bench;
    uint64_t room = sets[count - 1];
    weir_status status = weir__work_memory(bench, job->target->device, &room, &job->data);
    for (size_t i = first; i < count && sets[i] <= room && !status; i++) {
        job->bytes = sets[i];
        status = rows_of(job);
    }
    weir__bench_settle(bench);
    weir_device_free(weir__bench_device(bench, job->target->device), job->data);
    return status;
}

static weir_status sweep(struct work *work, const struct target *target, const uint64_t *sets,
                         size_t first, size_t count)
{
    struct job job = {.work = work, .target = target, .count = count_of(work->bench, target)};
    struct work room;
    weir_status status = weir__owner_open(work, target->device, &room, &job.owner);
    if (!status)
        status = sweep_in(&job, sets, first, count);
    weir__work_close(&room);
    return status;
}

weir_status weir__bench_atomics(struct bench *bench)
{
    struct target own = {"", 0, 1, 0}, peers[PEERS_MAX];
    struct work work;
    const uint64_t *sets;
    char label[16];
    weir_status status;
    weir__bench_describe(bench, "Gop/s", 1, "working set bytes",
                         "random accesses of 4 bytes by kernels of %s; to peers in system scope",
                         weir__bench_label(bench, 0, label));
    if (weir__skip_simulated(bench))
        return WEIR_OK;
    if ((status = weir__work_open(&work, bench, 0)))
        return status;
    size_t count = sets_of(bench, &sets);
    status = sweep(&work, &own, sets, 0, count);
    uint32_t found = weir__peers_find(bench, peers);
    for (uint32_t i = 0; i < found && !status; i++)
        if (peers[i].atomics)
            status = sweep(&work, &peers[i], sets, count - 1, count);
    weir__work_close(&work);
    return status;
}
