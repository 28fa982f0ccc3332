/** @file narrow_tmpl.h  A part of engine_tmpl.h: the kernel for narrow rounds.
 *
 * A round is *narrow* if it has only near items, which lie on the device, and so few that each warp gets a few sets of them, with
 * a small group of lanes for each item. Such a round does not need the bandwidth of the memory. It takes as long as its
 * longest chain of accesses that depend on each other. A traversal of a road network has thousands of such rounds and hardly any
 * others. So this kernel makes the chain short:
 *
 * - It does not look whether an update would change anything before it makes the update: an update that changes nothing
 *   costs less than the look.
 * - Items stay in the block that made them (block_queue.h), and a warp knows what they reach before the round begins
 *   (lookahead_tmpl.h).
 * - One warp of each block waits for the other blocks while the other warps look ahead. The same warp counts.
 * - When the threshold rises, what becomes near is handed out to the block queues; what is stale by then, which most of it is, is dropped.
 * - An arrival that no other block depends on is relaxed, since a release would wait for every store before it.
 * - Items for other devices go by woven rings (woven.h), and those that arrive by them are taken while the round runs: no
 *   fence, no tail and no decision comes between two rounds.
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
#ifndef __CUDACC__
    OP(kept_flush)(&self);
#endif
    if (block->args.work.stage_channels)
        OP(flush_all)(&block->args, block);
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

/** Make the updates of the atoms that the warp looked ahead at, and put the new items into their slots.
 *  @return which of the lane's two items other workers own: bits 0 and 1. */
WEIR_DEV uint32_t OP(do_atoms)(struct weir_engine_thread *self, const struct OP(ahead) * ahead,
                               int several)
{
    const OP(state) *state = OP(state_of)(self);
    const uint32_t before = (1u << weir_lane()) - 1u;
    enum weir_fate one_fate = WEIR_FATE_DROP, two_fate = WEIR_FATE_DROP;
    if (ahead->any && ahead->fresh)
        one_fate = OP(on_send)(state, &ahead->one.item);
    if (ahead->both && ahead->fresh)
        two_fate = OP(on_send)(state, &ahead->two.item);
    const uint32_t goes =
        (one_fate == WEIR_FATE_PASS ? 1u : 0u) | (two_fate == WEIR_FATE_PASS ? 2u : 0u);
    if (!several && goes)
        weir_report_astray(self->work);
    const int one = OP(keep_near)(self, one_fate == WEIR_FATE_KEEP, &ahead->one.item);
    const int two = OP(keep_near)(self, two_fate == WEIR_FATE_KEEP, &ahead->two.item);
    const uint32_t ones = weir_ballot(one), twos = weir_ballot(two);
    if (!(ones | twos))
        return goes;
    const uint32_t count = weir_popcount_u32(ones);
    const struct weir_slots slots = weir_reserve_slots(self, count + weir_popcount_u32(twos), 0);
    if (one) {
        const uint64_t bounds = weir_bounds_make(ahead->one.first, ahead->one.last);
        OP(put_new)(self, &slots, weir_popcount_u32(ones & before), &ahead->one.item, bounds);
    }
    if (two) {
        const uint64_t bounds = weir_bounds_make(ahead->two.first, ahead->two.last);
        const uint32_t nth = count + weir_popcount_u32(twos & before);
        OP(put_new)(self, &slots, nth, &ahead->two.item, bounds);
    }
    return goes;
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
        }
        if (block->args.work.workers > 1)
            OP(stage_item)(block, near_bag & 1u, fate == WEIR_FATE_PASS, &next.item);
        else if (fate == WEIR_FATE_PASS)
            weir_report_astray(&block->args.work);
        const int near = OP(keep_near)(&self, fate == WEIR_FATE_KEEP, &next.item);
        const uint32_t group = weir_ballot(near);
        if (!group)
            continue;
        const struct weir_slots slots = weir_reserve_slots(&self, weir_popcount_u32(group), 0);
        if (near) {
            const uint64_t bounds = weir_bounds_make(next.first, next.last);
            const uint32_t nth = weir_popcount_u32(group & ((1u << weir_lane()) - 1u));
            OP(put_new)(&self, &slots, nth, &next.item, bounds);
        }
    }
    return self.pushed;
}

