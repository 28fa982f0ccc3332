/** @file event.c  Events of host queues: a counter of records put in, one of records reached. */
#include "runtime/host/host.h"

#include <errno.h>
#include <stdlib.h>

struct host_watch {
    struct host_watch *next;
    uint64_t number;
    weir__notify_fn fn;
    void *user;
};

weir_status weir__host_event_create(weir_device *device, weir_event **event_out)
{
    struct host_event *event;
    weir_status status = weir__calloc(1, sizeof *event, "event", &event);
    (void)device;
    *event_out = NULL;
    if (status)
        return status;
    pthread_mutex_init(&event->lock, NULL);
    weir__cond_init(&event->reached);
    *event_out = &event->base;
    return WEIR_OK;
}

void weir__host_event_destroy(weir_event *base)
{
    struct host_event *event = (struct host_event *)base;
    pthread_cond_destroy(&event->reached);
    pthread_mutex_destroy(&event->lock);
    free(event);
}

uint64_t weir__host_event_recorded(struct host_event *event)
{
    pthread_mutex_lock(&event->lock);
    uint64_t number = ++event->recorded;
    pthread_mutex_unlock(&event->lock);
    return number;
}

/* Take the watches that are due off the list; called with the lock held. */
static struct host_watch *take_due(struct host_event *event)
{
    struct host_watch *due = NULL, **at = &event->watches;
    while (*at) {
        struct host_watch *watch = *at;
        if (watch->number > event->done) {
            at = &watch->next;
            continue;
        }
        *at = watch->next;
        watch->next = due;
        due = watch;
    }
    return due;
}

void weir__host_event_reached(struct host_event *event, uint64_t number)
{
    pthread_mutex_lock(&event->lock);
    if (event->done < number)
        event->done = number;
    struct host_watch *due = take_due(event);
    pthread_cond_broadcast(&event->reached);
    pthread_mutex_unlock(&event->lock);
    while (due) {
        struct host_watch *watch = due;
        due = watch->next;
        watch->fn(watch->user);
        free(watch);
    }
}

void weir__host_event_wait_number(struct host_event *event, uint64_t number)
{
    pthread_mutex_lock(&event->lock);
    while (event->done < number)
        (void)pthread_cond_wait(&event->reached, &event->lock);
    pthread_mutex_unlock(&event->lock);
}

weir_status weir__host_event_query(weir_event *base)
{
    struct host_event *event = (struct host_event *)base;
    pthread_mutex_lock(&event->lock);
    int done = event->done >= event->recorded;
    pthread_mutex_unlock(&event->lock);
    return done ? WEIR_OK : WEIR_PENDING;
}

weir_status weir__host_event_wait(weir_event *base, int64_t timeout_ms)
{
    struct host_event *event = (struct host_event *)base;
    struct timespec at = weir__deadline(timeout_ms);
    int error = 0;
    pthread_mutex_lock(&event->lock);
    uint64_t number = event->recorded;
    while (event->done < number && error != ETIMEDOUT)
        error = timeout_ms < 0 ? pthread_cond_wait(&event->reached, &event->lock)
                               : pthread_cond_timedwait(&event->reached, &event->lock, &at);
    int done = event->done >= number;
    pthread_mutex_unlock(&event->lock);
    return done ? WEIR_OK : WEIR_ERR_TIMEOUT;
}

weir_status weir__host_event_notify(weir_event *base, weir__notify_fn fn, void *user)
{
    struct host_event *event = (struct host_event *)base;
    struct host_watch *watch;
    weir_status status = weir__alloc(1, sizeof *watch, "event's watch", &watch);
    if (status)
        return status;
    pthread_mutex_lock(&event->lock);
    int done = event->done >= event->recorded;
    *watch = (struct host_watch){event->watches, event->recorded, fn, user};
    if (!done)
        event->watches = watch;
    pthread_mutex_unlock(&event->lock);
    if (done) {
        free(watch);
        fn(user);
    }
    return WEIR_OK;
}
