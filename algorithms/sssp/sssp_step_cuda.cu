/** @file sssp_step_cuda.cu  Shortest paths in step on GPUs. */
#include "algorithms/sssp/sssp_step_body.h"

#define WEIR_STEPS          sssp_step
#define WEIR_STEPS_THREADS  SSSP_STEP_THREADS
#define WEIR_STEPS_PER_UNIT 1
#include "worklist/steps_cuda_tmpl.cuh"
