/** @file pr_pull_cuda.cu  PageRank in step on GPUs. Two blocks of 16 warps a multiprocessor: eight reads a
 * lane under way are more than random reads need, and leave 64 registers a thread and most of the first cache
 * for the shares. */
#include "algorithms/pr/pr_pull.h"

#define WEIR_STEPS pr_pull
#define WEIR_STEPS_NO_RESET
#define WEIR_STEPS_THREADS  (PR_WARPS * 32)
#define WEIR_STEPS_PER_UNIT 2
#include "worklist/steps_cuda_tmpl.cuh"

static_assert(WEIR_STEPS_FLAGS_KEPT == 0, "a block keeps no flags");
