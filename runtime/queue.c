/** @file queue.c  Queues: arguments are checked here, the backend does the rest, or held.c keeps it for later. */
#include "runtime/held.h"

weir_status weir_queue_create(weir_device *device, int high_priority, weir_queue **queue_out)
{
    weir_status status;
    if (queue_out)
        *queue_out = NULL;
    if (!device || !queue_out)
        return weir__missing("weir_queue_create", device ? "queue_out" : "device");
    if ((status = weir__device_failed(device)) ||
        (status = device->ops->queue_create(device, high_priority, queue_out)))
        return status;
    weir__context_retain(device->context);
    weir__held_enlist(*queue_out);
    return WEIR_OK;
}

weir_status weir_queue_adopt(weir_device *device, void *native_stream, weir_queue **queue_out)
{
    weir_status status;
    if (queue_out)
        *queue_out = NULL;
    if (!device || !queue_out)
        return weir__missing("weir_queue_adopt", device ? "queue_out" : "device");
    if ((status = weir__device_failed(device)))
        return status;
    if (!device->ops->queue_adopt)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "%s has no streams that a program could have made: weir_queue_create() "
                          "makes a queue of it",
                          device->info.label);
    if ((status = device->ops->queue_adopt(device, native_stream, queue_out)))
        return status;
    weir__context_retain(device->context);
    weir__held_enlist(*queue_out);
    (void)weir__held_hand_out(*queue_out); /* the program has the stream: it cannot be held */
    return WEIR_OK;
}

struct queue_wait {
    weir_queue *queue;
    weir_status status;
};

static int sleep_until_free(void *user, int64_t timeout_ms)
{
    struct queue_wait *wait = user;
    wait->status = weir__held_wait(wait->queue, timeout_ms);
    return wait->status != WEIR_ERR_TIMEOUT;
}

static int sleep_until_empty(void *user, int64_t timeout_ms)
{
    struct queue_wait *wait = user;
    if (sleep_until_free(wait, timeout_ms) && !wait->status)
        wait->status = wait->queue->device->ops->sync(wait->queue, timeout_ms);
    return wait->status != WEIR_ERR_TIMEOUT;
}

static weir_status wait_for(weir_queue *queue, int (*sleep)(void *user, int64_t timeout_ms),
                            int quiet)
{
    struct queue_wait wait = {.queue = queue};
    (void)weir__context_wait(queue->device->context,
                             &(struct weir__wait){.sleep = sleep, .user = &wait, .quiet = quiet},
                             -1);
    return wait.status;
}

static weir_status drain(weir_queue *queue, int quiet)
{
    return wait_for(queue, sleep_until_empty, quiet);
}

weir_status weir__queue_reserve(weir_queue *queue, uint32_t count)
{
    const weir__backend *ops = queue->device->ops;
    weir_status status = ops->holds ? weir__held_reserve(queue, count) : WEIR_OK;
    return status || !ops->reserve ? status : ops->reserve(queue, count);
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
    (void)drain(queue, 0);
    weir__held_delist(queue);
    struct weir__failure *failure = weir__queue_failure(queue);
    queue->device->ops->queue_destroy(queue);
    weir__failure_drop(failure);
    weir__context_release(context);
}

weir_device *weir_queue_device(const weir_queue *queue)
{
    return queue->device;
}

weir_status weir__queue_check(const weir_queue *queue, const weir_context *context,
                              const char *what)
{
    if (queue->device->context == context)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID, "%s with a queue of another context", what);
}

/* Whether a queue can move bytes between the two: it is of one of them, or all are hosts. */
static weir_status check_ends(const weir_queue *queue, const weir_device *destination,
                              const weir_device *source)
{
    const weir_device *device = queue->device;
    weir_status status = weir__queue_failed(queue);
    int host = !weir__device_is_gpu(device);
    int hosts = !weir__device_is_gpu(destination) && !weir__device_is_gpu(source);
    int ours = device == destination || device == source || (hosts && host);
    if (status)
        return status;
    if (destination->context != device->context || source->context != device->context)
        return weir__fail(WEIR_ERR_INVALID,
                          "a queue of %s cannot copy from %s to %s of another context",
                          device->info.label, source->info.label, destination->info.label);
    if (!ours || (host && !hosts))
        return weir__fail(WEIR_ERR_INVALID, "a queue of %s cannot copy from %s to %s",
                          device->info.label, source->info.label, destination->info.label);
    if (!weir_device_reaches(source, destination))
        return weir__fail(WEIR_ERR_INVALID, "%s does not reach %s: stage through the host",
                          source->info.label, destination->info.label);
    return WEIR_OK;
}

