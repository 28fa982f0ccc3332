/** @file beats_cuda.cu  The body of beats.h on GPUs. */
#include "tests/lib/beats_body.h"

#define WEIR_STEPS         beats
#define WEIR_STEPS_THREADS 256
#include "worklist/steps_cuda_tmpl.cuh"
