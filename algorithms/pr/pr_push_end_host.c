/** @file pr_push_end_host.c  Ends of runs by residuals on host devices, and the kernel that names both forms. */
#include "algorithms/pr/pr_push_end.h"

static void end_host(const void *args, uint32_t worker, uint32_t workers)
{
    pr_push_end(args, worker, workers);
}

#if WEIR_CUDA
const weir_kernel weir__pr_push_end_kernel = {"ranks", end_host, weir__pr_push_end_cuda};
#else
const weir_kernel weir__pr_push_end_kernel = {"ranks", end_host, NULL};
#endif
