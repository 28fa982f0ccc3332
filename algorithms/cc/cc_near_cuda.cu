/** @file cc_near_cuda.cu  Connected components in step, of rows of few arcs, on a GPU that is alone. */
#include "algorithms/cc/cc_near_body.h"

#define WEIR_STEPS_THREADS  640
#define WEIR_STEPS_PER_UNIT 2
#include "worklist/steps_cuda_tmpl.cuh"

static_assert(WEIR_STEPS_THREADS <= 32 * CC_WORKERS, "each warp of a block has a list");

static_assert(WEIR_STEPS_FLAGS_KEPT == 0, "a block keeps no flags");
