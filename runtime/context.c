/** @file context.c  A context: devices made from a spec, who reaches whom, and its end with the last who uses it. */
#include "runtime/context.h"

#include "runtime/near.h"

#include <stdlib.h>
#include <string.h>

weir_status weir__context_open(weir_context *context, const weir__backend *ops, uint32_t ordinal,
                               uint32_t threads, uint32_t index, weir_device **device_out)
{
    weir_status status = ops->open(context, ordinal, threads, device_out);
    if (status)
        return status;
    (*device_out)->info.index = index;
    if (!(status = weir__pool_open(*device_out)) && !(status = weir__near_find(*device_out)))
        status = weir__events_make(*device_out, weir__config_get(context->config, WEIR__EVENTS));
    if (status) {
        ops->close(*device_out);
        *device_out = NULL;
    }
    return status;
}

static weir_status open_device(weir_context *context, const struct weir__spec_item *item,
                               uint32_t ordinal, uint32_t index, weir_device **device_out)
{
    uint32_t threads = item->threads
                           ? item->threads
                           : (uint32_t)weir__config_get(context->config, WEIR__HOST_THREADS);
    return weir__context_open(context, item->ops, ordinal, threads, index, device_out);
}

/* The node of all devices that are on one, or -1 if those are several, or none. */
static int32_t common_node(const weir_context *context)
{
    int32_t common = -1;
    for (uint32_t i = 0; i < context->count; i++) {
        int32_t node = context->devices[i]->info.numa_node;
        if (node >= 0 && common >= 0 && node != common)
            return -1;
        common = node >= 0 ? node : common;
    }
    return common;
}

/* Host devices may come before the GPUs that lock pages for them. */
static void bound_host(weir_context *context, const struct weir__spec_item *items, uint32_t count)
{
    int locked = 0;
    for (uint32_t i = 0; i < count; i++)
        locked |= items[i].ops->pinned_alloc != NULL;
    if (!weir__config_get(context->config, WEIR__POOL_BYTES))
        weir__pool_bound_host(context, locked);
}

static weir_status open_all(weir_context *context, const struct weir__spec_item *items,
                            uint32_t count)
{
    static const struct weir__spec_item home = {&weir__host_backend, 0, 1};
    uint32_t made = 0;
    weir_status status = WEIR_OK;
    bound_host(context, items, count);
    for (uint32_t i = 0; i < count && !status; i++) {
        uint32_t ordinal = items[i].ops->made ? made++ : items[i].ordinal;
        status = open_device(context, &items[i], ordinal, i, &context->devices[i]);
        if (status)
            break;
        context->count++;
        if (!context->pinning && context->devices[i]->ops->pinned_alloc)
            context->pinning = context->devices[i];
    }
    if (status)
        return status;
    status = open_device(context, &home, 0, count, &context->home);
    if (!status) {
        strcpy(context->home->info.label, "home");
        context->home->info.numa_node = common_node(context);
    }
    return status;
}

static weir_status connect_pair(weir_context *context, weir_device *s, weir_device *d)
{
    int reaches = 1;
    weir_status status = WEIR_OK;
    /* Between backends the memory of host devices is page-locked, so one copy always does it. */
    if (s != d && s->ops == d->ops && s->ops->connect) {
        reaches = 0;
        if (weir__config_get(context->config, WEIR__PEER) == 0)
            status = s->ops->connect(s, d, &reaches);
    }
    context->reaches[s->info.index][d->info.index] = (unsigned char)reaches;
    return status;
}

static weir_device *nth(const weir_context *context, uint32_t index)
{
    return index == context->count ? context->home : context->devices[index];
}

static weir_status connect_all(weir_context *context)
{
    weir_status status = WEIR_OK;
    for (uint32_t s = 0; s <= context->count && !status; s++)
        for (uint32_t d = 0; d <= context->count && !status; d++)
            status = connect_pair(context, nth(context, s), nth(context, d));
    return status;
}

