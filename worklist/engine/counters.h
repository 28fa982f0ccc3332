/** @file counters.h  A part of decider.h: counting a round that ended, and publishing what it sent. */
#ifndef WEIR_WORKLIST_ENGINE_COUNTERS_H
#define WEIR_WORKLIST_ENGINE_COUNTERS_H

#include "worklist/engine/pace.h"
#include "worklist/engine/termination.h"
#include "worklist/engine/woven.h"

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

/** What one part of a decision computes for the next; all lanes of the warp have the same values. */
struct weir_decision {
    uint64_t entered;  /* items that came into bags and channels since the last decision */
    uint64_t deferred; /* of them, into the far bag and the buckets */
};

/** Whether what a round reads is what the plan says. */
WEIR_DEV int weir_word_is_planned(uint64_t word)
{
    const uint32_t action = weir_word_action(word);
    return action == WEIR_ACTION_PLAN || action == WEIR_ACTION_HAND_OUT;
}

/** Which bags the round that ended has read. */
WEIR_DEV uint32_t weir_took(const struct weir_ledger *ledger, uint64_t word)
{
    if (weir_word_action(word) == WEIR_ACTION_NEAR)
        return 1u << (WEIR_BAG_NEAR + weir_word_near_bag(word));
    return weir_word_is_planned(word) ? ledger->plan.took : 0;
}

/** Count what came into the bags. */
WEIR_DEV void weir_count_bags(const struct weir_engine_args *args, struct weir_ledger *ledger,
                              struct weir_decision *decision)
{
    struct weir_control *control = args->control;
    uint64_t entered = 0, deferred = 0;
    WEIR_ROLLED
    for (uint32_t b = weir_lane(); b < WEIR_BAGS; b += WEIR_LANES) {
        const struct weir_bag *bag = &args->bag[b];
        uint32_t tail = ledger->look[b];
        if ((b == WEIR_BAG_PIECE || b >= WEIR_BAG_BUCKET) && tail > bag->room) {
            tail =
                bag->room; /* the others were processed with their tile, or went to the far bag */
            weir_store_relaxed_dev_u32(&control->look[b].word, tail);
            ledger->look[b] = tail;
        }
        uint64_t grown = tail - ledger->seen[b];
        entered += b == WEIR_BAG_PIECE ? 0 : grown;
        if (b >= WEIR_BAG_BUCKET || b == WEIR_BAG_FAR || b == WEIR_BAG_FAR + 1)
            deferred += grown;
        ledger->seen[b] = tail;
    }
    decision->entered = weir_sum_u64(entered);
    decision->deferred = weir_sum_u64(deferred);
    weir_lanes_sync();
}

/** Reset the tails of the bags that the next round reads. The plan has their lengths, and the round puts nothing there. */
WEIR_DEV void weir_empty_bags(const struct weir_engine_args *args, struct weir_ledger *ledger,
                              uint32_t took)
{
    WEIR_ROLLED
    for (uint32_t b = weir_lane(); b < WEIR_BAGS; b += WEIR_LANES)
        if (took >> b & 1u) {
            ledger->seen[b] = 0;
            weir_store_relaxed_dev_u32(&args->control->look[b].word, 0);
        }
}

/** Whether a test wants the tail of this channel to be published later. */
WEIR_DEV int weir_delayed(const struct weir_ledger *ledger, uint32_t lane)
{
    if (!ledger->delay)
        return 0;
    uint64_t mixed = (ledger->delay + lane) * UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ mixed >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return (mixed >> 40) % 4 != 0;
}

/** Publish the tails of the channels that the round stored into, and read the credits that came back.
 *  @return items that were published. The decider reports idle only when every tail is published. */
WEIR_DEV uint64_t weir_publish_channels(const struct weir_engine_args *args,
                                        struct weir_ledger *ledger)
{
    struct weir_control *control = args->control;
    uint64_t sent = 0;
    int delayed = 0, credit_came = 0;
    WEIR_ROLLED
    for (uint32_t l = weir_lane(); l < args->channels_out; l += WEIR_LANES) {
        uint32_t tail = weir_load_relaxed_dev_u32(&control->out_tail[l]);
        uint32_t credit = weir_load_acquire_sys_u32(&args->mail->out_credit[l]);
        uint32_t limit = ledger->out_credit_seen[l] + control->out[l].mask + 1;
        if ((int32_t)(tail - limit) > 0) { /* lanes reserved more slots than are free */
            tail = limit;
            weir_store_relaxed_dev_u32(&control->out_tail[l], tail);
        }
        uint32_t grown = tail - ledger->out_published[l];
        if (grown && weir_delayed(ledger, l)) {
            delayed = 1;
        } else if (grown) {
            ledger->out_published[l] = tail;
            ledger->out_sent[l] += grown;
            sent += grown;
            if (args->order == WEIR_ENGINE_BULK)
                weir_store_relaxed_sys_u32(control->out[l].epoch, ledger->epoch);
            /* Items first, tail second; pairs with the acquire of in_tail. The items are visible, since each block
             * that stored any made a fence of system scope before it arrived. */
            weir_store_release_sys_u32(control->out[l].tail, tail);
        }
        credit_came |= credit != ledger->out_credit_seen[l];
        ledger->out_credit_seen[l] = credit;
        control->out_limit[l] = credit + control->out[l].mask + 1;
    }
    sent = weir_sum_u64(sent);
    if (args->woven_out)
        sent += weir_count_woven(args, ledger, &credit_came);
    delayed = weir_ballot(delayed) != 0;
    credit_came = weir_ballot(credit_came) != 0;
    if (weir_lane() == 0) {
        ledger->unpublished = (uint32_t)delayed;
        ledger->retry |= (uint32_t)credit_came;
        if (ledger->delay)
            ledger->delay += 0x632BE5ABu;
    }
    weir_lanes_sync();
    return sent;
}

