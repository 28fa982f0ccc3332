/** @file pr_push_end_cuda.cu  Ends of runs by residuals on GPUs, behind a C launcher. */
#include "algorithms/pr/pr_push_end.h"

#include <cuda_runtime_api.h>

#define BLOCK_LANES 256u
/* Atomics of all workers on one sum are served one after the other. */
#define WORKERS 2112u

static __global__ void __launch_bounds__(BLOCK_LANES)
    end(const pr_push_end_args args, uint32_t workers)
{
    pr_push_end(&args, (blockIdx.x * BLOCK_LANES + threadIdx.x) / WEIR_LANES, workers);
}

extern "C" int weir__pr_push_end_cuda(void *stream, uint32_t workers, const void *args)
{
    const pr_push_end_args *a = (const pr_push_end_args *)args;
    const uint32_t tiles = (uint32_t)(((uint64_t)a->owned + a->halo) / PR_PUSH_TILE) + 1u;
    workers = workers < WORKERS ? workers : WORKERS;
    workers = workers < tiles ? workers : tiles;
    const uint32_t each = BLOCK_LANES / WEIR_LANES, blocks = (workers + each - 1u) / each;
    end<<<blocks, BLOCK_LANES, 0, (cudaStream_t)stream>>>(*a, blocks * each);
    return (int)cudaGetLastError();
}
