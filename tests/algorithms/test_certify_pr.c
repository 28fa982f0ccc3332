/** @file test_certify_pr.c  weir_pr_certify(): the iteration of devices changes ranks as that of weir_pr_check() does, on any number of them;
 * what the rounding of a sum takes is not lost. */
#include "tests/algorithms/certify_fixture.h"
#include "tests/algorithms/pr_fixture.h"

#define INF ((double)INFINITY)

/* Both find the same, to what doubles hold. @param[in] size  of all ranks, about. */
static void assert_alike(weir_context *context, const weir_graph *graph,
                         const weir_pr_config *config, const double *ranks, double size)
{
    weir_pr_change want = WEIR_PR_CHANGE_INIT;
    OK(weir_pr_check(graph, config, ranks, &want));
    for (int p = 0; p < PIECES; p++) {
        weir_pr_change have = WEIR_PR_CHANGE_INIT;
        take_pieces(graph, p);
        OK(weir_pr_certify(context, graph, config, ranks, &have));
        assert_true(fabs(have.l1 - want.l1) <= 2e-15 * size);
        assert_true(fabs(have.within - want.within) <= 2e-14 * size);
        assert_true(have.sum == want.sum);
        assert_true(fabs(have.relative - want.relative) <= 1e-15 + 1e-12 * want.relative);
        assert_true(have.vertex < graph->vertices);
    }
    weir__certify_pretend(0);
}

static void iterations_are_alike(void **state)
{
    weir_context *context = open_or_skip(state);
    uint64_t seed = 3;
    for (int shape = 0; shape < PR_SHAPES; shape++)
        for (int ignore = 0; ignore < 2; ignore++) {
            const weir_pr_config config =
                pr_config(.85, 1e-6, ignore ? WEIR_DANGLING_IGNORE : WEIR_DANGLING_SPREAD);
            weir_graph *graph = pr_graph(shape);
            double *ranks = pr_expected(graph, &config);
            assert_alike(context, graph, &config, ranks, 1);
            ranks[next_random(&seed) % graph->vertices] *= 1.5;
            assert_alike(context, graph, &config, ranks, 2);
            for (uint64_t v = 0; v < graph->vertices; v++) /* negative ones too */
                ranks[v] =
                    ((double)(next_random(&seed) >> 11) / 0x1p52 - 1) / (double)graph->vertices;
            assert_alike(context, graph, &config, ranks, 1);
            free(ranks);
            weir_graph_destroy(graph);
        }
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

/* A hub gets 1, and from thousands of others too little each to change that: together it is seen, in whatever order they come, and
 * on how many devices. */
static void small_shares_are_not_lost(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = pr_graph(PR_STAR_IN);
    const weir_pr_config config = pr_config(.5, 1e-6, WEIR_DANGLING_IGNORE);
    double *ranks = calloc(graph->vertices, sizeof *ranks);
    const double each = 0x1p-54;
    assert_non_null(ranks);
    for (uint64_t big = 0; big < graph->vertices; big += 401) {
        double all = 0;
        for (uint64_t v = 0; v < graph->vertices; v++) {
            ranks[v] = v == big ? 1 : each;
            all += v != 7 && v != big ? each : 0;
        }
        /* Vertex 7 has no arcs. Its rank becomes half of 1 and of all the others: the rank that would stay is that. */
        const double even = .5 / (double)graph->vertices;
        ranks[7] = even + .5 * (big == 7 ? all : 1 + all);
        for (int p = 0; p <= PIECES; p++) {
            weir_pr_change change = WEIR_PR_CHANGE_INIT;
            long double others = 0; /* ranks become `even` */
            if (p < PIECES)
                take_pieces(graph, p);
            else /* an odd number of shares, so that 1 and a device's sum are rounded where they come together */
                weir__certify_pretend(41);
            OK(weir_pr_certify(context, graph, &config, ranks, &change));
            for (uint64_t v = 0; v < graph->vertices; v++)
                others += v == 7 ? 0 : fabsl((long double)even - ranks[v]);
            /* 2600 shares of 2^-54 are 1.4e-13: what the loss of them would change. */
            assert_true(fabsl(change.l1 - others) <= 3e-16L * others + 4e-16L);
        }
    }
    weir__certify_pretend(0);
    free(ranks);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void one_wrong_rank_is_named(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = pr_graph(PR_GRID);
    double *ranks = pr_expected(graph, NULL);
    for (uint64_t v = 0; v < graph->vertices; v += 597) {
        const double right = ranks[v];
        for (int p = 0; p < PIECES; p++) {
            weir_pr_change change = WEIR_PR_CHANGE_INIT;
            take_pieces(graph, p);
            ranks[v] = right * 1.001;
            OK(weir_pr_certify(context, graph, NULL, ranks, &change));
            assert_int_equal(change.vertex, v);
            assert_true(fabs(change.next - right) <= 1e-6 * right);
            assert_true(change.within >= .001 * right);
            ranks[v] = INF;
            OK(weir_pr_certify(context, graph, NULL, ranks, &change));
            assert_true(change.l1 == INF && change.within == INF && change.relative == INF);
            assert_int_equal(change.vertex, v);
        }
        ranks[v] = right;
    }
    weir__certify_pretend(0);
    free(ranks);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void bad_calls_are_refused(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = pr_graph(PR_CYCLE), *empty = NULL;
    double *ranks = pr_expected(graph, NULL);
    weir_pr_change change = {.size = sizeof change, .vertex = 77};
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    STATUS(weir_pr_certify(NULL, graph, NULL, ranks, &change), WEIR_ERR_INVALID);
    STATUS(weir_pr_certify(context, NULL, NULL, ranks, &change), WEIR_ERR_INVALID);
    STATUS(weir_pr_certify(context, graph, NULL, NULL, &change), WEIR_ERR_INVALID);
    STATUS(weir_pr_certify(context, graph, NULL, ranks, NULL), WEIR_ERR_INVALID);
    config.damping = 1;
    STATUS(weir_pr_certify(context, graph, &config, ranks, &change), WEIR_ERR_INVALID);
    assert_detail_has("weir_pr_certify: a damping of 1");
    assert_int_equal(change.vertex, 77);
    OK(weir_graph_from_arcs(0, 0, NULL, NULL, NULL, NULL, &empty));
    OK(weir_pr_certify(context, empty, NULL, ranks, &change));
    assert_true(change.l1 == 0 && change.within == 0 && change.sum == 0);
    free(ranks);
    weir_graph_destroy(graph);
    weir_graph_destroy(empty);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(iterations_are_alike),
        ON_EACH_SPEC(small_shares_are_not_lost),
        ON_BACKEND(small_shares_are_not_lost, "host:64"),
        ON_EACH_SPEC(one_wrong_rank_is_named),
        ON_BACKEND(bad_calls_are_refused, "host:2"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
