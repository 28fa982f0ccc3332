/** @file bfs_step_host.c  Breadth-first search in step on host devices, and its program. */
#include "algorithms/bfs/bfs_step_body.h"

#define WEIR_STEPS bfs_step
#define WEIR_STEPS_EPILOGUE
#include "worklist/steps_host_tmpl.h"
