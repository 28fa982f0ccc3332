/** @file bfs_host.c  Breadth-first search on host devices, and the operator for the engine. */
#include "algorithms/bfs/bfs_op.h"

#include "worklist/engine_host_tmpl.h"
