/** @file round_tmpl.h  A part of engine_tmpl.h: the atoms of a set dealt out by schedules, and rounds of
 *  workers that are threads, warps or blocks. */

/* ---- dealing atoms out ----------------------------------------------------------------------- */

/** Walk a set with schedule @p S. Lanes leave the walk at different times; the warp stays together. */
#define WALK(S, set, base, lane, lanes)                                     \
    do {                                                                    \
        WEIR_SCHEDULE_NAME(S, walk) walk;                                   \
        uint32_t tile = 0, atom = 0;                                        \
        WEIR_SCHEDULE_NAME(S, start)(&walk, set, lane, lanes);              \
        WEIR_ROLLED                                                         \
        for (;;) {                                                          \
            int go = WEIR_SCHEDULE_NAME(S, next)(&walk, set, &tile, &atom); \
            if (!weir_ballot(go))                                           \
                break;                                                      \
            OP(run_atom)(run, go, (base) + tile, atom);                     \
        }                                                                   \
    } while (0)

/** Deal the atoms of a set out to @p lanes lanes, of which this is @p lane. */
WEIR_DEV void OP(walk_groups)(struct OP(run) * run, weir_tile_set set, uint32_t base, uint32_t lane,
                              uint32_t lanes, uint32_t group)
{
    group = group < lanes ? group : lanes;
    weir_tile_set part = weir_tile_set_part(set, lane / group, lanes / group);
    uint32_t begin = base + weir_share_begin(set.tiles, lane / group, lanes / group);
    WALK(weir_group, part, begin, lane % group, group);
}

/** Run the operator on the atoms of a set, as the mapping says. */
WEIR_DEV void OP(walk_set)(struct OP(run) * run, weir_tile_set set, uint32_t base, uint32_t lane,
                           uint32_t lanes, int form)
{
    const struct weir_engine_args *work = &run->args->work;
    if (form !=
        FORM_GENERAL) { /* the kernel for what is picked by default has no other schedule in it */
        WALK(weir_group, set, base, lane, lanes);
        return;
    }
    switch (work->mapping) {
    case WEIR_ENGINE_BY_THREAD:
        WALK(weir_thread, set, base, lane, lanes);
        break;
    case WEIR_ENGINE_BY_WARP:
    case WEIR_ENGINE_BY_BLOCK:
        WALK(weir_strided, set, base, lane, lanes);
        break;
    case WEIR_ENGINE_BY_MERGE:
        WALK(weir_merge, set, base, lane, lanes);
        break;
#ifdef WEIR_SCHEDULE
    case WEIR_ENGINE_BY_OWN:
        WALK(WEIR_SCHEDULE, set, base, lane, lanes);
        break;
#endif
    default:
        OP(walk_groups)(run, set, base, lane, lanes, work->group);
    }
}

