/** @file sssp_f64_host.c  Shortest paths with double distances on host devices, and the operator. */
#include "algorithms/sssp/sssp_op.h"

#define WEIR_OPERATOR sssp_f64
#include "worklist/engine_host_tmpl.h"
