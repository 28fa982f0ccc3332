/** @file sssp_in_step.h  Shortest paths in step: the host's object behind weir_sssp. Not installed. */
#ifndef WEIR_ALGORITHMS_SSSP_SSSP_IN_STEP_H
#define WEIR_ALGORITHMS_SSSP_SSSP_IN_STEP_H

#include "algorithms/common/row_steps.h"

/** A graph placed by rows, and runs over it. Values and cancelling are those of `on`. */
struct sssp_in_step {
    struct weir__row_steps on; /* first */
    uint32_t delta;
    int parents; /* a tree is kept */
    weir_balance balance;
    uint32_t previous; /* the source of the run before, a number; SSSP_STEP_NONE */
    uint32_t zero; /* sssp_step_args.zero of the next run; 0: marks are to be cleared before it */
    int large;     /* a run has met distances that marks have no room for; then zero is always 0 */
    uint64_t pieces[WEIR_DEVICES_MAX]; /* of a step at most */
};

/** Whether @p parts devices can: they have atomics on each other's memory.
 *  @retval WEIR_ERR_UNSUPPORTED  with a sentence why not. */
weir_status weir__sssp_in_step_possible(const weir_context *context, uint32_t parts);
/** @param[in] graph    its weights are WEIR_WEIGHT_U32.
 *  @param[in] options  parents, balance and time_limit_ms alone count.
 *  @param[in] delta    width of a bucket, at least 1.  @retval WEIR_ERR_NOMEM, WEIR_ERR_UNSUPPORTED */
weir_status weir__sssp_in_step_create(weir_context *context, const weir_graph *graph,
                                      const weir_partition *partition,
                                      const weir_run_options *options, uint32_t delta,
                                      struct sssp_in_step **in_step_out);
/** What statistics of runs say was picked, beside weir__row_steps_picked(). */
void weir__sssp_in_step_picked(const struct sssp_in_step *in_step, weir_run_stats *stats);
/** @param[out] far_out  whether a distance did not fit; then the results are of no use. */
weir_status weir__sssp_in_step_run(struct sssp_in_step *in_step, uint64_t source,
                                   weir_run_stats *stats_out, int *far_out);
/** Distances of the last run by vertex, infinite where there are none. @par Blocks  yes. */
weir_status weir__sssp_in_step_distances(const struct sssp_in_step *in_step, double *distances_out);
/** The tree of the last run by vertex, as weir_sssp_parents(). @par Blocks  yes. */
weir_status weir__sssp_in_step_parents(const struct sssp_in_step *in_step, int64_t *parents_out);
/** Values that the last run sent from one device to another. @retval WEIR_ERR_INVALID  no such devices. */
weir_status weir__sssp_in_step_link_items(const struct sssp_in_step *in_step, uint32_t from,
                                          uint32_t to, uint64_t *items_out);
/** As weir_sssp_stolen(). */
weir_status weir__sssp_in_step_stolen(const struct sssp_in_step *in_step, uint32_t owner,
                                      uint32_t worker, uint64_t *arcs_out);
/** Items of the last run that did not fit into an inbox. */
uint64_t weir__sssp_in_step_spilled(const struct sssp_in_step *in_step);
/** NULL is fine. */
void weir__sssp_in_step_destroy(struct sssp_in_step *in_step);

/** The graph that rows were made of, and how it was cut: what the worklist's form is placed from if distances
 *  turn out not to fit. Takes 16 bytes an arc of host memory on the way.
 *  @param[out] graph_out      for weir_graph_destroy().
 *  @param[out] partition_out  parts, vertices and owner alone are set; its owner for free(). */
weir_status weir__sssp_back(const weir_rows *rows, weir_graph **graph_out,
                            weir_partition *partition_out);

#endif
