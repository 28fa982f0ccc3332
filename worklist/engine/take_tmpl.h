/** @file take_tmpl.h  A part of engine_tmpl.h: what the elements of a round are, the sets of tiles that warps
 *  and blocks make of them, and how tiles that are too long for one warp are cut. */

/* ---- taking ---------------------------------------------------------------------------------- */

/** An item that may be processed now: its atoms. One lane. @return how many; 0 if it is stale. */
WEIR_DEV uint64_t OP(open_tile)(struct OP(run) * run, const OP(item) * item, uint64_t *first)
{
    uint64_t last = 0;
    if (!OP(tile)(&run->args->state, item, first, &last)) {
        run->stale++;
        return 0;
    }
    return last - *first;
}

/** An item that was kept and lies in no bag yet: what is near is processed in this round. One lane. */
WEIR_DEV uint64_t OP(take_kept)(struct OP(run) * run, struct OP(parcel) * parcel,
                                const OP(item) * item, uint64_t *first)
{
    uint32_t place = OP(near_or_far)(run, item);
    if (place == run->near_bag && run->args->work.order != WEIR_ENGINE_BULK)
        return OP(open_tile)(run, item, first);
    run->moved++;
    parcel->item = *item;
    parcel->place = place;
    return 0;
}

/** A packed item that arrived. One lane. */
WEIR_DEV uint64_t OP(take_arrived)(struct OP(run) * run, OP(wire) wire, struct OP(parcel) * parcel,
                                   OP(item) * item, uint64_t *first)
{
    const OP(state) *state = &run->args->state;
    enum weir_fate fate = OP(on_receive)(state, &wire);
    if (fate == WEIR_FATE_DROP) {
        run->merged++;
        return 0;
    }
    if (fate == WEIR_FATE_PASS) {
        run->moved++;
        parcel->wire = wire;
        parcel->place = OP(lane_place)(run, OP(owner)(state, &wire));
        return 0;
    }
    OP(unpack)(state, &wire, item);
    return OP(take_kept)(run, parcel, item, first);
}

#if OP(seeds)
/** A number that the operator makes a seed of. One lane. */
WEIR_DEV uint64_t OP(take_number)(struct OP(run) * run, uint32_t number, struct OP(parcel) * parcel,
                                  OP(item) * item, uint64_t *first)
{
    if (OP(seed)(&run->args->state, number, item))
        return OP(take_kept)(run, parcel, item, first);
    run->merged++;
    return 0;
}
#endif

/** A deferred item: near, far still, or stale by now. One lane. */
WEIR_DEV uint64_t OP(take_far)(struct OP(run) * run, struct OP(parcel) * parcel, OP(item) * item,
                               uint64_t *first)
{
    uint64_t last;
    if (!OP(tile)(&run->args->state, item, first, &last)) {
        run->merged++;
        return 0;
    }
    uint32_t place = OP(near_or_far)(run, item);
    if (place == run->near_bag)
        return last - *first;
    run->moved++;
    run->reparked++;
    parcel->item = *item;
    parcel->place = place;
    return 0;
}

/** Where element @p at of those that spilled from a bag lies. One lane. */
WEIR_DEV const void *OP(find_spilled)(const struct OP(args) * args, uint32_t bag, uint32_t at)
{
    const int held = bag == WEIR_BAG_HELD || bag == WEIR_BAG_HELD + 1;
    return weir_spill_place(&args->work.bag[bag], at,
                            (uint32_t)(held ? sizeof(OP(wire)) : sizeof(OP(item))));
}

/** Find out what element @p index of the round is. One lane.
 *  @param[out] parcel  something to push in its place, or PLACE_NONE.
 *  @return its atoms, from *first on. */
