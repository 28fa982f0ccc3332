/** @file bfs_certify_cuda.cu  Levels and trees judged on GPUs. */
#include "algorithms/bfs/bfs_rules_op.h"

#define WEIR_KERNEL      bfs_certify_vertices
#define WEIR_KERNEL_ARGS bfs_certify_args
#include "algorithms/kernel_cuda_tmpl.cuh"

#define WEIR_KERNEL      bfs_certify_arcs
#define WEIR_KERNEL_ARGS bfs_certify_args
#include "algorithms/kernel_cuda_tmpl.cuh"
