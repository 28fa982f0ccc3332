/** @file pr_certify_host.c  An exact iteration on host devices, and the kernels that name both forms. */
#include "algorithms/pr/pr_certify_op.h"

#define WEIR_KERNEL pr_certify_shares
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL pr_certify_arcs
#include "algorithms/kernel_host_tmpl.h"
