/** @file pr_hubs_cuda.cu  PageRank in step on GPUs with the shares of hubs in shared memory: one block of 32 warps a
 * multiprocessor, so that they lie there once. */
#include "algorithms/pr/pr_hubs_body.h"

#define WEIR_STEPS_THREADS  (PR_WARPS * 32)
#define WEIR_STEPS_PER_UNIT 1
#include "worklist/steps_cuda_tmpl.cuh"

static_assert(sizeof(struct pr_pull_shared) + WEIR_STEPS_SHARE * sizeof(uint64_t) + 32 <=
                  PR_HUBS_MEMORY,
              "what the host asks a device for is what the block has");

static_assert(WEIR_STEPS_FLAGS_KEPT == 0, "a block keeps no flags");
