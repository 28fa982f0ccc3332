/** @file paths_host.c  The operator that counts ways, on host devices. */
#include "tests/lib/paths_op.h"

#include "worklist/engine_host_tmpl.h"
