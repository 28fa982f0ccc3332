/** @file bfs_cuda.cu  Breadth-first search on GPUs. */
#include "algorithms/bfs/bfs_op.h"

#include "worklist/engine_cuda_tmpl.cuh"
