/** @file cc_stream_cuda.cu  Streamed components on GPUs. */
#include "algorithms/cc/cc_stream_op.h"

#define WEIR_KERNEL      cc_stream
#define WEIR_KERNEL_ARGS struct cc_stream_args
#include "algorithms/kernel_cuda_tmpl.cuh"