/** Process the tiles that the warp looked ahead at. */
WEIR_DEV void OP(do_tiles)(struct weir_engine_thread *self, const struct OP(ahead) * ahead,
                           int several)
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
    const uint32_t goes = OP(do_atoms)(self, ahead, several);
    if (several && weir_ballot(goes != 0))
        WEIR_CALL(OP(stage_narrow))
    (OP(block_of)(self), self->near_bag & 1u, goes, ahead->one.item, ahead->two.item);
    const uint32_t atoms = ahead->fresh ? ahead->atoms : 0;
    if (weir_ballot(more < atoms))
        self->pushed += WEIR_CALL(OP(do_more))(OP(block_of)(self), self->near_bag, ahead->item,
                                               ahead->first, more, atoms);
    self->stale += ahead->stale;
    self->atoms += ahead->fresh_atoms;
}

#include "worklist/engine/padded_rows_tmpl.h"

/** Wires that are whole in a woven ring, from its head on: a lane has one. */
struct OP(arrived) {
    OP(wire) wire;
    uint32_t count;
};

/** Look at woven ring in @p i, of this warp of block 0. */
WEIR_DEV void OP(look_at_ring)(const struct weir_engine_args *work,
                               const struct weir_ledger *ledger, uint32_t i,
                               struct OP(arrived) * arrived)
{
    const uint64_t *slot = weir_woven_slot_in(work, i, ledger->woven_head[i] + weir_lane());
    const uint32_t missing = weir_ballot(!OP(read_woven)(slot, &arrived->wire));
    arrived->count = missing ? weir_first_bit_u32(missing) : WEIR_LANES;
}

/** Take what a look found in woven ring in @p i, and wipe the slots. */
WEIR_DEV void OP(take_ring)(struct OP(block) * block, struct weir_engine_thread *self, uint32_t i,
                            const struct OP(arrived) * arrived)
{
    struct weir_ledger *ledger = &block->base.ledger;
    const uint32_t head = ledger->woven_head[i];
    uint32_t to = TO_NOWHERE;
    OP(item) item;
    OP(wire) wire = arrived->wire;
    int kept = 0;
    memset(&item, 0, sizeof item);
    if (weir_lane() < arrived->count) {
        uint64_t *slot = weir_woven_slot_in(&block->args.work, i, head + weir_lane());
        kept = OP(open_wire)(block, &wire, &item, &to);
        for (uint32_t w = 0; w < OP(woven_words); w++)
            weir_store_relaxed_sys_u64(slot + w, 0);
    }
    OP(weave)(block, to, &wire);
    const int near = OP(keep_near)(self, kept, &item);
    const uint32_t group = weir_ballot(near);
    if (group) {
        const struct weir_slots slots = weir_reserve_slots(self, weir_popcount_u32(group), 0);
        const uint32_t nth = weir_popcount_u32(group & ((1u << weir_lane()) - 1u));
        if (near) /* the look-ahead asks for the bounds */
            OP(put_new)(self, &slots, nth, &item, WEIR_BOUNDS_UNKNOWN);
    }
    weir_lanes_sync(); /* all have read the head */
    if (weir_lane() == 0)
        ledger->woven_head[i] = head + arrived->count;
    weir_lanes_sync();
}

/** Take what came by this warp's woven rings while a narrow round runs; what was kept is processed in the next round. A warp of
 *  block 0. @param[in] arrived  in its first ring, which it has looked at before the round. @return items put into the near bag. */
WEIR_COLD uint32_t OP(take_woven)(struct OP(block) * block, uint32_t near_bag,
                                  struct OP(arrived) arrived)
{
    struct weir_engine_thread self = weir_thread_called(&block->args.work, &block->base, near_bag);
    const struct weir_engine_args *work = &block->args.work;
    const uint32_t taker = TAKER_OF(weir_warp_now());
    WEIR_ROLLED
    for (uint32_t i = taker; i < work->woven_in; i += 1u << work->woven_log) {
        /* All of it: whoever works on while items wait makes more that are late. */
        WEIR_ROLLED
        for (uint32_t taken = 0; taken <= work->woven_mask; taken += WEIR_LANES) {
            if (taken || i != taker)
                OP(look_at_ring)(work, &block->base.ledger, i, &arrived);
            OP(take_ring)(block, &self, i, &arrived);
            if (arrived.count < WEIR_LANES)
                break;
        }
    }
    return self.pushed;
}

/** A round that hands out: put the elements of the plan that are not stale into the block queue, as items of the next round. All of a
 *  block. @param[in] near_bag  where those go that it has no room for. @return items put into that. */
