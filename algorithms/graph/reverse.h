/** @file reverse.h  Sums to which an arc adds what its reverse takes away. Not installed.
 *
 * A vertex has three random numbers. An arc from v to t adds first(v) * second(t) - second(v) * first(t) to a sum of 64 bits, times a random
 * number of its weight where weights count: of arcs that all have their reverse, of equal weight, nothing is left. Of others what is
 * left is a sum of random products, 0 hardly more often than once in 2^60; a second sum, with the third numbers, makes that 2^120, but not
 * where two arcs differ in their weights alone: the difference of the weights' numbers is a factor of both sums, so there it stays 2^60. What
 * depends on v alone is a factor of what the row adds up to.
 *
 * The same numbers tell whether arcs in are arcs out turned round: first(v) * second(t), added up over both.
 *
 * A number is the product of two of 32 bits, so that processors with wide registers make eight at once. */
#ifndef WEIR_ALGORITHMS_GRAPH_REVERSE_H
#define WEIR_ALGORITHMS_GRAPH_REVERSE_H

#include "algorithms/graph/random.h"

struct weir__reverse {
    uint64_t first, second, third;
};

/* Numbers that make others of a vertex; nothing is known of their bits but that the second is odd. */
#define WEIR__SALT_BEGIN  UINT32_C(0x9E3779B9)
#define WEIR__SALT_AGAIN  UINT32_C(0x9E3779B1)
#define WEIR__SALT_SECOND UINT32_C(0x5BD1E995)
#define WEIR__SALT_THIRD  UINT32_C(0xC2B2AE35)
/* Of a bijection of 32 bits that mixes each bit into each other: x ^ x >> 16, times the first, x ^ x >> 15, times the second, x ^ x >> 16 (Chris Wellons,
 * hash-prospector: "lowbias32"). */
#define WEIR__SALT_MIX_1 UINT32_C(0x7FEB352D)
#define WEIR__SALT_MIX_2 UINT32_C(0x846CA68B)

static inline uint32_t weir__reverse_mix(uint32_t x)
{
    x = (x ^ x >> 16) * WEIR__SALT_MIX_1;
    x = (x ^ x >> 15) * WEIR__SALT_MIX_2;
    return x ^ x >> 16;
}

static inline struct weir__reverse weir__reverse_of(uint32_t vertex)
{
    const uint32_t a = weir__reverse_mix(vertex ^ WEIR__SALT_BEGIN), product = a * WEIR__SALT_AGAIN,
                   b = product ^ product >> 15;
    return (struct weir__reverse){(uint64_t)a * (b | 1),
                                  (uint64_t)(a ^ WEIR__SALT_SECOND) * (b ^ WEIR__SALT_THIRD),
                                  (uint64_t)(a ^ WEIR__SALT_THIRD) * (b ^ WEIR__SALT_BEGIN)};
}

/** A factor of all three, not 0: of weights of 32 bits another one for each. */
static inline uint64_t weir__reverse_weight(uint64_t weight)
{
    return weight <= UINT32_MAX
               ? UINT64_C(1) << 32 | weir__reverse_mix((uint32_t)weight ^ WEIR__SALT_BEGIN)
               : weir__mix(weight);
}

/** Which of the three are wanted; others are 0. */
enum weir__reverse_which {
    WEIR__REVERSE_FIRST,
    WEIR__REVERSE_SECOND,
    WEIR__REVERSE_TWO, /**< the first and the second */
    WEIR__REVERSE_ALL
};

/** What @p count numbers add up to. @param[in] targets  their vertices, one every @p stride numbers, 1 or 2. @param[in] from  is added to each of
 *  them. @param[in] weights  theirs, with the same stride; NULL: none. */
struct weir__reverse weir__reverse_sums(enum weir__reverse_which which, const uint32_t *targets,
                                        const uint32_t *weights, unsigned stride, uint32_t from,
                                        uint64_t count);

#endif
