/** @file plan.h  A part of decider.h: what the next round reads. */
#ifndef WEIR_WORKLIST_ENGINE_PLAN_H
#define WEIR_WORKLIST_ENGINE_PLAN_H

#include "worklist/engine/counters.h"

/** Elements that one round may have: rounds count beyond them, in 32 bits, as they fetch. */
#define WEIR_PLAN_MOST ((uint32_t)1 << 31)

/** Whether @p count more elements can be counted; the first ones always can. */
WEIR_DEV int weir_plan_fits(const struct weir_work_plan *plan, uint32_t count)
{
    return plan->total == 0 ||
           (plan->total <= WEIR_PLAN_MOST && count <= WEIR_PLAN_MOST - plan->total);
}

/** @param[in] bag  whose spilled elements they are, if @p slots is NULL. */
WEIR_DEV void weir_plan_add(struct weir_work_plan *plan, uint32_t kind, uint32_t bag,
                            const void *slots, uint32_t count)
{
    if (count == 0)
        return;
    plan->total += count;
    plan->segment[plan->segments].slots = slots;
    plan->segment[plan->segments].end = plan->total;
    plan->segment[plan->segments].kind = (uint16_t)kind;
    plan->segment[plan->segments].bag = (uint16_t)bag;
    plan->segments++;
}

WEIR_DEV void weir_plan_bag(const struct weir_engine_args *args, struct weir_ledger *ledger,
                            uint32_t kind, uint32_t bag_id, uint32_t count)
{
    struct weir_work_plan *plan = &ledger->plan;
    const struct weir_bag *bag = &args->bag[bag_id];
    uint32_t here = count < bag->room ? count : bag->room;
    if (count == 0)
        return;
    weir_plan_add(plan, kind, bag_id, bag->slots, here);
    weir_plan_add(plan, kind, bag_id, NULL, count - here);
    plan->took |= 1u << bag_id;
    ledger->spilled += count - here;
}

/** Items that wait in the lanes in. All lanes of the warp. @return whether there are any. */
WEIR_DEV int weir_look_in(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    int any = 0;
    WEIR_ROLLED
    for (uint32_t l = weir_lane(); l < args->lanes_in; l += WEIR_LANES) {
        /* Pairs with the release of the sender's tail: the items below it are there. */
        uint32_t tail = weir_load_acquire_sys_u32(&args->mail->in_tail[l]);
        uint32_t count = tail - ledger->in_head[l];
        /* A sender that knows of the next generation already is not listened to before we do, or its items
         * would be taken for this one's. */
        if (count && args->order == WEIR_ENGINE_BULK &&
            weir_load_relaxed_sys_u32(&args->mail->in_epoch[l]) != ledger->epoch)
            count = 0;
        ledger->available[l] = count;
        any |= count != 0;
    }
    any = weir_ballot(any) != 0;
    weir_lanes_sync();
    return any;
}

WEIR_DEV void weir_plan_arrivals(const struct weir_engine_args *args, struct weir_ledger *ledger,
                                 struct weir_work_plan *plan)
{
    struct weir_control *control = args->control;
    uint32_t lanes = 0;
    WEIR_ROLLED
    for (uint32_t i = 0; i < args->lanes_in && lanes < WEIR_WORK_ARRIVALS; i++) {
        uint32_t l = (i + (uint32_t)ledger->rounds) % args->lanes_in; /* nobody waits for ever */
        uint32_t count = ledger->available[l];
        if (count == 0 || !weir_plan_fits(plan, count))
            continue;
        const struct weir_lane_in *lane = &control->in[l];
        ledger->in_next[l] = ledger->in_head[l] + count;
        lanes++;
        if (!lane->slots) {
            weir_plan_add(plan, WEIR_SEGMENT_SEED, 0, NULL, count);
            continue;
        }
        uint32_t at = ledger->in_head[l] & lane->mask, straight = lane->mask + 1 - at;
        uint32_t here = count < straight ? count : straight;
        weir_plan_add(plan, WEIR_SEGMENT_ARRIVED, 0,
                      (const char *)lane->slots + (uint64_t)at * args->wire_bytes, here);
        weir_plan_add(plan, WEIR_SEGMENT_ARRIVED, 0, lane->slots, count - here);
    }
}

