/** @file cc_cuda.cu  Connected components in step on GPUs.
 *
 * Random accesses wait for memory most of the time: as many threads as registers allow. */
#include "algorithms/cc/cc_body.h"

#define WEIR_BSP          cc
#define WEIR_BSP_THREADS  640
#define WEIR_BSP_PER_UNIT 2
#include "worklist/bsp_cuda_tmpl.cuh"
