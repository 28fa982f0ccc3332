/** @file color_certify_cuda.cu  Colours judged on GPUs. */
#include "algorithms/color/color_certify_op.h"

#define WEIR_KERNEL      color_certify_vertices
#define WEIR_KERNEL_ARGS color_certify_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      color_certify_arcs
#define WEIR_KERNEL_ARGS color_certify_args
#include "algorithms/kernel_cuda_tmpl.cuh"
