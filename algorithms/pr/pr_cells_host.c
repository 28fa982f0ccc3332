/** @file pr_cells_host.c  PageRank in two dimensions on host devices, and its program. */
#include "algorithms/pr/pr_cells.h"

#define WEIR_STEPS pr_cells
#define WEIR_STEPS_NO_RESET
#include "worklist/steps_host_tmpl.h"
