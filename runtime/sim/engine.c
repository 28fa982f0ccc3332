/** @file engine.c  The engine of a simulation: a discrete-event simulation of queues in virtual time.
 *
 * Host calls cost no virtual time, and putting an operation into a queue only appends it. Time goes on
 * in calls that wait or look: a wait steps the simulation until what it waits for has come, a query does
 * what is due and, if that is not enough, goes on by one moment, so that programs that poll get on.
 * There is no thread: whoever waits does the work. A wait for something that the simulation cannot bring
 * about by itself (a gate whose future nobody has set) sleeps until another thread changes something.
 *
 * Copies: after the overhead of starting one and the latency of their path, the bytes flow at the max-min
 * fair share of the resources on the way, which is found anew whenever a flow starts or ends. The real
 * bytes are copied at the end of the flow, so who reads too early reads wrong bytes. Kernels run on the
 * waiting thread, with the engine locked: they may not call into weir.
 *
 * Driven by one thread, a program gets the same times to the last bit in every run: time is counted in
 * whole picoseconds, and what happens at the same time happens in the order in which the queues were
 * made. Any thread may call; with several the results are as right as on a device, but the times depend
 * on the order in which the threads come.
 *
 * Call-backs of events are made before time goes on, by the thread that steps, without the lock. */
#include "runtime/sim/engine.h"

#include <errno.h>
#include <stdlib.h>

int weir__sim_calls_elsewhere(const struct weir__sim *sim)
{
    return sim->calling && !pthread_equal(sim->caller, pthread_self());
}

/* Of one thread at a time, or the order would be lost: none may be inside call-backs elsewhere. */
static void make_calls(struct weir__sim *sim)
{
    struct sim_watch *watch;
    sim->caller = pthread_self();
    sim->calling++;
    while ((watch = sim->calls.first)) {
        if (!(sim->calls.first = watch->next))
            sim->calls.last = NULL;
        pthread_mutex_unlock(&sim->lock);
        watch->fn(watch->user);
        free(watch);
        pthread_mutex_lock(&sim->lock);
    }
    sim->calling--;
    pthread_cond_broadcast(&sim->changed);
}

/* Do one thing that is due at the present time. @return 0: there is none, or it is not ours to do. */
static int do_due(struct weir__sim *sim)
{
    if (sim->calls.first && weir__sim_calls_elsewhere(sim))
        return 0;
    if (sim->calls.first) {
        make_calls(sim);
        return 1;
    }
    if (!sim->due_count || sim->due[0]->due_ps > sim->now_ps)
        return 0;
    weir__sim_run(sim, weir__sim_due_pop(sim));
    return 1;
}

/* Go on to the next moment at which something happens; nothing may be due before. */
static int advance(struct weir__sim *sim)
{
    if (sim->calls.first || weir__sim_calls_elsewhere(sim))
        return 0;
    uint64_t flow = weir__sim_flow_next(sim);
    uint64_t next = sim->due_count && sim->due[0]->due_ps < flow ? sim->due[0]->due_ps : flow;
    struct sim_queue *queue;
    if (next == UINT64_MAX)
        return 0;
    sim->now_ps = next;
    while ((queue = weir__sim_flow_ended(sim)))
        weir__sim_arrived(sim, queue);
    return 1;
}

static int is_over(const struct timespec *deadline)
{
    struct timespec now = weir__deadline(0);
    return now.tv_sec > deadline->tv_sec ||
           (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

/* One step of a wait. What one thread put in is stepped through whatever the wall clock says, or times
 * would depend on it; while other threads put in more that might never end. */
static weir_status step(struct weir__sim *sim, uint64_t puts, int64_t timeout_ms,
                        const struct timespec *deadline)
{
    if (do_due(sim) || advance(sim))
        return timeout_ms >= 0 && sim->puts != puts && is_over(deadline) ? WEIR_ERR_TIMEOUT
                                                                         : WEIR_OK;
    int error = timeout_ms < 0 ? pthread_cond_wait(&sim->changed, &sim->lock)
                               : pthread_cond_timedwait(&sim->changed, &sim->lock, deadline);
    return error == ETIMEDOUT ? WEIR_ERR_TIMEOUT : WEIR_OK;
}

weir_status weir__sim_wait(struct weir__sim *sim, int (*is)(void *user), void *user,
                           int64_t timeout_ms)
{
    struct timespec deadline = weir__deadline(timeout_ms);
    weir_status status = WEIR_OK;
    pthread_mutex_lock(&sim->lock);
    uint64_t puts = sim->puts;
    while (!is(user) && !status)
        status = step(sim, puts, timeout_ms, &deadline);
    if (status && is(user))
        status = WEIR_OK;
    pthread_mutex_unlock(&sim->lock);
    return status;
}

static int do_all_due(struct weir__sim *sim)
{
    int did = 0;
    while (do_due(sim))
        did = 1;
    return did;
}

int weir__sim_poll(struct weir__sim *sim, int (*is)(void *user), void *user)
{
    pthread_mutex_lock(&sim->lock);
    do_all_due(sim);
    if (!is(user) && advance(sim))
        do_all_due(sim);
    int answer = is(user);
    pthread_mutex_unlock(&sim->lock);
    return answer;
}

int weir__sim_go_on(struct weir__sim *sim)
{
    pthread_mutex_lock(&sim->lock);
    int did = do_all_due(sim);
    if (advance(sim)) {
        did = do_all_due(sim) | 1;
    } else if (!did && weir__sim_calls_elsewhere(sim)) { /* time may go on behind them */
        pthread_cond_wait(&sim->changed, &sim->lock);
        did = 1;
    }
    pthread_mutex_unlock(&sim->lock);
    return did;
}

void weir__sim_changed(struct weir__sim *sim)
{
    pthread_mutex_lock(&sim->lock);
    pthread_cond_broadcast(&sim->changed);
    pthread_mutex_unlock(&sim->lock);
}

void weir__sim_drain(struct weir__sim *sim)
{
    pthread_mutex_lock(&sim->lock);
    while (weir__sim_calls_elsewhere(sim))
        pthread_cond_wait(&sim->changed, &sim->lock);
    make_calls(sim);
    pthread_mutex_unlock(&sim->lock);
}
