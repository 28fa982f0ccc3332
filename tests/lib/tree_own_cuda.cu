/** @file tree_own_cuda.cu  The tree operator with a schedule of its own, on GPUs. */
#include "tests/lib/tree_own_op.h"

#define WEIR_SCHEDULE runs
#define WEIR_OPERATOR tree_own
#include "worklist/engine_cuda_tmpl.cuh"
