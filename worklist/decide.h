/** @file decide.h  What happens between two rounds: the decider counts, sends, and plans.
 *
 * Called by all lanes of one warp while no other thread of the worker's device is at work, so it may read
 * and write all of struct weir_control plainly; rounds see what it wrote because the word is released
 * after it, and it sees what rounds did because every block releases its arrival and its first lane has
 * acquired them all; weir_lanes_sync() passes that on to the others. Only words that others write
 * meanwhile (in_tail, out_credit, command, the stop word) are loaded with acquire, and only what others
 * read (tails, credits, statuses, commands) is released. */
#ifndef WEIR_WORKLIST_DECIDE_H
#define WEIR_WORKLIST_DECIDE_H

#include "worklist/agree.h"

/* As enum weir_order_kind (worklist.h is not of the dialect; worklist.c asserts that they agree). */
#define WEIR_ENGINE_SOFT 2u
#define WEIR_ENGINE_BULK 3u
/* As enum weir_worker_kind. */
#define WEIR_ENGINE_THREAD 1u
#define WEIR_ENGINE_WARP   2u
#define WEIR_ENGINE_BLOCK  3u
/* As enum weir_mapping_kind. */
#define WEIR_ENGINE_BY_THREAD 1u
#define WEIR_ENGINE_BY_WARP   2u
#define WEIR_ENGINE_BY_BLOCK  3u
#define WEIR_ENGINE_BY_GROUP  4u
#define WEIR_ENGINE_BY_MERGE  5u
#define WEIR_ENGINE_BY_OWN    6u

/** What the lanes of a warp hand on from one part of a decision to the next; the same in all lanes. */
struct weir_decision {
    uint64_t entered; /* items that came into bags and lanes since the last decision */
    uint64_t parked;  /* of them, into the far bag and the buckets */
    uint32_t full;
};

WEIR_DEV uint32_t weir_bag_most(const struct weir_bag *bag)
{
    return bag->room + bag->more_room;
}

/** Which bags the round that ended has read. */
WEIR_DEV uint32_t weir_took(const struct weir_ledger *ledger, uint64_t word)
{
    if (weir_word_action(word) == WEIR_ACTION_NEAR)
        return 1u << (WEIR_BAG_NEAR + weir_word_near_bag(word));
    return weir_word_action(word) == WEIR_ACTION_PLAN ? ledger->plan.took : 0;
}

/** Count what came into the bags. */
WEIR_DEV void weir_decide_bags(const struct weir_engine_args *args, struct weir_ledger *ledger,
                               struct weir_decision *decision)
{
    struct weir_control *control = args->control;
    uint64_t entered = 0, parked = 0;
    uint32_t full = 0;
    WEIR_ROLLED
    for (uint32_t b = weir_lane(); b < WEIR_BAGS; b += WEIR_LANES) {
        const struct weir_bag *bag = &args->bag[b];
        uint32_t tail = ledger->look[b];
        if ((b == WEIR_BAG_PIECE || b >= WEIR_BAG_BUCKET) && tail > bag->room) {
            tail = bag->room; /* the rest was processed in place, or went to the far bag */
            weir_store_relaxed_dev_u32(&control->look[b], tail);
            ledger->look[b] = tail;
        }
        uint64_t grown = tail - ledger->seen[b];
        full |= tail > weir_bag_most(bag);
        entered += b == WEIR_BAG_PIECE ? 0 : grown;
        if (b >= WEIR_BAG_BUCKET || b == WEIR_BAG_FAR || b == WEIR_BAG_FAR + 1)
            parked += grown;
        ledger->seen[b] = tail;
    }
    decision->full = weir_ballot((int)full) != 0;
    decision->entered = weir_sum_u64(entered);
    decision->parked = weir_sum_u64(parked);
    weir_lanes_sync();
}

/** Empty the bags that the coming round reads: it knows what is in them, and puts nothing there. */
WEIR_DEV void weir_decide_empty(const struct weir_engine_args *args, struct weir_ledger *ledger,
                                uint32_t took)
{
    WEIR_ROLLED
    for (uint32_t b = weir_lane(); b < WEIR_BAGS; b += WEIR_LANES)
        if (took >> b & 1u) {
            ledger->seen[b] = 0;
            weir_store_relaxed_dev_u32(&args->control->look[b], 0);
        }
}

