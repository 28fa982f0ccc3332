/** @file woven.h  A part of decider.h: woven rings, by which items go to other workers in narrow rounds.
 *
 * What a round stores into a channel is told of by a tail that the decider releases, behind a fence in each block that
 * stored. That takes longer than a narrow round. So beside each channel lie smaller rings in which every 32 bits of a
 * packed item travel in one 64-bit word beside a mark (as in woven packets of router/channel.h; the LL protocol of NCCL):
 * a word is there or not, and nothing is fenced or released. The receiver wipes what it read, so a word with a mark is
 * always a new one; a slot is filled again only when a credit came, which is released behind the wiping.
 *
 * Items are reserved and counted as in channels: any warp reserves a slot below the limit, the decider counts what was
 * reserved. It also sets new limits, when no other thread of the device is at work. Each of the last warps of the receiver's block 0 has
 * a ring of each channel, since they have the fewest items of their own (TAKER_OF()); it looks there while blocks wait for each other, and takes what came while a narrow round runs
 * (narrow_tmpl.h). In other rounds the decider plans it as any other arrival.
 *
 * A woven word hands nothing else on. Termination detection needs one order: when a worker that was idle sends, its
 * report says that it is busy. Words of woven rings come after that by a fence (weir_report_busy()). */
#ifndef WEIR_WORKLIST_ENGINE_WOVEN_H
#define WEIR_WORKLIST_ENGINE_WOVEN_H

#include "worklist/engine/engine.h"

/** Slots of a woven ring. */
#define WEIR_WOVEN_SLOTS 1024u
/** Slots of a ring that a plan takes at most: one lane looks at them. */
#define WEIR_WOVEN_PLANNED 8u
/** The mark of a word that is there. */
#define WEIR_WOVEN_MARK ((uint64_t)1 << 32)

/** 64-bit words of a slot for a wire of so many bytes: one for each 32 bits, an even number if there are several, since
 *  pairs are stored together. */
WEIR_BOTH uint32_t weir_woven_words(uint32_t wire_bytes)
{
    const uint32_t words = (wire_bytes + 3u) / 4u;
    return words > 1u ? (words + 1u) & ~1u : words;
}

/** Whether a word is there. */
WEIR_DEV int weir_woven_is_there(uint64_t word)
{
    return (word & WEIR_WOVEN_MARK) != 0;
}

/** The first word of slot number @p slot of ring @p r of a channel's rings. */
WEIR_DEV uint64_t *weir_woven_slot(const struct weir_engine_args *args, uint64_t *rings, uint32_t r,
                                   uint32_t slot)
{
    const uint64_t at = (uint64_t)r * (args->woven_mask + 1u) + (slot & args->woven_mask);
    return rings + at * weir_woven_words(args->wire_bytes);
}

/** The same of woven ring in number @p i, counted through all channels. */
WEIR_DEV uint64_t *weir_woven_slot_in(const struct weir_engine_args *args, uint32_t i,
                                      uint32_t slot)
{
    return weir_woven_slot(args, args->control->in[i >> args->woven_log].woven,
                           i & ((1u << args->woven_log) - 1u), slot);
}

/** Whether the next slot of ring in @p i has begun to fill. One lane. */
WEIR_DEV int weir_woven_begins(const struct weir_engine_args *args,
                               const struct weir_ledger *ledger, uint32_t i)
{
    return weir_woven_is_there(
        weir_load_relaxed_sys_u64(weir_woven_slot_in(args, i, ledger->woven_head[i])));
}

/** Whether all words of a slot are there. The last look acquires, for what the sender's report says (see above). One lane. */
WEIR_DEV int weir_woven_is_whole(const struct weir_engine_args *args, const uint64_t *slot)
{
    const uint32_t words = (args->wire_bytes + 3u) / 4u;
    int whole = 1;
    WEIR_ROLLED
    for (uint32_t w = 0; w < words && whole; w++)
        whole = weir_woven_is_there(weir_load_relaxed_sys_u64(slot + w));
    return whole && weir_woven_is_there(weir_load_acquire_sys_u64(slot + words - 1u));
}

/** Look what waits in the woven rings. All lanes. @return whether there is anything. */
WEIR_DEV int weir_look_woven(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    uint32_t any = 0;
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < args->woven_in; i += WEIR_LANES) {
        uint32_t count = 0;
        WEIR_ROLLED
        while (
            count < WEIR_WOVEN_PLANNED &&
            weir_woven_is_whole(args, weir_woven_slot_in(args, i, ledger->woven_head[i] + count)))
            count++;
        args->control->woven_waiting[i] = count;
        any |= count;
    }
    any = weir_ballot(any != 0);
    if (weir_lane() == 0)
        ledger->woven_waits = any != 0;
    weir_lanes_sync();
    return any != 0;
}

/** Count what was reserved in the woven rings out, and set new limits. All lanes, while no other thread of the device is at work.
 *  @param[out] credit_came  whether there are more free slots in a ring that this lane looked at. @return items. */
