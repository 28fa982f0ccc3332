/** @file color_certify_host.c  Colours judged on host devices, and the kernels that name both forms. */
#include "algorithms/color/color_certify_op.h"

#define WEIR_KERNEL color_certify_vertices
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL color_certify_arcs
#include "algorithms/kernel_host_tmpl.h"
