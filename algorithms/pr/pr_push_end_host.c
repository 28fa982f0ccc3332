/** @file pr_push_end_host.c  Ends of runs by residuals on host devices, and the kernel that names both forms. */
#include "algorithms/pr/pr_push_end.h"

#define WEIR_KERNEL pr_push_end
#include "algorithms/common/kernel_host_tmpl.h"
