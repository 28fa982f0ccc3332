/** @file tree_min_host.c  The merging operator on host devices. */
#include "tests/lib/tree_min_op.h"

#define WEIR_OPERATOR tree_min
#include "worklist/engine_host_tmpl.h"
