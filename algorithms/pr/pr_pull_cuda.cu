/** @file pr_pull_cuda.cu  PageRank in step on GPUs. Two blocks of 16 warps a multiprocessor: eight reads a
 * lane under way are more than random reads need, and leave 64 registers a thread and most of the first cache
 * for the shares. */
#include "algorithms/pr/pr_pull.h"

#define WEIR_BSP          pr_pull
#define WEIR_BSP_THREADS  (PR_WARPS * 32)
#define WEIR_BSP_PER_UNIT 2
#include "worklist/bsp_cuda_tmpl.cuh"
