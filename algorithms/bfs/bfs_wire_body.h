/** @file bfs_wire_body.h  The body of bfs_step_body.h whose finds for other devices go as lists or bitmaps (bfs_fold.h), a kernel of its own: the
 * phase more would cost the other one registers. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_WIRE_BODY_H
#define WEIR_ALGORITHMS_BFS_BFS_WIRE_BODY_H

#define BFS_WIRES 1
#include "algorithms/bfs/bfs_step_body.h"

#define bfs_wire_args     bfs_step_args
#define bfs_wire_shared   bfs_step_shared
#define bfs_wire_body     bfs_step_body
#define bfs_wire_epilogue bfs_step_epilogue

#define WEIR_STEPS bfs_wire
#define WEIR_STEPS_EPILOGUE

#endif
