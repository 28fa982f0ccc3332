/** @file plan.c  Devices that only count: what a set-up would take of devices that need not exist.
 *
 * Memory is a name and a size in the books of a pool that has no bound, at an address behind which nothing lies.
 * Queues take everything and do nothing, so events are over at once. What makes a graph ready on real devices runs
 * here as it is; its pools then say what it took (weir__pool_uses()). Home is a real host device, since the host itself
 * writes there. */
#include "runtime/config.h"
#include "runtime/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_BOUND   (UINT64_C(1) << 60) /* of a pool */
#define FIRST_BYTE (UINT64_C(1) << 61) /* address of what is handed out first */

/* ---- memory: addresses that nobody reads or writes --------------------------------------------- */

static weir_status mem_left(weir_device *device, uint64_t *free_out, uint64_t *total_out)
{
    (void)device;
    *free_out = *total_out = 0; /* weir__context_plan() takes bounds away */
    return WEIR_OK;
}

/* Slabs lie one behind the other from far above all that a process has: only their distances count. */
static weir_status mem_alloc(weir_device *device, size_t bytes, void **data_out)
{
    const uint64_t room = (bytes + UINT64_C(4095)) / 4096 * 4096;
    const uint64_t at =
        atomic_fetch_add_explicit(&device->context->planned.next, room, memory_order_relaxed);
    *data_out = (void *)(uintptr_t)at;
    return WEIR_OK;
}

static void mem_free(weir_device *device, void *data)
{
    (void)device;
    (void)data;
}

/* ---- queues, events and stamps: over at once --------------------------------------------------- */

static weir_status queue_create(weir_device *device, int high_priority, weir_queue **queue_out)
{
    weir_status status = weir__calloc(1, sizeof **queue_out, "queue", queue_out);
    (void)high_priority;
    if (!status)
        (*queue_out)->device = device;
    return status;
}

static void queue_destroy(weir_queue *queue)
{
    free(queue);
}

static weir_status copy(weir_queue *queue, weir_device *destination_device, void *destination,
                        weir_device *source_device, const void *source, size_t bytes)
{
    (void)queue;
    (void)destination_device;
    (void)destination;
    (void)source_device;
    (void)source;
    (void)bytes;
    return WEIR_OK;
}

static weir_status fill(weir_queue *queue, void *data, int value, size_t bytes)
{
    (void)queue;
    (void)data;
    (void)value;
    (void)bytes;
    return WEIR_OK;
}

static weir_status launch(weir_queue *queue, const weir_kernel *kernel, const void *args,
                          size_t args_bytes)
{
    (void)queue;
    (void)kernel;
    (void)args;
    (void)args_bytes;
    return WEIR_OK;
}

static int has_form(const weir_kernel *kernel)
{
    (void)kernel; /* whoever runs it has compiled it */
    return 1;
}

static weir_status with_event(weir_queue *queue, weir_event *event)
{
    (void)queue;
    (void)event;
    return WEIR_OK;
}

static weir_status with_future(weir_queue *queue, weir_future *future)
{
    (void)future;
    return weir__fail(WEIR_ERR_UNSUPPORTED, "%s only counts: its queues wait for nothing",
                      queue->device->info.label);
}

static weir_status sync_queue(weir_queue *queue, int64_t timeout_ms)
{
    (void)queue;
    (void)timeout_ms;
    return WEIR_OK;
}

static weir_status event_create(weir_device *device, weir_event **event_out)
{
    (void)device;
    return weir__calloc(1, sizeof **event_out, "event", event_out);
}

static void event_destroy(weir_event *event)
{
    free(event);
}

static weir_status event_query(weir_event *event)
{
    (void)event;
    return WEIR_OK;
}

static weir_status event_wait(weir_event *event, int64_t timeout_ms)
{
    (void)event;
    (void)timeout_ms;
    return WEIR_OK;
}

static weir_status event_notify(weir_event *event, weir__notify_fn fn, void *user)
{
    (void)event;
    fn(user);
    return WEIR_OK;
}

static weir_status stamp_create(weir_device *device, weir_stamp **stamp_out)
{
    (void)device;
    return weir__calloc(1, sizeof **stamp_out, "stamp", stamp_out);
}

static void stamp_destroy(weir_stamp *stamp)
{
    free(stamp);
}

static weir_status put_stamp(weir_queue *queue, weir_stamp *stamp)
{
    (void)queue;
    (void)stamp;
    return WEIR_OK;
}

