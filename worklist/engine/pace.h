/** @file pace.h  A part of decider.h: the pace of several workers, order fifo.
 *
 * Workers do not go in step. But one that runs ahead of another makes work: what it passes on has come by a longer way than
 * what the other will find soon, and is done again then. So each worker counts its rounds, and tells the others; that is its
 * *clock*. Before a round a worker waits for those that are `pace` rounds behind. The wait is bounded: the
 * clocks are a hint, and what is right does not depend on them. A worker that is idle has no clock, and nobody waits for
 * it; when it wakes it takes over the least clock of the others. (In discrete-event simulation such a bound is a time window.) */
#ifndef WEIR_WORKLIST_ENGINE_PACE_H
#define WEIR_WORKLIST_ENGINE_PACE_H

#include "worklist/engine/engine.h"

/** How often a worker looks at the clocks of others before it goes on without them. */
#define WEIR_PACE_LOOKS 512u

/** The least clock of the other workers. All lanes of a warp. */
WEIR_DEV uint32_t weir_pace_look(const struct weir_engine_args *work)
{
    uint32_t least = WEIR_CLOCK_NONE;
    WEIR_ROLLED
    for (uint32_t w = weir_lane(); w < work->workers; w += WEIR_LANES) {
        const uint32_t clock = weir_load_relaxed_sys_u32(&work->mail->clock[w]);
        least = clock < least ? clock : least;
    }
    return ~weir_max_u32(~least);
}

/** Tell the other workers a clock. All lanes of a warp of block 0. @param[in] clock_of  of weir_control, or a copy. */
WEIR_DEV void weir_pace_tell(const struct weir_engine_args *work, uint32_t *const *clock_of,
                             uint32_t clock)
{
    WEIR_ROLLED
    for (uint32_t w = weir_lane(); w < work->workers; w += WEIR_LANES)
        if (w != work->index) /* its own stays WEIR_CLOCK_NONE */
            weir_store_relaxed_sys_u32(clock_of[w], clock);
}

/** A round begins: the clock goes on, and the others' are looked at beside the work of the round. All lanes of a warp of
 *  block 0. */
WEIR_DEV void weir_pace_begin(const struct weir_engine_args *work, struct weir_ledger *ledger,
                              uint32_t *const *clock_of)
{
    const uint32_t clock = ledger->clock + 1u;
    weir_pace_tell(work, clock_of, clock);
    const uint32_t seen = weir_pace_look(work);
    if (weir_lane() == 0) {
        ledger->clock = clock;
        ledger->clock_seen = seen;
    }
    weir_lanes_sync(); /* all lanes of the warp may go on to keep the pace */
}

/** Before the next round: wait for workers that are behind. All lanes of a warp of block 0. */
WEIR_DEV void weir_pace_keep(const struct weir_engine_args *work, struct weir_ledger *ledger)
{
    const uint32_t clock = ledger->clock;
    uint32_t other = ledger->clock_seen, looks = 0;
    WEIR_ROLLED
    for (; looks < WEIR_PACE_LOOKS && other < clock && clock - other >= work->pace; looks++) {
        weir_pause(looks);
        other = weir_pace_look(work);
    }
    if (looks && weir_lane() == 0)
        ledger->paced++;
}

/** This worker becomes idle. All lanes of a warp of block 0. */
WEIR_DEV void weir_pace_rest(const struct weir_engine_args *work)
{
    if (work->pace)
        weir_pace_tell(work, work->control->clock_of, WEIR_CLOCK_NONE);
}

/** It has been idle. All lanes of a warp of block 0. */
WEIR_DEV void weir_pace_wake(const struct weir_engine_args *work, struct weir_ledger *ledger)
{
    const uint32_t seen = work->pace ? weir_pace_look(work) : WEIR_CLOCK_NONE;
    if (weir_lane() == 0 && seen != WEIR_CLOCK_NONE)
        ledger->clock = seen;
    weir_lanes_sync();
}

#endif
