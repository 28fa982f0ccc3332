/** @file narrow_tmpl.h  A part of engine_tmpl.h: the kernel for narrow rounds.
 *
 * A round is *narrow* if it has only near items of one device, and so few that each warp gets two sets of them at most, with
 * a small group of lanes for each item. Such a round does not need the bandwidth of the memory. It takes as long as its
 * longest chain of accesses that depend on each other. A traversal of a road network has thousands of such rounds and hardly any
 * others. So this kernel makes the chain short:
 *
 * - It does not look whether an update would change anything before it makes the update: an update that changes nothing
 *   costs less than the look.
 * - Items stay in the block that made them (block_queue.h), and a warp knows what they reach before the round begins
 *   (lookahead_tmpl.h).
 * - One warp of each block waits for the other blocks while the other warps look ahead. The same warp counts.
 * - An arrival that no other block depends on is relaxed, since a release would wait for every store before it.
 * - Code that is seldom needed is called, by a pointer. So the loop fits into the instruction cache, and the compiler keeps
 *   nothing in registers that only such code needs.
 *
 * What is left of a round is an update, a slot and a barrier. Operators opt in (worklist/operator.h). The kernel is compiled
 * in a file of its own (engine_narrow_cuda_tmpl.cuh), so that it and the other kernels do not compete for registers. */

/** The form by which this kernel does rounds that are not narrow. On the host a warp has one lane and needs all schedules. */
#ifdef __CUDACC__
#define FORM_REST FORM_USUAL
#else
#define FORM_REST FORM_GENERAL
#endif

/** Process tiles of which some are too long for the lanes of a narrow round, as a set of any other round, which can cut them.
 *  That puts no bounds beside the items that it makes, and the next round must not look for any. So block 0 has to decide on
 *  the next round in any case, also if the long tile turns out to be stale. @return items put into the near bag. */
WEIR_COLD uint32_t OP(narrow_cut)(struct OP(block) * block, uint32_t near_bag, uint32_t count)
{
    struct weir_engine_thread self = weir_thread_called(&block->args.work, &block->base, near_bag);
    const uint32_t base = WARP_ID * SET;
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < count; i += WEIR_LANES) {
        uint64_t first = 0;
        const uint64_t atoms = OP(open_tile)(&self, &block->item[base + i], &first);
        block->base.first[base + i] = first;
        block->base.ends[base + i] = weir_countable(atoms);
        self.atoms += atoms;
    }
    OP(walk_warp_set)(&self, base, count, FORM_REST);
    if (weir_lane() == 0)
        block->base.special = 1;
    block->base.tally[LANE_ID].stale += self.stale;
    block->base.tally[LANE_ID].atoms += self.atoms;
    return self.pushed;
}

/** Defer an item that the operator kept if it is not near. @return whether it is near. All lanes. */
WEIR_DEV int OP(keep_near)(const struct weir_engine_thread *self, int kept, const OP(item) * item)
{
    if (self->plain)
        return kept;
    const int deferred = kept && OP(bag_for)(self, item) != self->near_bag;
    const uint32_t group = weir_ballot(deferred);
    const uint32_t left = group ? OP(defer_in_block)(OP(block_of)(self), group, item) : 0;
    if (left)
        WEIR_CALL(OP(defer_in_bags))(OP(block_of)(self), left, *item);
    return kept && !deferred;
}

/** Make the updates of the atoms that the warp looked ahead at, and put the new items into their slots. */
WEIR_DEV void OP(do_atoms)(struct weir_engine_thread *self, const struct OP(ahead) * ahead)
{
    const OP(state) *state = OP(state_of)(self);
    const uint32_t before = (1u << weir_lane()) - 1u;
    enum weir_fate one_fate = WEIR_FATE_DROP, two_fate = WEIR_FATE_DROP;
    if (ahead->any && ahead->fresh)
        one_fate = OP(on_send)(state, &ahead->one.item);
    if (ahead->both && ahead->fresh)
        two_fate = OP(on_send)(state, &ahead->two.item);
    weir_check_fate(self, one_fate);
    weir_check_fate(self, two_fate);
    const int one = OP(keep_near)(self, one_fate == WEIR_FATE_KEEP, &ahead->one.item);
    const int two = OP(keep_near)(self, two_fate == WEIR_FATE_KEEP, &ahead->two.item);
    const uint32_t ones = weir_ballot(one), twos = weir_ballot(two);
    if (!(ones | twos))
        return;
    const uint32_t count = weir_popcount_u32(ones);
    const struct weir_slots slots = weir_reserve_slots(self, count + weir_popcount_u32(twos));
    if (one) {
        const uint64_t bounds = weir_bounds_make(ahead->one.first, ahead->one.last);
        OP(put_new)(self, &slots, weir_popcount_u32(ones & before), &ahead->one.item, bounds);
    }
    if (two) {
        const uint64_t bounds = weir_bounds_make(ahead->two.first, ahead->two.last);
        const uint32_t nth = count + weir_popcount_u32(twos & before);
        OP(put_new)(self, &slots, nth, &ahead->two.item, bounds);
    }
}

