/** @file held.c  What is kept for queues that the host holds, and its submission. See held.h. */
#include "runtime/held.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 64 /* bytes of arguments: what the runtime's own kernels take */
#define SPARES_MAX 64 /* operations that a queue keeps for reuse */

static uint32_t state_of(const weir_queue *queue)
{
    return atomic_load_explicit(&queue->held.state, memory_order_acquire);
}

/* The lock is held, so nobody else writes. */
static void set_state(weir_queue *queue, uint32_t state)
{
    atomic_store_explicit(&queue->held.state, state, memory_order_release);
}

static int failed(const weir_device *device)
{
    return atomic_load_explicit(&device->fault.health, memory_order_acquire) == WEIR__FAILED;
}

/* ---- operations ------------------------------------------------------------------------------------ */

weir_status weir__held_make(size_t bytes, struct weir__operation **operation_out)
{
    size_t room = bytes < ROOM_LEAST ? ROOM_LEAST : bytes;
    weir_status status =
        weir__alloc(1, sizeof **operation_out + room, "kept operation", operation_out);
    if (!status)
        (*operation_out)->room = room;
    return status;
}

static weir_status take(weir_queue *queue, size_t bytes, struct weir__operation **operation_out)
{
    pthread_mutex_t *lock = &queue->device->queues.lock;
    pthread_mutex_lock(lock);
    struct weir__operation *spare = queue->held.spare;
    if (spare && spare->room >= bytes) {
        queue->held.spare = spare->next;
        atomic_fetch_sub_explicit(&queue->held.spares, 1, memory_order_relaxed);
    } else {
        spare = NULL;
    }
    pthread_mutex_unlock(lock);
    *operation_out = spare;
    return spare ? WEIR_OK : weir__held_make(bytes, operation_out);
}

/* The lock is held. */
static void add_spare(weir_queue *queue, struct weir__operation *operation)
{
    operation->next = queue->held.spare;
    queue->held.spare = operation;
    atomic_fetch_add_explicit(&queue->held.spares, 1, memory_order_relaxed);
}

weir_status weir__held_reserve(weir_queue *queue, uint32_t count)
{
    weir_status status = WEIR_OK;
    while (atomic_load_explicit(&queue->held.spares, memory_order_relaxed) < count) {
        struct weir__operation *operation;
        if ((status = weir__held_make(0, &operation)))
            break;
        pthread_mutex_lock(&queue->device->queues.lock);
        add_spare(queue, operation);
        pthread_mutex_unlock(&queue->device->queues.lock);
    }
    return status;
}

/* What a kept operation holds beside its memory. */
void weir__held_let_loose(const struct weir__operation *operation)
{
    weir_event_release(operation->event);
    weir_future_release(operation->future);
    weir__join_unref(operation->join);
}

/* A wait for an event of another backend is over when it is submitted, and one whose record was dropped has
 * nothing to wait for. */
static weir_status submit_wait(weir_queue *queue, weir_event *event)
{
    const weir__backend *ops = queue->device->ops;
    if (ops->holds && (event->device->ops != ops || weir__event_dropped(event)))
        return WEIR_OK;
    return ops->wait_event(queue, event);
}

static weir_status give(weir_queue *queue, const struct weir__operation *o)
{
    const weir__backend *ops = queue->device->ops;
    switch (o->kind) {
    case WEIR__COPY:
        return ops->copy(queue, o->destination_device, o->destination, o->source_device, o->source,
                         o->bytes);
    case WEIR__PUSH:
        return ops->push(queue, o->destination_device, o->destination, o->source_device, o->source,
                         o->bytes);
    case WEIR__FILL:
        return ops->fill(queue, o->destination, o->value, o->bytes);
    case WEIR__LAUNCH:
        return ops->launch(queue, o->kernel, o->source, o->bytes);
    case WEIR__CALL:
        return ops->call(queue, o->function, o->user);
    case WEIR__RECORD:
        weir__event_carry(o->event, queue); /* before anybody sees that it was reached */
        return ops->record(queue, o->event);
    case WEIR__STAMP:
        return ops->stamp(queue, o->stamp);
    case WEIR__WAIT_EVENT:
        return submit_wait(queue, o->event);
    case WEIR__WAIT_NATIVE:
        return ops->wait_native(queue, o->native);
    default: /* a wait for a future is one for an event by now, or over; a join was made */
        return WEIR_OK;
    }
}

