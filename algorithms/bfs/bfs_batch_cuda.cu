/** @file bfs_batch_cuda.cu  Breadth-first search from a batch of sources on GPUs. */
#include "algorithms/bfs/bfs_batch_body.h"

#define WEIR_STEPS          bfs_batch
#define WEIR_STEPS_THREADS  512
#define WEIR_STEPS_PER_UNIT 2
#include "worklist/steps_cuda_tmpl.cuh"
