/** @file strict.c  See strict.h: the host backend's table, with some rows of its own. */
#include "tests/lib/strict.h"

#include "runtime/held.h"

struct strict_seen strict_seen;

static weir__backend strict; /* written once */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void count_put(void)
{
    atomic_fetch_add_explicit(&strict_seen.put, 1, memory_order_relaxed);
}

static weir_status copy(weir_queue *queue, weir_device *destination_device, void *destination,
                        weir_device *source_device, const void *source, size_t bytes)
{
    if (atomic_load(&strict_seen.fail_copies) > 0 &&
        atomic_fetch_sub(&strict_seen.fail_copies, 1) > 0) {
        (void)weir__host_backend.sync(
            queue, -1); /* what came before has run: a failure is of what comes behind */
        return weir__fail(WEIR_ERR_DEVICE, "%s: the device refuses a copy",
                          queue->device->info.label);
    }
    count_put();
    return weir__host_backend.copy(queue, destination_device, destination, source_device, source,
                                   bytes);
}

static weir_status fill(weir_queue *queue, void *data, int value, size_t bytes)
{
    count_put();
    return weir__host_backend.fill(queue, data, value, bytes);
}

static weir_status launch(weir_queue *queue, const weir_kernel *kernel, const void *args,
                          size_t args_bytes)
{
    count_put();
    return weir__host_backend.launch(queue, kernel, args, args_bytes);
}

static weir_status wait_event(weir_queue *queue, weir_event *event)
{
    if (event->device->ops != &strict || weir__event_unsubmitted(event))
        atomic_fetch_add_explicit(&strict_seen.early, 1, memory_order_relaxed);
    return weir__host_backend.wait_event(queue, event);
}

static weir_status status(weir_device *device)
{
    (void)device;
    atomic_fetch_add_explicit(&strict_seen.asked, 1, memory_order_relaxed);
    return WEIR_OK;
}

static void *native(weir_queue *queue)
{
    return queue;
}

static void *event_native(weir_event *event)
{
    return event;
}

static weir_status wait_native(weir_queue *queue, void *event)
{
    return wait_event(queue, event);
}

static void make_table(void)
{
    strict = weir__host_backend;
    strict.holds = 1;
    strict.copy = copy;
    strict.fill = fill;
    strict.launch = launch;
    strict.wait_event = wait_event;
    strict.wait_future = NULL;
    strict.status = status;
    strict.native = native;
    strict.event_native = event_native;
    strict.wait_native = wait_native;
}

void strict_devices(weir_context *context)
{
    (void)pthread_once(&once, make_table);
    for (uint32_t i = 0; i < weir_context_device_count(context); i++)
        weir_context_device(context, i)->ops = &strict;
}
