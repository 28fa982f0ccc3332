/** @file woven_tmpl.h  A part of engine_tmpl.h: packed items into woven rings and out of them (woven.h). */

enum {
    /* As weir_woven_words(): one, or an even number, whose pairs are loaded and stored together. */
    OP(woven_words) =
        (sizeof(OP(wire)) + 3u) / 4u > 1u ? ((sizeof(OP(wire)) + 3u) / 4u + 1u) & ~1u : 1u,
    OP(woven_step) = OP(woven_words) > 1 ? 2 : 1
};

/** Store a word of a woven ring. What releases it on a GPU is a fence of the decider (weir_report_busy()). */
WEIR_DEV void OP(store_woven)(uint64_t *slot, const uint32_t words[OP(woven_words)])
{
#ifdef __CUDACC__
#pragma unroll
    for (uint32_t i = 0; i < OP(woven_words); i += OP(woven_step))
        if (OP(woven_step) == 1)
            weir_store_relaxed_sys_u64(slot + i, WEIR_WOVEN_MARK | words[i]);
        else
            weir_store_relaxed_sys_pair(slot + i, WEIR_WOVEN_MARK | words[i],
                                        WEIR_WOVEN_MARK | words[i + OP(woven_step) - 1]);
#else
    for (uint32_t i = 0; i < OP(woven_words); i++)
        weir_store_release_sys_u64(slot + i, WEIR_WOVEN_MARK | words[i]);
#endif
}

/** Read a slot. One lane. @return whether it is whole. */
WEIR_DEV int OP(read_woven)(const uint64_t *slot, OP(wire) * wire)
{
    uint64_t words[OP(woven_words)];
    uint32_t plain[OP(woven_words)], whole = 1;
    for (uint32_t i = 0; i < OP(woven_words); i += OP(woven_step))
        if (OP(woven_step) == 1)
            words[i] = weir_load_relaxed_sys_u64(slot + i);
        else
            weir_load_relaxed_sys_pair(slot + i, &words[i], &words[i + OP(woven_step) - 1]);
    for (uint32_t i = 0; i < OP(woven_words); i++) {
        whole &= (uint32_t)weir_woven_is_there(words[i]);
        plain[i] = (uint32_t)words[i];
    }
    memcpy(wire, plain, sizeof *wire);
    return (int)whole;
}

/** Take a wire out of a slot that is whole, and wipe the slot. One lane. */
WEIR_DEV void OP(unweave)(uint64_t *slot, OP(wire) * wire)
{
    (void)OP(read_woven)(slot, wire);
    for (uint32_t i = 0; i < OP(woven_words); i++)
        weir_store_relaxed_sys_u64(slot + i, 0);
}

/** Store the wires of the lanes in @p group into a woven ring of a channel. @param[in] limit, rings  as of weir_control: one for
 *  each ring, and the channel's. @return the lanes whose wires found no free slot there. */
WEIR_DEV uint32_t OP(weave_wires)(const struct weir_engine_args *work, uint32_t group,
                                  uint32_t channel, const uint32_t *limit, uint64_t *rings,
                                  const OP(wire) * wire)
{
    const uint32_t r = TAKER_OF(weir_warp_now()) & ((1u << work->woven_log) - 1u);
    const uint32_t i = (channel << work->woven_log) + r, end = limit[i];
    const uint32_t slot = weir_bag_reserve_mp(&work->control->woven_tail[i], group);
    const int mine = group >> weir_lane() & 1u, fits = (int32_t)(end - slot) > 0;
    if (mine && fits) {
        uint32_t words[OP(woven_words)] = {0};
        memcpy(words, wire, sizeof *wire);
        OP(store_woven)(weir_woven_slot(work, rings, r, slot), words);
    }
    return weir_ballot(mine && !fits);
}

/** Put the wires of the lanes in @p group, which found no free slot in their channel, into the held bag. */
WEIR_DEV void OP(hold_wires)(const struct OP(args) * args, struct OP(block) * block, uint32_t group,
                             const OP(wire) * wire)
{
    const uint32_t held = block->base.order.held_bag;
    const uint32_t slot = weir_bag_reserve_mp(weir_bag_tail(&args->work, held), group);
    if ((group >> weir_lane() & 1u) && !OP(wires_put)(&args->work.bag[held], slot, wire))
        weir_refuse(&args->work, &block->base, WEIR_LOOK_FULL);
}

