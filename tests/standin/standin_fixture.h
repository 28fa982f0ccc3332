/** @file standin_fixture.h  What the tests over the stand-in share. Each program includes it once. */
#ifndef WEIR_TESTS_STANDIN_FIXTURE_H
#define WEIR_TESTS_STANDIN_FIXTURE_H

#include "tests/lib/support.h"
#include "tests/standin/standin.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

/** What a thread of a test does, and whether it has come to its end. */
struct task {
    void (*function)(void *user);
    void *user;
    _Atomic int done; /* release when set, acquire when read: what the thread did */
    pthread_t thread;
};

static inline void pause_ms(long ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static inline void *run_task(void *data)
{
    struct task *task = data;
    task->function(task->user);
    atomic_store_explicit(&task->done, 1, memory_order_release);
    return NULL;
}

static inline void start_task(struct task *task, void (*function)(void *user), void *user)
{
    task->function = function;
    task->user = user;
    atomic_store_explicit(&task->done, 0, memory_order_relaxed);
    assert_int_equal(pthread_create(&task->thread, NULL, run_task, task), 0);
}

/** Whether the task comes to its end within the time. */
static inline int task_ends(struct task *task, long ms)
{
    for (; ms > 0; ms--) {
        if (atomic_load_explicit(&task->done, memory_order_acquire))
            return 1;
        pause_ms(1);
    }
    return atomic_load_explicit(&task->done, memory_order_acquire);
}

static inline void end_task(struct task *task)
{
    pthread_join(task->thread, NULL);
}

/** Nothing of CUDA's is left: what was made was destroyed, and streams were empty then. */
static inline void assert_nothing_left(void)
{
    const struct standin_left left = standin_left();
    assert_int_equal(left.streams, 0);
    assert_int_equal(left.events, 0);
    assert_int_equal(left.allocations, 0);
    assert_int_equal(left.destroyed_busy, 0);
}

#endif
