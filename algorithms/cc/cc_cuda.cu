/** @file cc_cuda.cu  Connected components in step on GPUs.
 *
 * Random accesses wait for memory most of the time: as many threads as registers allow. */
#include "algorithms/cc/cc_body.h"

#define WEIR_STEPS          cc
#define WEIR_STEPS_NO_RESET /* the body clears its few words */
#define WEIR_STEPS_THREADS  640
#define WEIR_STEPS_PER_UNIT 2
#include "worklist/steps_cuda_tmpl.cuh"
