/** @file sssp_step_host.c  Shortest paths in step on host devices, and the program. */
#include "algorithms/sssp/sssp_step_body.h"

#define WEIR_STEPS sssp_step
#include "worklist/steps_host_tmpl.h"
