/** @file future.c  Futures: an event that may not exist yet (Groute section 4.1, "event-futures").
 *
 * Two layers: first the future is *set* (given its event) or failed, then the event completes.
 * Host threads wait through both; queues are gated by their backend through weir__future_notify.
 * Lock rule: a future's lock is never held while a backend, or a notification, is called. The engine of
 * a simulation asks whether a future is decided with its own lock held. */
#include "runtime/sim/sim.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Holds a reference to its future, so that the event is not given back, and recorded anew, while it is
 * still being watched. */
struct waiter {
    struct waiter *next;
    weir_future *future;
    weir__notify_fn fn;
    weir__open_fn open; /* or NULL */
    void *user;
};

struct weir_future {
    weir_context *context;
    _Atomic uint32_t references; /* acq_rel: the last release sees what all holders did */
    pthread_mutex_t lock;        /* guards everything below */
    pthread_cond_t changed;
    int decided; /* set or failed */
    weir_status status;
    weir_event *event; /* what it completes with; NULL: complete when decided */
    struct waiter *waiters;
};

weir_status weir_future_create(weir_context *context, weir_future **future_out)
{
    weir_future *future = weir__context_future_take(context);
    *future_out = NULL;
    if (!future) {
        weir_status status = weir__calloc(1, sizeof *future, "future", &future);
        if (status)
            return status;
        pthread_mutex_init(&future->lock, NULL);
        weir__cond_init(&future->changed);
    }
    future->context = context;
    atomic_store_explicit(&future->references, 1, memory_order_relaxed);
    future->decided = 0;
    future->status = WEIR_OK;
    future->event = NULL;
    future->waiters = NULL;
    *future_out = future;
    return WEIR_OK;
}

void weir__future_free(weir_future *future)
{
    if (!future)
        return;
    pthread_cond_destroy(&future->changed);
    pthread_mutex_destroy(&future->lock);
    free(future);
}

weir_future *weir_future_retain(weir_future *future)
{
    atomic_fetch_add_explicit(&future->references, 1, memory_order_relaxed);
    return future;
}

void weir_future_release(weir_future *future)
{
    if (!future)
        return;
    if (atomic_fetch_sub_explicit(&future->references, 1, memory_order_acq_rel) > 1)
        return;
    weir_event_release(future->event);
    weir__context_future_keep(future->context, future);
}

static void call(void *user)
{
    struct waiter waiter = *(struct waiter *)user;
    weir_future_release(waiter.future);
    free(user);
    waiter.fn(waiter.user); /* last: it may give up what keeps the context */
}

/* Whether a queue lets the waiter go, behind the event at its end. */
static int open_in(weir_queue *queue, struct waiter *waiter)
{
    if (!queue || !waiter->open || waiter->open(queue, waiter->user))
        return 0;
    weir_future_release(waiter->future);
    free(waiter);
    return 1;
}

/* The caller holds the future. */
static void notify_all(weir_event *event, struct waiter *waiters, weir_queue *queue)
{
    while (waiters) {
        struct waiter *waiter = waiters;
        waiters = waiter->next;
        if (!event) {
            call(waiter);
        } else if (open_in(queue, waiter)) {
            continue;
        } else if (event->device->ops->event_notify(event, call, waiter)) {
            /* It cannot be watched for want of memory or threads: wait here, or the waiter would go
             * on before what it waits for. */
            weir__event_settle(event);
            call(waiter);
        }
    }
}

static weir_status decide(weir_future *future, weir_status status, weir_event *event,
                          weir_queue *queue)
{
    struct weir__sim *sim = weir__context_sim(future->context); /* the future may go once decided */
    struct waiter *waiters;
    pthread_mutex_lock(&future->lock);
    if (future->decided) {
        pthread_mutex_unlock(&future->lock);
        return weir__fail(WEIR_ERR_INVALID, "a future was set or failed twice");
    }
    future->decided = 1;
    future->status = status;
    future->event = event;
    waiters = future->waiters;
    future->waiters = NULL;
    pthread_cond_broadcast(&future->changed);
    pthread_mutex_unlock(&future->lock);
    if (sim)
        weir__sim_changed(sim);
    notify_all(event, waiters, queue);
    return WEIR_OK;
}

weir_status weir_future_set(weir_future *future, weir_event *event)
{
    return decide(future, WEIR_OK, event, NULL);
}

