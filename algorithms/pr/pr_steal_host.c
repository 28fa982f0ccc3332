/** @file pr_steal_host.c  PageRank by residuals in step, on host devices, and the program. */
#include "algorithms/pr/pr_steal_body.h"

#include "worklist/steps_host_tmpl.h"
