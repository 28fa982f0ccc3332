/** @file idle.h  A part of decider.h: a worker with nothing to do reports, waits, and takes commands; worker 0
 *  coordinates termination detection. */
#ifndef WEIR_WORKLIST_ENGINE_IDLE_H
#define WEIR_WORKLIST_ENGINE_IDLE_H

#include "worklist/engine/plan.h"

/** Items of this worker that are deferred. */
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

/** Report that the worker is at work, before it takes anything in. The store is not waited for, but whatever this worker
 *  releases later comes after it. */
WEIR_DEV void weir_report_busy(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    if (ledger->turn & 1u)
        return;
    ledger->turn++;
    weir_store_relaxed_sys_u32(&args->statuses[args->index].turn, ledger->turn);
    if (args->woven_mask) /* words of woven rings are not released, but must come after it too */
        weir_fence_sys();
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
        uint64_t threshold = order->threshold + (uint64_t)command->buckets * order->delta;
        order->threshold = threshold < 0xFFFFFFFFu ? (uint32_t)threshold : 0xFFFFFFFFu;
        WEIR_ROLLED
        for (uint32_t s = 0; s < command->buckets; s++)
            ledger->bucket_pending |= 1u << (order->bucket + s) % WEIR_BUCKETS;
        order->bucket = (order->bucket + command->buckets) % WEIR_BUCKETS;
        ledger->width_sum += command->buckets;
        ledger->width_count++;
    }
    uint32_t urgency = ledger->look[WEIR_LOOK_URGENCY];
    ledger->far_pending =
        urgency && (command->kind == WEIR_COMMAND_REBASE ||
                    weir_far_least(urgency) < order->threshold || order->threshold == 0xFFFFFFFFu);
}

/** Buckets by which the threshold may rise at a time. A round that hands out makes a rise cheap, so that half of the buckets at a time
 *  are enough: with all of them a search of meshes does half as much again. */
WEIR_DEV uint32_t weir_raise_now(const struct weir_engine_args *args,
                                 const struct weir_ledger *ledger)
{
    const uint32_t most = weir_raise_most((int)args->gradual, ledger->raises);
    const int hands_out =
        args->narrow && args->workers == 1 && ledger->sums.deferred <= WEIR_HAND_OUT_MOST;
    return hands_out && most > WEIR_BUCKETS / 2u ? WEIR_BUCKETS / 2u : most;
}

/** Make the command that follows from the sums of all workers' reports. One lane. */
WEIR_DEV void weir_make_command(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    weir_termination_command(&ledger->sums, &ledger->plan.order, args->order == WEIR_ENGINE_BULK,
                             (int)args->delta_fixed, args->target, weir_raise_now(args, ledger),
                             ledger->width_sum, ledger->width_count, &ledger->command);
    ledger->command.epoch = ledger->epoch + 1;
}

/** Worker 0: find out whether all workers are idle, and send all the command that follows. All lanes of the warp. */
WEIR_DEV void weir_coordinate(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    struct weir_control *control = args->control;
    if (!weir_termination_look(args->statuses, args->workers, ledger->epoch, &ledger->sums) ||
        !weir_termination_look_again(args->statuses, args->workers, &ledger->sums))
        return;
    if (weir_lane() == 0)
        weir_make_command(args, ledger);
    weir_lanes_sync();
    WEIR_ROLLED
    for (uint32_t i = weir_lane(); i < args->workers; i += WEIR_LANES) {
        struct weir_command_words *to = control->command_of[i];
        weir_store_relaxed_sys_u32(&to->kind, ledger->command.kind);
        weir_store_relaxed_sys_u32(&to->buckets, ledger->command.buckets);
        weir_store_relaxed_sys_u32(&to->threshold, ledger->command.threshold);
        weir_store_relaxed_sys_u32(&to->delta, ledger->command.delta);
        /* Fields first, epoch second; pairs with the acquire in weir_look_command(). */
        weir_store_release_sys_u32(&to->epoch, ledger->command.epoch);
    }
    weir_lanes_sync();
}

