/** @file engine_cuda_tmpl.cuh  The kernels of one operator for GPUs, behind C launchers.
 *
 * A .cu file includes the operator's header, defines WEIR_OPERATOR to its name, and includes this.
 * A worker is a warp; the tile of one item is spread over its lanes. */
#include "worklist/engine_tmpl.h"

#include <cuda_runtime.h>

#define WARPS_PER_BLOCK 8u

#define WEIR_TMPL_CUDA_(op, name) weir__##op##_##name##_cuda
#define WEIR_TMPL_CUDA(op, name)  WEIR_TMPL_CUDA_(op, name)
#define LAUNCHER(name)            WEIR_TMPL_CUDA(WEIR_OPERATOR, name)

__device__ __forceinline__ static uint32_t OP(worker)()
{
    return blockIdx.x * WARPS_PER_BLOCK + threadIdx.x / 32u;
}

static __global__ void __launch_bounds__(32 * WARPS_PER_BLOCK)
    OP(process_kernel)(const __grid_constant__ struct OP(args) args, uint32_t workers)
{
    if (OP(worker)() < workers)
        OP(process)(&args, OP(worker)());
}

static __global__ void __launch_bounds__(32 * WARPS_PER_BLOCK)
    OP(receive_kernel)(const __grid_constant__ struct OP(args) args, uint32_t workers)
{
    if (OP(worker)() < workers)
        OP(receive)(&args, OP(worker)(), workers);
}

static __global__ void __launch_bounds__(32 * WARPS_PER_BLOCK)
    OP(release_kernel)(const __grid_constant__ struct OP(args) args, uint32_t workers)
{
    if (OP(worker)() < workers)
        OP(release)(&args, OP(worker)(), workers);
}

#define DEFINE_LAUNCHER(name)                                                         \
    extern "C" int LAUNCHER(name)(void *stream, uint32_t workers, const void *args)   \
    {                                                                                 \
        uint32_t blocks = (workers + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK;          \
        OP(name##_kernel)<<<blocks, 32 * WARPS_PER_BLOCK, 0, (cudaStream_t)stream>>>( \
            *(const struct OP(args) *)args, workers);                                 \
        return (int)cudaGetLastError();                                               \
    }

extern "C" int LAUNCHER(process)(void *stream, uint32_t workers, const void *args);
extern "C" int LAUNCHER(receive)(void *stream, uint32_t workers, const void *args);
extern "C" int LAUNCHER(release)(void *stream, uint32_t workers, const void *args);
DEFINE_LAUNCHER(process)
DEFINE_LAUNCHER(receive)
DEFINE_LAUNCHER(release)
