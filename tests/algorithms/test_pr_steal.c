/** @file test_pr_steal.c  PageRank whose epochs are shared out (balance frontier): ranks against the serial reference, the same bit by bit whoever did
 * the work and on however many devices, who did how much of whose, thresholds, what is refused. */
#include "algorithms/pr/pr_steal.h"
#include "tests/algorithms/pr_fixture.h"
#include "tests/algorithms/steal_fixture.h"
#include "tests/lib/share.h"

/* Every epoch is shared out, and queues, of which there are none, are at their smallest. */
static const char *const always[] = {"steal_arcs=1", "steal_percent=100", "queue_items=16", NULL};

/* ThreadSanitizer is slow. */
#ifdef __SANITIZE_THREAD__
#define SKEWED "rmat:9,16,1,unshuffled"
#define STRIDE 7
#else
#define SKEWED "rmat:12,16,1,unshuffled"
#define STRIDE test_stride()
#endif

STEAL_KIND(pr, NULL, );

/* What has many arcs has a small number, so that a cut in blocks gives the first device most. */
static weir_graph *skewed(void)
{
    return open_graph(SKEWED, 1);
}

/* Arcs from vertices to themselves, twice, some that lead on, and many vertices that have none or that none leads to. */
static weir_graph *loops(void)
{
    static struct arc_list arcs;
    weir_graph *graph;
    arcs.count = 0;
    for (uint64_t v = 0; v < 900; v += 3) {
        add_arc(&arcs, v, v);
        add_arc(&arcs, v, v);
        if (v % 2)
            add_arc(&arcs, v, (v * 7 + 1) % 900);
    }
    for (uint64_t v = 0; v < 3000; v++) /* a row of several pieces, which is a loop in part */
        add_arc(&arcs, 1, v % 1000);
    OK(weir_graph_from_arcs(1000, arcs.count, arcs.source, arcs.target, NULL, NULL, &graph));
    return graph;
}

static weir_pr *placed(weir_context *context, const weir_graph *graph, weir_partition_kind cut,
                       const weir_pr_config *config)
{
    const weir_run_options options = steal_frontier(WEIR_DIRECTION_PUSH);
    return pr_placed(context, graph, (int)cut, &options, config);
}

static void assert_matrix(const weir_pr *pr, uint32_t parts, const weir_run_stats *stats)
{
    const uint64_t looked = steal_assert_matrix(&kind, pr, parts, stats);
    const uint64_t others = stats->stolen_arcs;
    uint64_t sent = 0;
    assert_int_equal(looked, stats->work.atoms);
    assert_true(stats->stolen_bytes >= others * 4);
    assert_true(stats->stolen_bytes <= others * (4 + sizeof(struct pr_steal_piece)));
    assert_int_equal(steal_steps(stats, "sharing out"), 2 * stats->stolen_levels);
    assert_int_equal(steal_steps(stats, "scan"), stats->epochs);
    assert_int_equal(stats->steps, stats->epochs);
    assert_int_equal(stats->direction, WEIR_DIRECTION_PUSH);
    assert_true(stats->epochs > 0 && stats->stolen_levels <= stats->epochs);
    for (uint32_t i = 0; i < parts; i++)
        for (uint32_t j = 0; j < parts; j++) {
            uint64_t items;
            OK(weir_pr_link_items(pr, i, j, &items));
            assert_true(i != j || items == 0);
            sent += items;
        }
    assert_int_equal(sent, stats->work.sent);
    assert_true(stats->bytes_sent >= sent * 8);
}

static weir_run_stats run(weir_context *context, weir_pr *pr, const weir_graph *graph,
                          const weir_pr_config *config, double relative)
{
    double *want = pr_expected(graph, config);
    const weir_run_stats stats = pr_assert(pr, graph, want, config, relative);
    assert_matrix(pr, weir_context_device_count(context), &stats);
    free(want);
    return stats;
}

static weir_run_stats once(weir_context *context, const weir_graph *graph, weir_partition_kind cut)
{
    const weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_pr *pr = placed(context, graph, cut, &config);
    const weir_run_stats stats = run(context, pr, graph, &config, LOOSE);
    weir_pr_destroy(pr);
    return stats;
}

/* ---- results ------------------------------------------------------------------------------------ */

enum { GRAPHS = PR_SHAPES + 2 };