/* What a trace calls the operation. @return 0: traces leave such ones out. */
static int is_traced(const struct weir__operation *o, enum weir__trace_op *op_out)
{
    *op_out = o->kind == WEIR__COPY   ? WEIR__TRACE_COPY
              : o->kind == WEIR__PUSH ? WEIR__TRACE_PUSH
              : o->kind == WEIR__FILL ? WEIR__TRACE_FILL
                                      : WEIR__TRACE_CALL;
    return *op_out != WEIR__TRACE_CALL || o->kind == WEIR__LAUNCH;
}

/* A device that is held keeps the times of its operations itself; the others' threads note theirs (host/queue.c). */
static weir_status submit(weir_queue *queue, const struct weir__operation *o)
{
    enum weir__trace_op op;
    if (!queue->device->ops->holds || !weir__tracing(queue->device->context) || !is_traced(o, &op))
        return give(queue, o);
    const int launch = o->kind == WEIR__LAUNCH;
    struct weir__timed *timed =
        weir__timed_begin(queue, op, launch ? o->kernel->name : NULL, launch ? 0 : o->bytes);
    const weir_status status = give(queue, o);
    weir__timed_end(queue, timed, status);
    return status;
}

/* ---- submission ------------------------------------------------------------------------------------ */

/* A kept operation that will not be submitted: its queue or its device failed. */
static void drop(weir_queue *queue, struct weir__operation *operation, weir_status status)
{
    if (operation->kind == WEIR__RECORD) {
        weir__event_carry(operation->event, queue);
        weir__event_submitted(operation->event, operation->number, 1);
    }
    if (operation->kind == WEIR__STAMP)
        weir__stamp_submitted(operation->stamp, operation->number, status);
    if (operation->kind == WEIR__JOIN && !weir__join_called(operation->join)) {
        weir__join_fail(operation->join, status);
        (void)weir__join_arrive(operation);
    }
}

/* A record or mark is, if its event or stamp was put into another queue since: it stands for the last. */
static int is_outdated(const struct weir__operation *operation)
{
    if (operation->kind == WEIR__RECORD)
        return atomic_load_explicit(&operation->event->record.submitted, memory_order_acquire) >=
               operation->number;
    return operation->kind == WEIR__STAMP &&
           !weir__stamp_is_last(operation->stamp, operation->number);
}

/* Of a queue that failed records and waits are submitted all the same, so that nobody goes on with memory that earlier
 * work may still use; of a device that failed nothing is. */
static weir_status may_submit(const weir_queue *queue, const struct weir__operation *operation)
{
    int orders = operation->kind == WEIR__RECORD || operation->kind == WEIR__WAIT_EVENT ||
                 operation->kind == WEIR__WAIT_FUTURE || operation->kind == WEIR__WAIT_NATIVE;
    return !orders ? weir__queue_failed(queue) : weir__device_failed(queue->device);
}

/* A kept operation whose time has come. */
static void perform(weir_queue *queue, struct weir__operation *operation)
{
    weir_status status = may_submit(queue, operation);
    if (!status && operation->kind == WEIR__JOIN)
        status = weir__join_status(operation->join);
    else if (!status && !is_outdated(operation)) {
        const struct weir__trace_mark before = weir__trace_message(operation->mark);
        status = submit(queue, operation);
        (void)weir__trace_message(before);
    }
    if (status) {
        weir__queue_fail(queue, status, weir_error_detail());
        drop(queue, operation, status);
    } else if (operation->kind == WEIR__RECORD) {
        weir__event_submitted(operation->event, operation->number, 0);
    } else if (operation->kind == WEIR__STAMP) {
        weir__stamp_submitted(operation->stamp, operation->number, WEIR_OK);
    }
}

static int watch_event(struct weir__operation *operation)
{
    weir_event *event = operation->event;
    if (weir__event_when_submitted(event, &operation->waiter))
        return 1;
    if (event->device->ops == operation->device->ops || weir_event_query(event) != WEIR_PENDING)
        return 0;
    if (!weir__event_notify(event, weir__held_wake, operation))
        return 1;
    pthread_mutex_lock(&operation->device->queues.lock);
    operation->unwatched = 1;
    pthread_mutex_unlock(&operation->device->queues.lock);
    weir__context_rescue_later(operation->device->context);
    return 1;
}