#if OP(folds)
/** The sum that lane @p from holds. */
WEIR_DEV OP(sum) OP(sum_of_lane)(OP(sum) sum, uint32_t from)
{
#ifdef __CUDACC__
    uint32_t words[sizeof sum / 4];
    static_assert(sizeof words == sizeof sum, "a sum is whole words");
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

/** Add up the atoms of tile @p slot, this lane's of @p lanes; all lanes of a group get the sum of all. */
WEIR_DEV OP(sum) OP(fold_tile)(struct OP(run) * run, uint32_t slot, uint32_t atoms, uint32_t lanes)
{
    const OP(state) *state = &run->args->state;
    OP(item) item;
    OP(sum) sum;
    memset(&sum, 0, sizeof sum);
    if (atoms) {
        item = run->block->item[slot];
        OP(begin_sum)(state, &item, &sum);
        WEIR_ROLLED
        for (uint64_t at = weir_lane() & (lanes - 1u); at < atoms; at += lanes)
            OP(add_atom)(state, &item, run->block->first[slot] + at, &sum);
    }
    WEIR_ROLLED
    for (uint32_t far = lanes / 2; far; far /= 2) {
        const OP(sum) other = OP(sum_of_lane)(sum, weir_lane() ^ far);
        if (atoms)
            OP(join_sums)(&sum, &other);
    }
    return sum;
}

/** Add up the tiles of a set that a warp has filled in from @p base on, a group of lanes to each, and end each. */
WEIR_DEV void OP(fold_set)(struct OP(run) * run, uint32_t base, uint32_t count)
{
    const uint32_t group = run->args->work.group;
    const uint32_t lanes = group < WEIR_LANES ? group : WEIR_LANES;
    weir_lanes_sync();
    WEIR_ROLLED
    for (uint32_t t = weir_lane() / lanes;; t += WEIR_LANES / lanes) {
        struct OP(parcel) parcel;
        uint32_t atoms = t < count ? run->block->ends[base + t] : 0;
        parcel.place = PLACE_NONE;
        if (!weir_ballot(t < count))
            return;
        if (atoms == WEIR_TILE_MOST) { /* cannot be counted */
            OP(refuse)(run->args, run->block, WEIR_LOOK_LONG);
            atoms = 0;
        }
        const OP(sum) sum = OP(fold_tile)(run, base + t, atoms, lanes);
        if (atoms && (weir_lane() & (lanes - 1u)) == 0) {
            const OP(item) item = run->block->item[base + t];
            if (OP(end_sum)(&run->args->state, &item, &sum, &parcel.item))
                OP(settle_new)(run, &parcel);
        }
        OP(push)(run, &parcel);
    }
}
#endif

/** Run the operator on the set that a warp has filled in from @p base on. */
WEIR_DEV void OP(walk_warp_set)(struct OP(run) * run, uint32_t base, uint32_t count, int form)
{
#if OP(folds)
    (void)form;
    OP(fold_set)(run, base, count);
#else
    if (OP(close_set)(run, base, count) == 0)
        return;
    weir_tile_set set = {run->block->ends + base, count, 0};
    OP(walk_set)(run, set, base, weir_lane(), WEIR_LANES, form);
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

/** Near items, one for each group of @p lanes lanes, without a detour over shared memory: for tiles that
 *  have about as many atoms as a group has lanes. */
WEIR_DEV void OP(do_near_groups)(struct OP(run) * run, uint32_t begin, uint32_t count,
                                 uint32_t lanes)
{
    const uint32_t lane = weir_lane() & (lanes - 1u), leader = weir_lane() - lane;
    const uint32_t group = weir_lane() / lanes;
    OP(item) item;
    uint64_t first = 0, atoms = 0;
    if (lane == 0 && group < count) {
        OP(items_get)(&item, run->near_items + begin + group);
        atoms = OP(open_tile)(run, &item, &first);
        run->atoms += atoms;
    }
    if (weir_ballot(atoms > run->args->work.cut)) { /* the way of sets can cut */
        const uint32_t slot = WARP_ID * SET + group;
        weir_lanes_sync(); /* the last set has been walked */
        if (lane == 0 && group < count) {
            run->block->item[slot] = item;
            run->block->first[slot] = first;
            run->block->ends[slot] = OP(countable)(atoms);
        }
        OP(walk_warp_set)(run, WARP_ID * SET, count, FORM_USUAL);
        return;
    }
    item = OP(item_of_lane)(item, leader);
    first = weir_broadcast_u64(first, leader);
    const uint32_t last = weir_broadcast_u32((uint32_t)atoms, leader);
    WEIR_ROLLED
    for (uint32_t at = lane;; at += lanes) {
        struct OP(parcel) parcel;
        parcel.place = PLACE_NONE;
        if (!weir_ballot(at < last))
            return;
        if (at < last && OP(atom)(&run->args->state, &item, first + at, &parcel.item))
            OP(settle_new)(run, &parcel);
        OP(push)(run, &parcel);
    }
}

/** One warp's set: @p count elements from @p index on; in thread workers one a lane, @p index its own. */
WEIR_DEV void OP(do_warp_set)(struct OP(run) * run, uint32_t index, uint32_t count, int form)
{
    const uint32_t base = WARP_ID * SET;
    weir_lanes_sync(); /* the last set has been walked */
    WEIR_ROLLED
    for (uint32_t i = 0; i < count; i += WEIR_LANES)
        OP(fill)(run, base + i + weir_lane(), index + i + weir_lane(), i + weir_lane() < count);
    OP(walk_warp_set)(run, base, count, form);
}

/** A block's set: up to WARPS x SET elements from @p index on. All threads of the block. */
WEIR_DEV void OP(do_block_set)(struct OP(run) * run, uint32_t index, uint32_t count)
{
    struct OP(block) *block = run->block;
    const uint32_t base = WARP_ID * SET, tiles = count < WARPS * SET ? count : WARPS * SET;
    uint32_t mine = tiles > base ? tiles - base : 0, before = 0;
    mine = mine < SET ? mine : SET;
    weir_block_sync();
    WEIR_ROLLED
    for (uint32_t i = 0; i < mine; i += WEIR_LANES)
        OP(fill)
    (run, base + i + weir_lane(), index + base + i + weir_lane(), i + weir_lane() < mine);
    uint32_t atoms = OP(close_set)(run, base, mine);
    if (weir_lane() == 0)
        block->scan[WARP_ID] = atoms;
    weir_block_sync();
    WEIR_ROLLED
    for (uint32_t w = 0; w != WARP_ID; w++)
        before += block->scan[w];
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < mine; i += WEIR_LANES)
        block->ends[base + i] += before;
    weir_block_sync();
    weir_tile_set set = {block->ends, tiles, 0};
    OP(walk_set)(run, set, 0, WARP_ID * WEIR_LANES + weir_lane(), WARPS * WEIR_LANES, FORM_GENERAL);
}

/* ---- rounds ----------------------------------------------------------------------------------- */

/** Fetch again: @p each elements beyond those that all fetchers begin with. One lane. */
WEIR_DEV uint32_t OP(fetch)(const struct OP(run) * run, uint32_t dealt, uint32_t each)
{
    return dealt +
           weir_atomic_add_relaxed_dev_u32(&run->args->work.control->cursor[run->turn], each);
}

/** A worker is a thread: each lane fetches for itself. */
WEIR_DEV void OP(round_of_threads)(struct OP(run) * run, uint32_t total, uint32_t active)
{
    const uint32_t threads = active * WARPS * WEIR_LANES;
    const uint32_t each = weir_fetch_now(&run->args->work, total, threads, WARPS);
    const uint32_t base = WARP_ID * SET;
    uint64_t begin =
        ((uint64_t)run->block_number * WARPS * WEIR_LANES + WARP_ID * WEIR_LANES + weir_lane()) *
        each;
    WEIR_ROLLED
    while (weir_ballot(begin < total)) {
        WEIR_ROLLED
        for (uint32_t j = 0; j < each; j++) {
            int valid = begin + j < total;
            weir_lanes_sync();
            run->block->ends[base + weir_lane()] = 0;
            OP(fill)(run, base + weir_lane(), (uint32_t)begin + j, valid);
            if (OP(close_set)(run, base, WEIR_LANES) == 0)
                continue;
            weir_tile_set set = {run->block->ends + base, WEIR_LANES, 0};
            WALK(weir_thread, set, base, weir_lane(), WEIR_LANES);
        }
        if ((uint64_t)threads * each >= total)
            break;
        begin = begin < total ? OP(fetch)(run, threads * each, each) : total;
    }
}

/** A worker is a warp. */
WEIR_DEV void OP(round_of_warps)(struct OP(run) * run, uint32_t total, uint32_t active, int form)
{
    const uint32_t warps = active * WARPS;
    const uint32_t each = weir_fetch_now(&run->args->work, total, warps, WARPS);
    const int near_groups = form != FORM_GENERAL && run->near_items && run->args->work.group < SET;
    uint64_t begin = ((uint64_t)run->block_number * WARPS + WARP_ID) * each;
    WEIR_ROLLED
    while (begin < total) {
        uint32_t count = total - begin < each ? (uint32_t)(total - begin) : each;
        const uint32_t step = near_groups ? SET / run->args->work.group : SET;
        WEIR_ROLLED
        for (uint32_t i = 0; i < count; i += step) {
            const uint32_t now = count - i < step ? count - i : step;
            if (near_groups)
                OP(do_near_groups)(run, (uint32_t)begin + i, now, run->args->work.group);
            else
                OP(do_warp_set)(run, (uint32_t)begin + i, now, form);
        }
        if ((uint64_t)warps * each >= total)
            return;
        uint32_t next = 0;
        if (weir_lane() == 0)
            next = OP(fetch)(run, warps * each, each);
        begin = weir_broadcast_u32(next, 0);
    }
}

/** The elements that a block fetched, by mappings that stay within a warp. */
WEIR_DEV void OP(share_of_warp)(struct OP(run) * run, uint32_t begin, uint32_t count)
{
    uint32_t from = weir_share_begin(count, WARP_ID, WARPS);
    uint32_t to = weir_share_begin(count, WARP_ID + 1, WARPS);
    WEIR_ROLLED
    for (uint32_t i = from; i < to; i += SET)
        OP(do_warp_set)(run, begin + i, to - i < SET ? to - i : SET, FORM_GENERAL);
}

/** A worker is a block. */
WEIR_DEV void OP(round_of_blocks)(struct OP(run) * run, uint32_t total, uint32_t active)
{
    const struct weir_engine_args *work = &run->args->work;
    const uint32_t each = weir_fetch_now(work, total, active, WARPS);
    const int whole = work->mapping == WEIR_ENGINE_BY_BLOCK ||
                      work->mapping == WEIR_ENGINE_BY_MERGE ||
                      work->mapping == WEIR_ENGINE_BY_OWN ||
                      (work->mapping == WEIR_ENGINE_BY_GROUP && work->group > 32u);
    uint64_t begin = (uint64_t)run->block_number * each;
    WEIR_ROLLED
    while (begin < total) {
        uint32_t count = total - begin < each ? (uint32_t)(total - begin) : each;
        if (!whole)
            OP(share_of_warp)(run, (uint32_t)begin, count);
        WEIR_ROLLED
        for (uint32_t i = 0; whole && i < count; i += WARPS * SET)
            OP(do_block_set)(run, (uint32_t)begin + i, count - i);
        if ((uint64_t)active * each >= total)
            return;
        weir_block_sync();
        if (WARP_ID == 0 && weir_lane() == 0)
            run->block->fetched = OP(fetch)(run, active * each, each);
        weir_block_sync();
        begin = run->block->fetched;
    }
}

/** Add what the lanes of this warp counted in the round to what the decider looks at. */
WEIR_DEV void OP(tally)(struct OP(run) * run)
{
    uint32_t *look = run->args->work.control->look;
    uint32_t moved = (uint32_t)weir_sum_u64(run->moved),
             merged = (uint32_t)weir_sum_u64(run->merged);
    uint32_t reparked = (uint32_t)weir_sum_u64(run->reparked);
    if (weir_lane() == 0) {
        if (moved)
            weir_atomic_add_relaxed_dev_u32(&look[WEIR_LOOK_MOVED], moved);
        if (merged)
            weir_atomic_add_relaxed_dev_u32(&look[WEIR_LOOK_MERGED], merged);
        if (reparked)
            weir_atomic_add_relaxed_dev_u32(&look[WEIR_LOOK_REPARKED], reparked);
    }
    run->moved = run->merged = run->reparked = 0;
}

/** Do this block's part of a round. */
WEIR_DEV void OP(round)(struct OP(run) * run, uint64_t word, uint32_t total, int form)
{
    const struct weir_engine_args *work = &run->args->work;
    const uint32_t active = weir_word_blocks(word, run->blocks);
    run->near_bag = run->block->order.near_bag;
    run->turn = weir_word_generation(word) & 1u;
    run->near_items = NULL;
    if (weir_word_action(word) == WEIR_ACTION_NEAR) {
        run->near_bag = WEIR_BAG_NEAR + (weir_word_near_bag(word) ^ 1u);
        if (!work->packets)
            run->near_items = (const OP(item) *)work->bag[run->near_bag ^ 1u].slots;
    }
    if (OP(folds_here))
        OP(round_of_warps)(run, total, active, FORM_GENERAL);
    else if (form != FORM_GENERAL || work->worker == WEIR_ENGINE_WARP)
        OP(round_of_warps)(run, total, active, form);
    else if (work->worker == WEIR_ENGINE_THREAD)
        OP(round_of_threads)(run, total, active);
    else
        OP(round_of_blocks)(run, total, active);
    if (work->stage_lanes)
        OP(flush_all)(run->args, run->block);
    if (!run->near_items) /* packets of a discrete kernel may come with a near bag */
        OP(tally)(run);
    if (weir_lane() == 0 && run->pushed)
        (void)weir_atomic_add_relaxed_dev_u32(&run->block->pushed, run->pushed);
    run->pushed = 0;
}

/** Learn what the word says beyond itself. Warp 0 of the block, before its other warps go on.
 *  @param[in] fresh  what the block knows may be old. */
WEIR_DEV void OP(read_plan)(const struct OP(run) * run, uint64_t word, int fresh)
{
    const struct weir_engine_args *work = &run->args->work;
    const struct weir_work_plan *plan = &work->control->plan;
    struct OP(block) *block = run->block;
    const uint32_t action = weir_word_action(word);
    if (action == WEIR_ACTION_NEAR && !fresh && !work->packets)
        return;        /* the word says it all */
    weir_lanes_sync(); /* one lane has acquired the word */
    if (weir_lane() == 0)
        block->order = plan->order;
    if (action == WEIR_ACTION_PLAN)
        WEIR_ROLLED
    for (uint32_t s = weir_lane(); s < plan->segments; s += WEIR_LANES)
        block->segment[s] = plan->segment[s];
    weir_lanes_sync();
    if (weir_lane() != 0)
        return;
    if (action == WEIR_ACTION_NEAR) {
        uint32_t bag = WEIR_BAG_NEAR + weir_word_near_bag(word);
        block->segments = 1;
        block->segment[0].slots = work->bag[bag].slots;
        block->segment[0].end = weir_word_count(word);
        block->segment[0].kind = WEIR_SEGMENT_NEAR;
    } else {
        block->segments = action == WEIR_ACTION_PLAN ? plan->segments : 0;
    }
    uint32_t total = weir_word_count(word);
    WEIR_ROLLED
    for (uint32_t p = 0; p < work->packets; p++) { /* discrete: what the host received */
        total += work->packet_count[p];
        block->segment[block->segments].slots = work->packet[p];
        block->segment[block->segments].end = total;
        block->segment[block->segments++].kind =
            work->packet[p] ? WEIR_SEGMENT_ARRIVED : WEIR_SEGMENT_SEED;
    }
}
