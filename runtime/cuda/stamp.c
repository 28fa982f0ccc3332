/** @file stamp.c  Stamps of a GPU: CUDA events that keep the time, which those of event.c do not. */
#include "runtime/cuda/cuda.h"

#include <stdlib.h>

weir_status weir__cuda_stamp_create(weir_device *device, weir_stamp **stamp_out)
{
    struct cuda_stamp *stamp;
    weir_status status;
    if ((status = weir__cuda_use(device)) ||
        (status = weir__calloc(1, sizeof *stamp, "stamp", &stamp)))
        return status;
    status = weir__cuda_check(device, "making a stamp", cudaEventCreate(&stamp->event));
    if (status) {
        free(stamp);
        return status;
    }
    *stamp_out = &stamp->base;
    return WEIR_OK;
}

void weir__cuda_stamp_destroy(weir_stamp *base)
{
    struct cuda_stamp *stamp = (struct cuda_stamp *)base;
    if (!weir__cuda_use(base->device))
        (void)weir__cuda_check(base->device, "ending a stamp", cudaEventDestroy(stamp->event));
    free(stamp);
}

weir_status weir__cuda_queue_stamp(weir_queue *queue, weir_stamp *base)
{
    struct cuda_stamp *stamp = (struct cuda_stamp *)base;
    weir_status status = weir__cuda_use(queue->device);
    if (status)
        return status;
    return weir__cuda_check(queue->device, "putting a stamp into a stream",
                            cudaEventRecord(stamp->event, ((struct cuda_queue *)queue)->stream));
}

static weir_status reached(struct cuda_stamp *stamp)
{
    cudaError_t error = cudaEventQuery(stamp->event);
    if (error == cudaErrorNotReady)
        return WEIR_PENDING;
    return weir__cuda_check(stamp->base.device, "running what came before a stamp", error);
}

weir_status weir__cuda_stamp_elapsed(weir_stamp *start, weir_stamp *stop, double *ms_out)
{
    struct cuda_stamp *from = (struct cuda_stamp *)start, *to = (struct cuda_stamp *)stop;
    float ms = 0;
    weir_status first = reached(from);
    if (first < 0)
        return first;
    weir_status last = reached(to);
    if (last < 0)
        return last;
    if (first == WEIR_PENDING || last == WEIR_PENDING)
        return WEIR_PENDING;
    weir_status status = weir__cuda_use(start->device);
    if (!status)
        status = weir__cuda_check(start->device, "reading the time between stamps",
                                  cudaEventElapsedTime(&ms, from->event, to->event));
    if (!status)
        *ms_out = (double)ms;
    return status;
}
