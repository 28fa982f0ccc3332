/** @file block_queue_tmpl.h  A part of engine_tmpl.h: items into the block queue and out of it (block_queue.h). */

/** Entries of a padded row, as a power of two; 0: this run has none. Only one worker has some. */
WEIR_DEV uint32_t OP(row_log_of)(const struct OP(args) * args)
{
#if OP(padded_rows)
    return args->work.workers == 1 ? OP(row_log)(&args->state) : 0;
#else
    (void)args;
    return 0;
#endif
}

/** Put an item and the bounds of its tile into a slot of the near bag. One lane. */
WEIR_DEV void OP(put_narrow)(const struct weir_engine_thread *self, uint32_t slot,
                             const OP(item) * item, uint64_t bounds)
{
    const struct weir_engine_args *work = self->work;
    if (!OP(items_put)(&work->bag[self->near_bag], slot, item))
        weir_refuse(work, self->block, WEIR_LOOK_FULL);
    else if (slot < work->narrow)
        weir_store_relaxed_dev_u64(&work->bounds[self->near_bag & 1u][slot], bounds);
}

/** Put new item number @p i of the warp into the slot that was reserved for it. One lane. */
WEIR_DEV void OP(put_new)(const struct weir_engine_thread *self, const struct weir_slots *slots,
                          uint32_t i, const OP(item) * item, uint64_t bounds)
{
    struct OP(block) *block = OP(block_of)(self);
    if (i < slots->queued) {
        block->queued[self->near_bag & 1u][slots->queue + i] = *item;
        block->queued_bounds[self->near_bag & 1u][slots->queue + i] = bounds;
    } else {
        OP(put_narrow)(self, slots->bag + i, item, bounds);
    }
}

/** Put new items and the bounds of their tiles into the slots that are reserved for them here. All lanes. @param[in] near  the lane
 *  has one. */
WEIR_DEV void OP(put_bounded)(struct weir_engine_thread *self, int near, const OP(item) * item,
                              uint64_t bounds)
{
    const uint32_t group = weir_ballot(near);
    if (!group)
        return;
    const struct weir_slots slots = weir_reserve_slots(self, weir_popcount_u32(group), 0);
    const uint32_t nth = weir_popcount_u32(group & ((1u << weir_lane()) - 1u));
    if (near)
        OP(put_new)(self, &slots, nth, item, bounds);
}

/** Put the items of the lanes in @p group, which are deferred, into the far bag and the buckets. */
WEIR_COLD void OP(defer_in_bags)(struct OP(block) * block, uint32_t group, OP(item) item)
{
    struct weir_engine_thread self =
        weir_thread_called(&block->args.work, &block->base, TO_NOWHERE);
    const int go = group >> weir_lane() & 1u;
    uint32_t to = go ? OP(bag_for)(&self, &item) : TO_NOWHERE;
    if (go && to == TO_NOWHERE) /* it is near by now, since a priority is a hint that may change */
        to = block->base.order.far_bag;
    OP(push_deferred)(&block->args, block, group, to, item);
}

/** Keep the deferred items of the lanes in @p group in the block's own memory. A slot is given out once until the items are
 *  handed back, so all slots below the count are in use. @return the lanes whose items found no room. */
WEIR_DEV uint32_t OP(defer_in_block)(struct OP(block) * block, uint32_t group,
                                     const OP(item) * item)
{
    uint32_t *count = &block->base.queue.deferred_count, slot = OP(deferred_most);
    /* Lanes ask only while there is room, so that the count does not grow without bound. */
    if (weir_lane() == 0 && weir_load_relaxed_dev_u32(count) < OP(deferred_most))
        slot = weir_atomic_add_relaxed_dev_u32(count, weir_popcount_u32(group));
    slot = weir_broadcast_u32(slot, 0) + weir_popcount_u32(group & ((1u << weir_lane()) - 1u));
    const int mine = group >> weir_lane() & 1u;
    if (mine && slot < OP(deferred_most))
        block->deferred[slot] = *item;
    return weir_ballot(mine && slot >= OP(deferred_most));
}

/** Put the items of the block queue into the near bag, and the deferred items of the block into the far bag and the
 *  buckets. All of the block. */
WEIR_COLD void OP(hand_back)(struct OP(block) * block, uint32_t near_bag)
{
    struct weir_engine_thread self = weir_thread_called(&block->args.work, &block->base, near_bag);
    const uint32_t half = near_bag & 1u, queued = block->base.queue.last_queued;
    const OP(item) *items = block->queued[half];
    const uint32_t asked = block->base.queue.deferred_count;
    const uint32_t most = OP(deferred_most), deferred = asked < most ? asked : most;
    WEIR_ROLLED
    for (uint32_t i = weir_warp_now() * WEIR_LANES; i < queued; i += WARPS * WEIR_LANES) {
        const uint32_t left = queued - i, mine = i + weir_lane();
        const uint32_t group = left < 32u ? (1u << left) - 1u : 0xFFFFFFFFu;
        const uint32_t slot =
            weir_bag_reserve_mp(weir_bag_tail(&block->args.work, near_bag), group & ALL_LANES);
        if (mine < queued)
            OP(put_narrow)
        (&self, slot, &items[mine],
         OP(row_log_of)(&block->args) ? WEIR_BOUNDS_UNKNOWN : block->queued_bounds[half][mine]);
    }
    WEIR_ROLLED
    for (uint32_t i = weir_warp_now() * WEIR_LANES; i < deferred; i += WARPS * WEIR_LANES) {
        const uint32_t left = deferred - i, mine = i + weir_lane();
        const uint32_t group = left < 32u ? (1u << left) - 1u : 0xFFFFFFFFu;
        OP(defer_in_bags)(block, group & ALL_LANES, block->deferred[mine < deferred ? mine : 0]);
    }
}
