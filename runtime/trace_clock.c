/** @file trace_clock.c  Times that GPUs take for a trace: stamps around operations, and their way to the host's clock.
 *
 * A GPU has two clocks here: that of its events (stamps), which are known by their distance from a base, and that of its
 * kernels (weir_clock_ns()). Each is read beside the host's clock when the trace begins and when it ends: the host notes
 * its time, has the GPU read its own, and notes its time again. So a reading is off by half of what lies between, and the
 * shortest of some is taken. Between the two readings time is interpolated, which evens out how fast the clocks go. */
#include "runtime/trace_store.h"

#include <stdlib.h>
#include <string.h>

#define READINGS    8
#define PATIENCE_MS 200 /* for a GPU whose multiprocessors may be taken by a kernel that stays */
/* A float of milliseconds has a quarter of a microsecond at this distance, and the distance of events is one. */
#define BASE_NS UINT64_C(2000000000)

/* ---- stamps -------------------------------------------------------------------------------------------- */

static struct gpu *gpu_of(const struct weir__trace *trace, const weir_device *device)
{
    return device->info.index < WEIR_DEVICES_MAX ? trace->gpu[device->info.index] : NULL;
}

static weir_status make_stamp(weir_device *device, weir_stamp **stamp_out)
{
    weir_status status = device->ops->stamp_create(device, stamp_out);
    if (!status)
        (*stamp_out)->device = device;
    return status;
}

static void free_timed(struct gpu *gpu, struct weir__timed *timed)
{
    if (timed->begin)
        gpu->device->ops->stamp_destroy(timed->begin);
    if (timed->end)
        gpu->device->ops->stamp_destroy(timed->end);
    free(timed);
}

static weir_status make_timed(struct gpu *gpu)
{
    struct weir__timed *timed;
    weir_status status = weir__calloc(1, sizeof *timed, "stamps of a trace", &timed);
    if (status)
        return status;
    if ((status = make_stamp(gpu->device, &timed->begin)) ||
        (status = make_stamp(gpu->device, &timed->end))) {
        free_timed(gpu, timed);
        return status;
    }
    pthread_mutex_lock(&gpu->lock);
    timed->next = gpu->free;
    gpu->free = timed;
    gpu->made++;
    pthread_mutex_unlock(&gpu->lock);
    return WEIR_OK;
}

/* Nanoseconds between two stamps. @return WEIR_PENDING: they were not reached. */
static weir_status distance(const struct gpu *gpu, weir_stamp *from, weir_stamp *to, double *ns_out)
{
    double ms = 0;
    weir_status status = gpu->device->ops->stamp_elapsed(from, to, &ms);
    *ns_out = ms * 1e6;
    return status;
}

/* The time of a stamp, as that of the base is counted; 0: unknown. */
static uint64_t time_of(const struct gpu *gpu, weir_stamp *stamp)
{
    double after;
    if (distance(gpu, gpu->base, stamp, &after) || (double)gpu->base_ns + after < 0)
        return 0;
    return (uint64_t)((double)gpu->base_ns + after);
}

/* Keep an operation whose two stamps were reached; of a device that failed nothing is kept. @return 0: they were not reached. */
static int keep_ended(struct weir__trace *trace, struct gpu *gpu, struct weir__timed *timed)
{
    double took;
    const weir_status status = distance(gpu, timed->begin, timed->end, &took);
    if (status)
        return status != WEIR_PENDING;
    const uint64_t begin = time_of(gpu, timed->begin);
    if (begin)
        weir__trace_keep_op(trace, timed->track, (uint16_t)(1 + 2 * gpu->device->info.index),
                            timed->name, begin, begin + (uint64_t)(took > 0 ? took : 0),
                            timed->bytes, &timed->mark);
    return 1;
}

/* Let the base follow, so that distances stay short. */
static void move_base(struct gpu *gpu, struct weir__timed *timed)
{
    const uint64_t now = time_of(gpu, timed->begin);
    if (now < gpu->base_ns + BASE_NS)
        return;
    weir_stamp *base = gpu->base;
    gpu->base = timed->begin;
    timed->begin = base;
    gpu->base_ns = now;
}

/* Pending operations are a list with the newest first. The lock is held. @return how many are left. */
static uint32_t harvest(struct weir__trace *trace, struct gpu *gpu)
{
    struct weir__timed **at = &gpu->pending, *newest = NULL;
    uint32_t left = 0;
    while (*at) {
        struct weir__timed *timed = *at;
        if (!keep_ended(trace, gpu, timed)) {
            left++;
            at = &timed->next;
            continue;
        }
        *at = timed->next;
        timed->next = gpu->free;
        gpu->free = timed;
        newest = newest ? newest : timed;
    }
    if (newest)
        move_base(gpu, newest);
    return left;
}

