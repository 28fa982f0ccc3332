/** @file generate.h  The generators behind weir__generate(). Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_GENERATE_H
#define WEIR_ALGORITHMS_GRAPH_GENERATE_H

#include "algorithms/algorithms.h"

/** Read a whole number of @p low to @p high, as generators and random weights have them. @p at moves behind it.
 *  @return 0: there is none. */
int weir__take_parameter(const char **at, uint64_t low, uint64_t high, uint64_t *value_out);

/** 2^scale vertices, edge_factor * 2^scale arcs before cleaning. */
weir_status weir__generate_rmat(uint32_t scale, uint64_t edge_factor, uint64_t seed,
                                const weir_graph_options *options, weir_graph **graph_out);
/** 2^scale vertices, edge_factor * 2^scale arcs before cleaning, each between any two. */
weir_status weir__generate_uniform(uint32_t scale, uint64_t edge_factor, uint64_t seed,
                                   const weir_graph_options *options, weir_graph **graph_out);
/** width * height vertices, each joined to the one on the right, the one below, and the one below that on the right.
 *  @param[in] shuffle  vertices are numbered by a permutation of @p seed; else along rows. */
weir_status weir__generate_mesh(uint64_t width, uint64_t height, int shuffle, uint64_t seed,
                                const weir_graph_options *options, weir_graph **graph_out);
/** width * height vertices; each edge to the right and below stays with probability @p keep. */
weir_status weir__generate_grid(uint64_t width, uint64_t height, double keep, uint64_t seed,
                                const weir_graph_options *options, weir_graph **graph_out);

#endif
