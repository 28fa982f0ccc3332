/** @file bfs_wire_cuda.cu  Breadth-first search in step whose finds go as lists or bitmaps, on GPUs. */
#include "algorithms/bfs/bfs_wire_body.h"

#define WEIR_STEPS_THREADS  BFS_THREADS
#define WEIR_STEPS_PER_UNIT 1
#include "worklist/steps_cuda_tmpl.cuh"