WEIR_DEV uint64_t OP(take)(struct OP(run) * run, uint32_t index, struct OP(parcel) * parcel,
                           OP(item) * item, uint64_t *first)
{
    const struct OP(block) *block = run->block;
    uint32_t s = 0, begin = 0;
    WEIR_ROLLED
    while (index >= block->segment[s].end)
        begin = block->segment[s++].end;
    const void *slots = block->segment[s].slots;
    uint32_t at = index - begin;
#if OP(seeds)
    if (block->segment[s].kind == WEIR_SEGMENT_SEED)
        return OP(take_number)(run, at, parcel, item, first);
#endif
    if (!slots) {
        slots = OP(find_spilled)(run->args, block->segment[s].bag, at);
        at = 0;
    }
    switch (block->segment[s].kind) {
    case WEIR_SEGMENT_NEAR:
        OP(items_get)(item, (const OP(item) *)slots + at);
        return OP(open_tile)(run, item, first);
    case WEIR_SEGMENT_PIECE: {
        const struct OP(piece) *piece = (const struct OP(piece) *)slots + at;
        OP(items_get)(item, &piece->item);
        *first = piece->first;
        return piece->count;
    }
    case WEIR_SEGMENT_FAR:
        OP(items_get)(item, (const OP(item) *)slots + at);
        return OP(take_far)(run, parcel, item, first);
    case WEIR_SEGMENT_HELD:
        OP(wires_get)(&parcel->wire, (const OP(wire) *)slots + at);
        parcel->place = OP(lane_place)(run, OP(owner)(&run->args->state, &parcel->wire));
        run->moved++;
        return 0;
    default: {
        OP(wire) wire;
        OP(wires_get)(&wire, (const OP(wire) *)slots + at);
        return OP(take_arrived)(run, wire, parcel, item, first);
    }
    }
}

/* ---- atoms ------------------------------------------------------------------------------------ */

/** One atom of tile @p slot in each lane that has @p go. */
WEIR_DEV void OP(run_atom)(struct OP(run) * run, int go, uint32_t slot, uint32_t atom)
{
    struct OP(parcel) parcel;
    parcel.place = PLACE_NONE;
    if (go) {
        OP(item) item = run->block->item[slot];
        if (OP(atom)(&run->args->state, &item, run->block->first[slot] + atom, &parcel.item))
            OP(settle_new)(run, &parcel);
    }
    OP(push)(run, &parcel);
}

/* ---- sets of tiles ---------------------------------------------------------------------------- */

/** What one lane counted in a function that is called, to be added to its run. */
struct OP(counts) {
    uint32_t pushed, moved, merged, reparked, stale, atoms;
};

/** Atoms of a tile, as a set counts them: WEIR_TILE_MOST stands for more than can be counted. */
WEIR_DEV uint32_t OP(countable)(uint64_t atoms)
{
    return atoms < WEIR_TILE_MOST ? (uint32_t)atoms : WEIR_TILE_MOST;
}

/** fill() for rounds of more than near items. */
WEIR_COLD struct OP(counts) OP(fill_any)(const struct OP(args) * args, struct OP(block) * block,
                                         uint32_t slot, uint32_t index, int valid)
{
    struct OP(run) run = OP(call_run)(args, block, block->order.near_bag);
    struct OP(parcel) parcel;
    parcel.place = PLACE_NONE;
    if (valid) {
        OP(item) item;
        uint64_t first = 0;
        run.atoms = OP(take)(&run, index, &parcel, &item, &first);
        block->item[slot] = item;
        block->first[slot] = first;
        block->ends[slot] = OP(countable)(run.atoms);
    }
    OP(push)(&run, &parcel);
    struct OP(counts) counts = {run.pushed,   run.moved,           run.merged,
                                run.reparked, (uint32_t)run.stale, OP(countable)(run.atoms)};
    return counts;
}

/** Take element @p index, if @p valid, as tile @p slot of the block's set. */
WEIR_DEV void OP(fill)(struct OP(run) * run, uint32_t slot, uint32_t index, int valid)
{
    if (!run->near_items) {
        struct OP(counts) counts = OP(fill_any)(run->args, run->block, slot, index, valid);
        run->pushed += counts.pushed;
        run->moved += counts.moved;
        run->merged += counts.merged;
        run->reparked += counts.reparked;
        run->stale += counts.stale;
        run->atoms += counts.atoms;
    } else if (valid) { /* near items are processed or stale, never moved */
        OP(item) item;
        uint64_t first = 0;
        OP(items_get)(&item, run->near_items + index);
        uint64_t count = OP(open_tile)(run, &item, &first);
        run->block->item[slot] = item;
        run->block->first[slot] = first;
        run->block->ends[slot] = OP(countable)(count);
        run->atoms += count;
    }
}

