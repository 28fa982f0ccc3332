/** @file deal_map.h  Which stretch of vertices an arc is dealt out to, and how it lies there. Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_DEAL_MAP_H
#define WEIR_ALGORITHMS_GRAPH_DEAL_MAP_H

#include "algorithms/graph/plain.h"

#define WEIR__STRETCHES_MAX 1024
#define WEIR__CELLS_MAX     8192u

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
 *  the last stretch. */
typedef struct weir__deal_map {
    uint32_t shift, cells, stretches;
    int mirror; /**< every arc stands for both directions */
    uint16_t stretch_of[WEIR__CELLS_MAX];
} weir__deal_map;

static inline uint32_t weir__stretch_of(const weir__deal_map *map, uint32_t vertex)
{
    const uint32_t cell = vertex >> map->shift;
    return map->stretch_of[cell < map->cells ? cell : map->cells - 1];
}

/** Put the arcs of a block in the order of their stretches, those of one as they came, without loops: into `dealt` of @p plain. Does nothing where
 *  a weight is a fraction, or where there is no memory for them. */
void weir__plain_deal(const weir__deal_map *map, weir__plain *plain);

#endif
