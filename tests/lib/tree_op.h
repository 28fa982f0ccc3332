/** @file tree_op.h  A test operator: random trees in which every item must be consumed once.
 *
 * An item is a node of a tree that nobody stores: its children, their tags and their owners follow
 * from its own tag. So the host can walk the same tree and say what each device must have consumed.
 * Nothing is merged. Atom 0 of an item records that it was consumed (the engine promises each atom
 * once, a tile may be asked for again); atoms 1 .. k make its k children.
 *
 * A packed item repeats its content in a checksum and a filling, which are looked at on arrival and
 * again when the item is consumed: a byte that was read before it was written shows. */
#ifndef WEIR_TESTS_LIB_TREE_OP_H
#define WEIR_TESTS_LIB_TREE_OP_H

#include "worklist/operator.h"

typedef struct tree_item {
    uint64_t tag;
    uint32_t depth;
    uint32_t check;
} tree_item;

typedef struct tree_wire {
    uint64_t tag;
    uint64_t filling;
    uint32_t depth;
    uint32_t check;
} tree_wire;

enum tree_shape {
    TREE_RANDOM = 0, /**< 0 to 2 * fan children, down to `depth` */
    TREE_HUB,        /**< the root has `fan` children, which have none */
    TREE_CHAIN,      /**< one child each, down to `depth` */
    TREE_ENDLESS,    /**< `fan` children each, for ever */
    /** A tile of 2^32 - 1 atoms and `fan`, which has a sign, more: not to be done. With `twigs` only items at `depth`
     *  whose tags are multiples of four are so; other roots have that many children, which have none. */
    TREE_VAST,
    /** A spine, down to `depth`: each item has one child that stays on it and `fan` stubs; a stub has `twigs`
     *  children, which have none. By owner's rule TREE_BY_KIND the spine and the twigs stay where they are,
     *  and stubs leave. */
    TREE_SPINE
};

enum tree_owner_rule {
    TREE_BY_TAG = 0, /**< anywhere */
    TREE_BY_DEPTH,   /**< `stride` devices further with each step */
    TREE_BY_KIND     /**< of spines: stubs `stride` devices further, all else where its parent is */
};

enum tree_priority_rule {
    TREE_PRIORITY_DEPTH = 0,
    TREE_PRIORITY_ANY,  /**< below `spread`, by tag */
    TREE_PRIORITY_LAST, /**< the largest there is */
    TREE_PRIORITY_DOWN  /**< falls with depth: children are more urgent than their parents */
};

/** What one device consumed. Sums are over tags, once as they are and once mixed. */
typedef struct tree_record {
    uint64_t consumed, sum, mixed;
    uint64_t corrupt;   /**< items whose bytes were not what was sent */
    uint64_t misplaced; /**< items consumed by a device that does not own them */
} tree_record;

typedef struct tree_state {
    tree_record *record; /* memory of the device */
    uint32_t device, devices;
    uint32_t shape, owner_rule, priority_rule;
    uint32_t fan, depth, stride, spread, twigs, pad;
} tree_state;

