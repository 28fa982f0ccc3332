/** @file sync_cuda.cu  Kernels that wait for each other, or for the CPU.
 *
 * All of one measurement must be resident at a time, and none may wait for one that is not yet loaded:
 * the benchmarks launch each once with no rounds before. A kernel whose partner does not come ends by
 * itself: at the host's stop word, when another gave up, or at a bound of time. */
#include "topology/measure/kernels.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

#define POLLS_A_LOOK  1024u /* polls of a flag between two looks at clock and stop word */
#define GRID_BLOCK    256u
#define FORWARD_BLOCK 512u
#define FLIGHT        4u /* loads of 16 bytes of a thread before its first store */

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

/* Have the whole block know how many slices have come, at least @p wanted. All threads call it.
 * Thread 0 acquires; the barrier orders what others read after it.
 * @param[in,out] come  as known before, the same in all threads. @return 0 when patience ended. */
__device__ __forceinline__ static int await_slice(const uint32_t *flag, uint32_t wanted,
                                                  uint32_t *come, const weir__patience &patience,
                                                  uint64_t deadline)
{
    __shared__ uint32_t seen;
    if ((int32_t)(*come - wanted) >= 0)
        return 1;
    __syncthreads(); /* all have read what was seen before */
    if (threadIdx.x == 0) {
        uint32_t last;
        wait_until(flag, wanted, patience, deadline, &last);
        seen = last;
    }
    __syncthreads();
    *come = seen;
    return (int32_t)(seen - wanted) >= 0;
}

/* The block's slice of packet @p number. */
__device__ __forceinline__ static void forward_slice(const weir__forward_args &a, uint32_t number)
{
    uint64_t at = number * a.packet, left = a.bytes - at;
    const ulonglong2 *from = (const ulonglong2 *)((const char *)a.from + at);
    ulonglong2 *to = (ulonglong2 *)((char *)a.to + at);
    weir__slice slice =
        weir__slice_of((left < a.packet ? left : a.packet) / 16, blockIdx.x, gridDim.x);
    for (uint64_t i = slice.begin + threadIdx.x; i < slice.end; i += FLIGHT * FORWARD_BLOCK) {
        ulonglong2 value[FLIGHT];
#pragma unroll
        for (uint32_t j = 0; j < FLIGHT; j++)
            if (i + j * FORWARD_BLOCK < slice.end)
                value[j] = from[i + j * FORWARD_BLOCK];
#pragma unroll
        for (uint32_t j = 0; j < FLIGHT; j++)
            if (i + j * FORWARD_BLOCK < slice.end)
                to[i + j * FORWARD_BLOCK] = value[j];
    }
}

/* A slice's stores come before its flag: the barrier orders those of all threads before thread 0's
 * release, which the next device acquires. */
static __global__ void __launch_bounds__(FORWARD_BLOCK)
    forward_kernel(const __grid_constant__ weir__forward_args a)
{
    uint64_t deadline = now_ns() + a.patience.limit_ns;
    uint64_t line = (uint64_t)blockIdx.x * WEIR__FLAG_STRIDE;
    uint32_t come = a.base;
    for (uint32_t i = 0; i < a.packets; i++) {
        if (a.mine && !await_slice(a.mine + line, a.base + i + 1, &come, a.patience, deadline))
            return;
        if (!a.to)
            continue;
        forward_slice(a, i);
        __syncthreads();
        if (threadIdx.x == 0)
            raise(a.theirs + line, a.base + i + 1);
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

extern "C" int weir__forward_cuda(void *stream, uint32_t workers, const void *args)
{
    const weir__forward_args *a = (const weir__forward_args *)args;
    (void)workers;
    forward_kernel<<<a->blocks, FORWARD_BLOCK, 0, (cudaStream_t)stream>>>(*a);
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
