/** @file generate.h  The generators behind weir__generate(). Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_GENERATE_H
#define WEIR_ALGORITHMS_GRAPH_GENERATE_H

#include "algorithms/algorithms.h"

/** 2^scale vertices, edge_factor * 2^scale arcs before cleaning. */
weir_status weir__generate_rmat(uint32_t scale, uint64_t edge_factor, uint64_t seed,
                                const weir_graph_options *options, weir_graph **graph_out);
/** width * height vertices; each edge to the right and below stays with probability @p keep. */
weir_status weir__generate_grid(uint64_t width, uint64_t height, double keep, uint64_t seed,
                                const weir_graph_options *options, weir_graph **graph_out);

#endif