/** The first @p atoms of a tile are seen to. */
WEIR_DEV void OP(skip_atoms)(struct OP(block) * block, uint32_t slot, uint32_t atoms)
{
    weir_lanes_sync();
    if (weir_lane() == 0) {
        block->first[slot] += atoms;
        block->ends[slot] -= atoms;
    }
    weir_lanes_sync();
}

/** Put the first atoms of a tile aside, in pieces for a round of their own; that round does not cut them again. What
 *  the bag of pieces has no room for is done in place.
 *  @return atoms that were put aside: they are counted with the pieces. */
WEIR_DEV uint32_t OP(cut_tile)(const struct OP(args) * args, struct OP(block) * block,
                               uint32_t slot)
{
    const struct weir_bag *bag = &args->work.bag[WEIR_BAG_PIECE];
    const uint32_t atoms = block->ends[slot];
    uint32_t length = atoms / 1024u + 1u, base = 0;
    length = length > args->work.cut ? length : args->work.cut;
    const uint32_t pieces = atoms / length;
    struct OP(piece) piece;
    if (weir_lane() == 0) {
        base = weir_atomic_add_relaxed_dev_u32(OP(tail)(&args->work, WEIR_BAG_PIECE), pieces);
        block->special = 1;
    }
    base = weir_broadcast_u32(base, 0);
    uint32_t given = base < bag->room ? bag->room - base : 0;
    given = given < pieces ? given : pieces;
    piece.item = block->item[slot];
    piece.count = length;
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < given; i += WEIR_LANES) {
        piece.first = block->first[slot] + (uint64_t)i * length;
        (void)OP(pieces_put)(bag, base + i, &piece);
    }
    OP(skip_atoms)(block, slot, given * length);
    return given * length;
}

/** Cut the tiles of a warp's set that are too long. Of pieces nothing is cut: their bag is being read. It calls nothing,
 *  and counts for the device rather than for the run of a lane, so that the callers keep their registers.
 *  What is left of all tiles together must be countable; if it is not, the run ends. */
WEIR_COLD void OP(cut_set)(const struct OP(args) * args, struct OP(block) * block, uint32_t base,
                           uint32_t count)
{
    uint64_t put_aside = 0, left = 0;
    int countable = 1;
    if (weir_word_action(block->word) == WEIR_ACTION_PLAN &&
        block->segment[0].kind == WEIR_SEGMENT_PIECE)
        return;
    WEIR_ROLLED
    for (uint32_t i = base; i < base + count; i++) {
        countable &= block->ends[i] != WEIR_TILE_MOST;
        if (countable && block->ends[i] > args->work.cut)
            put_aside += OP(cut_tile)(args, block, i);
        left += block->ends[i];
    }
    if (weir_lane() == 0)
        (void)weir_atomic_add_relaxed_dev_u64(&args->work.control->atoms, 0 - put_aside);
    if (countable && left < WEIR_SET_MOST)
        return;
    OP(refuse)(args, block, WEIR_LOOK_LONG);
    WEIR_ROLLED
    for (uint32_t i = base; i < base + count; i++)
        OP(skip_atoms)(block, i, block->ends[i]);
}

/** Cut long tiles, then turn the numbers of atoms into where each tile ends.
 *  @return atoms of the warp's part of the set, which begins at @p base. */
WEIR_DEV uint32_t OP(close_set)(struct OP(run) * run, uint32_t base, uint32_t count)
{
    uint32_t *ends = run->block->ends + base, longest = 0;
    weir_lanes_sync();
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < count; i += WEIR_LANES)
        longest = longest > ends[i] ? longest : ends[i];
    if (weir_max_u32(longest) > run->args->work.cut) {
        OP(cut_set)(run->args, run->block, base, count);
    }
    return weir_scan_u32(ends, count);
}
