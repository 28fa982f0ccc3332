/** @file cc_firsts_host.c  First neighbours on host devices, and the kernel that names both forms. */
#include "algorithms/cc/cc_firsts_op.h"

#define WEIR_KERNEL cc_firsts
#include "algorithms/kernel_host_tmpl.h"
