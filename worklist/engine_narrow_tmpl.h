/** @file engine_narrow_tmpl.h  A part of engine_tmpl.h: the kernel for narrow rounds.
 *
 * A round is *narrow* if it has only near items of one device and each warp gets at most one set of them, a
 * small group of lanes to each. Such a round waits for memory and does not load it: it takes as long as the
 * chain of accesses of which each needs the one before. A traversal of a road network has thousands of them
 * and nothing else. So here
 *
 * - the operator's look before its update is left out: an update that is no news costs less than the look;
 * - the bounds of a new item's tile are looked up while its update is under way, and lie beside the item:
 *   the next round goes from the item to its atoms, without the offsets between;
 * - two atoms of a lane are under way together;
 * - nothing is divided, and nothing kept that only other rounds need: what a lane spills it reads back from
 *   L2, since a barrier's acquire empties the multiprocessor's own cache.
 *
 * What is left is item, atom, update, slot, store, barrier. Operators opt in (worklist/operator.h). The kernel
 * is compiled by itself (engine_narrow_cuda_tmpl.cuh), for the sake of its registers and those of others. */

/** By which it does rounds that are not narrow. On the host a lane works alone. */
#ifdef __CUDACC__
#define FORM_REST FORM_PLAIN
#else
#define FORM_REST FORM_GENERAL
#endif

/** Lanes of a tile, as the power of two. On the host a lane works alone. */
#ifdef __CUDACC__
#define NARROW_LOG(work) ((work)->group_log)
#else
#define NARROW_LOG(work) 0u
#endif

/** What the tile of a new item will be, for the round that reads it. One lane. */
WEIR_DEV uint64_t OP(bounds_of)(const struct OP(run) * run, const OP(item) * item)
{
    uint64_t first, last;
    OP(bounds)(&run->args->state, item, &first, &last);
    return weir_bounds_make(first, last);
}

/** Put an item and the bounds of its tile into a slot of the near bag. One lane. */
WEIR_DEV void OP(put_narrow)(const struct OP(run) * run, uint32_t slot, const OP(item) * item,
                             uint64_t bounds)
{
    const struct weir_engine_args *work = &run->args->work;
    (void)OP(items_put)(&work->bag[run->near_bag], slot, item);
    if (slot < work->narrow)
        weir_store_relaxed_dev_u64(&work->bounds[run->near_bag & 1u][slot], bounds);
}

/** The atoms of a lane's tile, first to first + atoms - 1: this lane has the one at @p rank and those
 *  1 << @p log further on, two at a time. @return 0: the tile is stale. */
WEIR_DEV int OP(narrow_walk)(struct OP(run) * run, const OP(item) * item, uint64_t first,
                             uint32_t atoms, uint32_t rank, uint32_t log)
{
    const OP(state) *state = &run->args->state;
    const uint32_t before = (1u << weir_lane()) - 1u;
    int fresh = 1;
    WEIR_ROLLED
    for (uint32_t at = rank; weir_ballot(fresh && at < atoms); at += 2u << log) {
        OP(item) one, two;
        uint64_t one_bounds = 0, two_bounds = 0, unused[2];
        enum weir_fate one_fate = WEIR_FATE_DROP, two_fate = WEIR_FATE_DROP;
        const int any = fresh && at < atoms, both = any && atoms - at > 1u << log;
        if (any)
            OP(reach)(state, item, first + at, &one);
        if (both)
            OP(reach)(state, item, first + at + (1u << log), &two);
        if (any) /* asked now, the answer comes with the atoms */
            fresh = OP(tile)(state, item, &unused[0], &unused[1]);
        if (any && fresh) { /* the bounds come with the update */
            one_bounds = OP(bounds_of)(run, &one);
            one_fate = OP(on_send)(state, &one);
        }
        if (both && fresh) {
            two_bounds = OP(bounds_of)(run, &two);
            two_fate = OP(on_send)(state, &two);
        }
        const uint32_t ones = weir_ballot(one_fate == WEIR_FATE_KEEP);
        const uint32_t twos = weir_ballot(two_fate == WEIR_FATE_KEEP);
        const uint32_t count = weir_popcount_u32(ones) + weir_popcount_u32(twos);
        if (one_fate == WEIR_FATE_PASS || two_fate == WEIR_FATE_PASS) /* there is nobody else */
            (void)weir_atomic_add_relaxed_dev_u32(&run->args->work.control->look[WEIR_LOOK_ASTRAY],
                                                  1);
        if (count == 0)
            continue;
        uint32_t slot = 0;
        if (weir_lane() == 0)
            slot =
                weir_atomic_add_relaxed_dev_u32(OP(tail)(&run->args->work, run->near_bag), count);
        slot = weir_broadcast_u32(slot, 0);
        run->pushed += count;
        if (one_fate == WEIR_FATE_KEEP)
            OP(put_narrow)(run, slot + weir_popcount_u32(ones & before), &one, one_bounds);
        slot += weir_popcount_u32(ones);
        if (two_fate == WEIR_FATE_KEEP)
            OP(put_narrow)(run, slot + weir_popcount_u32(twos & before), &two, two_bounds);
    }
    return fresh;
}

