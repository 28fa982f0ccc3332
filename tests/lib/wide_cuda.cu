/** @file wide_cuda.cu  Items of 512 bytes on GPUs. */
#define WEIR_OPERATOR wide
#define WIDE_WORDS    62u
#include "tests/lib/wide_tmpl.h"

#include "worklist/engine_cuda_tmpl.cuh"
