/** @file sssp_u32_cuda.cu  Shortest paths with 32-bit integer distances on GPUs. */
#include "algorithms/sssp/sssp_op.h"

#define WEIR_OPERATOR sssp_u32
#include "worklist/engine_cuda_tmpl.cuh"
