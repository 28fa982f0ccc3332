/** @file 26_walk_cost.cu  The CUDA form of the kernels of 26_walk_cost.c: a warp is a worker, four are a block; each form of each
 *  schedule is a kernel of its own, so that none pays for the registers of another. */
#include "examples/26_walk_cost_op.h"

#include <cuda_runtime_api.h>

#define WARPS 4u

#define KERNEL(form, schedule)                                                               \
    static __global__ void form##_##schedule##_kernel(const struct cost_args args,           \
                                                      uint32_t workers)                      \
    {                                                                                        \
        __shared__ uint32_t scratch[WARPS][COST_TILES];                                      \
        const uint32_t warp = threadIdx.x / WEIR_LANES;                                      \
        const uint32_t worker = blockIdx.x * WARPS + warp;                                   \
        const struct cost_place place = {worker, workers, worker * WEIR_LANES + weir_lane(), \
                                         workers * WEIR_LANES, scratch[warp]};               \
        if (worker < workers)                                                                \
            form##_##schedule(&args, &place);                                                \
    }
#define BOTH(schedule, text) KERNEL(hand, schedule) KERNEL(walk, schedule)
COST_SCHEDULES(BOTH)

extern "C" int cost_cuda(void *stream, uint32_t workers, const void *args)
{
    const struct cost_args *a = (const struct cost_args *)args;
    const uint32_t blocks = (workers + WARPS - 1) / WARPS;
    const uint32_t lanes = WARPS * WEIR_LANES;
    switch (a->schedule) {
#define CASE(schedule, text)                                                                   \
    case COST_##schedule:                                                                      \
        if (a->by_hand)                                                                        \
            hand_##schedule##_kernel<<<blocks, lanes, 0, (cudaStream_t)stream>>>(*a, workers); \
        else                                                                                   \
            walk_##schedule##_kernel<<<blocks, lanes, 0, (cudaStream_t)stream>>>(*a, workers); \
        break;
        COST_SCHEDULES(CASE)
    }
    return (int)cudaGetLastError();
}
