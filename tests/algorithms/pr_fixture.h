/** @file pr_fixture.h  What the tests of PageRank share: graphs, objects, and ranks compared in full. */
#ifndef WEIR_TESTS_ALGORITHMS_PR_FIXTURE_H
#define WEIR_TESTS_ALGORITHMS_PR_FIXTURE_H

#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

#include <math.h>
#include <pthread.h>

#define PR_SPEC(f, spec)                                        \
    {                                                           \
#f "[" spec "]", f, NULL, NULL, (void *)(uintptr_t)spec \
    }
#define PR_ON_EACH_SPEC(f)                                                                  \
    PR_SPEC(f, "host:1"), PR_SPEC(f, "host:2"), PR_SPEC(f, "host:3"), PR_SPEC(f, "host:4"), \
        PR_SPEC(f, "host:8"), PR_SPEC(f, "host:2x3"), PR_SPEC(f, "cuda:0"),                 \
        PR_SPEC(f, "cuda:0-1"), PR_SPEC(f, "cuda:0-3")

/* ---- graphs --------------------------------------------------------------------------------- */

#define ARCS_MAX 40000

struct arc_list {
    uint32_t source[ARCS_MAX], target[ARCS_MAX];
    uint64_t count;
};

static inline void add_arc(struct arc_list *list, uint64_t from, uint64_t to)
{
    assert_true(list->count < ARCS_MAX);
    list->source[list->count] = (uint32_t)from;
    list->target[list->count++] = (uint32_t)to;
}

enum pr_shape {
    PR_ONE,
    PR_NO_ARCS,
    PR_PATH,
    PR_CYCLE,
    PR_STAR_OUT,
    PR_STAR_IN, /* a row of several pieces; all but one vertex lead there */
    PR_STAR_BOTH,
    PR_DANGLING, /* nine of ten vertices have no out-arcs */
    PR_STEPS,    /* rows of every length around those where the kinds of work begin */
    PR_GRID,
    PR_RMAT,
    PR_RMAT_BOTH,
    PR_SHAPES
};

static inline weir_graph *pr_graph(enum pr_shape shape)
{
    static struct arc_list arcs;
    uint64_t n = 2600, seed = 7;
    weir_graph *graph = NULL;
    arcs.count = 0;
    switch (shape) {
    case PR_ONE:
        n = 1;
        break;
    case PR_NO_ARCS:
        n = 20;
        break;
    case PR_PATH:
    case PR_CYCLE:
        n = 300;
        for (uint64_t v = 0; v + (shape == PR_PATH) < n; v++)
            add_arc(&arcs, v, (v + 1) % n);
        break;
    case PR_STAR_OUT:
    case PR_STAR_IN:
    case PR_STAR_BOTH:
        for (uint64_t v = 0; v < n; v++) {
            if (v != 7 && shape != PR_STAR_IN)
                add_arc(&arcs, 7, v);
            if (v != 7 && shape != PR_STAR_OUT)
                add_arc(&arcs, v, 7);
        }
        break;
    case PR_DANGLING:
        for (uint64_t v = 0; v < n; v += 10)
            for (int i = 0; i < 12; i++)
                add_arc(&arcs, v, next_random(&seed) % n);
        break;
    case PR_STEPS: {
        static const uint32_t length[] = {0,   1,   2,   3,   127,  128,  129,  254, 255,
                                          256, 257, 511, 512, 1023, 1024, 1025, 2049};
        for (uint32_t i = 0; i < 17; i++)
            for (uint32_t k = 0; k < length[i]; k++)
                add_arc(&arcs, 100 + k, i * 5);
        break;
    }
    case PR_GRID:
        return open_graph("grid:60x70,0.7", 0);
    case PR_RMAT:
        return open_graph("rmat:11,8", 0);
    default:
        return open_graph("rmat:11,8", 1);
    }
    OK(weir_graph_from_arcs(n, arcs.count, arcs.source, arcs.target, NULL, NULL, &graph));
    return graph;
}

/* ---- objects -------------------------------------------------------------------------------- */

static inline weir_pr *pr_placed(weir_context *context, const weir_graph *graph, int kind,
                                 const weir_run_options *options, const weir_pr_config *config)
{
    weir_partition *partition = NULL;
    weir_pr *pr = NULL;
    if (kind >= 0)
        OK(weir_partition_create(graph, (weir_partition_kind)kind,
                                 weir_context_device_count(context), 1, NULL, &partition));
    OK(weir_pr_create(context, graph, partition, options, config, &pr));
    weir_partition_destroy(partition); /* it is not needed any more */
    return pr;
}

static inline weir_run_options pr_towards(weir_direction direction)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.direction = direction;
    return options;
}

static inline weir_pr_config pr_config(double damping, double tolerance, weir_dangling dangling)
{
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    config.damping = damping;
    config.tolerance = tolerance;
    config.dangling = dangling;
    return config;
}

static inline double *pr_expected(const weir_graph *graph, const weir_pr_config *config)
{
    double *want = malloc((graph->vertices + 1) * sizeof *want);
    assert_non_null(want);
    OK(weir_pr_reference(graph, config, want));
    return want;
}

