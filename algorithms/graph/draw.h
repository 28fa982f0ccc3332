/** @file draw.h  Arcs of a generator, many at a time. Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_DRAW_H
#define WEIR_ALGORITHMS_GRAPH_DRAW_H

#include "algorithms/graph/edges.h"

/** Write the ends of arcs @p first to @p first + @p count - 1, as weir__edge() has them, by the fastest way that the processor has.
 *  @param[in] edges  of a generator: no list. @par Threads  any. */
void weir__draw(const weir__edges *edges, uint64_t first, uint64_t count, uint32_t *sources,
                uint32_t *targets);

/** How many ways this build has on the processor, at least one; and one of them, from the slowest. For tests. */
uint32_t weir__draw_ways(void);
void weir__draw_by(uint32_t way, const weir__edges *edges, uint64_t first, uint64_t count,
                   uint32_t *sources, uint32_t *targets);

#endif
