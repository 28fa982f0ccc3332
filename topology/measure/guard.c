/** @file guard.c  A thread that opens a region's gate when the one who should does not come to it.
 *
 * The gate is opened once, by whoever is first to find it closed under the guard's lock. */
#include "topology/measure/measure.h"

#include <string.h>

#define LEAST_MS 1000u /* filling the queues takes less on any machine */

/* With the lock held. */
static void open_gate(struct region *region)
{
    region->guard.armed = 0;
    if (region->guard.opened)
        return;
    region->guard.opened = 1;
    (void)weir_future_set(region->gate, NULL); /* it was neither set nor failed before */
}

static int is_due(const struct timespec *deadline)
{
    const struct timespec now = weir__deadline(0);
    return now.tv_sec > deadline->tv_sec ||
           (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

static void *watch(void *data)
{
    struct region *region = data;
    pthread_mutex_lock(&region->guard.lock);
    while (!region->guard.quit) {
        if (!region->guard.armed) {
            pthread_cond_wait(&region->guard.changed, &region->guard.lock);
        } else if (!is_due(&region->guard.deadline)) {
            const struct timespec at = region->guard.deadline;
            pthread_cond_timedwait(&region->guard.changed, &region->guard.lock, &at);
        } else {
            region->guard.overdue = 1;
            open_gate(region);
        }
    }
    pthread_mutex_unlock(&region->guard.lock);
    return NULL;
}

weir_status weir__guard_start(struct region *region)
{
    pthread_mutex_init(&region->guard.lock, NULL);
    weir__cond_init(&region->guard.changed);
    int error = pthread_create(&region->guard.thread, NULL, watch, region);
    if (!error) {
        region->guard.started = 1;
        return WEIR_OK;
    }
    pthread_cond_destroy(&region->guard.changed);
    pthread_mutex_destroy(&region->guard.lock);
    return weir__fail(WEIR_ERR_NOMEM, "the thread that guards a timed region: %s", strerror(error));
}

void weir__guard_stop(struct region *region)
{
    if (!region->guard.started)
        return;
    pthread_mutex_lock(&region->guard.lock);
    region->guard.quit = 1;
    pthread_cond_signal(&region->guard.changed);
    pthread_mutex_unlock(&region->guard.lock);
    pthread_join(region->guard.thread, NULL);
    pthread_cond_destroy(&region->guard.changed);
    pthread_mutex_destroy(&region->guard.lock);
    region->guard.started = 0;
}

void weir__guard_arm(struct region *region)
{
    uint32_t limit = region->bench->config.limit_ms;
    pthread_mutex_lock(&region->guard.lock);
    region->guard.deadline = weir__deadline(limit > LEAST_MS ? limit : LEAST_MS);
    region->guard.opened = region->guard.overdue = 0;
    region->guard.armed = 1;
    pthread_cond_signal(&region->guard.changed);
    pthread_mutex_unlock(&region->guard.lock);
}

weir_status weir__guard_open_gate(struct region *region)
{
    pthread_mutex_lock(&region->guard.lock);
    int overdue = region->guard.overdue;
    open_gate(region);
    pthread_mutex_unlock(&region->guard.lock);
    if (!overdue)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_TIMEOUT,
                      "a timed region of %u queues was not filled in time (%u ms): its gate was "
                      "opened",
                      region->count, region->bench->config.limit_ms);
}
