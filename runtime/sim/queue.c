/** @file queue.c  Queues of simulated devices: putting operations in, and waiting for them. */
#include "runtime/sim/engine.h"

#include <stdlib.h>
#include <string.h>

weir_status weir__sim_queue_create(weir_device *device, int high_priority, weir_queue **queue_out)
{
    struct weir__sim *sim = weir__sim_of(device);
    struct sim_queue *queue;
    weir_status status;
    (void)high_priority; /* kernels of a device do not wait for each other: nothing to prefer */
    if ((status = weir__calloc(1, sizeof *queue, "queue", &queue)))
        return status;
    queue->base.device = device;
    queue->sim = sim;
    pthread_mutex_lock(&sim->lock);
    if (!(status = weir__sim_reserve(sim))) {
        queue->number = sim->made++;
        sim->queues++;
    }
    pthread_mutex_unlock(&sim->lock);
    if (status)
        free(queue);
    else
        *queue_out = &queue->base;
    return status;
}

void weir__sim_queue_destroy(weir_queue *base)
{
    struct sim_queue *queue = (struct sim_queue *)base;
    (void)weir__sim_queue_sync(base, -1);
    weir__sim_drain(queue->sim); /* whoever is called back may need what the caller gives up next */
    pthread_mutex_lock(&queue->sim->lock);
    queue->sim->queues--;
    pthread_mutex_unlock(&queue->sim->lock);
    while (queue->spare) {
        struct sim_op *op = queue->spare;
        queue->spare = op->next;
        free(op);
    }
    free(queue);
}

struct until {
    const struct sim_queue *queue;
    uint64_t number;
};

static int is_done(void *user)
{
    const struct until *until = user;
    return until->queue->done >= until->number;
}

weir_status weir__sim_queue_sync(weir_queue *base, int64_t timeout_ms)
{
    struct sim_queue *queue = (struct sim_queue *)base;
    struct until until = {.queue = queue};
    pthread_mutex_lock(&queue->sim->lock);
    until.number = queue->put;
    pthread_mutex_unlock(&queue->sim->lock);
    return weir__sim_wait(queue->sim, is_done, &until, timeout_ms);
}

/* An operation with room for `bytes` of arguments: a spare one if it is large enough. */
static weir_status take(struct sim_queue *queue, enum sim_kind kind, size_t bytes,
                        struct sim_op **op_out)
{
    pthread_mutex_lock(&queue->sim->lock);
    struct sim_op *op = queue->spare;
    if (op)
        queue->spare = op->next;
    pthread_mutex_unlock(&queue->sim->lock);
    size_t room = op ? op->room : 0;
    if (op && room < bytes) {
        free(op);
        op = NULL;
    }
    if (!op) {
        weir_status status = weir__alloc(1, sizeof *op + bytes, "operation of a queue", &op);
        if (status)
            return status;
        room = bytes;
    }
    *op = (struct sim_op){.queue = queue, .kind = kind, .room = room};
    weir__trace_mark(&op->mark, queue->base.device->context);
    *op_out = op;
    return WEIR_OK;
}

/* The engine is locked. */
static void append(struct sim_op *op)
{
    struct sim_queue *queue = op->queue;
    if (queue->last)
        queue->last->next = op;
    else
        queue->first = op;
    queue->last = op;
    queue->put++;
    queue->sim->puts++;
    if (queue->state == SIM_IDLE)
        weir__sim_ready(queue->sim, queue);
    pthread_cond_broadcast(&queue->sim->changed);
}

static void put(struct sim_op *op)
{
    struct weir__sim *sim = op->queue->sim;
    pthread_mutex_lock(&sim->lock);
    append(op);
    pthread_mutex_unlock(&sim->lock);
}

static const weir__sim_path *path_between(const struct weir__sim *sim, const weir_device *source,
                                          const weir_device *destination)
{
    return &sim->model.paths[(size_t)source->info.index * (sim->model.devices + 1) +
                             destination->info.index];
}

static uint64_t latency_ps(const weir__sim_path *path)
{
    return (uint64_t)(path->latency_us * 1e6 + 0.5);
}

static weir_status put_copy(struct sim_queue *queue, uint64_t overhead_ps,
                            const weir__sim_path *path, void *destination, const void *source,
                            size_t bytes)
{
    struct sim_op *op;
    weir_status status = take(queue, SIM_COPY, 0, &op);
    if (status)
        return status;
    op->delay_ps = overhead_ps + latency_ps(path);
    op->path = path;
    op->destination = destination;
    op->source = source;
    op->bytes = bytes;
    put(op);
    return WEIR_OK;
}

weir_status weir__sim_queue_copy(weir_queue *base, weir_device *destination_device,
                                 void *destination, weir_device *source_device, const void *source,
                                 size_t bytes)
{
    struct sim_queue *queue = (struct sim_queue *)base;
    return put_copy(queue, queue->sim->model.copy_ps,
                    path_between(queue->sim, source_device, destination_device), destination,
                    source, bytes);
}

