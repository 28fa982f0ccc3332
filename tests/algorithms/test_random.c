/** @file test_random.c  Small random graphs with random choices: shortest paths and PageRank against their serial
 * references.
 *
 * Everything of a trial comes from its seed, which a failure prints. WEIR_TEST_SEED is the first one, WEIR_TEST_TRIALS
 * how many there are of each: 40 unless given, and minutes of them find more. */
#include "tests/lib/live.h"
#include "tests/algorithms/pr_fixture.h"
#include "tests/algorithms/sssp_fixture.h"
#include "tests/lib/choices.h"

#ifdef __SANITIZE_THREAD__
#define TRIALS 10
#else
#define TRIALS 40
#endif

static uint64_t last; /* seed that was tried */

struct trial {
    uint64_t state;
    char spec[16];
    weir_context *context;
    weir_partition partition;
    uint8_t owner[4096];
    weir_graph *graph;
};

static uint64_t below(struct trial *t, uint64_t limit)
{
    return next_random(&t->state) % limit;
}

/* ---- graphs --------------------------------------------------------------------------------- */

static void put(struct trial *t, struct arcs *arcs, uint64_t n, uint64_t from, uint64_t to)
{
    (void)t;
    if (arcs->count < 8192 && n)
        arc(arcs, from % n, to % n, 0);
}

/* Sparse, with a hub that many lead to or that leads to many, long ways, trees towards a vertex, nothing. */
static uint64_t random_arcs(struct trial *t, struct arcs *arcs)
{
    const uint64_t n = below(t, 4) ? 1 + below(t, 1500) : 1 + below(t, 12);
    const uint64_t parts = below(t, 4), both = below(t, 2);
    arcs->count = 0;
    for (uint64_t i = 0; i < parts; i++) {
        const uint64_t kind = below(t, 6), many = below(t, 1200), first = below(t, n);
        const uint64_t within = 1 + below(t, n);
        for (uint64_t k = 0; k < many; k++) {
            uint64_t from = first + below(t, within), to = first + below(t, within);
            if (kind == 1)
                from = first;
            else if (kind == 2)
                to = first;
            else if (kind == 3)
                from = first + k, to = first + k + 1;
            else if (kind == 4)
                from = first + k + 1, to = first + k * 6 / 7;
            put(t, arcs, n, from, to);
            if (both)
                put(t, arcs, n, to, from);
        }
    }
    return n;
}

/* Whole numbers, small, none, around what 32 bits hold; parts of one, tiny, huge. */
static void random_weights(struct trial *t, struct arcs *arcs)
{
    static const double most[] = {1, 2, 4, 256, 100000, 4294967295.0, 4294967296.0};
    const uint64_t kind = below(t, 12), every = 1 + below(t, 400);
    for (uint64_t i = 0; i < arcs->count; i++) {
        const double part = (double)below(t, 1u << 20) / (1 << 20);
        double weight = kind < 7     ? floor(part * most[kind])
                        : kind == 7  ? (i % every ? 0 : 2e9)
                        : kind == 8  ? (i % every ? 1 : 4294967295.0 - (double)below(t, 4))
                        : kind == 9  ? part
                        : kind == 10 ? part * 1e-310
                                     : part * 1e300;
        arcs->weight[i] = weight;
    }
}

/* Any part may be without vertices, the last ones too. */
static void random_partition(struct trial *t)
{
    const uint32_t parts = 1 + (uint32_t)below(t, weir_context_device_count(t->context));
    const uint64_t kind = below(t, 3), n = t->graph->vertices;
    const uint8_t only = (uint8_t)below(t, parts);
    for (uint64_t v = 0; v < n; v++)
        t->owner[v] = (uint8_t)(kind == 0   ? below(t, parts)
                                : kind == 1 ? v * parts / n
                                            : (below(t, 50) ? only : below(t, parts)));
    t->partition = (weir_partition){.parts = parts, .vertices = n, .owner = t->owner};
}

static void begin(struct trial *t, uint64_t seed)
{
    static const char *const specs[] = {"host:1", "host:2",   "host:3",   "host:4",  "host:5",
                                        "host:7", "host:1x4", "host:2x3", "host:3x2"};
    static const char *const small[] = {"queue_items=16", NULL}, *const none[] = {NULL};
    static struct arcs arcs;
    last = seed;
    t->state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    snprintf(t->spec, sizeof t->spec, "%s", below(t, 12) ? specs[below(t, 9)] : "host:8");
    t->context = open_any_with_or_skip(t->spec, below(t, 4) ? none : small);
    const uint64_t n = random_arcs(t, &arcs);
    random_weights(t, &arcs);
    t->graph = graph_of(n, &arcs);
    random_partition(t);
}

static void end(struct trial *t)
{
    weir_graph_destroy(t->graph);
    weir_context_destroy(t->context);
}

