/** @file reverse.h  Sums to which an arc adds what its reverse takes away. Not installed.
 *
 * A vertex has three random numbers. An arc from v to t adds first(v) * second(t) - second(v) * first(t) to a sum of 64 bits, times a random
 * number of its weight where weights count: of arcs that all have their reverse, of equal weight, nothing is left. Of others what is
 * left is a sum of random products, 0 hardly more often than once in 2^60; a second sum, with the third numbers, makes that 2^120, but not
 * where two arcs differ in their weights alone: the difference of the weights' numbers is a factor of both sums, so there it stays 2^60. What
 * depends on v alone is a factor of what the row adds up to. */
#ifndef WEIR_ALGORITHMS_GRAPH_REVERSE_H
#define WEIR_ALGORITHMS_GRAPH_REVERSE_H

#include "algorithms/graph/random.h"

struct weir__reverse {
    uint64_t first, second, third;
};

static inline struct weir__reverse weir__reverse_of(uint64_t vertex)
{
    const uint64_t x = weir__mix(vertex + WEIR__GOLDEN);
    return (struct weir__reverse){x, (x ^ x >> 29) * UINT64_C(0xFF51AFD7ED558CCD),
                                  (x ^ x >> 33) * UINT64_C(0xC4CEB9FE1A85EC53)};
}

/** A factor of all three. */
static inline uint64_t weir__reverse_weight(uint64_t weight)
{
    return weir__mix(weight + WEIR__GOLDEN);
}

#endif
