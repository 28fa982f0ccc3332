/** @file stamp.c  Stamps: arguments are checked here, the backend keeps the time. */
#include "runtime/backend.h"

weir_status weir_stamp_create(weir_device *device, weir_stamp **stamp_out)
{
    *stamp_out = NULL;
    weir_status status = device->ops->stamp_create(device, stamp_out);
    if (!status)
        (*stamp_out)->device = device;
    return status;
}

void weir_stamp_destroy(weir_stamp *stamp)
{
    if (stamp)
        stamp->device->ops->stamp_destroy(stamp);
}

weir_status weir_queue_stamp(weir_queue *queue, weir_stamp *stamp)
{
    if (stamp->device != queue->device)
        return weir__fail(WEIR_ERR_INVALID, "a stamp of %s cannot be put into a queue of %s",
                          stamp->device->info.label, queue->device->info.label);
    weir_status status = weir__device_failed(queue->device);
    return status ? status : queue->device->ops->stamp(queue, stamp);
}

weir_status weir_stamp_elapsed(weir_stamp *start, weir_stamp *stop, double *ms_out)
{
    *ms_out = 0;
    if (start->device != stop->device)
        return weir__fail(WEIR_ERR_INVALID, "stamps of %s and %s have no clock in common",
                          start->device->info.label, stop->device->info.label);
    return start->device->ops->stamp_elapsed(start, stop, ms_out);
}
