/** @file pr_lines_host.c  The program for weir_steps_create() of PageRank in step with arcs in host memory; to host devices that is
 * memory like any other. */
#include "algorithms/pr/pr_lines_body.h"

#include "worklist/steps_host_tmpl.h"
