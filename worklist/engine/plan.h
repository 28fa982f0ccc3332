/** @file plan.h  A part of decider.h: what the next round reads. */
#ifndef WEIR_WORKLIST_ENGINE_PLAN_H
#define WEIR_WORKLIST_ENGINE_PLAN_H

#include "worklist/engine/counters.h"

/** Elements that one round may have. Workers fetch past the last element, and what they count up to must fit 32 bits. */
#define WEIR_PLAN_MOST ((uint32_t)1 << 31)

/** Whether @p count more elements fit into the plan. The first ones always do. */
WEIR_DEV int weir_plan_fits(const struct weir_work_plan *plan, uint32_t count)
{
    return plan->total == 0 ||
           (plan->total <= WEIR_PLAN_MOST && count <= WEIR_PLAN_MOST - plan->total);
}

/** Add a segment. @param[in] slots  NULL: the elements that spilled from @p bag. */
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

/** Add all elements of a bag. */
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
    plan->spilled += count - here;
    ledger->spilled += count - here;
}

/** Look which items wait in the channels in. All lanes of the warp. @return whether there are any. */
WEIR_DEV int weir_look_in(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    int any = 0;
    weir_lanes_sync(); /* the lane that plans may still read what was found before */
    WEIR_ROLLED
    for (uint32_t l = weir_lane(); l < args->channels_in; l += WEIR_LANES) {
        /* Pairs with the release of the sender's tail: the items below it are there. */
        uint32_t tail = weir_load_acquire_sys_u32(&args->mail->in_tail[l]);
        uint32_t count = tail - ledger->in_head[l];
        /* The sender may have begun the next generation already. Its items wait until this worker begins it too, or they
         * would count as items of this generation. */
        if (count && args->order == WEIR_ENGINE_BULK &&
            weir_load_relaxed_sys_u32(&args->mail->in_epoch[l]) != ledger->epoch)
            count = 0;
        ledger->available[l] = count;
        any |= count != 0;
    }
    any = weir_ballot(any) != 0;
    if (args->woven_mask)
        any |= weir_look_woven(args, ledger);
    weir_lanes_sync();
    return any;
}

/** Add @p count elements of a ring of @p mask + 1 slots of @p bytes, from slot @p at on. */
WEIR_DEV void weir_plan_ring(struct weir_work_plan *plan, uint32_t kind, const void *slots,
                             uint32_t at, uint32_t mask, uint32_t bytes, uint32_t count)
{
    const uint32_t first = at & mask, straight = mask + 1 - first;
    const uint32_t here = count < straight ? count : straight;
    weir_plan_add(plan, kind, 0, (const char *)slots + (uint64_t)first * bytes, here);
    weir_plan_add(plan, kind, 0, slots, count - here);
}

/** Add what waits in the channels in, as far as there is room in the plan. */
WEIR_DEV void weir_plan_arrivals(const struct weir_engine_args *args, struct weir_ledger *ledger,
                                 struct weir_work_plan *plan)
{
    struct weir_control *control = args->control;
    uint32_t channels = 0;
    WEIR_ROLLED
    for (uint32_t i = 0; i < args->channels_in && channels < WEIR_WORK_ARRIVALS; i++) {
        /* Each round begins with another channel, so that none waits for ever. */
        uint32_t l = (i + (uint32_t)ledger->rounds) % args->channels_in;
        uint32_t count = ledger->available[l];
        if (count == 0 || !weir_plan_fits(plan, count))
            continue;
        const struct weir_channel_in *channel = &control->in[l];
        ledger->in_next[l] = ledger->in_head[l] + count;
        channels++;
        if (!channel->slots) {
            weir_plan_add(plan, WEIR_SEGMENT_SEED, 0, NULL, count);
            continue;
        }
        weir_plan_ring(plan, WEIR_SEGMENT_ARRIVED, channel->slots, ledger->in_head[l],
                       channel->mask, args->wire_bytes, count);
    }
}

/** Add what waits in the woven rings to a plan. All else is in it: a narrow round takes what arrives by itself. */
WEIR_DEV void weir_plan_woven(const struct weir_engine_args *args, struct weir_ledger *ledger,
                              struct weir_work_plan *plan)
{
    struct weir_control *control = args->control;
    WEIR_ROLLED
    for (uint32_t i = 0; i < args->woven_in; i++) {
        const uint32_t count = control->woven_waiting[i];
        if (count == 0 || plan->segments + 2u > WEIR_WORK_SEGMENTS || !weir_plan_fits(plan, count))
            continue;
        control->woven_next[i] = ledger->woven_head[i] + count;
        weir_plan_ring(plan, WEIR_SEGMENT_WOVEN, weir_woven_slot_in(args, i, 0),
                       ledger->woven_head[i], args->woven_mask,
                       8 * weir_woven_words(args->wire_bytes), count);
    }
}

