/** @file cc_stream_host.c  Streamed components on host devices, and the kernel that names both forms. */
#include "algorithms/cc/cc_stream.h"

static void stream_host(const void *args, uint32_t worker, uint32_t workers)
{
    cc_stream(args, worker, workers);
}

#if WEIR_CUDA
const weir_kernel weir__cc_stream_kernel = {"cc", stream_host, weir__cc_stream_cuda};
#else
const weir_kernel weir__cc_stream_kernel = {"cc", stream_host, NULL};
#endif
