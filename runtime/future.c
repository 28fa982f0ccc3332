/** @file future.c  Futures: an event that may not exist yet (Groute section 4.1, "event-futures").
 *
 * Two layers: first the future is *set* (given its event) or failed, then the event completes.
 * Host threads wait through both; queues that the host holds are told of the first (held.c), those of simulations
 * of the second, and a host queue's thread waits itself.
 * Lock rule: a future's lock is never held while a backend, or a notification, is called. The engine of
 * a simulation asks whether a future is decided with its own lock held. */
#include "runtime/backend.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Somebody who is told when a future is complete. Holds a reference to it, so that the event is not given back,
 * and recorded anew, while it is still being watched. */
struct listener {
    struct weir__waiter waiter;
    weir_future *future;
    weir__notify_fn fn;
    void *user;
};

struct weir_future {
    weir_context *context;
    _Atomic uint32_t references; /* acq_rel: the last release sees what all holders did */
    pthread_mutex_t lock;        /* guards everything below */
    pthread_cond_t changed;
    int decided; /* set or failed */
    weir_status status;
    char *detail;      /* the sentence of who failed it, or NULL */
    weir_event *event; /* what it completes with; NULL: complete when decided */
    struct weir__waiter *waiters;
    struct weir__watched watched; /* not guarded by the lock: see notify.c */
};

weir_status weir_future_create(weir_context *context, weir_future **future_out)
{
    weir_future *future;
    if (future_out)
        *future_out = NULL;
    if (!context || !future_out)
        return weir__missing("weir_future_create", context ? "future_out" : "context");
    future = weir__context_future_take(context);
    if (!future) {
        weir_status status = weir__calloc(1, sizeof *future, "future", &future);
        if (status) {
            weir__context_future_keep(context, NULL);
            return status;
        }
        pthread_mutex_init(&future->lock, NULL);
        weir__cond_init(&future->changed);
    }
    future->context = context;
    atomic_store_explicit(&future->references, 1, memory_order_relaxed);
    future->decided = 0;
    future->status = WEIR_OK;
    future->detail = NULL;
    future->event = NULL;
    future->waiters = NULL;
    future->watched.first = NULL;
    future->watched.end = NULL;
    atomic_store_explicit(&future->watched.state, WEIR__WATCHED_NOT, memory_order_relaxed);
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
    uint32_t now = atomic_load_explicit(&future->references, memory_order_relaxed);
    do {
        if (now == 0) { /* it is among those kept for reuse, unless it was taken again */
            weir__log(WEIR__LOG_ERROR, "a future was released more often than it was held");
            return;
        }
        if (now == WEIR__OBSERVING + 1 &&
            atomic_load_explicit(&future->watched.state, memory_order_relaxed) ==
                WEIR__WATCHED_OBSERVED) {
            weir__watches_abandon(future); /* nobody is left to decide it */
            now = atomic_load_explicit(&future->references, memory_order_relaxed);
        }
    } while (!atomic_compare_exchange_weak_explicit(&future->references, &now, now - 1,
                                                    memory_order_acq_rel, memory_order_relaxed));
    if (now > 1)
        return;
    weir_event_release(future->event);
    free(future->detail);
    weir__context_future_keep(future->context, future);
}

static void call(void *user)
{
    struct listener listener = *(struct listener *)user;
    weir_future_release(listener.future);
    free(user);
    listener.fn(listener.user); /* last: it may give up what keeps the context */
}

/* Listeners whose event could not be watched for want of memory or threads. They must not go on before it, and whoever
 * set the future may hold locks: the thread that met them waits when it has none. */
static _Thread_local struct weir__waiter *unwatched;

void weir__futures_settle(void)
{
    while (unwatched) {
        struct listener *listener = unwatched->user;
        unwatched = unwatched->next;
        weir__event_settle(listener->future->event); /* of a decided future: it does not change */
        call(listener);
    }
}

static void *settle_list(void *first)
{
    unwatched = first;
    weir__futures_settle();
    return NULL;
}

void weir__futures_settle_apart(void)
{
    pthread_t thread;
    if (!unwatched)
        return;
    if (pthread_create(&thread, NULL, settle_list, unwatched)) {
        weir__futures_settle();
        return;
    }
    pthread_detach(thread);
    unwatched = NULL;
}

/* The future was decided. */
static void listen_on(void *user)
{
    struct listener *listener = user;
    weir_status status;
    weir_event *event;
    (void)weir__future_decided(listener->future, &status, &event);
    if (!event) {
        call(listener);
    } else if (weir__event_notify(event, call, listener)) {
        listener->waiter.next = unwatched;
        unwatched = &listener->waiter;
    }
}

/* The caller holds the future. */
static void call_all(struct weir__waiter *waiters)
{
    while (waiters) {
        struct weir__waiter *waiter = waiters;
        waiters = waiter->next;
        waiter->fn(waiter->user);
    }
}

static weir_status decide(weir_future *future, weir_status status, const char *cause,
                          weir_event *event)
{
    weir_context *context = future->context; /* the future may go once decided, */
    const weir__progress *progress = weir__context_progress(context); /* and the context with it */
    char *detail = cause ? strdup(cause) : NULL; /* without memory the status speaks for itself */
    struct weir__waiter *waiters;
    pthread_mutex_lock(&future->lock);
    if (future->decided) {
        pthread_mutex_unlock(&future->lock);
        free(detail);
        return weir__fail(WEIR_ERR_INVALID, "a future was set or failed twice");
    }
    future->decided = 1;
    future->status = status;
    future->detail = detail;
    future->event = event;
    waiters = future->waiters;
    future->waiters = NULL;
    pthread_cond_broadcast(&future->changed);
    pthread_mutex_unlock(&future->lock);
    if (progress->kick)
        progress->kick(context);
    call_all(waiters);
    return WEIR_OK;
}

