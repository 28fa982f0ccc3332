/** @file bfs_rules.h  The sentences of Graph500's rules (bfs_tree.c). Not installed. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_RULES_H
#define WEIR_ALGORITHMS_BFS_BFS_RULES_H

#include "algorithms/algorithms.h"
#include "algorithms/bfs/bfs_rules_op.h"

/** Say that a vertex breaks a rule, or @p arc of it. @param[in] arc  UINT64_MAX: the rule is about no arc, or it is not known which.
 *  @retval WEIR_ERR_VERIFY  always. */
weir_status weir__bfs_breaks(const weir_graph *graph, const bfs_found *found, uint64_t vertex,
                             uint64_t arc, uint32_t rule);

#endif