WEIR_COLD uint32_t OP(hand_out)(struct OP(block) * block, uint32_t near_bag, uint32_t block_number,
                                uint32_t blocks)
{
    struct weir_engine_thread self = weir_thread_called(&block->args.work, &block->base, near_bag);
    const uint64_t word = block->base.word;
    const uint32_t total = weir_word_count(word), step = WARPS * WEIR_LANES;
    self.turn = 1u; /* the round is the first one */
    self.limit = block->args.work.queue_most;
    WEIR_ROLLED
    for (uint32_t i = block_number * step + weir_warp_now() * WEIR_LANES; i < total;
         i += weir_word_blocks(word, blocks) * step) {
        const uint32_t index = i + weir_lane();
        uint64_t first = 0, last = 0;
        OP(item) item;
        int fresh = 0;
        memset(&item, 0, sizeof item);
        if (index < total) {
            const struct weir_work_segment *segment = block->base.segment;
            uint32_t begin = 0;
            WEIR_ROLLED
            while (index >= segment->end)
                begin = segment++->end;
            OP(items_get)(&item, (const OP(item) *)segment->slots + (index - begin));
            fresh = OP(tile)(&block->args.state, &item, &first, &last);
            self.stale += !fresh;
            self.moved += (uint32_t)fresh;
        }
        OP(put_handed_out)(&self, fresh, &item, first, last);
    }
    weir_add_counts(&self);
    block->base.tally[LANE_ID].stale += self.stale;
    return self.pushed;
}

/** Narrow rounds, from that of @p word on, as long as one follows another. A warp goes from set to set; at the first set of a
 *  round it looks before the round begins. All of the block. @param[in] several  there are other workers; a constant.
 *  @param[in] rows  over padded rows; a constant. @return the word of the last round. */
WEIR_DEV uint64_t OP(narrow_rounds)(struct weir_engine_thread *self, uint64_t word, int several,
                                    int rows)
{
    const struct weir_engine_args *args = &OP(block_of)(self)->args.work;
    const uint32_t row_log = rows ? OP(row_log_of)(&OP(block_of)(self)->args) : 0;
    const uint32_t set_log = rows ? ROWS_SET_LOG(row_log) : SET_LOG(self->work);
    struct weir_narrow_sets sets = weir_narrow_sets_make(word);
    struct OP(ahead) ahead;
    struct OP(rows_ahead) rows_ahead;
    struct OP(arrived) arrived;
    const uint32_t warp = weir_warp_now();
    const uint32_t taker = TAKER_OF(warp); /* wraps for the barrier warp */
    const int takes =
        several && self->block_number == 0 && taker < 1u << args->woven_log && args->woven_in;
    uint32_t set = warp;
    int begun = 1, sent = 0;
    self->turn = 1u; /* all counts are 0 */
    memset(&ahead, 0, sizeof ahead);
    memset(&rows_ahead, 0, sizeof rows_ahead);
    memset(&arrived, 0, sizeof arrived);
    if (several)
        weir_know_woven(self);
    weir_narrow_begin_round(self, warp, args, &sets, word, word, rows);
    if (weir_word_action(word) == WEIR_ACTION_HAND_OUT) {
        sets.shared = 0;
        self->pushed += WEIR_CALL(OP(hand_out))(OP(block_of)(self), self->near_bag,
                                                self->block_number, self->blocks);
    }
    if (takes) { /* a round of no items is there for this alone */
        OP(look_at_ring)(args, &self->block->ledger, taker, &arrived);
        self->pushed += WEIR_CALL(OP(take_woven))(OP(block_of)(self), self->near_bag, arrived);
    }
    WEIR_ROLLED
    for (;;) {
        ahead.count = rows_ahead.count = 0;
        if (IS_WORKING(warp) && rows)
            OP(look_at_rows)(self, &rows_ahead, &sets, set, row_log);
        else if (IS_WORKING(warp))
            OP(look_at_set)(self, &ahead, &sets, set);
        const uint32_t count = rows ? rows_ahead.count : ahead.count;
        if (!begun) {
            /* The looks are under way while blocks wait for each other. */
            int came = 0;
            if (takes && (!LOOKS_SELDOM || !count || weir_word_generation(word) % 4u == 0)) {
                OP(look_at_ring)(args, &self->block->ledger, taker, &arrived);
                came = arrived.count || weir_woven_came(args, &self->block->ledger, taker);
            }
            if (several && IS_WORKING(warp) && self->block->queue.outgoing[sets.half])
                WEIR_CALL(OP(send_staged))(OP(block_of)(self), sets.half);
            if (!PACE_BESIDE && takes && args->pace)
                weir_pace_keep(args, &self->block->ledger);
            weir_narrow_find_next(self, warp, word, sets.queued, rows);
            weir_block_sync();
            const uint64_t next = self->block->word;
            if (!next)
                return word;
            if (rows &&
                WEIR_LANES > 1u) { /* updates are on their way while the round is looked at */
                OP(send_entry)(self, &rows_ahead);
                sent = count != 0;
            }
            weir_narrow_begin_round(self, warp, args, &sets, word, next, rows);
            word = next;
            if (several && self->block_number == 0 && (IS_PACE_WARP(warp) || IS_LOOK_WARP(warp)))
                WEIR_CALL(weir_beside_others)(args, self->block, warp, word);
            if (came)
                self->pushed +=
                    WEIR_CALL(OP(take_woven))(OP(block_of)(self), self->near_bag, arrived);
            begun = 1;
            if (IS_WORKING(warp) && !count && sets.shared)
                continue; /* no set of queued items was left for this warp */
        }
        if (count) {
            if (rows)
                OP(do_rows)(self, &rows_ahead, row_log, sent);
            else
                OP(do_tiles)(self, &ahead, several);
            sent = 0;
            set += WORKING_WARPS;
            if (sets.shared || set << set_log < sets.queued)
                continue;
        }
        weir_narrow_end_round(self, &sets, rows);
        sent = 0;
        set = warp;
        begun = 0;
    }
}

