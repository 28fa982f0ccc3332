/** @file lanes.h  Four values at a time, as every processor has registers for. Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_LANES_H
#define WEIR_ALGORITHMS_GRAPH_LANES_H

#include <stdint.h>
#include <string.h>

#define LANES 4u

typedef uint32_t lanes __attribute__((vector_size(LANES * sizeof(uint32_t))));

static inline lanes load_lanes(const uint32_t *from)
{
    lanes values;
    memcpy(&values, from, sizeof values);
    return values;
}

#endif
