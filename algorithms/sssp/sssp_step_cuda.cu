/** @file sssp_step_cuda.cu  Shortest paths in step on GPUs. */
#include "algorithms/sssp/step_body.h"

#define WEIR_BSP          sssp_step
#define WEIR_BSP_THREADS  SSSP_STEP_THREADS
#define WEIR_BSP_PER_UNIT 1
#include "worklist/bsp_cuda_tmpl.cuh"
