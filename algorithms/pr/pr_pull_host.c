/** @file pr_pull_host.c  PageRank in step on host devices, and the program for weir_bsp_create(). */
#include "algorithms/pr/pr_pull.h"

#define WEIR_BSP pr_pull
#include "worklist/bsp_host_tmpl.h"
