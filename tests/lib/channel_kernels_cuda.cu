/** @file channel_kernels_cuda.cu  The kernels of channels on GPUs: a block for each ring. */
#include "tests/lib/channel_kernels_op.h"

#include <cuda_runtime_api.h>

#define BLOCK 192u /* no power of two */

static __global__ void test_channel_device(const __grid_constant__ struct test_channel_args args)
{
    const uint32_t ring = blockIdx.x;
    if (args.by == WEIR_BY_BLOCK)
        test_channel_op(&args, WEIR_BY_BLOCK, ring);
    else if (args.by == WEIR_BY_WORKER)
        test_channel_op(&args, WEIR_BY_WORKER, ring);
    else if (threadIdx.x == 0)
        test_channel_op(&args, WEIR_BY_THREAD, ring);
}

extern "C" int test_channel_cuda(void *stream, uint32_t workers, const void *args)
{
    const struct test_channel_args *a = (const struct test_channel_args *)args;
    const uint32_t rings = a->does & TEST_CHANNEL_SENDS ? a->tx.rings : a->rx.rings;
    (void)workers;
    test_channel_device<<<rings, a->by == WEIR_BY_BLOCK ? BLOCK : 32u, 0, (cudaStream_t)stream>>>(
        *a);
    return (int)cudaGetLastError();
}
