/** @file tree_min_cuda.cu  The merging operator on GPUs. */
#include "tests/lib/tree_min_op.h"

#define WEIR_OPERATOR tree_min
#include "worklist/engine_cuda_tmpl.cuh"