struct weir__timed *weir__timed_begin(weir_queue *queue, enum weir__trace_op op, const char *kernel,
                                      uint64_t bytes)
{
    struct weir__trace *trace = weir__tracing(queue->device->context);
    if (!trace || !weir__trace_enter(trace))
        return NULL;
    struct gpu *gpu = gpu_of(trace, queue->device);
    struct weir__timed *timed = NULL;
    const uint32_t word = weir__trace_queue(trace, queue);
    if (gpu && word) {
        pthread_mutex_lock(&gpu->lock);
        if (!gpu->free)
            (void)harvest(trace, gpu);
        if ((timed = gpu->free))
            gpu->free = timed->next;
        pthread_mutex_unlock(&gpu->lock);
        if (!timed)
            weir__trace_lost(trace, 1);
    }
    if (timed) {
        timed->generation = trace->generation;
        timed->track = (uint32_t)weir__trace_track_of(trace, word);
        timed->bytes = bytes;
        weir__trace_mark(&timed->mark, queue->device->context);
        weir__trace_name(timed->name, sizeof timed->name, weir__trace_op_name(op, kernel));
    }
    weir__trace_leave(trace);
    if (timed && queue->device->ops->stamp(queue, timed->begin)) {
        weir__timed_end(queue, timed, WEIR_ERR_DEVICE);
        timed = NULL;
    }
    return timed;
}

void weir__timed_end(weir_queue *queue, struct weir__timed *timed, weir_status status)
{
    if (!timed)
        return;
    struct weir__trace *trace =
        atomic_load_explicit(&queue->device->context->trace, memory_order_acquire);
    struct gpu *gpu = gpu_of(trace, queue->device);
    const int put = !status && !queue->device->ops->stamp(queue, timed->end);
    /* A trace that ended meanwhile, or a later one, does not want it. */
    const int wanted = put && weir__trace_enter(trace);
    pthread_mutex_lock(&gpu->lock);
    struct weir__timed **list =
        wanted && timed->generation == trace->generation ? &gpu->pending : &gpu->free;
    timed->next = *list;
    *list = timed;
    pthread_mutex_unlock(&gpu->lock);
    if (wanted)
        weir__trace_leave(trace);
}

/* ---- readings -------------------------------------------------------------------------------------------- */

static void better(struct reading *best, const struct reading *one)
{
    if (!best->there || one->error_ns < best->error_ns)
        *best = *one;
}

/* Read the clock of events. @param[in] first  the moment of the best reading becomes the base. */
static void read_events(struct gpu *gpu, struct reading *out, int first)
{
    const weir__backend *ops = gpu->device->ops;
    const weir_context *context = gpu->device->context;
    *out = (struct reading){.there = 0};
    for (int i = 0; i < READINGS; i++) {
        pthread_mutex_lock(&gpu->lock);
        struct weir__timed *timed = gpu->free;
        if (timed)
            gpu->free = timed->next;
        pthread_mutex_unlock(&gpu->lock);
        if (!timed)
            return;
        const uint64_t before = weir_context_time_ns(context);
        const int came =
            !ops->stamp(gpu->queue, timed->begin) && !ops->sync(gpu->queue, PATIENCE_MS);
        const uint64_t after = weir_context_time_ns(context);
        struct reading one = {.host_ns = before + (after - before) / 2,
                              .error_ns = (after - before + 1) / 2,
                              .there = came};
        if (came)
            one.device_ns = first ? gpu->base_ns : time_of(gpu, timed->begin);
        if (came && (!out->there || one.error_ns < out->error_ns)) {
            *out = one;
            if (first) {
                weir_stamp *base = gpu->base;
                gpu->base = timed->begin;
                timed->begin = base;
            }
        }
        pthread_mutex_lock(&gpu->lock);
        timed->next = gpu->free;
        gpu->free = timed;
        pthread_mutex_unlock(&gpu->lock);
        if (!came)
            return;
    }
}

static void read_kernels(struct gpu *gpu, struct reading *out)
{
    *out = (struct reading){.there = 0};
    for (int i = 0; i < READINGS && gpu->device->ops->clock; i++) {
        struct reading one = {.there = 1};
        uint64_t before, after;
        if (gpu->device->ops->clock(gpu->queue, PATIENCE_MS, &one.device_ns, &before, &after))
            return;
        one.host_ns = before + (after - before) / 2;
        one.error_ns = (after - before + 1) / 2;
        better(out, &one);
    }
}

/* ---- beginning and end ---------------------------------------------------------------------------------- */

static weir_status make_gpu(struct weir__trace *trace, weir_device *device)
{
    struct gpu *gpu;
    weir_status status = weir__calloc(1, sizeof *gpu, "clocks of a trace", &gpu);
    if (status)
        return status;
    gpu->device = device;
    pthread_mutex_init(&gpu->lock, NULL);
    trace->gpu[device->info.index] = gpu;
    /* By the backend: a queue of the program's would keep the context, and this one ends with it. */
    if (!(status = device->ops->queue_create(device, 1, &gpu->queue)))
        status = make_stamp(device, &gpu->base);
    return status;
}

