/** @file narrow_tmpl.h  A part of engine_tmpl.h: the kernel for narrow rounds.
 *
 * A round is *narrow* if it has only near items of one device, few enough for each warp to get two sets of them at most, a
 * small group of lanes to each. Such a round waits for memory and does not load it: it takes as long as the chain of accesses
 * of which each needs the one before. A traversal of a road network has thousands of them and nothing else. So here
 *
 * - the operator's look before its update is left out: an update that is no news costs less than the look;
 * - items stay in the block that made them (block_queue_tmpl.h), and what they reach is known before the round begins
 *   (lookahead_tmpl.h);
 * - one warp of each block waits for the others' while the rest look ahead, and the books are its work too;
 * - an arrival that hands nothing on is relaxed: a release waits for every store before it;
 * - what is rare is called, and by a pointer: the loop is short enough for the instruction cache, and nothing is kept in
 *   registers for the sake of others.
 *
 * What is left is update, slot, barrier. Operators opt in (worklist/operator.h). The kernel is compiled by itself
 * (engine_narrow_cuda_tmpl.cuh), for the sake of its registers and those of others. */

/** By which it does rounds that are not narrow. On the host a lane works alone. */
#ifdef __CUDACC__
#define FORM_REST FORM_USUAL
#else
#define FORM_REST FORM_GENERAL
#endif

/** Tiles that are too long for the lanes of a narrow round: the way of sets can cut them. It puts no bounds beside
 *  the items that it makes, so the next round must not look for any: block 0 decides, whether a tile was cut or
 *  was stale by now. */
WEIR_COLD uint32_t OP(narrow_cut)(struct OP(block) * block, uint32_t near_bag, uint32_t count)
{
    struct OP(run) run = OP(call_run)(&block->args, block, near_bag);
    const uint32_t base = WARP_ID * SET;
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < count; i += WEIR_LANES) {
        uint64_t first = 0;
        const uint64_t atoms = OP(open_tile)(&run, &block->item[base + i], &first);
        block->first[base + i] = first;
        block->ends[base + i] = OP(countable)(atoms);
        run.atoms += atoms;
    }
    OP(walk_warp_set)(&run, base, count, FORM_REST);
    if (weir_lane() == 0)
        block->special = 1;
    block->tally[LANE_ID].stale += run.stale;
    block->tally[LANE_ID].atoms += run.atoms;
    return run.pushed;
}

/** Put off what is deferred of an item that was kept. @return whether it is near. All lanes. */
WEIR_DEV int OP(keep_near)(const struct OP(run) * run, int kept, const OP(item) * item)
{
    if (run->plain)
        return kept;
    const int deferred = kept && OP(near_or_far)(run, item) != run->near_bag;
    const uint32_t group = weir_ballot(deferred);
    const uint32_t left = group ? OP(put_off)(run->block, group, item) : 0;
    if (left)
        OP_CALL(OP(defer))(run->block, left, *item);
    return kept && !deferred;
}

/** There is nobody to pass an item to. One lane. */
WEIR_DEV void OP(check_fate)(const struct OP(run) * run, enum weir_fate fate)
{
    if (fate == WEIR_FATE_PASS)
        (void)weir_atomic_add_relaxed_dev_u32(&run->args->work.control->look[WEIR_LOOK_ASTRAY], 1);
}

/** Do what the atoms say that were looked at, and put where they belong what items come of it. */
WEIR_DEV void OP(do_atoms)(struct OP(run) * run, const struct OP(ahead) * ahead)
{
    const OP(state) *state = &run->args->state;
    const uint32_t before = (1u << weir_lane()) - 1u;
    enum weir_fate one_fate = WEIR_FATE_DROP, two_fate = WEIR_FATE_DROP;
    if (ahead->any && ahead->fresh)
        one_fate = OP(on_send)(state, &ahead->one.item);
    if (ahead->both && ahead->fresh)
        two_fate = OP(on_send)(state, &ahead->two.item);
    OP(check_fate)(run, one_fate);
    OP(check_fate)(run, two_fate);
    const int one = OP(keep_near)(run, one_fate == WEIR_FATE_KEEP, &ahead->one.item);
    const int two = OP(keep_near)(run, two_fate == WEIR_FATE_KEEP, &ahead->two.item);
    const uint32_t ones = weir_ballot(one), twos = weir_ballot(two);
    if (!(ones | twos))
        return;
    const uint32_t count = weir_popcount_u32(ones);
    const struct OP(room) room = OP(find_room)(run, count + weir_popcount_u32(twos));
    if (one) {
        const uint64_t bounds = weir_bounds_make(ahead->one.first, ahead->one.last);
        OP(put_new)(run, &room, weir_popcount_u32(ones & before), &ahead->one.item, bounds);
    }
    if (two) {
        const uint64_t bounds = weir_bounds_make(ahead->two.first, ahead->two.last);
        const uint32_t place = count + weir_popcount_u32(twos & before);
        OP(put_new)(run, &room, place, &ahead->two.item, bounds);
    }
}

