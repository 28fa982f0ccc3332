/** @file push_tmpl.h  A part of engine_tmpl.h: where items go, and how they get there. */

/* ---- where items go -------------------------------------------------------------------------- */

/** One lane. */
WEIR_DEV uint32_t OP(near_or_far)(const struct OP(run) * run, const OP(item) * item)
{
    const struct weir_work_order *order = &run->block->order;
    if (run->plain || order->threshold == 0xFFFFFFFFu)
        return run->near_bag;
    uint32_t priority = OP(priority)(&run->args->state, item);
    if (priority < order->threshold)
        return run->near_bag;
    uint32_t step = (priority - order->threshold) / order->delta;
    if (step < order->window)
        return WEIR_BAG_BUCKET + (order->bucket + step) % WEIR_BUCKETS;
    return order->far_bag;
}

WEIR_DEV uint32_t OP(lane_place)(const struct OP(run) * run, uint32_t owner)
{
    const struct weir_engine_args *work = &run->args->work;
    if (owner < work->workers && owner != work->index)
        return PLACE_LANE + work->control->lane_of[owner];
    (void)weir_atomic_add_relaxed_dev_u32(&work->control->look[WEIR_LOOK_ASTRAY], 1);
    return PLACE_NONE;
}

/** Decide where a new item goes. One lane. */
WEIR_DEV void OP(settle_new)(const struct OP(run) * run, struct OP(parcel) * parcel)
{
    const OP(state) *state = &run->args->state;
    enum weir_fate fate = OP(on_send)(state, &parcel->item);
    if (fate == WEIR_FATE_KEEP)
        parcel->place = OP(near_or_far)(run, &parcel->item);
    else if (fate == WEIR_FATE_PASS)
        parcel->place = OP(lane_place)(run, OP(pack)(state, &parcel->item, &parcel->wire));
}

/* ---- pushing --------------------------------------------------------------------------------- */

WEIR_DEV uint32_t *OP(tail)(const struct weir_engine_args *work, uint32_t bag)
{
    return &work->control->look[bag];
}

/** There is no room for an item, or a tile cannot be counted: the run ends after this round. Any lanes. */
WEIR_DEV void OP(refuse)(const struct OP(args) * args, struct OP(block) * block, uint32_t why)
{
    weir_store_relaxed_dev_u32(&args->work.control->look[why], 1);
    block->special = 1;
}

/** Put the items of the lanes in @p group into the far bag or a bucket. What a bucket has no room for goes
 *  to the far bag. */
WEIR_COLD void OP(push_deferred)(const struct OP(args) * args, struct OP(block) * block,
                                 uint32_t group, uint32_t bag, OP(item) item)
{
    const struct weir_engine_args *work = &args->work;
    const uint32_t far_bag = block->order.far_bag;
    int full = 1;
    if (bag != far_bag) {
        uint32_t slot = weir_bag_reserve_mp(OP(tail)(work, bag), group);
        if (group >> weir_lane() & 1u)
            full = !OP(items_put)(&work->bag[bag], slot, &item);
        group &= weir_ballot(full);
        if (!group)
            return;
    }
    uint32_t slot = weir_bag_reserve_mp(OP(tail)(work, far_bag), group), urgency = 0;
    if (group >> weir_lane() & 1u) {
        if (!OP(items_put)(&work->bag[far_bag], slot, &item))
            OP(refuse)(args, block, WEIR_LOOK_FULL);
        urgency = ~OP(priority)(&args->state, &item);
        urgency = urgency ? urgency : 1u; /* the largest counts as the one before it: 0 says none */
    }
    urgency = weir_max_u32(urgency);
    if (weir_lane() == 0)
        (void)weir_atomic_max_relaxed_dev_u32(&work->control->look[WEIR_LOOK_URGENCY], urgency);
}

/** Store the wires of the lanes in @p group into the lane to another worker; what finds no slot there is
 *  put aside. */
WEIR_DEV void OP(store_wires)(const struct OP(args) * args, struct OP(block) * block,
                              uint32_t group, uint32_t lane, const OP(wire) * wire)
{
    struct weir_control *control = args->work.control;
    const struct weir_lane_out *out = &control->out[lane];
    const uint32_t limit = control->out_limit[lane];
    uint32_t slot = weir_bag_reserve_mp(&control->out_tail[lane], group);
    int mine = group >> weir_lane() & 1u, fits = (int32_t)(limit - slot) > 0;
    if (mine && fits)
        OP(wires_copy)((OP(wire) *)out->slots + (slot & out->mask), wire);
    if (weir_lane() == 0)
        block->sent = block->special = 1;
    uint32_t left = weir_ballot(mine && !fits), held = block->order.held_bag;
    if (!left)
        return;
    slot = weir_bag_reserve_mp(OP(tail)(&args->work, held), left);
    if ((left >> weir_lane() & 1u) && !OP(wires_put)(&args->work.bag[held], slot, wire))
        OP(refuse)(args, block, WEIR_LOOK_FULL);
}

