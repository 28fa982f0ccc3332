/** @file event.c  The pool of events of a device: made at start, and a few more only while all are in
 *  use at a time. */
#include "runtime/held.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_GROWTH 16

/* One more event is in somebody's hands, or one less; the device's events are locked. While there are any the context
 * stays. @return whether the context must be retained, or released once they are unlocked. */
static int count_out(weir_device *device, int more)
{
    return more ? device->events.out++ == 0 : --device->events.out == 0;
}

static weir_status make(weir_device *device, weir_event **event_out)
{
    weir_status status = device->ops->event_create(device, event_out);
    if (status)
        return status;
    (*event_out)->device = device;
    atomic_store_explicit(&(*event_out)->references, 1, memory_order_relaxed);
    pthread_mutex_lock(&device->events.lock);
    (*event_out)->next_made = device->events.all;
    device->events.all = *event_out;
    device->events.made++;
    int first = count_out(device, 1);
    pthread_mutex_unlock(&device->events.lock);
    if (first)
        weir__context_retain(device->context);
    return WEIR_OK;
}

weir_status weir__events_make(weir_device *device, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        weir_event *event;
        weir_status status = make(device, &event);
        if (status) {
            weir__events_drop(device);
            return status;
        }
        weir_event_release(event);
    }
    return WEIR_OK;
}

/* All are in use, by a program that puts far more into queues than they have run: one more, up to
 * EVENTS_GROWTH times what there was at start. */
static weir_event *make_more(weir_device *device)
{
    uint64_t bound =
        EVENTS_GROWTH * weir__config_get(weir_context_config(device->context), WEIR__EVENTS);
    weir_event *event;
    pthread_mutex_lock(&device->events.lock);
    int room = device->events.made < bound;
    pthread_mutex_unlock(&device->events.lock);
    return room && !make(device, &event) ? event : NULL;
}

void weir__events_drop(weir_device *device)
{
    while (device->events.all) {
        weir_event *event = device->events.all;
        device->events.all = event->next_made;
        weir__event_carry(event, NULL);
        device->ops->event_destroy(event);
    }
    device->events.free = device->events.last_free = NULL;
}

int weir__event_dropped(const weir_event *event)
{
    return atomic_load_explicit(&((weir_event *)event)->record.dropped, memory_order_acquire);
}

static weir_status look(weir_event *event)
{
    const weir__backend *ops = event->device->ops;
    if (weir__event_dropped(event))
        return WEIR_OK;
    return (ops->event_look ? ops->event_look : ops->event_query)(event);
}

int weir__event_over(weir_event *event)
{
    return !weir__event_unsubmitted(event) && look(event) != WEIR_PENDING;
}

/* Whether it may be recorded anew. Asked with the device's events locked. */
static int is_over(weir_event *event)
{
    return event->device->ops->waits_capture || weir__event_over(event);
}

static weir_event *take_free(weir_device *device)
{
    weir_event *before = NULL, *event;
    pthread_mutex_lock(&device->events.lock);
    /* One that was released before its record was reached stays, unless a wait takes note of the record:
     * queues may wait for it, and a new one would let them go on too early, or too late. */
    for (event = device->events.free; event; before = event, event = event->next_free)
        if (is_over(event))
            break;
    if (event && before)
        before->next_free = event->next_free;
    else if (event)
        device->events.free = event->next_free;
    if (event && event == device->events.last_free)
        device->events.last_free = before;
    int first = event && count_out(device, 1);
    pthread_mutex_unlock(&device->events.lock);
    if (first)
        weir__context_retain(device->context);
    return event;
}

weir_status weir_event_acquire(weir_device *device, weir_event **event_out)
{
    if (event_out)
        *event_out = NULL;
    if (!device || !event_out)
        return weir__missing("weir_event_acquire", device ? "event_out" : "device");
    if (weir__fault_strikes(WEIR__FAULT_EVENT))
        return WEIR_FULL;
    weir_event *event = take_free(device);
    while (!event && weir__context_step(device->context))
        event = take_free(device);
    if (!event && !(event = make_more(device)))
        return WEIR_FULL;
    atomic_store_explicit(&event->references, 1, memory_order_relaxed);
    atomic_store_explicit(&event->record.dropped, 0, memory_order_relaxed);
    weir__event_carry(event, NULL);
    atomic_store_explicit(&event->recorded, 0, memory_order_relaxed);
    *event_out = event;
    return WEIR_OK;
}

weir_status weir__event_check(const weir_event *event, const weir_context *context,
                              const char *what)
{
    if (event->device->context != context)
        return weir__fail(WEIR_ERR_INVALID, "%s with an event of another context", what);
    if (!atomic_load_explicit(&event->recorded, memory_order_relaxed))
        return weir__fail(WEIR_ERR_INVALID, "%s with an event of %s that was never recorded", what,
                          event->device->info.label);
    return WEIR_OK;
}

