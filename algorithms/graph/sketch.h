/** @file sketch.h  A graph of which only sizes are known, for plans. Not installed.
 *
 * It has no arrays. Whoever counts what a graph takes asks whether it is one, and then takes parts to be equal, and arcs to
 * lead anywhere, as those of an R-MAT graph do: rows are numbered by degree. */
#ifndef WEIR_ALGORITHMS_GRAPH_SKETCH_H
#define WEIR_ALGORITHMS_GRAPH_SKETCH_H

#include "algorithms/algorithms.h"

/** @param[in] undirected  each arc stands beside its reverse. */
weir_graph weir__graph_sketch(uint64_t vertices, uint64_t arcs, int undirected,
                              weir_weight_kind weights);

/** Whether a graph is one. */
int weir__graph_is_sketch(const weir_graph *graph);

/** A partition of one into equal parts; `owner` is NULL. */
static inline weir_partition weir__partition_sketch(const weir_graph *graph, uint32_t parts)
{
    return (weir_partition){.kind = WEIR_PARTITION_EDGE,
                            .parts = parts,
                            .vertices = graph->vertices,
                            .vertex_balance = 1,
                            .arc_balance = 1};
}

/** The same in two dimensions. */
static inline weir_partition weir__partition_sketch_2d(const weir_graph *graph, uint32_t rows,
                                                       uint32_t columns)
{
    weir_partition partition = weir__partition_sketch(graph, rows * columns);
    partition.kind = WEIR_PARTITION_2D;
    partition.rows = rows;
    partition.columns = columns;
    return partition;
}

#endif