weir_status weir__context_empty(const weir_config *config, weir_context **context_out)
{
    weir_context *context;
    weir_status status = weir__calloc(1, sizeof *context, "context", &context);
    if (status)
        return status;
    atomic_store_explicit(&context->references, 1, memory_order_relaxed);
    context->progress = &weir__progress_slices;
    pthread_mutex_init(&context->futures_lock, NULL);
    pthread_mutex_init(&context->attach_lock, NULL);
    pthread_mutex_init(&context->alarms.lock, NULL);
    pthread_cond_init(&context->alarms.called, NULL);
    weir__later_open(context);
    pthread_mutex_init(&context->pinned.lock, NULL);
    pthread_mutex_init(&context->watches.lock, NULL);
    pthread_cond_init(&context->watches.changed, NULL);
    context->watches.fd = -1;
    if ((status = weir__config_copy(config, &context->config)))
        weir_context_destroy(context);
    else
        *context_out = context;
    return status;
}

weir_status weir_context_create(const char *spec, const weir_config *config,
                                weir_context **context_out)
{
    struct weir__spec_item items[WEIR_DEVICES_MAX];
    uint32_t count;
    weir_context *context;
    weir_status status;
    if (!context_out)
        return weir__missing("weir_context_create", "context_out");
    *context_out = NULL;
    if (!spec || !*spec)
        spec = weir__spec_usual(weir__backends);
    if ((status = weir__spec_parse(spec, weir__backends, items, &count)))
        return status;
    if ((status = weir__context_empty(config, &context)))
        return status;
    if (!(status = open_all(context, items, count)))
        status = connect_all(context);
    if (status) {
        weir_context_destroy(context);
        return status;
    }
    weir__log(WEIR__LOG_INFO, "context '%s': %u devices", spec, count);
    *context_out = context;
    return WEIR_OK;
}

uint32_t weir_context_device_count(const weir_context *context)
{
    return context->count;
}

weir_device *weir_context_device(const weir_context *context, uint32_t index)
{
    return index < context->count ? context->devices[index] : NULL;
}

weir_device *weir_context_home(const weir_context *context)
{
    return context->home;
}

const weir_config *weir_context_config(const weir_context *context)
{
    return context->config;
}

int weir_device_reaches(const weir_device *source, const weir_device *destination)
{
    if (!source || !destination || source->context != destination->context)
        return 0;
    return source->context->reaches[source->info.index][destination->info.index];
}

int weir_context_simulated(const weir_context *context)
{
    return context->home->ops->simulated;
}

uint64_t weir_context_time_ns(const weir_context *context)
{
    const weir__backend *ops = context->home->ops;
    return ops->time_ns ? ops->time_ns(context) : weir__now_ns();
}

void *weir__context_attached(const weir_context *context)
{
    return atomic_load_explicit(&((weir_context *)context)->attached, memory_order_acquire);
}

void *weir__context_attach(weir_context *context, void *data, void (*destroy)(void *data))
{
    pthread_mutex_lock(&context->attach_lock);
    void *first = atomic_load_explicit(&context->attached, memory_order_relaxed);
    if (!first) {
        context->detach = destroy;
        atomic_store_explicit(&context->attached, data, memory_order_release);
    }
    pthread_mutex_unlock(&context->attach_lock);
    if (first)
        destroy(data);
    return first ? first : data;
}

weir_status weir__context_host_alloc(weir_context *context, size_t bytes, void **data_out)
{
    if (context->pinning)
        return context->pinning->ops->pinned_alloc(context->pinning, bytes, data_out);
    int error = posix_memalign(data_out, WEIR__ALIGNMENT, bytes);
    if (error)
        return weir__fail(WEIR_ERR_NOMEM, "no %zu bytes of host memory left", bytes);
    return WEIR_OK;
}

void weir__context_host_free(weir_context *context, void *data)
{
    if (context->pinning)
        context->pinning->ops->pinned_free(context->pinning, data);
    else
        free(data);
}

