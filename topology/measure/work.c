/** @file work.c  Kernels that are timed, the word they add to, and the memory they work on. */
#include "topology/measure/work.h"

#include <string.h>

#define LOAD(queue, name, args) \
    weir_queue_launch(queue, &weir__kernel_##name, &(args), sizeof(args))

/* Nothing to do, but each kernel there is. */
static weir_status load_in_scope(weir_queue *queue, uint64_t *sum, uint32_t system)
{
    struct weir__stream_args stream = {.sum = sum, .system = system};
    struct weir__random_args random = {.words = 1, .sum = sum, .system = system};
    weir_status status = LOAD(queue, stream_add, stream);
    for (uint32_t access = 0; access <= WEIR__CHECK && !status; access++) {
        random.access = access;
        status = LOAD(queue, random, random);
    }
    return status;
}

static weir_status load(struct work *work)
{
    struct weir__stream_args stream = {.to = work->sum, .from = work->sum, .sum = work->sum};
    struct weir__counters_args counters = {.sum = work->sum};
    weir_queue *queue;
    weir_status status = weir__bench_queue(work->bench, work->device, &queue);
    if (status || (status = LOAD(queue, stream_read, stream)) ||
        (status = LOAD(queue, stream_write, stream)) ||
        (status = LOAD(queue, stream_copy, stream)) ||
        (status = LOAD(queue, stream_check, stream)) ||
        (status = LOAD(queue, counters, counters)) ||
        (status = load_in_scope(queue, work->sum, 0)) ||
        (status = load_in_scope(queue, work->sum, 1)))
        return status;
    return weir__bench_drain(work->bench, work->device, "loading kernels");
}

weir_status weir__work_open(struct work *work, struct bench *bench, uint32_t device)
{
    weir_status status;
    memset(work, 0, sizeof *work);
    work->bench = bench;
    work->device = device;
    if ((status = weir__bench_alloc(bench, device, sizeof *work->sum, &work->sum)) ||
        (status = weir__bench_alloc(bench, bench->devices, sizeof *work->answer, &work->answer)) ||
        (status = load(work)) || (status = weir__region_open(&work->region, bench, &device, 1)))
        weir__work_close(work);
    return status;
}

void weir__work_close(struct work *work)
{
    if (!work->bench)
        return;
    weir__region_close(&work->region);
    weir__bench_settle(work->bench);
    weir_device_free(weir__bench_device(work->bench, work->bench->devices), work->answer);
    weir_device_free(weir__bench_device(work->bench, work->device), work->sum);
    memset(work, 0, sizeof *work);
}

weir_status weir__owner_open(struct work *work, uint32_t device, struct work *room,
                             struct work **owner_out)
{
    memset(room, 0, sizeof *room);
    *owner_out = device == work->device ? work : room;
    return *owner_out == work ? WEIR_OK : weir__work_open(room, work->bench, device);
}

static weir_status timed(struct work *work, const weir_kernel *kernel, const void *args,
                         size_t args_bytes, double *ms_out)
{
    weir_status status = weir__region_begin(&work->region);
    if (status)
        return status;
    status = weir_queue_launch(work->region.queue[0], kernel, args, args_bytes);
    return weir__region_end(&work->region, status, ms_out);
}

static weir_status untimed(struct work *work, const weir_kernel *kernel, const void *args,
                           size_t args_bytes)
{
    weir_queue *queue;
    weir_status status = weir__bench_queue(work->bench, work->device, &queue);
    if (status || (status = weir_queue_launch(queue, kernel, args, args_bytes)))
        return status;
    return weir__bench_drain(work->bench, work->device, kernel->name);
}

static weir_status clear_sum(struct work *work)
{
    weir_queue *queue;
    weir_status status = weir__bench_queue(work->bench, work->device, &queue);
    if (status || (status = weir_queue_fill(queue, work->sum, 0, sizeof *work->sum)))
        return status;
    return weir__bench_drain(work->bench, work->device, "clearing a sum");
}

static weir_status fetch_sum(struct work *work, uint64_t *sum_out)
{
    struct bench *bench = work->bench;
    weir_queue *queue;
    weir_status status = weir__bench_queue(bench, work->device, &queue);
    if (status || (status = weir_queue_copy(queue, weir__bench_device(bench, bench->devices),
                                            work->answer, weir__bench_device(bench, work->device),
                                            work->sum, sizeof *work->sum)))
        return status;
    if (!(status = weir__bench_drain(bench, work->device, "reading a sum")))
        *sum_out = *work->answer;
    return status;
}

weir_status weir__work_run(struct work *work, const weir_kernel *kernel, const void *args,
                           size_t args_bytes, double *ms_out, uint64_t *sum_out)
{
    weir_status status = clear_sum(work);
    if (!status)
        status = ms_out ? timed(work, kernel, args, args_bytes, ms_out)
                        : untimed(work, kernel, args, args_bytes);
    if (!status && sum_out)
        status = fetch_sum(work, sum_out);
    return status;
}

weir_status weir__work_fill(struct work *work, void *data, uint64_t bytes, uint64_t seed,
                            uint64_t step)
{
    struct weir__stream_args args = {.to = data, .bytes = bytes, .seed = seed, .step = step};
    return weir__work_run(work, &weir__kernel_stream_write, &args, sizeof args, NULL, NULL);
}

weir_status weir__work_check(struct work *work, const void *data, uint64_t bytes, uint64_t seed,
                             uint64_t step, const char *what)
{
    struct weir__stream_args args = {
        .from = data, .bytes = bytes, .seed = seed, .step = step, .sum = work->sum};
    uint64_t wrong;
    weir_status status =
        weir__work_run(work, &weir__kernel_stream_check, &args, sizeof args, NULL, &wrong);
    if (status || !wrong)
        return status;
    return weir__fail(WEIR_ERR_VERIFY, "%s: %llu of %llu words are wrong", what,
                      (unsigned long long)wrong, (unsigned long long)(bytes / 8));
}

weir_status weir__work_same(const struct work *work, const char *what, uint64_t got,
                            uint64_t expected)
{
    char label[16];
    if (got == expected)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_VERIFY, "%s by %s: the sum of the results is %llu instead of %llu",
                      what, weir__bench_label(work->bench, work->device, label),
                      (unsigned long long)got, (unsigned long long)expected);
}

