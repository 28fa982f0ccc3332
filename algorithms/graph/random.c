/** @file random.c  A seeded permutation. */
#include "algorithms/graph/random.h"
#include "runtime/observe.h"

static weir_status permute(uint32_t *order, uint64_t count, uint64_t seed)
{
    weir_status status = WEIR_OK;
    for (uint64_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (uint64_t i = count; i > 1 && !(status = weir__activity_at(count - i)); i--) {
        uint64_t j = weir__below(weir__random(seed, i), i);
        uint32_t moved = order[i - 1];
        order[i - 1] = order[j];
        order[j] = moved;
    }
    return status;
}

weir_status weir__shuffle(uint32_t *order, uint64_t count, uint64_t seed)
{
    struct weir__activity outer;
    weir__activity_part(&outer, "shuffling", "vertices", count);
    return weir__activity_end(&outer, permute(order, count, seed));
}
