/** @file queue.c  Queues: arguments are checked here, the backend does the rest. */
#include "runtime/backend.h"

weir_status weir_queue_create(weir_device *device, int high_priority, weir_queue **queue_out)
{
    *queue_out = NULL;
    return device->ops->queue_create(device, high_priority, queue_out);
}

void weir_queue_destroy(weir_queue *queue)
{
    if (queue)
        queue->device->ops->queue_destroy(queue);
}

weir_device *weir_queue_device(const weir_queue *queue)
{
    return queue->device;
}

/* Whether a queue can move bytes between the two: it is of one of them, or all are hosts. */
static weir_status check_ends(const weir_device *device, const weir_device *destination,
                              const weir_device *source)
{
    int hosts = destination->info.kind == WEIR_DEVICE_HOST && source->info.kind == WEIR_DEVICE_HOST;
    int ours = device == destination || device == source ||
               (hosts && device->info.kind == WEIR_DEVICE_HOST);
    if (!ours || (device->info.kind == WEIR_DEVICE_HOST && !hosts))
        return weir__fail(WEIR_ERR_INVALID, "a queue of %s cannot copy from %s to %s",
                          device->info.label, source->info.label, destination->info.label);
    if (!weir_device_reaches(source, destination))
        return weir__fail(WEIR_ERR_INVALID, "%s does not reach %s: stage through the host",
                          source->info.label, destination->info.label);
    return WEIR_OK;
}

weir_status weir_queue_copy(weir_queue *queue, weir_device *destination_device, void *destination,
                            weir_device *source_device, const void *source, size_t bytes)
{
    weir_status status = check_ends(queue->device, destination_device, source_device);
    if (status || bytes == 0)
        return status;
    return queue->device->ops->copy(queue, destination_device, destination, source_device, source,
                                    bytes);
}

weir_status weir_queue_push(weir_queue *queue, weir_device *destination_device, void *destination,
                            weir_device *source_device, const void *source, size_t bytes)
{
    weir_status status = check_ends(queue->device, destination_device, source_device);
    if (status || bytes == 0)
        return status;
    return queue->device->ops->push(queue, destination_device, destination, source_device, source,
                                    bytes);
}

weir_status weir_queue_fill(weir_queue *queue, void *data, int value, size_t bytes)
{
    return bytes ? queue->device->ops->fill(queue, data, value, bytes) : WEIR_OK;
}

weir_status weir_queue_launch(weir_queue *queue, const weir_kernel *kernel, const void *args,
                              size_t args_bytes)
{
    const weir_device *device = queue->device;
    int has = device->info.kind == WEIR_DEVICE_CUDA ? !!kernel->cuda : !!kernel->host;
    if (!has)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "kernel %s has no form for %s", kernel->name,
                          device->info.label);
    if (args_bytes > WEIR__ARGS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "kernel %s: %zu bytes of arguments, at most %d",
                          kernel->name, args_bytes, WEIR__ARGS_MAX);
    return device->ops->launch(queue, kernel, args, args_bytes);
}

weir_status weir_queue_record(weir_queue *queue, weir_event *event)
{
    if (event->device != queue->device)
        return weir__fail(WEIR_ERR_INVALID, "an event of %s cannot be recorded in a queue of %s",
                          event->device->info.label, queue->device->info.label);
    return queue->device->ops->record(queue, event);
}

weir_status weir_queue_wait_event(weir_queue *queue, weir_event *event)
{
    return queue->device->ops->wait_event(queue, event);
}

weir_status weir_queue_wait_future(weir_queue *queue, weir_future *future)
{
    return queue->device->ops->wait_future(queue, future);
}

weir_status weir_queue_sync(weir_queue *queue)
{
    return queue->device->ops->sync(queue);
}

void *weir_queue_native(weir_queue *queue)
{
    return queue->device->ops->native ? queue->device->ops->native(queue) : NULL;
}
