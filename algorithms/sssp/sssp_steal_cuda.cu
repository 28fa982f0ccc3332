/** @file sssp_steal_cuda.cu  Shortest paths in step that share pieces out, on GPUs. */
#include "algorithms/sssp/sssp_steal_body.h"

#define WEIR_STEPS_THREADS  SSSP_STEP_THREADS
#define WEIR_STEPS_PER_UNIT 1
#include "worklist/steps_cuda_tmpl.cuh"
