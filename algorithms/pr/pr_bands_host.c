/** @file pr_bands_host.c  PageRank in step and in bands on host devices, and the program for weir_steps_create(). */
#include "algorithms/pr/pr_bands_body.h"

#include "worklist/steps_host_tmpl.h"
