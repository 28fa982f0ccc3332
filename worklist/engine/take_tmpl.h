/** @file take_tmpl.h  A part of engine_tmpl.h: what the elements of a round are, the sets of tiles that warps
 *  and blocks make of them, and how tiles that are too long for one warp are cut. */

/* ---- taking ---------------------------------------------------------------------------------- */

/** Find the atoms of an item that may be processed now. One lane. @return how many there are; 0 if the item is stale. */
WEIR_DEV uint64_t OP(open_tile)(struct weir_engine_thread *self, const OP(item) * item,
                                uint64_t *first)
{
    uint64_t last = 0;
    if (!OP(tile)(OP(state_of)(self), item, first, &last)) {
        self->stale++;
        return 0;
    }
#ifndef __CUDACC__
    OP(ahead_atoms)(self, *first);
#endif
    return last - *first;
}

/** Take an item that the operator kept and that lies in no bag yet. If the item is near it is processed in this round, else it is
 *  put into a bag. One lane. @return its atoms; 0 if it goes into a bag. */
WEIR_DEV uint64_t OP(take_kept)(struct weir_engine_thread *self, struct OP(parcel) * parcel,
                                const OP(item) * item, uint64_t *first)
{
    uint32_t bag = OP(bag_for)(self, item);
    if (bag == self->near_bag && self->work->order != WEIR_ENGINE_BULK && !self->choked)
        return OP(open_tile)(self, item, first);
    self->moved++;
    parcel->item = *item;
    parcel->to = bag;
    return 0;
}

/** Take a packed item that arrived. One lane. @return the atoms of the item if it is to be processed now, else 0. */
WEIR_DEV uint64_t OP(take_arrived)(struct weir_engine_thread *self, OP(wire) wire,
                                   struct OP(parcel) * parcel, OP(item) * item, uint64_t *first)
{
    const OP(state) *state = OP(state_of)(self);
    enum weir_fate fate = OP(on_receive)(state, &wire);
    if (fate == WEIR_FATE_DROP) {
        self->merged++;
        return 0;
    }
    if (fate == WEIR_FATE_PASS) {
        self->moved++;
        parcel->wire = wire;
        parcel->to = weir_channel_to(self->work, OP(owner)(state, &wire));
        return 0;
    }
    OP(unpack)(state, &wire, item);
    return OP(take_kept)(self, parcel, item, first);
}

#if OP(seeds)
/** Take a number, of which the operator makes a seed. One lane. @return the atoms of the seed if it is to be processed now, else
 *  0. */
WEIR_DEV uint64_t OP(take_number)(struct weir_engine_thread *self, uint32_t number,
                                  struct OP(parcel) * parcel, OP(item) * item, uint64_t *first)
{
    if (OP(seed)(OP(state_of)(self), number, item))
        return OP(take_kept)(self, parcel, item, first);
    self->merged++;
    return 0;
}
#endif

/** Take a deferred item, which is near now, or still far, or stale by now. One lane. @return its atoms if it is near, else 0. */
WEIR_DEV uint64_t OP(take_far)(struct weir_engine_thread *self, struct OP(parcel) * parcel,
                               OP(item) * item, uint64_t *first)
{
    uint64_t last;
    if (!OP(tile)(OP(state_of)(self), item, first, &last)) {
        self->merged++;
        return 0;
    }
    uint32_t bag = OP(bag_for)(self, item);
    if (bag == self->near_bag)
        return last - *first;
    self->moved++;
    self->still_deferred++;
    parcel->item = *item;
    parcel->to = bag;
    return 0;
}

/** The address of element number @p at of those that spilled from a bag. One lane. */
WEIR_DEV const void *OP(find_spilled)(const struct OP(args) * args, uint32_t bag, uint32_t at)
{
    const int held = bag == WEIR_BAG_HELD || bag == WEIR_BAG_HELD + 1;
    return weir_spill_address(&args->work.bag[bag], at,
                              (uint32_t)(held ? sizeof(OP(wire)) : sizeof(OP(item))));
}

/** Find out what element @p index of the round is. One lane.
 *  @param[out] parcel  what is to be pushed in place of the element; its destination is TO_NOWHERE if there is nothing.
 *  @return the atoms of the element, from *first on. */