/** The atoms of a lane's tile from @p at on, which nobody looked ahead at. @return items put into the near bag. */
WEIR_COLD uint32_t OP(do_more)(struct OP(block) * block, uint32_t near_bag, OP(item) item,
                               uint64_t first, uint32_t at, uint32_t atoms)
{
    struct OP(run) run = OP(call_run)(&block->args, block, near_bag);
    const OP(state) *state = &block->args.state;
    WEIR_ROLLED
    for (; weir_ballot(at < atoms); at += 1u << NARROW_LOG(&block->args.work)) {
        enum weir_fate fate = WEIR_FATE_DROP;
        struct OP(reached) next;
        if (at < atoms) {
            OP(reach)(state, &item, first + at, &next.item);
            OP(bounds)(state, &next.item, &next.first, &next.last);
            fate = OP(on_send)(state, &next.item);
            OP(check_fate)(&run, fate);
        }
        const int near = OP(keep_near)(&run, fate == WEIR_FATE_KEEP, &next.item);
        const uint32_t group = weir_ballot(near);
        if (!group)
            continue;
        const struct OP(room) room = OP(find_room)(&run, weir_popcount_u32(group));
        if (near) {
            const uint64_t bounds = weir_bounds_make(next.first, next.last);
            const uint32_t place = weir_popcount_u32(group & ((1u << weir_lane()) - 1u));
            OP(put_new)(&run, &room, place, &next.item, bounds);
        }
    }
    return run.pushed;
}

/** Process the tiles that were looked at. */
WEIR_DEV void OP(do_tiles)(struct OP(run) * run, const struct OP(ahead) * ahead)
{
    const uint32_t log = NARROW_LOG(&run->args->work), rank = OP(rank)(run);
    const uint32_t more = rank + (2u << log), tile = weir_lane() >> log;
    if (ahead->cut) {      /* the way of sets can cut */
        weir_lanes_sync(); /* the last set has been walked */
        if (rank == 0 && tile < ahead->count)
            run->block->item[WARP_ID * SET + tile] = ahead->item;
        weir_lanes_sync(); /* other lanes read them */
        run->pushed += OP_CALL(OP(narrow_cut))(run->block, run->near_bag, ahead->count);
        return;
    }
    OP(do_atoms)(run, ahead);
    const uint32_t atoms = ahead->fresh ? ahead->atoms : 0;
    if (weir_ballot(more < atoms))
        run->pushed +=
            OP_CALL(OP(do_more))(run->block, run->near_bag, ahead->item, ahead->first, more, atoms);
    run->stale += ahead->stale;
    run->atoms += ahead->fresh_atoms;
}

/** What block 0 does beside a narrow round. Its last warp. */
WEIR_COLD void OP(keep_narrow_books)(struct OP(block) * block, uint64_t word)
{
    const struct weir_engine_args *work = &block->args.work;
    struct weir_ledger *ledger = &block->ledger;
    const uint32_t generation = weir_word_generation(word);
    if (weir_lane() != 0)
        return;
    OP(set_back)(work, generation);
    ledger->narrow_rounds++;
    if (block->owed)
        weir_decide_near_books(work, ledger, block->owed, word);
    /* What weir_peek_judge() asks where there is one worker; of short rounds not in each. */
    if (generation % 16u == 0 &&
        (ledger->end || weir_load_relaxed_sys_u32(&work->control->look[WEIR_LOOK_STOP])))
        block->special = 1;
}

/** Say which word comes next, if narrow rounds go on. The keeper, while the others look ahead. */
WEIR_DEV void OP(say_next)(const struct OP(run) * run, uint32_t warp, uint64_t word)
{
    if (IS_KEEPER(warp) && weir_lane() == 0)
        run->block->word = OP(narrow_step)(run, word);
}

/** The round of @p word begins. */
WEIR_DEV void OP(begin_round)(struct OP(run) * run, uint32_t warp, struct OP(sets) * sets,
                              uint64_t word)
{
    run->near_bag = WEIR_BAG_NEAR + (sets->half ^ 1u);
    OP(share_out)(run, sets, word);
    if (IS_KEEPER(warp) && run->block_number == 0)
        OP_CALL(OP(keep_narrow_books))(run->block, word);
}

/** This warp's part of a round is done: wait for those of the block, and see which of its own items it has now. */
WEIR_DEV void OP(end_round)(struct OP(run) * run, struct OP(sets) * sets)
{
    if (weir_lane() == 0 && run->pushed)
        (void)weir_atomic_add_relaxed_dev_u32(&run->block->pushed, run->pushed);
    run->pushed = 0;
    weir_block_sync();
    sets->half ^= 1u;
    sets->own = OP(own_items)(run->block, sets->half);
    sets->shared = 0;
}

