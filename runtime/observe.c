/** @file observe.c  Observers of long calls.
 *
 * An observer is attached to one thread, and what that thread is busy with is written down in it, so that other threads can
 * look. There is no list of calls and nothing global: threads of a loop (parallel.c) are told whose they are.
 *
 * Lock order: the lock of an observer is the last; nothing is called with it. */
#include "runtime/observe.h"
#include "runtime/backend.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SLICE_MS 50 /* between two looks of a thread that waits for a file */

struct weir_observer {
    /* Relaxed: who reads one of these needs nothing else that the writer wrote before. */
    _Atomic int stopped;
    _Atomic uint32_t limit_ms; /* of a call; 0: none */
    _Atomic uint64_t begin_ns; /* when the call began; 0: none is running */
    _Atomic uint64_t done;     /* threads of a loop add to it */
    pthread_mutex_t lock;      /* guards what follows, so that they are read together */
    const char *name, *unit;   /* name NULL: no call is running */
    uint64_t total;
};

static _Thread_local weir_observer *attached;
static _Thread_local int aside; /* the observer is that of another thread's call */

/* ---- the public side ------------------------------------------------------------------------ */

weir_status weir_observer_create(weir_observer **observer_out)
{
    weir_observer *observer;
    if (!observer_out)
        return weir__missing("weir_observer_create", "observer_out");
    weir_status status = weir__calloc(1, sizeof *observer, "observer", &observer);
    *observer_out = observer;
    if (!status)
        pthread_mutex_init(&observer->lock, NULL);
    return status;
}

void weir_observer_destroy(weir_observer *observer)
{
    if (!observer)
        return;
    if (attached == observer)
        attached = NULL;
    pthread_mutex_destroy(&observer->lock);
    free(observer);
}

weir_observer *weir_observer_attach(weir_observer *observer)
{
    weir_observer *before = attached;
    attached = observer;
    return before;
}

void weir_observer_limit(weir_observer *observer, uint32_t time_limit_ms)
{
    if (observer)
        atomic_store_explicit(&observer->limit_ms, time_limit_ms, memory_order_relaxed);
}

void weir_observer_stop(weir_observer *observer)
{
    if (observer)
        atomic_store_explicit(&observer->stopped, 1, memory_order_relaxed);
}

weir_status weir_observer_look(weir_observer *observer, weir_activity *activity_out)
{
    weir_activity seen = WEIR_ACTIVITY_INIT;
    if (!observer)
        return weir__missing("weir_observer_look", "observer");
    pthread_mutex_lock(&observer->lock);
    const uint64_t begin_ns = atomic_load_explicit(&observer->begin_ns, memory_order_relaxed);
    if (observer->name) {
        seen.name = observer->name;
        seen.unit = observer->unit;
        seen.done = atomic_load_explicit(&observer->done, memory_order_relaxed);
        seen.total = observer->total;
        seen.ms = weir__elapsed_ms(begin_ns);
    }
    pthread_mutex_unlock(&observer->lock);
    return weir__sized_out(activity_out, &seen, sizeof seen, "weir_activity");
}

/* ---- the side of the call -------------------------------------------------------------------- */

int weir__activity_observed(void)
{
    return attached != NULL;
}

weir_observer *weir__activity_observer(void)
{
    return attached;
}

int weir__activity_is_aside(void)
{
    return aside;
}

struct weir__aside weir__activity_aside(weir_observer *observer)
{
    const struct weir__aside before = {attached, aside};
    attached = observer;
    aside = 1;
    return before;
}

void weir__activity_back(struct weir__aside before)
{
    attached = before.observer;
    aside = before.aside;
}

/* What is shown from now on; the lock is held. */
static void show(weir_observer *observer, const struct weir__activity *activity)
{
    observer->name = activity->name;
    observer->unit = activity->unit;
    observer->total = activity->total;
    atomic_store_explicit(&observer->done, activity->done, memory_order_relaxed);
}