/** Tiles that are too long for the lanes of a narrow round: the way of sets can cut them. It puts no bounds beside
 *  the items that it makes, so the next round must not look for any: block 0 decides, whether a tile was cut or
 *  was stale by now. */
WEIR_COLD uint32_t OP(narrow_cut)(struct OP(block) * block, uint32_t near_bag, uint32_t count)
{
    struct OP(run) run = {&block->args, block, 0, 0, near_bag, 0, NULL, 1, 0, 0, 0, 0, 0, 0};
    const uint32_t base = WARP_ID * SET;
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < count; i += WEIR_LANES) {
        uint64_t first = 0;
        const uint64_t atoms = OP(open_tile)(&run, &block->item[base + i], &first);
        block->first[base + i] = first;
        block->ends[base + i] = (uint32_t)atoms;
        run.atoms += atoms;
    }
    OP(walk_warp_set)(&run, base, count, FORM_REST);
    if (weir_lane() == 0)
        block->special = 1;
    block->tally[LANE_ID].stale += run.stale;
    block->tally[LANE_ID].atoms += run.atoms;
    return run.pushed;
}

/** The item at @p index and the bounds of its tile. One lane. */
WEIR_DEV void OP(narrow_take)(const struct OP(run) * run, uint64_t word, uint32_t index,
                              OP(item) * item, uint64_t *first, uint64_t *last)
{
    uint64_t bounds = WEIR_BOUNDS_UNKNOWN;
    if (weir_word_has_bounds(word)) /* both loads are under way together */
        bounds =
            weir_load_relaxed_dev_u64(&run->args->work.bounds[weir_word_near_bag(word)][index]);
    OP(items_get)(item, run->near_items + index);
    if (bounds != WEIR_BOUNDS_UNKNOWN) {
        *first = weir_bounds_first(bounds);
        *last = *first + weir_bounds_count(bounds);
    } else {
        OP(bounds)(&run->args->state, item, first, last);
    }
}

/** Some tiles of a narrow round, one for each group of lanes: @p count elements from @p begin on. */
WEIR_DEV void OP(narrow_set)(struct OP(run) * run, uint64_t word, uint32_t begin, uint32_t count)
{
    const struct weir_engine_args *work = &run->args->work;
    const uint32_t log = NARROW_LOG(work), tile = weir_lane() >> log;
    const uint32_t rank = weir_lane() & ((1u << log) - 1u);
    OP(item) item;
    uint64_t first = 0, last = 0;
    /* All lanes of a group load the same words, which costs no more than one lane and an exchange. */
    if (tile < count)
        OP(narrow_take)(run, word, begin + tile, &item, &first, &last);
    if (!weir_ballot(last - first > work->cut)) {
        int fresh = OP(narrow_walk)(run, &item, first, (uint32_t)(last - first), rank, log);
        if (rank == 0 && tile < count) {
            run->block->tally[LANE_ID].stale += !fresh;
            run->block->tally[LANE_ID].atoms += fresh ? last - first : 0;
        }
        return;
    }
    weir_lanes_sync(); /* the last set has been walked */
    if (rank == 0 && tile < count)
        run->block->item[WARP_ID * SET + tile] = item;
    run->pushed += OP(narrow_cut)(run->block, run->near_bag, count);
}