WEIR_DEV uint64_t weir_count_woven(const struct weir_engine_args *args, struct weir_ledger *ledger,
                                   int *credit_came)
{
    struct weir_control *control = args->control;
    const uint32_t slots = args->woven_mask + 1u;
    uint64_t all = 0;
    WEIR_ROLLED
    for (uint32_t begin = 0; begin < args->woven_out; begin += WEIR_LANES) {
        const uint32_t i = begin + weir_lane();
        uint32_t grown = 0;
        if (i < args->woven_out) {
            const uint32_t limit = control->woven_credit_seen[i] + slots;
            const uint32_t credit = weir_load_acquire_sys_u32(&args->mail->woven_credit[i]);
            uint32_t tail = weir_load_relaxed_dev_u32(&control->woven_tail[i]);
            if ((int32_t)(tail - limit) > 0) { /* lanes reserved more slots than are free */
                tail = limit;
                weir_store_relaxed_dev_u32(&control->woven_tail[i], tail);
            }
            grown = tail - control->woven_counted[i];
            control->woven_counted[i] = tail;
            *credit_came |= credit != control->woven_credit_seen[i];
            control->woven_credit_seen[i] = credit;
            control->woven_limit[i] = credit + slots;
        }
        all += weir_sum_u64(grown);
        WEIR_ROLLED
        for (uint32_t left = weir_ballot(grown != 0); left; left &= left - 1u) {
            const uint32_t lane = weir_first_bit_u32(left);
            const uint32_t its = weir_broadcast_u32(grown, lane);
            if (weir_lane() == 0)
                ledger->out_sent[(begin + lane) >> args->woven_log] += its;
        }
    }
    if (weir_lane() == 0)
        ledger->woven_sent += all;
    return all;
}

/** Count what was taken out of the woven rings, and return slots, a quarter of a ring at a time. All lanes.
 *  @param[in] planned  the round that ended took what its plan says, which is counted with the plan.
 *  @return items that narrow rounds took since. */
WEIR_DEV uint64_t weir_return_woven(const struct weir_engine_args *args, struct weir_ledger *ledger,
                                    int planned)
{
    struct weir_control *control = args->control;
    uint64_t taken = 0;
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < args->woven_in; i += WEIR_LANES) {
        if (planned)
            ledger->woven_head[i] = control->woven_next[i];
        const uint32_t head = ledger->woven_head[i];
        taken += head - control->woven_next[i];
        control->woven_next[i] = head;
        if (head - control->woven_credited[i] < (args->woven_mask + 1u) / 4u)
            continue;
        control->woven_credited[i] = head;
        /* The slots were wiped before this; the sender acquires the credit. */
        weir_store_release_sys_u32(
            &control->in[i >> args->woven_log].woven_credit[i & ((1u << args->woven_log) - 1u)],
            head);
    }
    taken = weir_sum_u64(taken);
    weir_lanes_sync();
    return taken;
}

/** Whether block 0 has to decide so that slots come back: of a woven ring in more than a quarter was read, or of one out more
 *  than three quarters are in use. All lanes. */
WEIR_DEV int weir_woven_wants_credit(const struct weir_engine_args *args,
                                     const struct weir_ledger *ledger)
{
    const struct weir_control *control = args->control;
    const uint32_t quarter = (args->woven_mask + 1u) / 4u;
    int wants = 0;
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < args->woven_out; i += WEIR_LANES)
        wants |=
            weir_load_relaxed_dev_u32(&control->woven_tail[i]) - control->woven_credit_seen[i] >
            3u * quarter;
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < args->woven_in; i += WEIR_LANES)
        wants |= ledger->woven_head[i] - control->woven_credited[i] > quarter;
    return weir_ballot(wants) != 0;
}

/** Rounds for which a worker has no narrow ones when it found that too many items come from others. */
#define WEIR_WOVEN_WIDE 1024u
/** Of so many items that a worker processes one at most may have come from another worker in narrow rounds. */
#define WEIR_WOVEN_SHARE 4u
/** That is judged when so many were processed. */
#define WEIR_WOVEN_JUDGED 16384u

/** Whether this worker found that too much comes from others, and has no narrow rounds until some wide ones are over. */
WEIR_DEV int weir_stays_wide(const struct weir_ledger *ledger)
{
    return ledger->rounds < ledger->wide_until;
}

/** Narrow rounds are for work that mostly stays where it is. A worker that gets much from others, because the graph is cut
 *  badly, would finish many of them before the next items come, which have taken a shorter way: what it did
 *  meanwhile is done again. Wide rounds take longer than an item is under way. One lane. @param[in] taken  items from others that
 *  narrow rounds took since the last decision. */
WEIR_DEV void weir_judge_exchange(struct weir_ledger *ledger, uint64_t taken)
{
    const uint64_t processed = ledger->processed - ledger->judged;
    ledger->exchanged += taken;
    if (processed < WEIR_WOVEN_JUDGED)
        return;
    if (ledger->exchanged > processed / WEIR_WOVEN_SHARE)
        ledger->wide_until = ledger->rounds + WEIR_WOVEN_WIDE;
    ledger->judged = ledger->processed;
    ledger->exchanged = 0;
}

#endif
