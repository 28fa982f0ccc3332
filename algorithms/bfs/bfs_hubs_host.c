/** @file bfs_hubs_host.c  Breadth-first search in step that shares levels out and has copies of the rows of hubs, on host devices, and its program. */
#include "algorithms/bfs/bfs_hubs_body.h"

#include "worklist/steps_host_tmpl.h"
