/** @file wide_tmpl.h  A test operator whose items are long: a tree of them, each full of words that follow from its key.
 *
 * Define WEIR_OPERATOR and WIDE_WORDS, include, then one of the engine's templates. An item of depth d has `fan`
 * children until the depth is `most`; each is looked at whole where it is processed, so a word that was lost or put
 * elsewhere is counted as wrong. */
#include "tests/lib/tree_op.h"
#include "tests/lib/wide.h"

#define WIDE_PASTE_(a, b) a##_##b
#define WIDE_PASTE(a, b)  WIDE_PASTE_(a, b)
#define OP(name)          WIDE_PASTE(WEIR_OPERATOR, name)

typedef struct OP(item) {
    uint64_t key;
    uint64_t depth;
    uint64_t words[WIDE_WORDS];
} OP(item);

typedef OP(item) OP(wire);
typedef struct wide_state OP(state);

WEIR_DEV void OP(make_whole)(OP(item) * item, uint64_t key, uint64_t depth)
{
    item->key = key;
    item->depth = depth;
    for (uint64_t i = 0; i < WIDE_WORDS; i++)
        item->words[i] = tree_mix(key + i);
}

WEIR_DEV int OP(tile)(const OP(state) * s, const OP(item) * item, uint64_t *first, uint64_t *last)
{
    *first = 0;
    *last = item->depth < s->most ? s->fan + 1 : 1;
    return 1;
}

/* Atom 0 looks at the item itself, the others make its children. */
WEIR_DEV int OP(atom)(const OP(state) * s, const OP(item) * item, uint64_t atom, OP(item) * next)
{
    uint64_t wrong = 0;
    if (atom) {
        OP(make_whole)(next, tree_mix(item->key * 64 + atom), item->depth + 1);
        return 1;
    }
    for (uint64_t i = 0; i < WIDE_WORDS; i++)
        wrong += item->words[i] != tree_mix(item->key + i);
    (void)weir_atomic_add_relaxed_dev_u64(&s->counts[0], 1);
    (void)weir_atomic_add_relaxed_dev_u64(&s->counts[1], wrong);
    return 0;
}

WEIR_DEV uint32_t OP(owner)(const OP(state) * s, const OP(wire) * wire)
{
    return (uint32_t)(wire->key % s->devices);
}

WEIR_DEV enum weir_fate OP(on_send)(const OP(state) * s, const OP(item) * item)
{
    return OP(owner)(s, item) == s->device ? WEIR_FATE_KEEP : WEIR_FATE_PASS;
}

WEIR_DEV uint32_t OP(pack)(const OP(state) * s, const OP(item) * item, OP(wire) * wire)
{
    *wire = *item;
    return OP(owner)(s, wire);
}

WEIR_DEV enum weir_fate OP(on_receive)(const OP(state) * s, const OP(wire) * wire)
{
    return OP(on_send)(s, wire);
}

WEIR_DEV void OP(unpack)(const OP(state) * s, const OP(wire) * wire, OP(item) * item)
{
    (void)s;
    *item = *wire;
}

WEIR_DEV uint32_t OP(priority)(const OP(state) * s, const OP(item) * item)
{
    (void)s;
    return (uint32_t)item->depth;
}

/* The engine's templates have macros of their own. */
#undef OP
#undef WIDE_PASTE
#undef WIDE_PASTE_
