/** @file queue.c  A queue of a host device: a thread that runs operations in order.
 *
 * Waiting for an event or a future is an operation like any other: the thread sleeps in it, and what
 * comes after waits. A device that failed drops what its queues were to do, but events are waited for and
 * records reached in their order: nobody goes on before others are through with memory that they share.
 * It does not wait for a future that nobody has set, so nobody hangs who waits for it. */
#include "runtime/host/op.h"
#include "runtime/near.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void wait_future(const weir_device *device, weir_future *future)
{
    weir_event *event;
    weir_status status;
    while (weir_future_wait(future, WEIR__SLICE_MS) == WEIR_ERR_TIMEOUT) {
        int decided = weir__future_decided(future, &status, &event);
        if (decided ? !event : weir__device_failed(device))
            break; /* it ended with that status itself; or nobody may ever set it */
    }
    weir_future_release(future);
}

/* What changes memory: not on a device that failed or behind work that did, nor what was given up. */
static void work_on(struct host_queue *queue, struct op *op)
{
    if (weir__queue_failed(&queue->base) || (op->kind != CALL && weir__dropping()))
        return;
    switch (op->kind) {
    case COPY:
        weir__drop_copy(op->destination, op->source, op->bytes);
        break;
    case FILL:
        weir__drop_fill(op->destination, op->value, op->bytes);
        break;
    case LAUNCH:
        weir__host_team_run(&((struct host_device *)queue->base.device)->team, &queue->base,
                            op->kernel, op->args);
        break;
    default:
        op->function(op->user);
    }
}

/* The same, and a trace is told. A device that only tests make of this one, and that holds its queues, keeps its own time. */
static void work_timed(struct host_queue *queue, struct op *op)
{
    static const enum weir__trace_op ops[] = {
        [COPY] = WEIR__TRACE_COPY, [FILL] = WEIR__TRACE_FILL, [CALL] = WEIR__TRACE_CALL};
    const weir_device *device = queue->base.device;
    struct weir__trace *trace = device->ops->holds ? NULL : weir__tracing(device->context);
    if (!trace) {
        work_on(queue, op);
        return;
    }
    const int launch = op->kind == LAUNCH, moves = op->kind == COPY || op->kind == FILL;
    const uint64_t begin = weir__now_ns();
    work_on(queue, op);
    weir__trace_ran(trace, &queue->base, launch ? WEIR__TRACE_CALL : ops[op->kind],
                    launch ? op->kernel->name : NULL, begin, weir__now_ns(), moves ? op->bytes : 0,
                    &op->mark);
}

static void run(struct host_queue *queue, struct op *op)
{
    switch (op->kind) {
    case RECORD:
        weir__event_carry(op->event, &queue->base);
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
        weir_event_release(op->event);
        break;
    case WAIT_FUTURE:
        wait_future(queue->base.device, op->future);
        break;
    default:
        work_timed(queue, op);
    }
}

/* As a kernel's fault breaks a GPU. */
static void break_device(weir_device *device)
{
    weir__fail(WEIR_ERR_DEVICE, "%s: an operation of a queue failed", device->info.label);
    weir__device_mark(device, weir_error_detail());
    weir__alarms_raise(device->context);
}

static void *work(void *data)
{
    struct host_queue *queue = data;
    (void)weir__drop_enter(queue->base.device->context);
    (void)weir__work_enter(&queue->base);
    weir__near_thread(queue->base.device);
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
        if (weir__fault_strikes(WEIR__FAULT_DEVICE))
            break_device(queue->base.device);
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
    weir__cond_init(&queue->idle);
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
    if (pthread_equal(pthread_self(),
                      queue->thread)) { /* it cannot end its own thread: the queue stays */
        weir__log(WEIR__LOG_ERROR, "a function of a queue of %s destroys that queue",
                  base->device->info.label);
        return;
    }
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

weir_status weir__host_queue_sync(weir_queue *base, int64_t timeout_ms)
{
    struct host_queue *queue = (struct host_queue *)base;
    struct timespec at = weir__deadline(timeout_ms);
    int error = 0;
    if (pthread_equal(pthread_self(), queue->thread))
        return weir__fail(WEIR_ERR_INVALID, "a function of a queue of %s waits for that queue",
                          base->device->info.label);
    pthread_mutex_lock(&queue->lock);
    while ((queue->first || queue->busy) && error != ETIMEDOUT)
        error = timeout_ms < 0 ? pthread_cond_wait(&queue->idle, &queue->lock)
                               : pthread_cond_timedwait(&queue->idle, &queue->lock, &at);
    int empty = !queue->first && !queue->busy;
    pthread_mutex_unlock(&queue->lock);
    return empty ? WEIR_OK : WEIR_ERR_TIMEOUT;
}