/** What this warp has staged for a lane. */
WEIR_DEV OP(wire) *
    OP(stage_of)(const struct OP(args) * args, struct OP(block) * block, uint32_t lane)
{
    return block->stage + (WARP_ID * args->work.stage_lanes + lane) * STAGE_ROOM;
}

/** Send the first @p count wires that are staged for a lane. */
WEIR_DEV void OP(flush_stage)(const struct OP(args) * args, struct OP(block) * block, uint32_t lane,
                              uint32_t count)
{
    const OP(wire) *stage = OP(stage_of)(args, block, lane);
    WEIR_ROLLED
    for (uint32_t begin = 0; begin < count; begin += WEIR_LANES) {
        uint32_t here = count - begin < WEIR_LANES ? count - begin : WEIR_LANES;
        OP(wire) wire = stage[begin + (weir_lane() < here ? weir_lane() : 0)];
        uint32_t group = here == 32u ? 0xFFFFFFFFu : (1u << here) - 1u;
        OP(store_wires)(args, block, group, lane, &wire);
    }
    weir_lanes_sync();
}

/** Stage the wires of the lanes in @p group; a packet that is whole leaves. */
WEIR_COLD void OP(stage_wires)(const struct OP(args) * args, struct OP(block) * block,
                               uint32_t group, uint32_t lane, OP(wire) wire)
{
    if (lane >= args->work.stage_lanes) {
        OP(store_wires)(args, block, group, lane, &wire);
        return;
    }
    OP(wire) *stage = OP(stage_of)(args, block, lane);
    uint32_t *staged = &block->staged[WARP_ID][lane];
    uint32_t count = *staged;
    if (group >> weir_lane() & 1u)
        stage[count + weir_popcount_u32(group & ((1u << weir_lane()) - 1u))] = wire;
    count += weir_popcount_u32(group);
    weir_lanes_sync();
    if (count >= STAGE_PACKET) {
        OP(flush_stage)(args, block, lane, STAGE_PACKET);
        count -= STAGE_PACKET;
        WEIR_ROLLED
        for (uint32_t i = weir_lane(); i < count; i += WEIR_LANES)
            stage[i] = stage[STAGE_PACKET + i];
    }
    if (weir_lane() == 0)
        *staged = count;
    weir_lanes_sync();
}

/** At the end of a round: send what is staged. */
WEIR_COLD void OP(flush_all)(const struct OP(args) * args, struct OP(block) * block)
{
    WEIR_ROLLED
    for (uint32_t lane = 0; lane < args->work.stage_lanes; lane++) {
        uint32_t count = block->staged[WARP_ID][lane];
        if (!count)
            continue;
        OP(flush_stage)(args, block, lane, count);
        if (weir_lane() == 0)
            block->staged[WARP_ID][lane] = 0;
    }
    weir_lanes_sync();
}

/** Put each lane's parcel where it is to go; one atomic for each place that occurs in the warp. */
WEIR_DEV void OP(push)(struct OP(run) * run, const struct OP(parcel) * parcel)
{
    uint32_t near = weir_ballot(parcel->place == run->near_bag);
    if (near) {
        run->pushed += weir_popcount_u32(near);
        uint32_t slot = weir_bag_reserve_mp(OP(tail)(&run->args->work, run->near_bag), near);
        if (parcel->place == run->near_bag &&
            !OP(items_put)(&run->args->work.bag[run->near_bag], slot, &parcel->item))
            OP(refuse)(run->args, run->block, WEIR_LOOK_FULL);
    }
    if (run->plain)
        return;
    uint32_t waiting = weir_ballot(parcel->place != PLACE_NONE) & ~near;
    WEIR_ROLLED
    while (waiting) {
        uint32_t place = weir_broadcast_u32(parcel->place, weir_first_bit_u32(waiting));
        uint32_t group = weir_ballot(parcel->place == place);
        if (place >= PLACE_LANE)
            OP(stage_wires)(run->args, run->block, group, place - PLACE_LANE, parcel->wire);
        else
            OP(push_deferred)(run->args, run->block, group, place, parcel->item);
        waiting &= ~group;
    }
}