/* One that is to come, in use or released before its time. */
static weir_event *find_busy(weir_device *device)
{
    pthread_mutex_lock(&device->events.lock);
    weir_event *event = device->events.all;
    while (event && weir__event_over(event))
        event = event->next_made;
    pthread_mutex_unlock(&device->events.lock);
    return event;
}

weir_status weir__events_notify(weir_device *device, weir__notify_fn fn, void *user)
{
    weir_event *event = find_busy(device); /* not held: if it is recorded anew, that comes too */
    return event ? weir__event_notify(event, fn, user) : WEIR_CLOSED;
}

weir_event *weir__event_retain(weir_event *event)
{
    atomic_fetch_add_explicit(&event->references, 1, memory_order_relaxed);
    return event;
}

void weir_event_release(weir_event *event)
{
    if (!event)
        return;
    uint32_t before = atomic_fetch_sub_explicit(&event->references, 1, memory_order_acq_rel);
    if (before == 0) { /* it is in the pool, unless it was taken again */
        atomic_store_explicit(&event->references, 0, memory_order_relaxed);
        weir__log(WEIR__LOG_ERROR, "an event was released more often than it was held");
    }
    if (before != 1)
        return;
    weir_device *device = event->device;
    pthread_mutex_lock(&device->events.lock);
    event->next_free = NULL;
    if (device->events.last_free)
        device->events.last_free->next_free = event;
    else
        device->events.free = event;
    device->events.last_free = event;
    int last = count_out(device, 0);
    pthread_mutex_unlock(&device->events.lock);
    if (last)
        weir__context_release(device->context);
}

static weir_status ask(weir_event *event, weir_status (*query)(weir_event *event))
{
    weir_status status = weir__device_failed(event->device);
    if (status)
        return status;
    if (weir__event_unsubmitted(event))
        return WEIR_PENDING;
    if (!weir__event_dropped(event) && (status = query(event)))
        return status;
    return weir__event_failed(event);
}

weir_status weir_event_query(weir_event *event)
{
    if (!event)
        return weir__missing("weir_event_query", "event");
    return ask(event, event->device->ops->event_query);
}

weir_status weir__event_look(weir_event *event)
{
    return ask(event, look);
}

/* ---- records that are kept for held queues ------------------------------------------------------------ */

int weir__event_unsubmitted(const weir_event *event)
{
    weir_event *shared = (weir_event *)event; /* loads do not change it */
    /* In this order: a direct record raises `submitted` first, so one under way never looks kept. */
    uint64_t put = atomic_load_explicit(&shared->record.put, memory_order_acquire);
    return atomic_load_explicit(&shared->record.submitted, memory_order_acquire) < put;
}

static void call_waiters(struct weir__waiter *waiters)
{
    while (waiters) {
        struct weir__waiter *waiter = waiters;
        waiters = waiter->next;
        waiter->fn(waiter->user);
    }
}

/* A record that was never kept, of an event of which no other is. */
static int submitted_plainly(weir_event *event)
{
    uint64_t put = atomic_load_explicit(&event->record.put, memory_order_relaxed);
    if (atomic_load_explicit(&event->record.submitted, memory_order_relaxed) != put ||
        atomic_load_explicit(&event->record.dropped, memory_order_relaxed))
        return 0;
    atomic_store_explicit(&event->record.submitted, put + 1, memory_order_release);
    atomic_store_explicit(&event->record.put, put + 1, memory_order_release);
    return 1;
}

/* The lock is held. The event is submitted up to `number`; 0: up to one more than was ever put. */
static void advance(weir_event *event, uint64_t number)
{
    uint64_t put = atomic_load_explicit(&event->record.put, memory_order_relaxed);
    uint64_t submitted = atomic_load_explicit(&event->record.submitted, memory_order_relaxed);
    if (!number)
        number = put + 1;
    if (submitted < number)
        atomic_store_explicit(&event->record.submitted, number, memory_order_release);
    if (put < number)
        atomic_store_explicit(&event->record.put, number, memory_order_release);
}

void weir__event_submitted(weir_event *event, uint64_t number, int dropped)
{
    weir_device *device = event->device;
    if (!number && submitted_plainly(event))
        return;
    pthread_mutex_lock(&device->queues.lock);
    struct weir__waiter *waiters = event->record.waiters;
    event->record.waiters = NULL;
    /* Release: who sees that it was dropped sees what the event carries. */
    atomic_store_explicit(&event->record.dropped, dropped, memory_order_release);
    advance(event, number);
    if (event->record.sleepers) /* who waits for another is not woken for each */
        pthread_cond_broadcast(&device->queues.changed);
    pthread_mutex_unlock(&device->queues.lock);
    call_waiters(waiters);
}

