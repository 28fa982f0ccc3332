/** @file test_pr_bins.c  PageRank in step that spreads shares into bins: the plan of units, ranks with any number of bins, and when there
 * are bins. */
#include "tests/algorithms/pr_fixture.h"

#include "algorithms/pr/pr.h"

/* ---- the plan --------------------------------------------------------------------------------- */

/* Every octet of every bin or stretch is some unit's, and only of one; what is cut comes first. */
static void assert_units(const struct weir__pr_units *units, uint32_t count)
{
    uint16_t *seen = calloc(count, sizeof *seen);
    int whole = 0;
    for (uint32_t i = 0; i < units->count; i++) {
        const struct pr_bin_unit *unit = &units->unit[i];
        assert_true(unit->of < count && unit->parts > 0 && unit->part == seen[unit->of]);
        seen[unit->of]++;
        assert_true(unit->parts == 1 || !whole);
        whole |= unit->parts == 1;
        assert_int_equal(unit->parts > 1, i < units->common_units);
        if (unit->parts > 1)
            assert_int_equal(units->common[unit->common], unit->of);
        if (i + 1 == units->count || units->unit[i + 1].of != unit->of)
            assert_int_equal(seen[unit->of], unit->parts);
    }
    for (uint32_t i = 0; i < count; i++)
        assert_true(seen[i] > 0);
    free(seen);
}

static void units_cover_everything_once(void **state)
{
    weir_context *context = open_or_skip(state);
    uint64_t seed = 5;
    for (int trial = 0; trial < 12; trial++) {
        enum { ROWS = 9000 };
        static uint64_t offsets[ROWS + 1];
        static uint32_t degree[ROWS];
        struct weir__pr_parts parts = {.count = 1, .numbers = ROWS, .degree = degree};
        struct weir__pr_bins bins = {0};
        for (uint32_t r = 0; r < ROWS; r++) {
            const int hub = r < 3 || r == 5000;
            degree[r] = (uint32_t)(next_random(&seed) % (hub ? 1 << 20 : 1 + trial * 5));
            offsets[r + 1] = offsets[r] + degree[r];
        }
        parts.part[0] = (struct weir__pr_rows){
            .device = weir_context_device(context, 0), .count = ROWS, .offsets = offsets};
        const uint32_t asked = trial % 2 ? 0 : (uint32_t)trial * 30 + 2;
        OK(weir__pr_bins_make(&parts, asked, &bins));
        assert_true(bins.part[0].bins >= asked || bins.rows == 1);
        assert_true((uint64_t)bins.rows * bins.part[0].bins >= ROWS &&
                    (uint64_t)bins.rows * (bins.part[0].bins - 1) < ROWS);
        assert_true((uint64_t)bins.numbers * bins.stretches >= ROWS &&
                    (uint64_t)bins.numbers * (bins.stretches - 1) < ROWS);
        assert_units(&bins.part[0].collect, bins.part[0].bins);
        assert_units(&bins.part[0].spread, bins.stretches);
        assert_true(bins.part[0].collect.commons > 0); /* of a hub, all blocks have a part */
        weir__pr_bins_free(&bins);
    }
    weir_context_destroy(context);
}

/* ---- ranks ------------------------------------------------------------------------------------ */

static weir_pr_config in_bins(double tolerance, uint32_t bins)
{
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    config.tolerance = tolerance;
    config.bins = bins;
    return config;
}

/* Threads do the same with each number of bins, and are up to twenty times as slow where they are watched. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define COUNTS 1
#else
#define COUNTS 2
#endif

static void every_shape_in_bins(void **state)
{
    static const uint32_t asked[] = {2, 7, 100, 5000};
    weir_context *context = open_or_skip(state);
    weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
    const uint32_t devices = weir_context_device_count(context);
    for (int shape = 0; shape < PR_SHAPES; shape++)
        for (int fine = 0; fine < 2; fine++) {
            weir_graph *graph = pr_graph((enum pr_shape)shape);
            weir_pr_config config = in_bins(fine ? 1e-10 : 1e-6, 0);
            double *truth = pr_expected(graph, &config);
            for (int i = 0; i < COUNTS; i++) {
                config.bins = asked[(shape + fine + 2 * i) % 4];
                weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_EDGE, &options, &config);
                const weir_run_stats stats =
                    pr_assert(pr, graph, truth, &config, fine ? 1e-9 : LOOSE);
                assert_true(stats.bins > 0 && stats.bands == 1 && stats.hubs == 0);
                assert_true(stats.bins <= (uint64_t)devices * graph->vertices);
                weir_pr_destroy(pr);
            }
            free(truth);
            weir_graph_destroy(graph);
        }
    weir_context_destroy(context);
}

/* A graph of which a bin has so many arcs that blocks do it in common. */
static weir_graph *with_hubs(void)
{
    static struct arc_list arcs;
    weir_graph *graph;
    uint64_t seed = 3;
    arcs.count = 0;
    for (uint64_t v = 2; v < 9500; v++) {
        add_arc(&arcs, v, 0);
        add_arc(&arcs, 0, v);
        add_arc(&arcs, v, 1 + next_random(&seed) % 9499);
        add_arc(&arcs, 1, v);
    }
    add_arc(&arcs, 1, 0);
    OK(weir_graph_from_arcs(9500, arcs.count, arcs.source, arcs.target, NULL, NULL, &graph));
    return graph;
}

