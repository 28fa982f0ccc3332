/** @file push_tmpl.h  A part of engine_tmpl.h: where items go, and how they get there. */

/* ---- where items go -------------------------------------------------------------------------- */

/** The bag of this device that an item belongs into by its priority. One lane. */
WEIR_DEV uint32_t OP(bag_for)(const struct weir_engine_thread *self, const OP(item) * item)
{
    const struct weir_work_order *order = &self->block->order;
    if (self->plain || order->threshold == 0xFFFFFFFFu)
        return self->near_bag;
    uint32_t priority = OP(priority)(OP(state_of)(self), item);
    if (priority < order->threshold)
        return self->near_bag;
    uint32_t bucket = (priority - order->threshold) / order->delta;
    if (bucket < order->window)
        return WEIR_BAG_BUCKET + (order->bucket + bucket) % WEIR_BUCKETS;
    return order->far_bag;
}

/** Ask the operator what becomes of a new item, and set its destination if it goes anywhere. One lane. */
WEIR_DEV void OP(choose_destination)(const struct weir_engine_thread *self,
                                     struct OP(parcel) * parcel)
{
    const OP(state) *state = OP(state_of)(self);
    enum weir_fate fate = OP(on_send)(state, &parcel->item);
    if (fate == WEIR_FATE_KEEP)
        parcel->to = OP(bag_for)(self, &parcel->item);
    else if (fate == WEIR_FATE_PASS)
        parcel->to = weir_channel_to(self->work, OP(pack)(state, &parcel->item, &parcel->wire));
}

/* ---- pushing --------------------------------------------------------------------------------- */

/** How urgent an item of the far bag is: the more, the smaller its priority. 0 says that there is no item, so the last priority
 *  counts as the one before it. One lane. */
WEIR_DEV uint32_t OP(urgency_of)(const struct OP(args) * args, const OP(item) * item)
{
    const uint32_t urgency = ~OP(priority)(&args->state, item);
    return urgency ? urgency : 1u;
}

/** Put the items of the lanes in @p group, which are deferred, into bags: each lane's own @p bag, the far bag or a bucket. Items that
 *  a bucket has no room for go to the far bag. Lanes whose items go to the same bucket reserve slots together, and all buckets of
 *  a warp are under way at the same time: items are spread over many. */
WEIR_COLD void OP(push_deferred)(const struct OP(args) * args, struct OP(block) * block,
                                 uint32_t group, uint32_t bag, OP(item) item)
{
    const struct weir_engine_args *work = &args->work;
    const uint32_t far_bag = block->base.order.far_bag;
    const int goes = group >> weir_lane() & 1u, bucketed = goes && bag != far_bag;
    int full = goes;
    if (weir_ballot(bucketed)) {
        const uint32_t same = weir_match_u32(bucketed ? bag : TO_NOWHERE);
        const uint32_t first = weir_first_bit_u32(same);
        uint32_t slot = 0;
        if (bucketed && weir_lane() == first)
            slot =
                weir_atomic_add_relaxed_dev_u32(weir_bag_tail(work, bag), weir_popcount_u32(same));
        slot =
            weir_broadcast_u32(slot, first) + weir_popcount_u32(same & ((1u << weir_lane()) - 1u));
        if (bucketed)
            full = !OP(items_put)(&work->bag[bag], slot, &item);
        group = weir_ballot(full);
        if (!group)
            return;
    }
    uint32_t slot = weir_bag_reserve_mp(weir_bag_tail(work, far_bag), group), urgency = 0;
    if (full) {
        if (!OP(items_put)(&work->bag[far_bag], slot, &item))
            weir_refuse(work, &block->base, WEIR_LOOK_FULL);
        urgency = OP(urgency_of)(args, &item);
    }
    urgency = weir_max_u32(urgency);
    if (weir_lane() == 0)
        weir_max_relaxed_dev_u32(&work->control->look[WEIR_LOOK_URGENCY].word, urgency);
}