/* Have weir__held_wake() called when there is a reason to look again. @return 0: there is nothing to wait for. */
static int watch(struct weir__operation *operation)
{
    weir_status status;
    if (operation->kind == WEIR__JOIN)
        return !weir__join_called(operation->join) && !weir__join_arrive(operation);
    if (operation->kind == WEIR__WAIT_FUTURE) {
        if (weir__future_when_decided(operation->future, &operation->waiter))
            return 1;
        (void)weir__future_decided(operation->future, &status, &operation->event);
        if (!operation->event) /* a failed one lets the queue go on */
            return 0;
        weir__event_retain(operation->event);
        operation->kind = WEIR__WAIT_EVENT;
    }
    return operation->kind == WEIR__WAIT_EVENT && watch_event(operation);
}

static int waits(const struct weir__operation *operation)
{
    return operation->kind == WEIR__WAIT_EVENT || operation->kind == WEIR__WAIT_FUTURE ||
           operation->kind == WEIR__JOIN;
}

/* From now on weir__held_wake() may find the queue, and another thread submit for it. @return whether it is worth while: who
 * marked the device may have looked for its queues too early to see this one. */
static int lay_down(weir_queue *queue, struct weir__operation *operation)
{
    pthread_mutex_lock(&queue->device->queues.lock);
    queue->held.running = 0;
    pthread_mutex_unlock(&queue->device->queues.lock);
    return !failed(operation->device);
}

/* There was nothing to wait for. @return whether the queue is still this thread's: it may have been rescued. */
static int take_up(weir_queue *queue, struct weir__operation *operation)
{
    weir_device *device = operation->device;
    pthread_mutex_lock(&device->queues.lock);
    int ours = operation->queue != NULL;
    if (ours)
        queue->held.running = 1;
    pthread_mutex_unlock(&device->queues.lock);
    if (ours)
        return 1;
    weir__held_let_loose(operation);
    free(operation);
    return 0;
}

/* Whether the event has come that it waits for, or a stream may be left to wait for it. */
static int is_due(const struct weir__operation *operation)
{
    weir_event *event = operation->event;
    return operation->kind == WEIR__WAIT_EVENT && !weir__event_unsubmitted(event) &&
           (event->device->ops == operation->device->ops ||
            weir_event_query(event) != WEIR_PENDING);
}

/* @return whether the queue is to be left: somebody else will go on. */
static int has_to_wait(weir_queue *queue, struct weir__operation *operation)
{
    if (!waits(operation) || may_submit(queue, operation) || is_due(operation))
        return 0;
    if (lay_down(queue, operation) && watch(operation))
        return 1;
    return !take_up(queue, operation);
}

/* The lock is held. */
static void unlink_first(weir_queue *queue)
{
    struct weir__operation *first = queue->held.first;
    queue->held.first = first->next;
    if (!queue->held.first)
        queue->held.last = NULL;
    queue->held.stats.kept--;
    queue->held.stats.kept_bytes -= sizeof *first + first->room;
}

/* The lock is held. @return whether there was room; else the caller frees it. */
static int retire(weir_queue *queue, struct weir__operation *operation)
{
    unlink_first(queue);
    const int spare = atomic_load_explicit(&queue->held.spares, memory_order_relaxed) < SPARES_MAX;
    if (spare)
        add_spare(queue, operation);
    return spare;
}

/* The first of what is kept, or NULL: then the queue is held no more, and may be gone. @param[in] done  what was the
 * first, and is submitted, or NULL. One lock for both: between a device's copies the host's time counts. */
static struct weir__operation *next_of(weir_queue *queue, struct weir__operation *done)
{
    weir_device *device = queue->device;
    if (done)
        weir__held_let_loose(done);
    pthread_mutex_lock(&device->queues.lock);
    if (done && retire(queue, done))
        done = NULL;
    struct weir__operation *first = queue->held.first;
    if (!first) {
        queue->held.running = 0;
        set_state(queue, state_of(queue) & ~(uint32_t)WEIR__HELD);
        pthread_cond_broadcast(&device->queues.changed);
    }
    pthread_mutex_unlock(&device->queues.lock);
    free(done);
    return first;
}

static void submit_all(weir_queue *queue)
{
    struct weir__operation *operation = NULL;
    while ((operation = next_of(queue, operation))) {
        if (has_to_wait(queue, operation))
            return;
        perform(queue, operation);
    }
}

/* Queues that this thread has to submit for: letting one go may let others go, in chains of any length. */
static _Thread_local struct {
    weir_queue *first, *last;
    int busy;
} due;

