/** @file values_cuda.cu  Counting of values and putting them in order on GPUs. */
#include "algorithms/common/values_op.h"

/* Atomics of all workers on one sum are served one after the other: no more workers than keep the memory busy. */
#define COUNTERS     2112u
#define TILES(count) ((count) / VALUES_TILE + 1u)

#define WEIR_KERNEL            values_count
#define WEIR_KERNEL_ARGS       values_count_args
#define WEIR_KERNEL_MOST(args) (TILES((args)->rows) < COUNTERS ? TILES((args)->rows) : COUNTERS)
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL            values_order
#define WEIR_KERNEL_ARGS       values_order_args
#define WEIR_KERNEL_MOST(args) TILES((args)->count)
#include "algorithms/kernel_cuda_tmpl.cuh"
