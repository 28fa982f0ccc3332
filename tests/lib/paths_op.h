/** @file paths_op.h  A test operator whose updates add up: on how many ways each vertex is reached from the seeds.
 *
 * Of a graph without cycles; counts are 64 bits and wrap, so that the sum comes out the same in any order. Each device
 * also counts the claims that found something, and those that did not. */
#ifndef WEIR_TESTS_LIB_PATHS_OP_H
#define WEIR_TESTS_LIB_PATHS_OP_H

#include "algorithms/part.h"
#include "worklist/operator.h"

typedef struct paths_item {
    uint32_t vertex, step;
    uint64_t ways;
} paths_item;

/** Of a vertex; of one of the halo `coming` alone is used. */
typedef struct paths_value {
    uint64_t ways;   /* that were handed on */
    uint64_t coming; /* that wait to be */
} paths_value;

typedef struct paths_state {
    weir_part part;
    paths_value *value;
    uint32_t all; /* ways that a run which begins with all vertices gives each */
    uint32_t spare;
} paths_state;

WEIR_DEV int paths_add(const paths_state *s, const paths_item *item)
{
    return weir_atomic_add_relaxed_dev_u64(&s->value[item->vertex].coming, item->ways) == 0;
}

WEIR_DEV int paths_claim(const paths_state *s, paths_item *item)
{
    paths_value *value = &s->value[item->vertex];
    item->ways = weir_atomic_exchange_relaxed_dev_u64(&value->coming, 0);
    if (item->ways && weir_part_owns(&s->part, item->vertex))
        (void)weir_atomic_add_relaxed_dev_u64(&value->ways, item->ways);
    return item->ways != 0;
}

WEIR_DEV void paths_row(const paths_state *s, const paths_item *item, uint64_t *first,
                        uint64_t *last)
{
    *first = s->part.offsets[item->vertex];
    *last = s->part.offsets[item->vertex + 1];
}

WEIR_DEV int paths_share(const paths_state *s, const paths_item *item, uint64_t atom,
                         paths_item *next)
{
    next->vertex = s->part.targets[atom];
    next->ways = item->ways;
    return 1;
}

WEIR_DEV uint32_t paths_priority(const paths_state *s, const paths_item *item)
{
    (void)s;
    return item->vertex >> 4;
}

#define paths_seeds 1
WEIR_DEV int paths_seed(const paths_state *s, uint32_t vertex, paths_item *item)
{
    item->vertex = vertex;
    item->step = 0;
    item->ways = s->all;
    return paths_add(s, item);
}

#define WEIR_OPERATOR paths
#include "algorithms/sum_tmpl.h"
#endif
