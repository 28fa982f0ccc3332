/** @file pr.h  The two forms of PageRank as pr.c sees them. Not installed. */
#ifndef WEIR_ALGORITHMS_PR_PR_H
#define WEIR_ALGORITHMS_PR_PR_H

#include "algorithms/algorithms.h"
#include "algorithms/common/row_steps.h"
#include "algorithms/pr/pr_pull_args.h"

/** What both begin with. */
struct weir__pr_task {
    weir_context *context;
    const weir_graph *graph;         /* until the end of _create */
    const weir_partition *partition; /* the same */
    weir_run_options options;
    weir_pr_config config;
    uint64_t vertices; /* 1 or more */
    uint64_t dangling; /* vertices without out-arcs */
};

/* ---- pull ------------------------------------------------------------------------------------ */

/** The lists of a part in host memory. */
struct weir__pr_lists {
    struct pr_chunk *chunk;
    struct pr_piece *piece;
    struct pr_long *row;
    uint8_t *end;
    uint64_t chunks, pieces, longs;
};

/** Deal out @p rows rows.
 *  @param[in] offsets  rows + 1: arcs of row r are offsets[r] to offsets[r + 1] - 1.
 *  @retval WEIR_ERR_UNSUPPORTED  2^32 chunks or pieces.  @retval WEIR_ERR_NOMEM */
weir_status weir__pr_lists(const uint64_t *offsets, uint64_t rows,
                           struct weir__pr_lists *lists_out);
void weir__pr_lists_free(struct weir__pr_lists *lists);

/** For each number the devices that have arcs from its vertex and are not its own, as pr_lists.readers.
 *  @param[out] readers_out  `numbers` of the rows; to be freed. */
weir_status weir__pr_readers(const struct weir__pr_task *task, const weir_rows *rows,
                             uint8_t **readers_out);

/** Where floats suffice, where a run goes over to doubles, and where it ends. @param[in] fine  doubles are wanted in
 *  any case. */
void weir__pr_bounds(const weir_pr_config *config, int fine, struct pr_bounds *bounds_out);

/** One thread at a time; a cancel from any. Items sent and cancelling are those of `on`. */
struct weir__pr_pull {
    struct weir__row_steps on; /* first */
    weir_pr_config config;
    int fine; /* runs go on with doubles */
};
weir_status weir__pr_pull_create(const struct weir__pr_task *task, struct weir__pr_pull **pull_out);
weir_status weir__pr_pull_run(struct weir__pr_pull *pull, weir_run_stats *stats_out);
/** From now on runs go on with doubles. @retval WEIR_ERR_NOMEM  all is as before, and this may be tried again. */
weir_status weir__pr_pull_refine(struct weir__pr_pull *pull);
/** As weir_pr_ranks() and weir_pr_values(), after a complete run. */
weir_status weir__pr_pull_ranks(const struct weir__pr_pull *pull, double *ranks_out);
weir_status weir__pr_pull_values(const struct weir__pr_pull *pull, uint32_t device,
                                 weir_values *values_out);
void weir__pr_pull_destroy(struct weir__pr_pull *pull);

/* ---- for comparison -------------------------------------------------------------------------- */

/** What the reference and the check of ranks take. @param[in] config  NULL for defaults. @param[in,out] config_out  the defaults
 *  on entry.
 *  @retval WEIR_ERR_INVALID  and a sentence that begins with @p who. */
weir_status weir__pr_reference_config(const char *who, const weir_pr_config *config,
                                      weir_pr_config *config_out);

/* ---- push ------------------------------------------------------------------------------------ */

struct weir__pr_push;
weir_status weir__pr_push_create(const struct weir__pr_task *task, struct weir__pr_push **push_out);
weir_status weir__pr_push_run(struct weir__pr_push *push, weir_run_stats *stats_out);
weir_status weir__pr_push_ranks(struct weir__pr_push *push, double *ranks_out);
/** As weir_pr_values(), after a complete run. */
weir_status weir__pr_push_values(struct weir__pr_push *push, uint32_t device,
                                 weir_values *values_out);
weir_status weir__pr_push_link_items(const struct weir__pr_push *push, uint32_t from, uint32_t to,
                                     uint64_t *items_out);
void weir__pr_push_cancel(struct weir__pr_push *push);
void weir__pr_push_destroy(struct weir__pr_push *push);

#endif
