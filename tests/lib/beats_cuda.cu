/** @file beats_cuda.cu  The body of beats.h on GPUs. */
#include "tests/lib/beats_body.h"

#define WEIR_BSP         beats
#define WEIR_BSP_THREADS 256
#include "worklist/bsp_cuda_tmpl.cuh"
