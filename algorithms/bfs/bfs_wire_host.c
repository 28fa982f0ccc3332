/** @file bfs_wire_host.c  Breadth-first search in step whose finds go as lists or bitmaps, on host devices, and its program. */
#include "algorithms/bfs/bfs_wire_body.h"

#include "worklist/steps_host_tmpl.h"
