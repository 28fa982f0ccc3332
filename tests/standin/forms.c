/** @file forms.c  The CUDA forms of kernels, for the stand-in: the host forms, worker after worker.
 *
 * Each entry takes the place of a launcher that a .cu file defines. What those files do apart from it, how work is
 * mapped to threads, is not tried here. */
#include "tests/standin/internal.h"

#include "router/collective/channels_kernel.h"
#include "router/collective/internal.h"
#include "router/collective/reduction.h"
#include "router/measure/channel_kernel.h"
#include "tests/lib/channel_kernels.h"
#include "tests/lib/test_kernels.h"
#include "topology/measure/kernels.h"

#define FORM(launcher, kernel, args_bytes)                                          \
    int launcher(void *stream, uint32_t workers, const void *args)                  \
    {                                                                               \
        return standin__launch(stream, (kernel).host, workers, args, (args_bytes)); \
    }

FORM(weir__reduction_cuda, weir__reduction_kernel, sizeof(struct weir__reduction_args))
FORM(weir__channels_cuda, weir__channels_kernel, sizeof(struct weir__channels_args))
FORM(weir__channel_cuda, weir__channel_kernel, sizeof(struct weir__channel_args))

int weir__nccl_set_device(int ordinal)
{
    return (int)cudaSetDevice(ordinal);
}

FORM(test_calls_cuda, test_calls_kernel, sizeof(struct test_calls_args))
FORM(test_payload_cuda, test_payload_kernel, sizeof(struct test_payload_args))
FORM(test_affine_cuda, test_affine_kernel, sizeof(struct test_affine_args))
FORM(test_atomics_cuda, test_atomics_kernel, sizeof(struct test_atomics_args))
FORM(test_channel_cuda, test_channel_kernel, sizeof(struct test_channel_args))

#define BENCH(name, args_bytes) FORM(weir__##name##_cuda, weir__kernel_##name, args_bytes)
BENCH(pattern_put, sizeof(struct weir__pattern_args))
BENCH(pattern_check, sizeof(struct weir__pattern_args))
BENCH(empty, 0)
BENCH(stream_read, sizeof(struct weir__stream_args))
BENCH(stream_write, sizeof(struct weir__stream_args))
BENCH(stream_copy, sizeof(struct weir__stream_args))
BENCH(stream_add, sizeof(struct weir__stream_args))
BENCH(stream_check, sizeof(struct weir__stream_args))
BENCH(random, sizeof(struct weir__random_args))
BENCH(counters, sizeof(struct weir__counters_args))
