/** @file sssp_certify_host.c  Distances judged on host devices, and the kernels that name both forms. */
#include "algorithms/sssp/sssp_certify_op.h"

#define WEIR_KERNEL sssp_certify_vertices
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL sssp_certify_arcs
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL sssp_certify_level
#include "algorithms/kernel_host_tmpl.h"
