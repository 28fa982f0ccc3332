/** @file random.h  Counter-based random numbers: a value for every (seed, index), in any order. */
#ifndef WEIR_ALGORITHMS_GRAPH_RANDOM_H
#define WEIR_ALGORITHMS_GRAPH_RANDOM_H

#include "runtime/runtime.h"

#include <stdint.h>

/** The finalizer of splitmix64: a bijection that mixes every bit into every other. */
static inline uint64_t weir__mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/** The step of splitmix64, odd, so that equal strides never meet. */
#define WEIR__GOLDEN UINT64_C(0x9E3779B97F4A7C15)

static inline uint64_t weir__random(uint64_t seed, uint64_t index)
{
    return weir__mix(weir__mix(seed + WEIR__GOLDEN) + (index + 1) * WEIR__GOLDEN);
}

/** Random bits as a number below @p bound, which is 1 to 2^32: the high half of a 64-bit number times
 *  the bound, so the bias is under 2^-32. */
static inline uint64_t weir__below(uint64_t bits, uint64_t bound)
{
    return ((bits >> 32) * bound + ((bits & UINT32_MAX) * bound >> 32)) >> 32;
}

/** Fill @p order with a permutation of 0 .. count-1 chosen by @p seed; count is below 2^32.
 *  @retval WEIR_ERR_CANCELLED, WEIR_ERR_TIMEOUT  the call that is observed is to end (runtime/observe.h). */
weir_status weir__shuffle(uint32_t *order, uint64_t count, uint64_t seed)
    __attribute__((warn_unused_result));

#endif