/** Process the atoms of a lane's tile from @p at on, which the look-ahead did not reach. @return items put into the near
 *  bag. */
WEIR_COLD uint32_t OP(do_more)(struct OP(block) * block, uint32_t near_bag, OP(item) item,
                               uint64_t first, uint32_t at, uint32_t atoms)
{
    struct weir_engine_thread self = weir_thread_called(&block->args.work, &block->base, near_bag);
    const OP(state) *state = &block->args.state;
    WEIR_ROLLED
    for (; weir_ballot(at < atoms); at += 1u << GROUP_LOG(&block->args.work)) {
        enum weir_fate fate = WEIR_FATE_DROP;
        struct OP(reached) next;
        if (at < atoms) {
            OP(reach)(state, &item, first + at, &next.item);
            OP(bounds)(state, &next.item, &next.first, &next.last);
            fate = OP(on_send)(state, &next.item);
            weir_check_fate(&self, fate);
        }
        const int near = OP(keep_near)(&self, fate == WEIR_FATE_KEEP, &next.item);
        const uint32_t group = weir_ballot(near);
        if (!group)
            continue;
        const struct weir_slots slots = weir_reserve_slots(&self, weir_popcount_u32(group));
        if (near) {
            const uint64_t bounds = weir_bounds_make(next.first, next.last);
            const uint32_t nth = weir_popcount_u32(group & ((1u << weir_lane()) - 1u));
            OP(put_new)(&self, &slots, nth, &next.item, bounds);
        }
    }
    return self.pushed;
}

/** Process the tiles that the warp looked ahead at. */
WEIR_DEV void OP(do_tiles)(struct weir_engine_thread *self, const struct OP(ahead) * ahead)
{
    const uint32_t log = GROUP_LOG(self->work), rank = weir_narrow_rank(self->work);
    const uint32_t more = rank + (2u << log), tile = weir_lane() >> log;
    if (ahead->cut) {
        weir_lanes_sync(); /* the last set has been walked */
        if (rank == 0 && tile < ahead->count)
            OP(block_of)(self)->item[WARP_ID * SET + tile] = ahead->item;
        weir_lanes_sync(); /* other lanes read them */
        self->pushed += WEIR_CALL(OP(narrow_cut))(OP(block_of)(self), self->near_bag, ahead->count);
        return;
    }
    OP(do_atoms)(self, ahead);
    const uint32_t atoms = ahead->fresh ? ahead->atoms : 0;
    if (weir_ballot(more < atoms))
        self->pushed += WEIR_CALL(OP(do_more))(OP(block_of)(self), self->near_bag, ahead->item,
                                               ahead->first, more, atoms);
    self->stale += ahead->stale;
    self->atoms += ahead->fresh_atoms;
}

/** Narrow rounds, from that of @p word on, as long as one follows another. A warp goes from set to set; at the first set of a
 *  round it looks before the round begins. All of the block. @return the word of the last round. */
WEIR_DEV uint64_t OP(narrow_rounds)(struct weir_engine_thread *self, uint64_t word)
{
    const struct weir_engine_args *args = &OP(block_of)(self)->args.work;
    struct weir_narrow_sets sets = weir_narrow_sets_make(word);
    struct OP(ahead) ahead;
    const uint32_t warp = weir_warp_now();
    uint32_t set = warp;
    int begun = 1;
    memset(&ahead, 0, sizeof ahead);
    weir_narrow_begin_round(self, warp, args, &sets, word);
    WEIR_ROLLED
    for (;;) {
        ahead.count = 0;
        if (IS_WORKING(warp))
            OP(look_at_set)(self, &ahead, &sets, set);
        if (!begun) {
            weir_narrow_find_next(self, warp, word);
            weir_block_sync();
            const uint64_t next = self->block->word;
            if (!next)
                return word;
            word = next;
            weir_narrow_begin_round(self, warp, args, &sets, word);
            begun = 1;
            if (IS_WORKING(warp) && !ahead.count && sets.shared)
                continue; /* no set of queued items was left for this warp */
        }
        if (ahead.count) {
            OP(do_tiles)(self, &ahead);
            set += WORKING_WARPS;
            if (sets.shared || set << SET_LOG(self->work) < sets.queued)
                continue;
        }
        weir_narrow_end_round(self, &sets);
        set = warp;
        begun = 0;
    }
}

