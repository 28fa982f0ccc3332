/** @file values_host.c  Counting and renumbering of values on host devices, and the kernels that name both forms. */
#include "algorithms/common/values_op.h"

static void count_host(const void *args, uint32_t worker, uint32_t workers)
{
    values_count(args, worker, workers);
}

static void renumber_host(const void *args, uint32_t worker, uint32_t workers)
{
    values_renumber(args, worker, workers);
}

#if WEIR_CUDA
const weir_kernel weir__values_count_kernel = {"count", count_host, weir__values_count_cuda};
const weir_kernel weir__values_renumber_kernel = {"renumber", renumber_host,
                                                  weir__values_renumber_cuda};
#else
const weir_kernel weir__values_count_kernel = {"count", count_host, NULL};
const weir_kernel weir__values_renumber_kernel = {"renumber", renumber_host, NULL};
#endif
