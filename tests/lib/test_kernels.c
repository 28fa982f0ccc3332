/** @file test_kernels.c  The host forms of the test kernels. */
#include "tests/lib/test_kernels_op.h"

#if WEIR_CUDA
#define CUDA_FORM(f) f
#else
#define CUDA_FORM(f) NULL
#endif

#define HOST_FORM(name)                                                          \
    static void name##_host(const void *args, uint32_t worker, uint32_t workers) \
    {                                                                            \
        name##_op((const struct name##_args *)args, worker, workers);            \
    }                                                                            \
    const weir_kernel name##_kernel = {#name, name##_host, CUDA_FORM(name##_cuda)};

HOST_FORM(test_calls)
HOST_FORM(test_payload)
HOST_FORM(test_affine)
HOST_FORM(test_atomics)
