/** @file timing.h  The time of a call, as a caller's clock would have it. Not installed. */
#ifndef WEIR_ALGORITHMS_COMMON_TIMING_H
#define WEIR_ALGORITHMS_COMMON_TIMING_H

#include "runtime/runtime.h"

/** Milliseconds since @p begin_ns by the clock of the context (weir_context_time_ns()), which is virtual where
 *  its devices are simulated. */
static inline double weir__ms_since(const weir_context *context, uint64_t begin_ns)
{
    return (double)(weir_context_time_ns(context) - begin_ns) / 1e6;
}

#endif