/** Let items that became near be looked at, and take turns with the bag they are put back into. */
WEIR_DEV void weir_plan_deferred(const struct weir_engine_args *args, struct weir_ledger *ledger,
                                 struct weir_work_plan *plan)
{
    struct weir_control *control = args->control;
    WEIR_ROLLED
    while (ledger->bucket_pending) {
        uint32_t b = WEIR_BAG_BUCKET + weir_first_bit_u32(ledger->bucket_pending);
        if (!weir_plan_fits(plan, ledger->look[b]))
            return; /* in the next round */
        weir_plan_bag(args, ledger, WEIR_SEGMENT_NEAR, b, ledger->look[b]);
        ledger->bucket_pending &= ledger->bucket_pending - 1;
    }
    uint32_t from = plan->order.far_bag;
    if (!ledger->far_pending || !weir_plan_fits(plan, ledger->look[from]))
        return;
    ledger->far_pending = 0;
    plan->order.far_bag = from ^ 1u; /* 2 and 3 */
    weir_plan_bag(args, ledger, WEIR_SEGMENT_FAR, from, ledger->look[from]);
    /* What stays far is counted anew. */
    weir_store_relaxed_dev_u32(&control->look[WEIR_LOOK_URGENCY], 0);
}

/** Whether so much is held that more work would only make more of it. Then the worker sends and takes in,
 * which others wait for, and processes nothing of its bags until credits came; or until what arrived has made
 * so many near items that these are the ones to run out of room. In bulk they are the next generation, which
 * does not get fewer by processing this one. What spills is there for a round that makes very many, not for
 * working ahead of a receiver: so half of the room on the device counts for what is held. */
WEIR_DEV int weir_plan_is_choked(const struct weir_engine_args *args,
                                 const struct weir_ledger *ledger)
{
    const uint32_t held = ledger->plan.order.held_bag, near = ledger->plan.order.near_bag;
    return ledger->look[held] > args->bag[held].room / 2 &&
           (args->order == WEIR_ENGINE_BULK ||
            ledger->look[near] <= args->bag[near].room / 2 + args->bag[near].more_room / 8);
}

/** What is to be processed. */
WEIR_DEV void weir_plan_process(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    struct weir_work_plan *plan = &ledger->plan;
    const uint32_t near = plan->order.near_bag, other = near ^ 1u;
    if (args->order == WEIR_ENGINE_BULK) {
        /* This generation lies in the other bag; the next one grows in near_bag. */
        weir_plan_bag(args, ledger, WEIR_SEGMENT_NEAR, other, ledger->look[other]);
    } else if (ledger->look[near]) {
        weir_plan_bag(args, ledger, WEIR_SEGMENT_NEAR, near, ledger->look[near]);
        plan->order.near_bag = other;
    }
    weir_plan_deferred(args, ledger, plan);
}

/** Plan a round of all that there is to do. One lane. @return elements; 0: nothing. */
WEIR_DEV uint32_t weir_plan_make(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    struct weir_work_plan *plan = &ledger->plan;
    const int choked = weir_plan_is_choked(args, ledger);
    plan->segments = plan->total = plan->took = 0;
    if (ledger->look[WEIR_BAG_PIECE] && !choked) {
        weir_plan_bag(args, ledger, WEIR_SEGMENT_PIECE, WEIR_BAG_PIECE,
                      ledger->look[WEIR_BAG_PIECE]);
        return plan->total;
    }
    /* The bags of released buckets are read: nothing may be put there. */
    plan->order.window = WEIR_BUCKETS - weir_popcount_u32(ledger->bucket_pending);
    if (!choked)
        weir_plan_process(args, ledger);
    if (ledger->look[plan->order.held_bag] && ledger->retry &&
        weir_plan_fits(plan, ledger->look[plan->order.held_bag])) {
        ledger->retry = 0;
        weir_plan_bag(args, ledger, WEIR_SEGMENT_HELD, plan->order.held_bag,
                      ledger->look[plan->order.held_bag]);
        plan->order.held_bag ^= 1u; /* 4 and 5 */
    }
    if (args->lanes_in)
        weir_plan_arrivals(args, ledger, plan);
    return plan->total;
}

/** Whether the plan is to process one near bag that lies on the device whole, and nothing else. */
WEIR_DEV int weir_plan_is_near(const struct weir_ledger *ledger)
{
    const struct weir_work_plan *plan = &ledger->plan;
    return plan->segments == 1 && plan->took <= 2u && plan->took != 0 &&
           plan->order.window == ledger->window_told;
}

/** Show the plan to the other blocks; the word publishes it. All lanes. */
WEIR_DEV void weir_plan_show(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    struct weir_work_plan *shown = &args->control->plan;
    WEIR_ROLLED
    for (uint32_t s = weir_lane(); s < ledger->plan.segments; s += WEIR_LANES)
        shown->segment[s] = ledger->plan.segment[s];
    if (weir_lane() == 0) {
        shown->order = ledger->plan.order;
        shown->segments = ledger->plan.segments;
        ledger->window_told = ledger->plan.order.window;
    }
}

#endif
