/** @file pr_certify_cuda.cu  An exact iteration on GPUs. */
#include "algorithms/pr/pr_certify_op.h"

#define WEIR_KERNEL      pr_certify_shares
#define WEIR_KERNEL_ARGS pr_certify_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      pr_certify_arcs
#define WEIR_KERNEL_ARGS pr_certify_args
#include "algorithms/kernel_cuda_tmpl.cuh"