/** Take a new command, if there is one. One lane. @return whether there was one. */
WEIR_DEV int weir_look_command(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    struct weir_command_words command;
    command.epoch = weir_load_acquire_sys_u32(&args->mail->command.epoch);
    if (command.epoch == ledger->epoch)
        return 0;
    command.kind = weir_load_relaxed_sys_u32(&args->mail->command.kind);
    command.buckets = weir_load_relaxed_sys_u32(&args->mail->command.buckets);
    command.threshold = weir_load_relaxed_sys_u32(&args->mail->command.threshold);
    command.delta = weir_load_relaxed_sys_u32(&args->mail->command.delta);
    if (command.kind != WEIR_COMMAND_DONE &&
        !args->once) /* for discrete kernels the host reports */
        weir_report_busy(args, ledger);
    weir_take_command(args, ledger, &command);
    return 1;
}

/** Whether the run is to stop for a reason that has nothing to do with items. One lane.
 *  @return enum weir_engine_end; WEIR_ENGINE_RUNS: no. */
WEIR_DEV uint32_t weir_must_end(const struct weir_engine_args *args,
                                const struct weir_ledger *ledger, uint32_t stop, uint64_t now)
{
    if (stop)
        return WEIR_ENGINE_STOPPED;
    if (args->limit_ns && now - ledger->started_ns > args->limit_ns)
        return WEIR_ENGINE_LATE;
    return WEIR_ENGINE_RUNS;
}

/** The only worker: take the command that its own report would lead to. A report, two looks at it and a command are some twenty accesses of
 *  system scope, one after the other, and here nobody else is to be waited for. One lane.
 *  @param[in] near  near items that are there. @return 0: there are others under way, so it has to wait. */
WEIR_DEV int weir_command_itself(const struct weir_engine_args *args, struct weir_ledger *ledger,
                                 uint32_t near)
{
    struct weir_status_sums *sums = &ledger->sums;
    sums->deferred = weir_deferred(args, ledger);
    sums->open = ledger->produced - ledger->consumed - sums->deferred;
    sums->urgency = ledger->look[WEIR_LOOK_URGENCY];
    WEIR_ROLLED
    for (uint32_t b = 0; b < WEIR_BUCKETS; b++)
        sums->bucket[b] = ledger->look[WEIR_BAG_BUCKET + b];
    if (sums->open != near)
        return 0;
    weir_make_command(args, ledger);
    weir_take_command(args, ledger, &ledger->command);
    return 1;
}

/** The only worker: let the threshold rise if so few near items are left that it is time (weir_work_order.early), and buckets hold
 *  some. One lane. */
WEIR_DEV void weir_raise_early(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    const struct weir_work_order *order = &ledger->plan.order;
    const uint32_t near = ledger->look[order->near_bag];
    uint32_t any = 0;
    if (near == 0 || near > order->early || ledger->bucket_pending || ledger->far_pending)
        return;
    WEIR_ROLLED
    for (uint32_t b = 0; b < WEIR_BUCKETS; b++)
        any |= ledger->look[WEIR_BAG_BUCKET + b];
    if (any && weir_command_itself(args, ledger, near))
        ledger->early_raises++;
}

/** Wait until there is something to do; the only worker commands itself and waits for nobody. All lanes of the warp. */
WEIR_DEV void weir_wait(const struct weir_engine_args *args, struct weir_ledger *ledger)
{
    int reported = 0, commanded = 0;
    if (args->workers == 1 && weir_lane() == 0)
        commanded = weir_command_itself(args, ledger, 0);
    if (weir_broadcast_u32((uint32_t)commanded, 0))
        return;
    weir_pace_rest(args);
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
                    args, ledger,
                    weir_load_relaxed_sys_u32(&args->control->look[WEIR_LOOK_STOP].word),
                    weir_clock_ns());
            go |= ledger->end;
        }
        go = weir_broadcast_u32(go, 0);
        if (!go && args->channels_in)
            go = (uint32_t)weir_look_in(args, ledger);
        reported = (int)weir_broadcast_u32((uint32_t)reported, 0);
        if (!go && !reported && args->channels_out) { /* it holds items, which a credit lets go */
            /* Something is published here only if a test delayed tails. */
            uint64_t sent = weir_publish_channels(args, ledger);
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
    weir_pace_wake(args, ledger);
}

#endif