/** Narrow rounds, and what comes after them. All of the block. */
WEIR_DEV void OP(go_narrow)(struct weir_engine_thread *self)
{
    struct OP(block) *block = OP(block_of)(self);
    const uint64_t word = OP(narrow_rounds)(self, block->base.word);
    uint64_t next;
    if (block->base.queue.last_arrivals)
        WEIR_CALL(OP(hand_back))(block, WEIR_BAG_NEAR + (weir_word_near_bag(word) ^ 1u));
    weir_block_sync();
    if (weir_warp_now() == 0) {
        next = WEIR_CALL(weir_leave_narrow)(&block->args.work, &block->base, self->block_number,
                                            self->blocks, word);
        if (weir_lane() == 0)
            block->base.word = next;
    }
    weir_block_sync();
}

/** A round that is not narrow, in the kernel for narrow rounds, and what comes after it. All of a block. */
WEIR_COLD void OP(other_round)(struct OP(block) * block, uint32_t block_number, uint32_t blocks)
{
    struct weir_engine_thread self =
        weir_thread_make(&block->args.work, &block->base, block_number, blocks);
    const uint64_t word = block->base.word;
    self.plain = block->args.work.order != WEIR_ENGINE_SOFT;
    if (block_number < weir_word_blocks(word, blocks)) {
        const int counts = block_number == 0 && weir_warp_now() == WARPS - 1;
        struct weir_peek peek = {0, 0};
        if (counts) {
            weir_count_beside(&self, word);
            peek = weir_peek_look(&block->args.work);
        }
        OP(round)(&self, word, weir_word_count(word), FORM_REST);
        if (counts && weir_peek_judge(&block->args.work, &block->base.ledger, peek) &&
            weir_lane() == 0)
            block->base.special = 1;
    }
    block->base.tally[LANE_ID].stale += self.stale;
    block->base.tally[LANE_ID].atoms += self.atoms;
    weir_block_sync();
    if (weir_warp_now() == 0) {
        const uint64_t next = weir_next_word(&self, word);
        if (weir_word_action(next) != WEIR_ACTION_END &&
            block_number < weir_word_blocks(next, blocks))
            weir_read_plan(&self, next, (int)block->base.fresh);
        if (weir_lane() == 0)
            block->base.word = next;
    }
    weir_block_sync();
}

/** The kernel for narrow rounds, of one block: engine() with less in it. */
WEIR_DEV void OP(narrow_engine)(const struct OP(args) * args, struct OP(block) * block,
                                uint32_t block_number, uint32_t blocks)
{
    weir_engine_reset(&args->work, &block->base, block_number, blocks);
    struct weir_engine_thread thread =
        weir_thread_make(&args->work, &block->base, block_number, blocks);
    struct weir_engine_thread *self = &thread;
    self->plain = args->work.order != WEIR_ENGINE_SOFT;
    block->base.tally[LANE_ID].stale = block->base.tally[LANE_ID].atoms = 0;
    if (WARP_ID == 0) {
        if (weir_lane() == 0)
            weir_block_queue_clear(&args->work, &block->base.queue);
        weir_copy_words(&block->args, args, sizeof *args);
        weir_engine_begin(self);
    }
    weir_block_sync();
    WEIR_ROLLED
    while (weir_word_action(block->base.word) != WEIR_ACTION_END) {
        if (block_number < weir_word_blocks(block->base.word, blocks) &&
            weir_is_narrow(&args->work, block->base.word, blocks))
            OP(go_narrow)(self);
        else
            WEIR_CALL(OP(other_round))(block, block_number, blocks);
    }
    self->stale += block->base.tally[LANE_ID].stale;
    self->atoms += block->base.tally[LANE_ID].atoms;
    weir_engine_finish(self);
}