weir_status weir__future_set(weir_future *future, weir_event *event)
{
    return decide(future, WEIR_OK, NULL, event);
}

weir_status weir_future_set(weir_future *future, weir_event *event)
{
    weir_status status;
    if (!future)
        return weir__missing("weir_future_set", "future");
    if (event && (status = weir__event_check(event, future->context, "a future is set")))
        return status;
    status = weir__future_set(future, event);
    if (event) /* only then can there be any, and a router that holds locks gives none */
        weir__futures_settle();
    return status;
}

weir_status weir_future_fail(weir_future *future, weir_status status)
{
    if (!future)
        return weir__missing("weir_future_fail", "future");
    if (status != WEIR_CLOSED && status != WEIR_ERR_TIMEOUT && !weir__status_ends(status))
        return weir__fail(WEIR_ERR_INVALID, "a future cannot be failed with %d (%s)", (int)status,
                          weir_status_text(status));
    /* Waits say by WEIR_ERR_TIMEOUT that they came to their own limit and the future is still open. */
    return decide(future, status == WEIR_ERR_TIMEOUT ? WEIR_ERR_CANCELLED : status,
                  weir__fail_cause(status), NULL);
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

weir_status weir__future_context_check(const weir_future *future, const weir_context *context,
                                       const char *what)
{
    if (future->context == context)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID, "%s with a future of another context", what);
}

/* What a decided future without an event ended with, and its sentence as this thread's. */
static weir_status ended(const weir_future *future, weir_status status)
{
    char text[64];
    snprintf(text, sizeof text, "a future was failed: %s", weir_status_text(status));
    if (status < 0)
        weir__fail_adopt(status, future->detail ? future->detail : text);
    return status;
}

static int is_decided(void *user)
{
    weir_status status;
    weir_event *event;
    return weir__future_decided(user, &status, &event);
}

weir_status weir_future_query(weir_future *future)
{
    weir_status status;
    weir_event *event;
    if (!future)
        return weir__missing("weir_future_query", "future");
    weir__context_poll(future->context, is_decided, future);
    if (!weir__future_decided(future, &status, &event)) {
        weir__alarms_raise(future->context); /* a program may do nothing but ask */
        if (!weir__future_decided(future, &status, &event))
            return WEIR_PENDING;
    }
    return status == WEIR_OK && event ? weir_event_query(event) : ended(future, status);
}

static int sleep_decided(void *user, int64_t timeout_ms)
{
    weir_future *future = user;
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
    (void)weir__context_wait(
        future->context,
        &(struct weir__wait){.is = is_decided, .sleep = sleep_decided, .user = future}, timeout_ms);
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
        return ended(future, status);
    if (timeout_ms >= 0) {
        int64_t spent = (int64_t)((weir__now_ns() - start) / 1000000u);
        timeout_ms = spent < timeout_ms ? timeout_ms - spent : 0;
    }
    return weir_event_wait(event, timeout_ms);
}

weir_status weir_future_wait(weir_future *future, int64_t timeout_ms)
{
    if (!future)
        return weir__missing("weir_future_wait", "future");
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
    return !is ? weir__timed_out() : ended(future, status);
}

int weir__future_when_decided(weir_future *future, struct weir__waiter *waiter)
{
    pthread_mutex_lock(&future->lock);
    int decided = future->decided;
    if (!decided) {
        waiter->next = future->waiters;
        future->waiters = waiter;
    }
    pthread_mutex_unlock(&future->lock);
    return !decided;
}

weir_status weir__future_notify(weir_future *future, weir__notify_fn fn, void *user)
{
    struct listener *listener;
    weir_event *event;
    weir_status status = weir__alloc(1, sizeof *listener, "future's waiter", &listener);
    if (status)
        return status;
    *listener =
        (struct listener){{NULL, listen_on, listener}, weir_future_retain(future), fn, user};
    if (weir__future_when_decided(future, &listener->waiter))
        return WEIR_OK;
    (void)weir__future_decided(future, &status, &event);
    status = event ? weir__event_notify(event, call, listener) : WEIR_OK;
    if (!event) {
        call(listener);
    } else if (status) {
        weir_future_release(listener->future);
        free(listener);
    }
    return status;
}

static int is_listener(const struct weir__waiter *waiter, weir__notify_fn fn, const void *user)
{
    const struct listener *listener = waiter->user;
    return waiter->fn == listen_on && listener->fn == fn && listener->user == user;
}

int weir__future_unnotify(weir_future *future, weir__notify_fn fn, const void *user)
{
    pthread_mutex_lock(&future->lock);
    struct weir__waiter **at = &future->waiters;
    while (*at && !is_listener(*at, fn, user))
        at = &(*at)->next;
    struct weir__waiter *waiter = *at;
    if (waiter)
        *at = waiter->next;
    pthread_mutex_unlock(&future->lock);
    if (!waiter)
        return 0;
    /* Not weir_future_release(), which would look at the watches, and these are locked. It is not the last. */
    atomic_fetch_sub_explicit(&future->references, 1, memory_order_acq_rel);
    free(waiter->user);
    return 1;
}

weir_context *weir__future_context(const weir_future *future)
{
    return future->context;
}

struct weir__watched *weir__future_watched(weir_future *future)
{
    return &future->watched;
}

weir_status weir__future_look(weir_future *future)
{
    weir_status status;
    weir_event *event;
    if (!weir__future_decided(future, &status, &event))
        return WEIR_PENDING;
    if (status != WEIR_OK || !event)
        return status;
    return weir__event_look(event);
}
