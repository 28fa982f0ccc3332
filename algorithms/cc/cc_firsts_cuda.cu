/** @file cc_firsts_cuda.cu  First neighbours on GPUs. */
#include "algorithms/cc/cc_firsts_op.h"

#define WEIR_KERNEL      cc_firsts
#define WEIR_KERNEL_ARGS cc_firsts_args
#include "algorithms/kernel_cuda_tmpl.cuh"
