/** @file schedule_kinds.c  The host form of the kernel of schedule_kinds.h: a worker is a block of one lane. */
#include "tests/lib/schedule_kinds_op.h"

static void test_kinds_host(const void *args, uint32_t worker, uint32_t workers)
{
    uint64_t scratch[KIND_PIECE];
    const struct kinds_place place = {worker, workers, 0, 1, worker, workers, scratch};
    test_kinds_op((const struct test_kinds_args *)args, &place);
}

#if WEIR_CUDA
const weir_kernel test_kinds_kernel = {
    .name = "test_kinds", .host = test_kinds_host, .cuda = test_kinds_cuda};
#else
const weir_kernel test_kinds_kernel = {.name = "test_kinds", .host = test_kinds_host};
#endif
