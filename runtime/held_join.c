/** @file held_join.c  Work that is put into several queues together, some of which the host holds. See held.h. */
#include "runtime/held.h"

#include <stdlib.h>

/** Work that several queues come to: the last one calls. */
struct weir__join {
    _Atomic uint32_t
        left; /* queues that have not come; acq_rel: the last sees what the others did */
    _Atomic uint32_t references; /* operations; acq_rel */
    _Atomic int status;          /* of the first that broke, then of the call; release, acquire */
    _Atomic int called;          /* release, acquire */
    weir_status (*fn)(void *user, void *const *streams, weir_status status);
    void *user;
    uint32_t count;
    struct weir__operation *operations[];
};

void weir__join_unref(struct weir__join *join)
{
    if (join && atomic_fetch_sub_explicit(&join->references, 1, memory_order_acq_rel) == 1)
        free(join);
}

void weir__join_fail(struct weir__join *join, weir_status status)
{
    int none = WEIR_OK;
    (void)atomic_compare_exchange_strong_explicit(&join->status, &none, (int)status,
                                                  memory_order_acq_rel, memory_order_acquire);
}

weir_status weir__join_status(struct weir__join *join)
{
    return (weir_status)atomic_load_explicit(&join->status, memory_order_acquire);
}

/* NULL for queues of backends that have no streams. */
static void *native_of(weir_queue *queue)
{
    const weir__backend *ops = queue->device->ops;
    return ops->native ? ops->native(queue) : NULL;
}

/* Fails where the queue went on without the operation, because its device failed. */
static weir_status stream_of(struct weir__operation *operation, void **stream_out)
{
    weir_device *device = operation->device;
    pthread_mutex_lock(&device->queues.lock);
    weir_queue *queue = operation->queue;
    *stream_out = queue ? native_of(queue) : NULL;
    pthread_mutex_unlock(&device->queues.lock);
    return queue ? WEIR_OK : weir__device_failed(device);
}

static void call_join(struct weir__join *join)
{
    void *streams[WEIR_DEVICES_MAX + 1];
    weir_status status = weir__join_status(join);
    for (uint32_t i = 0; i < join->count && !status; i++)
        status = stream_of(join->operations[i], &streams[i]);
    status = join->fn(join->user, status ? NULL : streams, status);
    if (status)
        weir__join_fail(join, status);
    atomic_store_explicit(&join->called, 1, memory_order_release);
}

int weir__join_called(struct weir__join *join)
{
    return atomic_load_explicit(&join->called, memory_order_acquire);
}

int weir__join_arrive(struct weir__operation *mine)
{
    struct weir__join *join = mine->join;
    if (atomic_fetch_sub_explicit(&join->left, 1, memory_order_acq_rel) > 1)
        return 0;
    call_join(join);
    for (uint32_t i = 0; i < join->count; i++)
        if (join->operations[i] != mine)
            weir__held_wake(join->operations[i]);
    return 1;
}

static weir_status join_now(weir_queue *const *queues, uint32_t count,
                            weir_status (*fn)(void *user, void *const *streams, weir_status status),
                            void *user)
{
    void *streams[WEIR_DEVICES_MAX + 1];
    for (uint32_t i = 0; i < count; i++)
        streams[i] = native_of(queues[i]);
    return fn(user, streams, WEIR_OK);
}

/* Everything that can run out is taken before anything is put in. */
static weir_status make_join(uint32_t count, struct weir__join **join_out)
{
    struct weir__join *join;
    weir_status status =
        weir__calloc(1, sizeof *join + count * sizeof *join->operations, "joint work", &join);
    *join_out = join;
    for (uint32_t i = 0; i < count && !status; i++)
        if (!(status = weir__held_make(0, &join->operations[i])))
            join->count++;
    if (!status) {
        atomic_store_explicit(&join->left, count, memory_order_relaxed);
        atomic_store_explicit(&join->references, count, memory_order_relaxed);
        return WEIR_OK;
    }
    for (uint32_t i = 0; join && i < join->count; i++)
        free(join->operations[i]);
    free(join);
    return status;
}

/* A queue was handed out since that was asked. */
static void leave_out(struct weir__operation *operation)
{
    operation->queue = NULL;
    weir__join_fail(operation->join, weir__held_refuse(operation->device));
    if (!weir__join_arrive(operation))
        return; /* who is the last frees it */
    weir__held_let_loose(operation);
    free(operation);
}

static void put_join(struct weir__join *join, weir_queue *const *queues)
{
    const uint32_t count = join->count; /* the last one puts an end to it */
    for (uint32_t i = 0; i < count; i++)
        weir__held_fill_in(join->operations[i], queues[i],
                           &(struct weir__operation){.kind = WEIR__JOIN, .join = join});
    for (uint32_t i = 0; i < count; i++)
        if (!weir__held_keep(queues[i], join->operations[i]))
            leave_out(join->operations[i]);
}

static weir_status check_join(weir_queue *const *queues, uint32_t count, int *held_out)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < count; i++) {
        weir_status status = weir__queue_failed(queues[i]);
        if (status)
            return status;
        any |= atomic_load_explicit(&queues[i]->held.state, memory_order_acquire);
    }
    *held_out = any & WEIR__HELD;
    return *held_out && any & WEIR__HANDED_OUT ? weir__held_refuse(queues[0]->device) : WEIR_OK;
}

weir_status weir__queues_join(weir_queue *const *queues, uint32_t count,
                              weir_status (*fn)(void *user, void *const *streams,
                                                weir_status status),
                              void *user, void (*give_up)(void *user))
{
    struct weir__join *join = NULL;
    int held = 0;
    weir_status status = check_join(queues, count, &held);
    if (!status && !held)
        return join_now(queues, count, fn, user);
    if (status || (status = make_join(count, &join))) {
        give_up(user);
        return status;
    }
    join->fn = fn;
    join->user = user;
    put_join(join, queues);
    return WEIR_OK;
}