/* Sums are integers: whichever thread or block comes first, where an arc lies in its bin, and how many bins there are makes no
 * difference, where no rank is spread over all vertices: that is a sum of doubles. */
static void runs_repeat_themselves(void **state)
{
    static const uint32_t asked[] = {60, 60, 7};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = with_hubs();
    weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
    double *first = NULL;
    uint64_t steps = 0;
    for (int object = 0; object < 3; object++) {
        weir_pr_config config = in_bins(1e-6, asked[object]);
        config.dangling = WEIR_DANGLING_IGNORE;
        weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_EDGE, &options, &config);
        for (int run = 0; run < 2; run++) {
            weir_run_stats stats = WEIR_RUN_STATS_INIT;
            OK(weir_pr_run(pr, &stats));
            double *ranks = malloc(graph->vertices * sizeof *ranks);
            OK(weir_pr_ranks(pr, ranks));
            if (!first) {
                first = ranks;
                steps = stats.steps;
                continue;
            }
            assert_int_equal(stats.steps, steps);
            assert_memory_equal(ranks, first, graph->vertices * sizeof *ranks);
            free(ranks);
        }
        weir_pr_destroy(pr);
    }
    free(first);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* That graph does have such a bin. */
static void blocks_do_bins_in_common(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = with_hubs();
    static uint64_t offsets[9501];
    static uint32_t degree[9500];
    struct weir__pr_parts parts = {.count = 1, .numbers = 9500, .degree = degree};
    struct weir__pr_bins bins = {0};
    weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
    weir_pr_config config = in_bins(1e-6, 60);
    for (uint64_t i = 0; i < graph->arcs; i++)
        offsets[graph->targets[i] + 1]++;
    for (uint64_t v = 0; v < 9500; v++) {
        offsets[v + 1] += offsets[v];
        degree[v] = (uint32_t)(graph->offsets[v + 1] - graph->offsets[v]);
    }
    parts.part[0] = (struct weir__pr_rows){
        .device = weir_context_device(context, 0), .count = 9500, .offsets = offsets};
    OK(weir__pr_bins_make(&parts, 60, &bins));
    assert_true(bins.part[0].collect.commons > 0 && bins.part[0].collect.common_units > 1);
    weir__pr_bins_free(&bins);
    memset(offsets, 0, sizeof offsets);
    double *truth = pr_expected(graph, &config);
    weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_EDGE, &options, &config);
    (void)pr_assert(pr, graph, truth, &config, LOOSE);
    weir_pr_destroy(pr);
    free(truth);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Arcs are put into bins however long that takes: a run of a millisecond at most is asked for, and ends by itself. */
static void a_limit_is_of_runs(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("uniform:17,16", 0);
    weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
    weir_pr_config config = in_bins(1e-6, 400);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    options.time_limit_ms = 1;
    weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_EDGE, &options, &config);
    weir_status status = weir_pr_run(pr, &stats); /* on GPUs it may make it */
    assert_true(status == WEIR_ERR_TIMEOUT || (status == WEIR_OK && stats.bins > 0));
    weir_pr_destroy(pr);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- when -------------------------------------------------------------------------------------- */

static uint64_t bins_of(weir_context *context, const weir_graph *graph, double tolerance,
                        uint32_t asked)
{
    weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
    weir_pr_config config = in_bins(tolerance, asked);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_EDGE, &options, &config);
    OK(weir_pr_run(pr, &stats));
    weir_pr_destroy(pr);
    return stats.bins;
}

/* The first is read at random; of the second most reads are of hubs or neighbours, the third goes along rows, and the fourth has too few
 * arcs. Host devices have caches that are near enough. */
