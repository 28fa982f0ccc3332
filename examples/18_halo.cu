/** @file 18_halo.cu  The CUDA form of the kernel of 18_halo.c: a block a strip. */
#include "examples/18_halo_op.h"

#include <cuda_runtime_api.h>

/* The ends point to the sides in the arguments, which stay where they are. */
static __global__ void __launch_bounds__(HALO_THREADS, 1)
    halo(const __grid_constant__ struct halo_args args)
{
    halo_op(&args, blockIdx.x);
}

extern "C" int halo_cuda(void *stream, uint32_t workers, const void *args)
{
    const struct halo_args *a = (const struct halo_args *)args;
    (void)workers;
    halo<<<a->strips, HALO_THREADS, 0, (cudaStream_t)stream>>>(*a);
    return (int)cudaGetLastError();
}
