/** @file forms_sync.c  The CUDA forms of the benchmarks' kernels that wait for each other, which have no host form.
 *
 * One worker each does what the blocks of topology/measure/sync_cuda.cu do: those that wait are in several streams,
 * and the stand-in's streams are threads. */
#include "tests/standin/internal.h"

#include "topology/measure/kernels.h"

#include <sched.h>
#include <time.h>

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint32_t look(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void set(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* @return 0: patience ended before the flag came to what is wanted. */
static int wait_for(const uint32_t *flag, uint32_t wanted, const struct weir__patience *patience,
                    uint64_t deadline)
{
    while ((int32_t)(look(flag) - wanted) < 0) {
        if (now_ns() > deadline || look(patience->stop) || look(patience->failed)) {
            set(patience->failed, 1);
            return 0;
        }
        sched_yield();
    }
    return 1;
}

static void ping(const void *args, uint32_t worker, uint32_t workers)
{
    const struct weir__ping_args *a = args;
    const uint64_t deadline = now_ns() + a->patience.limit_ns;
    (void)worker;
    (void)workers;
    for (uint32_t i = a->base + 1; i != a->base + 1 + a->rounds; i++) {
        if (a->first)
            set(a->theirs, i);
        if (!wait_for(a->mine, i, &a->patience, deadline))
            return;
        if (!a->first)
            set(a->theirs, i);
    }
}

static void barrier(const void *args, uint32_t worker, uint32_t workers)
{
    const struct weir__barrier_args *a = args;
    const uint64_t deadline = now_ns() + a->patience.limit_ns;
    (void)worker;
    (void)workers;
    for (uint32_t i = a->base + 1; i != a->base + 1 + a->rounds; i++) {
        for (uint32_t other = 0; other < a->devices; other++)
            set(a->flags[other] + a->me * WEIR__FLAG_STRIDE, i);
        for (uint32_t other = 0; other < a->devices; other++)
            if (!wait_for(a->flags[a->me] + other * WEIR__FLAG_STRIDE, i, &a->patience, deadline))
                return;
    }
}

/* A grid of one worker is always together at its barrier. */
static void grid(const void *args, uint32_t worker, uint32_t workers)
{
    (void)args;
    (void)worker;
    (void)workers;
}

#define FORM(name)                                                                         \
    int weir__##name##_cuda(void *stream, uint32_t workers, const void *args)              \
    {                                                                                      \
        (void)workers;                                                                     \
        return standin__launch(stream, name, 1, args, sizeof(struct weir__##name##_args)); \
    }
WEIR__SYNC_KERNELS(FORM)
