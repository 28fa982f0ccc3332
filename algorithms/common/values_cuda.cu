/** @file values_cuda.cu  Counting and renumbering of values on GPUs. */
#include "algorithms/common/values_op.h"

/* Atomics of all workers on one sum are served one after the other: no more workers than keep the memory busy. */
#define COUNTERS    2112u
#define TILES(args) ((args)->rows / VALUES_TILE + 1u)

#define WEIR_KERNEL            values_count
#define WEIR_KERNEL_ARGS       values_count_args
#define WEIR_KERNEL_MOST(args) (TILES(args) < COUNTERS ? TILES(args) : COUNTERS)
#include "algorithms/common/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL            values_renumber
#define WEIR_KERNEL_ARGS       values_renumber_args
#define WEIR_KERNEL_MOST(args) TILES(args)
#include "algorithms/common/kernel_cuda_tmpl.cuh"
