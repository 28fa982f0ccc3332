/** @file test_kernels.c  The host forms of the test kernels. */
#include "tests/lib/test_kernels_op.h"

#if WEIR_CUDA
#define CUDA_FORM(f) f
#else
#define CUDA_FORM(f) NULL
#endif

#define HOST_FORM(id)                                                          \
    static void id##_host(const void *args, uint32_t worker, uint32_t workers) \
    {                                                                          \
        id##_op((const struct id##_args *)args, worker, workers);              \
    }                                                                          \
    const weir_kernel id##_kernel = {.name = #id, .host = id##_host, .cuda = CUDA_FORM(id##_cuda)};

HOST_FORM(test_calls)
HOST_FORM(test_payload)
HOST_FORM(test_affine)
HOST_FORM(test_atomics)
