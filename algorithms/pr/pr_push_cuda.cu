/** @file pr_push_cuda.cu  PageRank by residuals on GPUs. */
#include "algorithms/pr/pr_push_op.h"

#include "worklist/engine_cuda_tmpl.cuh"
