/** @file bfs_wire.h  When what a device tells another one of a stretch of vertices goes as a list, and when as a bitmap. In one
 * dimension (bfs_fold.h) as in two (bfs_2d_wire.h). */
#ifndef WEIR_ALGORITHMS_BFS_BFS_WIRE_H
#define WEIR_ALGORITHMS_BFS_BFS_WIRE_H

#include "algorithms/algorithms.h"
#include "runtime/dialect.h"

/** Whether @p count vertices of a stretch of @p words of a bitmap go as that bitmap. Both ends know the stretch and the count, so
 *  nothing on the way says which of the two it is. */
WEIR_BOTH int bfs_is_bitmap(uint32_t wire, uint64_t count, uint64_t words)
{
    return wire == WEIR_WIRE_BITMAP || (wire == WEIR_WIRE_AUTO && count > words);
}

#endif
