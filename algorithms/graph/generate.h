/** @file generate.h  The generators behind weir__generate(). Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_GENERATE_H
#define WEIR_ALGORITHMS_GRAPH_GENERATE_H

#include "algorithms/algorithms.h"

/** Read a whole number of @p low to @p high, as generators and random weights have them. @p at moves behind it.
 *  @return 0: there is none. */
int weir__take_parameter(const char **at, uint64_t low, uint64_t high, uint64_t *value_out);

/** 2^scale vertices, edge_factor * 2^scale arcs before cleaning.
 *  @param[in] unshuffled  vertices have the numbers of their places in the matrix: the smaller, the more arcs. */
weir_status weir__generate_rmat(uint32_t scale, uint64_t edge_factor, uint64_t seed, int unshuffled,
                                const weir_graph_options *options, weir_graph **graph_out);
/** 2^scale vertices, edge_factor * 2^scale arcs before cleaning, each between any two. */
weir_status weir__generate_uniform(uint32_t scale, uint64_t edge_factor, uint64_t seed,
                                   const weir_graph_options *options, weir_graph **graph_out);
/** Arcs @p first to @p first + @p count - 1 of the list that either is made of, on all cores. @param[in] kind  an enum weir__edges_kind. */
weir_status weir__generate_arcs(uint32_t kind, uint32_t scale, uint64_t seed, int unshuffled,
                                uint64_t first, uint64_t count, uint32_t *sources_out,
                                uint32_t *targets_out);
/** width * height vertices, each joined to the one on the right, the one below, and the one below that on the right.
 *  @param[in] shuffle  vertices are numbered by a permutation of @p seed; else along rows. */
weir_status weir__generate_mesh(uint64_t width, uint64_t height, int shuffle, uint64_t seed,
                                const weir_graph_options *options, weir_graph **graph_out);
/** width * height vertices; each edge to the right and below stays with probability @p keep. */
weir_status weir__generate_grid(uint64_t width, uint64_t height, double keep, uint64_t seed,
                                const weir_graph_options *options, weir_graph **graph_out);
/** Vertices in a line, each joined to the next, both directions. */
weir_status weir__generate_chain(uint64_t vertices, const weir_graph_options *options,
                                 weir_graph **graph_out);
/** Vertex 0 joined to all others, both directions. */
weir_status weir__generate_star(uint64_t vertices, const weir_graph_options *options,
                                weir_graph **graph_out);
/** Every vertex joined to every other. */
weir_status weir__generate_complete(uint64_t vertices, const weir_graph_options *options,
                                    weir_graph **graph_out);
/** Vertex v above 0 joined to number (v - 1) / arity, both directions. @param[in] arity  at least 1. */
weir_status weir__generate_tree(uint64_t vertices, uint64_t arity,
                                const weir_graph_options *options, weir_graph **graph_out);
/** A ring in which each vertex is joined to the @p degree / 2 next ones, and of each of these edges the far end is drawn anew with
 *  probability @p rewired; both directions (Watts and Strogatz, Nature 393, 1998). @param[in] degree  even. */
weir_status weir__generate_smallworld(uint64_t vertices, uint64_t degree, double rewired,
                                      uint64_t seed, const weir_graph_options *options,
                                      weir_graph **graph_out);

/** A graph of which each row is known by itself, and which has the reverse of every arc. Its rows are written by several threads. */
struct weir__regular {
    const char *what; /* as in "a mesh of 12 vertices" */
    uint64_t vertices;
    uint64_t arcs; /* that have to fit into memory: all, or about as many */
    int shuffle;   /* vertices are numbered by a permutation of the seed, else by their places */
    uint64_t seed;
    /* Arcs of the vertex at a place; and write them, ascending by number. @p label: the number of each place, NULL if it is the same. */
    uint64_t (*length)(const void *user, uint64_t place);
    void (*write)(const void *user, const uint32_t *label, uint64_t place, uint32_t *out);
    const void *user;
};
weir_status weir__generate_regular(const struct weir__regular *of,
                                   const weir_graph_options *options, weir_graph **graph_out);

#endif
