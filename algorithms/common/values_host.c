/** @file values_host.c  Counting and renumbering of values on host devices, and the kernels that name both forms. */
#include "algorithms/common/values_op.h"

#define WEIR_KERNEL values_count
#include "algorithms/common/kernel_host_tmpl.h"

#define WEIR_KERNEL values_renumber
#include "algorithms/common/kernel_host_tmpl.h"
