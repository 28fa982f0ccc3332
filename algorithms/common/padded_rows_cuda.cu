/** @file padded_rows_cuda.cu  Padded rows on GPUs. */
#include "algorithms/common/padded_rows_op.h"

#define WEIR_KERNEL            padded_rows
#define WEIR_KERNEL_ARGS       padded_rows_args
#define WEIR_KERNEL_MOST(args) ((args)->count / PADDED_ROWS_TILE + 1u)
#include "algorithms/kernel_cuda_tmpl.cuh"
