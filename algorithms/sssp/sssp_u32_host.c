/** @file sssp_u32_host.c  Shortest paths with 32-bit integer distances on host devices, and the operator. */
#include "algorithms/sssp/sssp_op.h"

#define WEIR_OPERATOR sssp_u32
#include "worklist/engine_host_tmpl.h"
