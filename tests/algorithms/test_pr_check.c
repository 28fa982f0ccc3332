/** @file test_pr_check.c  Ranks judged by one exact iteration, against an iteration of the test's own in long
 * doubles; and the reference against serial iterations. */
#include "tests/algorithms/pr_fixture.h"

/* T(ranks), along out-arcs. */
static long double *iterated(const weir_graph *graph, const weir_pr_config *config,
                             const double *ranks)
{
    const uint64_t n = graph->vertices;
    long double *next = calloc(n + 1, sizeof *next), dangling = 0;
    const long double d = config->damping;
    assert_non_null(next);
    for (uint64_t v = 0; v < n; v++) {
        const uint64_t first = graph->offsets[v], last = graph->offsets[v + 1];
        for (uint64_t arc = first; arc < last; arc++)
            next[graph->targets[arc]] += (long double)ranks[v] / (long double)(last - first);
        dangling += first == last ? ranks[v] : 0;
    }
    dangling = config->dangling == WEIR_DANGLING_SPREAD ? dangling : 0;
    for (uint64_t v = 0; v < n; v++)
        next[v] = (1 - d + d * dangling) / (long double)n + d * next[v];
    return next;
}

static void assert_checked(const weir_graph *graph, const weir_pr_config *config,
                           const double *ranks)
{
    long double *next = iterated(graph, config, ranks), l1 = 0, relative = 0, sum = 0;
    weir_pr_change change = WEIR_PR_CHANGE_INIT;
    OK(weir_pr_check(graph, config, ranks, &change));
    for (uint64_t v = 0; v < graph->vertices; v++) {
        const long double off = fabsl(next[v] - ranks[v]);
        l1 += off;
        sum += ranks[v];
        relative = fmaxl(relative, off / fabsl(next[v]));
    }
    assert_true(fabsl(change.l1 - l1) <= 2e-15L);
    assert_true(change.within * (1 - config->damping) >= l1);
    assert_true(change.within * (1 - config->damping) <= l1 + 1e-14L);
    assert_true(fabsl(change.sum - sum) <= 1e-15L);
    assert_true(fabsl(change.relative - relative) <= 1e-14L + 1e-12L * relative);
    assert_true(change.vertex < graph->vertices);
    assert_true(fabsl(change.next - next[change.vertex]) <= 2e-15L * fabsl(next[change.vertex]));
    free(next);
}

static const weir_pr_config *both_ends_of_dangling(int i)
{
    static weir_pr_config config[2] = {WEIR_PR_CONFIG_INIT, WEIR_PR_CONFIG_INIT};
    for (int k = 0; k < 2; k++)
        config[k] = pr_config(.85, 1e-6, k ? WEIR_DANGLING_IGNORE : WEIR_DANGLING_SPREAD);
    return &config[i];
}

static void right_ranks_hardly_change(void **state)
{
    (void)state;
    for (int shape = 0; shape < PR_SHAPES; shape++)
        for (int i = 0; i < 2; i++) {
            const weir_pr_config *config = both_ends_of_dangling(i);
            weir_graph *graph = pr_graph(shape);
            double *ranks = pr_expected(graph, config);
            weir_pr_change change = WEIR_PR_CHANGE_INIT;
            OK(weir_pr_check(graph, config, ranks, &change));
            if (!(change.l1 < 3e-15 && change.within < 5e-14 && change.relative < 1e-12))
                fail_msg("%s, shape %d: an iteration changes %.3g, %.3g of one: within %.3g",
                         graph->name, shape, change.l1, change.relative, change.within);
            if (!i && !(fabs(change.sum - 1) < 2e-14))
                fail_msg("%s, shape %d: ranks sum to %.17g", graph->name, shape, change.sum);
            assert_checked(graph, config, ranks);
            free(ranks);
            weir_graph_destroy(graph);
        }
}

/* Never farther from the true ranks than it says, and it does not say much more. */
static void wrong_ranks_are_measured(void **state)
{
    static const double part[] = {1e-9, 1e-5, .01, .9, -3};
    uint64_t seed = 3;
    (void)state;
    for (int shape = 0; shape < PR_SHAPES; shape++)
        for (int i = 0; i < 10; i++) {
            const weir_pr_config *config = both_ends_of_dangling(i / 5);
            weir_graph *graph = pr_graph(shape);
            double *ranks = pr_expected(graph, config);
            const uint64_t v = next_random(&seed) % graph->vertices;
            const double off = fabs(part[i % 5] * ranks[v]);
            weir_pr_change change = WEIR_PR_CHANGE_INIT;
            ranks[v] += part[i % 5] * ranks[v];
            OK(weir_pr_check(graph, config, ranks, &change));
            assert_true(change.within >= off - 1e-14);
            if (!(change.l1 <= off * (1 + config->damping) + 1e-14))
                fail_msg("%s, shape %d: vertex %llu is off by %.17g, an iteration changes %.17g",
                         graph->name, shape, (unsigned long long)v, off, change.l1);
            assert_true(change.relative > 0);
            assert_checked(graph, config, ranks);
            free(ranks);
            weir_graph_destroy(graph);
        }
}

static void one_wrong_rank_is_named(void **state)
{
    weir_graph *graph = pr_graph(PR_GRID);
    double *ranks = pr_expected(graph, NULL);
    (void)state;
    for (uint64_t v = 0; v < graph->vertices; v += 97) {
        const double right = ranks[v];
        weir_pr_change change = WEIR_PR_CHANGE_INIT;
        ranks[v] *= 1.001;
        OK(weir_pr_check(graph, NULL, ranks, &change));
        assert_int_equal(change.vertex, v);
        /* A vertex without arcs gives to all, itself too. */
        assert_true(fabs(change.next - right) <= 1e-6 * right);
        assert_true(fabs(change.relative - .001) <= 1e-6);
        ranks[v] = right;
    }
    free(ranks);
    weir_graph_destroy(graph);
}