static weir_graph *graph_number(int i)
{
    return i < PR_SHAPES ? pr_graph((enum pr_shape)i) : i == PR_SHAPES ? skewed() : loops();
}

static void results_are_the_same(void **state)
{
    static const double tolerances[] = {1e-6, 1e-10}, dampings[] = {.85, .5, 0};
    weir_context *context = open_with_or_skip(*state, always);
    uint64_t shared = 0;
    for (int i = 0; i < GRAPHS * 4; i += STRIDE) {
        weir_graph *graph = graph_number(i / 4);
        const int fine = i % 2;
        const weir_pr_config config =
            pr_config(dampings[i % 5 % 3], tolerances[fine], (weir_dangling)(i / 2 % 2));
        weir_pr *pr = placed(context, graph, (weir_partition_kind)(i % 3), &config);
        shared += run(context, pr, graph, &config, fine ? 1e-9 : LOOSE).stolen_levels;
        weir_pr_destroy(pr);
        weir_graph_destroy(graph);
    }
    assert_true(shared > 0);
    weir_context_destroy(context);
}

/* The same bits, whatever the devices, the cut, who does how much, and how often it is done: those of two devices that share out. */
static void every_bit_is_the_same(void **state)
{
    static const weir_partition_kind cuts[] = {WEIR_PARTITION_BLOCK, WEIR_PARTITION_BLOCK,
                                               WEIR_PARTITION_EDGE, WEIR_PARTITION_RANDOM};
    /* Before anything is taken: a context that is skipped later would leave it behind. */
    skip_if_left_out("host:2");
    skip_if_left_out(*state);
    for (int g = PR_STEPS; g < GRAPHS; g++) {
        weir_graph *graph = graph_number(g);
        const weir_pr_config config = pr_config(.85, g % 2 ? 1e-6 : 1e-10, WEIR_DANGLING_SPREAD);
        double *first = NULL;
        for (int i = 0; i < 4; i++) {
            weir_context *context =
                open_with_or_skip(i ? *state : "host:2", i == 1 ? steal_never : always);
            weir_pr *pr = placed(context, graph, cuts[i], &config);
            for (int again = 0; again < 2; again++) {
                double *ranks = pr_ranks_of(pr, graph);
                if (!first)
                    first = ranks;
                assert_memory_equal(ranks, first, graph->vertices * sizeof *ranks);
                if (ranks != first)
                    free(ranks);
            }
            weir_pr_destroy(pr);
            weir_context_destroy(context);
        }
        free(first);
        weir_graph_destroy(graph);
    }
}

/* Down to where doubles end: by the certificate, which iterates on the devices, and beside the reference. */
static void as_exact_as_doubles_are(void **state)
{
    static const double tolerances[] = {1e-8, 1e-11, 1e-12};
    weir_context *context = open_with_or_skip(*state, always);
    weir_graph *graphs[] = {skewed(), pr_graph(PR_GRID), pr_graph(PR_STAR_BOTH), loops()};
    for (int i = 0; i < 4 * 3; i++) {
        const weir_graph *graph = graphs[i / 3];
        const weir_pr_config config = pr_config(.85, tolerances[i % 3], WEIR_DANGLING_SPREAD);
        weir_pr_change change = WEIR_PR_CHANGE_INIT;
        weir_pr *pr = placed(context, graph, WEIR_PARTITION_BLOCK, &config);
        (void)run(context, pr, graph, &config, 1e3 * config.tolerance);
        double *ranks = pr_ranks_of(pr, graph);
        OK(weir_pr_certify(context, graph, &config, ranks, &change));
        assert_true(change.l1 < config.tolerance);
        free(ranks);
        weir_pr_destroy(pr);
    }
    for (int i = 0; i < 4; i++)
        weir_graph_destroy(graphs[i]);
    weir_context_destroy(context);
}

