/** @file block_queue_tmpl.h  A part of engine_tmpl.h: items that a block keeps for itself between narrow rounds.
 *
 * A narrow round takes as long as its chain of accesses (narrow_tmpl.h). Two links of it only carry an item
 * from the lane that made it to one that processes it: the slot in the bag, an atomic that is waited for, and the
 * load from there. So a block keeps new items in its own memory and processes them itself in the next round. (Queues
 * of a block in front of that of all: Luo, Wong and Hwu, "An effective GPU implementation of breadth-first search",
 * 2010, section 4; there for bandwidth, and emptied in each round.)
 *
 * Rounds are spread over many blocks, with few items each. What a block has too much of goes over the near bag to
 * others; and since a round of which anything goes there is long, all blocks then give what they have above their
 * fair share, after which it does not happen again for long. (On road networks 2 to 7 in 100 rounds.) Blocks that have
 * items of their own take part in every round until they hand them back: all of them, into the bag, when the next
 * round is not narrow or block 0 has to decide. Handing back ends like a round, by arrivals of a generation of its
 * own. */

/** Items that a block may have above its fair share when all share. */
#define FAIR_ABOVE 8u

/** Where new items of a warp go: the first `stay` of them into the block's own memory from `own` on, the others
 *  into the near bag from `bag` on, less `stay`. */
struct OP(room) {
    uint32_t stay, own, bag;
};

/** Room for @p count new items of this warp, which is not 0. */
WEIR_DEV struct OP(room) OP(find_room)(struct OP(run) * run, uint32_t count)
{
    struct OP(block) *block = run->block;
    struct OP(room) room = {0, 0, 0};
    const uint32_t to = run->near_bag & 1u, limit = block->own_limit[to];
    if (weir_lane() == 0)
        room.own = weir_atomic_add_relaxed_dev_u32(&block->own_count[to], count);
    room.own = weir_broadcast_u32(room.own, 0);
    if (room.own < limit)
        room.stay = limit - room.own < count ? limit - room.own : count;
    if (room.stay == count)
        return room;
    if (weir_lane() == 0)
        room.bag = weir_atomic_add_relaxed_dev_u32(OP(tail)(&run->args->work, run->near_bag),
                                                   count - room.stay);
    room.bag = weir_broadcast_u32(room.bag, 0) - room.stay;
    run->pushed += count - room.stay;
    return room;
}

/** Put an item and the bounds of its tile into a slot of the near bag. One lane. */
WEIR_DEV void OP(put_narrow)(const struct OP(run) * run, uint32_t slot, const OP(item) * item,
                             uint64_t bounds)
{
    const struct weir_engine_args *work = &run->args->work;
    if (!OP(items_put)(&work->bag[run->near_bag], slot, item))
        OP(refuse)(run->args, run->block, WEIR_LOOK_FULL);
    else if (slot < work->narrow)
        weir_store_relaxed_dev_u64(&work->bounds[run->near_bag & 1u][slot], bounds);
}

/** Put the warp's new item number @p i where there is room for it. One lane. */
WEIR_DEV void OP(put_new)(const struct OP(run) * run, const struct OP(room) * room, uint32_t i,
                          const OP(item) * item, uint64_t bounds)
{
    if (i < room->stay) {
        run->block->own[run->near_bag & 1u][room->own + i] = *item;
        run->block->own_bounds[run->near_bag & 1u][room->own + i] = bounds;
    } else {
        OP(put_narrow)(run, room->bag + i, item, bounds);
    }
}

/** No items, and room for them. One lane. */
WEIR_DEV void OP(begin_own)(const struct weir_engine_args *work, struct OP(block) * block)
{
    block->own_count[0] = block->own_count[1] = block->put_off_count = 0;
    block->own_limit[0] = block->own_limit[1] = work->own_most;
}

/** Items of its own that a block has in a half that nobody puts into. */
WEIR_DEV uint32_t OP(own_items)(const struct OP(block) * block, uint32_t half)
{
    const uint32_t asked = block->own_count[half], limit = block->own_limit[half];
    return asked < limit ? asked : limit;
}

/** Let the round of @p next, in which the block has @p own items, put into the half that the one of @p word has read.
 *  One lane. */
