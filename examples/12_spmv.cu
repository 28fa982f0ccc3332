/** @file 12_spmv.cu  The CUDA form of the kernel of 12_spmv.c: one warp a worker. */
#include "examples/12_spmv_op.h"

#include <cuda_runtime_api.h>

#define BLOCK_LANES 128u

static __global__ void spmv(const struct spmv_args args, uint32_t workers)
{
    uint32_t worker = (blockIdx.x * BLOCK_LANES + threadIdx.x) / WEIR_LANES;
    if (worker < workers)
        spmv_op(&args, worker, workers);
}

extern "C" int spmv_cuda(void *stream, uint32_t workers, const void *args)
{
    uint32_t blocks = (workers * WEIR_LANES + BLOCK_LANES - 1) / BLOCK_LANES;
    spmv<<<blocks, BLOCK_LANES, 0, (cudaStream_t)stream>>>(*(const struct spmv_args *)args,
                                                           workers);
    return (int)cudaGetLastError();
}
