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

/* A yield that takes longer makes a thread look at who had the core. When the process had less than a quarter of its cores for
 * WATCHED_NS or more, its threads sleep for NAPS_AFTER times as long instead: the next look costs six percent at the most. Over more than
 * STALE_NS nothing is judged: yields that seldom come late are no crowd, and threads may have slept meanwhile because there was no work. */
#define LATE_NS    1000000u
#define WATCHED_NS 10000000u
#define STALE_NS   1000000000u
#define NAPS_AFTER 16u

/* How often a thread took one; relaxed, a count. */
static uint64_t naps;

/* Threads that run kernels now, and cores for them; relaxed, since they only choose how to wait. */
static uint32_t in_kernels, cores;

/* The time (weir_host_clock_ns()) until which threads sleep and do not yield; relaxed, for the same reason. */
static uint64_t crowded_until;

/* Whether other programs count; relaxed. Tests of what threads do without them say no. */
static uint32_t heeds_others = 1;

/* Since when it is watched what the process computes, 0: not yet; relaxed. A kernel's start begins anew: nothing was computed before. */
static uint64_t watched_since;

void weir__host_count_cores(void)
{
    __atomic_store_n(&cores, weir__cores(), __ATOMIC_RELAXED);
}

void weir__host_crowd(int32_t threads)
{
    if (__atomic_fetch_add(&in_kernels, (uint32_t)threads, __ATOMIC_RELAXED) == 0)
        __atomic_store_n(&watched_since, 0, __ATOMIC_RELAXED);
}

void weir__host_heed_others(int heed)
{
    __atomic_store_n(&heeds_others, heed != 0, __ATOMIC_RELAXED);
    __atomic_store_n(&crowded_until, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&watched_since, 0, __ATOMIC_RELAXED);
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

/* What the process computed in nanoseconds of its threads' time. */
static uint64_t computed_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

uint64_t weir__host_crowded_for(struct host_window *window, uint64_t now, uint64_t computed,
                                uint32_t of_cores)
{
    const uint64_t watched = now - window->since, had = computed - window->computed;
    const int begins = !window->since || watched > STALE_NS;
    if (!begins && watched < WATCHED_NS)
        return 0;
    *window = (struct host_window){.since = now, .computed = computed};
    return !begins && had * 4 < watched * of_cores ? NAPS_AFTER * watched : 0;
}

/* A yield came back late: because a thread of ours computed meanwhile, or another program? One thread at a time asks, and looks at the
 * clock only then: who is kept off its core in between would take a window to have begun after it. */
static void judge(void)
{
    static struct host_window window;
    static uint32_t taken;
    if (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE))
        return;
    const uint64_t now = weir_host_clock_ns();
    const uint64_t of_cores = weir__host_spins() ? __atomic_load_n(&in_kernels, __ATOMIC_RELAXED)
                                                 : __atomic_load_n(&cores, __ATOMIC_RELAXED);
    if (__atomic_load_n(&watched_since, __ATOMIC_RELAXED) != window.since)
        window.since = 0;
    const uint64_t crowded =
        weir__host_crowded_for(&window, now, computed_ns(), (uint32_t)of_cores);
    if (crowded)
        __atomic_store_n(&crowded_until, now + crowded, __ATOMIC_RELAXED);
    if (window.since == now) /* else a kernel that starts meanwhile has its say */
        __atomic_store_n(&watched_since, now, __ATOMIC_RELAXED);
    __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
}

/* Gives the core away, or says that this is not the time for it.
 *
 * A yield among a run's own threads comes back within microseconds, or when one of them has computed for its slice. Where another
 * program wants the core, each yield costs a whole slice, milliseconds, since who yields is taken to have used it up; a thread that
 * sleeps loses nothing and is back when it wakes (a chain of 1000 levels in two dimensions on eight host devices, two cores, four
 * busy loops beside it: 8300 ms with yields, 380 with naps). */
static int yield_returns(void)
{
    const uint64_t before = weir_host_clock_ns();
    uint64_t until = __atomic_load_n(&crowded_until, __ATOMIC_RELAXED);
    if (before < until)
        return 0;
    /* One thread begins anew; others may have judged again since they read. */
    if (until && __atomic_compare_exchange_n(&crowded_until, &until, 0, 0, __ATOMIC_RELAXED,
                                             __ATOMIC_RELAXED))
        __atomic_store_n(&watched_since, 0, __ATOMIC_RELAXED);
    (void)sched_yield();
    if (weir_host_clock_ns() - before > LATE_NS && __atomic_load_n(&heeds_others, __ATOMIC_RELAXED))
        judge();
    return 1;
}

void weir_host_pause(uint32_t looks)
{
    const struct timespec nap = {0, NAP_NS};
    const int own_core = weir__host_spins();
    const uint32_t spins = own_core ? SPINS : 0;
    if (looks < spins)
        rest();
    else if (looks - spins >= (own_core ? YIELDS_OF_CORE : YIELDS) || !yield_returns()) {
        (void)__atomic_fetch_add(&naps, 1, __ATOMIC_RELAXED);
        (void)nanosleep(&nap, NULL);
    }
}

uint64_t weir__host_naps(void)
{
    return __atomic_load_n(&naps, __ATOMIC_RELAXED);
}
