/** @file 13_reach_op.h  Which of up to 64 sources reach each vertex, as an operator (docs/operators.md). */
#ifndef WEIR_EXAMPLES_13_REACH_OP_H
#define WEIR_EXAMPLES_13_REACH_OP_H

#include <weir/algorithms/part.h>
#include <weir/worklist/operator.h>

typedef struct reach_item {
    uint64_t vertex;
    uint64_t sources; /* that it has just learned of: bit i is source i */
} reach_item;

typedef struct reach_state {
    weir_part part;
    uint64_t *reached_by; /* of each vertex this device knows: a bit for each source */
} reach_state;

WEIR_DEV int reach_tile(const reach_state *s, const reach_item *item, uint64_t *first,
                        uint64_t *last)
{
    *first = s->part.offsets[item->vertex];
    *last = s->part.offsets[item->vertex + 1];
    return 1;
}

WEIR_DEV int reach_atom(const reach_state *s, const reach_item *item, uint64_t atom,
                        reach_item *next)
{
    next->vertex = s->part.targets[atom];
    next->sources = item->sources & ~weir_load_relaxed_dev_u64(&s->reached_by[next->vertex]);
    return next->sources != 0;
}

WEIR_DEV int reach_improve(const reach_state *s, const reach_item *item)
{
    return (item->sources &
            ~weir_atomic_or_relaxed_dev_u64(&s->reached_by[item->vertex], item->sources)) != 0;
}

WEIR_DEV uint32_t reach_priority(const reach_state *s, const reach_item *item)
{
    (void)s, (void)item;
    return 0; /* no item is more urgent than another */
}

#define WEIR_OPERATOR reach
#include <weir/algorithms/vertex_tmpl.h>

#endif
