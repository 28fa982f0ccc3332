/** @file pr_hubs_host.c  PageRank in step with the shares of hubs in each thread's own memory on host devices, and the program for
 * weir_steps_create(). */
#include "algorithms/pr/pr_hubs_body.h"

#include "worklist/steps_host_tmpl.h"
