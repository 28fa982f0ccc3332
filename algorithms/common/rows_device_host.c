/** @file rows_device_host.c  Arcs to their rows on host devices, and the kernels that name both forms. */
#include "algorithms/common/rows_device_op.h"

#define WEIR_KERNEL rows_heads
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL rows_arcs
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL rows_firsts
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL rows_mark
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL rows_name
#include "algorithms/kernel_host_tmpl.h"
