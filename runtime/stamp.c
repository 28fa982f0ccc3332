/** @file stamp.c  Stamps: arguments are checked here, the backend keeps the time. */
#include "runtime/held.h"

weir_status weir_stamp_create(weir_device *device, weir_stamp **stamp_out)
{
    weir_status status;
    if (stamp_out)
        *stamp_out = NULL;
    if (!device || !stamp_out)
        return weir__missing("weir_stamp_create", device ? "stamp_out" : "device");
    if ((status = device->ops->stamp_create(device, stamp_out)))
        return status;
    (*stamp_out)->device = device;
    weir__context_retain(device->context);
    return WEIR_OK;
}

void weir_stamp_destroy(weir_stamp *stamp)
{
    if (!stamp)
        return;
    weir_context *context = stamp->device->context;
    stamp->device->ops->stamp_destroy(stamp);
    weir__context_release(context);
}

weir_status weir_queue_stamp(weir_queue *queue, weir_stamp *stamp)
{
    if (!queue || !stamp)
        return weir__missing("weir_queue_stamp", queue ? "stamp" : "queue");
    if (stamp->device->context != queue->device->context)
        return weir__fail(WEIR_ERR_INVALID,
                          "a stamp of another context cannot be put into a queue of %s",
                          queue->device->info.label);
    if (stamp->device != queue->device)
        return weir__fail(WEIR_ERR_INVALID, "a stamp of %s cannot be put into a queue of %s",
                          stamp->device->info.label, queue->device->info.label);
    weir_status status = weir__device_failed(queue->device);
    if (status)
        return status;
    return weir__held_put(queue, &(struct weir__operation){.kind = WEIR__STAMP, .stamp = stamp});
}

uint64_t weir__stamp_put(weir_stamp *stamp)
{
    return atomic_fetch_add_explicit(&stamp->put, 1, memory_order_release) + 1;
}

int weir__stamp_is_last(weir_stamp *stamp, uint64_t number)
{
    return atomic_load_explicit(&stamp->put, memory_order_acquire) == number;
}

void weir__stamp_submitted(weir_stamp *stamp, uint64_t number, weir_status status)
{
    if (!weir__stamp_is_last(stamp, number))
        return; /* it stands for a later mark, which is submitted or will be */
    atomic_store_explicit(&stamp->status, (int)status, memory_order_relaxed);
    atomic_store_explicit(&stamp->submitted, number, memory_order_release);
}

/* Whether the device has the last mark. */
static weir_status check(weir_stamp *stamp)
{
    uint64_t put = atomic_load_explicit(&stamp->put, memory_order_acquire);
    if (!put)
        return weir__fail(WEIR_ERR_INVALID, "a stamp of %s was never put into a queue",
                          stamp->device->info.label);
    if (atomic_load_explicit(&stamp->submitted, memory_order_acquire) < put)
        return WEIR_PENDING;
    weir_status status = (weir_status)atomic_load_explicit(&stamp->status, memory_order_relaxed);
    return status ? weir__fail(status, "a stamp of %s was put into a queue that broke before it",
                               stamp->device->info.label)
                  : WEIR_OK;
}

weir_status weir_stamp_elapsed(weir_stamp *start, weir_stamp *stop, double *ms_out)
{
    if (!start || !stop || !ms_out)
        return weir__missing("weir_stamp_elapsed", ms_out ? "a stamp" : "ms_out");
    *ms_out = 0;
    if (start->device != stop->device)
        return weir__fail(WEIR_ERR_INVALID, "stamps of %s and %s have no clock in common",
                          start->device->info.label, stop->device->info.label);
    weir_status first = check(start);
    if (first < 0)
        return first;
    weir_status last = check(stop);
    if (first || last)
        return last < 0 ? last : WEIR_PENDING;
    return start->device->ops->stamp_elapsed(start, stop, ms_out);
}