/** Narrow rounds, from that of @p word on, as long as one follows another. A warp goes from set to set; its first one
 *  of a round it looks at before that begins. All of the block. @return the word of the last round. */
WEIR_DEV uint64_t OP(narrow_rounds)(struct OP(run) * run, uint64_t word)
{
    struct OP(sets) sets = {weir_word_near_bag(word), 0, 0, 0, 0, 0};
    struct OP(ahead) ahead;
    const uint32_t warp = OP(warp_now)();
    uint32_t set = warp;
    int begun = 1;
    memset(&ahead, 0, sizeof ahead);
    OP(begin_round)(run, warp, &sets, word);
    WEIR_ROLLED
    for (;;) {
        ahead.count = 0;
        if (IS_WORKING(warp))
            OP(look_at_set)(run, &ahead, &sets, set);
        if (!begun) {
            OP(say_next)(run, warp, word);
            weir_block_sync();
            const uint64_t next = run->block->word;
            if (!next)
                return word;
            word = next;
            OP(begin_round)(run, warp, &sets, word);
            begun = 1;
            if (IS_WORKING(warp) && !ahead.count && sets.shared)
                continue; /* it has none of the block's own */
        }
        if (ahead.count) {
            OP(do_tiles)(run, &ahead);
            set += WORKING_WARPS;
            if (sets.shared || set << EACH_LOG(&run->args->work) < sets.own)
                continue;
        }
        OP(end_round)(run, &sets);
        set = warp;
        begun = 0;
    }
}

/** Narrow rounds, and what comes after them. All of the block. */
WEIR_DEV void OP(go_narrow)(struct OP(run) * run)
{
    struct OP(block) *block = run->block;
    const uint64_t word = OP(narrow_rounds)(run, block->word);
    uint64_t next;
    if (block->left)
        OP_CALL(OP(hand_back))(block, WEIR_BAG_NEAR + (weir_word_near_bag(word) ^ 1u));
    weir_block_sync();
    if (OP(warp_now)() == 0) {
        next = OP_CALL(OP(leave_narrow))(block, run->block_number, run->blocks, word);
        if (weir_lane() == 0)
            block->word = next;
    }
    weir_block_sync();
}

/** A round of any other kind, in a kernel for narrow ones, and what comes after it. All of a block. */
WEIR_COLD void OP(other_round)(struct OP(block) * block, uint32_t block_number, uint32_t blocks)
{
    struct OP(run) run = OP(begin_run)(&block->args, block, block_number, blocks);
    const uint64_t word = block->word;
    run.plain = block->args.work.order != WEIR_ENGINE_SOFT;
    if (block_number < weir_word_blocks(word, blocks)) {
        const int keeper = block_number == 0 && OP(warp_now)() == WARPS - 1;
        struct weir_peek peek = {0, 0};
        if (keeper) {
            OP(keep_books)(&run, word);
            peek = weir_peek_look(&block->args.work);
        }
        OP(round)(&run, word, weir_word_count(word), FORM_REST);
        if (keeper && weir_peek_judge(&block->args.work, &block->ledger, peek) && weir_lane() == 0)
            block->special = 1;
    }
    block->tally[LANE_ID].stale += run.stale;
    block->tally[LANE_ID].atoms += run.atoms;
    weir_block_sync();
    if (OP(warp_now)() == 0) {
        const uint64_t next = OP(next_word)(&run, word);
        if (weir_word_action(next) != WEIR_ACTION_END &&
            block_number < weir_word_blocks(next, blocks))
            OP(read_plan)(&run, next, (int)block->fresh);
        if (weir_lane() == 0)
            block->word = next;
    }
    weir_block_sync();
}

/** The kernel for narrow rounds, of one block: engine() with less in it. */
WEIR_DEV void OP(narrow_engine)(const struct OP(args) * args, struct OP(block) * block,
                                uint32_t block_number, uint32_t blocks)
{
    struct OP(run) state = OP(begin_run)(args, block, block_number, blocks);
    struct OP(run) *run = &state;
    run->plain = args->work.order != WEIR_ENGINE_SOFT;
    block->tally[LANE_ID].stale = block->tally[LANE_ID].atoms = 0;
    if (WARP_ID == 0) {
        if (weir_lane() == 0)
            OP(begin_own)(&args->work, block);
        OP(copy_args)(&block->args, args);
        OP(begin)(run);
    }
    weir_block_sync();
    WEIR_ROLLED
    while (weir_word_action(block->word) != WEIR_ACTION_END) {
        if (block_number < weir_word_blocks(block->word, blocks) &&
            weir_is_narrow(&args->work, block->word, blocks))
            OP(go_narrow)(run);
        else
            OP_CALL(OP(other_round))(block, block_number, blocks);
    }
    run->stale += block->tally[LANE_ID].stale;
    run->atoms += block->tally[LANE_ID].atoms;
    OP(finish)(run);
}
