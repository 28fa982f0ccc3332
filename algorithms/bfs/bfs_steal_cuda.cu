/** @file bfs_steal_cuda.cu  Breadth-first search in step that shares levels out, on GPUs. */
#include "algorithms/bfs/bfs_steal_body.h"

#define WEIR_STEPS_THREADS  BFS_THREADS
#define WEIR_STEPS_PER_UNIT 1
#include "worklist/steps_cuda_tmpl.cuh"
