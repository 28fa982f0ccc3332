/** @file traversal_fixture.h  What the tests of operators over placed graphs share: device specs, a graph that is placed
 * with a traversal on it, and a run of it. */
#ifndef WEIR_TESTS_ALGORITHMS_TRAVERSAL_FIXTURE_H
#define WEIR_TESTS_ALGORITHMS_TRAVERSAL_FIXTURE_H

#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

/** One test for each set of devices that a worklist can run on; those that are not there skip it. */
#define ON_EACH_SPEC(f)                                                                \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"),         \
        ON_BACKEND(f, "host:4x2"), ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1"), \
        ON_BACKEND(f, "cuda:0,host:1")

/** A graph on all devices of a context, and a traversal whose parts are to be bound by the test. */
struct placed {
    weir_placement *placement;
    weir_traversal *traversal;
    uint32_t parts;
};

/** Place a graph without weights. @param[in] partition, options, config  NULL: as usual. */
static inline struct placed place(weir_context *context, const weir_graph *graph,
                                  const weir_partition *partition, const weir_operator *op,
                                  const weir_run_options *options,
                                  const weir_traversal_config *config)
{
    struct placed placed = {.parts = weir_context_device_count(context)};
    OK(weir_placement_create(context, graph, partition, WEIR_PART_WEIGHTS_NONE, &placed.placement));
    OK(weir_traversal_create(placed.placement, op, options, config, &placed.traversal));
    return placed;
}

static inline void take_away(struct placed *placed)
{
    weir_traversal_destroy(placed->traversal);
    weir_placement_destroy(placed->placement);
}

/** Run, and see that no item was lost. */
static inline weir_run_stats run_placed(const struct placed *placed)
{
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    OK(weir_traversal_run(placed->traversal, &stats));
    assert_int_equal(stats.work.produced, stats.work.consumed);
    return stats;
}

/** Any vertex may be on any device: what is local and what is global is told apart. */
static inline weir_partition *random_partition(const weir_context *context, const weir_graph *graph)
{
    weir_partition *partition;
    OK(weir_partition_create(graph, WEIR_PARTITION_RANDOM, weir_context_device_count(context), 5,
                             NULL, &partition));
    return partition;
}

#endif
