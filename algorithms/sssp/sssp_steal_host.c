/** @file sssp_steal_host.c  Shortest paths in step that share pieces out, on host devices, and the program. */
#include "algorithms/sssp/sssp_steal_body.h"

#include "worklist/steps_host_tmpl.h"
