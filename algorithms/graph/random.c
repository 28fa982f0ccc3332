/** @file random.c  A seeded permutation. */
#include "algorithms/graph/random.h"

void weir__shuffle(uint32_t *order, uint64_t count, uint64_t seed)
{
    for (uint64_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (uint64_t i = count; i > 1; i--) {
        /* The high half of a 64-bit number times i: the bias is under 2^-32. */
        uint64_t bits = weir__random(seed, i);
        uint64_t j = ((bits >> 32) * i + ((bits & UINT32_MAX) * i >> 32)) >> 32;
        uint32_t moved = order[i - 1];
        order[i - 1] = order[j];
        order[j] = moved;
    }
}
