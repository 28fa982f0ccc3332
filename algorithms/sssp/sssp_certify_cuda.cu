/** @file sssp_certify_cuda.cu  Distances judged on GPUs. */
#include "algorithms/sssp/sssp_certify_op.h"

#define WEIR_KERNEL      sssp_certify_vertices
#define WEIR_KERNEL_ARGS sssp_certify_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      sssp_certify_arcs
#define WEIR_KERNEL_ARGS sssp_certify_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      sssp_certify_level
#define WEIR_KERNEL_ARGS sssp_certify_args
#include "algorithms/kernel_cuda_tmpl.cuh"
