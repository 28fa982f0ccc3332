/** @file kernels.c  Joins the two halves of each kernel. */
#include "topology/measure/kernels.h"

#include <stddef.h>

#if WEIR_CUDA
#define CUDA_HALF(f) f
#else
#define CUDA_HALF(f) NULL
#endif

#define JOIN(name)                                                       \
    const weir_kernel weir__kernel_##name = {#name, weir__##name##_host, \
                                             CUDA_HALF(weir__##name##_cuda)};
#define JOIN_SYNC(name) \
    const weir_kernel weir__kernel_##name = {#name, NULL, CUDA_HALF(weir__##name##_cuda)};

WEIR__BENCH_KERNELS(JOIN)
WEIR__SYNC_KERNELS(JOIN_SYNC)