static weir_status stamp_elapsed(weir_stamp *start, weir_stamp *stop, double *ms_out)
{
    (void)start;
    (void)stop;
    *ms_out = 0;
    return WEIR_OK;
}

/* ---- devices ----------------------------------------------------------------------------------- */

static uint32_t count(void)
{
    return WEIR_DEVICES_MAX;
}

static weir_status open_as(const weir__backend *ops, weir_context *context, uint32_t ordinal,
                           weir_device **device_out)
{
    weir_status status = weir__calloc(1, sizeof **device_out, "planned device", device_out);
    if (status)
        return status;
    weir__device_init(*device_out, ops, context, ordinal);
    (*device_out)->hollow = 1;
    return WEIR_OK;
}

static weir_status open_host(weir_context *context, uint32_t ordinal, uint32_t threads,
                             weir_device **device_out);
static weir_status open_gpu(weir_context *context, uint32_t ordinal, uint32_t threads,
                            weir_device **device_out);

static void close_device(weir_device *device)
{
    weir__device_fini(device);
    free(device);
}

#define BACKEND(text, of, is_made, open_of)                                                        \
    {                                                                                              \
        .name = text, .kind = of, .made = is_made, .count = count, .open = open_of,                \
        .close = close_device, .mem_left = mem_left, .mem_alloc = mem_alloc, .mem_free = mem_free, \
        .queue_create = queue_create, .queue_destroy = queue_destroy, .copy = copy, .push = copy,  \
        .fill = fill, .launch = launch, .has_form = has_form, .record = with_event,                \
        .wait_event = with_event, .wait_future = with_future, .sync = sync_queue,                  \
        .stamp_create = stamp_create, .stamp_destroy = stamp_destroy, .stamp = put_stamp,          \
        .stamp_elapsed = stamp_elapsed, .event_create = event_create,                              \
        .event_destroy = event_destroy, .event_query = event_query, .event_wait = event_wait,      \
        .event_notify = event_notify,                                                              \
    }
static const weir__backend planned_host = BACKEND("host", WEIR_DEVICE_HOST, 1, open_host),
                           planned_gpu = BACKEND("cuda", WEIR_DEVICE_CUDA, 0, open_gpu);

static weir_status open_host(weir_context *context, uint32_t ordinal, uint32_t threads,
                             weir_device **device_out)
{
    (void)threads;
    return open_as(&planned_host, context, ordinal, device_out);
}

static weir_status open_gpu(weir_context *context, uint32_t ordinal, uint32_t threads,
                            weir_device **device_out)
{
    (void)threads;
    return open_as(&planned_gpu, context, ordinal, device_out);
}

/* ---- what devices are like --------------------------------------------------------------------- */

/* What decides sizes of a GPU that nobody knows. */
#define UNITS       132u
#define BLOCK_BYTES ((uint64_t)227 << 10)
#define CACHE_BYTES ((uint64_t)50 << 20)

void weir__plan_devices_of(const weir_context *context, struct weir__plan_device *devices_out)
{
    for (uint32_t i = 0; i < context->count; i++) {
        weir_pool_stats stats = WEIR_POOL_STATS_INIT;
        (void)weir_device_pool_stats(context->devices[i], &stats);
        devices_out[i].shared = stats.sharing > 1;
        devices_out[i].info = context->devices[i]->info;
        const uint64_t memory = devices_out[i].info.memory_bytes;
        uint64_t bound = stats.bound_bytes;
        if (weir__device_is_gpu(context->devices[i]) && memory && bound > memory)
            bound = memory; /* WEIR_POOL_BYTES may say more */
        devices_out[i].bound_bytes = stats.used_bytes < bound ? bound - stats.used_bytes : 1;
    }
}

static void describe(const struct weir__spec_item *item, uint32_t made, const weir_config *config,
                     struct weir__plan_device *device)
{
    const int gpu = item->ops->kind == WEIR_DEVICE_CUDA;
    const uint32_t asked =
        item->threads ? item->threads : (uint32_t)weir__config_get(config, WEIR__HOST_THREADS);
    weir_device_info *info = &device->info;
    *info = (weir_device_info)WEIR_DEVICE_INFO_INIT;
    info->kind = item->ops->kind;
    info->ordinal = gpu ? item->ordinal : made;
    snprintf(info->label, sizeof info->label, "%s:%u", item->ops->name, info->ordinal);
    snprintf(info->name, sizeof info->name, "%s", gpu ? "a GPU that is not here" : "host device");
    info->units = gpu ? UNITS : asked;
    info->lanes = gpu ? 32 : 1;
    info->workers = gpu ? UNITS * 32 : asked;
    info->block_bytes = gpu ? BLOCK_BYTES : weir__stack_bytes();
    info->cache_bytes = gpu ? CACHE_BYTES : 0;
    device->bound_bytes = weir__config_get(config, WEIR__POOL_BYTES);
    device->shared = 0;
}

