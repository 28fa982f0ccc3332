/** @file kernels.c  Joins the two halves of each kernel. */
#include "topology/measure/kernels.h"

#include <stddef.h>

#if WEIR_CUDA
#define CUDA_HALF(f) f
#else
#define CUDA_HALF(f) NULL
#endif

#define JOIN(id)                            \
    const weir_kernel weir__kernel_##id = { \
        .name = #id, .host = weir__##id##_host, .cuda = CUDA_HALF(weir__##id##_cuda)};
#define JOIN_SYNC(id) \
    const weir_kernel weir__kernel_##id = {.name = #id, .cuda = CUDA_HALF(weir__##id##_cuda)};

WEIR__BENCH_KERNELS(JOIN)
WEIR__SYNC_KERNELS(JOIN_SYNC)
