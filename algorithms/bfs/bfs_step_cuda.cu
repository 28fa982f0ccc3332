/** @file bfs_step_cuda.cu  Breadth-first search in step on GPUs. */
#include "algorithms/bfs/bfs_step_body.h"

#define WEIR_STEPS bfs_step
#define WEIR_STEPS_EPILOGUE
#define WEIR_STEPS_THREADS  BFS_THREADS
#define WEIR_STEPS_PER_UNIT 1
#include "worklist/steps_cuda_tmpl.cuh"