void weir__activity_begin(struct weir__activity *outer, const char *name, const char *unit,
                          uint64_t total)
{
    weir_observer *observer = aside ? NULL : attached;
    *outer = (struct weir__activity){.observer = observer};
    if (!observer)
        return;
    pthread_mutex_lock(&observer->lock);
    outer->name = observer->name;
    outer->unit = observer->unit;
    outer->total = observer->total;
    outer->done = atomic_load_explicit(&observer->done, memory_order_relaxed);
    if (!outer->name)
        atomic_store_explicit(&observer->begin_ns, weir__now_ns(), memory_order_relaxed);
    show(observer, &(struct weir__activity){.name = name, .unit = unit, .total = total});
    pthread_mutex_unlock(&observer->lock);
}

void weir__activity_part(struct weir__activity *outer, const char *name, const char *unit,
                         uint64_t total)
{
    *outer = (struct weir__activity){.observer = NULL};
    if (attached && !aside && attached->name) /* which this thread alone writes */
        weir__activity_begin(outer, name, unit, total);
}

weir_status weir__activity_end(const struct weir__activity *outer, weir_status status)
{
    weir_observer *observer = outer->observer;
    if (!observer)
        return status;
    pthread_mutex_lock(&observer->lock);
    show(observer, outer);
    if (!outer->name)
        atomic_store_explicit(&observer->begin_ns, 0, memory_order_relaxed);
    pthread_mutex_unlock(&observer->lock);
    return status;
}

weir_status weir__observer_ends(weir_observer *observer)
{
    if (!observer)
        return WEIR_OK;
    const uint64_t begin_ns = atomic_load_explicit(&observer->begin_ns, memory_order_relaxed);
    if (!begin_ns) /* what is no long call is not stopped: a run has a cancel and a limit of its own */
        return WEIR_OK;
    if (weir__fault_strikes(WEIR__FAULT_STOP))
        weir_observer_stop(observer);
    if (atomic_load_explicit(&observer->stopped, memory_order_relaxed))
        return WEIR_ERR_CANCELLED;
    const uint64_t limit_ms = atomic_load_explicit(&observer->limit_ms, memory_order_relaxed);
    return limit_ms && weir__now_ns() - begin_ns > limit_ms * 1000000 ? WEIR_ERR_TIMEOUT : WEIR_OK;
}

void weir__observer_add(weir_observer *observer, uint64_t more)
{
    if (observer)
        atomic_fetch_add_explicit(&observer->done, more, memory_order_relaxed);
}

weir_status weir__activity_fail(weir_status status)
{
    weir_observer *observer = attached;
    const char *name = NULL;
    if (observer) {
        pthread_mutex_lock(&observer->lock);
        name = observer->name;
        pthread_mutex_unlock(&observer->lock);
    }
    name = name ? name : "working";
    if (status == WEIR_ERR_TIMEOUT)
        return weir__fail(status, "the time limit of %u ms is over while %s",
                          atomic_load_explicit(&observer->limit_ms, memory_order_relaxed), name);
    return weir__fail(status, "cancelled while %s", name);
}

weir_status weir__activity_went(uint64_t more)
{
    weir_observer *observer = attached;
    if (!observer)
        return WEIR_OK;
    weir__observer_add(observer, more);
    weir_status status = weir__observer_ends(observer);
    return status ? weir__activity_fail(status) : WEIR_OK;
}

void weir__activity_expect(uint64_t more)
{
    weir_observer *observer = aside ? NULL : attached;
    if (!observer)
        return;
    pthread_mutex_lock(&observer->lock);
    observer->total = atomic_load_explicit(&observer->done, memory_order_relaxed) + more;
    pthread_mutex_unlock(&observer->lock);
}

weir_status weir__activity_wait(int descriptor, short events)
{
    weir_status status = WEIR_OK;
    struct pollfd file = {.fd = descriptor, .events = events};
    while (attached && !(status = weir__activity_went(0)))
        if (poll(&file, 1, SLICE_MS) > 0)
            break;
    return status;
}
