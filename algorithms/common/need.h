/** @file need.h  What graphs, partitions and placed graphs need of host memory (runtime/room.h). Not installed.
 *
 * Each function stands in the file of what it speaks for, takes and gives back in the same order, and counts
 * the memory of host devices. What is taken but not written to does not count: room for items that no arc
 * can make. */
#ifndef WEIR_ALGORITHMS_COMMON_NEED_H
#define WEIR_ALGORITHMS_COMMON_NEED_H

#include "algorithms/algorithms.h"
#include "algorithms/common/values_op.h"
#include "algorithms/rows.h"
#include "runtime/room.h"

/** How much of a graph lies on which device. */
struct weir__sizes {
    weir_context *context;
    uint64_t vertices, arcs;
    uint64_t touched; /* vertices that arcs can lead to, and one more to begin with, at most */
    uint32_t parts;
    uint64_t owned[256],
        arcs_of[256];         /* by part; an owner is a byte, and wrong ones are refused later */
    int transposed;           /* parts have in-arcs that are not their out-arcs */
    uint64_t in_arcs_of[256]; /* by part, of those */
    uint64_t numbers;         /* of rows: with gaps between parts */
    uint32_t grid_rows, grid_columns; /* arcs_of are those of cells (cell.h); 0: of rows */
};
/** @retval WEIR_ERR_INVALID  as weir__partition_fits(). @par Blocks  yes; works on all cores, and takes no memory. */
weir_status weir__sizes_of(weir_context *context, const weir_graph *graph,
                           const weir_partition *partition, struct weir__sizes *sizes_out);

/** Count in-arcs too: of weir_placement_create_with_in_arcs() of a graph that is not symmetric.
 *  @par Blocks  yes; works on all cores, and takes no memory. */
weir_status weir__sizes_transpose(const weir_graph *graph, const weir_partition *partition,
                                  struct weir__sizes *sizes);

/** Count the arcs of each part's cell in place of those of its vertices: of a partition in two dimensions.
 *  @par Blocks  yes; works on all cores, and brings arcs to the host. */
weir_status weir__sizes_cells(const weir_graph *graph, const weir_partition *partition,
                              struct weir__sizes *sizes);

/** weir_placement_create(), with a partition. @param[in] memory  of arcs; never AUTO. */
void weir__placement_need(const struct weir__sizes *sizes, weir_part_weights weights,
                          weir_memory memory, struct weir__need *need);
/** The maps of weir_bfs_values() and its like, and what making them takes: part of what placements and rows need.
 *  @param[in] table  the vertices by number are on the host already, as of rows. */
void weir__numbering_need(const struct weir__sizes *sizes, int table, struct weir__need *need);
/** weir_traversal_create(), and a run. */
void weir__traversal_need(const struct weir__sizes *sizes, const weir_operator *op,
                          const weir_run_options *options, const weir_traversal_config *config,
                          struct weir__need *need);
/** Vertices of a part's halo, at most. */
uint64_t weir__halo_most(const struct weir__sizes *sizes, uint32_t part);
/** The same of arcs that lead anywhere, each vertex being as likely as any other: what a sketch has (graph/sketch.h). */
uint64_t weir__halo_usual(const struct weir__sizes *sizes, uint32_t part);
/** weir__gather_count() of a placement, and of rows. */
weir_status weir__placement_count_results(const weir_placement *placement, size_t value_bytes);
weir_status weir__rows_count_results(const weir_rows *rows, size_t value_bytes,
                                     enum values_form form);
/** weir_rows_create(), with a partition, but for what the program reserves. Of the sizes `transposed` says whether there
 *  are in-arcs that are not the out-arcs; they are not counted by part here. @param[in] memory  of arcs; never AUTO. */
void weir__rows_need(const struct weir__sizes *sizes, const weir_rows_config *config,
                     weir_memory memory, struct weir__need *need);
/** Of that, what cells take in place of the parts' rows; they are made one after the other. */
void weir__rows_cells_need(const struct weir__sizes *sizes, struct weir__need *need);

#endif
