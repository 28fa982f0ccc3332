/** @file native_cuda.cu  Streams that a program makes by itself. */
#include "tests/lib/native.h"

#include <cuda_runtime_api.h>

void *native_stream_create(const weir_device *device)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    cudaStream_t stream;
    weir_device_info_get(device, &info);
    if (cudaSetDevice((int)info.ordinal) ||
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))
        return NULL;
    return stream;
}

int native_stream_destroy(void *stream)
{
    return (int)cudaStreamDestroy((cudaStream_t)stream);
}

int native_stream_sync(void *stream)
{
    return (int)cudaStreamSynchronize((cudaStream_t)stream);
}

int native_fill(void *stream, void *data, int value, size_t bytes)
{
    return (int)cudaMemsetAsync(data, value, bytes, (cudaStream_t)stream);
}

int native_capture_begin(void *stream)
{
    return (int)cudaStreamBeginCapture((cudaStream_t)stream, cudaStreamCaptureModeRelaxed);
}

int native_capture_end(void *stream)
{
    cudaGraph_t graph;
    cudaError_t error = cudaStreamEndCapture((cudaStream_t)stream, &graph);
    return (int)(error ? error : cudaGraphDestroy(graph));
}
