/** @file timing.h  The time of a call, as a caller's clock would have it, and of what comes before the first. Not
 * installed. */
#ifndef WEIR_ALGORITHMS_COMMON_TIMING_H
#define WEIR_ALGORITHMS_COMMON_TIMING_H

#include "algorithms/algorithms.h"
#include "runtime/support.h"

/** Milliseconds since @p begin_ns by the clock of the context (weir_context_time_ns()), which is virtual where
 *  its devices are simulated. */
static inline double weir__ms_since(const weir_context *context, uint64_t begin_ns)
{
    return (double)(weir_context_time_ns(context) - begin_ns) / 1e6;
}

/** Where a create began. */
struct weir__prepare {
    uint64_t begin_ns, upload_ns;
};

static inline struct weir__prepare weir__prepare_begin(void)
{
    return (struct weir__prepare){.begin_ns = weir__now_ns(), .upload_ns = weir__upload_ns()};
}

/** What a create took, by the thread that began it.
 *  @param[in] made  the partition that the create itself made, whose time is no part of placing; NULL: none. */
static inline weir_prepare_stats weir__prepare_end(const struct weir__prepare *begin,
                                                   const weir_graph *graph,
                                                   const weir_partition *partition,
                                                   const weir_partition *made)
{
    const double copying = (double)(weir__upload_ns() - begin->upload_ns) / 1e6;
    return (weir_prepare_stats){.size = sizeof(weir_prepare_stats),
                                .opening_ms = graph->prepare_ms,
                                .partition_ms = partition->prepare_ms,
                                .placing_ms = weir__elapsed_ms(begin->begin_ns) - copying -
                                              (made ? made->prepare_ms : 0),
                                .copying_ms = copying};
}

/** The same of a create on top of what was prepared before. */
static inline void weir__prepare_more(const struct weir__prepare *begin,
                                      const weir_prepare_stats *before,
                                      weir_prepare_stats *stats_out)
{
    const double copying = (double)(weir__upload_ns() - begin->upload_ns) / 1e6;
    *stats_out = *before;
    stats_out->placing_ms += weir__elapsed_ms(begin->begin_ns) - copying;
    stats_out->copying_ms += copying;
}

#endif