weir_status weir__sim_queue_push(weir_queue *base, weir_device *destination_device,
                                 void *destination, weir_device *source_device, const void *source,
                                 size_t bytes)
{
    struct sim_queue *queue = (struct sim_queue *)base;
    return put_copy(queue, queue->sim->model.push_ps,
                    path_between(queue->sim, source_device, destination_device), destination,
                    source, bytes);
}

weir_status weir__sim_queue_fill(weir_queue *base, void *data, int value, size_t bytes)
{
    struct sim_queue *queue = (struct sim_queue *)base;
    struct sim_op *op;
    weir_status status = take(queue, SIM_FILL, 0, &op);
    if (status)
        return status;
    op->path = path_between(queue->sim, base->device, base->device);
    op->delay_ps = queue->sim->model.copy_ps + latency_ps(op->path);
    op->destination = data;
    op->value = value;
    op->bytes = bytes;
    put(op);
    return WEIR_OK;
}

weir_status weir__sim_queue_launch(weir_queue *base, const weir_kernel *kernel, const void *args,
                                   size_t args_bytes)
{
    struct sim_queue *queue = (struct sim_queue *)base;
    struct sim_op *op;
    weir_status status = take(queue, SIM_LAUNCH, args_bytes, &op);
    if (status)
        return status;
    op->delay_ps = queue->sim->model.launch_ps;
    op->kernel = kernel;
    if (args_bytes)
        memcpy(op->args, args, args_bytes);
    put(op);
    return WEIR_OK;
}

weir_status weir__sim_queue_call(weir_queue *base, void (*function)(void *user), void *user)
{
    struct sim_queue *queue = (struct sim_queue *)base;
    struct sim_op *op;
    weir_status status = take(queue, SIM_CALL, 0, &op);
    if (status)
        return status;
    op->delay_ps = queue->sim->model.launch_ps;
    op->function = function;
    op->user = user;
    put(op);
    return WEIR_OK;
}

weir_status weir__sim_queue_record(weir_queue *base, weir_event *event)
{
    struct sim_queue *queue = (struct sim_queue *)base;
    struct sim_op *op;
    weir_status status = take(queue, SIM_RECORD, 0, &op);
    if (status)
        return status;
    op->event = (struct sim_event *)event;
    pthread_mutex_lock(&queue->sim->lock);
    op->number = ++op->event->recorded;
    append(op);
    pthread_mutex_unlock(&queue->sim->lock);
    return WEIR_OK;
}

weir_status weir__sim_queue_stamp(weir_queue *base, weir_stamp *stamp)
{
    struct sim_queue *queue = (struct sim_queue *)base;
    struct sim_op *op;
    weir_status status = take(queue, SIM_STAMP, 0, &op);
    if (status)
        return status;
    op->stamp = (struct sim_stamp *)stamp;
    pthread_mutex_lock(&queue->sim->lock);
    op->number = ++op->stamp->put;
    append(op);
    pthread_mutex_unlock(&queue->sim->lock);
    return WEIR_OK;
}

weir_status weir__sim_queue_wait_event(weir_queue *base, weir_event *event)
{
    struct sim_queue *queue = (struct sim_queue *)base;
    struct sim_op *op;
    weir_status status;
    if (event->device->context != base->device->context)
        return weir__fail(WEIR_ERR_INVALID,
                          "a queue of %s cannot wait for an event of another "
                          "context",
                          base->device->info.label);
    if ((status = take(queue, SIM_WAIT, 0, &op)))
        return status;
    op->event = (struct sim_event *)event;
    pthread_mutex_lock(&queue->sim->lock);
    op->number = op->event->recorded;
    append(op);
    pthread_mutex_unlock(&queue->sim->lock);
    return WEIR_OK;
}

static void open_gate(void *user)
{
    struct sim_op *op = user;
    struct sim_queue *queue = op->queue;
    struct weir__sim *sim = queue->sim; /* once open, operation and queue may be gone */
    pthread_mutex_lock(&sim->lock);
    op->open = 1;
    if (queue->first == op && queue->state == SIM_BLOCKED)
        weir__sim_ready(sim, queue);
    pthread_cond_broadcast(&sim->changed);
    pthread_mutex_unlock(&sim->lock);
}

/* Whoever watches a future keeps it alive: the operation need not. */
weir_status weir__sim_queue_wait_future(weir_queue *base, weir_future *future)
{
    struct sim_queue *queue = (struct sim_queue *)base;
    struct sim_op *op;
    weir_status status = take(queue, SIM_GATE, 0, &op);
    if (status)
        return status;
    put(op);
    if ((status = weir__future_notify(future, open_gate, op)))
        open_gate(op); /* it holds nothing back, and the caller is told */
    return status;
}
