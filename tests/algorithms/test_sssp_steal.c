/** @file test_sssp_steal.c  Shortest paths whose pieces of long rows are shared out (balance frontier): distances against the serial
 * reference and trees by their rules whoever did the work, who did how much of whose, thresholds, what is refused. */
#include "algorithms/sssp/sssp_step.h"
#include "tests/algorithms/sssp_fixture.h"
#include "tests/algorithms/steal_fixture.h"
#include "tests/lib/share.h"

/* The same, and next to nothing fits into an inbox. */
static const char *const full[] = {"steal_arcs=1", "steal_percent=100", "queue_items=3", NULL};
/* Lists of tests are small. */
static const char *const small[] = {"steal_arcs=200", NULL};
/* ThreadSanitizer is slow. */
#ifdef __SANITIZE_THREAD__
#define SKEWED "rmat:10,16,1,unshuffled"
#define LEFT   0.9 /* pieces are coarse beside what such a graph has on a list */
#define STRIDE 5
#else
#define SKEWED "rmat:12,16,1,unshuffled"
#define LEFT   0.6
#define STRIDE test_stride()
#endif

/* A bucket that takes all: pushes relax all arcs, and nothing is pulled. */
#define ALL UINT32_MAX

STEAL_KIND(sssp, /* no config */);

static weir_run_options frontier(uint32_t delta, int parents)
{
    weir_run_options options = steal_frontier(WEIR_DIRECTION_SWITCH);
    options.delta = delta;
    options.parents = parents;
    return options;
}

/* What has many arcs has a small number, so that a cut in blocks gives the first device most. */
static weir_graph *skewed_of(const char *text, const char *weights)
{
    weir_graph *graph = open_graph(text, 1);
    weigh(graph, weights);
    return graph;
}

static weir_graph *skewed(const char *weights)
{
    return skewed_of(SKEWED, weights);
}

/* Hubs whose rows are several pieces, on a path, and between them what makes distances fall more than once. */
static weir_graph *hubs(double weight)
{
    static struct arcs arcs;
    uint64_t random = 3;
    arcs.count = 0;
    for (uint64_t hub = 0; hub < 3; hub++)
        for (uint64_t leaf = 0; leaf < 1200; leaf++) {
            const uint64_t v = 3 + (hub * 700 + leaf) % 2100;
            arc(&arcs, hub, v, weight * (double)(1 + next_random(&random) % 50));
            arc(&arcs, v, (hub + 1) % 3, weight * (double)(1 + leaf % 9));
        }
    return graph_of(2200, &arcs);
}

/* What is said of who did what. */
static void assert_matrix(const weir_sssp *sssp, uint32_t parts, const weir_run_stats *stats)
{
    const uint64_t all = steal_assert_matrix(&kind, sssp, parts, stats);
    const uint64_t others = stats->stolen_arcs;
    assert_true(all <= stats->work.atoms && (all || !stats->work.atoms));
    assert_true(stats->stolen_bytes >= others * 8);
    assert_true(stats->stolen_bytes <= others * (8 + sizeof(struct sssp_step_piece)));
    assert_int_equal(steal_steps(stats, "sharing out"), 2 * stats->stolen_levels);
}

static weir_run_stats run(weir_context *context, weir_sssp *sssp, const weir_graph *graph,
                          const weir_run_options *options, uint64_t source)
{
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    OK(weir_sssp_run(sssp, source, &stats));
    assert_distances(graph, sssp, source, &stats);
    assert_matrix(sssp, weir_context_device_count(context), &stats);
    if (options->parents) {
        double *distances = calloc(graph->vertices, sizeof *distances);
        int64_t *parents = calloc(graph->vertices, sizeof *parents);
        assert_true(distances && parents);
        OK(weir_sssp_distances(sssp, distances));
        OK(weir_sssp_parents(sssp, parents));
        OK(weir_sssp_tree_check(graph, source, parents, distances));
        free(distances);
        free(parents);
    }
    return stats;
}

