/** @file watch.c  Calling back when a CUDA event completes.
 *
 * A thread that polls, started when first needed and asleep when there is nothing to watch. Host
 * functions in a helper stream would queue behind each other: an event that waits for a later one's
 * call would never come. */
#include "runtime/cuda/cuda.h"
#include "runtime/near.h"

#include <stdlib.h>
#include <string.h>

#define POLL_NS 10000

struct cuda_watch {
    struct cuda_watch *next;
    weir_event *event;
    weir__notify_fn fn;
    void *user;
};

/* Take the watches whose events are complete, or can never be, off the list; the lock is held. */
static struct cuda_watch *take_due(struct cuda_device *device)
{
    struct cuda_watch *due = NULL, **at = &device->watcher.list;
    while (*at) {
        struct cuda_watch *watch = *at;
        if (weir__cuda_event_query(watch->event) == WEIR_PENDING) {
            at = &watch->next;
            continue;
        }
        *at = watch->next;
        watch->next = due;
        due = watch;
    }
    return due;
}

/* @return 0: a call ended the context, and with it the device and this thread. */
static int call_due(struct cuda_device *device, const int *ended)
{
    while (!*ended && device->watcher.due) {
        struct cuda_watch *watch = device->watcher.due;
        device->watcher.due = watch->next;
        watch->fn(watch->user);
        free(watch);
    }
    if (!*ended) /* a device may have been found broken */
        weir__alarms_raise(device->base.context);
    return !*ended;
}

static void *watch_events(void *data)
{
    struct cuda_device *device = data;
    const struct timespec pause = {0, POLL_NS};
    int ended = 0;
    (void)weir__cuda_use(&device->base);
    weir__near_thread(&device->base);
    device->watcher.ended = &ended;
    pthread_mutex_lock(&device->watcher.lock);
    for (;;) {
        while (!device->watcher.list && !device->watcher.stop)
            pthread_cond_wait(&device->watcher.more, &device->watcher.lock);
        if (!device->watcher.list)
            break;
        device->watcher.due = take_due(device);
        pthread_mutex_unlock(&device->watcher.lock);
        if (!device->watcher.due)
            nanosleep(&pause, NULL);
        if (!call_due(device, &ended))
            return NULL;
        pthread_mutex_lock(&device->watcher.lock);
    }
    pthread_mutex_unlock(&device->watcher.lock);
    return NULL;
}

void weir__cuda_watcher_open(struct cuda_device *device)
{
    pthread_mutex_init(&device->watcher.lock, NULL);
    pthread_cond_init(&device->watcher.more, NULL);
}

/* The context ends inside one of the thread's own calls: it makes the rest of them, then goes. */
static void finish_here(struct cuda_device *device)
{
    const struct timespec pause = {0, POLL_NS};
    for (;;) {
        (void)call_due(device, device->watcher.ended);
        pthread_mutex_lock(&device->watcher.lock);
        int more = device->watcher.list != NULL;
        device->watcher.due = take_due(device);
        pthread_mutex_unlock(&device->watcher.lock);
        if (!more)
            break;
        if (!device->watcher.due)
            nanosleep(&pause, NULL);
    }
    *device->watcher.ended = 1;
    pthread_detach(pthread_self());
}

void weir__cuda_watcher_stop(struct cuda_device *device)
{
    pthread_mutex_lock(&device->watcher.lock);
    device->watcher.stop = 1;
    pthread_cond_signal(&device->watcher.more);
    pthread_mutex_unlock(&device->watcher.lock);
    if (!device->watcher.started)
        return;
    device->watcher.started = 0;
    if (pthread_equal(device->watcher.thread, pthread_self()))
        finish_here(device);
    else
        pthread_join(device->watcher.thread, NULL);
}

void weir__cuda_watcher_close(struct cuda_device *device)
{
    weir__cuda_watcher_stop(device);
    pthread_cond_destroy(&device->watcher.more);
    pthread_mutex_destroy(&device->watcher.lock);
}

weir_status weir__cuda_watch_event(weir_event *event, weir__notify_fn fn, void *user)
{
    struct cuda_device *device = (struct cuda_device *)event->device;
    struct cuda_watch *watch;
    weir_status status = weir__cuda_event_query(event);
    int error = 0;
    if (status != WEIR_PENDING) {
        fn(user);
        return WEIR_OK;
    }
    if ((status = weir__alloc(1, sizeof *watch, "event's watch", &watch)))
        return status;
    pthread_mutex_lock(&device->watcher.lock);
    if (!device->watcher.started) {
        error = pthread_create(&device->watcher.thread, NULL, watch_events, device);
        device->watcher.started = !error;
    }
    if (!error) {
        *watch = (struct cuda_watch){device->watcher.list, event, fn, user};
        device->watcher.list = watch;
        pthread_cond_signal(&device->watcher.more);
    }
    pthread_mutex_unlock(&device->watcher.lock);
    if (!error)
        return WEIR_OK;
    free(watch);
    return weir__fail(WEIR_ERR_NOMEM, "%s: the thread that watches events: %s",
                      event->device->info.label, strerror(error));
}
