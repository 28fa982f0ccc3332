/** @file fold_op.h  A test operator that adds up rows: a sum, a count and a largest neighbour, without an atomic an atom.
 *
 * An item in step 0 says: add up this row. The epilogue stores what it found and sends an item in step 1 to the
 * largest neighbour, by global number, which adds up its own row anew and counts how often it was asked to. */
#ifndef WEIR_TESTS_LIB_FOLD_OP_H
#define WEIR_TESTS_LIB_FOLD_OP_H

#include "algorithms/part.h"
#include "worklist/operator.h"

typedef struct fold_item {
    uint32_t vertex, step;
} fold_item;
typedef fold_item fold_wire;

typedef struct fold_value {
    uint64_t sum;   /* of a number that each neighbour has */
    uint32_t count; /* neighbours */
    uint32_t asked; /* in step 1; atomics */
} fold_value;

typedef struct fold_sum {
    uint64_t sum;
    uint32_t count;
    uint32_t largest, largest_local; /* global number + 1, and the local one; 0: none */
    uint32_t spare;
} fold_sum;

typedef struct fold_state {
    weir_part part;
    fold_value *value; /* of owned vertices */
    uint32_t *wrong;   /* step 1 found another sum than step 0 had */
} fold_state;

WEIR_BOTH uint64_t fold_number(uint32_t global)
{
    uint64_t mixed = (global + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
    return mixed ^ mixed >> 29;
}

WEIR_DEV uint32_t fold_global(const fold_state *s, uint32_t local)
{
    return weir_part_owns(&s->part, local) ? s->part.first[s->part.part] + local
                                           : weir_part_global(&s->part, local);
}

#define fold_folds 1
WEIR_DEV void fold_begin_sum(const fold_state *s, const fold_item *item, fold_sum *sum)
{
    (void)s, (void)item;
    sum->sum = 0;
    sum->count = sum->largest = sum->largest_local = sum->spare = 0;
}

WEIR_DEV void fold_add_atom(const fold_state *s, const fold_item *item, uint64_t atom,
                            fold_sum *sum)
{
    const uint32_t target = s->part.targets[atom], global = fold_global(s, target);
    (void)item;
    sum->sum += fold_number(global);
    sum->count++;
    if (sum->largest < global + 1) {
        sum->largest = global + 1;
        sum->largest_local = target;
    }
}

WEIR_DEV void fold_join_sums(fold_sum *sum, const fold_sum *other)
{
    sum->sum += other->sum;
    sum->count += other->count;
    if (sum->largest < other->largest) {
        sum->largest = other->largest;
        sum->largest_local = other->largest_local;
    }
}

WEIR_DEV int fold_end_sum(const fold_state *s, const fold_item *item, const fold_sum *sum,
                          fold_item *next)
{
    fold_value *value = &s->value[item->vertex];
    if (item->step) {
        (void)weir_atomic_add_relaxed_dev_u32(&value->asked, 1);
        if (sum->count != s->part.offsets[item->vertex + 1] - s->part.offsets[item->vertex])
            (void)weir_atomic_add_relaxed_dev_u32(s->wrong, 1);
        return 0;
    }
    value->sum = sum->sum;
    value->count = sum->count;
    next->vertex = sum->largest_local;
    next->step = 1;
    return 1;
}

WEIR_DEV int fold_tile(const fold_state *s, const fold_item *item, uint64_t *first, uint64_t *last)
{
    *first = s->part.offsets[item->vertex];
    *last = s->part.offsets[item->vertex + 1];
    return 1;
}

WEIR_DEV enum weir_fate fold_on_send(const fold_state *s, const fold_item *item)
{
    return weir_part_owns(&s->part, item->vertex) ? WEIR_FATE_KEEP : WEIR_FATE_PASS;
}

WEIR_DEV uint32_t fold_owner(const fold_state *s, const fold_wire *wire)
{
    return weir_part_owner(&s->part, wire->vertex);
}

WEIR_DEV uint32_t fold_pack(const fold_state *s, const fold_item *item, fold_wire *wire)
{
    wire->vertex = weir_part_global(&s->part, item->vertex);
    wire->step = item->step;
    return fold_owner(s, wire);
}

WEIR_DEV enum weir_fate fold_on_receive(const fold_state *s, const fold_wire *wire)
{
    uint32_t vertex;
    return weir_part_local(&s->part, wire->vertex, &vertex) ? WEIR_FATE_KEEP : WEIR_FATE_PASS;
}

WEIR_DEV void fold_unpack(const fold_state *s, const fold_wire *wire, fold_item *item)
{
    weir_part_local(&s->part, wire->vertex, &item->vertex);
    item->step = wire->step;
}

WEIR_DEV uint32_t fold_priority(const fold_state *s, const fold_item *item)
{
    (void)s;
    return item->step * 1000 + item->vertex % 1000;
}

#define fold_seeds 1
WEIR_DEV int fold_seed(const fold_state *s, uint32_t vertex, fold_item *item)
{
    (void)s;
    item->vertex = vertex;
    item->step = 0;
    return 1;
}

#endif
