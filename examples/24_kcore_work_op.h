/** @file 24_kcore_work_op.h  The k-core decomposition as an operator: an item says that a vertex is peeled, and its arcs go with it.
 *
 * One run peels what has fewer than k arcs left, in any order, and whatever that leaves with fewer; k grows from run to run. The value of
 * a vertex is how many arcs it has left, and when it is peeled its core number with a mark. Arcs that are lost add up, so none may
 * be lost twice: what goes over a link is the loss of one arc, and vertices of a halo have no value. */
#ifndef WEIR_EXAMPLES_24_KCORE_WORK_OP_H
#define WEIR_EXAMPLES_24_KCORE_WORK_OP_H

#include <weir/algorithms/part.h>
#include <weir/worklist/operator.h>

#define PEEL_GONE 0x80000000u

typedef struct peel_item {
    uint32_t vertex; /* in a queue: it is peeled; before: it loses an arc */
} peel_item;
typedef peel_item peel_wire;

typedef struct peel_state {
    weir_part part;
    uint32_t *left; /* of owned vertices */
    uint32_t k;     /* 0: the run sets the values, and peels nothing */
} peel_state;

/* Take `loss` arcs from a vertex. Non-zero: so it is peeled, and the caller is the one to say so. */
WEIR_DEV int lose_arcs(const peel_state *s, uint32_t vertex, uint32_t loss)
{
    uint32_t old = weir_load_relaxed_dev_u32(&s->left[vertex]), seen;
    for (;; old = seen) {
        const uint32_t next = old - loss < s->k ? PEEL_GONE | (s->k - 1) : old - loss;
        if (old & PEEL_GONE || next == old)
            return 0;
        seen = weir_atomic_compare_swap_relaxed_dev_u32(&s->left[vertex], old, next);
        if (seen == old)
            return (next & PEEL_GONE) != 0;
    }
}

/* A run begins with all vertices. */
#define peel_seeds 1
WEIR_DEV int peel_seed(const peel_state *s, uint32_t vertex, peel_item *item)
{
    item->vertex = vertex;
    if (s->k)
        return lose_arcs(s, vertex, 0);
    weir_store_relaxed_dev_u32(&s->left[vertex],
                               (uint32_t)(s->part.offsets[vertex + 1] - s->part.offsets[vertex]));
    return 0;
}

WEIR_DEV int peel_tile(const peel_state *s, const peel_item *item, uint64_t *first, uint64_t *last)
{
    *first = s->part.offsets[item->vertex];
    *last = s->part.offsets[item->vertex + 1];
    return 1;
}

WEIR_DEV int peel_atom(const peel_state *s, const peel_item *item, uint64_t atom, peel_item *next)
{
    (void)item;
    next->vertex = s->part.targets[atom];
    return 1;
}

WEIR_DEV enum weir_fate peel_on_send(const peel_state *s, const peel_item *item)
{
    if (!weir_part_owns(&s->part, item->vertex))
        return WEIR_FATE_PASS;
    return lose_arcs(s, item->vertex, 1) ? WEIR_FATE_KEEP : WEIR_FATE_DROP;
}

WEIR_DEV uint32_t peel_owner(const peel_state *s, const peel_wire *wire)
{
    return weir_part_owner(&s->part, wire->vertex);
}

WEIR_DEV uint32_t peel_pack(const peel_state *s, const peel_item *item, peel_wire *wire)
{
    wire->vertex = weir_part_global(&s->part, item->vertex);
    return peel_owner(s, wire);
}

WEIR_DEV enum weir_fate peel_on_receive(const peel_state *s, const peel_wire *wire)
{
    uint32_t vertex;
    if (!weir_part_local(&s->part, wire->vertex, &vertex))
        return WEIR_FATE_PASS;
    return lose_arcs(s, vertex, 1) ? WEIR_FATE_KEEP : WEIR_FATE_DROP;
}

WEIR_DEV void peel_unpack(const peel_state *s, const peel_wire *wire, peel_item *item)
{
    weir_part_local(&s->part, wire->vertex, &item->vertex);
}

WEIR_DEV uint32_t peel_priority(const peel_state *s, const peel_item *item)
{
    (void)s, (void)item;
    return 0; /* within a run any order will do */
}

#endif
