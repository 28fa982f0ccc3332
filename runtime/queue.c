/** @file queue.c  Queues: arguments are checked here, the backend does the rest. */
#include "runtime/backend.h"

weir_status weir_queue_create(weir_device *device, int high_priority, weir_queue **queue_out)
{
    weir_status status = weir__device_failed(device);
    *queue_out = NULL;
    if (!status && !(status = device->ops->queue_create(device, high_priority, queue_out)))
        weir__context_retain(device->context);
    return status;
}

/* Wait until the queue is empty. In slices, or a device that fails elsewhere would not be found by who
 * waits for what it holds up. */
static weir_status drain(weir_queue *queue, int raising)
{
    weir_context *context = queue->device->context;
    if (weir__context_sim(context)) /* which never fails, and takes time for what it is */
        return queue->device->ops->sync(queue, -1);
    for (;;) {
        weir_status status = queue->device->ops->sync(queue, WEIR__SLICE_MS);
        if (status != WEIR_ERR_TIMEOUT)
            return status;
        weir__context_probe(context);
        if (raising)
            weir__alarms_raise(context);
    }
}

weir_status weir__queue_reserve(weir_queue *queue, uint32_t count)
{
    return queue->device->ops->reserve ? queue->device->ops->reserve(queue, count) : WEIR_OK;
}

weir_status weir__device_load(weir_device *device, int (*load)(void))
{
    return load && device->ops->load ? device->ops->load(device, load) : WEIR_OK;
}

void weir_queue_destroy(weir_queue *queue)
{
    if (!queue)
        return;
    weir_context *context = queue->device->context;
    (void)drain(queue, 1);
    queue->device->ops->queue_destroy(queue);
    weir__context_release(context);
}

weir_device *weir_queue_device(const weir_queue *queue)
{
    return queue->device;
}

/* Whether a queue can move bytes between the two: it is of one of them, or all are hosts. */
static weir_status check_ends(const weir_device *device, const weir_device *destination,
                              const weir_device *source)
{
    weir_status status = weir__device_failed(device);
    int hosts = destination->info.kind == WEIR_DEVICE_HOST && source->info.kind == WEIR_DEVICE_HOST;
    int ours = device == destination || device == source ||
               (hosts && device->info.kind == WEIR_DEVICE_HOST);
    if (status)
        return status;
    if (!ours || (device->info.kind == WEIR_DEVICE_HOST && !hosts))
        return weir__fail(WEIR_ERR_INVALID, "a queue of %s cannot copy from %s to %s",
                          device->info.label, source->info.label, destination->info.label);
    if (!weir_device_reaches(source, destination))
        return weir__fail(WEIR_ERR_INVALID, "%s does not reach %s: stage through the host",
                          source->info.label, destination->info.label);
    return WEIR_OK;
}

static weir_status strike(const weir_queue *queue)
{
    if (!weir__fault_strikes(WEIR__FAULT_COPY))
        return WEIR_OK;
    return weir__fail(WEIR_ERR_DEVICE, "%s: a copy could not be started",
                      queue->device->info.label);
}

weir_status weir_queue_copy(weir_queue *queue, weir_device *destination_device, void *destination,
                            weir_device *source_device, const void *source, size_t bytes)
{
    weir_status status = check_ends(queue->device, destination_device, source_device);
    if (status || bytes == 0 || (status = strike(queue)))
        return status;
    return queue->device->ops->copy(queue, destination_device, destination, source_device, source,
                                    bytes);
}

weir_status weir_queue_push(weir_queue *queue, weir_device *destination_device, void *destination,
                            weir_device *source_device, const void *source, size_t bytes)
{
    weir_status status = check_ends(queue->device, destination_device, source_device);
    if (status || bytes == 0 || (status = strike(queue)))
        return status;
    return queue->device->ops->push(queue, destination_device, destination, source_device, source,
                                    bytes);
}

weir_status weir_queue_fill(weir_queue *queue, void *data, int value, size_t bytes)
{
    weir_status status = weir__device_failed(queue->device);
    return status || bytes == 0 ? status : queue->device->ops->fill(queue, data, value, bytes);
}

weir_status weir_queue_launch(weir_queue *queue, const weir_kernel *kernel, const void *args,
                              size_t args_bytes)
{
    const weir_device *device = queue->device;
    weir_status status = weir__device_failed(device);
    int has = device->info.kind == WEIR_DEVICE_CUDA ? !!kernel->cuda : !!kernel->host;
    if (status)
        return status;
    if (!has)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "kernel %s has no form for %s", kernel->name,
                          device->info.label);
    if (args_bytes > WEIR__ARGS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "kernel %s: %zu bytes of arguments, at most %d",
                          kernel->name, args_bytes, WEIR__ARGS_MAX);
    return device->ops->launch(queue, kernel, args, args_bytes);
}

weir_status weir_queue_call(weir_queue *queue, void (*function)(void *user), void *user)
{
    const weir_device *device = queue->device;
    weir_status status = weir__device_failed(device);
    if (status)
        return status;
    if (!device->ops->call)
        return weir__fail(
            WEIR_ERR_UNSUPPORTED,
            "a queue of %s runs no C functions: put a weir_kernel in, or kernels of your "
            "own into weir_queue_native()",
            device->info.label);
    return device->ops->call(queue, function, user);
}

weir_status weir_queue_record(weir_queue *queue, weir_event *event)
{
    if (event->device != queue->device)
        return weir__fail(WEIR_ERR_INVALID, "an event of %s cannot be recorded in a queue of %s",
                          event->device->info.label, queue->device->info.label);
    weir_status status = weir__device_failed(queue->device);
    return status ? status : queue->device->ops->record(queue, event);
}

weir_status weir_queue_wait_event(weir_queue *queue, weir_event *event)
{
    weir_status status = weir__device_failed(queue->device);
    return status ? status : queue->device->ops->wait_event(queue, event);
}

weir_status weir_queue_wait_future(weir_queue *queue, weir_future *future)
{
    weir_status status = weir__device_failed(queue->device);
    return status ? status : queue->device->ops->wait_future(queue, future);
}

weir_status weir_queue_sync(weir_queue *queue)
{
    weir_device *device = queue->device;
    weir_status status = drain(queue, 1);
    weir_status failed = weir__device_failed(device);
    weir__alarms_raise(device->context);
    return failed ? failed : status;
}

void weir__queue_settle(weir_queue *queue)
{
    (void)drain(queue, 0);
}

void *weir_queue_native(weir_queue *queue)
{
    return queue->device->ops->native ? queue->device->ops->native(queue) : NULL;
}

weir_status weir_queue_wait_native(weir_queue *queue, void *native_event)
{
    const weir_device *device = queue->device;
    weir_status status = weir__device_failed(device);
    if (status)
        return status;
    if (!device->ops->wait_native)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "a queue of %s cannot wait for events that are not weir's",
                          device->info.label);
    return device->ops->wait_native(queue, native_event);
}
