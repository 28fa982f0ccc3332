/** @file kernel_cuda_tmpl.cuh  A function of workers (kernel_host_tmpl.h) as a kernel for GPUs, behind a C launcher.
 *
 * Beside WEIR_KERNEL the .cu file defines WEIR_KERNEL_ARGS, the type of the arguments, and may define
 * WEIR_KERNEL_MOST(args): a larger number of workers is of no use. A worker is a warp. */
#include "runtime/dialect.h"

#include <cuda_runtime_api.h>

#ifndef WEIR_KERNEL_NAME
#define WEIR_KERNEL_PASTE__(a, b, c)     a##b##c
#define WEIR_KERNEL_PASTE_(a, b, c)      WEIR_KERNEL_PASTE__(a, b, c)
#define WEIR_KERNEL_NAME(prefix, suffix) WEIR_KERNEL_PASTE_(prefix, WEIR_KERNEL, suffix)
#define WEIR_KERNEL_LANES                256u /* of a block */
#define WEIR_KERNEL_WARPS                (WEIR_KERNEL_LANES / 32u)
#endif
#ifndef WEIR_KERNEL_MOST
#define WEIR_KERNEL_MOST(args) UINT32_MAX
#endif

static __global__ void __launch_bounds__(WEIR_KERNEL_LANES)
    WEIR_KERNEL_NAME(, _kernel)(const WEIR_KERNEL_ARGS args, uint32_t workers)
{
    WEIR_KERNEL_NAME(, )
    (&args, (blockIdx.x * WEIR_KERNEL_LANES + threadIdx.x) / WEIR_LANES, workers);
}

extern "C" int WEIR_KERNEL_NAME(weir__, _cuda)(void *stream, uint32_t workers, const void *data);
extern "C" int WEIR_KERNEL_NAME(weir__, _cuda)(void *stream, uint32_t workers, const void *data)
{
    const WEIR_KERNEL_ARGS *args = (const WEIR_KERNEL_ARGS *)data;
    const uint64_t most = WEIR_KERNEL_MOST(args), wanted = most < workers ? most : workers;
    const uint32_t blocks = wanted ? (uint32_t)((wanted - 1) / WEIR_KERNEL_WARPS) + 1 : 1;
    WEIR_KERNEL_NAME(, _kernel)<<<blocks, WEIR_KERNEL_LANES, 0, (cudaStream_t)stream>>>(
        *args, blocks * WEIR_KERNEL_WARPS);
    return (int)cudaGetLastError();
}
#undef WEIR_KERNEL
#undef WEIR_KERNEL_ARGS
#undef WEIR_KERNEL_MOST
