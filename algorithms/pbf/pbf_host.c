/** @file pbf_host.c  The filter on host devices, and the kernel that names both forms. */
#include "algorithms/pbf/pbf.h"
#include "algorithms/pbf/pbf_op.h"

static void filter_host(const void *args, uint32_t worker, uint32_t workers)
{
    pbf_filter(args, worker, workers);
}

#if WEIR_CUDA
const weir_kernel weir__pbf_kernel = {"filter", filter_host, weir__pbf_cuda};
#else
const weir_kernel weir__pbf_kernel = {"filter", filter_host, NULL};
#endif
