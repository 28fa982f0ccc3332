/** @file sssp_f64_cuda.cu  Shortest paths with double distances on GPUs. */
#include "algorithms/sssp/sssp_op.h"

#define WEIR_OPERATOR sssp_f64
#include "worklist/engine_cuda_tmpl.cuh"
