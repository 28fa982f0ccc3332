/** @file pr_push_op.h  PageRank by residuals as an operator (Groute section 4.5; the scan of Atos, Algorithm 4).
 *
 * A vertex has a rank and a *residual*: by how much its rank is off, given those of its neighbours. To hand a
 * residual on is to take it, add it to the rank, and add a part of it, damped, to the residual of each target.
 *
 * Vertices are handed on in *epochs* (pr_push.c). An epoch is one run of the engine: it scans all vertices and
 * hands on those whose residual is as large as the epoch's threshold, each once. What comes to a vertex meanwhile is
 * added up and waits for the next epoch. So residuals of both signs meet before they travel on; where a vertex is
 * handed on as soon as its residual is large, half of what it would have received comes too late, and a graph of
 * R-MAT costs ten times the arcs.
 *
 * Items are of seven kinds:
 *
 * - SCAN: a seed for a part: an atom for each PR_PUSH_LOOKS vertices, those of the halo too, makes
 * - LOOK: an atom a vertex. (A group of lanes takes a tile whole, and the few lanes that suit rows of a road network were at
 *   one tile for all vertices for most of an epoch.)
 * - SPLIT: a residual that was taken, to be handed on; an atom an arc, each makes a GROWN item. That is dropped when
 *   its residual has been added to its target's, unless the target is of the halo and has come to the threshold by
 *   it: its residual is what this device has not told its owner yet.
 * - HELD: what the scan makes for a vertex of the halo that epochs before left with something to tell. It becomes
 *   TELL a round later, when the arcs of this epoch have been looked at.
 * - TELL, and GROWN where it was not dropped: one atom, which takes what a vertex of the halo has to tell and makes
 * - SENT: a residual for the owner. So what goes to one vertex is merged before it is sent: all arcs of an epoch that
 *   lead there, but for those that are looked at afterwards.
 *
 * A residual of the halo that passes the threshold, falls below and passes it again has two items, of which the second
 * may find little, and leaves it there.
 *
 * Differs from Groute: its GPUs hold all vertices and send residuals of remote ones after each round; its threshold
 * is one for the whole run. */
#ifndef WEIR_ALGORITHMS_PR_PR_PUSH_OP_H
#define WEIR_ALGORITHMS_PR_PR_PUSH_OP_H

#include "algorithms/part.h"
#include "algorithms/pr/pr_epoch.h"
#include "worklist/operator.h"

enum {
    PR_PUSH_SCAN = 0,
    PR_PUSH_LOOK,
    PR_PUSH_SPLIT,
    PR_PUSH_GROWN,
    PR_PUSH_HELD,
    PR_PUSH_TELL,
    PR_PUSH_SENT
};

/* Vertices that are scanned together. */
#define PR_PUSH_LOOKS 64u

typedef struct pr_push_item {
    uint32_t
        vertex; /* local: owned, or of the halo; global while it travels. Of LOOK the first one */
    uint32_t kind;
    double residual; /* of SPLIT, GROWN and SENT */
} pr_push_item;

typedef pr_push_item pr_push_wire;

typedef struct pr_push_state {
    weir_part part;
    pr_push_value *value; /* owned, then halo */
    double damping;
    double threshold; /* of this epoch, above 0: of an owned vertex, to hand on */
    double tell;      /* of one of the halo, to tell its owner */
    double shift; /* what each residual of an owned vertex is short of, in this epoch (pr_push.c) */
} pr_push_state;

WEIR_DEV int pr_push_tile(const pr_push_state *s, const pr_push_item *item, uint64_t *first,
                          uint64_t *last)
{
    *first = 0;
    *last = 1;
    if (item->kind == PR_PUSH_SPLIT) {
        *first = s->part.offsets[item->vertex];
        *last = s->part.offsets[item->vertex + 1];
    }
    const uint64_t all = (uint64_t)s->part.owned + s->part.halo_count;
    if (item->kind == PR_PUSH_SCAN)
        *last = (all + PR_PUSH_LOOKS - 1) / PR_PUSH_LOOKS;
    if (item->kind == PR_PUSH_LOOK) {
        *first = item->vertex;
        *last = all - *first < PR_PUSH_LOOKS ? all : *first + PR_PUSH_LOOKS;
    }
    return 1;
}

/* Take a residual, that of an owned vertex without what it is short of: others may add to it at the same time. */
WEIR_DEV double pr_push_take_off(const pr_push_state *s, uint32_t local)
{
    const double shift = weir_part_owns(&s->part, local) ? s->shift : 0;
    return weir_atomic_exchange_relaxed_dev_f64(&s->value[local].residual, -shift) + shift;
}

