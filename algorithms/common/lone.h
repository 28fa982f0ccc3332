/** @file lone.h  A traversal through the worklist that one device does for all (balance ownership), and what it found given to the
 * devices that own the vertices. Not installed.
 *
 * Where levels are narrow several devices only pass items and wait for each other. So all vertices are the first device's while a run
 * lasts, which is that of one device; behind it each device copies the values of its own vertices from there, so that results lie where
 * the partition has them, as those of any run do. Ownership moves once each way: a run that gets wide is not shared out again. A search
 * in step, which can do that, has levels by one device of its own (algorithms/bfs/bfs_lone.h). */
#ifndef WEIR_ALGORITHMS_COMMON_LONE_H
#define WEIR_ALGORITHMS_COMMON_LONE_H

#include "algorithms/common/placement.h"

/** Whether balance auto is ownership: on several GPUs, where levels are narrow and a copy of the graph takes no more than a quarter of what
 *  a device has left.
 *  @param[in] vertex_bytes, arc_bytes  of the copy, and of what belongs to it.  @param[out] why_out  if so; else NULL.
 *  @par Blocks  yes: short searches on the host. */
int weir__lone_pays(weir_context *context, const weir_graph *graph, uint32_t parts,
                    double vertex_bytes, double arc_bytes, const char **why_out);
/** Whether options say how items go between devices, or are worked on: then auto is off, since they are to be seen at work. */
int weir__lone_asked(const weir_run_options *options);

/** Thread: one at a time. */
struct weir__lone {
    weir_placement *owners; /* numbers alone */
    weir_partition *all;    /* all vertices are the first device's */
    void *values[WEIR_DEVICES_MAX];
    weir_queue *queue[WEIR_DEVICES_MAX];
    size_t value_bytes; /* 0: there are no values yet */
};

/** @param[in] partition  who owns what behind a run.  @param[out] lone_out  with `all`, to place the graph by.
 *  @retval WEIR_ERR_UNSUPPORTED  a device does not reach the first one's memory.  @retval WEIR_ERR_NOMEM */
weir_status weir__lone_create(weir_context *context, const weir_graph *graph,
                              const weir_partition *partition, struct weir__lone **lone_out);
/** Add what it has beside the graph: numbers, maps, and values of @p value_bytes. */
void weir__lone_need(const struct weir__lone *lone, size_t value_bytes, struct weir__need *need);
/** Take memory for values of 4 or 8 bytes, in place of what was there. @retval WEIR_ERR_NOMEM */
weir_status weir__lone_take(struct weir__lone *lone, size_t value_bytes);
/** Give each device the values of its own vertices. @param[in] values  of the first device, by vertex.
 *  @param[in,out] stats  kernel_ms grows by what that took; balance and what belongs to it are set.
 *  @retval WEIR_ERR_DEVICE  @par Blocks  yes. */
weir_status weir__lone_give(struct weir__lone *lone, const void *values, weir_run_stats *stats);
/** As weir_bfs_values() and its like, of the last run. */
weir_status weir__lone_values(const struct weir__lone *lone, uint32_t device, weir_value_kind kind,
                              weir_values *values_out);
/** Items between two devices in a run, and arcs that one looked along for another: none. @retval WEIR_ERR_INVALID  no such devices. */
weir_status weir__lone_link_items(const struct weir__lone *lone, uint32_t from, uint32_t to,
                                  uint64_t *items_out);
/** NULL is fine. */
void weir__lone_destroy(struct weir__lone *lone);

#endif
