/** @file queue.c  A queue of a host device: a thread that runs operations in order.
 *
 * Waiting for an event or a future is an operation like any other: the thread sleeps in it, and
 * what comes after waits. Operations that are done are kept for reuse, so a busy queue allocates
 * nothing. */
#include "runtime/host/host.h"

#include <stdlib.h>
#include <string.h>

enum kind { COPY, FILL, LAUNCH, RECORD, STAMP, WAIT_HOST, WAIT_FOREIGN, WAIT_FUTURE };

struct op {
    struct op *next;
    enum kind kind;
    void *destination; /* copy and fill */
    const void *source;
    size_t bytes;
    int value;
    const weir_kernel *kernel;
    weir_event *event;
    struct host_stamp *stamp;
    uint64_t number; /* of a host event's record or a stamp's mark */
    weir_future *future;
    size_t room; /* bytes behind the struct, for arguments */
    _Alignas(16) unsigned char args[];
};

struct host_queue {
    weir_queue base;
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t more, idle;
    struct op *first, *last;
    struct op *spare;
    int stop, busy;
};

static void run(struct host_queue *queue, struct op *op)
{
    switch (op->kind) {
    case COPY:
        memcpy(op->destination, op->source, op->bytes);
        break;
    case FILL:
        memset(op->destination, op->value, op->bytes);
        break;
    case LAUNCH:
        weir__host_team_run(&((struct host_device *)queue->base.device)->team, op->kernel,
                            op->args);
        break;
    case RECORD:
        weir__host_event_reached((struct host_event *)op->event, op->number);
        break;
    case STAMP:
        weir__host_stamp_reached(op->stamp, op->number);
        break;
    case WAIT_HOST:
        weir__host_event_wait_number((struct host_event *)op->event, op->number);
        break;
    case WAIT_FOREIGN:
        (void)weir_event_wait(op->event, -1); /* a lost device is reported by who asks for it */
        break;
    case WAIT_FUTURE:
        (void)weir_future_wait(op->future, -1);
        weir_future_release(op->future);
        break;
    }
}