WEIR_DEV void OP(turn_own)(const struct weir_engine_args *work, struct OP(block) * block,
                           uint64_t word, uint64_t next, uint32_t own)
{
    const uint32_t from = weir_word_near_bag(word);
    const uint32_t fair = (weir_word_count(next) >> weir_word_blocks_log(next)) + FAIR_ABOVE;
    const uint32_t most = work->own_most;
    /* When one gives all give. One does that has more than a set for each warp, if that is far more than is fair. */
    const int give =
        (weir_word_shared(next) && !weir_word_shared(word)) || (own > most / 2 && own > 2 * fair);
    block->own_count[from] = 0;
    block->own_limit[from] = give && fair < most ? fair : most;
}

/** Put the items of the lanes in @p group, which are deferred, into the far bag and the buckets. */
WEIR_COLD void OP(defer)(struct OP(block) * block, uint32_t group, OP(item) item)
{
    struct OP(run) run = OP(call_run)(&block->args, block, PLACE_NONE);
    const int go = group >> weir_lane() & 1u;
    uint32_t to = go ? OP(near_or_far)(&run, &item) : PLACE_NONE;
    if (go && to == PLACE_NONE) /* near by now: a hint may change */
        to = block->order.far_bag;
    WEIR_ROLLED
    while (group) {
        const uint32_t bag = weir_broadcast_u32(to, weir_first_bit_u32(group));
        const uint32_t together = weir_ballot(to == bag);
        OP(push_deferred)(&block->args, block, together, bag, item);
        group &= ~together;
    }
}

/** Keep the deferred items of the lanes in @p group in the block's own memory. Slots are given out once and for all, so
 *  that those below the count are all in use. @return the lanes whose items found no room. */
WEIR_DEV uint32_t OP(put_off)(struct OP(block) * block, uint32_t group, const OP(item) * item)
{
    uint32_t slot = PUT_OFF_MOST;
    /* Asked only while there is room: the count stays near it. */
    if (weir_lane() == 0 && weir_load_relaxed_dev_u32(&block->put_off_count) < PUT_OFF_MOST)
        slot = weir_atomic_add_relaxed_dev_u32(&block->put_off_count, weir_popcount_u32(group));
    slot = weir_broadcast_u32(slot, 0) + weir_popcount_u32(group & ((1u << weir_lane()) - 1u));
    const int mine = group >> weir_lane() & 1u;
    if (mine && slot < PUT_OFF_MOST)
        block->put_off[slot] = *item;
    return weir_ballot(mine && slot >= PUT_OFF_MOST);
}

/** The next word if it is of a narrow round too and nothing is to be decided, else 0. One lane.
 *  @param[in] word  of a narrow round of which all have arrived. */
WEIR_DEV uint64_t OP(next_narrow)(const struct weir_engine_args *work, uint64_t word,
                                  uint64_t arrivals)
{
    const uint32_t own = weir_arrivals_own(arrivals);
    const uint32_t pushed = weir_arrivals_pushed_narrow(arrivals), count = own + pushed;
    const uint32_t least = weir_word_blocks_log(word), spread = work->own_least_log;
    uint32_t log = weir_bits_u32(count - 1u);
    if (weir_arrivals_special(arrivals) || count - 1u >= work->narrow /* or is 0 */ ||
        pushed > work->bag[WEIR_BAG_NEAR].room)
        return 0;
    log = log > spread ? log - spread : 0;
    log = log < work->own_blocks_log ? log : work->own_blocks_log;
    log = log > least ? log : least; /* who has items takes part */
    return weir_word_make(weir_word_generation(word) + 1, WEIR_ACTION_NEAR,
                          weir_word_near_bag(word) ^ 1u, log, own << 16 | count) |
           WEIR_WORD_OWN | WEIR_WORD_BOUNDS;
}

/** Whether the arrival of this block orders anything: items that it put into the near bag, or slots that it read there,
 *  which others put into next; or words that block 0 set back in this round. On the host each does (await_arrivals()). */
WEIR_DEV int OP(hands_on)(const struct OP(run) * run, uint64_t word, uint32_t pushed,
                          uint32_t special)
{
    return WEIR_LANES == 1u || (pushed | special | weir_word_shared(word)) != 0 ||
           (run->block_number == 0 && weir_word_generation(word) % 4u == 0);
}

/** This block is through with a narrow round. One lane. @return the next word, or 0: it is not narrow, or block 0
 *  decides. */
