/** @file steal_host.h  Lists that are shared out (steal_step.h), on the host's side: what is refused, the arrays, what an arc takes on
 * whose behalf, and what a run did. Not installed. */
#ifndef WEIR_ALGORITHMS_COMMON_STEAL_HOST_H
#define WEIR_ALGORITHMS_COMMON_STEAL_HOST_H

#include "algorithms/common/row_steps.h"
#include "algorithms/common/steal_step.h"

/** Rows of a program's table of arrays: struct @p args has a `struct steal_args steal`. @param chunk_count, pair_count  of
 *  weir_steps_array.count: STEAL_CHUNKS and STEAL_DEVICES squared, or 0 where nothing is shared out. */
#define STEAL_ARRAYS(args, chunk_count, pair_count)                                   \
    {.name = "chunks",                                                                \
     .extent = WEIR_STEPS_COUNTED,                                                    \
     .count = (chunk_count),                                                          \
     .bytes = 8,                                                                      \
     .field = offsetof(struct args, steal.chunks)},                                   \
        {.name = "cost",                                                              \
         .extent = WEIR_STEPS_COUNTED,                                                \
         .count = (pair_count),                                                       \
         .bytes = sizeof(struct steal_cost),                                          \
         .field = offsetof(struct args, steal.cost)},                                 \
    {                                                                                 \
        .name = "cuts", .extent = WEIR_STEPS_COUNTED, .count = (pair_count),          \
        .bytes = sizeof(struct steal_cut), .field = offsetof(struct args, steal.cuts) \
    }

/** Where the results of a run are that weir__steal_report() reads, and what its entries take. */
struct weir__steal_results {
    uint32_t looked;  /**< arcs that a device looked along in steps of that kind */
    uint32_t without; /**< of which these do not count; WEIR_STEPS_RESULTS: all count */
    uint32_t owner;   /**< the first of STEAL_DEVICES: for which other device */
    uint32_t entries; /**< read of other devices' lists */
    uint32_t steps;   /**< COUNT and CUT */
    uint32_t most_owned, most_done;
    uint32_t
        copied; /**< of arcs for others, read from copies; WEIR_STEPS_RESULTS: there are none */
    uint32_t arc_bytes, entry_bytes;
};

/** Refuse balance where it would have no effect, or is not built. @retval WEIR_ERR_UNSUPPORTED */
weir_status weir__steal_fits(const weir_partition *partition, const weir_run_options *options);
/** Say that balance does not go with something: "balance frontier WHY: leave it out". @return WEIR_ERR_UNSUPPORTED */
weir_status weir__steal_refuse(weir_balance balance, const char *why);
/** Tell the devices of each other's cuts, thresholds, and what an arc takes.
 *  @param[in] field      where the `struct steal_args` of a kernel's arguments is.
 *  @param[in] arc_bytes  that come over a link for an arc of another device.  @retval WEIR_ERR_NOMEM, WEIR_ERR_DEVICE */
weir_status weir__steal_bind(const struct weir__row_steps *on, size_t field, double arc_bytes);
/** As weir_bfs_stolen(), of the last run. */
weir_status weir__steal_stolen(const struct weir__row_steps *on, weir_balance balance,
                               const struct weir__steal_results *results, uint32_t owner,
                               uint32_t worker, uint64_t *arcs_out);
/** What a run did, into its statistics. */
void weir__steal_report(const struct weir__row_steps *on, const struct weir__steal_results *results,
                        weir_run_stats *stats);

#endif
