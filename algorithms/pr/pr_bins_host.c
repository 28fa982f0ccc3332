/** @file pr_bins_host.c  PageRank in step with bins on host devices, and the program for weir_steps_create(). */
#include "algorithms/pr/pr_bins_body.h"

#include "worklist/steps_host_tmpl.h"
