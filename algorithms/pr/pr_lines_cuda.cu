/** @file pr_lines_cuda.cu  PageRank in step on GPUs with arcs in host memory, with blocks as in pr_pull_cuda.cu. */
#include "algorithms/pr/pr_lines_body.h"

#define WEIR_STEPS_THREADS  (PR_WARPS * 32)
#define WEIR_STEPS_PER_UNIT 2
#include "worklist/steps_cuda_tmpl.cuh"

static_assert(WEIR_STEPS_FLAGS_KEPT == 0, "a block keeps no flags");
