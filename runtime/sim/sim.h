/** @file sim.h  The simulation as context.c and future.c see it.
 *
 * Copies, kernels, events and stamps of a simulated context happen in virtual time, which one engine
 * keeps for the whole context; see engine.h. */
#ifndef WEIR_RUNTIME_SIM_SIM_H
#define WEIR_RUNTIME_SIM_SIM_H

#include "runtime/backend.h"

/** An engine for a model, which is copied.
 *  @retval WEIR_ERR_INVALID  a figure of the model is negative or no number, or names no resource. */
weir_status weir__sim_create(const weir__sim_model *model, struct weir__sim **sim_out);
/** All queues, events and devices must be gone. NULL is fine. */
void weir__sim_destroy(struct weir__sim *sim);

/** Let virtual time go on until is(user), which is asked with the engine locked.
 *  @param[in] timeout_ms  wall time; counts only while the simulation can do nothing by itself, or while
 *                         other threads give it work. Negative: without limit.
 *  @retval WEIR_ERR_TIMEOUT  not within the time.
 *  @par Blocks  while nothing can be done, until another thread changes something. */
weir_status weir__sim_wait(struct weir__sim *sim, int (*is)(void *user), void *user,
                           int64_t timeout_ms);
/** Do what is due now; unless is(user) then, go on to the next moment at which something happens.
 *  @return is(user) after it. */
int weir__sim_poll(struct weir__sim *sim, int (*is)(void *user), void *user);
/** Do what is due now, then go on to the next moment at which something happens.
 *  @return 0: nothing could be done, nor will another thread that makes call-backs right now.
 *  @par Blocks  while time stands still for another thread's call-backs. */
int weir__sim_go_on(struct weir__sim *sim);
/** As weir_event_query(), but time stands still and nobody is called back. */
int weir__sim_event_over(weir_event *event);
/** What a waiting thread waits for may have come: it looks again. */
void weir__sim_changed(struct weir__sim *sim);

#endif
