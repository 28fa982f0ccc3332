/** @file padded_rows_host.c  Padded rows on host devices, and the kernel that names both forms. */
#include "algorithms/common/padded_rows_op.h"

#define WEIR_KERNEL padded_rows
#include "algorithms/kernel_host_tmpl.h"
