/** @file tree_min_op.h  A test operator that merges: shortest distances over a graph nobody stores.
 *
 * Key k leads to `fan` keys that follow from k, over steps of a length that follows from k. Every
 * device keeps the smallest distance it has seen of every key; an item that improves nothing is
 * dropped, at the sender, on arrival, or stale in a queue. What is left at the end on a key's owner
 * is the shortest distance whatever was merged on the way; the host finds it by itself. */
#ifndef WEIR_TESTS_LIB_TREE_MIN_OP_H
#define WEIR_TESTS_LIB_TREE_MIN_OP_H

#include "tests/lib/tree_op.h"

#define TREE_MIN_FAR 0xFFFFFFFFu

typedef struct tree_min_item {
    uint32_t key;
    uint32_t distance;
} tree_min_item;

typedef tree_min_item tree_min_wire;

typedef struct tree_min_state {
    uint32_t *best; /* memory of the device: `keys` values */
    uint32_t device, devices;
    uint32_t keys, fan, longest;
} tree_min_state;

WEIR_DEV tree_min_item tree_min_step(const tree_min_state *s, const tree_min_item *item,
                                     uint64_t number)
{
    uint64_t roll = tree_mix(((uint64_t)item->key << 32) + number);
    tree_min_item next;
    next.key = (uint32_t)(roll % s->keys);
    next.distance = item->distance + 1 + (uint32_t)((roll >> 32) % s->longest);
    return next;
}

WEIR_DEV int tree_min_tile(const tree_min_state *s, const tree_min_item *item, uint64_t *first,
                           uint64_t *last)
{
    *first = 0;
    *last = s->fan;
    return weir_load_relaxed_dev_u32(&s->best[item->key]) >= item->distance;
}

WEIR_DEV int tree_min_atom(const tree_min_state *s, const tree_min_item *item, uint64_t atom,
                           tree_min_item *next)
{
    *next = tree_min_step(s, item, atom);
    return 1;
}

WEIR_DEV int tree_min_improves(const tree_min_state *s, uint32_t key, uint32_t distance)
{
    return weir_atomic_min_relaxed_dev_u32(&s->best[key], distance) > distance;
}

WEIR_DEV uint32_t tree_min_owner(const tree_min_state *s, const tree_min_wire *wire)
{
    return wire->key % s->devices;
}

WEIR_DEV enum weir_fate tree_min_on_send(const tree_min_state *s, const tree_min_item *item)
{
    if (!tree_min_improves(s, item->key, item->distance))
        return WEIR_FATE_DROP;
    return tree_min_owner(s, item) == s->device ? WEIR_FATE_KEEP : WEIR_FATE_PASS;
}

WEIR_DEV uint32_t tree_min_pack(const tree_min_state *s, const tree_min_item *item,
                                tree_min_wire *wire)
{
    *wire = *item;
    return tree_min_owner(s, wire);
}

WEIR_DEV enum weir_fate tree_min_on_receive(const tree_min_state *s, const tree_min_wire *wire)
{
    /* A device on the way of a ring merges as well. */
    if (!tree_min_improves(s, wire->key, wire->distance))
        return WEIR_FATE_DROP;
    return tree_min_owner(s, wire) == s->device ? WEIR_FATE_KEEP : WEIR_FATE_PASS;
}

WEIR_DEV void tree_min_unpack(const tree_min_state *s, const tree_min_wire *wire,
                              tree_min_item *item)
{
    (void)s;
    *item = *wire;
}

WEIR_DEV uint32_t tree_min_priority(const tree_min_state *s, const tree_min_item *item)
{
    (void)s;
    return item->distance;
}

#endif
