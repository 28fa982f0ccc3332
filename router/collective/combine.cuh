/** @file combine.cuh  The reductions on GPUs, of an element and of 16 bytes. */
#ifndef WEIR_ROUTER_COLLECTIVE_COMBINE_CUH
#define WEIR_ROUTER_COLLECTIVE_COMBINE_CUH

#include "router/collective/reduction.h"

#include <cuda_runtime.h>

#define COMBINE(number, type_name, op_name, type, combination)         \
    struct type_name##_##op_name {                                     \
        typedef type element;                                          \
        __device__ __forceinline__ static type combine(type x, type y) \
        {                                                              \
            return combination;                                        \
        }                                                              \
    };
WEIR__REDUCTIONS(COMBINE)

/* 16 bytes, as they are loaded and as elements. */
template <class R> union pack {
    uint4 word;
    typename R::element element[16 / sizeof(typename R::element)];
    __device__ __forceinline__ pack() {}
};

template <class R> __device__ __forceinline__ static uint4 combine(uint4 a, uint4 b)
{
    pack<R> x, y;
    x.word = a;
    y.word = b;
#pragma unroll
    for (int i = 0; i < (int)(16 / sizeof(typename R::element)); i++)
        x.element[i] = R::combine(x.element[i], y.element[i]);
    return x.word;
}

#endif
