/** @file color_push_cuda.cu  A colouring through the worklist on GPUs. */
#include "algorithms/color/color_push_op.h"

#define WEIR_OPERATOR color_push
#include "worklist/engine_cuda_tmpl.cuh"