WEIR_DEV uint64_t OP(take)(struct weir_engine_thread *self, uint32_t index,
                           struct OP(parcel) * parcel, OP(item) * item, uint64_t *first)
{
    const struct OP(block) *block = OP(block_of)(self);
    uint32_t s = 0, begin = 0;
    WEIR_ROLLED
    while (index >= block->base.segment[s].end)
        begin = block->base.segment[s++].end;
    const void *slots = block->base.segment[s].slots;
    uint32_t at = index - begin;
#if OP(seeds)
    if (block->base.segment[s].kind == WEIR_SEGMENT_SEED)
        return OP(take_number)(self, at, parcel, item, first);
#endif
    if (!slots) {
        slots = OP(find_spilled)(OP(args_of)(self), block->base.segment[s].bag, at);
        at = 0;
    }
    switch (block->base.segment[s].kind) {
    case WEIR_SEGMENT_NEAR:
        OP(items_get)(item, (const OP(item) *)slots + at);
        return OP(open_tile)(self, item, first);
    case WEIR_SEGMENT_PIECE: {
        const struct OP(piece) *piece = (const struct OP(piece) *)slots + at;
        OP(items_get)(item, &piece->item);
        *first = piece->first;
        return piece->count;
    }
    case WEIR_SEGMENT_FAR:
        OP(items_get)(item, (const OP(item) *)slots + at);
        return OP(take_far)(self, parcel, item, first);
    case WEIR_SEGMENT_HELD:
        OP(wires_get)(&parcel->wire, (const OP(wire) *)slots + at);
        parcel->to = weir_channel_to(self->work, OP(owner)(OP(state_of)(self), &parcel->wire));
        self->moved++;
        return 0;
    default: {
        OP(wire) wire;
        if (block->base.segment[s].kind == WEIR_SEGMENT_WOVEN)
            OP(unweave)((uint64_t *)(uintptr_t)slots + (uint64_t)at * OP(woven_words), &wire);
        else
            OP(wires_get)(&wire, (const OP(wire) *)slots + at);
        return OP(take_arrived)(self, wire, parcel, item, first);
    }
    }
}

/* ---- atoms ------------------------------------------------------------------------------------ */

/** Process one atom of tile @p slot in each lane that has @p go. @param[in] form  a constant: only FORM_GENERAL has lines. */
WEIR_DEV void OP(process_atom)(struct weir_engine_thread *self, int go, uint32_t slot,
                               uint32_t atom, int form)
{
    struct OP(parcel) parcel;
    uint64_t at = 0;
    parcel.to = TO_NOWHERE;
    if (go) {
        at = self->block->first[slot];
        if (form == FORM_GENERAL && WEIR_LANES > 1 && self->work->lines) {
            go = atom >= weir_lead_of(at);
            at = weir_without_lead(at + atom);
        } else {
            at += atom;
        }
    }
    if (go) {
        OP(item) item = OP(block_of)(self)->item[slot];
        if (OP(atom)(OP(state_of)(self), &item, at, &parcel.item))
            OP(choose_destination)(self, &parcel);
    }
    OP(push)(self, &parcel);
}

/* ---- sets of tiles ---------------------------------------------------------------------------- */

/** What one lane counted in a function that is called; the caller adds it to what the thread counted. */
struct OP(counts) {
    uint32_t pushed, moved, merged, still_deferred, stale, atoms;
};

/** As fill(), for rounds that have other elements than near items too. */
WEIR_COLD struct OP(counts) OP(fill_any)(const struct OP(args) * args, struct OP(block) * block,
                                         uint32_t slot, uint32_t index, int valid)
{
    struct weir_engine_thread self =
        weir_thread_called(&args->work, &block->base, block->base.order.near_bag);
    struct OP(parcel) parcel;
    parcel.to = TO_NOWHERE;
    if (valid) {
        OP(item) item;
        uint64_t first = 0;
        self.atoms = OP(take)(&self, index, &parcel, &item, &first);
        if (self.atoms) /* there may be no item if there are no atoms */
            block->item[slot] = item;
        block->base.first[slot] = first;
        block->base.ends[slot] = weir_countable(self.atoms);
    }
    OP(push)(&self, &parcel);
    struct OP(counts) counts;
    counts.pushed = self.pushed;
    counts.moved = self.moved;
    counts.merged = self.merged;
    counts.still_deferred = self.still_deferred;
    counts.stale = (uint32_t)self.stale;
    counts.atoms = weir_countable(self.atoms);
    return counts;
}

