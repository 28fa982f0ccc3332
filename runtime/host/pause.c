/** @file pause.c  What kernels on host devices need of the system (runtime/sync.h). */
#include "runtime/sync.h"

#include <sched.h>
#include <time.h>

#define YIELDS 64
#define NAP_NS 20000

uint64_t weir_host_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void weir_host_pause(uint32_t looks)
{
    struct timespec nap = {0, NAP_NS};
    if (looks < YIELDS)
        (void)sched_yield(); /* there may be fewer cores than threads that wait for each other */
    else
        (void)nanosleep(&nap, NULL);
}
