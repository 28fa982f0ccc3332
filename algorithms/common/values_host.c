/** @file values_host.c  Counting of values and putting them in order on host devices, and the kernels that name both forms. */
#include "algorithms/common/values_op.h"

#define WEIR_KERNEL values_count
#include "algorithms/kernel_host_tmpl.h"

#define WEIR_KERNEL values_order
#include "algorithms/kernel_host_tmpl.h"