static weir_run_stats once(weir_context *context, const weir_graph *graph, weir_partition_kind cut,
                           const weir_run_options *options, uint64_t source)
{
    weir_sssp *sssp = placed(context, graph, cut, options);
    const weir_run_stats stats = run(context, sssp, graph, options, source);
    weir_sssp_destroy(sssp);
    return stats;
}

/* ---- results ------------------------------------------------------------------------------------ */

static void same_with(void **state, const char *const *settings)
{
    static const char *const weights[] = {"random", "random:0-3",       "random:1-9",
                                          "unit",   "random:1-1000000", "random:0-1f"};
    static const uint32_t deltas[] = {0, ALL, 3};
    weir_context *context = open_with_or_skip(*state, settings);
    uint64_t shared = 0;
    for (int i = 0; i < 6 * 4; i += STRIDE) {
        weir_graph *graph = i % 4 == 0   ? skewed(weights[i / 4])
                            : i % 4 == 1 ? hubs(1 + i / 4)
                            : i % 4 == 2 ? open_graph("rmat:9,20,3", 0)
                                         : open_graph("grid:24x19,.8", 0);
        if (i % 4 > 1)
            weigh(graph, weights[i / 4]);
        const int parents = i % 4 == 1 || (i % 2 && i / 4 % 2 == 0 && i / 4 != 5);
        const weir_run_options options = frontier(deltas[i / 2 % 3], parents);
        weir_sssp *sssp = placed(context, graph, (weir_partition_kind)(i % 3), &options);
        for (uint64_t source = 0; source < graph->vertices; source += graph->vertices / 2 + 1)
            shared += run(context, sssp, graph, &options, source).stolen_levels;
        weir_sssp_destroy(sssp);
        weir_graph_destroy(graph);
    }
    assert_true(shared > 0);
    weir_context_destroy(context);
}

static void results_are_the_same(void **state)
{
    same_with(state, steal_always);
}

/* A sender may have more for another device than an inbox was made for. What does not fit is not lost. */
static void inboxes_that_are_full(void **state)
{
    weir_context *context = open_with_or_skip(*state, full);
    weir_graph *graph = skewed("random:1-50");
    const weir_run_options options = frontier(ALL, 0);
    weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, &options);
    const weir_run_stats stats = run(context, sssp, graph, &options, 1);
    assert_true(stats.stolen_arcs > 0 && weir__sssp_spilled(sssp) > 0);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* A run does not depend on those before it. */
static void many_runs(void **state)
{
    weir_context *context = open_with_or_skip(*state, steal_always);
    weir_graph *graph = skewed("random:1-255");
    const weir_run_options options = frontier(40, 1);
    weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, &options);
    for (uint64_t i = 0; i < 8; i++)
        (void)run(context, sssp, graph, &options, i * i % 5);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Distances that do not fit are found again through the worklist, which shares nothing out. */
static void distances_of_64_bits(void **state)
{
    static struct arcs arcs;
    weir_context *context = open_with_or_skip(*state, steal_always);
    const weir_run_options options = frontier(0, 0);
    uint64_t share;
    arcs.count = 0;
    for (uint64_t v = 0; v < 3; v++)
        arc(&arcs, v, v + 1, 2e9);
    for (uint64_t v = 5; v < 2000; v++)
        arc(&arcs, 0, v, 0);
    weir_graph *graph = graph_of(2000, &arcs);
    weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, &options);
    assert_sssp(sssp, graph, 0);
    assert_int_equal(weir__sssp_wide(sssp), 1);
    STATUS(weir_sssp_stolen(sssp, 0, 0, &share), WEIR_ERR_INVALID);
    assert_sssp(sssp, graph, 1);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- who does how much -------------------------------------------------------------------------- */

