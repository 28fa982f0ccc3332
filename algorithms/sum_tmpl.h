/** @file sum_tmpl.h  The part of an operator that is the same for all whose updates add up.
 *
 * Ranks, counts of paths, degrees that fall: what comes to a vertex is added to what waits there, and whoever takes the
 * sum out hands it on as one. So what goes to a vertex is combined before it is processed, and what goes to a
 * vertex of the halo before it is sent: one packed item for all that its arcs brought meanwhile.
 *
 * An item lives in two steps, which its member `step` tells, and this file alone sets:
 *
 * - WEIR_SUM_COME: something has come to the vertex. The vertex waits in a queue of this device, whoever owns it. To
 *   process it is one atom, which claims the sum and makes of it
 * - WEIR_SUM_TAKEN: an item with that sum. Of a vertex of this part it is processed here, arc after arc, each of
 *   which makes a new item that says COME; of one of the halo it is packed and sent.
 *
 * An operator header NAME over a placed graph (algorithms/part.h) defines:
 *
 * - `NAME_item` with unsigned 32-bit members `vertex` and `step`, whatever a sum is, and no padding. In a queue the
 *   vertex is a local number, owned or of the halo; the packed form is the same struct with the global number;
 * - `NAME_state` with a member `part`, a weir_part;
 * - `int NAME_add(const NAME_state *, const NAME_item *)`
 *
 *   Add what an item says to what waits at its vertex, with atomics. Non-zero: the vertex is to be processed, and no
 *   item of it is on its way to that. To one lane that adds, at least, what waits there now must be told so: mostly the
 *   one that found nothing waiting, or that brought the sum to a threshold. Told too often, claims find nothing.
 *
 * - `int NAME_claim(const NAME_state *, NAME_item *)`
 *
 *   Take out what waits at the item's vertex (exchange with 0, say) and put it into the item. Once for each item; may
 *   apply it to the vertex, too. 0: there is nothing to hand on.
 *
 * - `void NAME_row(const NAME_state *, const NAME_item *, uint64_t *first, uint64_t *last)`
 *
 *   The atoms that a sum is handed on over; of an owned vertex. Changes nothing.
 *
 * - `int NAME_share(const NAME_state *, const NAME_item *, uint64_t atom, NAME_item *next)`
 *
 *   What one of them brings to its far end: next->vertex, by local number, and all members but `step`. 0: nothing.
 *
 * - `NAME_priority` as worklist/operator.h says, for items of both steps; NAME_seed if it wants to: its items say COME
 *   (step 0), or TAKEN with the sum in them.
 *
 * and then includes this file with WEIR_OPERATOR defined to NAME: NAME_wire and the other seven functions. A seed that is
 * sent (weir_traversal_seed()) says COME. With several devices a queue may hold an item for each vertex of the halo, too:
 * weir_traversal_config.halo_items. */
#ifndef WEIR_OPERATOR
#error "define WEIR_OPERATOR before including this"
#endif

#define WEIR_SUM_PASTE_(a, b) a##_##b
#define WEIR_SUM_PASTE(a, b)  WEIR_SUM_PASTE_(a, b)
#define OP(name)              WEIR_SUM_PASTE(WEIR_OPERATOR, name)

#ifndef WEIR_SUM_COME
#define WEIR_SUM_COME  0u
#define WEIR_SUM_TAKEN 1u
#endif

typedef OP(item) OP(wire);

WEIR_DEV int OP(tile)(const OP(state) * s, const OP(item) * item, uint64_t *first, uint64_t *last)
{
    *first = 0;
    *last = 1;
    if (item->step == WEIR_SUM_TAKEN)
        OP(row)(s, item, first, last);
    return 1;
}

WEIR_DEV int OP(atom)(const OP(state) * s, const OP(item) * item, uint64_t atom, OP(item) * next)
{
    int any;
    if (item->step == WEIR_SUM_TAKEN) {
        any = OP(share)(s, item, atom, next);
        next->step = WEIR_SUM_COME;
        return any;
    }
    *next = *item;
    any = OP(claim)(s, next);
    next->step = WEIR_SUM_TAKEN;
    return any;
}

WEIR_DEV enum weir_fate OP(on_send)(const OP(state) * s, const OP(item) * item)
{
    if (item->step == WEIR_SUM_TAKEN)
        return weir_part_owns(&s->part, item->vertex) ? WEIR_FATE_KEEP : WEIR_FATE_PASS;
    return OP(add)(s, item) ? WEIR_FATE_KEEP : WEIR_FATE_DROP;
}

WEIR_DEV uint32_t OP(owner)(const OP(state) * s, const OP(wire) * wire)
{
    return weir_part_owner(&s->part, wire->vertex);
}

WEIR_DEV uint32_t OP(pack)(const OP(state) * s, const OP(item) * item, OP(wire) * wire)
{
    *wire = *item;
    wire->vertex = weir_part_global(&s->part, item->vertex);
    wire->step = WEIR_SUM_COME;
    return OP(owner)(s, wire);
}

WEIR_DEV void OP(unpack)(const OP(state) * s, const OP(wire) * wire, OP(item) * item)
{
    uint32_t vertex;
    weir_part_local(&s->part, wire->vertex, &vertex);
    *item = *wire;
    item->vertex = vertex;
}

WEIR_DEV enum weir_fate OP(on_receive)(const OP(state) * s, const OP(wire) * wire)
{
    uint32_t vertex;
    OP(item) item;
    if (!weir_part_local(&s->part, wire->vertex, &vertex))
        return WEIR_FATE_PASS;
    OP(unpack)(s, wire, &item);
    return OP(add)(s, &item) ? WEIR_FATE_KEEP : WEIR_FATE_DROP;
}

/* The engine's templates have macros of their own. */
#undef OP
#undef WEIR_SUM_PASTE
#undef WEIR_SUM_PASTE_
