/** @file short_rows_cuda.cu  Short rows on GPUs. */
#include "algorithms/common/short_rows_op.h"

#define WEIR_KERNEL            short_rows
#define WEIR_KERNEL_ARGS       short_rows_args
#define WEIR_KERNEL_MOST(args) ((args)->count / SHORT_ROWS_TILE + 1u)
#include "algorithms/kernel_cuda_tmpl.cuh"
