/** @file reduction.h  Element by element: out = a op b, by the workers of a device. */
#ifndef WEIR_ROUTER_COLLECTIVE_REDUCTION_H
#define WEIR_ROUTER_COLLECTIVE_REDUCTION_H

#include "router/collective/half.h"
#include "runtime/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(number, type's name, operation's name, C type, the combination of x and y): all there are, by
 *  number: 4 * weir_type + weir_op. Integers wrap around: they are added and multiplied unsigned. Where
 *  one of two floating point numbers is a NaN, min and max are the other. Numbers of 16 bits are combined
 *  as floats, and each sum and product is rounded; min and max are one of the two, bit for bit. */
#define WEIR__REDUCTIONS(X)                                        \
    X(0, i32, sum, int32_t, (int32_t)((uint32_t)x + (uint32_t)y))  \
    X(1, i32, prod, int32_t, (int32_t)((uint32_t)x * (uint32_t)y)) \
    X(2, i32, min, int32_t, x < y ? x : y)                         \
    X(3, i32, max, int32_t, x > y ? x : y)                         \
    X(4, u32, sum, uint32_t, x + y)                                \
    X(5, u32, prod, uint32_t, (x * y))                             \
    X(6, u32, min, uint32_t, x < y ? x : y)                        \
    X(7, u32, max, uint32_t, x > y ? x : y)                        \
    X(8, i64, sum, int64_t, (int64_t)((uint64_t)x + (uint64_t)y))  \
    X(9, i64, prod, int64_t, (int64_t)((uint64_t)x * (uint64_t)y)) \
    X(10, i64, min, int64_t, x < y ? x : y)                        \
    X(11, i64, max, int64_t, x > y ? x : y)                        \
    X(12, u64, sum, uint64_t, x + y)                               \
    X(13, u64, prod, uint64_t, (x * y))                            \
    X(14, u64, min, uint64_t, x < y ? x : y)                       \
    X(15, u64, max, uint64_t, x > y ? x : y)                       \
    X(16, f32, sum, float, x + y)                                  \
    X(17, f32, prod, float, (x * y))                               \
    X(18, f32, min, float, (x < y || y != y) ? x : y)              \
    X(19, f32, max, float, (x > y || y != y) ? x : y)              \
    X(20, f64, sum, double, x + y)                                 \
    X(21, f64, prod, double, (x * y))                              \
    X(22, f64, min, double, (x < y || y != y) ? x : y)             \
    X(23, f64, max, double, (x > y || y != y) ? x : y)             \
    WEIR__REDUCTIONS_16(X, 24, 25, 26, 27, f16)                    \
    WEIR__REDUCTIONS_16(X, 28, 29, 30, 31, bf16)
#define WEIR__REDUCTIONS_16(X, n_sum, n_prod, n_min, n_max, name)                  \
    X(n_sum, name, sum, uint16_t,                                                  \
      weir__##name##_of_f32(weir__f32_of_##name(x) + weir__f32_of_##name(y)))      \
    X(n_prod, name, prod, uint16_t,                                                \
      weir__##name##_of_f32(weir__f32_of_##name(x) * weir__f32_of_##name(y)))      \
    X(n_min, name, min, uint16_t,                                                  \
      weir__first_is_less(weir__f32_of_##name(x), weir__f32_of_##name(y)) ? x : y) \
    X(n_max, name, max, uint16_t,                                                  \
      weir__first_is_more(weir__f32_of_##name(x), weir__f32_of_##name(y)) ? x : y)
#define WEIR__REDUCTION_COUNT 32
/** A number that combines nothing: a GPU loads the code of all reductions, which it could not do while
 *  something holds one of its streams. */
#define WEIR__REDUCTION_LOAD WEIR__REDUCTION_COUNT

/** A number is less, and more, than a NaN. */
WEIR_DEV int weir__first_is_less(float x, float y)
{
    return x < y || y != y;
}
WEIR_DEV int weir__first_is_more(float x, float y)
{
    return x > y || y != y;
}

struct weir__reduction_args {
    void *out; /* may be a or b; overlaps neither otherwise */
    const void *a, *b;
    uint64_t count;   /* elements */
    uint32_t element; /* bytes of one */
    uint32_t number;  /* which reduction */
};
extern const weir_kernel weir__reduction_kernel;

/** The same by the calling thread: out[i] = a[i] op b[i]. */
void weir__reduce(uint32_t number, uint32_t element, void *out, const void *a, const void *b,
                  uint64_t count);
/** The CUDA form (reduction_cuda.cu); @return a cudaError_t. */
int weir__reduction_cuda(void *stream, uint32_t workers, const void *args);

#ifdef __cplusplus
}
#endif
#endif