static void go(weir_queue *queue)
{
    queue->held.due = NULL;
    if (due.first)
        due.last->held.due = queue;
    else
        due.first = queue;
    due.last = queue;
    if (due.busy)
        return;
    due.busy = 1;
    /* What fails here is told by the queue, not by the call that happens to submit for it. */
    struct weir__sentence before = weir__fail_keep();
    while ((queue = due.first)) {
        due.first = queue->held.due;
        submit_all(queue);
    }
    weir__fail_restore(&before);
    due.busy = 0;
}

/* What an operation waited for has come about, or may have. */
void weir__held_wake(void *user)
{
    struct weir__operation *operation = user;
    weir_device *device = operation->device;
    pthread_mutex_lock(&device->queues.lock);
    weir_queue *queue = operation->queue;
    if (queue)
        queue->held.running = 1;
    pthread_mutex_unlock(&device->queues.lock);
    if (queue) {
        go(queue);
    } else {
        weir__held_let_loose(operation);
        free(operation);
    }
}

/* ---- putting in ------------------------------------------------------------------------------------- */

/* Whether a stream must not have it yet. */
static int is_early(const weir_queue *queue, const struct weir__operation *put)
{
    if (put->kind == WEIR__WAIT_EVENT)
        return put->event->device->ops != queue->device->ops || weir__event_unsubmitted(put->event);
    return put->kind == WEIR__WAIT_FUTURE || put->kind == WEIR__JOIN;
}

void weir__held_fill_in(struct weir__operation *kept, weir_queue *queue,
                        const struct weir__operation *put)
{
    size_t room = kept->room;
    *kept = *put;
    kept->room = room;
    kept->queue = queue;
    kept->device = queue->device;
    kept->waiter = (struct weir__waiter){NULL, weir__held_wake, kept};
    weir__trace_mark(&kept->mark, queue->device->context);
    if (put->kind == WEIR__LAUNCH) {
        if (put->bytes)
            memcpy(kept->args, put->source, put->bytes);
        kept->source = kept->args;
    }
    if (put->event)
        weir__event_retain(put->event);
    if (put->future)
        weir_future_retain(put->future);
}

/* The lock is held. */
static void append(weir_queue *queue, struct weir__operation *operation)
{
    if (operation->kind == WEIR__RECORD) {
        operation->number =
            atomic_load_explicit(&operation->event->record.put, memory_order_relaxed) + 1;
        atomic_store_explicit(&operation->event->record.put, operation->number,
                              memory_order_release);
    }
    if (operation->kind == WEIR__STAMP)
        operation->number = weir__stamp_put(operation->stamp);
    if (queue->held.last)
        queue->held.last->next = operation;
    else
        queue->held.first = operation;
    queue->held.last = operation;
    queue->held.stats.kept++;
    queue->held.stats.kept_ever++;
    queue->held.stats.kept_bytes += sizeof *operation + operation->room;
}

/* Keep it behind what is kept; submit, if nobody does and nothing is waited for. @return 0: the program has the
 * handle, and would not be held with the queue. */
int weir__held_keep(weir_queue *queue, struct weir__operation *operation)
{
    pthread_mutex_lock(&queue->device->queues.lock);
    uint32_t state = state_of(queue);
    int kept = !(state & WEIR__HANDED_OUT), first = kept && !(state & WEIR__HELD);
    if (kept)
        append(queue, operation);
    if (first) {
        set_state(queue, state | WEIR__HELD);
        queue->held.running = 1;
    }
    pthread_mutex_unlock(&queue->device->queues.lock);
    if (first)
        go(queue);
    return kept;
}

weir_status weir__held_refuse(const weir_device *device)
{
    return weir__fail(
        WEIR_ERR_INVALID,
        "%s: a queue whose stream was handed out (weir_queue_native) cannot wait for what is "
        "not submitted yet: wait for it on the host first",
        device->info.label);
}

static weir_status submit_now(weir_queue *queue, const struct weir__operation *put)
{
    weir_status status = submit(queue, put);
    if (!status && put->kind == WEIR__RECORD && queue->device->ops->holds)
        weir__event_submitted(put->event, 0, 0);
    if (!status && put->kind == WEIR__STAMP)
        weir__stamp_submitted(put->stamp, weir__stamp_put(put->stamp), WEIR_OK);
    return status;
}

