/** @file schedule_kinds.cu  The CUDA form of the kernel of schedule_kinds.h. */
#include "tests/lib/schedule_kinds_op.h"

#include <cuda_runtime_api.h>

#define BLOCK_LANES 128u

/* All lanes of a block go in: they come together in scratchpad memory. */
static __global__ void test_kinds_device(const struct test_kinds_args args, uint32_t workers)
{
    __shared__ uint64_t scratch[BLOCK_LANES * KIND_PIECE];
    const uint32_t worker = (blockIdx.x * BLOCK_LANES + threadIdx.x) / WEIR_LANES;
    const struct kinds_place place = {worker,     workers,   threadIdx.x, BLOCK_LANES,
                                      blockIdx.x, gridDim.x, scratch};
    test_kinds_op(&args, &place);
}

extern "C" int test_kinds_cuda(void *stream, uint32_t workers, const void *args)
{
    const uint32_t warps = BLOCK_LANES / WEIR_LANES, blocks = workers / warps ? workers / warps : 1;
    test_kinds_device<<<blocks, BLOCK_LANES, 0, (cudaStream_t)stream>>>(
        *(const struct test_kinds_args *)args, blocks * warps);
    return (int)cudaGetLastError();
}
