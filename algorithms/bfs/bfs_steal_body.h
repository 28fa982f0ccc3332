/** @file bfs_steal_body.h  The body of bfs_step_body.h that shares levels out (bfs_steal.h), a kernel of its own: what that takes of
 * registers and of a block's memory would be missing in the other one. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEAL_BODY_H
#define WEIR_ALGORITHMS_BFS_BFS_STEAL_BODY_H

#define BFS_STEALS 1
#include "algorithms/bfs/bfs_step_body.h"

#define bfs_steal_args     bfs_step_args
#define bfs_steal_shared   bfs_step_shared
#define bfs_steal_body     bfs_step_body
#define bfs_steal_epilogue bfs_step_epilogue

#define WEIR_STEPS bfs_steal
#define WEIR_STEPS_EPILOGUE

#endif
