/** @file test_kernels.h  Kernels for tests, one for both backends each. */
#ifndef WEIR_TESTS_LIB_TEST_KERNELS_H
#define WEIR_TESTS_LIB_TEST_KERNELS_H

#include "runtime/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Worker w adds 1 to calls[w] and writes the number of workers to totals[w], if w < room. */
struct test_calls_args {
    uint32_t *calls, *totals;
    uint32_t room;
};
extern const weir_kernel test_calls_kernel;

/** Worker 0 writes the payload to `out`: as many bytes of arguments as a kernel may have. */
#define TEST_PAYLOAD_BYTES (4000 - 8)
struct test_payload_args {
    unsigned char *out;
    unsigned char payload[TEST_PAYLOAD_BYTES];
};
extern const weir_kernel test_payload_kernel;

/** data[i] = data[i] * factor + add, for i < count: kernels that do not commute. */
struct test_affine_args {
    uint32_t *data;
    uint32_t count, factor, add;
};
extern const weir_kernel test_affine_kernel;

/** The CUDA forms of the kernels (test_kernels.cu); they return a cudaError_t. */
int test_calls_cuda(void *stream, uint32_t workers, const void *args);
int test_payload_cuda(void *stream, uint32_t workers, const void *args);
int test_affine_cuda(void *stream, uint32_t workers, const void *args);

#ifdef __cplusplus
}
#endif
#endif
