/** @file round_tmpl.h  A part of engine_tmpl.h: the atoms of a set dealt out by schedules, and rounds of
 *  workers that are threads, warps or blocks. */

/* ---- dealing atoms out ----------------------------------------------------------------------- */

/** Walk a set with schedule @p S. A lane that has walked its share stays in the loop until all lanes of its warp have.
 *  @param[in] form  a constant. */
#define WALK(S, set, base, lane, lanes, form)                               \
    do {                                                                    \
        WEIR_SCHEDULE_NAME(S, walk) walk;                                   \
        uint32_t tile = 0, atom = 0;                                        \
        WEIR_SCHEDULE_NAME(S, start)(&walk, set, lane, lanes);              \
        WEIR_ROLLED                                                         \
        for (;;) {                                                          \
            int go = WEIR_SCHEDULE_NAME(S, next)(&walk, set, &tile, &atom); \
            if (!weir_ballot(go))                                           \
                break;                                                      \
            OP(process_atom)(self, go, (base) + tile, atom, form);          \
        }                                                                   \
    } while (0)

/** Deal the atoms of a set out to @p lanes lanes, of which this is @p lane. */
WEIR_DEV void OP(walk_groups)(struct weir_engine_thread *self, weir_tile_set set, uint32_t base,
                              uint32_t lane, uint32_t lanes, uint32_t group)
{
    group = group < lanes ? group : lanes;
    weir_tile_set part = weir_tile_set_part(set, lane / group, lanes / group);
    uint32_t begin = base + weir_share_begin(set.tiles, lane / group, lanes / group);
    WALK(weir_group, part, begin, lane % group, group, FORM_GENERAL);
}

/** Run the operator on the atoms of a set, as the mapping says. */
WEIR_DEV void OP(walk_set)(struct weir_engine_thread *self, weir_tile_set set, uint32_t base,
                           uint32_t lane, uint32_t lanes, int form)
{
    const struct weir_engine_args *work = self->work;
    if (form != FORM_GENERAL) { /* the other kernels hold one schedule only */
        WALK(weir_group, set, base, lane, lanes, form);
        return;
    }
    switch (work->mapping) {
    case WEIR_ENGINE_BY_THREAD:
        WALK(weir_thread, set, base, lane, lanes, FORM_GENERAL);
        break;
    case WEIR_ENGINE_BY_WARP:
    case WEIR_ENGINE_BY_BLOCK:
        WALK(weir_strided, set, base, lane, lanes, FORM_GENERAL);
        break;
    case WEIR_ENGINE_BY_MERGE:
        WALK(weir_merge, set, base, lane, lanes, FORM_GENERAL);
        break;
#ifdef WEIR_SCHEDULE
    case WEIR_ENGINE_BY_OWN:
        WALK(WEIR_SCHEDULE, set, base, lane, lanes, FORM_GENERAL);
        break;
#endif
    default:
        OP(walk_groups)(self, set, base, lane, lanes, work->group);
    }
}

#if OP(folds)
static_assert(sizeof(OP(sum)) % 4 == 0, "NAME_sum is a multiple of four bytes");

/** The sum that lane @p from holds. */
WEIR_DEV OP(sum) OP(sum_of_lane)(OP(sum) sum, uint32_t from)
{
#ifdef __CUDACC__
    uint32_t words[sizeof sum / 4];
    memcpy(words, &sum, sizeof sum);
#pragma unroll
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = weir_broadcast_u32(words[i], from);
    memcpy(&sum, words, sizeof sum);
#else
    (void)from;
#endif
    return sum;
}

/** Add up the atoms of tile @p slot, of which each of the @p lanes lanes of a group takes its share. All lanes of the group get
 *  the sum. */
WEIR_DEV OP(sum)
    OP(fold_tile)(struct weir_engine_thread *self, uint32_t slot, uint32_t atoms, uint32_t lanes)
{
    const OP(state) *state = OP(state_of)(self);
    OP(item) item;
    OP(sum) sum;
    memset(&sum, 0, sizeof sum);
    if (atoms) {
        item = OP(block_of)(self)->item[slot];
        OP(begin_sum)(state, &item, &sum);
        WEIR_ROLLED
        for (uint64_t at = weir_lane() & (lanes - 1u); at < atoms; at += lanes)
            OP(add_atom)(state, &item, self->block->first[slot] + at, &sum);
    }
    WEIR_ROLLED
    for (uint32_t far = lanes / 2; far; far /= 2) {
        const OP(sum) other = OP(sum_of_lane)(sum, weir_lane() ^ far);
        if (atoms)
            OP(join_sums)(&sum, &other);
    }
    return sum;
}

/** Add up the atoms of each tile of a set that a warp has filled in from @p base on, a group of lanes to a tile, and give each sum
 *  to the operator. */
