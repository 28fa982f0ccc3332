/** @file wakeup.c  How a thread of a worker waits, and is woken. */
#include "worklist/host/internal.h"

void weir__wakeup_init(struct wakeup *wakeup)
{
    pthread_mutex_init(&wakeup->lock, NULL);
    weir__cond_init(&wakeup->changed);
    wakeup->signalled = 0;
}

void weir__wakeup_destroy(struct wakeup *wakeup)
{
    pthread_cond_destroy(&wakeup->changed);
    pthread_mutex_destroy(&wakeup->lock);
}

void weir__wakeup_signal(void *user)
{
    struct wakeup *wakeup = user;
    pthread_mutex_lock(&wakeup->lock);
    wakeup->signalled = 1;
    pthread_cond_signal(&wakeup->changed);
    pthread_mutex_unlock(&wakeup->lock);
}

void weir__wakeup_wait(struct wakeup *wakeup, int64_t timeout_us)
{
    struct timespec at = weir__deadline(0);
    int error = 0;
    if (timeout_us >= 0) {
        at.tv_nsec += (long)(timeout_us * 1000);
        at.tv_sec += at.tv_nsec / 1000000000;
        at.tv_nsec %= 1000000000;
    }
    pthread_mutex_lock(&wakeup->lock);
    while (!wakeup->signalled && !error)
        error = timeout_us < 0 ? pthread_cond_wait(&wakeup->changed, &wakeup->lock)
                               : pthread_cond_timedwait(&wakeup->changed, &wakeup->lock, &at);
    wakeup->signalled = 0;
    pthread_mutex_unlock(&wakeup->lock);
}
