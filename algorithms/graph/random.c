/** @file random.c  A seeded permutation. */
#include "algorithms/graph/random.h"

void weir__shuffle(uint32_t *order, uint64_t count, uint64_t seed)
{
    for (uint64_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (uint64_t i = count; i > 1; i--) {
        uint64_t j = weir__below(weir__random(seed, i), i);
        uint32_t moved = order[i - 1];
        order[i - 1] = order[j];
        order[j] = moved;
    }
}
