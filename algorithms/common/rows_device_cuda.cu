/** @file rows_device_cuda.cu  Arcs to their rows on GPUs. */
#include "algorithms/common/rows_device_op.h"

#define WEIR_KERNEL      rows_heads
#define WEIR_KERNEL_ARGS rows_arcs_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      rows_arcs
#define WEIR_KERNEL_ARGS rows_arcs_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      rows_firsts
#define WEIR_KERNEL_ARGS rows_firsts_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      rows_mark
#define WEIR_KERNEL_ARGS rows_names_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      rows_name
#define WEIR_KERNEL_ARGS rows_names_args
#include "algorithms/kernel_cuda_tmpl.cuh"
