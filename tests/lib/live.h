/** @file live.h  Where kernel live runs. */
#ifndef WEIR_TESTS_LIB_LIVE_H
#define WEIR_TESTS_LIB_LIVE_H

#include "worklist/worklist.h"

#include <string.h>

/** Whether live kernels run there: on host devices, or on one GPU. */
static inline int live_runs_on(const char *spec)
{
    return !strchr(spec, ',');
}

/** The last kind of kernel that can be asked for there. */
static inline int last_kernel_on(const char *spec)
{
    return live_runs_on(spec) ? WEIR_KERNEL_LIVE : WEIR_KERNEL_DISCRETE;
}

#endif
