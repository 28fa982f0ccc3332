/** @file cc_certify_cuda.cu  Labels judged on GPUs. */
#include "algorithms/cc/cc_certify_op.h"

#define WEIR_KERNEL      cc_certify_start
#define WEIR_KERNEL_ARGS cc_certify_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      cc_certify_vertices
#define WEIR_KERNEL_ARGS cc_certify_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      cc_certify_arcs
#define WEIR_KERNEL_ARGS cc_certify_args
#include "algorithms/kernel_cuda_tmpl.cuh"
