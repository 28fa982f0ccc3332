/** @file sssp_fixture.h  What the tests of shortest paths share: small graphs, runs that are compared with
 * the reference. */
#ifndef WEIR_TESTS_ALGORITHMS_SSSP_FIXTURE_H
#define WEIR_TESTS_ALGORITHMS_SSSP_FIXTURE_H

#include "algorithms/sssp/sssp.h"
#include "runtime/internal.h"
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

#include <math.h>

#define ON_HOSTS(f)                                                            \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"), \
        ON_BACKEND(f, "host:8")
#define ON_EACH_SPEC(f)                                                                         \
    ON_HOSTS(f), ON_BACKEND(f, "host:2x2"), ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1"), \
        ON_BACKEND(f, "cuda:0-3"), ON_BACKEND(f, "cuda:0,host:1")

/** Arcs of a graph that is being written down. */
struct arcs {
    uint32_t source[8192], target[8192];
    double weight[8192];
    uint64_t count;
};

static inline void arc(struct arcs *arcs, uint64_t from, uint64_t to, double weight)
{
    assert_true(arcs->count < 8192);
    arcs->source[arcs->count] = (uint32_t)from;
    arcs->target[arcs->count] = (uint32_t)to;
    arcs->weight[arcs->count++] = weight;
}

static inline weir_graph *graph_of(uint64_t vertices, const struct arcs *arcs)
{
    weir_graph *graph;
    OK(weir_graph_from_arcs(vertices, arcs->count, arcs->source, arcs->target, arcs->weight, NULL,
                            &graph));
    return graph;
}

/** 0 > 1 > 2 ..., each arc of the same weight but the last one. */
static inline weir_graph *chain_of(uint64_t vertices, double weight, double last)
{
    static struct arcs arcs;
    arcs.count = 0;
    for (uint64_t v = 0; v + 1 < vertices; v++)
        arc(&arcs, v, v + 1, v + 2 < vertices ? weight : last);
    return graph_of(vertices, &arcs);
}

static inline void weigh(weir_graph *graph, const char *text)
{
    weir_weights weights;
    OK(weir_weights_parse(text, &weights));
    OK(weir_graph_weigh(graph, &weights));
}

static inline weir_sssp *placed(weir_context *context, const weir_graph *graph,
                                weir_partition_kind kind, const weir_run_options *options)
{
    weir_run_options asked = WEIR_RUN_OPTIONS_INIT;
    weir_partition *partition;
    weir_sssp *sssp;
    asked = options ? *options : asked;
    if (asked.balance == WEIR_BALANCE_AUTO) /* items are to go from device to device */
        asked.balance = WEIR_BALANCE_OFF;
    OK(weir_partition_create(graph, kind, weir_context_device_count(context), 1, NULL, &partition));
    OK(weir_sssp_create(context, graph, partition, &asked, &sssp));
    weir_partition_destroy(partition); /* it is not needed any more */
    return sssp;
}

/** What create() answers; nothing is left behind. */
static inline weir_status refused(weir_context *context, const weir_graph *graph)
{
    weir_partition *partition;
    weir_sssp *sssp;
    OK(weir_partition_create(graph, WEIR_PARTITION_BLOCK, weir_context_device_count(context), 1,
                             NULL, &partition));
    weir_status status = weir_sssp_create(context, graph, partition, NULL, &sssp);
    assert_int_equal(sssp == NULL, status != WEIR_OK);
    weir_sssp_destroy(sssp);
    weir_partition_destroy(partition);
    return status;
}

static inline void assert_distances(const weir_graph *graph, weir_sssp *sssp, uint64_t source,
                                    const weir_run_stats *stats)
{
    size_t bytes = graph->vertices * sizeof(double);
    double *have = malloc(bytes + 1), *want = malloc(bytes + 1);
    uint64_t reached = 0, arcs = 0;
    assert_non_null(have);
    assert_non_null(want);
    OK(weir_sssp_reference(graph, source, want));
    OK(weir_sssp_distances(sssp, have));
    for (uint64_t v = 0; v < graph->vertices; v++) {
        if (!(have[v] == want[v])) /* rounded or not, they are the same */
            fail_msg("%s from %llu: vertex %llu is at %.17g, not %.17g", graph->name,
                     (unsigned long long)source, (unsigned long long)v, have[v], want[v]);
        reached += isfinite(want[v]);
        arcs += isfinite(want[v]) ? graph->offsets[v + 1] - graph->offsets[v] : 0;
    }
    assert_int_equal(stats->reached, reached);
    assert_int_equal(stats->arcs_reached, arcs);
    assert_true(stats->work.processed >= reached);
    assert_true(stats->ms > 0 && stats->ms >= stats->kernel_ms);
    assert_true(stats->kernel_ms > 0 && stats->work.ms == stats->kernel_ms);
    free(have);
    free(want);
}

static inline void assert_sssp(weir_sssp *sssp, const weir_graph *graph, uint64_t source)
{
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    if (weir_sssp_run(sssp, source, &stats))
        fail_msg("%s from %llu: %s", graph->name, (unsigned long long)source, weir_error_detail());
    assert_distances(graph, sssp, source, &stats);
}

#endif
