/** @file pbf_cuda.cu  The filter on GPUs, behind a C launcher. */
#include "algorithms/pbf/pbf_op.h"

#include <cuda_runtime_api.h>

#define BLOCK_LANES 256u

static __global__ void __launch_bounds__(BLOCK_LANES) filter(const pbf_args args, uint32_t workers)
{
    uint32_t worker = (blockIdx.x * BLOCK_LANES + threadIdx.x) / WEIR_LANES;
    if (worker < workers)
        pbf_filter(&args, worker, workers);
}

extern "C" int weir__pbf_cuda(void *stream, uint32_t workers, const void *args)
{
    const pbf_args *a = (const pbf_args *)args;
    uint32_t tiles = (a->elements + PBF_TILE - 1u) / PBF_TILE;
    if (workers > tiles && tiles > 0)
        workers = tiles; /* every worker costs an atomic at its end */
    uint32_t blocks = (workers * WEIR_LANES + BLOCK_LANES - 1u) / BLOCK_LANES;
    filter<<<blocks, BLOCK_LANES, 0, (cudaStream_t)stream>>>(*a, workers);
    return (int)cudaGetLastError();
}
