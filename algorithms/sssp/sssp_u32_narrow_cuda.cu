/** @file sssp_u32_narrow_cuda.cu  Shortest paths with 32-bit integer distances on GPUs: the kernel for narrow
 *  rounds. */
#include "algorithms/sssp/sssp_op.h"

#define WEIR_OPERATOR sssp_u32
#include "worklist/engine_narrow_cuda_tmpl.cuh"
