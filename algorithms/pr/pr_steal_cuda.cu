/** @file pr_steal_cuda.cu  PageRank by residuals in step, on GPUs. */
#include "algorithms/pr/pr_steal_body.h"

#define WEIR_STEPS_THREADS  PR_STEAL_THREADS
#define WEIR_STEPS_PER_UNIT 2
#include "worklist/steps_cuda_tmpl.cuh"
