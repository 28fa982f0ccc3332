/** @file 15_kcore.cu  The kernels of 15_kcore_body.h for GPUs. */
#include "examples/15_kcore_body.h"

#define WEIR_STEPS kcore
#define WEIR_STEPS_EPILOGUE
#define WEIR_STEPS_THREADS 512
#include <weir/worklist/steps_cuda_tmpl.cuh>
