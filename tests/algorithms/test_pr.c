/** @file test_pr.c  PageRank in step, on every set of devices against the serial reference. */
#include "tests/algorithms/pr_fixture.h"

static void all_shapes(void **state)
{
    pr_all_shapes(state, WEIR_DIRECTION_PULL);
}

static void dangling_rank_may_be_lost(void **state)
{
    pr_dangling_is_lost(state, WEIR_DIRECTION_PULL, 1e-10, 1e-9);
}

static void every_tolerance_and_damping(void **state)
{
    pr_every_tolerance_and_damping(state, WEIR_DIRECTION_PULL);
}

static void every_partition_will_do(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_pr_config config = pr_config(.85, 1e-8, WEIR_DANGLING_SPREAD);
    for (int kind = WEIR_PARTITION_BLOCK; kind <= WEIR_PARTITION_RANDOM; kind++) {
        run_shape(context, PR_RMAT, WEIR_DIRECTION_PULL, kind, &config, LOOSE);
        run_shape(context, PR_STEPS, WEIR_DIRECTION_PULL, kind, &config, LOOSE);
    }
    weir_context_destroy(context);
}

/* A device sends a rank to those that have arcs from its vertex, not to all. */
static void shares_go_to_those_who_read_them(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:64x64", 0);
    weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_BLOCK, &options, &config);
    double *want = pr_expected(graph, &config);
    weir_run_stats stats = pr_assert(pr, graph, want, &config, LOOSE);
    const uint32_t cuts = stats.devices - 1; /* of 64 edges each where rows are not split */
    assert_true(stats.work.sent <= stats.steps * cuts * 2 * 65);
    assert_true(!cuts || stats.work.sent >= stats.steps * cuts * 2 * 64);
    assert_int_equal(stats.bytes_sent, stats.work.sent * sizeof(float));
    free(want);
    weir_pr_destroy(pr);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Vertices of part @p from with an arc to a vertex of part @p to. */
static uint64_t read_by(const weir_graph *graph, const weir_partition *partition, uint32_t from,
                        uint32_t to)
{
    uint64_t read = 0;
    for (uint64_t v = 0; v < graph->vertices; v++) {
        int reads = 0;
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++)
            reads |= partition->owner[graph->targets[i]] == to;
        read += partition->owner[v] == from && reads;
    }
    return read;
}

/* Which those are the devices find out themselves, also where arcs lead one way. */
static void readers_are_those_with_arcs(void **state)
{
    static const char *const graphs[] = {"rmat:10,3", "rmat:10,3", "grid:40x31,.7", "star:300"};
    weir_context *context = open_or_skip(state);
    const uint32_t devices = weir_context_device_count(context);
    for (int i = 0; i < 4; i++) {
        weir_graph *graph = open_graph(graphs[i], i == 1);
        weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
        weir_pr_config config = pr_config(.85, 1e-4, WEIR_DANGLING_SPREAD);
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weir_partition *partition;
        weir_pr *pr;
        OK(weir_partition_create(graph, WEIR_PARTITION_RANDOM, devices, 5, NULL, &partition));
        OK(weir_pr_create(context, graph, partition, &options, &config, &pr));
        OK(weir_pr_run(pr, &stats));
        for (uint32_t from = 0; from < devices; from++)
            for (uint32_t to = 0; to < devices; to++) {
                uint64_t items;
                if (from == to)
                    continue;
                OK(weir_pr_link_items(pr, from, to, &items));
                assert_int_equal(items, stats.steps * read_by(graph, partition, from, to));
            }
        weir_pr_destroy(pr);
        weir_partition_destroy(partition);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* Ranks are divided by their sum, which the devices leave in every run; not where rank is lost. */
static void ranks_sum_to_one(void **state)
{
    static const enum pr_shape shapes[] = {PR_RMAT, PR_DANGLING, PR_STAR_IN, PR_ONE};
    weir_context *context = open_or_skip(state);
    for (int i = 0; i < 8; i++) {
        const weir_dangling dangling = i < 4 ? WEIR_DANGLING_SPREAD : WEIR_DANGLING_IGNORE;
        weir_graph *graph = pr_graph(shapes[i % 4]);
        weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
        weir_pr_config config = pr_config(.85, 1e-5, dangling);
        weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_EDGE, &options, &config);
        double *ranks = malloc(graph->vertices * sizeof *ranks);
        weir_values values = WEIR_VALUES_INIT;
        for (int run = 0; run < 2; run++) {
            double sum = 0;
            OK(weir_pr_run(pr, NULL));
            OK(weir_pr_ranks(pr, ranks));
            OK(weir_pr_values(pr, 0, &values));
            for (uint64_t v = 0; v < graph->vertices; v++)
                sum += ranks[v];
            assert_true(fabs(values.scale - 1) < 1e-4);
            assert_true(i < 4 ? fabs(sum - 1) < 1e-13 : values.scale == 1 && sum < .9);
        }
        free(ranks);
        weir_pr_destroy(pr);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* The same bits from every run: nothing depends on who comes first. */
static void pull_repeats_itself(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = pr_graph(PR_RMAT_BOTH);
    weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
    weir_pr_config config = pr_config(.85, 1e-9, WEIR_DANGLING_SPREAD);
    weir_pr *pr = pr_placed(context, graph, -1, &options, &config);
    size_t bytes = graph->vertices * sizeof(double);
    double *first = malloc(bytes), *again = malloc(bytes);
    OK(weir_pr_run(pr, NULL));
    OK(weir_pr_ranks(pr, first));
    for (int i = 0; i < 3; i++) {
        OK(weir_pr_run(pr, NULL));
        OK(weir_pr_ranks(pr, again));
        assert_memory_equal(first, again, bytes);
    }
    free(first);
    free(again);
    weir_pr_destroy(pr);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PR_ON_EACH_SPEC(all_shapes),
        PR_ON_EACH_SPEC(dangling_rank_may_be_lost),
        PR_ON_EACH_SPEC(every_partition_will_do),
        PR_ON_EACH_SPEC(every_tolerance_and_damping),
        PR_ON_EACH_SPEC(shares_go_to_those_who_read_them),
        PR_ON_EACH_SPEC(readers_are_those_with_arcs),
        PR_ON_EACH_SPEC(pull_repeats_itself),
        PR_ON_EACH_SPEC(ranks_sum_to_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
