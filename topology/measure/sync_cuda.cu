/** @file sync_cuda.cu  Kernels that wait for each other, or for the CPU.
 *
 * All of one measurement must be resident at a time, and none may wait for one that is not yet loaded:
 * the benchmarks launch each once with no rounds before. A kernel whose partner does not come ends by
 * itself: at the host's stop word, when another gave up, or at a bound of time. */
#include "topology/measure/kernels.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

#define POLLS_A_LOOK 1024u /* polls of a flag between two looks at clock and stop word */
#define GRID_BLOCK   256u

/* Acquire: what the other side wrote before it raised the flag is seen after. Pairs with raise(). */
__device__ __forceinline__ static uint32_t load_acquire_sys(const uint32_t *word)
{
    uint32_t value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

/* Release, system scope: for a waiter on another device or on the CPU. */
__device__ __forceinline__ static void raise(uint32_t *word, uint32_t value)
{
    asm volatile("st.release.sys.global.u32 [%0], %1;" : : "l"(word), "r"(value) : "memory");
}

__device__ __forceinline__ static uint64_t now_ns()
{
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

/* Wait until the flag is at @p wanted or past it. @return 0 when patience ended.
 * @param[out] seen  what the flag was at last. */
__device__ __forceinline__ static int wait_until(const uint32_t *flag, uint32_t wanted,
                                                 const weir__patience &patience, uint64_t deadline,
                                                 uint32_t *seen)
{
    for (uint32_t polls = 1; (int32_t)((*seen = load_acquire_sys(flag)) - wanted) < 0; polls++) {
        if (polls % POLLS_A_LOOK)
            continue;
        if (now_ns() > deadline || load_acquire_sys(patience.stop) ||
            load_acquire_sys(patience.failed)) {
            raise(patience.failed, 1);
            return 0;
        }
    }
    return 1;
}

__device__ __forceinline__ static int wait_for(const uint32_t *flag, uint32_t wanted,
                                               const weir__patience &patience, uint64_t deadline)
{
    uint32_t seen;
    return wait_until(flag, wanted, patience, deadline, &seen);
}

static __global__ void ping_kernel(weir__ping_args a)
{
    uint64_t deadline = now_ns() + a.patience.limit_ns;
    for (uint32_t i = a.base + 1; i != a.base + 1 + a.rounds; i++) {
        if (a.first)
            raise(a.theirs, i);
        if (!wait_for(a.mine, i, a.patience, deadline))
            return;
        if (!a.first)
            raise(a.theirs, i);
    }
}

static __global__ void barrier_kernel(const __grid_constant__ weir__barrier_args a)
{
    uint64_t deadline = now_ns() + a.patience.limit_ns;
    uint32_t other = threadIdx.x, takes_part = other < a.devices;
    uint32_t *theirs = takes_part ? a.flags[other] + a.me * WEIR__FLAG_STRIDE : nullptr;
    const uint32_t *mine = a.flags[a.me] + other * WEIR__FLAG_STRIDE;
    for (uint32_t i = a.base + 1; i != a.base + 1 + a.rounds; i++) {
        __syncthreads(); /* the whole block has come */
        if (takes_part)
            raise(theirs, i);
        int good = !takes_part || wait_for(mine, i, a.patience, deadline);
        if (!__syncthreads_and(good)) /* nobody goes on before all devices have come */
            return;
    }
}

static __global__ void __launch_bounds__(GRID_BLOCK, 2) grid_kernel(uint32_t rounds)
{
    cg::grid_group grid = cg::this_grid();
    for (uint32_t i = 0; i < rounds; i++)
        grid.sync();
}

extern "C" int weir__ping_cuda(void *stream, uint32_t workers, const void *args)
{
    (void)workers;
    ping_kernel<<<1, 1, 0, (cudaStream_t)stream>>>(*(const weir__ping_args *)args);
    return (int)cudaGetLastError();
}

extern "C" int weir__barrier_cuda(void *stream, uint32_t workers, const void *args)
{
    const weir__barrier_args *a = (const weir__barrier_args *)args;
    (void)workers;
    barrier_kernel<<<1, (a->devices + 31) / 32 * 32, 0, (cudaStream_t)stream>>>(*a);
    return (int)cudaGetLastError();
}

/* A cooperative launch fails where the blocks would not all be resident, rather than to hang. */
extern "C" int weir__grid_cuda(void *stream, uint32_t workers, const void *args)
{
    const weir__grid_args *a = (const weir__grid_args *)args;
    uint32_t rounds = a->rounds;
    void *parameters[] = {&rounds};
    int device, units;
    cudaError_t error;
    (void)workers;
    if ((error = cudaGetDevice(&device)) ||
        (error = cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device)))
        return (int)error;
    error = cudaLaunchCooperativeKernel(grid_kernel, dim3((uint32_t)units * a->blocks_a_unit),
                                        dim3(GRID_BLOCK), parameters, 0, (cudaStream_t)stream);
    (void)cudaGetLastError(); /* or the next launch would be blamed */
    return (int)error;
}
