/** @file 21_forest.cu  The kernel of 21_forest_body.h for GPUs. */
#include "examples/21_forest_body.h"

#define WEIR_STEPS msf
#include <weir/worklist/steps_cuda_tmpl.cuh>
