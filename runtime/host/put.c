/** @file put.c  Putting operations into a queue of a host device.
 *
 * Operations that are done are kept for reuse, so a busy queue allocates nothing. */
#include "runtime/host/op.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST \
    64 /* of arguments: what the runtime's own kernels take, so any spare does for them */

static weir_status make_op(size_t bytes, struct op **op_out)
{
    size_t room = bytes < ROOM_LEAST ? ROOM_LEAST : bytes;
    weir_status status = weir__alloc(1, sizeof **op_out + room, "operation of a queue", op_out);
    if (!status)
        (*op_out)->room = room;
    return status;
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
    *op_out = op;
    weir_status status = op ? WEIR_OK : make_op(bytes, op_out);
    if (!status)
        weir__trace_mark(&(*op_out)->mark, queue->base.device->context);
    return status;
}

weir_status weir__host_queue_reserve(weir_queue *base, uint32_t count)
{
    struct host_queue *queue = (struct host_queue *)base;
    weir_status status = WEIR_OK;
    uint32_t spare = 0;
    pthread_mutex_lock(&queue->lock);
    for (struct op *op = queue->spare; op && spare < count; op = op->next)
        spare++;
    pthread_mutex_unlock(&queue->lock);
    for (; spare < count && !status; spare++) {
        struct op *op;
        if ((status = make_op(0, &op)))
            break;
        pthread_mutex_lock(&queue->lock);
        op->next = queue->spare;
        queue->spare = op;
        pthread_mutex_unlock(&queue->lock);
    }
    return status;
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

weir_status weir__host_queue_call(weir_queue *base, void (*function)(void *user), void *user)
{
    struct host_queue *queue = (struct host_queue *)base;
    struct op *op;
    weir_status status = take(queue, 0, &op);
    if (status)
        return status;
    op->kind = CALL;
    op->function = function;
    op->user = user;
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
    } else {
        weir__event_retain(event); /* or it could be recorded anew before the queue comes here */
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
