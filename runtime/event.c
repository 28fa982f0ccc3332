/** @file event.c  The pool of events of a device: made at start, and a few more only while all are in
 *  use at a time. */
#include "runtime/sim/sim.h"

#define EVENTS_GROWTH 16

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
    pthread_mutex_unlock(&device->events.lock);
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
        device->ops->event_destroy(event);
    }
    device->events.free = device->events.last_free = NULL;
}

/* Asked with the device's events locked, which a simulation may not go on over. */
static int is_over(weir_event *event)
{
    if (event->device->ops->waits_capture)
        return 1;
    if (weir__context_sim(event->device->context))
        return weir__sim_event_over(event);
    return event->device->ops->event_query(event) != WEIR_PENDING;
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
    pthread_mutex_unlock(&device->events.lock);
    return event;
}

weir_status weir_event_acquire(weir_device *device, weir_event **event_out)
{
    struct weir__sim *sim = weir__context_sim(device->context);
    *event_out = NULL;
    if (weir__fault_strikes(WEIR__FAULT_EVENT))
        return WEIR_ERR_FULL;
    weir_event *event = take_free(device);
    while (!event && sim && weir__sim_go_on(sim)) /* others go on by themselves */
        event = take_free(device);
    if (!event && !(event = make_more(device)))
        return WEIR_ERR_FULL;
    atomic_store_explicit(&event->references, 1, memory_order_relaxed);
    *event_out = event;
    return WEIR_OK;
}

weir_event *weir__event_retain(weir_event *event)
{
    atomic_fetch_add_explicit(&event->references, 1, memory_order_relaxed);
    return event;
}

void weir_event_release(weir_event *event)
{
    if (!event || atomic_fetch_sub_explicit(&event->references, 1, memory_order_acq_rel) > 1)
        return;
    weir_device *device = event->device;
    pthread_mutex_lock(&device->events.lock);
    event->next_free = NULL;
    if (device->events.last_free)
        device->events.last_free->next_free = event;
    else
        device->events.free = event;
    device->events.last_free = event;
    pthread_mutex_unlock(&device->events.lock);
}

weir_status weir_event_query(weir_event *event)
{
    weir_status status = weir__device_failed(event->device);
    return status ? status : event->device->ops->event_query(event);
}

/* In slices, or a device that fails elsewhere would not be found by who waits for what it holds up. */
static weir_status wait_in_slices(weir_event *event, int64_t timeout_ms, int raising)
{
    const weir_device *device = event->device;
    uint64_t start = weir__now_ns();
    if (weir__context_sim(device->context)) /* which never fails, and takes time for what it is */
        return device->ops->event_wait(event, timeout_ms);
    for (;;) {
        int64_t slice = weir__wait_slice(start, timeout_ms);
        weir_status status = device->ops->event_wait(event, slice);
        if (status != WEIR_ERR_TIMEOUT || slice < WEIR__SLICE_MS)
            return status;
        weir__context_probe(device->context);
        if (raising)
            weir__alarms_raise(device->context);
    }
}

weir_status weir_event_wait(weir_event *event, int64_t timeout_ms)
{
    weir_device *device = event->device;
    weir_status status = wait_in_slices(event, timeout_ms, 1);
    weir_status failed = weir__device_failed(device);
    weir__alarms_raise(device->context);
    if (failed)
        return failed;
    return status == WEIR_ERR_TIMEOUT ? weir__timed_out() : status;
}

void weir__event_settle(weir_event *event)
{
    (void)wait_in_slices(event, -1, 0);
}

void *weir_event_native(weir_event *event)
{
    return event->device->ops->event_native ? event->device->ops->event_native(event) : NULL;
}