#if OP(narrow)
/** Send the wires of the lanes whose @p to is a channel. Wires that find no free slot go to the held bag. */
WEIR_DEV void OP(weave)(struct OP(block) * block, uint32_t to, const OP(wire) * wire)
{
    uint32_t waiting = weir_ballot(to != TO_NOWHERE);
    WEIR_ROLLED
    while (waiting) {
        const uint32_t channel = weir_broadcast_u32(to, weir_first_bit_u32(waiting));
        const uint32_t together = weir_ballot(to == channel);
        const uint32_t l = channel - TO_CHANNEL;
        const uint32_t left =
            OP(weave_wires)(&block->args.work, together, l, block->base.woven.limit,
                            block->base.woven.rings[l], wire);
        if (left) {
            OP(hold_wires)(&block->args, block, left, wire);
            if (weir_lane() == 0)
                block->base.special = 1;
        }
        waiting &= ~together;
    }
}

/** Send the items of the lanes that pass @p goes, which other workers own. */
WEIR_DEV void OP(send_some)(struct OP(block) * block, int goes, const OP(item) * item)
{
    const struct weir_engine_args *work = &block->args.work;
    uint32_t to = TO_NOWHERE;
    OP(wire) wire;
    memset(&wire, 0, sizeof wire);
    if (goes)
        to = weir_channel_known(work, &block->base, OP(pack)(&block->args.state, item, &wire));
    OP(weave)(block, to, &wire);
}

/** Keep the items of the lanes that pass @p goes in the block's own memory, for other workers, until the block has done its part of
 *  the round. Items that find no room there are sent now. */
WEIR_DEV void OP(stage_item)(struct OP(block) * block, uint32_t half, int goes,
                             const OP(item) * item)
{
    const uint32_t group = weir_ballot(goes);
    uint32_t slot = OUTGOING_MOST;
    if (!group)
        return;
    if (weir_lane() == 0)
        slot = weir_atomic_add_relaxed_dev_u32(&block->base.queue.outgoing[half],
                                               weir_popcount_u32(group));
    slot = weir_broadcast_u32(slot, 0) + weir_popcount_u32(group & ((1u << weir_lane()) - 1u));
    if (goes && slot < OUTGOING_MOST)
        block->outgoing[half][slot] = *item;
    if (weir_ballot(goes && slot >= OUTGOING_MOST))
        OP(send_some)(block, goes && slot >= OUTGOING_MOST, item);
}

/** The same of two items of each lane. @param[in] goes  bit 0: the first one; bit 1: the second. */
WEIR_COLD void OP(stage_narrow)(struct OP(block) * block, uint32_t half, uint32_t goes,
                                OP(item) one, OP(item) two)
{
    OP(stage_item)(block, half, goes & 1u, &one);
    OP(stage_item)(block, half, goes >> 1 & 1u, &two);
}

/** Send the items that the round kept for other workers, while blocks wait for each other. Warps take 32 of them each, beginning
 *  with the last one that works, which has the fewest items of its own to look at. All working warps. */
WEIR_COLD void OP(send_staged)(struct OP(block) * block, uint32_t half)
{
    const uint32_t asked = block->base.queue.outgoing[half];
    const uint32_t count = asked < OUTGOING_MOST ? asked : OUTGOING_MOST;
    WEIR_ROLLED
    for (uint32_t i = (WORKING_WARPS - 1u - weir_warp_now()) * WEIR_LANES; i < count;
         i += WORKING_WARPS * WEIR_LANES) {
        const uint32_t mine = i + weir_lane();
        const OP(item) item = block->outgoing[half][mine < count ? mine : 0];
        OP(send_some)(block, mine < count, &item);
    }
}

/** What a lane does with a wire that arrived. @param[out] to  the channel that it goes on by. @return whether the operator kept
 *  it. */
WEIR_DEV int OP(open_wire)(const struct OP(block) * block, OP(wire) * wire, OP(item) * item,
                           uint32_t *to)
{
    const OP(state) *state = &block->args.state;
    const enum weir_fate fate = OP(on_receive)(state, wire);
    if (fate == WEIR_FATE_KEEP)
        OP(unpack)(state, wire, item);
    if (fate == WEIR_FATE_PASS)
        *to = weir_channel_known(&block->args.work, &block->base, OP(owner)(state, wire));
    return fate == WEIR_FATE_KEEP;
}
#endif
