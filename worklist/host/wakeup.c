/** @file wakeup.c  A door bell for a worker's thread. */
#include "worklist/host/internal.h"

void weir__bell_init(struct bell *bell)
{
    pthread_mutex_init(&bell->lock, NULL);
    weir__cond_init(&bell->rang);
    bell->rung = 0;
}

void weir__bell_destroy(struct bell *bell)
{
    pthread_cond_destroy(&bell->rang);
    pthread_mutex_destroy(&bell->lock);
}

void weir__bell_ring(void *user)
{
    struct bell *bell = user;
    pthread_mutex_lock(&bell->lock);
    bell->rung = 1;
    pthread_cond_signal(&bell->rang);
    pthread_mutex_unlock(&bell->lock);
}

void weir__bell_wait(struct bell *bell, int64_t timeout_us)
{
    struct timespec at = weir__deadline(0);
    int error = 0;
    if (timeout_us >= 0) {
        at.tv_nsec += (long)(timeout_us * 1000);
        at.tv_sec += at.tv_nsec / 1000000000;
        at.tv_nsec %= 1000000000;
    }
    pthread_mutex_lock(&bell->lock);
    while (!bell->rung && !error)
        error = timeout_us < 0 ? pthread_cond_wait(&bell->rang, &bell->lock)
                               : pthread_cond_timedwait(&bell->rang, &bell->lock, &at);
    bell->rung = 0;
    pthread_mutex_unlock(&bell->lock);
}
