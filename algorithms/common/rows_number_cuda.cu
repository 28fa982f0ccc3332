/** @file rows_number_cuda.cu  Numbers by degree on GPUs. */
#include "algorithms/common/rows_number_op.h"

#define WEIR_KERNEL      rows_keys
#define WEIR_KERNEL_ARGS rows_number_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      rows_number
#define WEIR_KERNEL_ARGS rows_number_args
#include "algorithms/kernel_cuda_tmpl.cuh"
