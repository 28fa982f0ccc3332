/** @file partition_cut_cuda.cu  Arcs between parts on GPUs. */
#include "algorithms/graph/partition_cut_op.h"

#define WEIR_KERNEL      partition_cut
#define WEIR_KERNEL_ARGS partition_cut_args
#include "algorithms/kernel_cuda_tmpl.cuh"