/* The ranks of a device, where they lie, and what is known before there are any. */
static void values_and_links(void **state)
{
    weir_context *context = open_with_or_skip(*state, always);
    weir_graph *graph = skewed();
    const weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_pr *pr = placed(context, graph, WEIR_PARTITION_BLOCK, &config);
    weir_values values = WEIR_VALUES_INIT;
    uint64_t items = 1, arcs = 1, rows = 0;
    STATUS(weir_pr_values(pr, 0, &values), WEIR_ERR_INVALID);
    OK(weir_pr_link_items(pr, 0, 1,
                          &items)); /* the run that made what runs begin with is nobody's */
    OK(weir_pr_stolen(pr, 0, 1, &arcs));
    assert_true(items == 0 && arcs == 0);
    double *ranks = pr_ranks_of(pr, graph);
    for (uint32_t d = 0; d < weir_context_device_count(context); d++) {
        OK(weir_pr_values(pr, d, &values));
        double *its = calloc(values.count + 1, sizeof *its);
        assert_non_null(its);
        OK(weir__download(weir_context_device(context, d), its, values.data,
                          values.count * sizeof *its));
        uint32_t *of = calloc(values.count + 1, sizeof *of);
        assert_non_null(of);
        OK(weir__download(weir_context_device(context, d), of, values.vertices,
                          values.count * sizeof *of));
        for (uint64_t i = 0; i < values.count; i++)
            assert_true(its[i] * values.scale == ranks[of[i]]);
        rows += values.count;
        free(of);
        free(its);
    }
    assert_int_equal(rows, graph->vertices);
    free(ranks);
    weir_pr_destroy(pr);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- who does how much -------------------------------------------------------------------------- */

/* Devices that have few arcs hand on some of those of the others. Without that they wait. */
static void a_skewed_cut_is_shared_out(void **state)
{
    weir_context *context = open_with_or_skip(*state, steal_always);
    weir_context *without = open_with_or_skip(*state, steal_never);
    weir_graph *graph = skewed();
    const weir_run_stats with = once(context, graph, WEIR_PARTITION_BLOCK);
    const weir_run_stats none = once(without, graph, WEIR_PARTITION_BLOCK);
    steal_assert_shared(&with, &none);
    assert_true(none.stall_before > 0.2);
    assert_true(fabs(with.stall_before - none.stall_before) < 1e-9);
    assert_true(with.stall_after < with.stall_before / 4);
    assert_int_equal(with.work.atoms, none.work.atoms);
    assert_int_equal(with.epochs, none.epochs);
    assert_int_equal(steal_steps(&none, "sharing out"), 0);
    assert_true(with.stolen_arcs > with.work.atoms / 8);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
    weir_context_destroy(without);
}

static weir_run_stats over_blocks(weir_context *context, const void *user)
{
    return once(context, user, WEIR_PARTITION_BLOCK);
}

static void thresholds(void **state)
{
    weir_context_destroy(open_with_or_skip(*state, steal_never)); /* before there is a graph */
    weir_graph *graph = skewed();
    steal_thresholds(*state, graph->arcs, graph, over_blocks);
    weir_graph_destroy(graph);
}

/* What each of two devices hands on, where the machine says what an arc takes the second. */
static void done_by(const char *name, const char *takes, const weir_graph *graph,
                    double done_out[2])
{
    weir_context *context = open_two(name, ", \"arc_ns\": 8", takes, "1000", "steal_arcs=200");
    const weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_pr *pr = placed(context, graph, WEIR_PARTITION_BLOCK, &config);
    assert_true(run(context, pr, graph, &config, LOOSE).stolen_levels > 0);
    for (uint32_t j = 0; j < 2; j++)
        done_out[j] = (double)(steal_of(&kind, pr, j, j) + steal_of(&kind, pr, 1 - j, j));
    weir_pr_destroy(pr);
    weir_context_destroy(context);
}

static void the_machine_says_what_an_arc_takes(void **state)
{
    double even[2], slow[2];
    weir_graph *graph = skewed();
    (void)state;
    done_by("even.json", ", \"arc_ns\": 8", graph, even);
    done_by("slow.json", ", \"arc_ns\": 80", graph, slow);
    assert_true(even[1] > 0.8 * even[0]);
    assert_true(slow[1] < 0.2 * slow[0]);
    weir_graph_destroy(graph);
}

static void nothing_without_it(void **state)
{
    weir_context *context = open_with_or_skip(*state, steal_always);
    weir_graph *graph = skewed();
    const weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_run_options options = steal_frontier(WEIR_DIRECTION_PUSH);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_pr *fresh = placed(context, graph, WEIR_PARTITION_BLOCK, &config);
    /* Neither form that there is without it has it, and auto is not it. */
    for (int i = 0; i < 4; i++) {
        options.balance = i < 2 ? WEIR_BALANCE_OFF : WEIR_BALANCE_AUTO;
        options.direction = i % 2 ? WEIR_DIRECTION_AUTO : WEIR_DIRECTION_PUSH;
        weir_pr *off = pr_placed(context, graph, WEIR_PARTITION_BLOCK, &options, &config);
        OK(weir_pr_run(off, &stats));
        steal_assert_nothing(&kind, off, &stats, fresh, weir_context_device_count(context));
        weir_pr_destroy(off);
    }
    weir_pr_destroy(fresh);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Direction push goes without saying, and what is said of the choice is true. */
static void what_was_picked(void **state)
{
    weir_context *context = open_with_or_skip(*state, steal_always);
    weir_graph *graph = skewed();
    const weir_run_options options = steal_frontier(WEIR_DIRECTION_AUTO);
    weir_run_stats picked = WEIR_RUN_STATS_INIT;
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_EDGE, &options, NULL);
    OK(weir_pr_explain(pr, &picked, &reasons));
    assert_int_equal(picked.direction, WEIR_DIRECTION_PUSH);
    assert_int_equal(picked.balance, WEIR_BALANCE_FRONTIER);
    assert_string_equal(reasons.form, "PageRank pushed in step");
    assert_string_equal(reasons.why_form, "only this form reads the options that were given");
    weir_pr_destroy(pr);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- ends --------------------------------------------------------------------------------------- */

/* A ring, whose residuals go round for long. */
static void a_stop_ends_a_run(void **state)
{
    weir_context *context = open_with_or_skip(*state, steal_always);
    weir_graph *graph = open_graph("grid:250x200,0.6", 0);
    const weir_pr_config config = pr_config(.99, 1e-11, WEIR_DANGLING_SPREAD);
    weir_run_options options = steal_frontier(WEIR_DIRECTION_PUSH);
    weir_pr *pr = placed(context, graph, WEIR_PARTITION_BLOCK, &config);
    weir_pr_cancel(pr);
    STATUS(weir_pr_run(pr, NULL), WEIR_ERR_CANCELLED);
    assert_int_equal(steal_of(&kind, pr, 0, 1), 0); /* a part of the matrix is none */
    weir_pr_destroy(pr);
    options.time_limit_ms = 1;
    pr = pr_placed(context, graph, WEIR_PARTITION_BLOCK, &options, &config);
    STATUS(weir_pr_run(pr, NULL), WEIR_ERR_TIMEOUT);
    assert_detail("pr_steal: the time limit of 1 ms is over");
    weir_pr_destroy(pr);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Devices that own nothing take part: in a graph without vertices, and where all are the first's. */
static void devices_that_own_nothing(void **state)
{
    weir_context *context = open_with_or_skip(*state, steal_always);
    const uint32_t parts = weir_context_device_count(context);
    const weir_run_options options = steal_frontier(WEIR_DIRECTION_PUSH);
    const weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_graph *none, *graph = skewed();
    double rank = 17;
    uint64_t arcs;
    weir_pr *pr;
    OK(weir_graph_from_arcs(0, 0, NULL, NULL, NULL, NULL, &none));
    pr = placed(context, none, WEIR_PARTITION_BLOCK, &config);
    OK(weir_pr_run(pr, &stats));
    OK(weir_pr_ranks(pr, &rank));
    assert_true(rank == 17);
    STATUS(weir_pr_stolen(pr, 0, 0, &arcs), WEIR_ERR_INVALID);
    weir_pr_destroy(pr);
    weir_graph_destroy(none);
    weir_partition *partition = steal_all_first(graph, parts);
    OK(weir_pr_create(context, graph, partition, &options, &config, &pr));
    stats = run(context, pr, graph, &config, LOOSE);
    assert_int_equal(stats.stolen_levels, stats.epochs);
    assert_true(stats.stall_before > 0.4 && stats.stall_after < 0.1);
    assert_true(steal_of(&kind, pr, 0, 1) > 0 && steal_of(&kind, pr, 1, 1) == 0);
    weir_pr_destroy(pr);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void run_it(void *pr, weir_context *context, const weir_graph *graph,
                   const weir_run_options *options)
{
    const weir_pr_config config = WEIR_PR_CONFIG_INIT;
    (void)options;
    (void)run(context, pr, graph, &config, LOOSE);
}

static void every_step_of_a_set_up_may_fail(void **state)
{
    weir_context *context = open_with_or_skip(*state, steal_always);
    weir_graph *graph = loops();
    const weir_run_options options = steal_frontier(WEIR_DIRECTION_PUSH);
    steal_every_fault(&kind, context, graph, &options, STRIDE, run_it);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- what is refused ---------------------------------------------------------------------------- */

static void what_is_refused(void **state)
{
    (void)state;
    weir_context *two = open_with_or_skip("host:2", NULL);
    weir_graph *graph = pr_graph(PR_RMAT);
    const weir_run_options frontier = steal_frontier(WEIR_DIRECTION_AUTO);
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_partition *grid;
    weir_pr *pr;
    steal_assert_devices(&kind, graph, frontier);
    OK(weir_partition_create_2d(graph, 1, 2, &grid));
    steal_assert_refused(&kind, two, graph, grid, &frontier,
                         "balance frontier is not built yet of PageRank in two dimensions");
    weir_run_options options = frontier;
    options.direction = WEIR_DIRECTION_PULL;
    steal_assert_refused(&kind, two, graph, NULL, &options,
                         "balance frontier shares out arcs that PageRank pushes: direction push");
    options.direction = WEIR_DIRECTION_PUSH;
    options.order = WEIR_ORDER_FIFO;
    steal_assert_refused(&kind, two, graph, NULL, &options,
                         "order has no effect on PageRank pushed in step: leave it out");
    options.order = WEIR_ORDER_AUTO;
    options.kernel = WEIR_KERNEL_FUSED;
    steal_assert_refused(&kind, two, graph, NULL, &options,
                         "kernel has no effect on PageRank pushed in step: leave it out");
    options.kernel = WEIR_KERNEL_AUTO;
    options.route = WEIR_ROUTE_RING;
    steal_assert_refused(&kind, two, graph, NULL, &options,
                         "route has no effect on PageRank pushed in step: leave it out");
    options = frontier;
    options.balance = WEIR_BALANCE_OWNERSHIP;
    steal_assert_refused(&kind, two, graph, NULL, &options,
                         "balance ownership is not built yet of PageRank: leave it out");
    options.balance = WEIR_BALANCE_BOTH;
    steal_assert_refused(&kind, two, graph, NULL, &options,
                         "balance both is not built yet of PageRank: leave it out");
    config.bins = 4;
    STATUS(weir_pr_create(two, graph, NULL, &frontier, &config, &pr), WEIR_ERR_UNSUPPORTED);
    assert_detail("bins has no effect on PageRank pushed in step: leave it out");
    weir_partition_destroy(grid);
    weir_graph_destroy(graph);
    weir_context_destroy(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STEAL_ON_EACH_COUNT(results_are_the_same),
        ON_BACKEND(every_bit_is_the_same, "host:2"),
        ON_BACKEND(every_bit_is_the_same, "host:3"),
        ON_BACKEND(every_bit_is_the_same, "host:8"),
        ON_BACKEND(every_bit_is_the_same, "host:2x3"),
        ON_BACKEND(as_exact_as_doubles_are, "host:3"),
        ON_BACKEND(as_exact_as_doubles_are, "cuda:0-1"),
        ON_BACKEND(values_and_links, "host:3"),
        ON_BACKEND(values_and_links, "cuda:0-1"),
        STEAL_ON_EACH_COUNT(a_skewed_cut_is_shared_out),
        ON_BACKEND(thresholds, "host:2"),
        ON_BACKEND(thresholds, "host:8"),
        ON_BACKEND(thresholds, "cuda:0-1"),
        cmocka_unit_test(the_machine_says_what_an_arc_takes),
        ON_BACKEND(nothing_without_it, "host:3"),
        ON_BACKEND(nothing_without_it, "cuda:0-1"),
        ON_BACKEND(what_was_picked, "host:2"),
        ON_BACKEND(a_stop_ends_a_run, "host:2"),
        ON_BACKEND(a_stop_ends_a_run, "host:2x3"),
        ON_BACKEND(a_stop_ends_a_run, "cuda:0-1"),
        ON_BACKEND(devices_that_own_nothing, "host:3"),
        ON_BACKEND(devices_that_own_nothing, "host:8"),
        ON_BACKEND(devices_that_own_nothing, "cuda:0-1"),
        ON_BACKEND(every_step_of_a_set_up_may_fail, "host:2"),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests_name("pr steal", tests, make_folder, remove_folder);
}
