/** @file color_cuda.cu  A colouring in step on GPUs. */
#include "algorithms/color/color_body.h"

#define WEIR_STEPS color
#include "worklist/steps_cuda_tmpl.cuh"
