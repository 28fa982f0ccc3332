/** @file algorithm.h  What weir_bfs and its like have in common: what they are made from, the end of a run, and what is
 * asked of them afterwards. Which form of an algorithm runs is in forms.h. Not installed. */
#ifndef WEIR_ALGORITHMS_COMMON_ALGORITHM_H
#define WEIR_ALGORITHMS_COMMON_ALGORITHM_H

#include "algorithms/common/forms.h"
#include "algorithms/common/lone.h"
#include "algorithms/common/plan.h"
#include "algorithms/common/row_steps.h"
#include "algorithms/common/timing.h"

/** The first member of an algorithm's object. Forms that are neither of the two here stand beside it. */
struct weir__algorithm {
    weir_context *context;      /**< kept by what is placed in it */
    struct weir__row_steps *on; /**< the form in step; NULL: another form */
    weir_placement *placement;  /**< the form through the worklist; NULL: another form */
    weir_traversal *traversal;
    struct weir__lone *lone; /**< the worklist's form runs on one device for all; NULL: on all */
    uint64_t vertices, arcs;
    uint32_t parts;
    const char *why_devices;
    const char *why_partition; /**< NULL: it was given */
    const char *why_memory;    /**< NULL: arcs lie where they were asked for, or on the devices */
    char why_form[WEIR__WHY_ROOM]; /**< of weir__form_choose() */
    weir_prepare_stats prepared;
    uint64_t naps; /**< weir__host_naps() when the run began */
    int ran;       /**< the last run was complete */
    int stopped;   /**< the last run was not: its values are in part those of the run before */
};

/** What a create is called with. */
struct weir__making {
    weir_context *context;
    const weir_graph *graph;
    const weir_partition *partition; /**< NULL where none is given, until one is chosen */
    const weir_run_options
        *options;           /**< the caller's or NULL; `known` after weir__making_begin() */
    weir_run_options known; /**< the options as this library has them */
    struct weir__prepare begin;
    const struct weir__maker
        *maker; /**< makes the same again, to find out whether it fits; NULL: it is not asked */
    const struct weir__lone
        *lone; /**< of weir__algorithm_alone(): takes memory beside the graph; else NULL */
    int cells; /**< it takes partitions in two dimensions too */
};

/** Note the time, read the options.
 *  @retval WEIR_ERR_INVALID, WEIR_ERR_UNSUPPORTED  weir__sized_in() of the options. */
weir_status weir__making_begin(struct weir__making *making);

/** Choose a partition if there is none, create the form, and keep how long all that took.
 *  @param[in,out] head  zero before; context, sizes and parts are set when @p create is called.
 *  @param[in] create    makes a form; head is the first member of its object, which the caller destroys on failure. */
weir_status weir__algorithm_create(struct weir__algorithm *head, struct weir__making *making,
                                   weir_shape shape,
                                   weir_status (*create)(struct weir__algorithm *head,
                                                         const struct weir__making *making));

/** Whether a graph that is placed for the worklist, a traversal of it and its runs find the memory that they need.
 *  @param[in] what  for the sentence: "shortest paths".  @retval WEIR_ERR_NOMEM  they do not. */
weir_status weir__algorithm_push_fits(const struct weir__making *making, weir_part_weights weights,
                                      const weir_operator *op, const weir_traversal_config *config,
                                      const char *what);

/** Have all vertices be the first device's in runs through the worklist (lone.h): sets head->lone.
 *  @param[out] whole_out  @p making, with all vertices on that device, to place the graph by; good while head is.
 *  @retval WEIR_ERR_UNSUPPORTED  not on these devices, or this partition.  @retval WEIR_ERR_NOMEM */
weir_status weir__algorithm_alone(struct weir__algorithm *head, const struct weir__making *making,
                                  struct weir__making *whole_out);

/** Place the graph for the worklist, its arcs where the options say. */
weir_status weir__algorithm_place(const struct weir__making *making, weir_part_weights weights,
                                  weir_placement **placement_out);

/** Begin a run. @return when, by the clock of the context. */
uint64_t weir__algorithm_begin(struct weir__algorithm *head);
/** End a complete run: what all statistics have beside what the form counted.
 *  @param[in] begin_ns    of weir__algorithm_begin().
 *  @param[out] stats_out  may be NULL; weir__sized_room() was asked before the run. */
void weir__algorithm_ran(struct weir__algorithm *head, uint64_t begin_ns, weir_run_stats *stats,
                         weir_run_stats *stats_out);

/** As weir_bfs_prepared() and its like. */
weir_status weir__algorithm_prepared(const struct weir__algorithm *head,
                                     weir_prepare_stats *stats_out);

/** End a plan, as weir_bfs_explain(): what all have beside what the form filled in.
 *  @param[in] form  that runs. */
weir_status weir__algorithm_explained(const struct weir__algorithm *head,
                                      const struct weir__form *form, weir_run_stats *picked,
                                      weir_run_reasons *reasons, weir_run_stats *picked_out,
                                      weir_run_reasons *reasons_out);

/** Take note that a run was not complete. @return @p status. */
weir_status weir__algorithm_failed(struct weir__algorithm *head, weir_status status);
/** Whether values may be handed out. Before the first run they may, if the algorithm says what they are then.
 *  @param[in] what  the values, for the sentence: "levels".  @retval WEIR_ERR_INVALID  the last run was not complete. */
weir_status weir__algorithm_complete(const struct weir__algorithm *head, const char *what);

/** As weir_bfs_values() and its like, of either form here.
 *  @param[in] what  the values, for the sentence: "levels".
 *  @param[in] kind  of a traversal's values.  @retval WEIR_ERR_INVALID  the last run was not complete. */
weir_status weir__algorithm_values(const struct weir__algorithm *head, const char *what,
                                   uint32_t device, weir_value_kind kind, weir_values *values_out);
/** As weir_bfs_link_items() and its like, of either form here. */
weir_status weir__algorithm_link_items(const struct weir__algorithm *head, uint32_t from,
                                       uint32_t to, uint64_t *items_out);
/** Cancel a run of either form here; nothing where there is none. */
void weir__algorithm_cancel(struct weir__algorithm *head);
/** Destroy what the worklist's form has. The form in step is its algorithm's to destroy. */
void weir__algorithm_destroy(struct weir__algorithm *head);

/** Make the partition that a NULL stands for: weir_partition_create_for() as many devices as weir_devices_advise() says.
 *  @param[in,out] partition_io  NULL on entry: what was made, on return.
 *  @param[out] made_out  what was made, for weir_partition_destroy(); NULL if there was one.
 *  @param[out] head      why_devices: of weir_devices_advise(); of a partition that was given, why not all devices take part.
 *                        why_partition. */
weir_status weir__partition_choose(weir_context *context, const weir_graph *graph,
                                   const weir_partition **partition_io, weir_shape shape,
                                   weir_partition **made_out, struct weir__algorithm *head);

#endif
