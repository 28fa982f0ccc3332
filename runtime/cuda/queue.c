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
        (void)weir__cuda_queue_sync(queue, -1);
        if (!((struct cuda_queue *)queue)->adopted)
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

weir_status weir__cuda_load(weir_device *device, int (*load)(void))
{
    weir_status status = weir__cuda_use(device);
    return status ? status : weir__cuda_check(device, "loading kernels", (cudaError_t)load());
}

weir_status weir__cuda_queue_record(weir_queue *queue, weir_event *event)
{
    weir_status status = weir__cuda_use(queue->device);
    if (status)
        return status;
    return weir__cuda_check(queue->device, "recording an event",
                            cudaEventRecord(((struct cuda_event *)event)->event, stream_of(queue)));
}

/* Of any GPU, and recorded: held.c sees to both. */
weir_status weir__cuda_queue_wait_event(weir_queue *queue, weir_event *event)
{
    weir_status status = weir__cuda_use(queue->device);
    if (status)
        return status;
    return weir__cuda_check(
        queue->device, "waiting for an event",
        cudaStreamWaitEvent(stream_of(queue), ((struct cuda_event *)event)->event, 0));
}

/* Polls, as waiting for an event does: a stream may wait for a GPU that fails meanwhile. */
weir_status weir__cuda_queue_sync(weir_queue *queue, int64_t timeout_ms)
{
    uint64_t start = weir__now_ns();
    weir_status status = weir__cuda_use(queue->device); /* or it would start one on the first GPU */
    if (status)
        return status;
    for (;;) {
        cudaError_t error = cudaStreamQuery(stream_of(queue));
        if (error != cudaErrorNotReady)
            return weir__cuda_check(queue->device, "emptying a stream", error);
        uint64_t spent = weir__now_ns() - start;
        if (timeout_ms >= 0 && spent >= (uint64_t)timeout_ms * 1000000u)
            return WEIR_ERR_TIMEOUT;
        weir__cuda_pause(spent);
    }
}

/* The streams' answer, since a fault is seen first by who asks for what it keeps from running; an event's too, for
 * a device without streams. */
static cudaError_t ask(weir_device *device)
{
    cudaError_t error = cudaSuccess;
    pthread_mutex_lock(&device->events.lock);
    struct cuda_event *any = (struct cuda_event *)device->events.all;
    pthread_mutex_unlock(&device->events.lock);
    if (any)
        error = cudaEventQuery(any->event);
    pthread_mutex_lock(&device->queues.lock);
    for (weir_queue *queue = device->queues.all; queue; queue = queue->next_made)
        if (error == cudaSuccess || error == cudaErrorNotReady)
            error = cudaStreamQuery(stream_of(queue));
    pthread_mutex_unlock(&device->queues.lock);
    return error;
}

weir_status weir__cuda_status(weir_device *device)
{
    struct cuda_before before;
    weir_status status = weir__cuda_enter(device, &before);
    if (status)
        return status;
    cudaError_t error = ask(device);
    weir__cuda_leave(&before);
    return error == cudaErrorNotReady ? WEIR_OK
                                      : weir__cuda_check(device, "asking for its state", error);
}

void *weir__cuda_queue_native(weir_queue *queue)
{
    return stream_of(queue);
}

weir_status weir__cuda_queue_wait_native(weir_queue *queue, void *native_event)
{
    weir_status status = weir__cuda_use(queue->device);
    if (status)
        return status;
    return weir__cuda_check(queue->device, "waiting for an event of the program's",
                            cudaStreamWaitEvent(stream_of(queue), (cudaEvent_t)native_event, 0));
}
