/** @file bfs_2d_host.c  Breadth-first search in two dimensions on host devices, and its program. */
#include "algorithms/bfs/bfs_2d_body.h"

#define WEIR_STEPS bfs_2d
#include "worklist/steps_host_tmpl.h"
