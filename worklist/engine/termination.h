/** @file termination.h  Termination detection: when is a run over, and when may the threshold rise? (Groute 4.3, 4.4)
 *
 * A worker that has nothing to do reports its epoch, counters that only grow (produced, consumed), the number of items that
 * it has deferred, and last an even number, its *turn*. Before it takes anything in again it writes an odd turn, and this
 * write comes before everything that the worker releases later, in particular before it sends an item. The
 * coordinator (worker 0, or any host thread with discrete kernels) looks twice:
 *
 *   1. every turn is even, every epoch is the present one, and the sum of produced - consumed - deferred is 0;
 *   2. every turn is the same as in 1.
 *
 * Then every worker was idle at the moment between the two looks, and no item was on its way. For suppose that one was.
 * Either no report counts it as consumed, and the sum is not 0. Or a worker has taken it in since its report; then its odd
 * turn was visible before anything that it did with the item, and the second look sees that turn. docs/termination.md has
 * the argument in full, and tests/model has the protocol for a model checker.
 *
 * If nothing is deferred the run is over. Otherwise the threshold rises: by so many buckets that there is
 * enough to do for all workers, or by the width that the user asked for. */
#ifndef WEIR_WORKLIST_ENGINE_TERMINATION_H
#define WEIR_WORKLIST_ENGINE_TERMINATION_H

#include "worklist/engine/engine.h"

/** Report idle. One lane. @param[in] turn  even. */
WEIR_DEV void weir_status_publish(struct weir_status_words *to,
                                  const struct weir_status_words *from)
{
    /* The odd turn has to be visible before any field, or the coordinator could read new fields and find the old turn both
     * times. Pairs with the acquires of the first look, which come before the second look at the turn. */
    weir_fence_sys();
    weir_store_fenced_sys_u32(&to->epoch, from->epoch);
    weir_store_fenced_sys_u64(&to->produced, from->produced);
    weir_store_fenced_sys_u64(&to->consumed, from->consumed);
    weir_store_fenced_sys_u64(&to->deferred, from->deferred);
    weir_store_fenced_sys_u32(&to->urgency, from->urgency);
    WEIR_ROLLED
    for (uint32_t b = 0; b < WEIR_BUCKETS; b++)
        weir_store_fenced_sys_u32(&to->bucket[b], from->bucket[b]);
    /* Fields first, turn second: pairs with the acquire of both looks. */
    weir_store_release_sys_u32(&to->turn, from->turn);
}

/** The first look. @return 0 if a worker is at work, or has not taken the last command. All lanes of a warp. */
WEIR_DEV int weir_termination_look(const struct weir_status_words *statuses, uint32_t workers,
                                   uint32_t epoch, struct weir_status_sums *sums)
{
    int idle = 1;
    uint64_t open = 0, deferred = 0;
    uint32_t urgency = 0;
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < workers; i += WEIR_LANES) {
        const struct weir_status_words *status = &statuses[i];
        uint32_t turn = weir_load_acquire_sys_u32(&status->turn);
        sums->turn[i] = turn;
        if ((turn & 1u) || weir_load_acquire_sys_u32(&status->epoch) != epoch) {
            idle = 0;
            continue;
        }
        uint64_t later = weir_load_acquire_sys_u64(&status->deferred);
        open += weir_load_acquire_sys_u64(&status->produced) -
                weir_load_acquire_sys_u64(&status->consumed) - later;
        deferred += later;
        uint32_t mine = weir_load_acquire_sys_u32(&status->urgency);
        if (urgency < mine)
            urgency = mine;
    }
    if (weir_ballot(!idle))
        return 0;
    open = weir_sum_u64(open);
    deferred = weir_sum_u64(deferred);
    urgency = weir_max_u32(urgency);
    weir_lanes_sync(); /* the lanes that acquired the turns are not those that load the buckets */
    WEIR_ROLLED
    for (uint32_t b = weir_lane(); b < WEIR_BUCKETS; b += WEIR_LANES) {
        uint64_t sum = 0;
        WEIR_ROLLED
        for (uint32_t i = 0; i < workers; i++)
            sum += weir_load_acquire_sys_u32(&statuses[i].bucket[b]);
        sums->bucket[b] = sum < 0xFFFFFFFFu ? (uint32_t)sum : 0xFFFFFFFFu;
    }
    weir_lanes_sync();
    if (weir_lane() == 0) {
        sums->open = open;
        sums->deferred = deferred;
        sums->urgency = urgency;
    }
    weir_lanes_sync();
    return open == 0;
}

