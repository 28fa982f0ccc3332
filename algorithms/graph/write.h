/** @file write.h  Formats that weir_graph_write() has in files of their own. Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_WRITE_H
#define WEIR_ALGORITHMS_GRAPH_WRITE_H

#include "algorithms/graph/pack.h"

/** Serialized graphs of the GAP Benchmark Suite: .sg and .wsg. Without weights each arc of the latter has 1. A failure is
 *  the file's. */
void weir__write_gap(weir__pack *pack, const weir_graph *graph);
void weir__write_gap_weighted(weir__pack *pack, const weir_graph *graph);

#endif