weir_status weir__plan_devices_parse(const char *spec, const weir_config *config,
                                     struct weir__plan_device *devices_out, uint32_t *count_out)
{
    static const weir__backend *const backends[] = {&planned_gpu, &planned_host, NULL};
    struct weir__spec_item items[WEIR_DEVICES_MAX];
    const char *gpus = strstr(spec, planned_gpu.name);
    uint32_t made = 0;
    weir_status status;
    if (gpus && gpus[strlen(planned_gpu.name)] != ':')
        return weir__fail(WEIR_ERR_INVALID,
                          "device spec '%s': how many GPUs is not known here; say which: cuda:0-3",
                          spec);
    if ((status = weir__spec_parse(spec, backends, items, count_out)))
        return status;
    for (uint32_t i = 0; i < *count_out; i++) {
        describe(&items[i], made, config, &devices_out[i]);
        made += items[i].ops->made != 0;
    }
    return WEIR_OK;
}

/* ---- a context of them ------------------------------------------------------------------------- */

/* Of devices that nobody knows. */
static int would_reach(const weir_context *context, uint32_t s, uint32_t d)
{
    const uint32_t home = context->count;
    return s == d || s == home || d == home || !weir__device_is_gpu(context->devices[s]) ||
           !weir__device_is_gpu(context->devices[d]) ||
           weir__config_get(context->config, WEIR__PEER) == 0;
}

static void connect_planned(weir_context *context, const weir_context *like)
{
    const uint32_t home = context->count;
    for (uint32_t s = 0; s <= home; s++)
        for (uint32_t d = 0; d <= home; d++)
            context->reaches[s][d] =
                like ? like->reaches[s][d] : (unsigned char)would_reach(context, s, d);
}

void weir__plan_part(weir_context *planned, uint32_t from, uint32_t to)
{
    planned->reaches[from][to] = 0;
}

static void take_bound_away(weir_device *device)
{
    device->pool.supply = &device->pool.own;
    device->pool.own.bound_bytes = NO_BOUND;
}

weir_status weir__plan_open_host(weir_context *planned, weir_device **device_out)
{
    weir_status status = open_host(planned, 0, 1, device_out);
    if (!status)
        take_bound_away(*device_out);
    return status;
}

static weir_status open_planned(weir_context *context, const struct weir__plan_device *devices,
                                uint32_t count_of)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < count_of && !status; i++) {
        const weir__backend *ops =
            devices[i].info.kind == WEIR_DEVICE_CUDA ? &planned_gpu : &planned_host;
        if ((status = weir__context_open(context, ops, devices[i].info.ordinal, 1, i,
                                         &context->devices[i])))
            break;
        context->count++;
        context->devices[i]->info = devices[i].info;
        context->devices[i]->info.index = i;
        context->planned.shared[i] = devices[i].shared;
        context->planned.bound[i] = devices[i].bound_bytes;
        take_bound_away(context->devices[i]);
    }
    if (status ||
        (status = weir__context_open(context, &weir__host_backend, 0, 1, count_of, &context->home)))
        return status;
    take_bound_away(context->home);
    strcpy(context->home->info.label, "home");
    return WEIR_OK;
}

weir_status weir__context_plan(const struct weir__plan_device *devices, uint32_t count_of,
                               const weir_config *config, const weir_context *like,
                               weir_context **context_out)
{
    weir_context *context;
    weir_status status;
    *context_out = NULL;
    if ((status = weir__context_empty(config, &context)))
        return status;
    context->planned.is = 1;
    atomic_store_explicit(&context->planned.next, FIRST_BYTE, memory_order_relaxed);
    if ((status = open_planned(context, devices, count_of))) {
        weir_context_destroy(context);
        return status;
    }
    connect_planned(context, like);
    *context_out = context;
    return WEIR_OK;
}

int weir__context_planned(const weir_context *context)
{
    return context->planned.is;
}
