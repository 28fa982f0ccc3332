/** @file pause.c  What kernels on host devices need of the system (runtime/sync.h). */
#include "runtime/host/host.h"
#include "runtime/sync.h"

#include <sched.h>
#include <time.h>

/* Looks with nothing but a rest of the core between two: a few microseconds, as a barrier of many threads takes. A yield is a call
 * of the system, several times as long as what is waited for. */
#define SPINS 256
/* A nap lasts 70 microseconds, whatever it is asked for, as long as several levels of a road. So threads that have a core each yield for
 * longer before the first one (16 threads, breadth-first search of USA-road NE: 52 ms after 64 yields, 15.5 after 512). */
#define YIELDS         64
#define YIELDS_OF_CORE 512
#define NAP_NS         20000

/* How often a thread took one; relaxed, a count. */
static uint64_t naps;

/* Threads that run kernels now, and cores for them; relaxed, since they only choose how to wait. */
static uint32_t in_kernels, cores;

void weir__host_count_cores(void)
{
    __atomic_store_n(&cores, weir__cores(), __ATOMIC_RELAXED);
}

void weir__host_crowd(int32_t threads)
{
    (void)__atomic_fetch_add(&in_kernels, (uint32_t)threads, __ATOMIC_RELAXED);
}

int weir__host_spins(void)
{
    return __atomic_load_n(&in_kernels, __ATOMIC_RELAXED) <=
           __atomic_load_n(&cores, __ATOMIC_RELAXED);
}

static void rest(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield" ::: "memory");
#else
    __asm__ volatile("" ::: "memory");
#endif
}

uint64_t weir_host_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void weir_host_pause(uint32_t looks)
{
    const struct timespec nap = {0, NAP_NS};
    const int own_core = weir__host_spins();
    const uint32_t spins = own_core ? SPINS : 0;
    if (looks < spins)
        rest();
    else if (looks - spins < (own_core ? YIELDS_OF_CORE : YIELDS))
        (void)sched_yield(); /* whoever is waited for may have no core */
    else {
        (void)__atomic_fetch_add(&naps, 1, __ATOMIC_RELAXED);
        (void)nanosleep(&nap, NULL);
    }
}

uint64_t weir__host_naps(void)
{
    return __atomic_load_n(&naps, __ATOMIC_RELAXED);
}
