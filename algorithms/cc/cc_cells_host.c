/** @file cc_cells_host.c  Connected components in two dimensions on host devices, and its program. */
#include "algorithms/cc/cc_cells_round.h"

#define WEIR_STEPS cc_cells
#define WEIR_STEPS_NO_RESET
#include "worklist/steps_host_tmpl.h"
