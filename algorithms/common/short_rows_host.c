/** @file short_rows_host.c  Short rows on host devices, and the kernel that names both forms. */
#include "algorithms/common/short_rows_op.h"

#define WEIR_KERNEL short_rows
#include "algorithms/kernel_host_tmpl.h"
