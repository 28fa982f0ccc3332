/** @file bfs_in_2d.h  Breadth-first search in two dimensions: the host's object behind weir_bfs. Not installed. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_IN_2D_H
#define WEIR_ALGORITHMS_BFS_BFS_IN_2D_H

#include "algorithms/common/row_steps.h"

struct bfs_2d_level;

/** One thread at a time; a cancel from any. Values, items sent and cancelling are those of `on`. */
struct bfs_in_2d {
    struct weir__row_steps on; /* first */
    uint32_t rows, columns;    /* of the grid */
    weir_wire wire;
    int parents;
    uint64_t levels; /* of the last run; 0: there was none */
    struct bfs_2d_level *
        log; /* host memory: of each device the levels that are known, one behind the other; NULL: not brought yet */
};

/** @param[in] options    direction is WEIR_DIRECTION_DOWN; beside it parents, wire and time_limit_ms count.
 *  @param[in] partition  of kind WEIR_PARTITION_2D. */
weir_status weir__bfs_in_2d_create(weir_context *context, const weir_graph *graph,
                                   const weir_partition *partition, const weir_run_options *options,
                                   struct bfs_in_2d **in_2d_out);
/** As weir_bfs_run(), but for the statistics that weir__algorithm_ran() sets. @param[out] stats_out  not NULL. */
weir_status weir__bfs_in_2d_run(struct bfs_in_2d *in_2d, uint64_t source,
                                weir_run_stats *stats_out);
/** As weir_bfs_levels(), weir_bfs_parents(). */
weir_status weir__bfs_in_2d_levels(const struct bfs_in_2d *in_2d, int32_t *levels_out);
weir_status weir__bfs_in_2d_parents(const struct bfs_in_2d *in_2d, int64_t *parents_out);
/** As weir_bfs_levels_known() and its like (bfs_2d_levels.c). */
uint64_t weir__bfs_in_2d_known(const struct bfs_in_2d *in_2d);
weir_status weir__bfs_in_2d_level(struct bfs_in_2d *in_2d, uint64_t level,
                                  weir_run_level *level_out);
weir_status weir__bfs_in_2d_pair(struct bfs_in_2d *in_2d, uint64_t level, uint32_t from,
                                 uint32_t to, weir_run_pair *pair_out);
void weir__bfs_in_2d_destroy(struct bfs_in_2d *in_2d);

#endif
