/** @file rows_number_host.c  Numbers by degree on host devices, and the kernels that name both forms. */
#include "algorithms/common/rows_number_op.h"

#define WEIR_KERNEL      rows_keys
#define WEIR_KERNEL_ARGS rows_number_args
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL      rows_number
#define WEIR_KERNEL_ARGS rows_number_args
#include "algorithms/kernel_host_tmpl.h"
