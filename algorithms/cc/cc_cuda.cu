/** @file cc_cuda.cu  Connected components in step on GPUs.
 *
 * Random accesses wait for memory most of the time, and many threads bear it. More than these would have too few registers: rmat:22 and
 * uniform:22 take 7 % longer with 640. */
#include "algorithms/cc/cc_body.h"

#define WEIR_STEPS          cc
#define WEIR_STEPS_NO_RESET /* the body clears its few words */
#define WEIR_STEPS_THREADS  512
#define WEIR_STEPS_PER_UNIT 2
#include "worklist/steps_cuda_tmpl.cuh"

static_assert(WEIR_STEPS_THREADS <= 32 * CC_WORKERS, "each warp of a block has a list");

static_assert(WEIR_STEPS_FLAGS_KEPT == 0, "a block keeps no flags");
