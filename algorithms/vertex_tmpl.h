/** @file vertex_tmpl.h  The part of an operator that is the same for all whose items name vertices.
 *
 * An operator header NAME over a placed graph (algorithms/part.h) defines:
 *
 * - `NAME_item` with an unsigned member `vertex`, and no padding. In a queue it is a local number; the packed
 *   form is the same struct with the global number in it;
 * - `NAME_state` with a member `part`, a weir_part;
 * - `NAME_tile`, `NAME_atom`, `NAME_priority` as worklist/operator.h says;
 * - `int NAME_improve(const NAME_state *, const NAME_item *)`
 *
 *   Apply what an item says to the value of its vertex, one that this device owns or that is of its halo,
 *   with one atomic. Non-zero: it was news. Of two lanes that bring the same news one alone is told so, and
 *   what is no news now is none later: values move one way. (sum_tmpl.h is for updates that add up.)
 *
 * and then includes this file with WEIR_OPERATOR defined to NAME: NAME_wire and the other five functions.
 * A value of the halo stands for what its owner was told by this device, so that no news is sent twice. */
#ifndef WEIR_OPERATOR
#error "define WEIR_OPERATOR before including this"
#endif

#define WEIR_VERTEX_PASTE_(a, b) a##_##b
#define WEIR_VERTEX_PASTE(a, b)  WEIR_VERTEX_PASTE_(a, b)
#define OP(name)                 WEIR_VERTEX_PASTE(WEIR_OPERATOR, name)

typedef OP(item) OP(wire);

WEIR_DEV enum weir_fate OP(on_send)(const OP(state) * s, const OP(item) * item)
{
    if (!OP(improve)(s, item))
        return WEIR_FATE_DROP;
    return weir_part_owns(&s->part, (uint32_t)item->vertex) ? WEIR_FATE_KEEP : WEIR_FATE_PASS;
}

WEIR_DEV uint32_t OP(owner)(const OP(state) * s, const OP(wire) * wire)
{
    return weir_part_owner(&s->part, (uint32_t)wire->vertex);
}

WEIR_DEV uint32_t OP(pack)(const OP(state) * s, const OP(item) * item, OP(wire) * wire)
{
    *wire = *item;
    wire->vertex = weir_part_global(&s->part, (uint32_t)item->vertex);
    return OP(owner)(s, wire);
}

WEIR_DEV void OP(unpack)(const OP(state) * s, const OP(wire) * wire, OP(item) * item)
{
    uint32_t vertex;
    weir_part_local(&s->part, (uint32_t)wire->vertex, &vertex);
    *item = *wire;
    item->vertex = vertex;
}

WEIR_DEV enum weir_fate OP(on_receive)(const OP(state) * s, const OP(wire) * wire)
{
    uint32_t vertex;
    OP(item) item;
    if (!weir_part_local(&s->part, (uint32_t)wire->vertex, &vertex))
        return WEIR_FATE_PASS;
    OP(unpack)(s, wire, &item);
    return OP(improve)(s, &item) ? WEIR_FATE_KEEP : WEIR_FATE_DROP;
}

/* The engine's templates have macros of their own. */
#undef OP
#undef WEIR_VERTEX_PASTE
#undef WEIR_VERTEX_PASTE_
