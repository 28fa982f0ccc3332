/** @file pr_pull_host.c  PageRank in step on host devices, and the program for weir_steps_create(). */
#include "algorithms/pr/pr_pull.h"

#define WEIR_STEPS pr_pull
#define WEIR_STEPS_NO_RESET
#include "worklist/steps_host_tmpl.h"
