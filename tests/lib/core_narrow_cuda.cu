/** @file core_narrow_cuda.cu  The operator that peels, on GPUs: its kernel for narrow rounds. */
#include "tests/lib/core_op.h"

#define WEIR_OPERATOR core
#include "worklist/engine_narrow_cuda_tmpl.cuh"
