/** @file queue.c  A queue of a GPU: a stream. */
#include "runtime/cuda/cuda.h"
#include "runtime/cuda/push.h"

#include <stdlib.h>

static cudaStream_t stream_of(weir_queue *queue)
{
    return ((struct cuda_queue *)queue)->stream;
}

weir_status weir__cuda_queue_create(weir_device *device, int high_priority, weir_queue **queue_out)
{
    struct cuda_queue *queue;
    int least = 0, greatest = 0;
    weir_status status;
    if ((status = weir__calloc(1, sizeof *queue, "queue", &queue)))
        return status;
    queue->base.device = device;
    if ((status = weir__cuda_use(device)))
        goto err;
    if ((status = weir__cuda_check(device, "reading stream priorities",
                                   cudaDeviceGetStreamPriorityRange(&least, &greatest))))
        goto err;
    status = weir__cuda_check(device, "making a stream",
                              cudaStreamCreateWithPriority(&queue->stream, cudaStreamNonBlocking,
                                                           high_priority ? greatest : least));
    if (status)
        goto err;
    *queue_out = &queue->base;
    return WEIR_OK;
err:
    free(queue);
    return status;
}

void weir__cuda_queue_destroy(weir_queue *queue)
{
    if (!weir__cuda_use(queue->device)) {
        (void)weir__cuda_check(queue->device, "emptying a stream",
                               cudaStreamSynchronize(stream_of(queue)));
        (void)weir__cuda_check(queue->device, "ending a stream",
                               cudaStreamDestroy(stream_of(queue)));
    }
    free(queue);
}

weir_status weir__cuda_queue_copy(weir_queue *queue, weir_device *destination_device,
                                  void *destination, weir_device *source_device, const void *source,
                                  size_t bytes)
{
    weir_status status = weir__cuda_use(queue->device);
    (void)destination_device;
    (void)source_device;
    if (status)
        return status;
    /* Unified addressing finds both ends; peers were enabled when the context was made. */
    return weir__cuda_check(
        queue->device, "copying",
        cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, stream_of(queue)));
}

weir_status weir__cuda_queue_push(weir_queue *queue, weir_device *destination_device,
                                  void *destination, weir_device *source_device, const void *source,
                                  size_t bytes)
{
    weir_status status = weir__cuda_use(queue->device);
    (void)destination_device;
    (void)source_device;
    if (status)
        return status;
    /* Host devices beside a GPU have page-locked memory, which kernels reach by its address. */
    return weir__cuda_check(queue->device, "pushing",
                            weir__cuda_push_start(stream_of(queue), queue->device->info.units,
                                                  destination, source, bytes));
}

weir_status weir__cuda_queue_fill(weir_queue *queue, void *data, int value, size_t bytes)
{
    weir_status status = weir__cuda_use(queue->device);
    if (status)
        return status;
    return weir__cuda_check(queue->device, "filling",
                            cudaMemsetAsync(data, value, bytes, stream_of(queue)));
}

weir_status weir__cuda_queue_launch(weir_queue *queue, const weir_kernel *kernel, const void *args,
                                    size_t args_bytes)
{
    weir_status status = weir__cuda_use(queue->device);
    (void)args_bytes;
    if (status)
        return status;
    return weir__cuda_check(
        queue->device, kernel->name,
        (cudaError_t)kernel->cuda(stream_of(queue), queue->device->info.workers, args));
}

weir_status weir__cuda_queue_record(weir_queue *queue, weir_event *event)
{
    weir_status status = weir__cuda_use(queue->device);
    if (status)
        return status;
    return weir__cuda_check(queue->device, "recording an event",
                            cudaEventRecord(((struct cuda_event *)event)->event, stream_of(queue)));
}

weir_status weir__cuda_queue_wait_event(weir_queue *queue, weir_event *event)
{
    weir_status status = weir__cuda_use(queue->device);
    struct cuda_gate *gate;
    if (status)
        return status;
    if (event->device->ops == queue->device->ops)
        return weir__cuda_check(
            queue->device, "waiting for an event",
            cudaStreamWaitEvent(stream_of(queue), ((struct cuda_event *)event)->event, 0));
    if (weir_event_query(event) == WEIR_OK)
        return WEIR_OK;
    if ((status = weir__cuda_gate_put((struct cuda_queue *)queue, &gate)))
        return status;
    status = event->device->ops->event_notify(event, weir__cuda_gate_open, gate);
    if (status)
        weir__cuda_gate_open(gate); /* or the stream would never end */
    return status;
}

weir_status weir__cuda_queue_wait_future(weir_queue *queue, weir_future *future)
{
    struct cuda_gate *gate;
    weir_event *event;
    weir_status status;
    if (weir__future_decided(future, &status, &event))
        return event ? weir__cuda_queue_wait_event(queue, event) : WEIR_OK;
    if ((status = weir__cuda_use(queue->device)) ||
        (status = weir__cuda_gate_put((struct cuda_queue *)queue, &gate)))
        return status;
    status = weir__future_notify(future, weir__cuda_gate_open, gate);
    if (status)
        weir__cuda_gate_open(gate);
    return status;
}

weir_status weir__cuda_queue_sync(weir_queue *queue)
{
    weir_status status = weir__cuda_use(queue->device);
    if (status)
        return status;
    return weir__cuda_check(queue->device, "emptying a stream",
                            cudaStreamSynchronize(stream_of(queue)));
}

void *weir__cuda_queue_native(weir_queue *queue)
{
    return stream_of(queue);
}
