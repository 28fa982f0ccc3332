/** @file bfs_step_run.h  Breadth-first search in step: the host's object behind weir_bfs. Not installed. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_RUN_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_RUN_H

#include "algorithms/algorithms.h"

struct bfs_run;

/** @param[in] options  direction is WEIR_DIRECTION_PULL or WEIR_DIRECTION_SWITCH; beside it parents and
 *                      time_limit_ms count.  @param[in] partition  not NULL. */
weir_status weir__bfs_run_create(weir_context *context, const weir_graph *graph,
                                 const weir_partition *partition, const weir_run_options *options,
                                 struct bfs_run **run_out);
/** As weir_bfs_run(); devices' fields of the stats aside. */
weir_status weir__bfs_run(struct bfs_run *run, uint64_t source, weir_run_stats *stats_out);
/** As weir_bfs_levels(), weir_bfs_parents(), weir_bfs_link_items(). */
weir_status weir__bfs_run_levels(const struct bfs_run *run, int32_t *levels_out);
/** As weir_bfs_values(), after a complete run. */
weir_status weir__bfs_run_values(const struct bfs_run *run, uint32_t device,
                                 weir_values *values_out);
weir_status weir__bfs_run_parents(const struct bfs_run *run, int64_t *parents_out);
weir_status weir__bfs_run_link_items(const struct bfs_run *run, uint32_t from, uint32_t to,
                                     uint64_t *items_out);
void weir__bfs_run_cancel(struct bfs_run *run);
void weir__bfs_run_destroy(struct bfs_run *run);

#endif
