/** @file bfs_narrow_cuda.cu  Breadth-first search on GPUs: its kernel for narrow rounds. */
#include "algorithms/bfs/bfs_op.h"

#include "worklist/engine_narrow_cuda_tmpl.cuh"
