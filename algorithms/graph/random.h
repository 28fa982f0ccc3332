/** @file random.h  Counter-based random numbers: a value for every (seed, index), in any order. Host devices and GPUs draw the same. */
#ifndef WEIR_ALGORITHMS_GRAPH_RANDOM_H
#define WEIR_ALGORITHMS_GRAPH_RANDOM_H

#include "runtime/dialect.h"
#include "runtime/runtime.h"

/** The finalizer of splitmix64: a bijection that mixes every bit into every other. */
WEIR_BOTH uint64_t weir__mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

#define WEIR__RELABELING_ROUNDS 4

/** The step of splitmix64, odd, so that equal strides never meet. */
#define WEIR__GOLDEN UINT64_C(0x9E3779B97F4A7C15)

WEIR_BOTH uint64_t weir__random(uint64_t seed, uint64_t index)
{
    return weir__mix(weir__mix(seed + WEIR__GOLDEN) + (index + 1) * WEIR__GOLDEN);
}

/** Random bits as a number below @p bound, which is 1 to 2^32: the high half of a 64-bit number times
 *  the bound, so the bias is under 2^-32. */
WEIR_BOTH uint64_t weir__below(uint64_t bits, uint64_t bound)
{
    return ((bits >> 32) * bound + ((bits & UINT32_MAX) * bound >> 32)) >> 32;
}

/** A permutation of 0 .. count - 1 that is computed where it is wanted, without a table. */
struct weir__relabeling {
    uint64_t count;
    uint64_t mask;                         /**< of the power of two that holds the numbers */
    uint32_t half;                         /**< bits that are shifted down: at least 1 */
    uint64_t key[WEIR__RELABELING_ROUNDS]; /**< of each round */
    uint64_t odd[WEIR__RELABELING_ROUNDS];
};

/** The one that @p seed chooses. @param[in] count  at least 1, at most 2^32. */
WEIR_BOTH struct weir__relabeling weir__relabeling_of(uint64_t count, uint64_t seed)
{
    struct weir__relabeling r;
    uint32_t bits = 1;
    while (bits < 32 && (count - 1) >> bits)
        bits++;
    r.count = count;
    r.mask = (UINT64_C(1) << bits) - 1;
    r.half = bits / 2 ? bits / 2 : 1;
    for (uint32_t i = 0; i < WEIR__RELABELING_ROUNDS; i++) {
        r.key[i] = weir__random(seed, 2 * i) & r.mask;
        r.odd[i] = (weir__random(seed, 2 * i + 1) & r.mask) | 1;
    }
    return r;
}

/** The one that leaves each number as it is. @param[in] count  a power of two, at most 2^31. */
WEIR_BOTH struct weir__relabeling weir__relabeling_none(uint64_t count)
{
    struct weir__relabeling r = weir__relabeling_of(count, 0);
    r.half = 31;
    for (uint32_t i = 0; i < WEIR__RELABELING_ROUNDS; i++) {
        r.key[i] = 0;
        r.odd[i] = 1;
    }
    return r;
}

/** The new number of @p x. Each round adds a key bit by bit, multiplies by an odd number and mixes upper bits into lower ones, all
 *  of which can be undone; what falls behind the count goes round again, which it does once on average at most. */
WEIR_BOTH uint32_t weir__relabel(const struct weir__relabeling *r, uint64_t x)
{
    do {
        for (uint32_t i = 0; i < WEIR__RELABELING_ROUNDS; i++) {
            x = ((x ^ r->key[i]) * r->odd[i]) & r->mask;
            x ^= x >> r->half;
        }
    } while (x >= r->count);
    return (uint32_t)x;
}

/** Fill @p order with a permutation of 0 .. count-1 chosen by @p seed; count is below 2^32.
 *  @retval WEIR_ERR_CANCELLED, WEIR_ERR_TIMEOUT  the call that is observed is to end (runtime/observe.h). */
weir_status weir__shuffle(uint32_t *order, uint64_t count, uint64_t seed)
    __attribute__((warn_unused_result));

#endif