/* The atom of a vertex that is scanned. Nobody else takes the residual of one that is owned. */
WEIR_DEV int pr_push_look(const pr_push_state *s, uint32_t local, pr_push_item *next)
{
    pr_push_value *value = &s->value[local];
    const int owned = weir_part_owns(&s->part, local);
    const double seen = weir_load_relaxed_dev_f64(&value->residual) + (owned ? s->shift : 0);
    const int dangling = owned && s->part.offsets[local] == s->part.offsets[local + 1];
    if (!dangling && !pr_push_large(owned ? s->threshold : s->tell, seen))
        return 0;
    next->vertex = local;
    next->kind = PR_PUSH_HELD;
    next->residual = 0;
    if (!owned)
        return 1;
    next->kind = PR_PUSH_SPLIT;
    next->residual = pr_push_take_off(s, local);
    value->rank += next->residual;
    return !dangling && next->residual != 0;
}

WEIR_DEV int pr_push_atom(const pr_push_state *s, const pr_push_item *item, uint64_t atom,
                          pr_push_item *next)
{
    if (item->kind == PR_PUSH_LOOK)
        return pr_push_look(s, (uint32_t)atom, next);
    if (item->kind == PR_PUSH_SCAN) {
        next->vertex = (uint32_t)atom * PR_PUSH_LOOKS;
        next->kind = PR_PUSH_LOOK;
        next->residual = 0;
        return 1;
    }
    if (item->kind == PR_PUSH_SPLIT) {
        const uint64_t *row = &s->part.offsets[item->vertex];
        next->vertex = s->part.targets[atom];
        next->kind = PR_PUSH_GROWN;
        next->residual = s->damping * item->residual / (double)(row[1] - row[0]);
        return 1;
    }
    *next = *item;
    if (item->kind == PR_PUSH_HELD) {
        next->kind = PR_PUSH_TELL;
        return 1;
    }
    /* Too little is left where it is. Whoever brings it to the threshold afterwards makes an item. */
    if (!pr_push_large(s->tell, weir_load_relaxed_dev_f64(&s->value[item->vertex].residual)))
        return 0;
    next->kind = PR_PUSH_SENT;
    next->residual = pr_push_take_off(s, item->vertex);
    return next->residual != 0;
}

/* @return whether this is what brings a vertex of the halo to the threshold: an item for it is made by one who sees
 * that, so that there is one at least as long as its residual is large. */
WEIR_DEV int pr_push_grow(const pr_push_state *s, uint32_t local, double residual)
{
    const double before = weir_atomic_add_relaxed_dev_f64(&s->value[local].residual, residual);
    return !pr_push_large(s->tell, before) && pr_push_large(s->tell, before + residual);
}

WEIR_DEV enum weir_fate pr_push_on_send(const pr_push_state *s, const pr_push_item *item)
{
    if (item->kind == PR_PUSH_SENT)
        return WEIR_FATE_PASS;
    if (item->kind != PR_PUSH_GROWN)
        return WEIR_FATE_KEEP;
    if (!weir_part_owns(&s->part, item->vertex))
        return pr_push_grow(s, item->vertex, item->residual) ? WEIR_FATE_KEEP : WEIR_FATE_DROP;
    weir_add_relaxed_dev_f64(&s->value[item->vertex].residual, item->residual);
    return WEIR_FATE_DROP;
}

WEIR_DEV uint32_t pr_push_owner(const pr_push_state *s, const pr_push_wire *wire)
{
    return weir_part_owner(&s->part, wire->vertex);
}

WEIR_DEV uint32_t pr_push_pack(const pr_push_state *s, const pr_push_item *item, pr_push_wire *wire)
{
    *wire = *item;
    wire->vertex = weir_part_global(&s->part, item->vertex);
    return pr_push_owner(s, wire);
}

WEIR_DEV enum weir_fate pr_push_on_receive(const pr_push_state *s, const pr_push_wire *wire)
{
    uint32_t local;
    if (!weir_part_local(&s->part, wire->vertex, &local))
        return WEIR_FATE_PASS;
    if (wire->kind != PR_PUSH_SENT)
        return WEIR_FATE_KEEP;
    weir_add_relaxed_dev_f64(&s->value[local].residual, wire->residual);
    return WEIR_FATE_DROP;
}

WEIR_DEV void pr_push_unpack(const pr_push_state *s, const pr_push_wire *wire, pr_push_item *item)
{
    uint32_t local;
    weir_part_local(&s->part, wire->vertex, &local);
    *item = *wire;
    item->vertex = local;
}

/* What the halo has to tell comes last: then most of it is merged. */
WEIR_DEV uint32_t pr_push_priority(const pr_push_state *s, const pr_push_item *item)
{
    (void)s;
    return item->kind <= PR_PUSH_LOOK                                  ? 0
           : item->kind == PR_PUSH_GROWN || item->kind == PR_PUSH_TELL ? 2
                                                                       : 1;
}

#define WEIR_OPERATOR pr_push

#endif
