/** @file channel_kernels.c  The kernels of channels on host devices: a worker has every so manieth ring. */
#include "tests/lib/channel_kernels_op.h"

#if WEIR_CUDA
#define CUDA_FORM(f) f
#else
#define CUDA_FORM(f) NULL
#endif

static void test_channel_host(const void *args, uint32_t worker, uint32_t workers)
{
    const struct test_channel_args *a = args;
    const uint32_t rings = a->does & TEST_CHANNEL_SENDS ? a->tx.rings : a->rx.rings;
    for (uint32_t ring = worker; ring < rings; ring += workers)
        test_channel_op(a, (enum weir_by)a->by, ring);
}

const weir_kernel test_channel_kernel = {
    .name = "test_channel", .host = test_channel_host, .cuda = CUDA_FORM(test_channel_cuda)};