/** Whether a test wants this tail to be kept back for a while. */
WEIR_DEV int weir_delayed(const struct weir_ledger *ledger, uint32_t lane)
{
    if (!ledger->delay)
        return 0;
    uint64_t mixed = (ledger->delay + lane) * UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ mixed >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return (mixed >> 40) % 4 != 0;
}

/** Publish what rounds stored into lanes, and take note of credits.
 *  @return items that were handed on. The decider reports idle only when none is kept back. */
WEIR_DEV uint64_t weir_decide_send(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    struct weir_control *control = args->control;
    uint64_t sent = 0;
    int kept = 0, credit_came = 0;
    WEIR_ROLLED
    for (uint32_t l = weir_lane(); l < args->lanes_out; l += WEIR_LANES) {
        uint32_t tail = weir_load_relaxed_dev_u32(&control->out_tail[l]);
        uint32_t credit = weir_load_acquire_sys_u32(&args->mail->out_credit[l]);
        uint32_t limit = ledger->out_credit_seen[l] + control->out[l].mask + 1;
        if ((int32_t)(tail - limit) > 0) { /* asked for more than was given */
            tail = limit;
            weir_store_relaxed_dev_u32(&control->out_tail[l], tail);
        }
        uint32_t grown = tail - ledger->out_published[l];
        if (grown && weir_delayed(ledger, l)) {
            kept = 1;
        } else if (grown) {
            ledger->out_published[l] = tail;
            ledger->out_sent[l] += grown;
            sent += grown;
            if (args->order == WEIR_ENGINE_BULK)
                weir_store_relaxed_sys_u32(control->out[l].epoch, ledger->epoch);
            /* Items first, tail second; pairs with the acquire of in_tail. Rounds' stores are in: their
             * blocks fenced for all devices before they arrived. */
            weir_store_release_sys_u32(control->out[l].tail, tail);
        }
        credit_came |= credit != ledger->out_credit_seen[l];
        ledger->out_credit_seen[l] = credit;
        control->out_limit[l] = credit + control->out[l].mask + 1;
    }
    kept = weir_ballot(kept) != 0;
    credit_came = weir_ballot(credit_came) != 0;
    sent = weir_sum_u64(sent);
    if (weir_lane() == 0) {
        ledger->unpublished = (uint32_t)kept;
        ledger->retry |= (uint32_t)credit_came;
        if (ledger->delay)
            ledger->delay += 0x632BE5ABu;
    }
    weir_lanes_sync();
    return sent;
}

/** Give back the slots of what the round took in from the lanes. */
WEIR_DEV void weir_decide_credit(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    struct weir_control *control = args->control;
    WEIR_ROLLED
    for (uint32_t l = weir_lane(); l < args->lanes_in; l += WEIR_LANES) {
        uint32_t next = ledger->in_next[l];
        if (next == ledger->in_head[l])
            continue;
        ledger->in_head[l] = next;
        /* A quarter of the ring at a time: a store into another device's memory that releases takes as long
         * as a short round, and a sender that waits for slots has filled all of them. */
        if (!control->in[l].credit || next - ledger->in_credited[l] < (control->in[l].mask + 1) / 4)
            continue;
        ledger->in_credited[l] = next;
        /* Rounds read the slots before; the sender acquires. */
        weir_store_release_sys_u32(control->in[l].credit, next);
    }
    weir_lanes_sync();
}