static weir_run_options random_options(struct trial *t)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.route = below(t, 2) ? 0 : (weir_route_kind)below(t, 5);
    options.order = below(t, 2) ? 0 : (weir_order_kind)below(t, 4);
    options.delta =
        options.order == WEIR_ORDER_SOFT && below(t, 2) ? 1 + (uint32_t)below(t, 500) : 0;
    options.kernel = below(t, 3) ? 0 : (weir_kernel_kind)below(t, 4);
    if (options.kernel == WEIR_KERNEL_LIVE && !live_runs_on(t->spec))
        options.kernel = WEIR_KERNEL_DISCRETE;
    if (options.kernel == WEIR_KERNEL_LIVE) { /* it has no rounds to order */
        options.order = below(t, 2) ? WEIR_ORDER_AUTO : WEIR_ORDER_FIFO;
        options.delta = 0;
    }
    options.worker = below(t, 3) ? 0 : (weir_worker_kind)below(t, 4);
    options.mapping = below(t, 3) ? 0 : (weir_mapping_kind)below(t, 6);
    if (!choice_has_effect(options.worker, options.mapping, 0))
        options.mapping = WEIR_MAPPING_AUTO;
    return options;
}

/* ---- trials ----------------------------------------------------------------------------------- */

static void try_paths(uint64_t seed)
{
    static const uint32_t widths[] = {0, 0, 1, 3, 50, 100000, UINT32_MAX};
    struct trial *t = calloc(1, sizeof *t);
    weir_sssp *sssp;
    begin(t, seed);
    weir_run_options options = random_options(t);
    if (below(t, 2)) {
        options = (weir_run_options)WEIR_RUN_OPTIONS_INIT;
        options.direction = WEIR_DIRECTION_SWITCH;
        options.delta = widths[below(t, 7)];
    }
    weir_status status = weir_sssp_create(t->context, t->graph, &t->partition, &options, &sssp);
    const int created = status == WEIR_OK;
    for (uint64_t left = created ? 1 + below(t, 4) : 0; left && !status; left--) {
        const uint64_t source = below(t, t->graph->vertices);
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        if (!(status = weir_sssp_run(sssp, source, &stats)))
            assert_distances(t->graph, sssp, source, &stats);
    }
    if (status &&
        status != WEIR_ERR_UNSUPPORTED) /* weights that do not go in step, integers of 2^53 */
        fail_msg("%s", weir_error_detail());
    if (created)
        weir_sssp_destroy(sssp);
    end(t);
    free(t);
}

/* Within what is promised of the reference, which itself is within rounding of the truth; and no further from it
 * than an exact iteration says. */
static void assert_ranks(const struct trial *t, weir_pr *pr, const weir_pr_config *config,
                         const double *want)
{
    const uint64_t n = t->graph->vertices;
    const double d = config->damping, rounding = 1e-13 / (1 - d);
    double *have = malloc(n * sizeof *have), l1 = 0, relative = 0;
    weir_pr_change change = WEIR_PR_CHANGE_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    OK(weir_pr_run(pr, &stats));
    OK(weir_pr_ranks(pr, have));
    OK(weir_pr_check(t->graph, config, have, &change));
    for (uint64_t v = 0; v < n; v++) {
        l1 += fabs(have[v] - want[v]);
        relative = fmax(relative, fabs(have[v] - want[v]) / want[v]);
    }
    free(have);
    if (!(stats.residual < config->tolerance) || !(l1 <= config->tolerance / (1 - d) + rounding) ||
        !(l1 <= change.within + rounding) ||
        (config->tolerance <= 1e-10 && d <= .85 && !(relative <= 1e-9)))
        fail_msg("damping %g, tolerance %g: residual %.3g, off by %.3g in L1 (%.3g at the most, "
                 "says the "
                 "check) and %.3g of a rank",
                 d, config->tolerance, stats.residual, l1, change.within, relative);
}

static void try_ranks(uint64_t seed)
{
    static const double dampings[] = {0, 1e-9, .3, .85, .85, .85, .85, .97};
    static const double tolerances[] = {1e300, 1, 1e-3, 1e-6, 5e-7, 1e-8, 1e-10, 1e-12};
    struct trial *t = calloc(1, sizeof *t);
    weir_pr *pr;
    begin(t, seed);
    weir_run_options options = random_options(t);
    weir_pr_config config = pr_config(dampings[below(t, 8)], tolerances[below(t, 8)], below(t, 2));
    if (below(t, 2))
        options = pr_towards(below(t, 2) ? WEIR_DIRECTION_PULL : WEIR_DIRECTION_PUSH);
    double *want = pr_expected(t->graph, &config);
    OK(weir_pr_create(t->context, t->graph, &t->partition, &options, &config, &pr));
    for (uint64_t left = 1 + below(t, 2); left; left--)
        assert_ranks(t, pr, &config, want);
    weir_pr_destroy(pr);
    free(want);
    end(t);
    free(t);
}

static void each_seed(void (*trial)(uint64_t seed))
{
    const char *seed = getenv("WEIR_TEST_SEED"), *trials = getenv("WEIR_TEST_TRIALS");
    const uint64_t first = seed ? strtoull(seed, NULL, 10) : 1;
    const uint64_t count = trials ? strtoull(trials, NULL, 10) : seed ? 1 : TRIALS;
    for (uint64_t i = 0; i < count; i++)
        trial(first + i);
}

static int tell(void **state)
{
    (void)state;
    print_message("the last one was WEIR_TEST_SEED=%llu\n", (unsigned long long)last);
    return 0;
}

static void shortest_paths(void **state)
{
    (void)state;
    each_seed(try_paths);
}

static void ranks(void **state)
{
    (void)state;
    each_seed(try_ranks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(shortest_paths, tell),
        cmocka_unit_test_teardown(ranks, tell),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
