/** @file clock.h  Supersteps: how long phases take, by the clock of block 0 of a device. By way of steps.h. */
#ifndef WEIR_WORKLIST_STEPS_CLOCK_H
#define WEIR_WORKLIST_STEPS_CLOCK_H

#include "worklist/steps/words.h"

/** Thread 0 of block 0 books the time since the last call, and a superstep, under a phase. Other threads return
 *  at once.
 *  @param[in,out] since  of that thread: weir_clock_ns() when the first phase began.
 *  @param[in] ns, steps  indices of weir_steps_page.result, as in weir_steps_phase. */
WEIR_DEV void weir_steps_book(const struct weir_steps_member *m, const struct weir_steps_block *b,
                              uint32_t ns, uint32_t steps, uint64_t *since)
{
    if (b->block || b->thread)
        return;
    const uint64_t now = weir_clock_ns();
    m->page[m->index]->result[ns] += now - *since;
    m->page[m->index]->result[steps]++;
    *since = now;
}

#endif