weir_status weir__held_put(weir_queue *queue, const struct weir__operation *put)
{
    uint32_t state = state_of(queue);
    struct weir__operation *kept;
    weir_status status;
    if (!(state & WEIR__HELD) && !(queue->device->ops->holds && is_early(queue, put)))
        return submit_now(queue, put);
    if (state & WEIR__HANDED_OUT)
        return weir__held_refuse(queue->device);
    if ((status = take(queue, put->kind == WEIR__LAUNCH ? put->bytes : 0, &kept)))
        return status;
    weir__held_fill_in(kept, queue, put);
    if (weir__held_keep(queue, kept))
        return WEIR_OK;
    weir__held_let_loose(kept);
    free(kept);
    return weir__held_refuse(queue->device);
}

/* ---- waiting, ending ------------------------------------------------------------------------------- */

/* The lowest number that no queue of the device has. The lock is held. */
static uint32_t lowest_number(const weir_device *device)
{
    uint32_t number = 0;
    for (const weir_queue *queue = device->queues.all; queue;)
        if (queue->number == number) {
            number++;
            queue = device->queues.all;
        } else {
            queue = queue->next_made;
        }
    return number;
}

void weir__held_enlist(weir_queue *queue)
{
    weir_device *device = queue->device;
    pthread_mutex_lock(&device->queues.lock);
    queue->number = lowest_number(device);
    queue->next_made = device->queues.all;
    device->queues.all = queue;
    pthread_mutex_unlock(&device->queues.lock);
}

void weir__held_delist(weir_queue *queue)
{
    weir_device *device = queue->device;
    pthread_mutex_lock(&device->queues.lock);
    weir_queue **at = &device->queues.all;
    while (*at != queue)
        at = &(*at)->next_made;
    *at = queue->next_made;
    pthread_mutex_unlock(&device->queues.lock);
    while (queue->held.spare) {
        struct weir__operation *spare = queue->held.spare;
        queue->held.spare = spare->next;
        free(spare);
    }
}

weir_status weir__held_wait(weir_queue *queue, int64_t timeout_ms)
{
    weir_device *device = queue->device;
    struct timespec at = weir__deadline(timeout_ms);
    int error = 0;
    if (!(state_of(queue) & WEIR__HELD))
        return WEIR_OK;
    pthread_mutex_lock(&device->queues.lock);
    while ((state_of(queue) & WEIR__HELD) && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&device->queues.changed, &device->queues.lock, &at);
    int held = (state_of(queue) & WEIR__HELD) != 0;
    pthread_mutex_unlock(&device->queues.lock);
    return held ? WEIR_ERR_TIMEOUT : WEIR_OK;
}

void *weir__held_hand_out(weir_queue *queue)
{
    pthread_mutex_lock(&queue->device->queues.lock);
    int free_to = !(state_of(queue) & WEIR__HELD);
    if (free_to && queue->device->ops->holds)
        set_state(queue, state_of(queue) | WEIR__HANDED_OUT);
    pthread_mutex_unlock(&queue->device->queues.lock);
    return free_to ? queue->device->ops->native(queue) : NULL;
}

weir_status weir_queue_stats_get(const weir_queue *queue, weir_queue_stats *stats_out)
{
    if (!queue)
        return weir__missing("weir_queue_stats_get", "queue");
    pthread_mutex_lock(&queue->device->queues.lock);
    weir_queue_stats stats = queue->held.stats;
    pthread_mutex_unlock(&queue->device->queues.lock);
    return weir__sized_out(stats_out, &stats, sizeof stats, "weir_queue_stats");
}

/* Whether the first operation waits in vain; the lock is held. Of a failed device it is left to who was to wake it. */
static int take_over(weir_queue *queue)
{
    struct weir__operation *first = queue->held.first;
    if (!first || queue->held.running || !(failed(queue->device) || first->unwatched))
        return 0;
    queue->held.running = 1;
    if (first->unwatched) {
        first->unwatched = 0;
        return 1;
    }
    if (first->join)
        weir__join_fail(first->join, WEIR_ERR_DEVICE);
    unlink_first(queue);
    first->queue = NULL;
    return 1;
}

void weir__held_rescue(weir_device *device)
{
    weir_queue *stranded = NULL, *next;
    pthread_mutex_lock(&device->queues.lock);
    for (weir_queue *queue = device->queues.all; queue; queue = queue->next_made)
        if (take_over(queue)) {
            queue->held.due = stranded;
            stranded = queue;
        }
    pthread_mutex_unlock(&device->queues.lock);
    for (; stranded; stranded = next) {
        next = stranded->held.due;
        go(stranded);
    }
}