static void *work(void *data)
{
    struct host_queue *queue = data;
    pthread_mutex_lock(&queue->lock);
    for (;;) {
        while (!queue->first && !queue->stop)
            pthread_cond_wait(&queue->more, &queue->lock);
        struct op *op = queue->first;
        if (!op)
            break;
        queue->first = op->next;
        if (!queue->first)
            queue->last = NULL;
        queue->busy = 1;
        pthread_mutex_unlock(&queue->lock);
        run(queue, op);
        pthread_mutex_lock(&queue->lock);
        op->next = queue->spare;
        queue->spare = op;
        queue->busy = 0;
        if (!queue->first)
            pthread_cond_broadcast(&queue->idle);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

weir_status weir__host_queue_create(weir_device *device, int high_priority, weir_queue **queue_out)
{
    struct host_queue *queue;
    weir_status status;
    (void)high_priority; /* a host device's kernels take turns; there is nothing to prefer */
    if ((status = weir__calloc(1, sizeof *queue, "queue", &queue)))
        return status;
    queue->base.device = device;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->more, NULL);
    pthread_cond_init(&queue->idle, NULL);
    int error = pthread_create(&queue->thread, NULL, work, queue);
    if (error) {
        pthread_cond_destroy(&queue->idle);
        pthread_cond_destroy(&queue->more);
        pthread_mutex_destroy(&queue->lock);
        free(queue);
        return weir__fail(WEIR_ERR_NOMEM, "%s: the thread of a queue: %s", device->info.label,
                          strerror(error));
    }
    *queue_out = &queue->base;
    return WEIR_OK;
}

void weir__host_queue_destroy(weir_queue *base)
{
    struct host_queue *queue = (struct host_queue *)base;
    pthread_mutex_lock(&queue->lock);
    queue->stop = 1;
    pthread_cond_broadcast(&queue->more);
    pthread_mutex_unlock(&queue->lock);
    pthread_join(queue->thread, NULL);
    while (queue->spare) {
        struct op *op = queue->spare;
        queue->spare = op->next;
        free(op);
    }
    pthread_cond_destroy(&queue->idle);
    pthread_cond_destroy(&queue->more);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

/* An operation with room for `bytes` of arguments: a spare one if it is large enough. */
static weir_status take(struct host_queue *queue, size_t bytes, struct op **op_out)
{
    pthread_mutex_lock(&queue->lock);
    struct op *op = queue->spare;
    if (op)
        queue->spare = op->next;
    pthread_mutex_unlock(&queue->lock);
    if (op && op->room < bytes) {
        free(op);
        op = NULL;
    }
    if (!op) {
        weir_status status = weir__alloc(1, sizeof *op + bytes, "operation of a queue", &op);
        if (status)
            return status;
        op->room = bytes;
    }
    *op_out = op;
    return WEIR_OK;
}

static void put(struct host_queue *queue, struct op *op)
{
    op->next = NULL;
    pthread_mutex_lock(&queue->lock);
    if (queue->last)
        queue->last->next = op;
    else
        queue->first = op;
    queue->last = op;
    pthread_cond_signal(&queue->more);
    pthread_mutex_unlock(&queue->lock);
}

weir_status weir__host_queue_copy(weir_queue *base, weir_device *destination_device,
                                  void *destination, weir_device *source_device, const void *source,
                                  size_t bytes)
{
    struct host_queue *queue = (struct host_queue *)base;
    struct op *op;
    weir_status status = take(queue, 0, &op);
    (void)destination_device;
    (void)source_device;
    if (status)
        return status;
    op->kind = COPY;
    op->destination = destination;
    op->source = source;
    op->bytes = bytes;
    put(queue, op);
    return WEIR_OK;
}

weir_status weir__host_queue_fill(weir_queue *base, void *data, int value, size_t bytes)
{
    struct host_queue *queue = (struct host_queue *)base;
    struct op *op;
    weir_status status = take(queue, 0, &op);
    if (status)
        return status;
    op->kind = FILL;
    op->destination = data;
    op->value = value;
    op->bytes = bytes;
    put(queue, op);
    return WEIR_OK;
}

weir_status weir__host_queue_launch(weir_queue *base, const weir_kernel *kernel, const void *args,
                                    size_t args_bytes)
{
    struct host_queue *queue = (struct host_queue *)base;
    struct op *op;
    weir_status status = take(queue, args_bytes, &op);
    if (status)
        return status;
    op->kind = LAUNCH;
    op->kernel = kernel;
    if (args_bytes)
        memcpy(op->args, args, args_bytes);
    put(queue, op);
    return WEIR_OK;
}

weir_status weir__host_queue_record(weir_queue *base, weir_event *event)
{
    struct host_queue *queue = (struct host_queue *)base;
    struct op *op;
    weir_status status = take(queue, 0, &op);
    if (status)
        return status;
    op->kind = RECORD;
    op->event = event;
    op->number = weir__host_event_recorded((struct host_event *)event);
    put(queue, op);
    return WEIR_OK;
}

weir_status weir__host_queue_stamp(weir_queue *base, weir_stamp *stamp)
{
    struct host_queue *queue = (struct host_queue *)base;
    struct op *op;
    weir_status status = take(queue, 0, &op);
    if (status)
        return status;
    op->kind = STAMP;
    op->stamp = (struct host_stamp *)stamp;
    op->number = weir__host_stamp_put(op->stamp);
    put(queue, op);
    return WEIR_OK;
}

weir_status weir__host_queue_wait_event(weir_queue *base, weir_event *event)
{
    struct host_queue *queue = (struct host_queue *)base;
    struct op *op;
    weir_status status;
    if (weir_event_query(event) == WEIR_OK)
        return WEIR_OK;
    if ((status = take(queue, 0, &op)))
        return status;
    op->event = event;
    op->kind = WAIT_FOREIGN;
    if (event->device->ops == &weir__host_backend) {
        struct host_event *host = (struct host_event *)event;
        op->kind = WAIT_HOST;
        pthread_mutex_lock(&host->lock);
        op->number = host->recorded;
        pthread_mutex_unlock(&host->lock);
    }
    put(queue, op);
    return WEIR_OK;
}

weir_status weir__host_queue_wait_future(weir_queue *base, weir_future *future)
{
    struct host_queue *queue = (struct host_queue *)base;
    struct op *op;
    weir_event *event;
    weir_status status;
    if (weir__future_decided(future, &status, &event) &&
        (!event || event->device->ops == &weir__host_backend))
        return event ? weir__host_queue_wait_event(base, event) : WEIR_OK;
    if ((status = take(queue, 0, &op)))
        return status;
    op->kind = WAIT_FUTURE;
    op->future = weir_future_retain(future);
    put(queue, op);
    return WEIR_OK;
}

weir_status weir__host_queue_sync(weir_queue *base)
{
    struct host_queue *queue = (struct host_queue *)base;
    pthread_mutex_lock(&queue->lock);
    while (queue->first || queue->busy)
        pthread_cond_wait(&queue->idle, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
    return WEIR_OK;
}
