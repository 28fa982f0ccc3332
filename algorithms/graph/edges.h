/** @file edges.h  Arcs by their index: out of a list, or made where they are wanted. Written once for host devices and GPUs. Not
 * installed.
 *
 * Arc i of a generated graph is a function of (seed, i) alone, so that any thread of any device makes the same, in any order. */
#ifndef WEIR_ALGORITHMS_GRAPH_EDGES_H
#define WEIR_ALGORITHMS_GRAPH_EDGES_H

#include "algorithms/graph/random.h"

/** Where arcs come from. */
enum weir__edges_kind {
    WEIR__EDGES_LIST = 0,
    WEIR__EDGES_RMAT,   /* with the parameters of Graph500 */
    WEIR__EDGES_UNIFORM /* each between any two of 2^scale vertices, all alike (Erdos and Renyi) */
};

/** Arcs before they are cleaned; a plain value whose pointers are memory of who reads it. */
typedef struct weir__edges {
    uint32_t kind; /* enum weir__edges_kind */
    uint32_t scale;
    uint64_t seed;
    struct weir__relabeling label;     /* of R-MAT: ids say nothing about degrees */
    const uint32_t *sources, *targets; /* of a list */
    const uint32_t *weights;           /* the same; NULL: there are none */
} weir__edges;

/* A, A+B and A+B+C as fractions of 2^32; what is left is D. */
#define WEIR__RMAT_UP_LEFT  2448131358u /* .57 */
#define WEIR__RMAT_UP       3264175144u /* .76 */
#define WEIR__RMAT_NOT_LAST 4080218931u /* .95 */

/* Each level of the recursion takes 32 random bits. */
WEIR_BOTH void weir__edge_rmat(const weir__edges *edges, uint64_t i, uint32_t *source,
                               uint32_t *target)
{
    uint64_t stream = weir__random(edges->seed, i), bits = 0;
    uint32_t row = 0, column = 0;
    for (uint32_t level = 0; level < edges->scale; level++) {
        bits = level % 2 ? bits >> 32 : weir__mix(stream += WEIR__GOLDEN);
        const uint32_t toss = (uint32_t)bits, down = toss >= WEIR__RMAT_UP;
        row = row << 1 | down;
        column =
            column << 1 | ((toss >= WEIR__RMAT_UP_LEFT) ^ down) | (toss >= WEIR__RMAT_NOT_LAST);
    }
    *source = weir__relabel(&edges->label, row);
    *target = weir__relabel(&edges->label, column);
}

/* The ends are the highest bits of either half of 64 random ones. */
WEIR_BOTH void weir__edge_uniform(const weir__edges *edges, uint64_t i, uint32_t *source,
                                  uint32_t *target)
{
    const uint64_t bits = weir__random(edges->seed, i);
    *source = (uint32_t)(bits >> 32 >> (32 - edges->scale));
    *target = (uint32_t)((bits & UINT32_MAX) >> (32 - edges->scale));
}

/** The ends of arc @p i. */
WEIR_BOTH void weir__edge(const weir__edges *edges, uint64_t i, uint32_t *source, uint32_t *target)
{
    if (edges->kind == WEIR__EDGES_RMAT) {
        weir__edge_rmat(edges, i, source, target);
    } else if (edges->kind == WEIR__EDGES_UNIFORM) {
        weir__edge_uniform(edges, i, source, target);
    } else {
        *source = edges->sources[i];
        *target = edges->targets[i];
    }
}

#endif
