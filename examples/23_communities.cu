/** @file 23_communities.cu  The kernel of 23_communities_body.h for GPUs. */
#include "examples/23_communities_body.h"

#define WEIR_STEPS lp
#include <weir/worklist/steps_cuda_tmpl.cuh>
