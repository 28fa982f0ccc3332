/** @file csr_host.c  Sorted rows out of arcs on host devices, and the kernels that name both forms. */
#include "algorithms/graph/csr_op.h"

#define WEIR_KERNEL csr_count
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL csr_deal
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL csr_pack
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL csr_turn
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL csr_unpack
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL csr_mark
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL csr_keep
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL csr_lengths
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL csr_shift
#include "algorithms/kernel_host_tmpl.h"
