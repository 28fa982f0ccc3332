/** @file decider.h  What happens between two rounds: the decider counts, publishes and plans.
 *
 * The decider is one warp, and all its lanes call these functions while no other thread of the worker's device is at work.
 * So it may read and write all of struct weir_control plainly. Rounds see what it wrote, since the word is released after
 * that. It sees what rounds did, since each block releases its arrival (after narrow rounds the one with which it hands its
 * items back); the decider's first lane has acquired all arrivals, and weir_lanes_sync() passes this on to its other lanes.
 * Only words that other devices or the host write meanwhile (in_tail, out_credit, command, the stop word) are loaded with
 * acquire, and only words that they read (tails, credits, statuses, commands) are stored with release. */
#ifndef WEIR_WORKLIST_ENGINE_DECIDER_H
#define WEIR_WORKLIST_ENGINE_DECIDER_H

#include "worklist/engine/idle.h"

/** Tiles that a worker fetches at a time in a round of @p total. @param[in] fetchers  workers. */
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

/** Blocks that take part in a round of @p total tiles, as the logarithm of a power of two. */
WEIR_DEV uint32_t weir_blocks_log(const struct weir_engine_args *args, uint32_t total)
{
    uint32_t bits = total > 1 ? weir_bits_u32(total - 1) : 0; /* total <= 1 << bits */
    return bits > args->block_least_log ? bits - args->block_least_log : 0;
}

/** Whether a round is narrow (narrow_tmpl.h). @param[in] blocks  of the kernel. */
WEIR_DEV int weir_is_narrow(const struct weir_engine_args *args, uint64_t word, uint32_t blocks)
{
    const uint32_t count = weir_word_count(word);
    if (weir_word_action(word) == WEIR_ACTION_HAND_OUT)
        return 1;
    return weir_word_action(word) == WEIR_ACTION_NEAR && !(word & WEIR_WORD_WIDE) &&
           count <= args->narrow &&
           count <= weir_word_blocks(word, blocks)
                        << (args->block_least_log + args->narrow_sets_log);
}

/** The common case needs no decider: a round of near items has ended, or one that handed out, it made @p count near items, and
 *  nothing special happened in any block. Then every block that took part computes the same next word by itself.
 *  @return the next word; 0 if block 0 has to decide. */
WEIR_DEV uint64_t weir_decide_near(const struct weir_engine_args *args, uint64_t word,
                                   uint32_t count)
{
    const uint32_t next_bag = weir_word_near_bag(word) ^ 1u;
    const uint32_t action = weir_word_action(word);
    if ((action != WEIR_ACTION_NEAR && action != WEIR_ACTION_HAND_OUT) || count == 0 ||
        count > args->bag[WEIR_BAG_NEAR].room)
        return 0;
    return weir_word_make(weir_word_generation(word) + 1, WEIR_ACTION_NEAR, next_bag,
                          weir_blocks_log(args, count), count) |
           (word & WEIR_WORD_WIDE);
}

/** Count the near round of @p before, which the decider did not see, while the round of @p word runs. One lane. */
WEIR_DEV void weir_count_near_round(const struct weir_engine_args *args, struct weir_ledger *ledger,
                                    uint64_t before, uint64_t word)
{
    const uint32_t bag = WEIR_BAG_NEAR + weir_word_near_bag(word);
    if (weir_word_shared(word)) /* this round reads the bag, and the next one puts into it */
        weir_store_relaxed_dev_u32(&args->control->look[bag].word, 0);
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

/** Words that others may write while a round runs. If one has changed block 0 has to decide on the next round. One warp of
 *  block 0 loads them before the round and compares them after it, so that no thread waits for the loads. */
struct weir_peek {
    uint32_t stop;
    uint32_t tail;  /* of the channel in that this lane looks at */
    uint32_t woven; /* there is something in its woven ring */
};

WEIR_DEV struct weir_peek weir_peek_look(const struct weir_engine_args *args,
                                         const struct weir_ledger *ledger)
{
    struct weir_peek peek = {0, 0, 0};
    if (weir_lane() == 0)
        peek.stop = weir_load_relaxed_sys_u32(&args->control->look[WEIR_LOOK_STOP].word);
    if (args->workers > 1 && weir_lane() < args->channels_in)
        peek.tail = weir_load_relaxed_sys_u32(&args->mail->in_tail[weir_lane()]);
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < args->woven_in; i += WEIR_LANES)
        peek.woven |= (uint32_t)weir_woven_begins(args, ledger, i);
    return peek;
}

