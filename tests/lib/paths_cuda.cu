/** @file paths_cuda.cu  The operator that counts ways, on GPUs. */
#include "tests/lib/paths_op.h"

#include "worklist/engine_cuda_tmpl.cuh"
