/** @file partition_cut_host.c  Arcs between parts on host devices, and the kernel that names both forms. */
#include "algorithms/graph/partition_cut_op.h"

#define WEIR_KERNEL partition_cut
#include "algorithms/kernel_host_tmpl.h"
