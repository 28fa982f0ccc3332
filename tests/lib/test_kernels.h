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

/** Cells of each kind: values that are all negative, all positive, or of both signs, and zeros. */
#define TEST_ATOMICS_CELLS 4
/** What all lanes of a device update at once, each with the numbers 0 to count - 1 that fall to it. */
struct test_atomics_words {
    uint32_t cas_u32, exchange_u32, add_u32, or_u32, and_u32, min_u32, max_u32;
    uint64_t cas_u64, exchange_u64, add_u64, or_u64, and_u64, min_u64, max_u64;
    float exchange_f32, add_f32, min_f32[TEST_ATOMICS_CELLS];
    double exchange_f64, add_f64, min_f64[TEST_ATOMICS_CELLS];
    /** Sums of how far those who were told of an older value moved it: what is left is what it began with, less that. */
    double fell_f32[TEST_ATOMICS_CELLS], fell_f64[TEST_ATOMICS_CELLS];
    uint64_t fell_u64, rose_u64, wrong; /**< wrong: stores that were not read back */
    struct {
        uint32_t add_u32, or_u32, min_u32, max_u32;
        uint64_t add_u64, or_u64, min_u64, max_u64;
        float add_f32;
        double add_f64;
    } untold;         /**< by those that answer nothing */
    uint64_t cleared; /**< how many lanes were told that a bit was set before they took it away */
};
/** seen: four rows of count + 1; how often each value of the four kinds of exchange came back. */
struct test_atomics_args {
    struct test_atomics_words *words;
    uint32_t *seen;
    uint32_t *stored_u32;
    uint64_t *stored_u64;
    float *stored_f32;
    double *stored_f64;
    uint32_t count;
};
extern const weir_kernel test_atomics_kernel;

/** The CUDA forms of the kernels (test_kernels.cu); they return a cudaError_t. */
int test_calls_cuda(void *stream, uint32_t workers, const void *args);
int test_payload_cuda(void *stream, uint32_t workers, const void *args);
int test_affine_cuda(void *stream, uint32_t workers, const void *args);
int test_atomics_cuda(void *stream, uint32_t workers, const void *args);

#ifdef __cplusplus
}
#endif
#endif