/** Take element @p index, if @p valid, as tile @p slot of the block's set. */
WEIR_DEV void OP(fill)(struct weir_engine_thread *self, uint32_t slot, uint32_t index, int valid)
{
    if (!self->near_items) {
        struct OP(counts) counts =
            OP(fill_any)(OP(args_of)(self), OP(block_of)(self), slot, index, valid);
        self->pushed += counts.pushed;
        self->moved += counts.moved;
        self->merged += counts.merged;
        self->still_deferred += counts.still_deferred;
        self->stale += counts.stale;
        self->atoms += counts.atoms;
    } else if (valid) { /* near items are processed or stale, never moved */
        OP(item) item;
        uint64_t first = 0;
        OP(items_get)(&item, (const OP(item) *)self->near_items + index);
        uint64_t count = OP(open_tile)(self, &item, &first);
        OP(block_of)(self)->item[slot] = item;
        self->block->first[slot] = first;
        self->block->ends[slot] = weir_countable(count);
        self->atoms += count;
    }
}

/** Cut the first atoms of a tile off, in pieces that a round of their own processes; that round does not cut them again.
 *  Atoms that the bag of pieces has no room for stay with the tile.
 *  @return atoms that were cut off: they are counted with the pieces. */
WEIR_DEV uint32_t OP(cut_tile)(const struct OP(args) * args, struct OP(block) * block,
                               uint32_t slot)
{
    const struct weir_bag *bag = &args->work.bag[WEIR_BAG_PIECE];
    const uint32_t atoms = block->base.ends[slot];
    uint32_t length = atoms / 1024u + 1u, base = 0;
    length = length > block->base.cut ? length : block->base.cut;
    const uint32_t pieces = atoms / length;
    struct OP(piece) piece;
    if (weir_lane() == 0) {
        base = weir_atomic_add_relaxed_dev_u32(weir_bag_tail(&args->work, WEIR_BAG_PIECE), pieces);
        block->base.special = 1;
    }
    base = weir_broadcast_u32(base, 0);
    uint32_t given = base < bag->room ? bag->room - base : 0;
    given = given < pieces ? given : pieces;
    piece.item = block->item[slot];
    piece.count = length;
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < given; i += WEIR_LANES) {
        piece.first = block->base.first[slot] + (uint64_t)i * length;
        (void)OP(pieces_put)(bag, base + i, &piece);
    }
    weir_skip_atoms(&block->base, slot, given * length);
    return given * length;
}

/** Cut the tiles of a warp's set that are too long. In a round of pieces nothing is cut, since the bag of pieces is being
 *  read. The function calls no other one and counts for the device, not for the lane, so that its callers keep their
 *  registers. The atoms that are left in all tiles together must be countable; if they are not, the run ends. */
WEIR_COLD void OP(cut_set)(const struct OP(args) * args, struct OP(block) * block, uint32_t base,
                           uint32_t count)
{
    uint64_t cut_off = 0, left = 0;
    int countable = 1;
    if (weir_word_action(block->base.word) == WEIR_ACTION_PLAN &&
        block->base.segment[0].kind == WEIR_SEGMENT_PIECE)
        return;
    WEIR_ROLLED
    for (uint32_t i = base; i < base + count; i++) {
        countable &= block->base.ends[i] != WEIR_TILE_MOST;
        if (countable && block->base.ends[i] > block->base.cut)
            cut_off += OP(cut_tile)(args, block, i);
        left += block->base.ends[i];
    }
    if (weir_lane() == 0)
        weir_add_relaxed_dev_u64(&args->work.control->atoms, 0 - cut_off);
    if (countable && left < WEIR_SET_MOST)
        return;
    weir_refuse(&args->work, &block->base, WEIR_LOOK_LONG);
    WEIR_ROLLED
    for (uint32_t i = base; i < base + count; i++)
        weir_skip_atoms(&block->base, i, block->base.ends[i]);
}

/* In live_tmpl.h. */
WEIR_COLD void OP(live_cut_set)(const struct OP(args) * args, struct OP(block) * block,
                                uint32_t base, uint32_t count);

/** Cut long tiles, then turn the numbers of atoms into where each tile ends.
 *  @param[in] form  a constant.
 *  @return atoms of the warp's part of the set, which begins at @p base. */
WEIR_DEV uint32_t OP(close_set)(struct weir_engine_thread *self, uint32_t base, uint32_t count,
                                int form)
{
    uint32_t *ends = self->block->ends + base, longest = 0;
    weir_lanes_sync();
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < count; i += WEIR_LANES)
        longest = longest > ends[i] ? longest : ends[i];
    if (weir_max_u32(longest) > self->block->cut) {
        if (!self->live)
            OP(cut_set)(OP(args_of)(self), OP(block_of)(self), base, count);
        else if (!self->uncut)
            OP(live_cut_set)(OP(args_of)(self), OP(block_of)(self), base, count);
    }
    if (form == FORM_GENERAL && WEIR_LANES > 1 && self->work->lines)
        weir_align_set(self->block, base, count);
    return weir_scan_u32(ends, count);
}
