/** @file bfs_2d_cuda.cu  Breadth-first search in two dimensions on GPUs. */
#include "algorithms/bfs/bfs_2d_body.h"

#define WEIR_STEPS          bfs_2d
#define WEIR_STEPS_THREADS  512
#define WEIR_STEPS_PER_UNIT 1
#include "worklist/steps_cuda_tmpl.cuh"
