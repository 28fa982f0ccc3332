/** @file bfs_step_cuda.cu  Breadth-first search in step on GPUs. */
#include "algorithms/bfs/bfs_step_body.h"

#define WEIR_BSP          bfs_step
#define WEIR_BSP_THREADS  512
#define WEIR_BSP_PER_UNIT 1
#include "worklist/bsp_cuda_tmpl.cuh"