int weir__event_when_submitted(weir_event *event, struct weir__waiter *waiter)
{
    if (!weir__event_unsubmitted(event))
        return 0;
    pthread_mutex_lock(&event->device->queues.lock);
    int is = weir__event_unsubmitted(event);
    if (is) {
        waiter->next = event->record.waiters;
        event->record.waiters = waiter;
    }
    pthread_mutex_unlock(&event->device->queues.lock);
    return is;
}

static weir_status wait_submitted(weir_event *event, int64_t timeout_ms)
{
    weir_device *device = event->device;
    struct timespec at = weir__deadline(timeout_ms);
    int error = 0;
    if (!weir__event_unsubmitted(event))
        return WEIR_OK;
    pthread_mutex_lock(&device->queues.lock);
    event->record.sleepers++;
    while (weir__event_unsubmitted(event) && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&device->queues.changed, &device->queues.lock, &at);
    event->record.sleepers--;
    int is = weir__event_unsubmitted(event);
    pthread_mutex_unlock(&device->queues.lock);
    return is && !weir__device_failed(device) ? WEIR_ERR_TIMEOUT : WEIR_OK;
}

/* Somebody who waits for an event that was not submitted when that was asked. */
struct late {
    struct weir__waiter waiter;
    weir_event *event;
    weir__notify_fn fn;
    void *user;
};

static weir_status notify(weir_event *event, weir__notify_fn fn, void *user)
{
    if (!weir__event_dropped(event))
        return event->device->ops->event_notify(event, fn, user);
    fn(user);
    return WEIR_OK;
}

static void call_late(void *user)
{
    struct late late = *(struct late *)user;
    if (weir__event_when_submitted(late.event, &((struct late *)user)->waiter))
        return; /* it was recorded anew */
    free(user);
    if (notify(late.event, late.fn, late.user)) {
        /* It cannot be watched for want of memory or threads: wait here, or the waiter would go on before
         * what it waits for. What was submitted waits for nothing that is still to come. */
        weir__event_settle(late.event);
        late.fn(late.user);
    }
}

weir_status weir__event_notify(weir_event *event, weir__notify_fn fn, void *user)
{
    struct late *late;
    weir_status status;
    if (!weir__event_unsubmitted(event))
        return notify(event, fn, user);
    if ((status = weir__alloc(1, sizeof *late, "event's watch", &late)))
        return status;
    *late = (struct late){{NULL, call_late, late}, event, fn, user};
    if (!weir__event_when_submitted(event, &late->waiter))
        call_late(late);
    return WEIR_OK;
}

/* ---- waiting -------------------------------------------------------------------------------------------- */

static int sleep_until_submitted(void *event, int64_t timeout_ms)
{
    return wait_submitted(event, timeout_ms) != WEIR_ERR_TIMEOUT;
}

struct event_wait {
    weir_event *event;
    weir_status status;
};

static int sleep_on(void *user, int64_t timeout_ms)
{
    struct event_wait *wait = user;
    const weir__backend *ops = wait->event->device->ops;
    wait->status = wait_submitted(wait->event, timeout_ms);
    if (!wait->status && !weir__event_dropped(wait->event))
        wait->status = ops->event_wait(wait->event, timeout_ms);
    return wait->status != WEIR_ERR_TIMEOUT;
}

static weir_status wait_for(weir_event *event, int64_t timeout_ms, int quiet)
{
    struct event_wait wait = {.event = event};
    (void)weir__context_wait(event->device->context,
                             &(struct weir__wait){.sleep = sleep_on, .user = &wait, .quiet = quiet},
                             timeout_ms);
    return wait.status;
}

weir_status weir_event_wait(weir_event *event, int64_t timeout_ms)
{
    if (!event)
        return weir__missing("weir_event_wait", "event");
    weir_device *device = event->device;
    weir_status status = wait_for(event, timeout_ms, 0);
    weir_status failed = weir__device_failed(device);
    weir__alarms_raise(device->context);
    if (failed)
        return failed;
    if (!status)
        return weir__event_failed(event);
    return status == WEIR_ERR_TIMEOUT ? weir__timed_out() : status;
}

void weir__event_settle(weir_event *event)
{
    (void)wait_for(event, -1, 1);
}

void *weir_event_native(weir_event *event)
{
    const weir_device *device = event->device;
    if (!device->ops->event_native)
        return NULL;
    (void)weir__context_wait(
        device->context, &(struct weir__wait){.sleep = sleep_until_submitted, .user = event}, -1);
    return device->ops->event_native(event);
}
