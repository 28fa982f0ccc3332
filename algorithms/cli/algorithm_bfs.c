/** @file algorithm_bfs.c  What the command knows of breadth-first search. */
#include "algorithms/cli/algorithm.h"
#include "algorithms/reference.h"

#include <math.h>

ROW_FUNCTIONS(bfs, levels)
LINK_FUNCTION(bfs)
SEARCH_FUNCTIONS(bfs, int32_t)

static weir_status bfs_parents(void *object, int64_t *parents_out)
{
    return weir_bfs_parents(object, parents_out);
}

/* Only -1 is out of reach: another negative level is a wrong one, and --verify must see it. */
static double level_at(const void *values, uint64_t vertex)
{
    int32_t level = ((const int32_t *)values)[vertex];
    return level == -1 ? INFINITY : level;
}

static const weir__cli_column columns[] = {COLUMN_SOURCE,
                                           COLUMN_MS,
                                           COLUMN_KERNEL_MS,
                                           COLUMN_GTEPS,
                                           COLUMN_GTEPS_SEEN,
                                           COLUMN_GTEPS_EDGES,
                                           COLUMN_STEPS,
                                           COLUMN_REACHED,
                                           COLUMN_FIGURE_0("max level"),
                                           COLUMN_FIGURE_1("sum of levels"),
                                           COLUMN_ITEMS_PROCESSED,
                                           COLUMN_ITEMS_SENT,
                                           {.head = NULL}};

const weir__cli_algorithm weir__cli_algorithm_bfs = {ROW(bfs),
                                                     .value = "level",
                                                     .unreached = "-1",
                                                     .value_bytes = sizeof(int32_t),
                                                     .sourced = 1,
                                                     .worklist = 1,
                                                     .edges = 1,
                                                     .steps = "levels",
                                                     .figure = {"max_level", "sum_levels"},
                                                     .parents = bfs_parents,
                                                     .link_items = bfs_link_items,
                                                     .at = level_at,
                                                     .sum = weir__cli_sum_values,
                                                     .compare = weir__cli_compare_exactly};