/** Add the deferred items that became near. Items of the far bag that are still far are put into the other far bag. */
WEIR_DEV void weir_plan_deferred(const struct weir_engine_args *args, struct weir_ledger *ledger,
                                 struct weir_work_plan *plan)
{
    struct weir_control *control = args->control;
    WEIR_ROLLED
    while (ledger->bucket_pending) {
        uint32_t b = WEIR_BAG_BUCKET + weir_first_bit_u32(ledger->bucket_pending);
        if (!weir_plan_fits(plan, ledger->look[b]))
            return; /* the rest is for the next round */
        weir_plan_bag(args, ledger, WEIR_SEGMENT_NEAR, b, ledger->look[b]);
        ledger->bucket_pending &= ledger->bucket_pending - 1;
    }
    uint32_t from = plan->order.far_bag;
    if (!ledger->far_pending || !weir_plan_fits(plan, ledger->look[from]))
        return;
    ledger->far_pending = 0;
    plan->order.far_bag = from ^ 1u; /* the far bags are numbers 2 and 3 */
    weir_plan_bag(args, ledger, WEIR_SEGMENT_FAR, from, ledger->look[from]);
    /* In the round items that stay far are put into a bag again, and their urgency is noted again. */
    weir_store_relaxed_dev_u32(&control->look[WEIR_LOOK_URGENCY].word, 0);
}

/** Whether this worker is choked: back-pressure of its receivers has filled its held bag more than half, and more work would
 *  only make more items to hold. A choked worker goes on sending and taking items in, since other workers wait for that, but
 *  it processes nothing of its own bags until credits come. There is one exception: if arrivals have made so many near items
 *  that the near bag is about to run out of room first, the worker processes them. (In bulk there is none: near items are the
 *  next generation, which does not get smaller by processing this one.) Only the room on the device counts for held items. The
 *  memory behind it is for a round that makes very many items, not for working ahead of a receiver. */
WEIR_DEV int weir_plan_is_choked(const struct weir_engine_args *args,
                                 const struct weir_ledger *ledger)
{
    const uint32_t held = ledger->plan.order.held_bag, near = ledger->plan.order.near_bag;
    return ledger->look[held] > args->bag[held].room / 2 &&
           (args->order == WEIR_ENGINE_BULK ||
            ledger->look[near] <= args->bag[near].room / 2 + args->bag[near].more_room / 8);
}

/** Add what is to be processed. */
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

/** Whether the plan is to process one near bag that lies on the device whole, and nothing else. */
WEIR_DEV int weir_plan_is_near(const struct weir_ledger *ledger)
{
    const struct weir_work_plan *plan = &ledger->plan;
    return plan->segments == 1 && plan->took <= 2u && plan->took != 0;
}

/** Whether the round is to hand out: items of buckets that became near, and what near items were left. Most of what was deferred is
 *  stale by now (four in five on a mesh), so a round that only looks is short, and what is fresh goes on in narrow rounds. */
WEIR_DEV int weir_plan_hands_out(const struct weir_engine_args *args,
                                 const struct weir_ledger *ledger)
{
    const struct weir_work_plan *plan = &ledger->plan;
    const uint32_t bags = 3u << WEIR_BAG_NEAR | ((1u << WEIR_BUCKETS) - 1u) << WEIR_BAG_BUCKET;
    return args->narrow && args->workers == 1 && plan->total <= WEIR_HAND_OUT_MOST &&
           plan->took >> WEIR_BAG_BUCKET && !(plan->took & ~bags) && !plan->spilled;
}

/** Whether the round will be narrow, and so takes by itself what waits in woven rings. There may be a narrow round of no items,
 *  for that alone, unless items lie in the bag that it puts into (those of a choked worker): the round after it counts from
 *  the bag's first slot on. */
WEIR_DEV int weir_plan_leaves_woven(const struct weir_engine_args *args,
                                    const struct weir_ledger *ledger)
{
    const struct weir_work_plan *plan = &ledger->plan;
    const uint32_t narrow = weir_stays_wide(ledger) ? 0 : args->narrow;
    if (plan->total)
        return weir_plan_is_near(ledger) && plan->total <= narrow;
    return narrow != 0 && ledger->look[plan->order.near_bag] == 0;
}

/** Plan a round of all that there is to do. One lane. @return elements; 0: nothing. */
WEIR_DEV uint32_t weir_plan_make(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    struct weir_work_plan *plan = &ledger->plan;
    const int choked = weir_plan_is_choked(args, ledger);
    plan->segments = plan->total = plan->took = plan->spilled = 0;
    if (ledger->look[WEIR_BAG_PIECE] && !choked) {
        weir_plan_bag(args, ledger, WEIR_SEGMENT_PIECE, WEIR_BAG_PIECE,
                      ledger->look[WEIR_BAG_PIECE]);
        return plan->total;
    }
    /* The round reads the buckets that became near, so it may put nothing there. */
    plan->order.window = WEIR_BUCKETS - weir_popcount_u32(ledger->bucket_pending);
    if (!choked)
        weir_plan_process(args, ledger);
    if (ledger->look[plan->order.held_bag] && ledger->retry &&
        weir_plan_fits(plan, ledger->look[plan->order.held_bag])) {
        ledger->retry = 0;
        weir_plan_bag(args, ledger, WEIR_SEGMENT_HELD, plan->order.held_bag,
                      ledger->look[plan->order.held_bag]);
        plan->order.held_bag ^= 1u; /* bags 4 and 5 */
    }
    if (args->channels_in)
        weir_plan_arrivals(args, ledger, plan);
    if (ledger->woven_waits && !weir_plan_leaves_woven(args, ledger))
        weir_plan_woven(args, ledger, plan);
    return plan->total;
}

/** Whether the other blocks know the order of the plan, as far as it matters for near items. */
WEIR_DEV int weir_order_is_told(const struct weir_ledger *ledger)
{
    return ledger->plan.order.window == ledger->window_told &&
           ledger->plan.order.early == ledger->early_told;
}

/** Copy the plan to where the other blocks read it; the word publishes it. All lanes. */
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
        ledger->early_told = ledger->plan.order.early;
    }
}

#endif