/** The second look. @return 0 if a turn changed. All lanes of a warp. */
WEIR_DEV int weir_termination_look_again(const struct weir_status_words *statuses, uint32_t workers,
                                         const struct weir_status_sums *sums)
{
    int changed = 0;
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < workers; i += WEIR_LANES)
        changed |= weir_load_acquire_sys_u32(&statuses[i].turn) != sums->turn[i];
    return !weir_ballot(changed);
}

/** The priority that a far bag's urgency stands for. */
WEIR_DEV uint32_t weir_far_least(uint32_t urgency)
{
    return urgency ? ~urgency : 0xFFFFFFFFu;
}

/** By how many buckets the threshold rises: to the first bucket that holds something, and further until there is enough.
 *  @param[in] first      number of the first bucket.
 *  @param[in] target     items that are enough.
 *  @param[in] most       buckets from which on any items are enough, 1 to WEIR_BUCKETS.
 *  @param[in] far_after  buckets up to the one that the most urgent item of the far bags belongs into.
 *  @param[in] fixed      the user gave a width: the first bucket that holds something is enough. */
WEIR_DEV uint32_t weir_raise_buckets(const struct weir_status_sums *sums, uint32_t first,
                                     uint32_t target, uint32_t most, uint32_t far_after, int fixed)
{
    uint32_t buckets = 0;
    uint64_t released = 0;
    WEIR_ROLLED
    while (buckets < WEIR_BUCKETS) {
        uint32_t held = sums->bucket[(first + buckets) % WEIR_BUCKETS];
        buckets++;
        released += held;
        if (buckets >= far_after) /* the far bags may hold items of this bucket: look there */
            return buckets;
        if (released && (fixed || released >= target || buckets >= most))
            return buckets;
    }
    return buckets;
}

/** By how many buckets the threshold may rise at a time. Where one round makes many items of each, what is known when a run begins is
 *  no more than a sample of what will lie below a threshold, and all buckets at once would be the whole search: so it doubles
 *  from one, every second time: with each of the first few steps there is much more to know.
 *  @param[in] raises  how often the threshold rose in this run. */
WEIR_DEV uint32_t weir_raise_most(int gradual, uint32_t raises)
{
    return gradual && raises / 2u < WEIR_BUCKETS_LOG ? 1u << raises / 2u : WEIR_BUCKETS;
}

/** The command that follows from the present sums. One lane.
 *  @param[in] bulk   generations in place of a threshold.
 *  @param[in] most   weir_raise_most().
 *  @param[in] width_sum, width_count  buckets by which the threshold rose since the last rebase, and how often. */
WEIR_DEV void weir_termination_command(const struct weir_status_sums *sums,
                                       const struct weir_work_order *order, int bulk, int fixed,
                                       uint64_t target, uint32_t most, uint32_t width_sum,
                                       uint32_t width_count, struct weir_command_words *command)
{
    uint32_t any = 0;
    command->buckets = 0;
    command->threshold = order->threshold;
    command->delta = order->delta;
    if (sums->deferred == 0) {
        command->kind = WEIR_COMMAND_DONE;
        return;
    }
    command->kind = WEIR_COMMAND_RAISE;
    if (bulk)
        return;
    WEIR_ROLLED
    for (uint32_t b = 0; b < WEIR_BUCKETS; b++)
        any |= sums->bucket[b];
    uint32_t least = weir_far_least(sums->urgency);
    if (any) {
        uint32_t far_after = 0xFFFFFFFFu;
        if (sums->urgency)
            far_after =
                least < order->threshold ? 1u : (least - order->threshold) / order->delta + 1u;
        uint32_t first = order->bucket;
        command->buckets =
            weir_raise_buckets(sums, first, target < 0xFFFFFFFFu ? (uint32_t)target : 0xFFFFFFFFu,
                               most, far_after, fixed);
        return;
    }
    /* All buckets are empty: they begin anew at the most urgent item of the far bags. The width of a bucket may change
     * then. It was too small if the threshold rose by ten buckets and more at a time, and too large if single buckets were
     * enough, and would be if what is deferred lay in all of them. */
    uint64_t delta = order->delta;
    if (!fixed && width_count) {
        if (width_sum >= 10u * width_count)
            delta *= 2;
        else if (width_sum <= width_count && sums->deferred > WEIR_BUCKETS * target && delta > 1)
            delta /= 2;
    }
    if (delta > 0x10000000u)
        delta = 0x10000000u;
    /* buckets below the new threshold: as many as a raise had on average */
    uint64_t buckets = fixed || !width_count ? 1 : (width_sum + width_count - 1) / width_count;
    uint64_t threshold = (uint64_t)least + delta * (buckets ? buckets : 1);
    command->kind = WEIR_COMMAND_REBASE;
    command->delta = (uint32_t)delta;
    command->threshold = threshold < 0xFFFFFFFFu ? (uint32_t)threshold : 0xFFFFFFFFu;
}

#endif
