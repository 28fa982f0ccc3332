/** @file cc_interleaved_cuda.cu  Connected components in step, with interleaved names, on GPUs (cc_cuda.cu). */
#include "algorithms/cc/cc_interleaved_body.h"

#define WEIR_STEPS_THREADS  512
#define WEIR_STEPS_PER_UNIT 2
#include "worklist/steps_cuda_tmpl.cuh"

static_assert(WEIR_STEPS_THREADS <= 32 * CC_WORKERS, "each warp of a block has a list");

static_assert(WEIR_STEPS_FLAGS_KEPT == 0, "a block keeps no flags");
