/** @file tree_cuda.cu  The tree operator on GPUs. */
#include "tests/lib/tree_op.h"

#define WEIR_OPERATOR tree
#include "worklist/engine_cuda_tmpl.cuh"