weir_future *weir__context_future_take(weir_context *context)
{
    weir_future *future = NULL;
    pthread_mutex_lock(&context->futures_lock);
    if (context->futures_count)
        future = context->futures[--context->futures_count];
    int first = context->futures_out++ == 0;
    pthread_mutex_unlock(&context->futures_lock);
    if (first)
        weir__context_retain(context);
    return future;
}

void weir__context_future_keep(weir_context *context, weir_future *future)
{
    pthread_mutex_lock(&context->futures_lock);
    if (future && context->futures_count == context->futures_room) {
        size_t room = context->futures_room ? 2 * context->futures_room : 64;
        weir_future **grown = realloc(context->futures, room * sizeof *grown);
        if (grown) {
            context->futures = grown;
            context->futures_room = room;
        }
    }
    if (future && context->futures_count < context->futures_room) {
        context->futures[context->futures_count++] = future;
        future = NULL;
    }
    int last = --context->futures_out == 0;
    pthread_mutex_unlock(&context->futures_lock);
    weir__future_free(future); /* no room to keep it: just freed */
    if (last)
        weir__context_release(context);
}

const char *weir_version_text(void)
{
#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
    return TEXT(WEIR_VERSION_MAJOR) "." TEXT(WEIR_VERSION_MINOR) "." TEXT(WEIR_VERSION_PATCH)
#if WEIR_CUDA
        " (host, cuda)";
#else
        " (host)";
#endif
}

/* ---- who uses a context, and its end with the last of them ------------------------------------------
 *
 * The last may be a call-back: then the context ends on a thread of its own backend, which must not wait
 * for itself (see cuda/watch.c). A host queue's thread is never the last, since its queue is a user. */

static void quiesce_device(weir_device *device)
{
    if (device && device->ops->quiesce)
        device->ops->quiesce(device);
}

static void close_device(weir_device **at)
{
    weir_device *device = *at;
    if (!device)
        return;
    weir__events_drop(device);
    *at = NULL; /* a device that is found broken while others close looks for its peers */
    device->ops->close(device);
}

/* The device that page-locks memory for host devices is closed behind them. */
static void close_all(weir_context *context)
{
    weir_device **pinning = NULL;
    close_device(&context->zero_copy);
    close_device(&context->home);
    for (uint32_t i = context->count; i > 0; i--)
        if (context->devices[i - 1] == context->pinning)
            pinning = &context->devices[i - 1];
        else
            close_device(&context->devices[i - 1]);
    if (pinning)
        close_device(pinning);
}

static void end(weir_context *context)
{
    for (uint32_t i = 0; i < context->count; i++)
        quiesce_device(context->devices[i]); /* then nobody touches events and futures any more */
    weir__watches_drop(context);
    weir__later_close(context);
    for (size_t i = 0; i < context->futures_count; i++)
        weir__future_free(context->futures[i]);
    free(context->futures);
    weir__context_unpin_all(context);
    weir__trace_free(atomic_load_explicit(&context->trace, memory_order_acquire));
    close_all(context);
    if (atomic_load_explicit(&context->attached, memory_order_acquire))
        context->detach(context->attached);
    if (context->progress->end)
        context->progress->end(context);
    weir_config_destroy(context->config);
    pthread_cond_destroy(&context->watches.changed);
    pthread_mutex_destroy(&context->watches.lock);
    pthread_mutex_destroy(&context->pinned.lock);
    pthread_cond_destroy(&context->alarms.called);
    pthread_mutex_destroy(&context->alarms.lock);
    pthread_mutex_destroy(&context->attach_lock);
    pthread_mutex_destroy(&context->futures_lock);
    free(context);
}

void weir__context_retain(weir_context *context)
{
    atomic_fetch_add_explicit(&context->references, 1, memory_order_relaxed);
}

void weir__context_release(weir_context *context)
{
    if (atomic_fetch_sub_explicit(&context->references, 1, memory_order_acq_rel) == 1)
        end(context);
}

void weir_context_destroy(weir_context *context)
{
    if (!context)
        return;
    /* Where the context goes on in waits alone nobody may wait from now on: what is under way and keeps it would never
     * be over. */
    while (weir__context_step(context)) {
    }
    weir__context_release(context);
}