static weir_status check_copy(const char *call, const weir_queue *queue,
                              const weir_device *destination_device, const void *destination,
                              const weir_device *source_device, const void *source, size_t bytes)
{
    if (!queue || !destination_device || !source_device)
        return weir__missing(call, queue ? "device" : "queue");
    if (bytes && (!destination || !source))
        return weir__missing(call, destination ? "source" : "destination");
    return check_ends(queue, destination_device, source_device);
}

static weir_status put_copy(const char *call, enum weir__operation_kind kind, weir_queue *queue,
                            weir_device *destination_device, void *destination,
                            weir_device *source_device, const void *source, size_t bytes)
{
    weir_status status =
        check_copy(call, queue, destination_device, destination, source_device, source, bytes);
    if (status || bytes == 0 || (status = weir__copy_strikes(queue->device)))
        return status;
    return weir__held_put(queue, &(struct weir__operation){.kind = kind,
                                                           .destination_device = destination_device,
                                                           .destination = destination,
                                                           .source_device = source_device,
                                                           .source = source,
                                                           .bytes = bytes});
}

weir_status weir_queue_copy(weir_queue *queue, weir_device *destination_device, void *destination,
                            weir_device *source_device, const void *source, size_t bytes)
{
    return put_copy("weir_queue_copy", WEIR__COPY, queue, destination_device, destination,
                    source_device, source, bytes);
}

weir_status weir_queue_push(weir_queue *queue, weir_device *destination_device, void *destination,
                            weir_device *source_device, const void *source, size_t bytes)
{
    return put_copy("weir_queue_push", WEIR__PUSH, queue, destination_device, destination,
                    source_device, source, bytes);
}

weir_status weir_queue_fill(weir_queue *queue, void *data, int value, size_t bytes)
{
    if (!queue || (bytes && !data))
        return weir__missing("weir_queue_fill", queue ? "data" : "queue");
    weir_status status = weir__queue_failed(queue);
    if (status || bytes == 0)
        return status;
    return weir__held_put(
        queue, &(struct weir__operation){
                   .kind = WEIR__FILL, .destination = data, .value = value, .bytes = bytes});
}

/* A constant that names its members has no size; what 0.1 had ends with the form for GPUs. */
static weir_status check_kernel(const weir_kernel *kernel)
{
    if (kernel->size == 0 || kernel->size == sizeof *kernel)
        return WEIR_OK;
    if (kernel->size < offsetof(weir_kernel, cuda) + sizeof kernel->cuda)
        return weir__fail(WEIR_ERR_INVALID,
                          "a weir_kernel of size %zu was not set by its initialiser", kernel->size);
    return weir__sized_check(kernel, sizeof *kernel, "weir_kernel");
}

weir_status weir_queue_launch(weir_queue *queue, const weir_kernel *kernel, const void *args,
                              size_t args_bytes)
{
    if (!queue || !kernel || (args_bytes && !args))
        return weir__missing("weir_queue_launch", !queue ? "queue" : !kernel ? "kernel" : "args");
    const weir_device *device = queue->device;
    weir_status status = weir__queue_failed(queue);
    if (status || (status = check_kernel(kernel)))
        return status;
    if (!device->ops->has_form(kernel))
        return weir__fail(WEIR_ERR_UNSUPPORTED, "kernel %s has no form for %s", kernel->name,
                          device->info.label);
    if (args_bytes > WEIR__ARGS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "kernel %s: %zu bytes of arguments, at most %d",
                          kernel->name, args_bytes, WEIR__ARGS_MAX);
    return weir__held_put(
        queue, &(struct weir__operation){
                   .kind = WEIR__LAUNCH, .kernel = kernel, .source = args, .bytes = args_bytes});
}

