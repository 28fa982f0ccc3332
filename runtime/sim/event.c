/** @file event.c  Events and stamps of simulated queues. */
#include "runtime/sim/engine.h"

#include <stdlib.h>

weir_status weir__sim_event_create(weir_device *device, weir_event **event_out)
{
    struct sim_event *event;
    weir_status status = weir__calloc(1, sizeof *event, "event", &event);
    (void)device;
    *event_out = status ? NULL : &event->base;
    return status;
}

void weir__sim_event_destroy(weir_event *event)
{
    free(event);
}

static void append(struct sim_calls *calls, struct sim_watch *watch)
{
    watch->next = NULL;
    if (calls->last)
        calls->last->next = watch;
    else
        calls->first = watch;
    calls->last = watch;
}

/* In the order in which they were asked for. */
static void call_watches(struct weir__sim *sim, struct sim_event *event)
{
    struct sim_watch *watch = event->watches.first, *next;
    event->watches.first = event->watches.last = NULL;
    for (; watch; watch = next) {
        next = watch->next;
        append(watch->number <= event->done ? &sim->calls : &event->watches, watch);
    }
}

/* Queues that wait for a later record look again, and wait again. */
static void wake_queues(struct weir__sim *sim, struct sim_event *event)
{
    struct sim_queue *queue = event->waiting, *next;
    event->waiting = NULL;
    for (; queue; queue = next) {
        next = queue->waiting;
        weir__sim_ready(sim, queue);
    }
}

void weir__sim_event_reached(struct weir__sim *sim, struct sim_event *event, uint64_t number)
{
    if (event->done < number)
        event->done = number;
    call_watches(sim, event);
    wake_queues(sim, event);
    pthread_cond_broadcast(&sim->changed);
}

static int is_complete(void *user)
{
    const struct sim_event *event = user;
    return event->done >= event->recorded;
}

weir_status weir__sim_event_query(weir_event *event)
{
    return weir__sim_poll(weir__sim_of(event->device), is_complete, event) ? WEIR_OK : WEIR_PENDING;
}

weir_status weir__sim_event_look(weir_event *event)
{
    struct weir__sim *sim = weir__sim_of(event->device);
    pthread_mutex_lock(&sim->lock);
    int is = is_complete(event);
    pthread_mutex_unlock(&sim->lock);
    return is ? WEIR_OK : WEIR_PENDING;
}

struct until {
    const struct sim_event *event;
    uint64_t number;
};

static int is_reached(void *user)
{
    const struct until *until = user;
    return until->event->done >= until->number;
}

weir_status weir__sim_event_wait(weir_event *base, int64_t timeout_ms)
{
    struct weir__sim *sim = weir__sim_of(base->device);
    struct until until = {.event = (struct sim_event *)base};
    pthread_mutex_lock(&sim->lock);
    until.number = until.event->recorded;
    pthread_mutex_unlock(&sim->lock);
    return weir__sim_wait(sim, is_reached, &until, timeout_ms);
}

weir_status weir__sim_event_notify(weir_event *base, weir__notify_fn fn, void *user)
{
    struct sim_event *event = (struct sim_event *)base;
    struct weir__sim *sim = weir__sim_of(base->device);
    struct sim_watch *watch;
    weir_status status = weir__alloc(1, sizeof *watch, "event's watch", &watch);
    if (status)
        return status;
    pthread_mutex_lock(&sim->lock);
    int done = is_complete(event);
    /* Call-backs that are due, or are being made by another thread, came before this one. */
    int queued = !done || sim->calls.first || weir__sim_calls_elsewhere(sim);
    *watch = (struct sim_watch){NULL, event->recorded, fn, user};
    if (queued) {
        append(done ? &sim->calls : &event->watches, watch);
        pthread_cond_broadcast(&sim->changed);
    }
    pthread_mutex_unlock(&sim->lock);
    if (!queued) {
        free(watch);
        fn(user);
    }
    return WEIR_OK;
}

weir_status weir__sim_stamp_create(weir_device *device, weir_stamp **stamp_out)
{
    struct sim_stamp *stamp;
    weir_status status = weir__calloc(1, sizeof *stamp, "stamp", &stamp);
    (void)device;
    *stamp_out = status ? NULL : &stamp->base;
    return status;
}

void weir__sim_stamp_destroy(weir_stamp *stamp)
{
    free(stamp);
}

static int both_reached(void *user)
{
    struct sim_stamp *const *stamps = user;
    return stamps[0]->reached == stamps[0]->put && stamps[1]->reached == stamps[1]->put;
}

/* Each may be more than a signed number holds. */
static double between_ms(uint64_t from_ps, uint64_t to_ps)
{
    return to_ps < from_ps ? -((double)(from_ps - to_ps) / 1e9) : (double)(to_ps - from_ps) / 1e9;
}

weir_status weir__sim_stamp_elapsed(weir_stamp *start, weir_stamp *stop, double *ms_out)
{
    struct weir__sim *sim = weir__sim_of(start->device);
    struct sim_stamp *stamps[2] = {(struct sim_stamp *)start, (struct sim_stamp *)stop};
    int is = weir__sim_poll(sim, both_reached, stamps);
    pthread_mutex_lock(&sim->lock);
    if (is)
        *ms_out = between_ms(stamps[0]->time_ps, stamps[1]->time_ps);
    pthread_mutex_unlock(&sim->lock);
    return is ? WEIR_OK : WEIR_PENDING;
}
