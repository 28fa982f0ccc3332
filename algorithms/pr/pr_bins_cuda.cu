/** @file pr_bins_cuda.cu  PageRank in step with bins on GPUs: two blocks of 16 warps a multiprocessor, so that one goes on while the
 * other begins a bin or a stretch. */
#include "algorithms/pr/pr_bins_body.h"

#define WEIR_STEPS_THREADS  (PR_WARPS * 32)
#define WEIR_STEPS_PER_UNIT 2
#include "worklist/steps_cuda_tmpl.cuh"

static_assert(sizeof(struct pr_pull_shared) + WEIR_STEPS_SHARE * sizeof(uint64_t) + 32 <=
                  PR_BINS_MEMORY,
              "what the host asks a device for is what the block has");

static_assert(WEIR_STEPS_FLAGS_KEPT == 0, "a block keeps no flags");