WEIR_DEV uint64_t OP(narrow_step)(const struct OP(run) * run, uint64_t word)
{
    const struct weir_engine_args *work = &run->args->work;
    struct OP(block) *block = run->block;
    const uint32_t active = weir_word_blocks(word, run->blocks);
    const uint32_t pushed = block->pushed, special = block->special;
    const uint32_t own = OP(own_items)(block, weir_word_near_bag(word) ^ 1u);
    uint64_t arrivals = weir_arrivals_one_narrow(pushed, own, (int)special);
    block->pushed = block->special = 0;
    if (active > 1) {
        if (OP(hands_on)(run, word, pushed, special))
            weir_add_release_dev_u64(OP(arrivals_at)(run, word), arrivals);
        else /* A release waits for all that the thread ever stored to have arrived. */
            (void)weir_atomic_add_relaxed_dev_u64(OP(arrivals_at)(run, word), arrivals);
        arrivals = OP(await_arrivals)(run, word, active);
    }
    const uint64_t next = OP(next_narrow)(work, word, arrivals);
    if (next)
        OP(turn_own)(work, block, word, next, own);
    else
        block->left = arrivals;
    if (run->block_number == 0) {
        block->owed = word;
        if (next && OP(must_tell)(run, next, active))
            weir_store_release_dev_u64(&work->control->word, next);
    }
    return next;
}

/** Put the block's own items into the near bag, and what it put off into others. All of the block. */
WEIR_COLD void OP(hand_back)(struct OP(block) * block, uint32_t near_bag)
{
    struct OP(run) run = OP(call_run)(&block->args, block, near_bag);
    const uint32_t half = near_bag & 1u, own = OP(own_items)(block, half);
    const uint32_t asked = block->put_off_count, off = asked < PUT_OFF_MOST ? asked : PUT_OFF_MOST;
    WEIR_ROLLED
    for (uint32_t i = OP(warp_now)() * WEIR_LANES; i < own; i += WARPS * WEIR_LANES) {
        const uint32_t left = own - i, mine = i + weir_lane();
        const uint32_t group = left < 32u ? (1u << left) - 1u : 0xFFFFFFFFu;
        const uint32_t slot =
            weir_bag_reserve_mp(OP(tail)(&block->args.work, near_bag), group & ALL_LANES);
        if (mine < own)
            OP(put_narrow)(&run, slot, &block->own[half][mine], block->own_bounds[half][mine]);
    }
    WEIR_ROLLED
    for (uint32_t i = OP(warp_now)() * WEIR_LANES; i < off; i += WARPS * WEIR_LANES) {
        const uint32_t mine = i + weir_lane();
        const uint32_t left = off - i;
        const uint32_t group = left < 32u ? (1u << left) - 1u : 0xFFFFFFFFu;
        OP(defer)(block, group & ALL_LANES, block->put_off[mine < off ? mine : 0]);
    }
}

/** Wait for all to have handed back what they had. Warp 0 of all blocks of the round of @p word, of which all have
 *  arrived. @return 0 if the others have gone on for long without this block. */
WEIR_DEV int OP(meet)(const struct OP(run) * run, uint64_t word)
{
    const struct weir_engine_args *work = &run->args->work;
    const uint64_t later = weir_word_later(word);
    const uint32_t active = weir_word_blocks(word, run->blocks);
    uint32_t met = 1;
    if (weir_lane() == 0) {
        OP(begin_own)(work, run->block);
        if (run->block_number == 0) {
            OP(set_back)(work, weir_word_generation(later));
            weir_store_relaxed_dev_u32(&work->control->cursor[0], 0);
            weir_store_relaxed_dev_u32(&work->control->cursor[1], 0);
        }
        if (active > 1) {
            weir_add_release_dev_u64(OP(arrivals_at)(run, later), weir_arrivals_one(0, 0));
            met = OP(await_arrivals)(run, later, active) != 0; /* pairs with that release */
        }
    }
    return (int)weir_broadcast_u32(met, 0);
}

/** What comes after narrow rounds. Warp 0. @param[in] word  of the last of them, which block->left is of.
 *  @return the next word. */
WEIR_COLD uint64_t OP(leave_narrow)(struct OP(block) * block, uint32_t block_number,
                                    uint32_t blocks, uint64_t word)
{
    struct OP(run) run = OP(begin_run)(&block->args, block, block_number, blocks);
    const uint64_t arrivals = block->left, later = weir_word_later(word);
    uint64_t next = 0;
    if (arrivals && OP(meet)(&run, word) && !weir_arrivals_special(arrivals))
        next =
            weir_decide_near(&block->args.work, later,
                             weir_arrivals_own(arrivals) + weir_arrivals_pushed_narrow(arrivals));
    next = OP(go_on)(&run, later, next);
    if (weir_word_action(next) != WEIR_ACTION_END && block_number < weir_word_blocks(next, blocks))
        OP(read_plan)(&run, next, (int)block->fresh);
    return next;
}
