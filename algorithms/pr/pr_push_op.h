/** @file pr_push_op.h  PageRank by residuals as an operator (Groute section 4.5).
 *
 * A vertex has a rank and a *residual*: by how much its rank is off, given those of its neighbours. To process
 * a vertex is to take its residual, add that to its rank, and hand on a part of it, damped, over each of its
 * arcs. A vertex is in a queue while its residual is as large as a threshold or larger, in either direction;
 * what comes to it there is added up and makes no other item. Under the threshold residuals stay where they
 * are: their sum bounds the error.
 *
 * All ranks begin equal, so that residuals of both signs meet and cancel; beginning with ranks of 0, as Groute
 * does, has residuals of one sign, whose sum falls by the damping alone in each sweep: four times the work on
 * R-MAT graphs.
 *
 * An operator's tile may be looked at several times and changes nothing, so taking is an atom of its own,
 * which runs once. Items are of five kinds:
 *
 * - GROWN: the residual of a vertex has come to the threshold. Its one atom takes the residual and makes
 *   (first HELD, with several devices: the same once more a round later. What comes from other devices comes
 *   later than what comes from this one, and both should be taken together; a fifth of the work on four)
 * - SPLIT: a residual that was taken, to be handed on; an atom an arc, each makes a GROWN item, which is
 *   dropped unless it is the one that brings its target's residual to the threshold. Or, for a vertex of the
 *   halo, whose residual is what this device has not told its owner yet,
 * - SENT: a residual that was taken, for the owner. So what goes to one vertex is merged before it is sent,
 *   and a halo vertex has one item at a time, here or on its way.
 * - START: a seed for a part: an atom a vertex, which gives it the rank and the residual it begins with.
 *
 * A residual that passes the threshold, falls below and passes it again has two items, of which the second
 * finds little: it is put back.
 *
 * Differs from Groute: its GPUs hold all vertices and send residuals of remote ones after each round. */
#ifndef WEIR_ALGORITHMS_PR_PR_PUSH_OP_H
#define WEIR_ALGORITHMS_PR_PR_PUSH_OP_H

#include "algorithms/part.h"
#include "worklist/operator.h"

#include <string.h>

enum { PR_PUSH_GROWN = 0, PR_PUSH_SPLIT, PR_PUSH_SENT, PR_PUSH_HELD, PR_PUSH_START };

typedef struct pr_push_item {
    uint32_t vertex; /* local: owned, or of the halo; global while it travels */
    uint32_t kind;
    double residual; /* of a GROWN item: what comes to the vertex with it */
} pr_push_item;

typedef pr_push_item pr_push_wire;

/** The values of a vertex. */
typedef struct pr_push_value {
    double rank; /* of the halo: not used */
    double residual;
} pr_push_value;

typedef struct pr_push_state {
    weir_part part;
    pr_push_value *value; /* owned, then halo */
    double damping;
    double threshold;    /* above 0 */
    double start;        /* rank that a vertex begins with */
    const double *first; /* residuals that owned ones begin with */
} pr_push_state;

WEIR_DEV int pr_push_large(const pr_push_state *s, double residual)
{
    return residual >= s->threshold || residual <= -s->threshold;
}

WEIR_DEV int pr_push_tile(const pr_push_state *s, const pr_push_item *item, uint64_t *first,
                          uint64_t *last)
{
    *first = 0;
    *last = 1;
    if (item->kind == PR_PUSH_SPLIT) {
        *first = s->part.offsets[item->vertex];
        *last = s->part.offsets[item->vertex + 1];
    }
    if (item->kind == PR_PUSH_START)
        *last = s->part.owned;
    return 1;
}

/* The atom of a GROWN or HELD item. */
WEIR_DEV int pr_push_claim(const pr_push_state *s, uint32_t local, pr_push_item *next)
{
    pr_push_value *value = &s->value[local];
    next->vertex = local;
    next->residual = weir_atomic_exchange_relaxed_dev_f64(&value->residual, 0);
    next->kind = PR_PUSH_GROWN; /* too little: put back, which may bring it to the threshold */
    if (!pr_push_large(s, next->residual))
        return next->residual != 0;
    next->kind = PR_PUSH_SENT;
    if (weir_part_owns(&s->part, local)) {
        (void)weir_atomic_add_relaxed_dev_f64(&value->rank, next->residual);
        next->kind = PR_PUSH_SPLIT;
    }
    return 1;
}

WEIR_DEV int pr_push_atom(const pr_push_state *s, const pr_push_item *item, uint64_t atom,
                          pr_push_item *next)
{
    if (item->kind == PR_PUSH_GROWN && s->part.parts > 1 &&
        weir_part_owns(&s->part, item->vertex)) {
        *next = *item;
        next->kind = PR_PUSH_HELD;
        return 1;
    }
    if (item->kind == PR_PUSH_GROWN || item->kind == PR_PUSH_HELD)
        return pr_push_claim(s, item->vertex, next);
    if (item->kind == PR_PUSH_SPLIT) {
        const uint64_t *row = &s->part.offsets[item->vertex];
        next->vertex = s->part.targets[atom];
        next->kind = PR_PUSH_GROWN;
        next->residual = s->damping * item->residual / (double)(row[1] - row[0]);
        return next->residual != 0;
    }
    (void)weir_atomic_add_relaxed_dev_f64(&s->value[atom].rank, s->start);
    next->vertex = (uint32_t)atom;
    next->kind = PR_PUSH_GROWN;
    next->residual = s->first[atom];
    return 1;
}

/* @return whether this is what brings it to the threshold: an item for a vertex is made by one who sees
 * that, so that there is one at least as long as its residual is large. */
WEIR_DEV int pr_push_grow(const pr_push_state *s, uint32_t local, double residual)
{
    double before = weir_atomic_add_relaxed_dev_f64(&s->value[local].residual, residual);
    return !pr_push_large(s, before) && pr_push_large(s, before + residual);
}

WEIR_DEV enum weir_fate pr_push_on_send(const pr_push_state *s, const pr_push_item *item)
{
    if (item->kind == PR_PUSH_SENT)
        return WEIR_FATE_PASS;
    if (item->kind != PR_PUSH_GROWN)
        return WEIR_FATE_KEEP;
    return pr_push_grow(s, item->vertex, item->residual) ? WEIR_FATE_KEEP : WEIR_FATE_DROP;
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
    return pr_push_grow(s, local, wire->residual) ? WEIR_FATE_KEEP : WEIR_FATE_DROP;
}

WEIR_DEV void pr_push_unpack(const pr_push_state *s, const pr_push_wire *wire, pr_push_item *item)
{
    uint32_t local;
    weir_part_local(&s->part, wire->vertex, &local);
    *item = *wire;
    item->vertex = local;
    if (item->kind == PR_PUSH_SENT)
        item->kind = PR_PUSH_GROWN;
}

/* Large residuals first, an eighth of a power of two apart: those handed on early are merged less often with
 * what comes later. */
WEIR_DEV uint32_t pr_push_priority(const pr_push_state *s, const pr_push_item *item)
{
    double residual = item->residual;
    uint64_t bits, one = UINT64_C(1024) << 52; /* of 2, above every residual */
    if (item->kind == PR_PUSH_START)
        return 0;
    if (item->kind == PR_PUSH_GROWN || item->kind == PR_PUSH_HELD)
        residual = weir_load_relaxed_dev_f64(&s->value[item->vertex].residual);
    residual = residual < 0 ? -residual : residual;
    memcpy(&bits, &residual, sizeof bits);
    return bits < one ? (uint32_t)((one - bits) >> 49) : 0;
}

#define WEIR_OPERATOR pr_push

#endif