WEIR_DEV void OP(fold_set)(struct weir_engine_thread *self, uint32_t base, uint32_t count)
{
    const uint32_t group = self->work->group;
    const uint32_t lanes = group < WEIR_LANES ? group : WEIR_LANES;
    weir_lanes_sync();
    WEIR_ROLLED
    for (uint32_t t = weir_lane() / lanes;; t += WEIR_LANES / lanes) {
        struct OP(parcel) parcel;
        uint32_t atoms = t < count ? self->block->ends[base + t] : 0;
        parcel.to = TO_NOWHERE;
        if (!weir_ballot(t < count))
            return;
        if (atoms == WEIR_TILE_MOST) { /* the atoms cannot be counted */
            weir_refuse(self->work, self->block, WEIR_LOOK_LONG);
            atoms = 0;
        }
        const OP(sum) sum = OP(fold_tile)(self, base + t, atoms, lanes);
        if (atoms && (weir_lane() & (lanes - 1u)) == 0) {
            const OP(item) item = OP(block_of)(self)->item[base + t];
            if (OP(end_sum)(OP(state_of)(self), &item, &sum, &parcel.item))
                OP(choose_destination)(self, &parcel);
        }
        OP(push)(self, &parcel);
    }
}
#endif

/** Run the operator on the set that a warp has filled in from @p base on. */
WEIR_DEV void OP(walk_warp_set)(struct weir_engine_thread *self, uint32_t base, uint32_t count,
                                int form)
{
#if OP(folds)
    (void)form;
    OP(fold_set)(self, base, count);
#else
    if (OP(close_set)(self, base, count, form) == 0)
        return;
#ifndef __CUDACC__
    if (self->work->mapping == WEIR_ENGINE_BY_GROUP) {
        OP(walk_alone)(self, base, count);
        return;
    }
#endif
    weir_tile_set set = {self->block->ends + base, count, 0};
    OP(walk_set)(self, set, base, weir_lane(), WEIR_LANES, form);
#endif
}

/** The words of an item that lane @p from holds. */
WEIR_DEV OP(item) OP(item_of_lane)(OP(item) item, uint32_t from)
{
#ifdef __CUDACC__
    uint32_t words[(sizeof item + 3) / 4];
    memcpy(words, &item, sizeof item);
#pragma unroll
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = weir_broadcast_u32(words[i], from);
    memcpy(&item, words, sizeof item);
#else
    (void)from;
#endif
    return item;
}

/** Process near items, one for each group of @p lanes lanes, without a detour over shared memory: for tiles that have
 *  about as many atoms as a group has lanes. */
WEIR_DEV void OP(do_near_groups)(struct weir_engine_thread *self, uint32_t begin, uint32_t count,
                                 uint32_t lanes)
{
    const uint32_t lane = weir_lane() & (lanes - 1u), leader = weir_lane() - lane;
    const uint32_t group = weir_lane() / lanes;
    OP(item) item;
    uint64_t first = 0, atoms = 0;
    if (lane == 0 && group < count) {
        OP(items_get)(&item, (const OP(item) *)self->near_items + begin + group);
        atoms = OP(open_tile)(self, &item, &first);
        self->atoms += atoms;
    }
    if (weir_ballot(atoms > self->block->cut)) { /* only walk_warp_set() can cut tiles */
        const uint32_t slot = WARP_ID * SET + group;
        weir_lanes_sync(); /* the last set has been walked */
        if (lane == 0 && group < count) {
            OP(block_of)(self)->item[slot] = item;
            self->block->first[slot] = first;
            self->block->ends[slot] = weir_countable(atoms);
        }
        OP(walk_warp_set)(self, WARP_ID * SET, count, FORM_USUAL);
        return;
    }
    item = OP(item_of_lane)(item, leader);
    first = weir_broadcast_u64(first, leader);
    const uint32_t last = weir_broadcast_u32((uint32_t)atoms, leader);
    WEIR_ROLLED
    for (uint32_t at = lane;; at += lanes) {
        struct OP(parcel) parcel;
        parcel.to = TO_NOWHERE;
        if (!weir_ballot(at < last))
            return;
        if (at < last && OP(atom)(OP(state_of)(self), &item, first + at, &parcel.item))
            OP(choose_destination)(self, &parcel);
        OP(push)(self, &parcel);
    }
}

/** Do a set of one warp: @p count elements from @p index on. If workers are threads each lane has one element, and @p index is
 *  that of its own. */
