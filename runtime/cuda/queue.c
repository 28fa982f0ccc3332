/** @file queue.c  A queue of a GPU: a stream. */
#include "runtime/cuda/cuda.h"
#include "runtime/cuda/push.h"

#include <stdlib.h>

static cudaStream_t stream_of(weir_queue *queue)
{
    return ((struct cuda_queue *)queue)->stream;
}

static void enlist(struct cuda_queue *queue)
{
    struct cuda_device *device = (struct cuda_device *)queue->base.device;
    pthread_mutex_lock(&device->queues.lock);
    queue->next = device->queues.list;
    device->queues.list = queue;
    pthread_mutex_unlock(&device->queues.lock);
}

static void delist(struct cuda_queue *queue)
{
    struct cuda_device *device = (struct cuda_device *)queue->base.device;
    pthread_mutex_lock(&device->queues.lock);
    struct cuda_queue **at = &device->queues.list;
    while (*at != queue)
        at = &(*at)->next;
    *at = queue->next;
    pthread_mutex_unlock(&device->queues.lock);
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
    enlist(queue);
    *queue_out = &queue->base;
    return WEIR_OK;
err:
    free(queue);
    return status;
}

void weir__cuda_queue_destroy(weir_queue *queue)
{
    delist((struct cuda_queue *)queue);
    if (!weir__cuda_use(queue->device)) {
        (void)weir__cuda_queue_sync(queue, -1);
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
    status = weir__future_notify_in(future, weir__cuda_gate_open, weir__cuda_gate_open_in, gate);
    if (status)
        weir__cuda_gate_open(gate);
    return status;
}

/* Polls, as waiting for an event does: a stream may be held by a GPU that fails meanwhile. */
weir_status weir__cuda_queue_sync(weir_queue *queue, int64_t timeout_ms)
{
    uint64_t start = weir__now_ns();
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

weir_status weir__cuda_status(weir_device *base)
{
    struct cuda_device *device = (struct cuda_device *)base;
    cudaError_t error = cudaSuccess;
    /* Of the streams, since a fault is seen first by who asks for what it keeps from running; of an event
     * too, for a device without streams. The calling thread's current device stays what it is. */
    pthread_mutex_lock(&base->events.lock);
    struct cuda_event *any = (struct cuda_event *)base->events.all;
    pthread_mutex_unlock(&base->events.lock);
    if (any)
        error = cudaEventQuery(any->event);
    pthread_mutex_lock(&device->queues.lock);
    for (struct cuda_queue *queue = device->queues.list; queue; queue = queue->next)
        if (error == cudaSuccess || error == cudaErrorNotReady)
            error = cudaStreamQuery(queue->stream);
    pthread_mutex_unlock(&device->queues.lock);
    return error == cudaErrorNotReady ? WEIR_OK
                                      : weir__cuda_check(base, "asking for its state", error);
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