weir_status weir__work_memory(struct bench *bench, uint32_t device, uint64_t *bytes,
                              void **data_out)
{
    uint64_t least = weir__is_gpu(bench, device) ? WEIR__LEAST_GPU : WEIR__LEAST_HOST;
    if (!weir__is_gpu(bench, device) && *bytes > weir__host_room(bench) / 4)
        *bytes = weir__host_room(bench) / 4; /* two such, and room for others */
    *bytes = *bytes / 64 * 64;
    weir_status status = weir__bench_alloc(bench, device, *bytes, data_out);
    while (status == WEIR_ERR_NOMEM && *bytes > least) {
        *bytes = *bytes / 128 * 64 > least ? *bytes / 128 * 64 : least;
        status = weir__bench_alloc(bench, device, *bytes, data_out);
    }
    return status;
}

uint64_t weir__filled_sum(uint64_t bytes, uint64_t seed)
{
    uint64_t words = bytes / 8;
    return words * seed + words / 2 * (words - 1); /* modulo 2^64, as the kernel adds */
}

uint64_t weir__words_in(uint64_t bytes)
{
    uint64_t words = 1;
    while (words * 2 <= bytes / 4)
        words *= 2;
    return words;
}

int weir__skip_simulated(struct bench *bench)
{
    if (bench->simulated)
        (void)weir__bench_skip(bench, "a simulated machine runs no kernels of its own: "
                                      "their time would be the host's");
    return bench->simulated;
}

int weir__is_gpu(const struct bench *bench, uint32_t device)
{
    return weir__device_is_gpu(weir__bench_device(bench, device));
}
