/** @file pbf_cuda.cu  The filter on GPUs. Every worker costs an atomic at its end: there are no more than tiles. */
#include "algorithms/pbf/pbf_op.h"

#define WEIR_KERNEL            pbf_filter
#define WEIR_KERNEL_ARGS       pbf_args
#define WEIR_KERNEL_MOST(args) (((args)->elements + PBF_TILE - 1u) / PBF_TILE)
#include "algorithms/kernel_cuda_tmpl.cuh"
