/** @file deal_map.h  Which stretch of vertices an arc is dealt out to, and how it lies there. Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_DEAL_MAP_H
#define WEIR_ALGORITHMS_GRAPH_DEAL_MAP_H

#include <stdint.h>

#define WEIR__STRETCHES_MAX 4096
#define WEIR__CELLS_MAX     4096u

/** An arc as it lies in a stretch, by the kind of weights. */
struct weir__arc_plain {
    uint32_t source, target;
};
struct weir__arc_u32 {
    uint32_t source, target, weight;
};
struct weir__arc_f64 {
    uint32_t source, target;
    double weight;
};

/** Vertices are counted in cells of 2^shift of them, and stretches are made of cells. A vertex behind the last cell belongs to
 *  the last stretch.
 *
 *  Where 32 bits hold both ends of an arc, as each stretch has few enough rows, it lies there as a *key*: the target in the low `bits`, above it
 *  those bits of the source for which there is room, which tell the rows of a stretch apart. With an integer weight, which is behind the key in 64 bits. */
typedef struct weir__deal_map {
    uint32_t shift, cells, stretches;
    uint32_t bits; /**< of a target in a key; 0: arcs lie as they are */
    int mirror;    /**< every arc stands for both directions */
    uint16_t stretch_of[WEIR__CELLS_MAX];
} weir__deal_map;

static inline uint32_t weir__stretch_of(const weir__deal_map *map, uint32_t vertex)
{
    const uint32_t cell = vertex >> map->shift;
    return map->stretch_of[cell < map->cells ? cell : map->cells - 1];
}

/** How many rows keys of so many bits for targets tell apart. */
static inline uint64_t weir__key_rows(uint32_t bits)
{
    return UINT64_C(1) << (32 - bits);
}

static inline uint32_t weir__key(uint32_t source, uint32_t target, uint32_t bits)
{
    return source << bits | target;
}

/** With its weight. */
static inline uint64_t weir__key_weighed(uint32_t key, uint32_t weight)
{
    return (uint64_t)key << 32 | weight;
}

#endif
