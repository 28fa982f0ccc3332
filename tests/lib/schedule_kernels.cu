/** @file schedule_kernels.cu  The CUDA form of the schedules' test kernel. */
#include "tests/lib/schedule_kernels_op.h"

#include <cuda_runtime_api.h>

#define BLOCK_LANES 128u

static __global__ void test_schedule_device(const struct test_schedule_args args, uint32_t workers)
{
    uint32_t worker = (blockIdx.x * BLOCK_LANES + threadIdx.x) / WEIR_LANES;
    if (worker < workers)
        test_schedule_op(&args, worker, workers);
}

extern "C" int test_schedule_cuda(void *stream, uint32_t workers, const void *args)
{
    uint32_t blocks = (workers * WEIR_LANES + BLOCK_LANES - 1) / BLOCK_LANES;
    test_schedule_device<<<blocks, BLOCK_LANES, 0, (cudaStream_t)stream>>>(
        *(const struct test_schedule_args *)args, workers);
    return (int)cudaGetLastError();
}
