/** @file bfs_certify_host.c  Levels and trees judged on host devices, and the kernels that name both forms. */
#include "algorithms/bfs/bfs_rules_op.h"

#define WEIR_KERNEL bfs_certify_vertices
#include "algorithms/kernel_host_tmpl.h"
#define WEIR_KERNEL bfs_certify_arcs
#include "algorithms/kernel_host_tmpl.h"
