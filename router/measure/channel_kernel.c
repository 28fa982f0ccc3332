/** @file channel_kernel.c  The kernels of the benchmark of channels on host devices. */
#include "router/measure/channel_kernel.h"

#if WEIR_CUDA
#define CUDA_FORM(f) f
#else
#define CUDA_FORM(f) NULL
#endif

static void work(const void *args, uint32_t worker, uint32_t workers)
{
    const struct weir__channel_args *a = args;
    const uint32_t rings = weir__channel_rings(a);
    for (uint32_t ring = worker; ring < rings; ring += workers)
        weir__channel_work(a, WEIR_BY_THREAD, ring);
}

const weir_kernel weir__channel_kernel = {
    .name = "channel", .host = work, .cuda = CUDA_FORM(weir__channel_cuda)};
