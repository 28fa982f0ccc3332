/** @file 22_betweenness.cu  The kernel of 22_betweenness_body.h for GPUs. */
#include "examples/22_betweenness_body.h"

#define WEIR_STEPS         bc
#define WEIR_STEPS_THREADS 512
#include <weir/worklist/steps_cuda_tmpl.cuh>