/** Return the slots of the items that the round took from the channels. */
WEIR_DEV void weir_return_credits(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    struct weir_control *control = args->control;
    WEIR_ROLLED
    for (uint32_t l = weir_lane(); l < args->channels_in; l += WEIR_LANES) {
        uint32_t next = ledger->in_next[l];
        if (next == ledger->in_head[l])
            continue;
        ledger->in_head[l] = next;
        /* A credit is returned for a quarter of the ring at a time, since a store-release into another device's memory takes
         * as long as a short round. A sender that waits for slots has filled the whole ring, so the credit comes. */
        if (!control->in[l].credit || next - ledger->in_credited[l] < (control->in[l].mask + 1) / 4)
            continue;
        ledger->in_credited[l] = next;
        /* The slots were read before this; the sender acquires the credit. */
        weir_store_release_sys_u32(control->in[l].credit, next);
    }
    weir_lanes_sync();
}

/** Count the round that ended. */
WEIR_DEV void weir_count_round(const struct weir_engine_args *args, struct weir_ledger *ledger,
                               uint64_t word, struct weir_decision *decision)
{
    struct weir_control *control = args->control;
    uint32_t took = weir_took(ledger, word), action = weir_word_action(word);
    uint64_t taken =
        action == WEIR_ACTION_NEAR || weir_word_is_planned(word) ? weir_word_count(word) : 0;
    if (took >> WEIR_BAG_PIECE & 1u)
        taken = 0; /* the items that the pieces belong to were counted when they were cut */
    WEIR_ROLLED
    for (uint32_t p = 0; p < args->packets; p++)
        taken += args->packet_count[p];
    weir_count_bags(args, ledger, decision);
    if (args->channels_out)
        decision->entered += weir_publish_channels(args, ledger);
    if (action == WEIR_ACTION_PLAN && args->channels_in)
        weir_return_credits(args, ledger);
    const uint64_t taken_narrow =
        args->woven_in ? weir_return_woven(args, ledger, action == WEIR_ACTION_PLAN) : 0;
    if (weir_lane() != 0)
        return;
    ledger->consumed += taken_narrow; /* those that were kept are new items */
    uint32_t moved = ledger->look[WEIR_LOOK_MOVED], merged = ledger->look[WEIR_LOOK_MERGED];
    ledger->produced += decision->entered - moved;
    ledger->consumed += taken - moved;
    ledger->processed += taken - moved - merged;
    ledger->deferred += decision->deferred - ledger->look[WEIR_LOOK_STILL_DEFERRED];
    if (moved | merged | ledger->look[WEIR_LOOK_STILL_DEFERRED]) {
        WEIR_ROLLED
        for (uint32_t w = WEIR_LOOK_MOVED; w <= WEIR_LOOK_MERGED; w++)
            weir_store_relaxed_dev_u32(&control->look[w].word, 0);
    }
    if (taken || took)
        ledger->rounds++;
    if (args->woven_in)
        weir_judge_exchange(ledger, taken_narrow);
}

/** Note for a trace the stretch from @p begin_ns on that was counted last. One lane. */
WEIR_DEV void weir_note_rounds(const struct weir_engine_args *args,
                               const struct weir_ledger *ledger, uint64_t begin_ns, uint32_t phase)
{
    const struct weir_control *control = args->control;
    struct weir_note *note = weir_note_next(args->notes);
    uint64_t deferred = 0, waiting = 0, credits = 0;
    if (!note)
        return;
    /* Unrolled: all other lanes wait for this one, and one after the other the loads take half a microsecond of a GPU. */
    for (uint32_t b = 0; b < WEIR_BAGS; b++) {
        const uint32_t far = b == WEIR_BAG_FAR || b == WEIR_BAG_FAR + 1 || b >= WEIR_BAG_BUCKET;
        deferred += far ? ledger->seen[b] : 0;
        waiting += b < WEIR_BAG_FAR ? ledger->seen[b] : 0;
    }
    WEIR_ROLLED
    for (uint32_t l = 0; l < args->channels_out; l++)
        credits += control->out_limit[l] - ledger->out_published[l];
    note->begin_ns = begin_ns;
    note->end_ns = ledger->mark_ns;
    note->phase = phase;
    note->threshold = ledger->plan.order.threshold;
    note->value[0] = ledger->rounds;
    note->value[1] = ledger->processed;
    note->value[2] = waiting;
    note->value[3] = deferred;
    note->value[4] = credits;
}

/** The time since the last decision belongs to @p phase. One lane. */
WEIR_DEV void weir_count_time(const struct weir_engine_args *args, struct weir_ledger *ledger,
                              uint32_t phase)
{
    const uint64_t now = weir_clock_ns(), since = ledger->mark_ns;
    ledger->phase_ns[phase] += now - since;
    ledger->mark_ns = now;
    if (args->notes)
        weir_note_rounds(args, ledger, since, phase);
}

/** Which phase a round was (enum weir_phase). */
WEIR_DEV uint32_t weir_phase_of(uint32_t took)
{
    const uint32_t far = 3u << WEIR_BAG_FAR;
    const uint32_t near =
        3u << WEIR_BAG_NEAR | 1u << WEIR_BAG_PIECE | ((1u << WEIR_BUCKETS) - 1u) << WEIR_BAG_BUCKET;
    return took & far ? 2 : took & near ? 0 : 1;
}

#endif
