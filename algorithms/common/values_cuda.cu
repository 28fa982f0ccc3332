/** @file values_cuda.cu  Counting and renumbering of values on GPUs, behind C launchers. */
#include "algorithms/common/values_op.h"

#include <cuda_runtime_api.h>

#define BLOCK_LANES   256u
#define BLOCK_WORKERS (BLOCK_LANES / 32u)
/* Atomics of all workers on one sum are served one after the other: no more workers than keep the memory busy. */
#define COUNTERS 2112u

static __global__ void __launch_bounds__(BLOCK_LANES)
    count(const values_count_args args, uint32_t workers)
{
    values_count(&args, (blockIdx.x * BLOCK_LANES + threadIdx.x) / WEIR_LANES, workers);
}

static __global__ void __launch_bounds__(BLOCK_LANES)
    renumber(const values_renumber_args args, uint32_t workers)
{
    values_renumber(&args, (blockIdx.x * BLOCK_LANES + threadIdx.x) / WEIR_LANES, workers);
}

/* Blocks for as many workers as there are tiles, `most` at most; at least one. */
static uint32_t blocks_for(uint32_t rows, uint32_t most)
{
    const uint32_t tiles = rows / VALUES_TILE + 1u;
    const uint32_t workers = tiles < most ? tiles : most;
    return (workers + BLOCK_WORKERS - 1u) / BLOCK_WORKERS;
}

extern "C" int weir__values_count_cuda(void *stream, uint32_t workers, const void *args)
{
    const values_count_args *a = (const values_count_args *)args;
    const uint32_t blocks = blocks_for(a->rows, workers < COUNTERS ? workers : COUNTERS);
    count<<<blocks, BLOCK_LANES, 0, (cudaStream_t)stream>>>(*a, blocks * BLOCK_WORKERS);
    return (int)cudaGetLastError();
}

extern "C" int weir__values_renumber_cuda(void *stream, uint32_t workers, const void *args)
{
    const values_renumber_args *a = (const values_renumber_args *)args;
    const uint32_t blocks = blocks_for(a->rows, workers);
    renumber<<<blocks, BLOCK_LANES, 0, (cudaStream_t)stream>>>(*a, blocks * BLOCK_WORKERS);
    return (int)cudaGetLastError();
}
