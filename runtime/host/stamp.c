/** @file stamp.c  Stamps of host queues: the monotonic clock, noted by the queue's thread. */
#include "runtime/host/host.h"

#include <stdlib.h>

weir_status weir__host_stamp_create(weir_device *device, weir_stamp **stamp_out)
{
    struct host_stamp *stamp;
    weir_status status = weir__calloc(1, sizeof *stamp, "stamp", &stamp);
    (void)device;
    if (status)
        return status;
    pthread_mutex_init(&stamp->lock, NULL);
    *stamp_out = &stamp->base;
    return WEIR_OK;
}

void weir__host_stamp_destroy(weir_stamp *base)
{
    struct host_stamp *stamp = (struct host_stamp *)base;
    pthread_mutex_destroy(&stamp->lock);
    free(stamp);
}

uint64_t weir__host_stamp_put(struct host_stamp *stamp)
{
    pthread_mutex_lock(&stamp->lock);
    uint64_t number = ++stamp->put;
    pthread_mutex_unlock(&stamp->lock);
    return number;
}

void weir__host_stamp_reached(struct host_stamp *stamp, uint64_t number)
{
    uint64_t now = weir__now_ns();
    pthread_mutex_lock(&stamp->lock);
    if (stamp->reached < number) { /* else an older mark, in a slower queue */
        stamp->reached = number;
        stamp->ns = now;
    }
    pthread_mutex_unlock(&stamp->lock);
}

static weir_status time_of(struct host_stamp *stamp, uint64_t *ns_out)
{
    pthread_mutex_lock(&stamp->lock);
    int reached = stamp->reached == stamp->put;
    *ns_out = stamp->ns;
    pthread_mutex_unlock(&stamp->lock);
    return reached ? WEIR_OK : WEIR_PENDING;
}

weir_status weir__host_stamp_elapsed(weir_stamp *start, weir_stamp *stop, double *ms_out)
{
    uint64_t from, to;
    weir_status first = time_of((struct host_stamp *)start, &from);
    if (first < 0)
        return first;
    weir_status last = time_of((struct host_stamp *)stop, &to);
    if (last < 0)
        return last;
    if (first == WEIR_PENDING || last == WEIR_PENDING)
        return WEIR_PENDING;
    *ms_out = ((double)to - (double)from) / 1e6;
    return WEIR_OK;
}