/** @return whether block 0 has to decide. All lanes. */
WEIR_DEV int weir_peek_judge(const struct weir_engine_args *args, const struct weir_ledger *ledger,
                             struct weir_peek peek)
{
    int changed = peek.stop != 0 || peek.woven || ledger->end || ledger->unpublished ||
                  (ledger->seen[WEIR_BAG_HELD] | ledger->seen[WEIR_BAG_HELD + 1]) ||
                  (args->workers > 1 && (args->order == WEIR_ENGINE_BULK ||
                                         (WEIR_LANES > 1u && args->channels_in > WEIR_LANES)));
    if (WEIR_LANES == 1u) { /* one lane looks at all channels, which are near */
        for (uint32_t l = 0; args->workers > 1 && l < args->channels_in; l++)
            changed |= weir_load_relaxed_sys_u32(&args->mail->in_tail[l]) != ledger->in_head[l];
    } else if (args->workers > 1 && weir_lane() < args->channels_in)
        changed |= peek.tail != ledger->in_head[weir_lane()];
    return weir_ballot(changed) != 0;
}

/** Plan the next round, of all that there is to do, behind a rise of the threshold if it is time for that. One lane.
 *  @param[out] total  its elements. @return enum weir_action. */
WEIR_DEV uint32_t weir_plan_next(const struct weir_engine_args *args, struct weir_ledger *ledger,
                                 uint32_t *total)
{
    struct weir_work_order *order = &ledger->plan.order;
    if (order->early)
        weir_raise_early(args, ledger);
    *total = weir_plan_make(args, ledger);
    order->early = 0;
    if (*total == 0) /* a narrow round of no items takes what waits in woven rings */
        return ledger->woven_waits ? WEIR_ACTION_NEAR : WEIR_ACTION_IDLE;
    if (weir_plan_hands_out(args, ledger)) {
        order->window =
            WEIR_BUCKETS; /* it puts nothing into a bucket, and the round behind it may */
        order->early = *total >> WEIR_EARLY_LOG;
        ledger->hand_outs++;
        return WEIR_ACTION_HAND_OUT;
    }
    return weir_plan_is_near(ledger) ? WEIR_ACTION_NEAR : WEIR_ACTION_PLAN;
}

/** Close the round that ended and say what the next one does. All lanes of one warp, while no other
 *  thread of the device is at work. @param[in,out] ledger  in memory that only this warp uses meanwhile.
 *  @return the next word. */
WEIR_COLD uint64_t weir_decide(const struct weir_engine_args *args, struct weir_ledger *ledger,
                               uint64_t word)
{
    struct weir_control *control = args->control;
    struct weir_decision decision;
    uint32_t action = WEIR_ACTION_END, total = 0, log = 0, near_bag = 0;
    weir_lanes_sync(); /* one lane has acquired the arrivals; votes and broadcasts order no memory */
    WEIR_ROLLED
    for (uint32_t w = weir_lane(); w < WEIR_LOOKS; w += WEIR_LANES)
        ledger->look[w] = weir_load_relaxed_dev_u32(&control->look[w].word);
    weir_lanes_sync();
    uint32_t phase = weir_phase_of(weir_took(ledger, word));
    weir_count_round(args, ledger, word, &decision);
    weir_lanes_sync();
    if (args->channels_in)
        (void)weir_look_in(args, ledger);
    WEIR_ROLLED
    for (;;) {
        if (weir_lane() == 0) {
            weir_store_relaxed_dev_u32(&control->cursor[0], 0);
            weir_store_relaxed_dev_u32(&control->cursor[1], 0);
            if (ledger->started_ns == 0)
                ledger->started_ns = ledger->mark_ns = weir_clock_ns();
            weir_count_time(args, ledger, phase);
            if (ledger->look[WEIR_LOOK_FULL])
                ledger->end = WEIR_ENGINE_FULL;
            if (ledger->look[WEIR_LOOK_LONG])
                ledger->end = WEIR_ENGINE_LONG;
            if (ledger->look[WEIR_LOOK_ASTRAY])
                ledger->end = WEIR_ENGINE_ASTRAY;
            if (!ledger->end)
                ledger->end =
                    weir_must_end(args, ledger, ledger->look[WEIR_LOOK_STOP], ledger->mark_ns);
            if (args->once && !ledger->end)
                (void)weir_look_command(args, ledger);
            total = 0;
            action = ledger->end ? WEIR_ACTION_END : weir_plan_next(args, ledger, &total);
            near_bag = total && action != WEIR_ACTION_HAND_OUT
                           ? ledger->plan.took >> 1 & 1u
                           : (ledger->plan.order.near_bag & 1u) ^ 1u;
            log = weir_blocks_log(args, total);
            if (action == WEIR_ACTION_HAND_OUT && log > args->narrow_blocks_log)
                log = args->narrow_blocks_log;
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
    weir_lanes_sync(); /* one lane made the plan */
    if (action == WEIR_ACTION_PLAN || action == WEIR_ACTION_HAND_OUT || args->once ||
        !weir_order_is_told(ledger))
        weir_plan_show(args, ledger);
    if (total)
        weir_empty_bags(args, ledger, ledger->plan.took);
    weir_lanes_sync(); /* all lanes wrote; one lane releases the word */
    const uint64_t next =
        weir_word_make(weir_word_generation(word) + 1, action, near_bag, log, total);
    return args->woven_in && weir_stays_wide(ledger) ? next | WEIR_WORD_WIDE : next;
}

#endif
