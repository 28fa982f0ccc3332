/** @file adopt.c  A stream of the program's own as a queue. */
#include "runtime/cuda/cuda.h"

#include <stdlib.h>

/* Neither is one stream: which one is meant depends on the thread and on its current device, and the legacy
 * one waits for all others. weir's calls are made by many threads. */
static int is_default(cudaStream_t stream)
{
    return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

/* Whether the stream belongs to the device, which is current. */
static weir_status check_device(const struct cuda_device *device, cudaStream_t stream)
{
    int its = device->ordinal;
#if CUDART_VERSION >= 12080
    weir_status status = weir__cuda_check(&device->base, "asking a stream for its device",
                                          cudaStreamGetDevice(stream, &its));
    if (status)
        return status;
#else
    /* Older runtimes do not tell, but take records of events of the stream's own device alone. */
    weir_event *event;
    weir_status status = weir__cuda_event_create((weir_device *)device, &event);
    if (status)
        return status;
    event->device = (weir_device *)device;
    if (cudaEventRecord(((struct cuda_event *)event)->event, stream) != cudaSuccess) {
        (void)cudaGetLastError();
        its = -1;
    }
    weir__cuda_event_destroy(event);
#endif
    return its == device->ordinal
               ? WEIR_OK
               : weir__fail(WEIR_ERR_INVALID, "%s: a stream of another GPU cannot be its queue",
                            device->base.info.label);
}

/* What weir asks of a stream, whether it is empty above all, would end its capture. */
static weir_status check_capture(const weir_device *device, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus capture;
    weir_status status = weir__cuda_check(device, "asking a stream whether it is captured",
                                          cudaStreamIsCapturing(stream, &capture));
    if (status || capture == cudaStreamCaptureStatusNone)
        return status;
    return weir__fail(WEIR_ERR_INVALID, "%s: a stream that is being captured cannot be its queue",
                      device->info.label);
}

weir_status weir__cuda_queue_adopt(weir_device *device, void *native_stream, weir_queue **queue_out)
{
    cudaStream_t stream = native_stream;
    struct cuda_queue *queue;
    weir_status status;
    if (is_default(stream))
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: a default stream cannot be its queue: make one by "
                          "cudaStreamCreateWithFlags()",
                          device->info.label);
    /* First whether it is captured: CUDA may refuse to tell the device of a stream that is. */
    if ((status = weir__cuda_use(device)) || (status = check_capture(device, stream)) ||
        (status = check_device((struct cuda_device *)device, stream)))
        return status;
    if ((status = weir__calloc(1, sizeof *queue, "queue", &queue)))
        return status;
    queue->base.device = device;
    queue->stream = stream;
    queue->adopted = 1;
    *queue_out = &queue->base;
    return WEIR_OK;
}
