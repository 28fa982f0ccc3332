/** @file capture.c  Streams that a program captures: that they are, and what ends it; the graph stays empty. */
#include "tests/standin/internal.h"

struct CUgraph_st {
    char nothing;
};

/* There is nothing to tell graphs apart by. */
static struct CUgraph_st empty;

cudaError_t standin__refuse_captured(standin__stream *stream)
{
    if (!stream->capture)
        return cudaSuccess;
    stream->capture = cudaStreamCaptureStatusInvalidated;
    return cudaErrorStreamCaptureUnsupported;
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device_out)
{
    cudaError_t error = standin__begin(STANDIN_cudaStreamGetDevice);
    if (!error)
        *device_out = stream->device; /* which never changes */
    return error;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status_out)
{
    cudaError_t error = standin__begin(STANDIN_cudaStreamIsCapturing);
    if (error)
        return error;
    standin__enter();
    *status_out = stream->capture;
    standin__leave();
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    cudaError_t error = standin__begin(STANDIN_cudaStreamBeginCapture);
    (void)mode; /* it says which calls of other threads are refused, and none is here */
    if (error)
        return error;
    standin__enter();
    error = stream->capture ? cudaErrorInvalidValue : cudaSuccess;
    if (!error)
        stream->capture = cudaStreamCaptureStatusActive;
    standin__leave();
    return standin__end(error);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph_out)
{
    cudaError_t error = standin__begin(STANDIN_cudaStreamEndCapture);
    if (error)
        return error;
    standin__enter();
    const enum cudaStreamCaptureStatus was = stream->capture;
    stream->capture = cudaStreamCaptureStatusNone;
    standin__leave();
    *graph_out = was == cudaStreamCaptureStatusActive ? &empty : NULL;
    if (was == cudaStreamCaptureStatusNone)
        error = cudaErrorInvalidValue;
    else if (was == cudaStreamCaptureStatusInvalidated)
        error = cudaErrorStreamCaptureInvalidated;
    return standin__end(error);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    cudaError_t error = standin__begin(STANDIN_cudaGraphDestroy);
    return error ? error : standin__end(graph == &empty ? cudaSuccess : cudaErrorInvalidValue);
}
