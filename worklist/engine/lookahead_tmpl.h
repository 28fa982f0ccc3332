/** @file lookahead_tmpl.h  A part of engine_tmpl.h: look-ahead, that is what a warp knows of a narrow round before the
 * round begins.
 *
 * While blocks wait for each other at the end of a round nothing changes in the graph. So the warps of a block use that time
 * to look at the items that the block will process next (block_queue.h): they find out which vertices the atoms of those
 * items reach, and where the tiles of these vertices begin and end; and they have what the updates will change fetched
 * into the second-level cache. When the round begins only the updates are left to do.
 *
 * A small group of lanes works on one tile. If a tile has more atoms than its group has lanes, lanes of other groups that
 * have no atom take second atoms over, so that all atoms are under way at the same time. */

/** A new item that an atom may make, and the bounds of its tile. Both are loads that need not have finished. */
struct OP(reached) {
    OP(item) item;
    uint64_t first, last;
};

/** Some tiles that a warp will process, one for each group of lanes, as one lane knows them. */
struct OP(ahead) {
    uint32_t count; /* tiles; 0: there are none */
    int cut;        /* some of them are too long for a group */
    int fresh;      /* the tile of this lane's next atom is not stale */
    uint32_t stale,
        fresh_atoms; /* what this lane counts: stale tiles, and atoms of those that are not */
    OP(item) item;   /* of this lane's group */
    uint64_t first;  /* the tile has the atoms first to first + atoms - 1 */
    uint32_t atoms;  /* of these the lane has one in every group's width, beginning with its rank */
    int any, both;   /* whether the lane has a first atom, and a second one */
    struct OP(reached) one; /* what the first of the two makes */
    struct OP(reached) two; /* what the second one makes */
};

/** Give second atoms to lanes that have no atom, as far as there are such lanes. */
WEIR_DEV void OP(deal_out)(struct OP(ahead) * ahead)
{
    const uint32_t seconds = weir_ballot(ahead->both), idle = weir_ballot(!ahead->any);
    if (WEIR_LANES == 1u || !seconds)
        return;
    const uint32_t before = (1u << weir_lane()) - 1u, nth = weir_popcount_u32(idle & before);
    uint32_t from = seconds;
    WEIR_ROLLED
    for (uint32_t skip = 0; skip < nth && from; skip++)
        from &= from - 1u;
    const int mine = !ahead->any && from;
    const uint32_t lane = mine ? weir_first_bit_u32(from) : weir_lane();
    const OP(item) item = OP(item_of_lane)(ahead->two.item, lane);
    const int fresh = (int)weir_broadcast_u32((uint32_t)ahead->fresh, lane);
    if (mine) {
        ahead->one.item = item;
        ahead->fresh = fresh;
        ahead->any = 1;
    }
    if (ahead->both && weir_popcount_u32(seconds & before) < weir_popcount_u32(idle))
        ahead->both = 0;
}

/** Begin to fetch what the update of an item will change, and the bounds of the item's tile. */
WEIR_DEV void OP(expect_one)(const struct weir_engine_thread *self, struct OP(reached) * reached)
{
    OP(expect)(OP(state_of)(self), &reached->item);
    OP(bounds)(OP(state_of)(self), &reached->item, &reached->first, &reached->last);
}

/** Look at what this lane's first two atoms reach. The loads of both atoms are under way together, and after them the loads of
 *  what the atoms reach. */
WEIR_DEV void OP(look_at)(const struct weir_engine_thread *self, struct OP(ahead) * ahead)
{
    const OP(state) *state = OP(state_of)(self);
    const uint32_t at = weir_narrow_rank(self->work), further = at + (1u << GROUP_LOG(self->work));
    ahead->any = at < ahead->atoms;
    ahead->both = further < ahead->atoms;
    if (ahead->any)
        OP(reach)(state, &ahead->item, ahead->first + at, &ahead->one.item);
    if (ahead->both)
        OP(reach)(state, &ahead->item, ahead->first + further, &ahead->two.item);
    OP(deal_out)(ahead);
    if (ahead->any)
        OP(expect_one)(self, &ahead->one);
    if (ahead->both)
        OP(expect_one)(self, &ahead->two);
}

/** Look ahead at @p count tiles: at this lane's, and at what its first atoms reach. Nothing that is read here changes in a
 *  run, except whether the tile is stale; if the tile becomes stale later its updates change nothing.
 *  @param[in] bounds  of the lane's tile, or WEIR_BOUNDS_UNKNOWN. */
WEIR_DEV void OP(look_ahead)(const struct weir_engine_thread *self, struct OP(ahead) * ahead,
                             uint32_t count, uint64_t bounds)
{
    const OP(state) *state = OP(state_of)(self);
    const struct weir_engine_args *work = self->work;
    const int mine = weir_lane() >> GROUP_LOG(work) < count;
    uint64_t last = 0, unused[2];
    ahead->count = count;
    ahead->first = 0;
    ahead->fresh = 0;
    if (mine && bounds != WEIR_BOUNDS_UNKNOWN) {
        ahead->first = weir_bounds_first(bounds);
        last = ahead->first + weir_bounds_count(bounds);
    } else if (mine) {
        OP(bounds)(state, &ahead->item, &ahead->first, &last);
    }
    ahead->cut = weir_ballot(last - ahead->first > work->cut) != 0;
    ahead->atoms = ahead->cut ? 0 : (uint32_t)(last - ahead->first);
    if (mine && !ahead->cut) /* the answer is needed only when the atoms are known */
        ahead->fresh = OP(tile)(state, &ahead->item, &unused[0], &unused[1]);
    ahead->stale = mine && !ahead->cut && !ahead->fresh && weir_narrow_rank(work) == 0;
    ahead->fresh_atoms = ahead->fresh && weir_narrow_rank(work) == 0 ? ahead->atoms : 0;
    OP(look_at)(self, ahead);
}

/** Look at set number @p set of the block. ahead->count is 0 if there is no such set. */
WEIR_DEV void OP(look_at_set)(const struct weir_engine_thread *self, struct OP(ahead) * ahead,
                              const struct weir_narrow_sets *sets, uint32_t set)
{
    const struct weir_engine_args *work = self->work;
    const struct OP(block) *block = OP(block_of)(self);
    const uint32_t log = SET_LOG(work), each = 1u << log;
    const uint32_t queued_sets = (sets->queued + each - 1u) >> log;
    const uint32_t tile = weir_lane() >> GROUP_LOG(work);
    uint64_t bounds = WEIR_BOUNDS_UNKNOWN;
    uint32_t begin = set << log, end = sets->queued;
    ahead->count = 0;
    if (set >= queued_sets) {
        if (!sets->shared)
            return;
        begin = ((set - queued_sets) * sets->stride + sets->first) << log;
        end = sets->shared;
    }
    if (begin >= end)
        return;
    if (begin + tile < end && tile < each) {
        if (set < queued_sets) {
            ahead->item = block->queued[sets->half][begin + tile];
            bounds = block->queued_bounds[sets->half][begin + tile];
        } else {
            const OP(item) *items = (const OP(item) *)work->bag[WEIR_BAG_NEAR + sets->half].slots;
            if (sets->has_bounds) /* this load and the next one are under way together */
                bounds = weir_load_relaxed_dev_u64(&work->bounds[sets->half][begin + tile]);
            OP(items_get)(&ahead->item, items + begin + tile);
        }
    }
    OP(look_ahead)(self, ahead, end - begin < each ? end - begin : each, bounds);
}
