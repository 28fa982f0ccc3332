/** @file cc_certify_host.c  Labels judged on host devices, and the kernels that name both forms. */
#include "algorithms/cc/cc_certify_op.h"

#define WEIR_KERNEL cc_certify_start
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL cc_certify_vertices
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL cc_certify_arcs
#include "algorithms/kernel_host_tmpl.h"
