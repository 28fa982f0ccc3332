/** @file cc_stream_cuda.cu  Streamed components on GPUs, behind a C launcher. */
#include "algorithms/cc/cc_stream_op.h"

#include <cuda_runtime_api.h>

#define BLOCK_LANES 256u

static __global__ void __launch_bounds__(BLOCK_LANES)
    stream_kernel(const struct cc_stream_args args, uint32_t workers)
{
    uint32_t worker = (blockIdx.x * BLOCK_LANES + threadIdx.x) / WEIR_LANES;
    if (worker < workers)
        cc_stream(&args, worker, workers);
}

extern "C" int weir__cc_stream_cuda(void *stream, uint32_t workers, const void *args)
{
    const uint32_t blocks = (workers * WEIR_LANES + BLOCK_LANES - 1u) / BLOCK_LANES;
    stream_kernel<<<blocks, BLOCK_LANES, 0, (cudaStream_t)stream>>>(
        *(const struct cc_stream_args *)args, workers);
    return (int)cudaGetLastError();
}