/* Devices that have few arcs do some of those of the others. Without that they wait. */
static void a_skewed_cut_is_shared_out(void **state)
{
    weir_context *context = open_with_or_skip(*state, small);
    weir_context *without = open_with_or_skip(*state, steal_never);
    /* On a GPU the first 264 arcs of a row are in no piece, so rows have to be longer there. */
    const int on_hosts = strstr(*state, "host") != NULL;
    weir_graph *graph = skewed_of(on_hosts ? SKEWED : "rmat:17,16,1,unshuffled", "random");
    const weir_run_options options = frontier(ALL, 0);
    const weir_run_stats with = once(context, graph, WEIR_PARTITION_BLOCK, &options, 0);
    const weir_run_stats none = once(without, graph, WEIR_PARTITION_BLOCK, &options, 0);
    assert_true(none.stall_before > 0.1);
    steal_assert_shared(&with, &none);
    assert_int_equal(steal_steps(&none, "sharing out"), 0);
    assert_true(with.stolen_arcs > with.work.atoms / (on_hosts ? 20 : 100));
    assert_true(with.stall_before > 0.1);
    assert_true(with.stall_after < (on_hosts ? LEFT : 0.95) * with.stall_before);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
    weir_context_destroy(without);
}

static weir_run_stats over_blocks(weir_context *context, const void *user)
{
    const weir_run_options options = frontier(ALL, 0);
    return once(context, user, WEIR_PARTITION_BLOCK, &options, 0);
}

static void thresholds(void **state)
{
    weir_context_destroy(open_with_or_skip(*state, steal_never)); /* before there is a graph */
    weir_graph *graph = skewed("random");
    steal_thresholds(*state, graph->arcs, graph, over_blocks);
    weir_graph_destroy(graph);
}

/* What each of two devices relaxes of lists, where the machine says what a piece takes the second beside its arcs. */
static void done_by(const char *name, const char *takes, const weir_graph *graph,
                    double done_out[2])
{
    weir_context *context = open_two(name, ", \"arc_ns\": 8", takes, "1000", "steal_arcs=200");
    const weir_run_options options = frontier(ALL, 0);
    weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, &options);
    assert_true(run(context, sssp, graph, &options, 0).stolen_levels > 0);
    for (uint32_t j = 0; j < 2; j++)
        done_out[j] = (double)(steal_of(&kind, sssp, j, j) + steal_of(&kind, sssp, 1 - j, j));
    weir_sssp_destroy(sssp);
    weir_context_destroy(context);
}

static void the_machine_says_what_a_piece_takes(void **state)
{
    double even[2], rows[2];
    weir_graph *graph = skewed("random");
    (void)state;
    done_by("even.json", ", \"arc_ns\": 8", graph, even);
    done_by("rows.json", ", \"arc_ns\": 8, \"entry_ns\": 9000", graph, rows);
    assert_true(rows[1] < 0.7 * even[1]);
    weir_graph_destroy(graph);
}

/* How many distances fell in a push is told as it is without: behind few of them the next push lowers those of others where they lie. Here 300 rows look at 1200
 * arcs, and only vertex 5 is nearer, from where one arc leads to the other device. */
