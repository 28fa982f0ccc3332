/** @file fold_cuda.cu  The operator that adds up rows, on GPUs. */
#include "tests/lib/fold_op.h"

#define WEIR_OPERATOR fold
#include "worklist/engine_cuda_tmpl.cuh"