weir_status weir__future_set_in(weir_future *future, weir_event *event, weir_queue *queue)
{
    return decide(future, WEIR_OK, event, queue);
}

weir_status weir_future_fail(weir_future *future, weir_status status)
{
    return decide(future, status, NULL, NULL);
}

int weir__future_decided(weir_future *future, weir_status *status_out, weir_event **event_out)
{
    pthread_mutex_lock(&future->lock);
    int is = future->decided;
    *status_out = future->status;
    *event_out = future->event;
    pthread_mutex_unlock(&future->lock);
    return is;
}

static int is_decided(void *user)
{
    weir_status status;
    weir_event *event;
    return weir__future_decided(user, &status, &event);
}

weir_status weir_future_query(weir_future *future)
{
    struct weir__sim *sim = weir__context_sim(future->context);
    weir_status status;
    weir_event *event;
    if (sim) /* who sets it may wait for the simulation, which goes on when it is asked */
        (void)weir__sim_poll(sim, is_decided, future);
    if (!weir__future_decided(future, &status, &event)) {
        weir__alarms_raise(future->context); /* a program may do nothing but ask */
        if (!weir__future_decided(future, &status, &event))
            return WEIR_PENDING;
    }
    return status == WEIR_OK && event ? weir_event_query(event) : status;
}

static int sleep_decided(weir_future *future, int64_t timeout_ms)
{
    struct timespec at = weir__deadline(timeout_ms);
    int error = 0;
    pthread_mutex_lock(&future->lock);
    while (!future->decided && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&future->changed, &future->lock, &at);
    int is = future->decided;
    pthread_mutex_unlock(&future->lock);
    return is;
}

static void wait_decided(weir_future *future, int64_t timeout_ms)
{
    struct weir__sim *sim = weir__context_sim(future->context);
    uint64_t start = weir__now_ns();
    if (sim) {
        (void)weir__sim_wait(sim, is_decided, future, timeout_ms);
        return;
    }
    /* In slices: who was to decide it may have failed, and the alarm is what has somebody else do it. */
    for (;;) {
        int64_t slice = weir__wait_slice(start, timeout_ms);
        if (sleep_decided(future, slice) || slice < WEIR__SLICE_MS)
            return;
        weir__context_probe(future->context);
        weir__alarms_raise(future->context);
    }
}

static weir_status wait(weir_future *future, int64_t timeout_ms)
{
    uint64_t start = weir__now_ns();
    weir_status status;
    weir_event *event;
    wait_decided(future, timeout_ms);
    if (!weir__future_decided(future, &status, &event))
        return weir__timed_out();
    if (status != WEIR_OK || !event)
        return status;
    if (timeout_ms >= 0) {
        int64_t spent = (int64_t)((weir__now_ns() - start) / 1000000u);
        timeout_ms = spent < timeout_ms ? timeout_ms - spent : 0;
    }
    return weir_event_wait(event, timeout_ms);
}

weir_status weir_future_wait(weir_future *future, int64_t timeout_ms)
{
    weir_context *context = future->context;
    weir_status status = wait(future, timeout_ms);
    weir__alarms_raise(context);
    return status;
}

weir_status weir__future_wait_decided(weir_future *future, int64_t timeout_ms)
{
    weir_context *context = future->context;
    weir_status status;
    weir_event *event;
    wait_decided(future, timeout_ms);
    int is = weir__future_decided(future, &status, &event);
    weir__alarms_raise(context);
    return !is ? weir__timed_out() : status;
}

weir_status weir__future_notify_in(weir_future *future, weir__notify_fn fn, weir__open_fn open,
                                   void *user)
{
    struct waiter *waiter;
    weir_status status = weir__alloc(1, sizeof *waiter, "future's waiter", &waiter);
    if (status)
        return status;
    *waiter =
        (struct waiter){.future = weir_future_retain(future), .fn = fn, .open = open, .user = user};
    pthread_mutex_lock(&future->lock);
    int is = future->decided;
    weir_event *event = future->event;
    if (!is) {
        waiter->next = future->waiters;
        future->waiters = waiter;
    }
    pthread_mutex_unlock(&future->lock);
    if (is)
        notify_all(event, waiter, NULL);
    return WEIR_OK;
}

weir_status weir__future_notify(weir_future *future, weir__notify_fn fn, void *user)
{
    return weir__future_notify_in(future, fn, NULL, user);
}