/* One run: within what the tolerance promises in L1, every vertex within @p relative of itself. */
static inline weir_run_stats pr_assert(weir_pr *pr, const weir_graph *graph, const double *want,
                                       const weir_pr_config *config, double relative)
{
    double *have = malloc((graph->vertices + 1) * sizeof *have), l1 = 0, sum = 0;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    assert_non_null(have);
    OK(weir_pr_run(pr, &stats));
    OK(weir_pr_ranks(pr, have));
    for (uint64_t v = 0; v < graph->vertices; v++) {
        double off = fabs(have[v] - want[v]);
        l1 += off;
        sum += have[v];
        if (!(off <= relative * want[v]))
            fail_msg("%s: vertex %llu has rank %.17g, not %.17g: off by %.3g of it", graph->name,
                     (unsigned long long)v, have[v], want[v], off / want[v]);
    }
    /* The reference is off by rounding, too. */
    double promised = config->tolerance / (1 - config->damping) + 1e-14;
    if (!(l1 <= promised))
        fail_msg("%s: ranks are off by %.3g in L1, not %.3g", graph->name, l1, promised);
    if (config->dangling == WEIR_DANGLING_SPREAD)
        assert_true(fabs(sum - 1) <= promised + 2e-7);
    assert_true(stats.residual < config->tolerance);
    assert_int_equal(stats.reached, graph->vertices);
    assert_true(stats.ms > 0 && stats.ms >= stats.kernel_ms);
    assert_true(stats.work.ms == stats.kernel_ms);
    free(have);
    return stats;
}

/* As far as a rank may be off where most of its vertices are on one side of the error. */
#define LOOSE 1e-3

static inline void run_shape(weir_context *context, enum pr_shape shape, weir_direction direction,
                             int kind, const weir_pr_config *config, double relative)
{
    weir_graph *graph = pr_graph(shape);
    weir_run_options options = pr_towards(direction);
    /* Without a partition few GPUs would take part: these graphs are small. */
    weir_pr *pr =
        pr_placed(context, graph, kind < 0 ? (int)WEIR_PARTITION_EDGE : kind, &options, config);
    double *want = pr_expected(graph, config);
    weir_run_stats stats = pr_assert(pr, graph, want, config, relative);
    assert_int_equal(stats.direction, direction);
    assert_int_equal(stats.devices, weir_context_device_count(context));
    if (direction == WEIR_DIRECTION_PULL) {
        assert_true(stats.steps > 0);
        assert_int_equal(stats.work.atoms, stats.steps * graph->arcs);
        assert_string_equal(stats.phase[0].name, "gather");
        assert_true(stats.bytes > stats.work.atoms * 4);
    } else
        assert_int_equal(stats.steps, 0);
    if (direction == WEIR_DIRECTION_PULL || shape == PR_DANGLING)
        pr_assert(pr, graph, want, config, relative); /* and again, from the start */
    free(want);
    weir_pr_destroy(pr);
    weir_graph_destroy(graph);
}

/** Every shape, to the tolerance that a configuration begins with. */
static inline void pr_all_shapes(void **state, weir_direction direction)
{
    weir_context *context = open_or_skip(state);
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    for (int shape = 0; shape < PR_SHAPES; shape++)
        run_shape(context, shape, direction, -1, &config, LOOSE);
    weir_context_destroy(context);
}

/** The rank of dangling vertices is lost. */
static inline void pr_dangling_is_lost(void **state, weir_direction direction, double tolerance,
                                       double relative)
{
    static const enum pr_shape shapes[] = {PR_DANGLING, PR_STAR_OUT, PR_NO_ARCS, PR_RMAT};
    weir_context *context = open_or_skip(state);
    weir_pr_config config = pr_config(.85, tolerance, WEIR_DANGLING_IGNORE);
    for (int i = 0; i < 4; i++)
        run_shape(context, shapes[i], direction, -1, &config, relative);
    weir_context_destroy(context);
}

/** From where one iteration is enough to what doubles can hold; and dampings from none at all. */
static inline void pr_every_tolerance_and_damping(void **state, weir_direction direction)
{
    static const double damping[] = {0, .001, .5, .85, .99}, tolerance[] = {.5, 1e-3, 1e-7, 1e-10};
    weir_context *context = open_or_skip(state);
    for (int d = 0; d < 5; d++)
        for (int t = 0; t < 4; t++)
            for (int dangling = 0; dangling < 2; dangling++) {
                weir_pr_config config = pr_config(damping[d], tolerance[t], dangling);
                /* The sum of all differences is looked at in any case. */
                double relative = damping[d] <= .9 && tolerance[t] < 1e-9 ? 1e-9 : 1e9;
                run_shape(context, PR_DANGLING, direction, -1, &config, relative);
            }
    weir_context_destroy(context);
}

/* A run's ranks, to be freed. */
static inline double *pr_ranks_of(weir_pr *pr, const weir_graph *graph)
{
    double *ranks = malloc((graph->vertices + 1) * sizeof *ranks);
    assert_non_null(ranks);
    OK(weir_pr_run(pr, NULL));
    OK(weir_pr_ranks(pr, ranks));
    return ranks;
}

#endif
