/** @file letters_cuda.cu  The body of letters.h on GPUs. */
#include "tests/lib/letters_body.h"

#define WEIR_STEPS         letters
#define WEIR_STEPS_THREADS 256
#include "worklist/steps_cuda_tmpl.cuh"
