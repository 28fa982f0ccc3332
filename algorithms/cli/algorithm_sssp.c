/** @file algorithm_sssp.c  What the command knows of shortest paths. */
#include "algorithms/cli/algorithm.h"
#include "algorithms/reference.h"

ROW_FUNCTIONS(sssp, distances)
LINK_FUNCTION(sssp)
SEARCH_FUNCTIONS(sssp, double)

static const weir__cli_column columns[] = {COLUMN_SOURCE,
                                           COLUMN_MS,
                                           COLUMN_KERNEL_MS,
                                           COLUMN_GTEPS,
                                           COLUMN_GTEPS_SEEN,
                                           COLUMN_STEPS,
                                           COLUMN_REACHED,
                                           COLUMN_FIGURE_0("max distance"),
                                           COLUMN_FIGURE_1("sum of distances"),
                                           COLUMN_ITEMS_PROCESSED,
                                           COLUMN_ITEMS_SENT,
                                           {.head = NULL}};

const weir__cli_algorithm weir__cli_algorithm_sssp = {ROW(sssp),
                                                      .value = "distance",
                                                      .unreached = "inf",
                                                      .value_bytes = sizeof(double),
                                                      .weighted = 1,
                                                      .sourced = 1,
                                                      .worklist = 1,
                                                      .steps = "steps",
                                                      .figure = {"max_distance", "sum_distances"},
                                                      .link_items = sssp_link_items,
                                                      .at = weir__cli_double_at,
                                                      .sum = weir__cli_sum_values,
                                                      .compare = weir__cli_compare_exactly};
