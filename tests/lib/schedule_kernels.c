/** @file schedule_kernels.c  The host form of the schedules' test kernel. */
#include "tests/lib/schedule_kernels_op.h"

static void test_schedule_host(const void *args, uint32_t worker, uint32_t workers)
{
    test_schedule_op((const struct test_schedule_args *)args, worker, workers);
}

#if WEIR_CUDA
const weir_kernel test_schedule_kernel = {
    .name = "test_schedule", .host = test_schedule_host, .cuda = test_schedule_cuda};
#else
const weir_kernel test_schedule_kernel = {.name = "test_schedule", .host = test_schedule_host};
#endif
