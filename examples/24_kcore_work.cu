/** @file 24_kcore_work.cu  The kernels of 24_kcore_work_op.h for GPUs. */
#include "examples/24_kcore_work_op.h"
#define WEIR_OPERATOR peel
#include <weir/worklist/engine_cuda_tmpl.cuh>
