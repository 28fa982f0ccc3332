/** @file pr_push_pass_host.c  Passes between epochs on host devices, and the kernel that names both forms. */
#include "algorithms/pr/pr_push_pass.h"

#define WEIR_KERNEL pr_push_pass
#include "algorithms/kernel_host_tmpl.h"
