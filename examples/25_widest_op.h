/** @file 25_widest_op.h  Widest paths as an operator: how much fits through the narrowest arc of the best path from a source.
 *
 * The width of a vertex only grows, and a path is as wide as its narrowest arc. Nothing else tells this from shortest paths
 * (algorithms/sssp/sssp_op.h): a largest value in place of a smallest, a minimum in place of a sum. */
#ifndef WEIR_EXAMPLES_25_WIDEST_OP_H
#define WEIR_EXAMPLES_25_WIDEST_OP_H

#include <weir/algorithms/part.h>
#include <weir/worklist/operator.h>

typedef struct widest_item {
    uint32_t vertex;
    uint32_t width; /* of a path to it */
} widest_item;

typedef struct widest_state {
    weir_part part;
    uint32_t *width;  /* of each vertex this device knows; 0: no path */
    uint32_t largest; /* weight of an arc */
} widest_state;

WEIR_DEV int widest_tile(const widest_state *s, const widest_item *item, uint64_t *first,
                         uint64_t *last)
{
    *first = s->part.offsets[item->vertex];
    *last = s->part.offsets[item->vertex + 1];
    return weir_load_relaxed_dev_u32(&s->width[item->vertex]) <= item->width; /* not overtaken */
}

WEIR_DEV int widest_atom(const widest_state *s, const widest_item *item, uint64_t atom,
                         widest_item *next)
{
    const uint32_t weight = ((const uint32_t *)s->part.weights)[atom];
    next->vertex = s->part.targets[atom];
    next->width = weight < item->width ? weight : item->width;
    return weir_load_relaxed_dev_u32(&s->width[next->vertex]) < next->width;
}

WEIR_DEV int widest_improve(const widest_state *s, const widest_item *item)
{
    return weir_atomic_max_relaxed_dev_u32(&s->width[item->vertex], item->width) < item->width;
}

WEIR_DEV uint32_t widest_priority(const widest_state *s, const widest_item *item)
{
    return s->largest - item->width; /* wide ones first */
}

#define WEIR_OPERATOR widest
#include <weir/algorithms/vertex_tmpl.h>

#endif
