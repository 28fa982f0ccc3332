/** @file rows_build.h  What the building of rows works with. Not installed.
 *
 * In steps, each on all cores and with the same outcome whatever their count: how many in-arcs a vertex has
 * (rows_transpose.c; none are stored where the graph is symmetric), which number (rows_number.c), the in-arcs by
 * number (rows_transpose.c), and then part after part the rows themselves (rows_part.c). */
#ifndef WEIR_ALGORITHMS_COMMON_ROWS_BUILD_H
#define WEIR_ALGORITHMS_COMMON_ROWS_BUILD_H

#include "algorithms/common/gather.h"
#include "algorithms/common/need.h"
#include "algorithms/rows.h"
#include "algorithms/graph/arcs.h"

struct weir_rows {
    weir_context *context;
    uint64_t vertices;
    uint32_t parts, numbers;
    int symmetric; /* 0 where in-arcs are not wanted */
    weir_rows_order order;
    weir_memory memory; /* of arcs; never AUTO */
    uint32_t *number;   /* by vertex */
    uint32_t *vertex;   /* by number; UINT32_MAX for gaps */
    uint32_t *degree;   /* out-degree by number */
    weir_rows_part part[WEIR_DEVICES_MAX];
    struct weir__numbering *numbering;
};

struct weir__rows_build {
    weir_rows *rows;
    const weir_graph *graph;
    const weir_rows_config *config;
    const uint8_t *owner; /* by vertex */
    uint32_t
        *in_degree;    /* by vertex; NULL: in-arcs are not wanted, or those of a symmetric graph */
    uint64_t *in_ends; /* by number: where each row of in-arcs ends */
    void *in_keys;     /* the rows of in-arcs by number, as weir__rows_key says, not sorted yet */
    const struct weir__sizes *sizes; /* of a context that only counts: arcs by part; else NULL */
    uint32_t weight_shift;           /* of the highest byte that any weight has */
};

/** The in-degrees, if in-arcs are wanted and not those of a symmetric graph. */
weir_status weir__rows_count_in(struct weir__rows_build *build);
/** Numbers, and the parts' begins. */
weir_status weir__rows_number(struct weir__rows_build *build);
/** In-arcs by number, from the in-degrees. */
weir_status weir__rows_transpose(struct weir__rows_build *build);
/** Build the rows of a part and bring them to its device. */
weir_status weir__rows_place_part(struct weir__rows_build *build, uint32_t part);

/** What a row is sorted by: the far end's number, in 32 bits; with weights both in 64 bits, the one that
 *  counts first above. */
static inline uint64_t weir__rows_key(const struct weir__rows_build *build, uint32_t number,
                                      uint32_t weight)
{
    return build->config->by_weight ? (uint64_t)weight << 32 | number
                                    : (uint64_t)number << 32 | weight;
}

static inline size_t weir__rows_key_bytes(const struct weir__rows_build *build)
{
    return build->config->weights ? 8 : 4;
}

#endif