static void few_distances_are_lowered_where_they_lie(void **state)
{
    static const char *const few[] = {"steal_arcs=1000000", "direct_items=10", NULL};
    static struct arcs arcs;
    weir_context *context = open_with_or_skip(*state, few);
    weir_run_options options = frontier(ALL, 0);
    arcs.count = 0;
    for (uint64_t v = 1; v <= 4; v++) {
        arc(&arcs, 0, v, 1);
        for (uint64_t w = 500; w < 800; w++) {
            arc(&arcs, v, w, 1);
            arc(&arcs, w, v, 1);
        }
    }
    arc(&arcs, 500, 5, 1);
    arc(&arcs, 5, 900, 1);
    weir_graph *graph = graph_of(1000, &arcs);
    const weir_run_stats with = once(context, graph, WEIR_PARTITION_BLOCK, &options, 0);
    weir_run_stats off = WEIR_RUN_STATS_INIT;
    options.balance = WEIR_BALANCE_OFF;
    weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, &options);
    OK(weir_sssp_run(sssp, 0, &off));
    weir_sssp_destroy(sssp);
    assert_int_equal(with.stolen_levels, 0);
    assert_in_range(with.direct, 1, graph->arcs);
    if (strstr(*state, "host")) { /* lanes of a GPU may tell of one distance twice */
        assert_int_equal(with.direct, off.direct);
        assert_int_equal(steal_steps(&with, "absorb"), steal_steps(&off, "absorb"));
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void nothing_without_it(void **state)
{
    weir_context *context = open_with_or_skip(*state, steal_always);
    weir_graph *graph = skewed("random");
    weir_run_options options = frontier(ALL, 0);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_sssp *fresh = placed(context, graph, WEIR_PARTITION_BLOCK, &options);
    options.balance = WEIR_BALANCE_OFF;
    weir_sssp *off = placed(context, graph, WEIR_PARTITION_BLOCK, &options);
    OK(weir_sssp_run(off, 0, &stats));
    steal_assert_nothing(&kind, off, &stats, fresh, weir_context_device_count(context));
    weir_sssp_destroy(off);
    weir_sssp_destroy(fresh);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- ends --------------------------------------------------------------------------------------- */

/* A chain of hubs, each of which makes a list: a run that is stopped while lists are shared out. */
static void a_stop_ends_a_run(void **state)
{
    enum { HUBS = 300, LEAVES = 700, ARCS = HUBS * LEAVES };
    weir_context *context = open_with_or_skip(*state, steal_always);
    uint32_t *from = malloc(ARCS * 2 * sizeof *from), *to = malloc(ARCS * 2 * sizeof *to);
    double *weight = malloc(ARCS * 2 * sizeof *weight);
    weir_graph *graph;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    assert_true(from && to && weight);
    for (uint32_t i = 0; i < ARCS; i++) {
        const uint32_t hub = i / LEAVES * (LEAVES + 1), leaf = hub + 1 + i % LEAVES;
        from[2 * i] = hub;
        to[2 * i] = from[2 * i + 1] = leaf;
        to[2 * i + 1] = hub + LEAVES + 1;
        weight[2 * i] = weight[2 * i + 1] = 1;
    }
    OK(weir_graph_from_arcs(HUBS * (LEAVES + UINT64_C(1)) + 1, ARCS * UINT64_C(2), from, to, weight,
                            NULL, &graph));
    free(from);
    free(to);
    free(weight);
    weir_run_options options = frontier(ALL, 0);
    weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, &options);
    OK(weir_sssp_run(sssp, 0, &stats));
    assert_true(stats.stolen_levels >= HUBS / 2); /* two hubs may be taken in one push */
    weir_sssp_cancel(sssp);
    STATUS(weir_sssp_run(sssp, 0, NULL), WEIR_ERR_CANCELLED);
    assert_int_equal(steal_of(&kind, sssp, 0, 1), 0); /* a part of the matrix is none */
    weir_sssp_destroy(sssp);
    options.time_limit_ms = 1;
    sssp = placed(context, graph, WEIR_PARTITION_BLOCK, &options);
    STATUS(weir_sssp_run(sssp, 0, NULL), WEIR_ERR_TIMEOUT);
    assert_detail("sssp_steal: the time limit of 1 ms is over");
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Devices that own nothing take part. */
/* One device has all arcs, so all others wait in every push; the last one is counted behind it, or, where it ends the run, at its end. */
static void devices_that_own_nothing(void **state)
{
    weir_context *context = open_with_or_skip(*state, steal_always);
    const uint32_t parts = weir_context_device_count(context);
    weir_graph *graph = hubs(2);
    weir_partition *partition = steal_all_first(graph, parts);
    for (int parents = 0; parents < 2; parents++) {
        const weir_run_options options = frontier(ALL, parents);
        weir_sssp *sssp;
        OK(weir_sssp_create(context, graph, partition, &options, &sssp));
        const weir_run_stats stats = run(context, sssp, graph, &options, 0);
        assert_true(stats.stolen_levels > 0);
        assert_float_equal(stats.stall_before, 1 - 1.0 / parts, 1e-9);
        assert_true(stats.stolen_arcs > 0 && steal_of(&kind, sssp, 1, 1) == 0 &&
                    steal_of(&kind, sssp, 1, 0) == 0);
        weir_sssp_destroy(sssp);
    }
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void run_it(void *sssp, weir_context *context, const weir_graph *graph,
                   const weir_run_options *options)
{
    (void)run(context, sssp, graph, options, 0);
}

static void every_step_of_a_set_up_may_fail(void **state)
{
    weir_context *context = open_with_or_skip(*state, steal_always);
    weir_graph *graph = hubs(1);
    const weir_run_options options = frontier(0, 1);
    steal_every_fault(&kind, context, graph, &options, STRIDE, run_it);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- what is refused ---------------------------------------------------------------------------- */

static void what_is_refused(void **state)
{
    (void)state;
    weir_context *two = open_with_or_skip("host:2", NULL);
    weir_graph *graph = hubs(1);
    weir_run_options options = frontier(0, 0);
    weir_partition *grid, *half;
    OK(weir_partition_create_2d(graph, 1, 2, &grid));
    OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, 2, 1, NULL, &half));
    options.direction = WEIR_DIRECTION_AUTO;
    steal_assert_devices(&kind, graph, options);
    steal_assert_refused(&kind, two, graph, grid, &options, "not for shortest paths");
    options.direction = WEIR_DIRECTION_PUSH;
    steal_assert_refused(
        &kind, two, graph, half, &options,
        "balance frontier has no effect on shortest paths through the worklist: leave it out");
    options.direction = WEIR_DIRECTION_SWITCH;
    options.balance = WEIR_BALANCE_OWNERSHIP;
    steal_assert_refused(&kind, two, graph, half, &options,
                         "balance ownership has no effect on shortest paths in step: leave it out");
    options.balance = WEIR_BALANCE_BOTH;
    steal_assert_refused(&kind, two, graph, half, &options,
                         "balance both is not built yet of shortest paths: leave it out");
    weir_partition_destroy(grid);
    weir_partition_destroy(half);
    weir_graph_destroy(graph);
    weir_context_destroy(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STEAL_ON_EACH_COUNT(results_are_the_same),
        STEAL_ON_SOME(inboxes_that_are_full),
        STEAL_ON_SOME(many_runs),
        ON_BACKEND(distances_of_64_bits, "host:3"),
        ON_BACKEND(distances_of_64_bits, "cuda:0-1"),
        STEAL_ON_EACH_COUNT(a_skewed_cut_is_shared_out),
        ON_BACKEND(thresholds, "host:2"),
        ON_BACKEND(thresholds, "host:8"),
        ON_BACKEND(thresholds, "cuda:0-1"),
        cmocka_unit_test(the_machine_says_what_a_piece_takes),
        ON_BACKEND(few_distances_are_lowered_where_they_lie, "host:2"),
        ON_BACKEND(few_distances_are_lowered_where_they_lie, "cuda:0-1"),
        ON_BACKEND(nothing_without_it, "host:3"),
        ON_BACKEND(nothing_without_it, "cuda:0-1"),
        ON_BACKEND(a_stop_ends_a_run, "host:2"),
        ON_BACKEND(a_stop_ends_a_run, "host:2x3"),
        ON_BACKEND(a_stop_ends_a_run, "cuda:0-1"),
        ON_BACKEND(devices_that_own_nothing, "host:3"),
        ON_BACKEND(devices_that_own_nothing, "host:8"),
        ON_BACKEND(devices_that_own_nothing, "cuda:0-1"),
        ON_BACKEND(every_step_of_a_set_up_may_fail, "host:2"),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests_name("sssp steal", tests, make_folder, remove_folder);
}