static weir_status start_gpu(struct weir__trace *trace, weir_device *device, uint32_t stamps)
{
    struct gpu *gpu = trace->gpu[device->info.index];
    weir_status status = WEIR_OK;
    if (!gpu && (status = make_gpu(trace, device)))
        return status;
    gpu = trace->gpu[device->info.index];
    if (!gpu->base)
        return weir__fail(WEIR_ERR_NOMEM, "%s: a trace has no stamps", device->info.label);
    pthread_mutex_lock(&gpu->lock);
    while (gpu->pending) { /* of the last trace: they are forgotten */
        struct weir__timed *timed = gpu->pending;
        gpu->pending = timed->next;
        timed->next = gpu->free;
        gpu->free = timed;
    }
    pthread_mutex_unlock(&gpu->lock);
    while (gpu->made < stamps && !status)
        status = make_timed(gpu);
    if (status)
        return status;
    gpu->base_ns = BASE_NS; /* not 0, which stands for unknown */
    read_events(gpu, &gpu->events[0], 1);
    read_kernels(gpu, &gpu->kernels[0]);
    if (gpu->events[0].there)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_TIMEOUT, "%s: it did not tell its time within %d ms: it is busy",
                      device->info.label, PATIENCE_MS);
}

weir_status weir__trace_clocks_start(struct weir__trace *trace, uint32_t stamps)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < trace->context->count && !status; i++)
        if (trace->context->devices[i]->ops->holds)
            status = start_gpu(trace, trace->context->devices[i], stamps);
    return status;
}

/* From a device's time to the host's, by the two readings; by the first alone where there is no second. */
static uint64_t convert(const struct reading *pair, uint64_t device_ns)
{
    const struct reading *a = &pair[0], *b = &pair[1];
    if (!a->there)
        return device_ns; /* kernels of host memory: their clock is the host's */
    const double since = (double)(int64_t)(device_ns - a->device_ns);
    double rate = 1;
    if (b->there && b->device_ns > a->device_ns)
        rate = (double)(b->host_ns - a->host_ns) / (double)(b->device_ns - a->device_ns);
    const double host = (double)a->host_ns + since * rate;
    return host > 0 ? (uint64_t)host : 0;
}

static void convert_all(struct weir__trace *trace)
{
    const uint64_t next = atomic_load_explicit(&trace->next, memory_order_relaxed);
    for (uint64_t i = 0; i < next && i < trace->room; i++) {
        struct record *record = &trace->records[i];
        if (!record->clock)
            continue;
        const struct gpu *gpu = trace->gpu[(record->clock - 1) / 2];
        const struct reading *pair = record->clock % 2 ? gpu->events : gpu->kernels;
        record->begin_ns = convert(pair, record->begin_ns);
        record->end_ns = convert(pair, record->end_ns);
        record->clock = 0;
    }
}

static uint64_t largest(uint64_t error, const struct reading *pair)
{
    for (int i = 0; i < 2; i++)
        if (pair[i].there && pair[i].error_ns > error)
            error = pair[i].error_ns;
    return error;
}

uint64_t weir__trace_clocks_stop(struct weir__trace *trace)
{
    uint64_t error = 0;
    for (uint32_t i = 0; i < trace->context->count; i++) {
        struct gpu *gpu = trace->gpu[i];
        if (!gpu)
            continue;
        pthread_mutex_lock(&gpu->lock);
        const uint32_t left = harvest(trace, gpu);
        pthread_mutex_unlock(&gpu->lock);
        weir__trace_lost(trace, left);
        read_events(gpu, &gpu->events[1], 0);
        read_kernels(gpu, &gpu->kernels[1]);
        error = largest(largest(error, gpu->events), gpu->kernels);
    }
    convert_all(trace);
    return error;
}

static void free_list(struct gpu *gpu, struct weir__timed *list)
{
    while (list) {
        struct weir__timed *timed = list;
        list = timed->next;
        free_timed(gpu, timed);
    }
}

void weir__trace_clocks_free(struct weir__trace *trace)
{
    for (uint32_t i = 0; i < WEIR_DEVICES_MAX; i++) {
        struct gpu *gpu = trace->gpu[i];
        if (!gpu)
            continue;
        free_list(gpu, gpu->free);
        free_list(gpu, gpu->pending);
        if (gpu->base)
            gpu->device->ops->stamp_destroy(gpu->base);
        if (gpu->queue)
            gpu->device->ops->queue_destroy(gpu->queue);
        pthread_mutex_destroy(&gpu->lock);
        free(gpu);
    }
}
