/** @file core_cuda.cu  The operator that peels, on GPUs. */
#include "tests/lib/core_op.h"

#define WEIR_OPERATOR core
#include "worklist/engine_cuda_tmpl.cuh"
