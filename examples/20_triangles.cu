/** @file 20_triangles.cu  The kernel of 20_triangles_body.h for GPUs. */
#include "examples/20_triangles_body.h"

#define WEIR_STEPS tri
#include <weir/worklist/steps_cuda_tmpl.cuh>