WEIR_DEV void OP(do_warp_set)(struct weir_engine_thread *self, uint32_t index, uint32_t count,
                              int form)
{
    const uint32_t base = WARP_ID * SET;
    weir_lanes_sync(); /* the last set has been walked */
#ifndef __CUDACC__
    OP(ahead_tiles)(self, index, count);
#endif
    WEIR_ROLLED
    for (uint32_t i = 0; i < count; i += WEIR_LANES)
        OP(fill)(self, base + i + weir_lane(), index + i + weir_lane(), i + weir_lane() < count);
    OP(walk_warp_set)(self, base, count, form);
}

/** Run the operator on the tiles that the warps of a block have filled in, each @p mine from its part of the set on, @p tiles in
 *  all; only the last part that is not empty may be shorter than the others. All threads of the block. */
WEIR_DEV void OP(walk_block_set)(struct weir_engine_thread *self, uint32_t mine, uint32_t tiles)
{
    struct OP(block) *block = OP(block_of)(self);
    const uint32_t base = WARP_ID * SET;
    uint32_t before = 0;
    uint32_t atoms = OP(close_set)(self, base, mine, FORM_USUAL);
    if (weir_lane() == 0)
        block->base.scan[WARP_ID] = atoms;
    weir_block_sync();
    WEIR_ROLLED
    for (uint32_t w = 0; w != WARP_ID; w++)
        before += block->base.scan[w];
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < mine; i += WEIR_LANES)
        block->base.ends[base + i] += before;
    weir_block_sync();
    weir_tile_set set = {block->base.ends, tiles, 0};
    const uint32_t lane = WARP_ID * WEIR_LANES + weir_lane();
    OP(walk_set)(self, set, 0, lane, WARPS * WEIR_LANES, FORM_GENERAL);
}

/** Do a set of the whole block: up to WARPS x SET elements from @p index on. All threads of the block. */
WEIR_DEV void OP(do_block_set)(struct weir_engine_thread *self, uint32_t index, uint32_t count)
{
    const uint32_t base = WARP_ID * SET, tiles = count < WARPS * SET ? count : WARPS * SET;
    uint32_t mine = tiles > base ? tiles - base : 0;
    mine = mine < SET ? mine : SET;
    weir_block_sync();
    WEIR_ROLLED
    for (uint32_t i = 0; i < mine; i += WEIR_LANES) {
        const uint32_t at = base + i + weir_lane();
        OP(fill)(self, at, index + at, i + weir_lane() < mine);
    }
    OP(walk_block_set)(self, mine, tiles);
}

/* ---- rounds ----------------------------------------------------------------------------------- */

/** A worker is a thread: each lane fetches for itself. */
WEIR_DEV void OP(round_of_threads)(struct weir_engine_thread *self, uint32_t total, uint32_t active)
{
    const uint32_t threads = active * WARPS * WEIR_LANES;
    const uint32_t each = weir_fetch_now(self->work, total, threads, WARPS);
    const uint32_t base = WARP_ID * SET;
    uint64_t begin =
        ((uint64_t)self->block_number * WARPS * WEIR_LANES + WARP_ID * WEIR_LANES + weir_lane()) *
        each;
    WEIR_ROLLED
    while (weir_ballot(begin < total)) {
        WEIR_ROLLED
        for (uint32_t j = 0; j < each; j++) {
            int valid = begin + j < total;
            weir_lanes_sync();
            self->block->ends[base + weir_lane()] = 0;
            OP(fill)(self, base + weir_lane(), (uint32_t)begin + j, valid);
            if (OP(close_set)(self, base, WEIR_LANES, FORM_USUAL) == 0)
                continue;
            weir_tile_set set = {self->block->ends + base, WEIR_LANES, 0};
            WALK(weir_thread, set, base, weir_lane(), WEIR_LANES, FORM_GENERAL);
        }
        if ((uint64_t)threads * each >= total)
            break;
        begin = begin < total ? weir_fetch_again(self, threads * each, each) : total;
    }
}

/** A worker is a warp. */
WEIR_DEV void OP(round_of_warps)(struct weir_engine_thread *self, uint32_t total, uint32_t active,
                                 int form)
{
    const uint32_t warps = active * WARPS;
    const uint32_t each = weir_fetch_now(self->work, total, warps, WARPS);
    const int near_groups = form != FORM_GENERAL && self->near_items && self->work->group < SET;
    uint64_t begin = ((uint64_t)self->block_number * WARPS + WARP_ID) * each;
    WEIR_ROLLED
    while (begin < total) {
        uint32_t count = total - begin < each ? (uint32_t)(total - begin) : each;
        const uint32_t stride = near_groups ? SET / self->work->group : SET;
        WEIR_ROLLED
        for (uint32_t i = 0; i < count; i += stride) {
            const uint32_t now = count - i < stride ? count - i : stride;
            if (near_groups)
                OP(do_near_groups)(self, (uint32_t)begin + i, now, self->work->group);
            else
                OP(do_warp_set)(self, (uint32_t)begin + i, now, form);
        }
        if ((uint64_t)warps * each >= total)
            return;
        uint32_t next = 0;
        if (weir_lane() == 0)
            next = weir_fetch_again(self, warps * each, each);
        begin = weir_broadcast_u32(next, 0);
    }
}

