/** @file test_kernels.cu  The CUDA forms of the test kernels. */
#include "tests/lib/test_kernels_op.h"

#include <cuda_runtime_api.h>

#define BLOCK_LANES 128u

#define CUDA_FORM(name)                                                                   \
    static __global__ void name##_device(const struct name##_args args, uint32_t workers) \
    {                                                                                     \
        uint32_t worker = (blockIdx.x * BLOCK_LANES + threadIdx.x) / WEIR_LANES;          \
        if (worker < workers)                                                             \
            name##_op(&args, worker, workers);                                            \
    }                                                                                     \
    extern "C" int name##_cuda(void *stream, uint32_t workers, const void *args)          \
    {                                                                                     \
        uint32_t blocks = (workers * WEIR_LANES + BLOCK_LANES - 1) / BLOCK_LANES;         \
        name##_device<<<blocks, BLOCK_LANES, 0, (cudaStream_t)stream>>>(                  \
            *(const struct name##_args *)args, workers);                                  \
        return (int)cudaGetLastError();                                                   \
    }

CUDA_FORM(test_calls)
CUDA_FORM(test_payload)
CUDA_FORM(test_affine)
CUDA_FORM(test_atomics)
