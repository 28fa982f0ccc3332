/** @file core_op.h  A test operator that peels: one run takes away every vertex of fewer than k neighbours left.
 *
 * The value of a vertex is how many neighbours it has left, of an undirected graph; one of the halo is not used. An
 * item in a queue says: this vertex goes. On its way to a queue: a neighbour of this one went. Updates add up, so
 * none may be lost or done twice. A run begins with all vertices: NAME_seed picks those that go at once. The
 * values are kept from run to run, k rises, and what has gone has a mark. */
#ifndef WEIR_TESTS_LIB_CORE_OP_H
#define WEIR_TESTS_LIB_CORE_OP_H

#include "algorithms/part.h"
#include "worklist/operator.h"

#define CORE_GONE 0x80000000u /* in a value, with the k it went at */

typedef struct core_item {
    uint32_t vertex; /* local in a queue, global on a link */
} core_item;
typedef core_item core_wire;

typedef struct core_state {
    weir_part part;
    uint32_t *left; /* of owned vertices */
    uint32_t k;
    int load; /* the run makes values of degrees, and takes nothing away */
} core_state;

WEIR_DEV uint32_t core_degree(const core_state *s, uint32_t vertex)
{
    return (uint32_t)(s->part.offsets[vertex + 1] - s->part.offsets[vertex]);
}

/* A neighbour of the vertex went. Non-zero: so it goes, too, and this lane is the one that says so. */
WEIR_DEV int core_lose(const core_state *s, uint32_t vertex)
{
    uint32_t old = weir_load_relaxed_dev_u32(&s->left[vertex]), seen;
    for (;; old = seen) {
        if (old & CORE_GONE)
            return 0;
        const uint32_t next = old - 1 < s->k ? CORE_GONE | (s->k - 1) : old - 1;
        seen = weir_atomic_compare_swap_relaxed_dev_u32(&s->left[vertex], old, next);
        if (seen == old)
            return (next & CORE_GONE) != 0;
    }
}

#define core_seeds 1
WEIR_DEV int core_seed(const core_state *s, uint32_t vertex, core_item *item)
{
    if (s->load) {
        weir_store_relaxed_dev_u32(&s->left[vertex], core_degree(s, vertex));
        return 0;
    }
    /* Others may be at it: a vertex that is lost to them is theirs. */
    uint32_t old = weir_load_relaxed_dev_u32(&s->left[vertex]);
    while (!(old & CORE_GONE) && old < s->k) {
        uint32_t seen =
            weir_atomic_compare_swap_relaxed_dev_u32(&s->left[vertex], old, CORE_GONE | (s->k - 1));
        if (seen == old) {
            item->vertex = vertex;
            return 1;
        }
        old = seen;
    }
    return 0;
}

#define core_narrow 1
WEIR_DEV void core_bounds(const core_state *s, const core_item *item, uint64_t *first,
                          uint64_t *last)
{
    const uint32_t most = s->part.owned - 1, vertex = item->vertex < most ? item->vertex : most;
    *first = s->part.offsets[vertex];
    *last = s->part.offsets[vertex + 1];
}

WEIR_DEV int core_tile(const core_state *s, const core_item *item, uint64_t *first, uint64_t *last)
{
    core_bounds(s, item, first, last);
    return 1;
}

WEIR_DEV void core_reach(const core_state *s, const core_item *item, uint64_t atom, core_item *next)
{
    (void)item;
    next->vertex = s->part.targets[atom];
}

WEIR_DEV void core_expect(const core_state *s, const core_item *item)
{
    weir_prefetch(&s->left[item->vertex]);
}

WEIR_DEV int core_atom(const core_state *s, const core_item *item, uint64_t atom, core_item *next)
{
    core_reach(s, item, atom, next);
    return 1;
}

WEIR_DEV enum weir_fate core_on_send(const core_state *s, const core_item *item)
{
    if (!weir_part_owns(&s->part, item->vertex))
        return WEIR_FATE_PASS;
    return core_lose(s, item->vertex) ? WEIR_FATE_KEEP : WEIR_FATE_DROP;
}

WEIR_DEV uint32_t core_owner(const core_state *s, const core_wire *wire)
{
    return weir_part_owner(&s->part, wire->vertex);
}

WEIR_DEV uint32_t core_pack(const core_state *s, const core_item *item, core_wire *wire)
{
    wire->vertex = weir_part_global(&s->part, item->vertex);
    return core_owner(s, wire);
}

WEIR_DEV enum weir_fate core_on_receive(const core_state *s, const core_wire *wire)
{
    uint32_t vertex;
    if (!weir_part_local(&s->part, wire->vertex, &vertex))
        return WEIR_FATE_PASS;
    return core_lose(s, vertex) ? WEIR_FATE_KEEP : WEIR_FATE_DROP;
}

WEIR_DEV void core_unpack(const core_state *s, const core_wire *wire, core_item *item)
{
    weir_part_local(&s->part, wire->vertex, &item->vertex);
}

WEIR_DEV uint32_t core_priority(const core_state *s, const core_item *item)
{
    return core_degree(s, item->vertex);
}

#endif
