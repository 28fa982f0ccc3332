/** @file core_host.c  The operator that peels, on host devices. */
#include "tests/lib/core_op.h"

#define WEIR_OPERATOR core
#include "worklist/engine_host_tmpl.h"
