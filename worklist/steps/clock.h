/** @file clock.h  Supersteps: the times of phases, which thread 0 of block 0 keeps. Included by steps.h. */
#ifndef WEIR_WORKLIST_STEPS_CLOCK_H
#define WEIR_WORKLIST_STEPS_CLOCK_H

#include "worklist/steps/barrier.h"

/** Add the time since the last call, and one superstep, to a phase of the table (weir_steps_phase). By thread 0
 *  of block 0, behind a barrier, or also in front of it to tell its own work from waiting.
 *  @param[in,out] since_ns   weir_clock_ns() of the last call, at first of the beginning.
 *  @param[in]     ns, steps  of the phase: indices of weir_steps_page.result. */
WEIR_DEV void weir_steps_book(const struct weir_steps_member *m, uint64_t *since_ns, uint32_t ns,
                              uint32_t steps)
{
    uint64_t *result = weir_steps_mine(m)->result;
    const uint64_t now = weir_clock_ns();
    /* Atomics, since nobody waits for them: a load would be waited for. */
    weir_add_relaxed_dev_u64(&result[steps], 1);
    weir_add_relaxed_dev_u64(&result[ns], now - *since_ns);
    if (m->notes)
        weir_note_step(m->notes, *since_ns, now, ns, m->notes->count);
    *since_ns = now;
}

#endif
