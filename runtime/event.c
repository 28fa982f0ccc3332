/** @file event.c  The pool of events of a device: all are made at start, none on a hot path. */
#include "runtime/backend.h"

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
        event->next_free = device->events.free;
        device->events.free = event;
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
    device->events.free = NULL;
}

weir_status weir_event_acquire(weir_device *device, weir_event **event_out)
{
    pthread_mutex_lock(&device->events.lock);
    *event_out = device->events.free;
    if (*event_out)
        device->events.free = (*event_out)->next_free;
    pthread_mutex_unlock(&device->events.lock);
    return *event_out ? WEIR_OK : WEIR_ERR_FULL;
}

void weir_event_release(weir_event *event)
{
    if (!event)
        return;
    weir_device *device = event->device;
    pthread_mutex_lock(&device->events.lock);
    event->next_free = device->events.free;
    device->events.free = event;
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
