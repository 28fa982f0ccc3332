/** @file bfs_hubs_body.h  The body of bfs_step_body.h that shares levels out and has copies of the rows of hubs (bfs_steal_hubs.c), a kernel of its
 * own: looking for a copy would spill twice as many registers of the one without. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_HUBS_BODY_H
#define WEIR_ALGORITHMS_BFS_BFS_HUBS_BODY_H

#define BFS_STEALS 1
#define BFS_HUBS   1
#include "algorithms/bfs/bfs_step_body.h"

#define bfs_hubs_args     bfs_step_args
#define bfs_hubs_shared   bfs_step_shared
#define bfs_hubs_body     bfs_step_body
#define bfs_hubs_epilogue bfs_step_epilogue

#define WEIR_STEPS bfs_hubs
#define WEIR_STEPS_EPILOGUE

#endif
