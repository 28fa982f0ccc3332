/** @file arcs.h  Passes over the arcs of a graph, and whether each has its reverse. Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_ARCS_H
#define WEIR_ALGORITHMS_GRAPH_ARCS_H

#include "algorithms/algorithms.h"

/** Arcs that a thread takes at a time, so that one thread has all of a graph with fewer. A sum over so many takes a third of a millisecond. With a
 *  quarter of it, two threads opened a `.sg` file of 110,000 arcs in the time of one (2.60 ms both, medians of 25 in turn on two cores). */
#define WEIR__ARC_CHUNK (UINT64_C(1) << 17)

/** Whether a graph has the reverse of every arc, of equal weight where @p weights is not NULL (one value an arc).
 *  Wrong once in some 2^120, or in 2^60 where weights alone differ. In a call that is to end (runtime/observe.h) it says no, and the caller finds out at its next look.
 *  @par Blocks  yes; works on all cores, and takes no memory. */
int weir__graph_symmetric(const weir_graph *graph, const uint32_t *weights);

/** The first of @p rows rows that begins at @p arc or behind it; @p rows if none does. */
static inline uint64_t weir__first_row_at(const uint64_t *offsets, uint64_t rows, uint64_t arc)
{
    uint64_t low = 0, high = rows;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (offsets[middle] < arc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/** The vertex with the most out-arcs, the first of several; 0 of none. @par Blocks  yes; works on all cores. */
uint64_t weir__graph_largest(const weir_graph *graph);

/** Place of the arc from @p v to @p t among all; UINT64_MAX: there is none. */
static inline uint64_t weir__arc_find(const weir_graph *graph, uint64_t v, uint64_t t)
{
    uint64_t low = graph->offsets[v], high = graph->offsets[v + 1];
    const uint64_t end = high;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (graph->targets[middle] < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && graph->targets[low] == t ? low : UINT64_MAX;
}

/** Tails of arcs that come one after the other. Passes over arcs are cut by arcs, not by rows: one row may
 *  have most of them. */
struct weir__arc_walk {
    const weir_graph *graph;
    uint64_t v, row_end;
};

static inline struct weir__arc_walk weir__arc_walk_from(const weir_graph *graph, uint64_t arc)
{
    uint64_t v = weir__first_row_at(graph->offsets, graph->vertices, arc + 1) - 1;
    struct weir__arc_walk walk = {graph, v, graph->offsets[v + 1]};
    return walk;
}

static inline uint64_t weir__arc_walk_to(struct weir__arc_walk *walk, uint64_t arc)
{
    while (arc >= walk->row_end)
        walk->row_end = walk->graph->offsets[++walk->v + 1];
    return walk->v;
}

#endif
