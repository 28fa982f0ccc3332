/** @file test_pr_hubs.c  PageRank in step that keeps shares of hubs in each block's own memory: the ranks are those without, and hubs
 * are kept where they pay. */
#include "tests/algorithms/pr_fixture.h"

#include "algorithms/pr/pr_pull_args.h"

static weir_pr_config with_hubs(double tolerance, uint32_t hubs)
{
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    config.tolerance = tolerance;
    config.hubs = hubs;
    return config;
}

/* On host devices kernels add up in the same order with hubs and without, on GPUs blocks have another size. */
static void assert_same_ranks(const char *spec, const double *ranks, const double *want,
                              uint64_t count)
{
    if (strncmp(spec, "host", 4) == 0)
        assert_memory_equal(ranks, want, count * sizeof *ranks);
    for (uint64_t v = 0; v < count; v++)
        assert_true(fabs(ranks[v] - want[v]) <= 1e-6 * want[v]);
}

static void every_shape_with_hubs(void **state)
{
    static const uint32_t asked[] = {2, 500, 49152};
    const char *spec = *state;
    weir_context *context = open_or_skip(state);
    weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
    for (int shape = 0; shape < PR_SHAPES; shape++)
        for (int fine = 0; fine < 2; fine++) {
            weir_graph *graph = pr_graph((enum pr_shape)shape);
            weir_pr_config config = with_hubs(fine ? 1e-10 : 1e-6, 1);
            weir_pr *plain = pr_placed(context, graph, WEIR_PARTITION_EDGE, &options, &config);
            double *want = pr_ranks_of(plain, graph), *truth = pr_expected(graph, &config);
            weir_pr_destroy(plain);
            /* Doubles are not kept: what counts of them is that they lie where hubs did. */
            for (size_t i = fine ? 1 : 0; i < (fine ? 2 : sizeof asked / sizeof *asked); i++) {
                config.hubs = asked[i];
                weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_EDGE, &options, &config);
                (void)pr_assert(pr, graph, truth, &config, LOOSE);
                double *ranks = pr_ranks_of(pr, graph);
                assert_same_ranks(spec, ranks, want, graph->vertices);
                free(ranks);
                weir_pr_destroy(pr);
            }
            free(truth);
            free(want);
            weir_graph_destroy(graph);
        }
    weir_context_destroy(context);
}

static uint64_t hubs_of(weir_context *context, const weir_graph *graph, uint32_t asked)
{
    weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
    weir_pr_config config = with_hubs(1e-6, asked);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_EDGE, &options, &config);
    OK(weir_pr_run(pr, &stats));
    weir_pr_destroy(pr);
    return stats.hubs;
}

/* What a block of every device of the context has room for. */
static uint64_t room_of(const weir_context *context)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t d = 0; d < weir_context_device_count(context); d++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(weir_context_device(context, d), &info);
        const uint64_t room = info.kind == WEIR_DEVICE_HOST        ? PR_HUBS_HOST
                              : info.block_bytes >= PR_HUBS_MEMORY ? PR_HUBS_GPU
                                                                   : 0;
        least = room < least ? room : least;
    }
    return least;
}

static void whoever_asks_gets_what_there_is_room_for(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:14,4", 0);
    const uint64_t room = room_of(context), devices = weir_context_device_count(context);
    assert_int_equal(hubs_of(context, graph, 1), 0);
    assert_int_equal(hubs_of(context, graph, 24), room ? 24 : 0);
    uint64_t all = hubs_of(context, graph, 49152);
    assert_true(all <= room && (all + devices > room || all + devices > graph->vertices / 2));
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Half of the arcs of the first come from them, a tenth of the second's; the third has too few arcs. Threads of host devices have
 * no use for them. */
static void hubs_are_kept_where_they_pay(void **state)
{
    const int large = strncmp(*state, "host", 4) != 0;
    weir_context *context = open_or_skip(state);
    weir_graph *skewed = open_graph(large ? "rmat:20" : "rmat:12", 1);
    weir_graph *even = open_graph(large ? "uniform:20,16" : "uniform:12,16", 1);
    weir_graph *small = open_graph("rmat:14", 1);
    const uint64_t room = room_of(context), devices = weir_context_device_count(context);
    assert_int_equal(hubs_of(context, skewed, 0),
                     room > PR_HUBS_HOST ? room / devices * devices : 0);
    assert_int_equal(hubs_of(context, skewed, 1), 0);
    assert_int_equal(hubs_of(context, even, 0), 0);
    assert_int_equal(hubs_of(context, small, 0), 0);
    weir_graph_destroy(small);
    weir_graph_destroy(even);
    weir_graph_destroy(skewed);
    weir_context_destroy(context);
}

static void what_there_is_not(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:6", 0);
    weir_pr_config config = with_hubs(1e-6, 7);
    weir_run_options options = pr_towards(WEIR_DIRECTION_PUSH);
    weir_pr *pr;
    STATUS(weir_pr_create(context, graph, NULL, &options, &config, &pr), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("hubs has no effect on PageRank through the worklist");
    config.bands = 2;
    STATUS(weir_pr_create(context, graph, NULL, NULL, &config, &pr), WEIR_ERR_INVALID);
    assert_detail("7 hubs in 2 bands: hubs are kept with one band alone");
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PR_ON_EACH_SPEC(every_shape_with_hubs),
        PR_SPEC(whoever_asks_gets_what_there_is_room_for, "host:1"),
        PR_SPEC(whoever_asks_gets_what_there_is_room_for, "host:3"),
        PR_SPEC(whoever_asks_gets_what_there_is_room_for, "cuda:0"),
        PR_SPEC(whoever_asks_gets_what_there_is_room_for, "cuda:0-1"),
        PR_SPEC(hubs_are_kept_where_they_pay, "host:2"),
        PR_SPEC(hubs_are_kept_where_they_pay, "cuda:0"),
        PR_SPEC(hubs_are_kept_where_they_pay, "cuda:0-1"),
        PR_SPEC(what_there_is_not, "host:2"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
