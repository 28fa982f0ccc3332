/** @file alone_tmpl.h  A part of engine_tmpl.h: the tiles of a set as a thread of a host device walks them.
 *
 * A warp has 32 lanes that wait for memory side by side. A thread of a host device has one, which takes the tiles of a set one after the
 * other, in the order of their atoms, and needs no schedule for that. Each of its tiles is a chain of looks that depend on each other: the
 * item, the bounds of its tile, its atoms, what they update. So it asks for the next link of the chain for all tiles of a set before it
 * goes on with the first one (group prefetching: Chen, Ailamaki, Gibbons, Mowry, ICDE 2004), as far as the operator says where
 * that lies (operator.h: NAME_fetches). */

#if OP(fetches)
/** The atoms of a tile begin here: they will be looked at soon. */
WEIR_DEV void OP(ahead_atoms)(const struct weir_engine_thread *self, uint64_t first)
{
    OP(fetch_atoms)(OP(state_of)(self), first);
}

/** The near items of a set are about to be taken. */
WEIR_DEV void OP(ahead_tiles)(const struct weir_engine_thread *self, uint32_t index, uint32_t count)
{
    const OP(item) *items = (const OP(item) *)self->near_items;
    for (uint32_t i = 0; items && i < count; i++)
        OP(fetch_tile)(OP(state_of)(self), &items[index + i]);
}
#else
WEIR_DEV void OP(ahead_atoms)(const struct weir_engine_thread *self, uint64_t first)
{
    (void)self, (void)first;
}

WEIR_DEV void OP(ahead_tiles)(const struct weir_engine_thread *self, uint32_t index, uint32_t count)
{
    (void)self, (void)index, (void)count;
}
#endif

/** Run the operator on one atom of a tile. */
WEIR_DEV void OP(walk_atom)(struct weir_engine_thread *self, const OP(item) * item, uint64_t atom)
{
    struct OP(parcel) parcel;
    parcel.to = TO_NOWHERE;
    if (!OP(atom)(OP(state_of)(self), item, atom, &parcel.item))
        return;
    OP(choose_destination)(self, &parcel);
    OP(push)(self, &parcel);
}

#if OP(fetches) && OP(narrow)
enum {
    OP(atoms_ahead) = 4 /* of a tile: what these update is asked for */
};

/** Ask for what the first atoms of each tile of a closed set update. */
WEIR_DEV void OP(ahead_updates)(const struct weir_engine_thread *self, uint32_t base,
                                uint32_t count)
{
    const struct OP(block) *block = OP(block_of)(self);
    for (uint32_t t = base, before = 0; t < base + count; before = block->base.ends[t++])
        for (uint32_t i = 0; i < block->base.ends[t] - before && i < OP(atoms_ahead); i++) {
            OP(item) next;
            OP(reach)(OP(state_of)(self), &block->item[t], block->base.first[t] + i, &next);
            OP(expect)(OP(state_of)(self), &next);
        }
}
#else
WEIR_DEV void OP(ahead_updates)(const struct weir_engine_thread *self, uint32_t base,
                                uint32_t count)
{
    (void)self, (void)base, (void)count;
}
#endif

/** Run the operator on the set that a thread has filled in and closed, from @p base on. */
WEIR_DEV void OP(walk_alone)(struct weir_engine_thread *self, uint32_t base, uint32_t count)
{
    const struct OP(block) *block = OP(block_of)(self);
    OP(ahead_updates)(self, base, count);
    for (uint32_t t = base, before = 0; t < base + count; before = block->base.ends[t++]) {
        const uint32_t atoms = block->base.ends[t] - before;
        const uint64_t first = block->base.first[t];
        if (!atoms) /* a stale item, or none */
            continue;
        const OP(item) item = block->item[t];
        for (uint32_t i = 0; i < atoms; i++)
            OP(walk_atom)(self, &item, first + i);
    }
}
