/** @file bfs_hubs_cuda.cu  Breadth-first search in step that shares levels out and has copies of the rows of hubs, on GPUs. */
#include "algorithms/bfs/bfs_hubs_body.h"

#define WEIR_STEPS_THREADS  BFS_THREADS
#define WEIR_STEPS_PER_UNIT 1
#include "worklist/steps_cuda_tmpl.cuh"
