/** @file rows.h  Graphs that a file has row by row: what binary formats hold. Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_ROWS_H
#define WEIR_ALGORITHMS_GRAPH_ROWS_H

#include "algorithms/algorithms.h"
#include "algorithms/graph/read.h"

/** A graph as a file has it: rows in any order, with duplicates and loops. Zero is none. */
typedef struct weir__rows {
    uint64_t vertices, arcs;
    uint64_t *offsets; /* vertices + 1 values, from 0 to arcs */
    uint32_t *targets; /* arcs values; anything until weir__rows_build() */
    uint32_t *weights; /* arcs values, or NULL */
    int negative;      /* weights are int32_t, and some are below 0 */
} weir__rows;

/** Take memory for the arrays. What the file promises was held against its size.
 *  @param[in] weighted  whether there are weights. @retval WEIR_ERR_NOMEM */
weir_status weir__rows_reserve(weir__rows *rows, int weighted);
void weir__rows_free(weir__rows *rows);

/** weir__reader_hold() of a file that says what rows it has, after a look at whether it and they fit into memory: a header
 *  of a few bytes may promise anything, and packed zeros cost as little. Where the size is known there is nothing to hold.
 *  @param[in] rows  vertices and arcs are set. @param[in] least  bytes of a file that keeps the promise.
 *  @param[in] most  bytes that are held, and one more. @retval WEIR_ERR_NOMEM, WEIR_ERR_IO */
weir_status weir__rows_hold(weir__reader *reader, const weir__rows *rows, uint64_t least,
                            uint64_t most);

/** Take bytes that the file has to have. @retval WEIR_ERR_FORMAT  it ends before. */
weir_status weir__rows_take(weir__reader *reader, void *data, uint64_t bytes);
/** Check offsets that were read, rows of all vertices and no more arcs than promised.
 *  @retval WEIR_ERR_FORMAT  a row ends before it begins, or the last one not behind the last arc. */
weir_status weir__rows_check(const weir__reader *reader, const weir__rows *rows);
/** An arc leads to a vertex that is none. @return WEIR_ERR_FORMAT */
weir_status weir__rows_refuse(const weir__reader *reader, const weir__rows *rows, uint64_t arc,
                              uint64_t target);

/** Whether all rows ascend, without loops and second copies. Offsets are right.
 *  @param[out] stray_out  the first arc that leads to no vertex; UINT64_MAX: none does. @par Blocks  yes; works on all cores.
 *  @retval WEIR_ERR_CANCELLED, WEIR_ERR_TIMEOUT  the call that is observed is to end (runtime/observe.h). */
weir_status weir__rows_tidy(const weir__rows *rows, uint32_t threads, int *tidy_out,
                            uint64_t *stray_out);
/** Make the graph. Rows that ascend already, which is how graphs are stored as a rule, stay where they are; others
 *  are sorted and cleaned. Takes the arrays over, also on failure. The graph has no name yet.
 *  @retval WEIR_ERR_FORMAT  an arc leads to a vertex that is none. */
weir_status weir__rows_build(const weir__reader *reader, weir__rows *rows,
                             const weir_graph_options *options, weir_graph **graph_out);

/** Numbers of the vertices that arcs come from, arc by arc, into memory for as many. */
weir_status weir__rows_sources(const uint64_t *offsets, uint64_t vertices, uint32_t threads,
                               uint32_t *sources_out);

#endif
