/** @file channel_cuda.cu  The kernels of the benchmark of channels on GPUs: a block for each ring. */
#include "router/measure/channel_kernel.h"

#include <cuda_runtime_api.h>

static __global__ void __launch_bounds__(WEIR__CHANNEL_THREADS, WEIR__CHANNEL_PER_UNIT)
    work(const __grid_constant__ struct weir__channel_args args)
{
    if (args.threads == WEIR__CHANNEL_WORKER)
        weir__channel_work(&args, WEIR_BY_WORKER, blockIdx.x);
    else
        weir__channel_work(&args, WEIR_BY_BLOCK, blockIdx.x);
}

extern "C" int weir__channel_cuda(void *stream, uint32_t workers, const void *args)
{
    const struct weir__channel_args *a = (const struct weir__channel_args *)args;
    const uint32_t rings = weir__channel_rings(a);
    (void)workers;
    work<<<rings, a->threads, 0, (cudaStream_t)stream>>>(*a);
    return (int)cudaGetLastError();
}
