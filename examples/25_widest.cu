/** @file 25_widest.cu  The kernels of 25_widest_op.h for GPUs. */
#include "examples/25_widest_op.h"
#include <weir/worklist/engine_cuda_tmpl.cuh>
