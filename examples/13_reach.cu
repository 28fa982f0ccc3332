/** @file 13_reach.cu  The kernels of 13_reach_op.h for GPUs. */
#include "examples/13_reach_op.h"
#include <weir/worklist/engine_cuda_tmpl.cuh>
