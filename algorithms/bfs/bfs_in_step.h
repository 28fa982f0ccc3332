/** @file bfs_in_step.h  Breadth-first search in step: the host's object behind weir_bfs. Not installed. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_IN_STEP_H
#define WEIR_ALGORITHMS_BFS_BFS_IN_STEP_H

#include "algorithms/common/row_steps.h"
#include "algorithms/common/steal.h"

/** Rows of hubs that every device but their owner has a copy of (bfs_steal_hubs.c). */
struct bfs_hubs {
    uint64_t least;               /* a row of so many arcs is one */
    uint64_t rows;                /* of all devices; 0: there are no copies */
    uint64_t arcs[STEAL_DEVICES]; /* by device: of those that it has copies of */
};

/** One thread at a time; a cancel from any. Values, items sent and cancelling are those of `on`. */
struct bfs_in_step {
    struct weir__row_steps on; /* first */
    weir_direction direction;
    int parents;
    weir_balance balance;
    uint32_t lone; /* the device that does narrow levels alone; BFS_NONE: there is none */
    weir_wire
        wire; /* LIST: the kernel that sends while it looks; else the one that folds (bfs_fold.h) */
    uint64_t unfound; /* vertices that have in-arcs */
    uint64_t longest; /* arcs of the longest row */
    struct bfs_hubs hubs;
    uint32_t previous; /* the source of the run before, a number; BFS_NONE */
    /* Of the run before: vertices reached that have arcs, and their out-arcs. A run finds how many more there are. */
    uint64_t reached, arcs_reached;
};

/** @param[in] options  direction is WEIR_DIRECTION_PULL, _SWITCH or _DOWN; beside it parents, balance and
 *                      time_limit_ms count; balance is not AUTO.  @param[in] partition  not NULL. */
weir_status weir__bfs_in_step_create(weir_context *context, const weir_graph *graph,
                                     const weir_partition *partition,
                                     const weir_run_options *options,
                                     struct bfs_in_step **in_step_out);
/** As weir_bfs_run(), but for the statistics that weir__algorithm_ran() sets. @param[out] stats_out  not NULL. */
weir_status weir__bfs_in_step_run(struct bfs_in_step *in_step, uint64_t source,
                                  weir_run_stats *stats_out);
/** As weir_bfs_levels(), weir_bfs_parents(). */
weir_status weir__bfs_in_step_levels(const struct bfs_in_step *in_step, int32_t *levels_out);
weir_status weir__bfs_in_step_parents(const struct bfs_in_step *in_step, int64_t *parents_out);
/** As weir_bfs_stolen(). */
weir_status weir__bfs_in_step_stolen(const struct bfs_in_step *in_step, uint32_t owner,
                                     uint32_t worker, uint64_t *arcs_out);
void weir__bfs_in_step_destroy(struct bfs_in_step *in_step);

/** The bitmap before a run, in host memory, freed with free(); sets in_step->unfound and longest. Set bits stand for what a level
 *  bottom-up need not look at, and nobody finds: numbers without arcs. One that has out-arcs alone cannot be
 *  found either, but must not seem to be: others look along those arcs. @retval WEIR_ERR_NOMEM */
weir_status weir__bfs_in_step_base(struct bfs_in_step *in_step, const weir_graph *graph,
                                   uint32_t **base_out);

/* ---- levels that are shared out (bfs_steal.c); nothing happens with balance off ---- */

/** Refuse it where it would have no effect, or is not built. @retval WEIR_ERR_UNSUPPORTED */
weir_status weir__bfs_steal_fits(const weir_partition *partition, const weir_run_options *options);
/** Which device does narrow levels alone: with balance ownership and both the one that is left when all others have left
 *  (weir_reduction), else BFS_NONE. @retval WEIR_ERR_NOMEM */
weir_status weir__bfs_lone_of(weir_balance balance, weir_context *context, uint32_t parts,
                              uint32_t *lone_out);
/** Which rows are copied: by WEIR_STEAL_HUBS, raised until copies take a device no more than WEIR_STEAL_HUBS_PERCENT of the arcs that devices have
 *  on the mean. Of a sketch, which has no degrees, as much as that may be. Called with balance frontier or both. */
void weir__bfs_hubs_of(const weir_context *context, const weir_graph *graph,
                       const weir_partition *partition, struct bfs_hubs *hubs_out);
/** Count the copies, and what making them takes. */
void weir__bfs_hubs_need(const struct weir__sizes *sizes, const struct bfs_hubs *hubs,
                         struct weir__need *need);
/** Make the copies. @retval WEIR_ERR_NOMEM, WEIR_ERR_DEVICE */
weir_status weir__bfs_hubs_place(struct bfs_in_step *in_step);
/** Tell the devices of each other's arrays, thresholds, and what an arc takes. @retval WEIR_ERR_NOMEM, WEIR_ERR_DEVICE */
weir_status weir__bfs_steal_bind(struct bfs_in_step *in_step);
/** What a run did, into its statistics. */
void weir__bfs_steal_report(const struct bfs_in_step *in_step, weir_run_stats *stats);

#endif