/** Account for the round that ended. */
WEIR_DEV void weir_decide_account(const struct weir_engine_args *args, struct weir_ledger *ledger,
                                  uint64_t word, struct weir_decision *decision)
{
    struct weir_control *control = args->control;
    uint32_t took = weir_took(ledger, word), action = weir_word_action(word);
    uint64_t taken =
        action == WEIR_ACTION_NEAR || action == WEIR_ACTION_PLAN ? weir_word_count(word) : 0;
    if (took >> WEIR_BAG_PIECE & 1u)
        taken = 0; /* pieces were counted as the items they are of */
    WEIR_ROLLED
    for (uint32_t p = 0; p < args->packets; p++)
        taken += args->packet_count[p];
    weir_decide_bags(args, ledger, decision);
    if (args->lanes_out)
        decision->entered += weir_decide_send(args, ledger);
    if (action == WEIR_ACTION_PLAN && args->lanes_in)
        weir_decide_credit(args, ledger);
    if (weir_lane() != 0)
        return;
    uint32_t moved = ledger->look[WEIR_LOOK_MOVED], merged = ledger->look[WEIR_LOOK_MERGED];
    ledger->produced += decision->entered - moved;
    ledger->consumed += taken - moved;
    ledger->processed += taken - moved - merged;
    ledger->deferred += decision->parked - ledger->look[WEIR_LOOK_REPARKED];
    if (moved | merged | ledger->look[WEIR_LOOK_REPARKED])
        WEIR_ROLLED
    for (uint32_t w = WEIR_LOOK_MOVED; w <= WEIR_LOOK_MERGED; w++)
        weir_store_relaxed_dev_u32(&control->look[w], 0);
    if (taken || took)
        ledger->rounds++;
}

/** The time since the last decision belongs to @p phase. One lane. */
WEIR_DEV void weir_decide_clock(struct weir_ledger *ledger, uint32_t phase)
{
    uint64_t now = weir_clock_ns();
    ledger->phase_ns[phase] += now - ledger->mark_ns;
    ledger->mark_ns = now;
}

/** Which phase a round was (enum weir_phase). */
WEIR_DEV uint32_t weir_phase_of(uint32_t took)
{
    const uint32_t far = 3u << WEIR_BAG_FAR;
    const uint32_t near =
        3u << WEIR_BAG_NEAR | 1u << WEIR_BAG_PIECE | ((1u << WEIR_BUCKETS) - 1u) << WEIR_BAG_BUCKET;
    return took & far ? 2 : took & near ? 0 : 1;
}

/* ---- the plan -------------------------------------------------------------------------------- */

WEIR_DEV void weir_plan_add(struct weir_work_plan *plan, uint32_t kind, const void *slots,
                            uint32_t count)
{
    if (count == 0)
        return;
    plan->total += count;
    plan->segment[plan->segments].slots = slots;
    plan->segment[plan->segments].end = plan->total;
    plan->segment[plan->segments].kind = kind;
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
    weir_plan_add(plan, kind, bag->slots, here);
    weir_plan_add(plan, kind, bag->more, count - here);
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
        if (count == 0)
            continue;
        const struct weir_lane_in *lane = &control->in[l];
        uint32_t at = ledger->in_head[l] & lane->mask, straight = lane->mask + 1 - at;
        uint32_t here = count < straight ? count : straight;
        weir_plan_add(plan, WEIR_SEGMENT_ARRIVED,
                      (const char *)lane->slots + (uint64_t)at * args->wire_bytes, here);
        weir_plan_add(plan, WEIR_SEGMENT_ARRIVED, lane->slots, count - here);
        ledger->in_next[l] = ledger->in_head[l] + count;
        lanes++;
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
        weir_plan_bag(args, ledger, WEIR_SEGMENT_NEAR, b, ledger->look[b]);
        ledger->bucket_pending &= ledger->bucket_pending - 1;
    }
    if (!ledger->far_pending)
        return;
    uint32_t from = plan->order.far_bag;
    ledger->far_pending = 0;
    plan->order.far_bag = from ^ 1u; /* 2 and 3 */
    weir_plan_bag(args, ledger, WEIR_SEGMENT_FAR, from, ledger->look[from]);
    /* What stays far is counted anew. */
    weir_store_relaxed_dev_u32(&control->look[WEIR_LOOK_URGENCY], 0);
}

