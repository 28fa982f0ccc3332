/** @file fold_host.c  The operator that adds up rows, on host devices. */
#include "tests/lib/fold_op.h"

#define WEIR_OPERATOR fold
#include "worklist/engine_host_tmpl.h"