/** Narrow rounds, and what comes after them. All of the block. */
WEIR_DEV void OP(go_narrow)(struct weir_engine_thread *self, int several)
{
    struct OP(block) *block = OP(block_of)(self);
    const uint64_t word = OP(has_rows) && !several && OP(row_log_of)(&block->args)
                              ? OP(narrow_rounds)(self, block->base.word, several, 1)
                              : OP(narrow_rounds)(self, block->base.word, several, 0);
    uint64_t next;
    if (block->base.queue.last_arrivals)
        WEIR_CALL(OP(hand_back))(block, WEIR_BAG_NEAR + (weir_word_near_bag(word) ^ 1u));
    if (several &&
        self->block_number ==
            0) /* acquires what senders released before they wove what this thread has taken */
        weir_fence_sys();
    weir_block_sync();
    if (weir_warp_now() == 0) {
        next = WEIR_CALL(weir_leave_narrow)(&block->args.work, &block->base, self->block_number,
                                            self->blocks, word);
        if (weir_lane() == 0)
            weir_block_begins(&block->args.work, &block->base, self->blocks, next);
    }
    weir_block_sync();
}

/** A round that is not narrow, in the kernel for narrow rounds, and what comes after it. All of a block. */
WEIR_COLD void OP(other_round)(struct OP(block) * block, uint32_t block_number, uint32_t blocks)
{
    struct weir_engine_thread self =
        weir_thread_make(&block->args.work, &block->base, block_number, blocks);
    const uint64_t word = block->base.word;
    self.plain = block->args.work.order != WEIR_ENGINE_SOFT && block->args.work.workers == 1;
    if (block_number < weir_word_blocks(word, blocks)) {
        const int counts = block_number == 0 && weir_warp_now() == WARPS - 1;
        struct weir_peek peek = {0, 0, 0};
        if (counts) {
            weir_count_beside(&self, word);
            peek = weir_peek_look(&block->args.work, &block->base.ledger);
        }
        OP(round)(&self, word, weir_word_count(word), FORM_REST);
        if (counts && weir_peek_judge(&block->args.work, &block->base.ledger, peek) &&
            weir_lane() == 0)
            block->base.special = 1;
        if (counts && block->args.work.pace)
            weir_pace_keep(&block->args.work, &block->base.ledger);
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
            weir_block_begins(&block->args.work, &block->base, blocks, next);
    }
    weir_block_sync();
}

/** The kernel for narrow rounds, of one block: engine() with less in it. @param[in] several  there are other workers; a constant on
 *  GPUs, so that the code for them costs nothing where there is one. */
WEIR_DEV void OP(narrow_engine)(const struct OP(args) * args, struct OP(block) * block,
                                uint32_t block_number, uint32_t blocks, int several)
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
#ifndef __CUDACC__
    OP(kept_clear)(block);
#endif
    weir_block_sync();
    WEIR_ROLLED
    while (weir_word_action(block->base.word) != WEIR_ACTION_END) {
        if (block_number < weir_word_blocks(block->base.word, blocks) &&
            weir_is_narrow(&args->work, block->base.word, blocks))
            OP(go_narrow)(self, several);
        else
            WEIR_CALL(OP(other_round))(block, block_number, blocks);
    }
#ifndef __CUDACC__
    OP(kept_finish)(args, block);
#endif
    self->stale += block->base.tally[LANE_ID].stale;
    self->atoms += block->base.tally[LANE_ID].atoms;
    weir_engine_finish(self);
}