weir_status weir_queue_call(weir_queue *queue, void (*function)(void *user), void *user)
{
    if (!queue || !function)
        return weir__missing("weir_queue_call", queue ? "function" : "queue");
    const weir_device *device = queue->device;
    weir_status status = weir__queue_failed(queue);
    if (status)
        return status;
    if (!device->ops->call)
        return weir__fail(
            WEIR_ERR_UNSUPPORTED,
            "a queue of %s runs no C functions: put a weir_kernel in, or kernels of your "
            "own into weir_queue_native()",
            device->info.label);
    return weir__held_put(
        queue, &(struct weir__operation){.kind = WEIR__CALL, .function = function, .user = user});
}

weir_status weir_queue_record(weir_queue *queue, weir_event *event)
{
    if (!queue || !event)
        return weir__missing("weir_queue_record", queue ? "event" : "queue");
    if (event->device->context != queue->device->context)
        return weir__fail(WEIR_ERR_INVALID,
                          "an event of another context cannot be recorded in a queue of %s",
                          queue->device->info.label);
    if (event->device != queue->device)
        return weir__fail(WEIR_ERR_INVALID, "an event of %s cannot be recorded in a queue of %s",
                          event->device->info.label, queue->device->info.label);
    weir_status status = weir__device_failed(queue->device);
    if (status)
        return status;
    /* Before it is put in: another thread may let the queue go, and hand the event on, at once. */
    atomic_store_explicit(&event->recorded, 1, memory_order_relaxed);
    return weir__held_put(queue, &(struct weir__operation){.kind = WEIR__RECORD, .event = event});
}

weir_status weir_queue_wait_event(weir_queue *queue, weir_event *event)
{
    weir_status status;
    if (!queue || !event)
        return weir__missing("weir_queue_wait_event", queue ? "event" : "queue");
    const weir_device *device = queue->device;
    if ((status = weir__device_failed(device)) ||
        (status = weir__event_check(event, device->context, "a queue waits")))
        return status;
    if (device->ops->holds && event->device->ops != device->ops &&
        weir_event_query(event) != WEIR_PENDING)
        return WEIR_OK; /* it is over, and that the queue need not be told */
    return weir__held_put(queue,
                          &(struct weir__operation){.kind = WEIR__WAIT_EVENT, .event = event});
}

weir_status weir_queue_wait_future(weir_queue *queue, weir_future *future)
{
    weir_status decision, status;
    weir_event *event;
    if (!queue || !future)
        return weir__missing("weir_queue_wait_future", queue ? "future" : "queue");
    const weir_device *device = queue->device;
    if ((status = weir__device_failed(device)) ||
        (status = weir__future_context_check(future, device->context, "a queue waits")))
        return status;
    if (!device->ops->holds)
        return device->ops->wait_future(queue, future);
    if (weir__future_decided(future, &decision, &event))
        return event ? weir_queue_wait_event(queue, event) : WEIR_OK;
    return weir__held_put(queue,
                          &(struct weir__operation){.kind = WEIR__WAIT_FUTURE, .future = future});
}

weir_status weir__queue_hold(weir_queue *queue, weir_future *future)
{
    weir_status status = weir__queue_failed(queue);
    if (status)
        return status;
    if (!queue->device->ops->hold)
        return weir_queue_wait_future(queue, future);
    return queue->device->ops->hold(queue, future);
}

weir_status weir_queue_sync(weir_queue *queue)
{
    if (!queue)
        return weir__missing("weir_queue_sync", "queue");
    weir_device *device = queue->device;
    weir_status status = drain(queue, 0);
    weir_status failed = weir__queue_failed(queue);
    weir__alarms_raise(device->context);
    return failed ? failed : status;
}

void weir__queue_settle(weir_queue *queue)
{
    (void)drain(queue, 1);
}

void *weir_queue_native(weir_queue *queue)
{
    if (!queue->device->ops->native)
        return NULL;
    for (;;) {
        void *native = weir__held_hand_out(queue);
        if (native || weir__device_failed(queue->device))
            return native;
        (void)wait_for(queue, sleep_until_free, 0);
    }
}

weir_status weir_queue_wait_native(weir_queue *queue, void *native_event)
{
    if (!queue || !native_event)
        return weir__missing("weir_queue_wait_native", queue ? "native_event" : "queue");
    const weir_device *device = queue->device;
    weir_status status = weir__device_failed(device);
    if (status)
        return status;
    if (!device->ops->wait_native)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "a queue of %s cannot wait for events that are not weir's",
                          device->info.label);
    return weir__held_put(
        queue, &(struct weir__operation){.kind = WEIR__WAIT_NATIVE, .native = native_event});
}
