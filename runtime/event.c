/** @file event.c  The pool of events of a device: all are made at start, none on a hot path. */
#include "runtime/sim/sim.h"

weir_status weir__events_make(weir_device *device, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        weir_event *event;
        weir_status status = device->ops->event_create(device, &event);
        if (status) {
            weir__events_drop(device);
            return status;
        }
        event->device = device;
        event->next_made = device->events.all;
        device->events.all = event;
        weir_event_release(event);
    }
    return WEIR_OK;
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
    if (weir__context_sim(event->device->context))
        return weir__sim_event_over(event);
    return event->device->ops->event_query(event) != WEIR_PENDING;
}

static weir_event *take_free(weir_device *device)
{
    weir_event *before = NULL, *event;
    pthread_mutex_lock(&device->events.lock);
    /* One that was released before its record was reached stays: queues may wait for that record,
     * and a new one would let them go on too early, or too late. */
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
    weir_event *event = take_free(device);
    while (!event && sim && weir__sim_go_on(sim)) /* others go on by themselves */
        event = take_free(device);
    *event_out = event;
    return event ? WEIR_OK : WEIR_ERR_FULL;
}

void weir_event_release(weir_event *event)
{
    if (!event)
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
    return event->device->ops->event_query(event);
}

weir_status weir_event_wait(weir_event *event, int64_t timeout_ms)
{
    return event->device->ops->event_wait(event, timeout_ms);
}
