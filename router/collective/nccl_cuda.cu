/** @file nccl_cuda.cu  What nccl.c needs of CUDA's runtime: NCCL's communicators belong to the current GPU. */
#include <cuda_runtime.h>

extern "C" int weir__nccl_set_device(int ordinal)
{
    return (int)cudaSetDevice(ordinal);
}