/** The elements that a block fetched, by mappings that stay within a warp. */
WEIR_DEV void OP(share_of_warp)(struct weir_engine_thread *self, uint32_t begin, uint32_t count)
{
    uint32_t from = weir_share_begin(count, WARP_ID, WARPS);
    uint32_t to = weir_share_begin(count, WARP_ID + 1, WARPS);
    WEIR_ROLLED
    for (uint32_t i = from; i < to; i += SET)
        OP(do_warp_set)(self, begin + i, to - i < SET ? to - i : SET, FORM_GENERAL);
}

/** A worker is a block. */
WEIR_DEV void OP(round_of_blocks)(struct weir_engine_thread *self, uint32_t total, uint32_t active)
{
    const struct weir_engine_args *work = self->work;
    const uint32_t each = weir_fetch_now(work, total, active, WARPS);
    const int whole = work->mapping == WEIR_ENGINE_BY_BLOCK ||
                      work->mapping == WEIR_ENGINE_BY_MERGE ||
                      work->mapping == WEIR_ENGINE_BY_OWN ||
                      (work->mapping == WEIR_ENGINE_BY_GROUP && work->group > 32u);
    uint64_t begin = (uint64_t)self->block_number * each;
    WEIR_ROLLED
    while (begin < total) {
        uint32_t count = total - begin < each ? (uint32_t)(total - begin) : each;
        if (!whole)
            OP(share_of_warp)(self, (uint32_t)begin, count);
        WEIR_ROLLED
        for (uint32_t i = 0; whole && i < count; i += WARPS * SET)
            OP(do_block_set)(self, (uint32_t)begin + i, count - i);
        if ((uint64_t)active * each >= total)
            return;
        weir_block_sync();
        if (WARP_ID == 0 && weir_lane() == 0)
            self->block->fetched = weir_fetch_again(self, active * each, each);
        weir_block_sync();
        begin = self->block->fetched;
    }
}

#ifndef __CUDACC__
/** Process near items that this thread has kept, and those that come of them, as long as it can keep them all and they are no more
 *  than a round is worth: other threads wait for it, and so do a stop and the time limit. */
WEIR_DEV void OP(fuse)(struct weir_engine_thread *self, int form)
{
    struct OP(block) *block = OP(block_of)(self);
    struct OP(kept) *kept = &block->kept;
    uint32_t left = self->work->fuse;
    while (left && kept->head != kept->count) {
        uint32_t count = kept->count - kept->head;
        count = count < SET ? count : SET;
        count = count < left ? count : left;
        for (uint32_t i = 0; i < count; i++) {
            uint64_t first = 0;
            block->item[i] = kept->near[kept->head++];
            const uint64_t atoms = OP(open_tile)(self, &block->item[i], &first);
            block->base.first[i] = first;
            block->base.ends[i] = weir_countable(atoms);
            self->atoms += atoms;
        }
        left -= count;
        kept->fused += count;
        OP(walk_warp_set)(self, 0, count, form);
    }
}
#endif

/** Do this block's part of a round. */
WEIR_DEV void OP(round)(struct weir_engine_thread *self, uint64_t word, uint32_t total, int form)
{
    const struct weir_engine_args *work = self->work;
    const uint32_t active = weir_word_blocks(word, self->blocks);
    self->near_bag = self->block->order.near_bag;
    self->cursor = weir_word_generation(word) & 1u;
    self->near_items = NULL;
    if (weir_word_action(word) == WEIR_ACTION_NEAR) {
        self->near_bag = WEIR_BAG_NEAR + (weir_word_near_bag(word) ^ 1u);
        if (!work->packets)
            self->near_items = work->bag[self->near_bag ^ 1u].slots;
    }
    if (OP(folds_here))
        OP(round_of_warps)(self, total, active, FORM_GENERAL);
    else if (form != FORM_GENERAL || work->worker == WEIR_ENGINE_WARP)
        OP(round_of_warps)(self, total, active, form);
    else if (work->worker == WEIR_ENGINE_THREAD)
        OP(round_of_threads)(self, total, active);
    else
        OP(round_of_blocks)(self, total, active);
#ifndef __CUDACC__
    OP(fuse)(self, FORM_GENERAL);
    OP(kept_flush)(self);
#endif
    if (work->stage_channels)
        OP(flush_all)(OP(args_of)(self), OP(block_of)(self));
    if (!self->near_items) /* packets of a discrete kernel may come with a near bag */
        weir_add_counts(self);
    weir_add_pushed(self);
}
