/** @file partition.h  Pieces behind weir_partition_create(). Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_PARTITION_H
#define WEIR_ALGORITHMS_GRAPH_PARTITION_H

#include "algorithms/algorithms.h"
#include "runtime/room.h"

#include <stdio.h>

/** Let METIS, in a child process, choose an owner for every vertex.
 *  @param[in] config  NULL for defaults and environment.
 *  @param[out] owner  graph->vertices values. */
weir_status weir__partition_metis(const weir_graph *graph, uint32_t parts, uint64_t seed,
                                  const weir_config *config, uint8_t *owner);

/** Refuse a graph that is too large for METIS's indices. */
weir_status weir__partition_metis_check(const weir_graph *graph);
/** What it needs, here and in the child, of a graph that is not. */
void weir__partition_metis_need(const weir_graph *graph, struct weir__need *need);

/** Read an owner for every vertex.
 *  @param[in] most  every number is below it.
 *  @param[out] owner      graph->vertices values.
 *  @param[out] parts_out  one more than the largest. */
weir_status weir__partition_file(const weir_graph *graph, const char *path, uint32_t most,
                                 uint8_t *owner, uint32_t *parts_out);

/** As weir_partition_read(), but with as many parts as are said: the last ones may be empty. */
weir_status weir__partition_read_into(const weir_graph *graph, const char *path, uint32_t parts,
                                      weir_partition **partition_out);

/** What is counted of the arcs between parts. */
struct weir__partition_cut {
    const uint8_t *owner; /* by vertex */
    const uint64_t
        *first; /* where parts are ranges: vertex of each, then their number; NULL: they are not */
    uint32_t parts;
    uint64_t *cut; /* by part: arcs that lead from it to others */
    uint64_t *
        seen; /* by vertex, a bit for each other part with an arc to it is added; NULL: not asked for */
};
/** Whether arcs lie on devices alone, which can count them there. */
int weir__partition_cut_possible(const weir_graph *graph);
/** Count on those devices, without bringing an arc to the host.
 *  @retval WEIR_ERR_NOMEM  one of them has no room for it, or the host.  @retval WEIR_ERR_DEVICE
 *  @retval WEIR_ERR_CANCELLED, WEIR_ERR_TIMEOUT  the call that is observed is to end.
 *  @par Blocks  yes, with a thread for each device. */
weir_status weir__partition_cut(const weir_graph *graph, const struct weir__partition_cut *what);

/** Fill in what is cut and how even the parts are. */
weir_status weir__partition_measure(const weir_graph *graph, weir_partition *partition);
/** Write the lines of weir_partition_write() to a stream. A write that fails is the stream's error.
 *  @retval WEIR_ERR_CANCELLED, WEIR_ERR_TIMEOUT  the call that is observed is to end. */
weir_status weir__partition_print(const weir_partition *partition, FILE *file);

/** Path of the METIS helper, to be freed. @retval WEIR_ERR_CHILD  there is none. */
weir_status weir__metis_helper(const weir_config *config, char **path_out);

/** As WEIR_PARTITION_EDGE, but part p gets shares[p] of all arcs, over the sum of the shares.
 *  @param[in] shares  @p parts numbers above 0. */
weir_status weir__partition_by_shares(const weir_graph *graph, const double *shares, uint32_t parts,
                                      weir_partition **partition_out);

/** What weir_partition_create() needs. */
void weir__partition_need(const weir_graph *graph, weir_partition_kind kind, uint32_t parts,
                          struct weir__need *need);
/** Refuse a partition in two dimensions; NULL is fine. @param[in] what  takes none: "shortest paths".
 *  @retval WEIR_ERR_UNSUPPORTED  it is one. */
weir_status weir__partition_1d(const weir_partition *partition, const char *what);
/** Refuse a partition of another graph, or into more parts than there are devices. */
weir_status weir__partition_fits(const weir_context *context, const weir_graph *graph,
                                 const weir_partition *partition);

#endif