/** A bijection that scatters (the finaliser of splitmix64). */
WEIR_DEV uint64_t tree_mix(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

WEIR_DEV uint32_t tree_check(uint64_t tag, uint32_t depth)
{
    return (uint32_t)(tree_mix(tag ^ ((uint64_t)depth << 40)) >> 32);
}

WEIR_DEV tree_item tree_root(uint64_t seed)
{
    tree_item item;
    item.tag = tree_mix(seed);
    item.depth = 0;
    item.check = tree_check(item.tag, 0);
    return item;
}

/** Of a spine: `depth` is that of a stub, wherever it grows. */
WEIR_DEV uint32_t tree_spine_children(const tree_state *s, const tree_item *item)
{
    if (item->depth < s->depth)
        return 1 + s->fan;
    return item->depth == s->depth ? s->twigs : 0;
}

WEIR_DEV int tree_is_vast(const tree_state *s, const tree_item *item)
{
    return s->shape == TREE_VAST &&
           (s->twigs == 0 || (item->depth == s->depth && item->tag % 4 == 0));
}

WEIR_DEV uint32_t tree_children(const tree_state *s, const tree_item *item)
{
    if (s->shape == TREE_SPINE)
        return tree_spine_children(s, item);
    if (s->shape == TREE_ENDLESS)
        return s->fan;
    if (s->shape == TREE_HUB)
        return item->depth == 0 ? s->fan : 0;
    if (s->shape == TREE_VAST)
        return item->depth == 0 && !tree_is_vast(s, item) ? s->twigs : 0;
    if (item->depth >= s->depth)
        return 0;
    if (s->shape == TREE_CHAIN)
        return 1;
    return (uint32_t)(tree_mix(item->tag ^ 1) % (2 * (uint64_t)s->fan + 1));
}

/** By TREE_BY_KIND the last byte of a tag names the owner. */
WEIR_DEV uint32_t tree_kind_owner(const tree_state *s, uint64_t tag)
{
    return (uint32_t)(tag & 0xFF) % s->devices;
}

/** @param[in] number  from 1; the first child of a spine's item stays on it. */
WEIR_DEV tree_item tree_child(const tree_state *s, const tree_item *item, uint64_t number)
{
    tree_item child;
    const int stub = s->shape == TREE_SPINE && number > 1 && item->depth < s->depth;
    child.tag = tree_mix(item->tag + number);
    child.depth = stub ? s->depth : item->depth + 1;
    if (s->owner_rule == TREE_BY_KIND)
        child.tag = (child.tag & ~(uint64_t)0xFF) |
                    (tree_kind_owner(s, item->tag) + (stub ? s->stride : 0)) % s->devices;
    child.check = tree_check(child.tag, child.depth);
    return child;
}

WEIR_DEV uint32_t tree_owner_of(const tree_state *s, uint64_t tag, uint32_t depth)
{
    if (s->owner_rule == TREE_BY_KIND)
        return tree_kind_owner(s, tag);
    if (s->owner_rule == TREE_BY_DEPTH)
        return (uint32_t)((uint64_t)depth * s->stride % s->devices);
    return (uint32_t)(tree_mix(tag ^ 2) % s->devices);
}

WEIR_DEV void tree_count(uint64_t *counter, int yes)
{
    if (yes)
        weir_atomic_add_relaxed_dev_u64(counter, 1);
}

WEIR_DEV int tree_tile(const tree_state *s, const tree_item *item, uint64_t *first, uint64_t *last)
{
    *first = 0;
    *last = 1 + (uint64_t)tree_children(s, item);
    if (tree_is_vast(s, item))
        *last = UINT64_C(0xFFFFFFFF) + (uint64_t)(int64_t)(int32_t)s->fan;
    return 1;
}

WEIR_DEV int tree_atom(const tree_state *s, const tree_item *item, uint64_t atom, tree_item *next)
{
    if (tree_is_vast(s, item)) /* soon done with, where it should not be done */
        return 0;
    if (atom > 0) {
        *next = tree_child(s, item, atom);
        return 1;
    }
    weir_atomic_add_relaxed_dev_u64(&s->record->consumed, 1);
    weir_atomic_add_relaxed_dev_u64(&s->record->sum, item->tag);
    weir_atomic_add_relaxed_dev_u64(&s->record->mixed, tree_mix(item->tag));
    tree_count(&s->record->corrupt, item->check != tree_check(item->tag, item->depth));
    tree_count(&s->record->misplaced, tree_owner_of(s, item->tag, item->depth) != s->device);
    return 0;
}

WEIR_DEV enum weir_fate tree_on_send(const tree_state *s, const tree_item *item)
{
    return tree_owner_of(s, item->tag, item->depth) == s->device ? WEIR_FATE_KEEP : WEIR_FATE_PASS;
}

WEIR_DEV uint32_t tree_owner(const tree_state *s, const tree_wire *wire)
{
    return tree_owner_of(s, wire->tag, wire->depth);
}

WEIR_DEV uint32_t tree_pack(const tree_state *s, const tree_item *item, tree_wire *wire)
{
    wire->tag = item->tag;
    wire->filling = ~item->tag;
    wire->depth = item->depth;
    wire->check = item->check;
    return tree_owner(s, wire);
}

WEIR_DEV enum weir_fate tree_on_receive(const tree_state *s, const tree_wire *wire)
{
    tree_count(&s->record->corrupt,
               wire->check != tree_check(wire->tag, wire->depth) || wire->filling != ~wire->tag);
    return tree_owner(s, wire) == s->device ? WEIR_FATE_KEEP : WEIR_FATE_PASS;
}

WEIR_DEV void tree_unpack(const tree_state *s, const tree_wire *wire, tree_item *item)
{
    (void)s;
    item->tag = wire->tag;
    item->depth = wire->depth;
    item->check = wire->check;
}

WEIR_DEV uint32_t tree_priority(const tree_state *s, const tree_item *item)
{
    switch (s->priority_rule) {
    case TREE_PRIORITY_ANY:
        return (uint32_t)(tree_mix(item->tag ^ 3) % s->spread);
    case TREE_PRIORITY_LAST:
        return 0xFFFFFFFFu;
    case TREE_PRIORITY_DOWN:
        return s->depth - item->depth;
    default:
        return item->depth;
    }
}

#endif
