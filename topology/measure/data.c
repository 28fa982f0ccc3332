/** @file data.c  Bytes that can be checked, made and compared by the device they lie on; devices by their numbers. */
#include "topology/measure/kernels.h"
#include "topology/measure/measure.h"

#include "runtime/internal.h"

#include <stdio.h>
#include <string.h>

#define POISON 0xa5
#define SHARES 64u /* a pattern's parts, where threads take them */

weir_device *weir__bench_device(const struct bench *bench, uint32_t device)
{
    return device == bench->devices ? weir_context_home(bench->context)
                                    : weir_context_device(bench->context, device);
}

const char *weir__bench_label(const struct bench *bench, uint32_t device, char room[16])
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    if (device == bench->devices)
        return strcpy(room, "home");
    weir_device_info_get(weir__bench_device(bench, device), &info);
    return memcpy(room, info.label, sizeof info.label);
}

weir_status weir__bench_alloc(struct bench *bench, uint32_t device, uint64_t bytes, void *data_out)
{
    weir_status status = weir_device_alloc(weir__bench_device(bench, device), bytes, data_out);
    if (status != WEIR_ERR_NOMEM)
        return status;
    return weir__fail(status, "%s; use --bytes with less", weir_error_detail());
}

weir_status weir__bench_queue(struct bench *bench, uint32_t device, weir_queue **queue_out)
{
    weir_status status = WEIR_OK;
    if (!bench->queue[device])
        status = weir_queue_create(weir__bench_device(bench, device), 0, &bench->queue[device]);
    *queue_out = bench->queue[device];
    return status;
}

void weir__bench_settle(struct bench *bench)
{
    /* The sentence that stands already; a queue's own failure comes after it. */
    struct weir__sentence first = weir__fail_keep();
    for (uint32_t i = 0; i <= bench->devices; i++)
        if (bench->queue[i])
            (void)weir_queue_sync(bench->queue[i]);
    weir__fail_restore(&first);
}

weir_status weir__bench_drain(struct bench *bench, uint32_t device, const char *what)
{
    char label[16];
    weir_event *event;
    weir_status status = weir_event_acquire(weir__bench_device(bench, device), &event);
    if (status == WEIR_FULL)
        status = weir__fail(WEIR_ERR_NOMEM, "%s has no event left: raise WEIR_EVENTS",
                            weir__bench_label(bench, device, label));
    else if (!status && !(status = weir_queue_record(bench->queue[device], event)))
        status = weir_event_wait(event, (int64_t)bench->config.limit_ms);
    if (status == WEIR_ERR_TIMEOUT)
        (void)weir__fail(status, "%s: %s did not end within %u ms",
                         weir__bench_label(bench, device, label), what, bench->config.limit_ms);
    if (status) /* what the queue still works on is given back by the caller */
        weir__bench_settle(bench);
    weir_event_release(event);
    return status;
}

weir_status weir__pattern_poison(struct bench *bench, uint32_t device, void *data, uint64_t bytes)
{
    weir_queue *queue;
    weir_status status = weir__bench_queue(bench, device, &queue);
    if (!status)
        status = weir_queue_fill(queue, data, POISON, bytes);
    return status ? status : weir__bench_drain(bench, device, "a fill");
}

struct shares {
    const weir_context *context;
    const weir_kernel *kernel;
    const void *args;
};

static void run_shares(void *user, uint64_t begin, uint64_t end)
{
    const struct shares *shares = user;
    const weir_context *before = weir__drop_enter(shares->context);
    for (uint64_t i = begin; i < end; i++)
        shares->kernel->host(shares->args, (uint32_t)i, SHARES);
    (void)weir__drop_enter(before);
}

/* A kernel over a pattern. Nobody times it, and a simulated device has one worker and plain host
 * memory, in which nothing is under way now: all cores take part there. */
static weir_status run(struct bench *bench, weir_queue *queue, const weir_kernel *kernel,
                       const struct weir__pattern_args *args)
{
    struct shares shares = {bench->context, kernel, args};
    if (!bench->simulated)
        return weir_queue_launch(queue, kernel, args, sizeof *args);
    weir__parallel_for(SHARES, 1, 0, run_shares, &shares);
    return WEIR_OK;
}

weir_status weir__pattern_put(struct bench *bench, uint32_t device, void *data, uint64_t bytes,
                              uint64_t seed)
{
    struct weir__pattern_args args = {data, bytes / sizeof(uint64_t), seed, NULL};
    weir_queue *queue;
    weir_status status = weir__bench_queue(bench, device, &queue);
    if (!status)
        status = run(bench, queue, &weir__kernel_pattern_put, &args);
    return status ? status : weir__bench_drain(bench, device, "writing a pattern");
}

/* The words a check counts in, one of the device's and one of the home memory. */
static weir_status words(struct bench *bench, uint32_t device)
{
    weir_status status = WEIR_OK;
    if (!bench->answer)
        status = weir__bench_alloc(bench, bench->devices, sizeof *bench->answer, &bench->answer);
    if (!status && !bench->wrong[device])
        status =
            weir__bench_alloc(bench, device, sizeof *bench->wrong[device], &bench->wrong[device]);
    return status;
}

static weir_status count_wrong(struct bench *bench, uint32_t device,
                               const struct weir__pattern_args *args)
{
    weir_device *on = weir__bench_device(bench, device);
    weir_queue *queue;
    weir_status status = weir__bench_queue(bench, device, &queue);
    *bench->answer = UINT64_MAX;
    if (status ||
        (status = weir_queue_fill(queue, bench->wrong[device], 0, sizeof *bench->answer)) ||
        (status = weir__bench_drain(bench, device, "clearing a count")) ||
        (status = run(bench, queue, &weir__kernel_pattern_check, args)) ||
        (status = weir_queue_copy(queue, weir_context_home(bench->context), bench->answer, on,
                                  bench->wrong[device], sizeof *bench->answer)))
        return status;
    return weir__bench_drain(bench, device, "comparing a pattern");
}

weir_status weir__pattern_check(struct bench *bench, uint32_t device, const void *data,
                                uint64_t bytes, uint64_t seed, const char *what)
{
    struct weir__pattern_args args = {(void *)(uintptr_t)data, bytes / sizeof(uint64_t), seed,
                                      NULL};
    char label[16];
    weir_status status = words(bench, device);
    if (status)
        return status;
    args.wrong = bench->wrong[device];
    if ((status = count_wrong(bench, device, &args)) || !*bench->answer)
        return status;
    return weir__fail(WEIR_ERR_VERIFY, "%s: %llu of %llu words at %s are wrong", what,
                      (unsigned long long)*bench->answer, (unsigned long long)args.words,
                      weir__bench_label(bench, device, label));
}