/** This block's part of a narrow round. */
WEIR_DEV void OP(narrow_round)(struct OP(run) * run, uint64_t word)
{
    const struct weir_engine_args *work = &run->args->work;
    const uint32_t total = weir_word_count(word), active = weir_word_blocks(word, run->blocks);
    const uint32_t each = work->fetch_least, bag = weir_word_near_bag(word);
    /* Block 0, which has the books to do, has the last share: often there is nothing in it. */
    const uint32_t begin = ((active - 1u - run->block_number) * WARPS + WARP_ID) * each;
    run->near_bag = WEIR_BAG_NEAR + (bag ^ 1u);
    run->near_items = (const OP(item) *)work->bag[WEIR_BAG_NEAR + bag].slots;
    /* A warp's share is one set; on the host, where a lane stands for 32, several of one tile. */
    for (uint32_t i = 0; i < (WEIR_LANES == 1u ? each : 1u) && begin + i < total; i++) {
        const uint32_t left = total - begin - i;
        OP(narrow_set)(run, word, begin + i, WEIR_LANES == 1u ? 1u : left < each ? left : each);
    }
    if (weir_lane() == 0 && run->pushed)
        (void)weir_atomic_add_relaxed_dev_u32(&run->block->pushed, run->pushed);
    run->pushed = 0;
}

/** A round of any other kind, in a kernel for narrow ones. All of a block. */
WEIR_COLD void OP(other_round)(struct OP(block) * block, uint32_t block_number, uint32_t blocks,
                               uint64_t word)
{
    struct OP(run)
        run = {&block->args, block, block_number, blocks, 0, 0, NULL, 1, 0, 0, 0, 0, 0, 0};
    OP(round)(&run, word, weir_word_count(word), FORM_REST);
    block->tally[LANE_ID].stale += run.stale;
    block->tally[LANE_ID].atoms += run.atoms;
}

/** take_part() in a kernel for narrow rounds. */
WEIR_DEV void OP(take_narrow_part)(struct OP(run) * run, uint64_t word)
{
    const struct weir_engine_args *work = &run->args->work;
    if (run->block_number == 0 && OP(warp_now)() == WARPS - 1)
        OP(keep_books)(run, word);
    if (weir_is_narrow(work, word, run->blocks))
        OP(narrow_round)(run, word);
    else
        OP_CALL(OP(other_round))(run->block, run->block_number, run->blocks, word);
    /* What weir_peek_judge() asks where there is one worker and no priorities; of short rounds not in each. */
    if (run->block_number == 0 && (weir_word_generation(word) & 15u) == 0 &&
        OP(warp_now)() == WARPS - 1 && weir_lane() == 0 &&
        (weir_load_relaxed_sys_u32(&work->control->look[WEIR_LOOK_STOP]) || run->block->ledger.end))
        run->block->special = 1;
}

/** The kernel for narrow rounds, of one block: engine() with less in it. */
WEIR_DEV void OP(narrow_engine)(const struct OP(args) * args, struct OP(block) * block,
                                uint32_t block_number, uint32_t blocks)
{
    struct OP(run) state = {args, block, block_number, blocks, 0, 0, NULL, 1, 0, 0, 0, 0, 0, 0};
    struct OP(run) *run = &state;
    block->tally[LANE_ID].stale = block->tally[LANE_ID].atoms = 0;
    if (WARP_ID == 0) {
        OP(copy_args)(&block->args, args);
        OP(begin)(run);
    }
    weir_block_sync();
    WEIR_ROLLED
    for (;;) {
        if (weir_word_action(block->word) == WEIR_ACTION_END)
            break;
        if (block_number < weir_word_blocks(block->word, blocks))
            OP(take_narrow_part)(run, block->word);
        weir_block_sync();
        if (OP(warp_now)() == 0) {
            uint64_t next = OP(next_word)(run, block->word, FORM_NARROW);
            if (weir_word_action(next) != WEIR_ACTION_END &&
                block_number < weir_word_blocks(next, blocks))
                OP(read_plan)(run, next, (int)block->fresh);
            if (weir_lane() == 0)
                block->word = next;
        }
        weir_block_sync();
    }
    run->stale = block->tally[LANE_ID].stale;
    run->atoms = block->tally[LANE_ID].atoms;
    OP(finish)(run);
}
