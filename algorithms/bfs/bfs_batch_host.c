/** @file bfs_batch_host.c  Breadth-first search from a batch of sources on host devices, and its program. */
#include "algorithms/bfs/bfs_batch_body.h"

#define WEIR_STEPS bfs_batch
#include "worklist/steps_host_tmpl.h"
