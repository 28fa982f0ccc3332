/** @file bfs_steal_host.c  Breadth-first search in step that shares levels out, on host devices, and its program. */
#include "algorithms/bfs/bfs_steal_body.h"

#include "worklist/steps_host_tmpl.h"
