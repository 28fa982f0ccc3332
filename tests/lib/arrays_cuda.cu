/** @file arrays_cuda.cu  The body of arrays.h on GPUs. */
#include "tests/lib/arrays_body.h"

#define WEIR_STEPS arrays
#define WEIR_STEPS_EPILOGUE
#define WEIR_STEPS_THREADS 256
#include "worklist/steps_cuda_tmpl.cuh"