/* A factor c is (1 - damping) |c - 1| of change, and the sum says so, too. */
static void a_wrong_sum_shows(void **state)
{
    weir_graph *graph = pr_graph(PR_DANGLING);
    double *ranks = pr_expected(graph, NULL);
    weir_pr_change change = WEIR_PR_CHANGE_INIT;
    (void)state;
    for (uint64_t v = 0; v < graph->vertices; v++)
        ranks[v] *= 1 + 1e-4;
    OK(weir_pr_check(graph, NULL, ranks, &change));
    assert_true(fabs(change.sum - 1.0001) < 1e-13);
    assert_true(fabs(change.l1 - 1.5e-5) < 1e-14);
    assert_true(fabs(change.within - 1e-4) < 1e-13);
    free(ranks);
    weir_graph_destroy(graph);
}

static void what_is_no_number_is_named(void **state)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    weir_graph *graph = pr_graph(PR_RMAT);
    double *ranks = pr_expected(graph, NULL);
    weir_pr_change change = WEIR_PR_CHANGE_INIT;
    (void)state;
    for (int i = 0; i < 3; i++)
        for (uint64_t v = 0; v < graph->vertices; v += 101) {
            const double right = ranks[v];
            ranks[v] = bad[i];
            OK(weir_pr_check(graph, NULL, ranks, &change));
            assert_true(change.l1 == INFINITY && change.within == INFINITY);
            assert_true(change.relative == INFINITY);
            assert_int_equal(change.vertex, v);
            ranks[v] = right;
        }
    for (uint64_t v = 0; v < graph->vertices; v++)
        ranks[v] = 1e308; /* numbers, whose sum is none */
    OK(weir_pr_check(graph, NULL, ranks, &change));
    assert_true(change.l1 == INFINITY && change.within == INFINITY);
    free(ranks);
    weir_graph_destroy(graph);
}

static void bad_calls_are_refused(void **state)
{
    weir_graph *graph = pr_graph(PR_CYCLE);
    double *ranks = pr_expected(graph, NULL);
    weir_pr_change change = {.size = sizeof change, .vertex = 77};
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    (void)state;
    STATUS(weir_pr_check(NULL, NULL, ranks, &change), WEIR_ERR_INVALID);
    STATUS(weir_pr_check(graph, NULL, NULL, &change), WEIR_ERR_INVALID);
    STATUS(weir_pr_check(graph, NULL, ranks, NULL), WEIR_ERR_INVALID);
    config.damping = 1;
    STATUS(weir_pr_check(graph, &config, ranks, &change), WEIR_ERR_INVALID);
    assert_detail_has("weir_pr_check: a damping of 1");
    STATUS(weir_pr_reference(graph, &config, ranks), WEIR_ERR_INVALID);
    assert_detail_has("weir_pr_reference: a damping of 1");
    config.damping = NAN;
    STATUS(weir_pr_check(graph, &config, ranks, &change), WEIR_ERR_INVALID);
    config = (weir_pr_config)WEIR_PR_CONFIG_INIT;
    config.size = 0;
    STATUS(weir_pr_check(graph, &config, ranks, &change), WEIR_ERR_INVALID);
    assert_int_equal(change.vertex, 77);
    free(ranks);
    weir_graph_destroy(graph);
}

static void a_graph_without_vertices(void **state)
{
    weir_graph *graph = NULL;
    weir_pr_change change = {.size = sizeof change, .l1 = 5};
    double none = 5;
    (void)state;
    OK(weir_graph_from_arcs(0, 0, NULL, NULL, NULL, NULL, &graph));
    OK(weir_pr_reference(graph, NULL, &none));
    OK(weir_pr_check(graph, NULL, &none, &change));
    assert_true(none == 5 && change.l1 == 0 && change.within == 0 && change.sum == 0);
    weir_graph_destroy(graph);
}

/* On a graph that is worth several threads, and on one that is not. */
static void the_reference_iterates(void **state)
{
    static const char *const specs[] = {"rmat:15,8", "grid:300x400", "rmat:8,8"};
    (void)state;
    for (int s = 0; s < 3; s++)
        for (uint32_t count = 1; count < 5; count++) {
            weir_graph *graph = open_graph(specs[s], 0);
            weir_pr_config config = *both_ends_of_dangling(count % 2);
            double *serial = malloc(graph->vertices * sizeof *serial);
            for (uint64_t v = 0; v < graph->vertices; v++)
                serial[v] = 1 / (double)graph->vertices;
            config.iterations = count;
            double *ranks = pr_expected(graph, &config);
            for (uint32_t i = 0; i < count; i++) {
                long double *next = iterated(graph, &config, serial);
                for (uint64_t v = 0; v < graph->vertices; v++)
                    serial[v] = (double)next[v];
                free(next);
            }
            for (uint64_t v = 0; v < graph->vertices; v++)
                assert_true(fabs(ranks[v] - serial[v]) <= 1e-13 * serial[v]);
            free(ranks);
            free(serial);
            weir_graph_destroy(graph);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_ranks_hardly_change),  cmocka_unit_test(wrong_ranks_are_measured),
        cmocka_unit_test(one_wrong_rank_is_named),    cmocka_unit_test(a_wrong_sum_shows),
        cmocka_unit_test(what_is_no_number_is_named), cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(a_graph_without_vertices),   cmocka_unit_test(the_reference_iterates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