static void bins_are_made_where_they_pay(void **state)
{
    const int gpu = strncmp(*state, "host", 4) != 0;
    weir_context *context = open_or_skip(state);
    weir_graph *even = open_graph(gpu ? "uniform:21,16" : "uniform:12,16", 1);
    weir_graph *skewed = open_graph(gpu ? "rmat:19" : "rmat:12", 1);
    weir_graph *rows = open_graph(gpu ? "mesh:1500x1500" : "mesh:40x40", 0);
    weir_graph *small = open_graph("uniform:14", 1);
    assert_int_equal(bins_of(context, even, 1e-6, 0) > 0, gpu);
    assert_int_equal(bins_of(context, even, 1e-6, 1), 0);
    assert_int_equal(bins_of(context, even, 1e-9, 0),
                     0); /* it goes on with doubles, in bands if any */
    assert_int_equal(bins_of(context, skewed, 1e-6, 0), 0);
    assert_int_equal(bins_of(context, rows, 1e-6, 0), 0);
    assert_int_equal(bins_of(context, small, 1e-6, 0), 0);
    assert_true(bins_of(context, small, 1e-6, 3) >= 3);
    weir_graph_destroy(small);
    weir_graph_destroy(rows);
    weir_graph_destroy(skewed);
    weir_graph_destroy(even);
    weir_context_destroy(context);
}

/* With the least pool that ranks fit into without bins there is no room for arcs twice. */
static void without_room_there_are_none(void **state)
{
    weir_context_destroy(open_or_skip(state));
    weir_graph *graph = open_graph("uniform:16,4", 0);
    weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
    weir_pr_config plain = in_bins(1e-6, 1);
    uint64_t bins[2] = {0, 0};
    options.memory = WEIR_MEMORY_DEVICE;
    for (unsigned mib = 1, left = 2; left; mib++) {
        char pool[40];
        const char *settings[] = {pool, NULL};
        snprintf(pool, sizeof pool, "pool_bytes=%uMiB", mib);
        weir_context *context = open_with_or_skip(*state, settings);
        weir_pr *pr;
        if (left == 1 || !weir_pr_create(context, graph, NULL, &options, &plain, &pr)) {
            if (left == 2)
                weir_pr_destroy(pr);
            bins[--left] = bins_of(context, graph, 1e-6, 9);
            mib += 30; /* enough */
        }
        weir_context_destroy(context);
    }
    assert_int_equal(bins[1], 0);
    assert_true(bins[0] >= 9);
    weir_graph_destroy(graph);
}

static void what_there_is_not(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:6", 0);
    weir_pr_config config = in_bins(1e-6, 7);
    weir_run_options options = pr_towards(WEIR_DIRECTION_PUSH);
    weir_pr *pr;
    STATUS(weir_pr_create(context, graph, NULL, &options, &config, &pr), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("bins has no effect on PageRank through the worklist");
    config.bands = 2;
    STATUS(weir_pr_create(context, graph, NULL, NULL, &config, &pr), WEIR_ERR_INVALID);
    assert_detail("7 bins with bands: shares are spread into bins, or read");
    config.bands = 1;
    config.hubs = 2;
    STATUS(weir_pr_create(context, graph, NULL, NULL, &config, &pr), WEIR_ERR_INVALID);
    assert_detail("7 bins with hubs: shares are spread into bins, or read");
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PR_SPEC(units_cover_everything_once, "host:1"),
        PR_SPEC(units_cover_everything_once, "host:1x7"),
        PR_SPEC(units_cover_everything_once, "cuda:0"),
        PR_ON_EACH_SPEC(every_shape_in_bins),
        PR_ON_EACH_SPEC(runs_repeat_themselves),
        PR_SPEC(blocks_do_bins_in_common, "host:1"),
        PR_SPEC(blocks_do_bins_in_common, "host:1x4"),
        PR_SPEC(blocks_do_bins_in_common, "host:2x3"),
        PR_SPEC(blocks_do_bins_in_common, "cuda:0"),
        PR_SPEC(a_limit_is_of_runs, "host:1"),
        PR_SPEC(a_limit_is_of_runs, "cuda:0"),
        PR_SPEC(bins_are_made_where_they_pay, "host:2"),
        PR_SPEC(bins_are_made_where_they_pay, "cuda:0"),
        PR_SPEC(bins_are_made_where_they_pay, "cuda:0-1"),
        PR_SPEC(without_room_there_are_none, "host:1"),
        PR_SPEC(without_room_there_are_none, "cuda:0"),
        PR_SPEC(what_there_is_not, "host:2"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