/** Store the wires of the lanes in @p group into a channel. Wires that find no free slot there go to the held bag. */
WEIR_DEV void OP(store_wires)(const struct OP(args) * args, struct OP(block) * block,
                              uint32_t group, uint32_t channel, const OP(wire) * wire)
{
    struct weir_control *control = args->work.control;
    const struct weir_channel_out *out = &control->out[channel];
    /* A round of few items sends by the woven ring too, or the receiver would leave its narrow rounds for them. */
    if (args->work.woven_mask && !(block->base.word & WEIR_WORD_WIDE) &&
        weir_word_count(block->base.word) <= args->work.narrow) {
        group = OP(weave_wires)(&args->work, group, channel, control->woven_limit,
                                control->out[channel].woven, wire);
        if (!group)
            return;
    }
    const uint32_t limit = control->out_limit[channel];
    uint32_t slot = weir_bag_reserve_mp(&control->out_tail[channel], group);
    int mine = group >> weir_lane() & 1u, fits = (int32_t)(limit - slot) > 0;
    if (mine && fits)
        OP(wires_copy)((OP(wire) *)out->slots + (slot & out->mask), wire);
    if (weir_lane() == 0)
        block->base.sent = block->base.special = 1;
    const uint32_t left = weir_ballot(mine && !fits);
    if (left)
        OP(hold_wires)(args, block, left, wire);
}

/** Where this warp stages wires for a channel. */
WEIR_DEV OP(wire) *
    OP(stage_of)(const struct OP(args) * args, struct OP(block) * block, uint32_t channel)
{
    return block->stage + (WARP_ID * args->work.stage_channels + channel) * STAGE_ROOM;
}

#define STAGE(name) OP(name)
#include "worklist/engine/stage_tmpl.h"

/** At the end of a round: store all wires that are still staged. */
WEIR_COLD void OP(flush_all)(const struct OP(args) * args, struct OP(block) * block)
{
    WEIR_ROLLED
    for (uint32_t channel = 0; channel < args->work.stage_channels; channel++) {
        uint32_t count = block->base.staged[WARP_ID][channel];
        if (!count)
            continue;
        OP(flush_stage)(args, block, channel, count);
        if (weir_lane() == 0)
            block->base.staged[WARP_ID][channel] = 0;
    }
    weir_lanes_sync();
}

/* In live_tmpl.h. */
WEIR_DEV void OP(live_send)(struct weir_engine_thread *self, const struct OP(parcel) * parcel,
                            int fresh);

#ifndef __CUDACC__
#include "worklist/engine/kept_tmpl.h"
#endif

/** Put each lane's parcel where it is to go, with one atomic for each destination that occurs in the warp; those for bags of this
 *  device at the same time. */
WEIR_DEV void OP(push)(struct weir_engine_thread *self, const struct OP(parcel) * parcel)
{
    const struct OP(args) *args = OP(args_of)(self);
    struct OP(block) *block = OP(block_of)(self);
    if (self->live) {
        OP(live_send)(self, parcel, 1);
        return;
    }
#ifndef __CUDACC__
    (void)args, (void)block;
    OP(keep_parcel)(self, parcel);
#else
    uint32_t near = weir_ballot(parcel->to == self->near_bag);
    if (near) {
        self->pushed += weir_popcount_u32(near);
        uint32_t slot = weir_bag_reserve_mp(weir_bag_tail(self->work, self->near_bag), near);
        if (parcel->to == self->near_bag &&
            !OP(items_put)(&self->work->bag[self->near_bag], slot, &parcel->item))
            weir_refuse(self->work, self->block, WEIR_LOOK_FULL);
    }
    if (self->plain)
        return;
    const uint32_t deferred = weir_ballot(parcel->to < TO_CHANNEL) & ~near;
    if (deferred)
        OP(push_deferred)(args, block, deferred, parcel->to, parcel->item);
    uint32_t waiting = weir_ballot(parcel->to != TO_NOWHERE) & ~(near | deferred);
    WEIR_ROLLED
    while (waiting) {
        uint32_t to = weir_broadcast_u32(parcel->to, weir_first_bit_u32(waiting));
        uint32_t group = weir_ballot(parcel->to == to);
        OP(stage_wires)(args, block, group, to - TO_CHANNEL, parcel->wire);
        waiting &= ~group;
    }
#endif
}
