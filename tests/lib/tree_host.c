/** @file tree_host.c  The tree operator on host devices. */
#include "tests/lib/tree_op.h"

#define WEIR_OPERATOR tree
#include "worklist/engine_host_tmpl.h"