/** Plan a round of all that there is to do. One lane. @return elements; 0: nothing. */
WEIR_DEV uint32_t weir_plan_make(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    struct weir_work_plan *plan = &ledger->plan;
    plan->segments = plan->total = plan->took = 0;
    if (ledger->look[WEIR_BAG_PIECE]) {
        weir_plan_bag(args, ledger, WEIR_SEGMENT_PIECE, WEIR_BAG_PIECE,
                      ledger->look[WEIR_BAG_PIECE]);
        return plan->total;
    }
    const uint32_t other = plan->order.near_bag ^ 1u;
    /* The bags of released buckets are read: nothing may be put there. */
    plan->order.window = WEIR_BUCKETS - weir_popcount_u32(ledger->bucket_pending);
    if (args->order == WEIR_ENGINE_BULK) {
        /* This generation lies in the other bag; the next one grows in near_bag. */
        weir_plan_bag(args, ledger, WEIR_SEGMENT_NEAR, other, ledger->look[other]);
    } else if (ledger->look[plan->order.near_bag]) {
        weir_plan_bag(args, ledger, WEIR_SEGMENT_NEAR, plan->order.near_bag,
                      ledger->look[plan->order.near_bag]);
        plan->order.near_bag = other;
    }
    weir_plan_deferred(args, ledger, plan);
    if (ledger->look[plan->order.held_bag] && ledger->retry) {
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

/* ---- nothing to do --------------------------------------------------------------------------- */

/** Items that are kept for later. */
WEIR_DEV uint64_t weir_deferred(const struct weir_engine_args *args,
                                const struct weir_ledger *ledger)
{
    uint64_t sum = 0;
    if (args->order == WEIR_ENGINE_BULK)
        return ledger->look[ledger->plan.order.near_bag];
    WEIR_ROLLED
    for (uint32_t b = WEIR_BAG_BUCKET; b < WEIR_BAGS; b++)
        sum += ledger->look[b];
    return sum + ledger->look[WEIR_BAG_FAR] + ledger->look[WEIR_BAG_FAR + 1];
}

/** Report idle. One lane. */
WEIR_DEV void weir_report_idle(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    struct weir_status_words words;
    ledger->turn = (ledger->turn | 1u) + 1u;
    words.turn = ledger->turn;
    words.epoch = ledger->epoch;
    words.produced = ledger->produced;
    words.consumed = ledger->consumed;
    words.deferred = weir_deferred(args, ledger);
    words.urgency = ledger->look[WEIR_LOOK_URGENCY];
    words.pad = 0;
    WEIR_ROLLED
    for (uint32_t b = 0; b < WEIR_BUCKETS; b++)
        words.bucket[b] = ledger->look[WEIR_BAG_BUCKET + b];
    weir_status_publish(&args->statuses[args->index], &words);
}

/** Report at work, before anything is taken in. Posted: whatever is released later comes after it. */
WEIR_DEV void weir_report_busy(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    if (ledger->turn & 1u)
        return;
    ledger->turn++;
    weir_store_relaxed_sys_u32(&args->statuses[args->index].turn, ledger->turn);
}

/** Take a command of the coordinator. One lane. */
WEIR_DEV void weir_take_command(const struct weir_engine_args *args, struct weir_ledger *ledger,
                                const struct weir_command_words *command)
{
    struct weir_work_order *order = &ledger->plan.order;
    ledger->epoch = command->epoch;
    if (command->kind == WEIR_COMMAND_DONE) {
        ledger->end = WEIR_ENGINE_DONE;
        return;
    }
    ledger->raises++;
    if (args->order == WEIR_ENGINE_BULK) {
        order->near_bag ^= 1u;
        return;
    }
    if (command->kind == WEIR_COMMAND_REBASE) {
        order->threshold = command->threshold;
        order->delta = command->delta;
        order->bucket = 0;
        ledger->width_sum = ledger->width_count = 0;
    } else {
        uint64_t threshold = order->threshold + (uint64_t)command->steps * order->delta;
        order->threshold = threshold < 0xFFFFFFFFu ? (uint32_t)threshold : 0xFFFFFFFFu;
        WEIR_ROLLED
        for (uint32_t s = 0; s < command->steps; s++)
            ledger->bucket_pending |= 1u << (order->bucket + s) % WEIR_BUCKETS;
        order->bucket = (order->bucket + command->steps) % WEIR_BUCKETS;
        ledger->width_sum += command->steps;
        ledger->width_count++;
    }
    uint32_t urgency = ledger->look[WEIR_LOOK_URGENCY];
    ledger->far_pending =
        urgency && (command->kind == WEIR_COMMAND_REBASE ||
                    weir_far_least(urgency) < order->threshold || order->threshold == 0xFFFFFFFFu);
}

/** Worker 0: see whether all are idle, and tell all what follows. All lanes of the warp. */
WEIR_DEV void weir_coordinate(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    struct weir_control *control = args->control;
    if (!weir_agree_look(args->statuses, args->workers, ledger->epoch, &ledger->sums) ||
        !weir_agree_again(args->statuses, args->workers, &ledger->sums))
        return;
    if (weir_lane() == 0) {
        weir_agree_command(&ledger->sums, &ledger->plan.order, args->order == WEIR_ENGINE_BULK,
                           (int)args->delta_fixed, args->target, ledger->width_sum,
                           ledger->width_count, &ledger->command);
        ledger->command.epoch = ledger->epoch + 1;
    }
    weir_lanes_sync();
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < args->workers; i += WEIR_LANES) {
        struct weir_command_words *to = control->command_of[i];
        weir_store_relaxed_sys_u32(&to->kind, ledger->command.kind);
        weir_store_relaxed_sys_u32(&to->steps, ledger->command.steps);
        weir_store_relaxed_sys_u32(&to->threshold, ledger->command.threshold);
        weir_store_relaxed_sys_u32(&to->delta, ledger->command.delta);
        /* Fields first, epoch second; pairs with the acquire in weir_look_command(). */
        weir_store_release_sys_u32(&to->epoch, ledger->command.epoch);
    }
    weir_lanes_sync();
}

/** Take a new command, if there is one. One lane. @return whether there was. */
WEIR_DEV int weir_look_command(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    struct weir_command_words command;
    command.epoch = weir_load_acquire_sys_u32(&args->mail->command.epoch);
    if (command.epoch == ledger->epoch)
        return 0;
    command.kind = weir_load_relaxed_sys_u32(&args->mail->command.kind);
    command.steps = weir_load_relaxed_sys_u32(&args->mail->command.steps);
    command.threshold = weir_load_relaxed_sys_u32(&args->mail->command.threshold);
    command.delta = weir_load_relaxed_sys_u32(&args->mail->command.delta);
    if (command.kind != WEIR_COMMAND_DONE &&
        !args->once) /* the host reports for discrete kernels */
        weir_report_busy(args, ledger);
    weir_take_command(args, ledger, &command);
    return 1;
}

/** Whether the run is to stop for a reason of its own. One lane. */
WEIR_DEV uint32_t weir_must_end(const struct weir_engine_args *args,
                                const struct weir_ledger *ledger, uint32_t stop, uint64_t now)
{
    if (stop)
        return WEIR_ENGINE_STOPPED;
    if (args->limit_ns && now - ledger->started_ns > args->limit_ns)
        return WEIR_ENGINE_LATE;
    return WEIR_ENGINE_RUNS;
}

/** Wait until there is something to do. All lanes of the warp. */
WEIR_DEV void weir_wait(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    int reported = 0;
    WEIR_ROLLED
    for (uint32_t looks = 0;; looks++) {
        uint32_t go = 0;
        if (weir_lane() == 0) {
            int holding = ledger->look[ledger->plan.order.held_bag] != 0;
            if (!reported && !holding && !ledger->unpublished) {
                weir_report_idle(args, ledger);
                reported = 1;
            }
            go = (uint32_t)weir_look_command(args, ledger);
            if (!ledger->end)
                ledger->end = weir_must_end(
                    args, ledger, weir_load_relaxed_sys_u32(&args->control->look[WEIR_LOOK_STOP]),
                    weir_clock_ns());
            go |= ledger->end;
        }
        go = weir_broadcast_u32(go, 0);
        if (!go && args->lanes_in)
            go = (uint32_t)weir_look_in(args, ledger);
        reported = (int)weir_broadcast_u32((uint32_t)reported, 0);
        if (!go && !reported && args->lanes_out) {          /* holding: a credit lets items go */
            uint64_t sent = weir_decide_send(args, ledger); /* some, if a test kept tails back */
            if (weir_lane() == 0)
                ledger->produced += sent;
            go = ledger->retry;
        }
        if (go)
            break;
        if (args->index == 0 && reported)
            weir_coordinate(args, ledger);
        if (args->workers > 1)
            weir_pause(looks);
    }
    if (weir_lane() == 0)
        weir_report_busy(args, ledger);
    weir_lanes_sync();
}

/* ---- deciding -------------------------------------------------------------------------------- */

/** Tiles that a worker takes at a time in a round of @p total. */
WEIR_DEV uint32_t weir_fetch_now(const struct weir_engine_args *args, uint32_t total,
                                 uint32_t fetchers, uint32_t block_warps)
{
    const uint32_t least = args->fetch_least;
    uint32_t most = args->worker == WEIR_ENGINE_BLOCK ? block_warps * 32u : 32u;
    if (args->fetch || least >= most || (uint64_t)fetchers * least >= total)
        return least;
    uint32_t each = total / fetchers + (total % fetchers != 0);
    return each < most ? each : most;
}

/** Blocks to wake, as the logarithm of a power of two. */
WEIR_DEV uint32_t weir_blocks_log(const struct weir_engine_args *args, uint32_t total)
{
    uint32_t bits = total > 1 ? weir_bits_u32(total - 1) : 0; /* total <= 1 << bits */
    return bits > args->block_least_log ? bits - args->block_least_log : 0;
}

/** The common case needs no decider: a round of near items has ended, it made more of them, and no block
 *  saw anything special. Every block that took part comes to the same word by itself.
 *  @param[in] arrivals  of all blocks. @return the next word, or 0: block 0 decides. */
WEIR_DEV uint64_t weir_decide_near(const struct weir_engine_args *args, uint64_t word,
                                   uint64_t arrivals)
{
    const uint32_t next_bag = weir_word_near_bag(word) ^ 1u, count = weir_arrivals_pushed(arrivals);
    if (weir_word_action(word) != WEIR_ACTION_NEAR || weir_arrivals_special(arrivals) ||
        count == 0 || count > args->bag[WEIR_BAG_NEAR].room)
        return 0;
    return weir_word_make(weir_word_generation(word) + 1, WEIR_ACTION_NEAR, next_bag,
                          weir_blocks_log(args, count), count);
}

/** The books of such a step, from @p before to @p word, while the round of @p word runs. One lane. */
WEIR_DEV void weir_decide_near_books(const struct weir_engine_args *args,
                                     struct weir_ledger *ledger, uint64_t before, uint64_t word)
{
    const uint32_t bag = WEIR_BAG_NEAR + weir_word_near_bag(word);
    weir_store_relaxed_dev_u32(&args->control->look[bag],
                               0); /* it is read now, and put into next */
    ledger->seen[bag] = 0;
    ledger->produced += weir_word_count(word);
    ledger->consumed += weir_word_count(before);
    ledger->processed += weir_word_count(before);
    ledger->plan.order.near_bag = bag ^ 1u;
    ledger->plan.took = 1u << bag;
    ledger->raises += args->order == WEIR_ENGINE_BULK;
    if ((++ledger->rounds & 255u) == 0)
        ledger->end = weir_must_end(args, ledger, 0, weir_clock_ns());
}

/** What may come from outside while a round runs, and make the next decision one for block 0. One warp
 *  of block 0 looks before the round and judges after it, so that nobody waits for the look. */
struct weir_peek {
    uint32_t stop;
    uint32_t tail; /* of the lane in that is this lane's */
};

WEIR_DEV struct weir_peek weir_peek_look(const struct weir_engine_args *args)
{
    struct weir_peek peek = {0, 0};
    if (weir_lane() == 0)
        peek.stop = weir_load_relaxed_sys_u32(&args->control->look[WEIR_LOOK_STOP]);
    if (args->workers > 1 && weir_lane() < args->lanes_in)
        peek.tail = weir_load_relaxed_sys_u32(&args->mail->in_tail[weir_lane()]);
    return peek;
}

/** @return whether there is news. All lanes. */
WEIR_DEV int weir_peek_judge(const struct weir_engine_args *args, const struct weir_ledger *ledger,
                             struct weir_peek peek)
{
    int news =
        peek.stop != 0 || ledger->end || ledger->unpublished ||
        ledger->plan.order.window != ledger->window_told ||
        (ledger->seen[WEIR_BAG_HELD] | ledger->seen[WEIR_BAG_HELD + 1]) ||
        (args->workers > 1 && (args->order == WEIR_ENGINE_BULK || args->lanes_in > WEIR_LANES));
    if (args->workers > 1 && weir_lane() < args->lanes_in)
        news |= peek.tail != ledger->in_head[weir_lane()];
    return weir_ballot(news) != 0;
}

/** Close the round that ended and say what the next one does. All lanes of one warp, while no other
 *  thread of the device is at work. @param[in,out] ledger  memory that only this warp knows, meanwhile.
 *  @return the next word. */
WEIR_COLD uint64_t weir_decide(const struct weir_engine_args *args, struct weir_ledger *ledger,
                               uint64_t word)
{
    struct weir_control *control = args->control;
    struct weir_decision decision;
    uint32_t action = WEIR_ACTION_END, total = 0, log = 0, near_bag = 0;
    weir_lanes_sync(); /* one lane has acquired; votes and broadcasts order no memory */
    WEIR_ROLLED
    for (uint32_t w = weir_lane(); w < WEIR_LOOKS; w += WEIR_LANES)
        ledger->look[w] = weir_load_relaxed_dev_u32(&control->look[w]);
    weir_lanes_sync();
    uint32_t phase = weir_phase_of(weir_took(ledger, word));
    weir_decide_account(args, ledger, word, &decision);
    weir_lanes_sync();
    if (args->lanes_in)
        (void)weir_look_in(args, ledger);
    WEIR_ROLLED
    for (;;) {
        if (weir_lane() == 0) {
            weir_store_relaxed_dev_u32(&control->cursor[0], 0);
            weir_store_relaxed_dev_u32(&control->cursor[1], 0);
            if (ledger->started_ns == 0)
                ledger->started_ns = ledger->mark_ns = weir_clock_ns();
            weir_decide_clock(ledger, phase);
            if (decision.full)
                ledger->end = WEIR_ENGINE_FULL;
            if (ledger->look[WEIR_LOOK_ASTRAY])
                ledger->end = WEIR_ENGINE_ASTRAY;
            if (!ledger->end)
                ledger->end =
                    weir_must_end(args, ledger, ledger->look[WEIR_LOOK_STOP], ledger->mark_ns);
            if (args->once && !ledger->end)
                (void)weir_look_command(args, ledger);
            total = ledger->end ? 0 : weir_plan_make(args, ledger);
            if (ledger->end)
                action = WEIR_ACTION_END;
            else if (total == 0)
                action = WEIR_ACTION_IDLE;
            else if (!weir_plan_is_near(ledger))
                action = WEIR_ACTION_PLAN;
            else
                action = WEIR_ACTION_NEAR;
            near_bag = ledger->plan.took >> 1 & 1u;
            log = weir_blocks_log(args, total);
        }
        action = weir_broadcast_u32(action, 0);
        if (action != WEIR_ACTION_IDLE || args->once)
            break;
        weir_wait(args, ledger);
        phase = 3;
    }
    total = weir_broadcast_u32(total, 0);
    log = weir_broadcast_u32(log, 0);
    near_bag = weir_broadcast_u32(near_bag, 0);
    weir_lanes_sync(); /* the plan is one lane's work */
    if (action == WEIR_ACTION_PLAN || args->once)
        weir_plan_show(args, ledger);
    if (total)
        weir_decide_empty(args, ledger, ledger->plan.took);
    weir_lanes_sync(); /* all lanes wrote; one releases the word */
    return weir_word_make(weir_word_generation(word) + 1, action, near_bag, log, total);
}

#endif
