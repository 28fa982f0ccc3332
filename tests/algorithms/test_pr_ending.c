/** @file test_pr_ending.c  PageRank: what is refused, limits, cancels, graphs without vertices, every fault. */
#include "algorithms/pr/pr.h"
#include "runtime/internal.h"
#include "tests/algorithms/pr_fixture.h"
#include "tests/lib/share.h"

#include "worklist/steps.h"

/* ThreadSanitizer is slow: it sees some of the faults. */
#ifdef __SANITIZE_THREAD__
#define STRIDE 7
#else
#define STRIDE test_stride()
#endif

static weir_status attempt(weir_context *context, const weir_graph *graph,
                           const weir_run_options *options, const weir_pr_config *config)
{
    weir_pr *pr;
    weir_status status = weir_pr_create(context, graph, NULL, options, config, &pr);
    assert_int_equal(status == WEIR_OK, pr != NULL);
    weir_pr_destroy(pr);
    return status;
}

static void configurations_out_of_range_are_refused(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = pr_graph(PR_CYCLE);
    static const double dampings[] = {-.1, 1, 2, NAN}, tolerances[] = {0, -1e-6, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        weir_pr_config config = WEIR_PR_CONFIG_INIT;
        config.damping = dampings[i];
        STATUS(attempt(context, graph, NULL, &config), WEIR_ERR_INVALID);
        assert_detail_has("from 0 to below 1");
        STATUS(weir_pr_reference(graph, &config, &(double){0}), WEIR_ERR_INVALID);
        config = pr_config(.85, tolerances[i], WEIR_DANGLING_SPREAD);
        STATUS(attempt(context, graph, NULL, &config), WEIR_ERR_INVALID);
        assert_detail_has("above 0");
    }
    weir_pr_config config = pr_config(.85, 1e-6, (weir_dangling)2);
    STATUS(attempt(context, graph, NULL, &config), WEIR_ERR_INVALID);
    config = (weir_pr_config)WEIR_PR_CONFIG_INIT;
    config.size = 7;
    STATUS(attempt(context, graph, NULL, &config), WEIR_ERR_INVALID);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.size = 0;
    STATUS(attempt(context, graph, &options, NULL), WEIR_ERR_INVALID);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void choices_that_do_not_go_together_are_refused(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = pr_graph(PR_CYCLE);
    static const char *const names[] = {"route", "order",   "kernel", "worker",
                                        "fetch", "mapping", "delta",  "group"};
    for (int i = 0; i < 8; i++) {
        weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
        char text[100];
        options.route = i == 0 ? WEIR_ROUTE_DIRECT : WEIR_ROUTE_AUTO;
        options.order = i == 1 ? WEIR_ORDER_FIFO : WEIR_ORDER_AUTO;
        options.kernel = i == 2 ? WEIR_KERNEL_DISCRETE : WEIR_KERNEL_AUTO;
        options.worker = i == 3 ? WEIR_WORKER_WARP : WEIR_WORKER_AUTO;
        options.fetch = i == 4;
        options.mapping = i == 5 ? WEIR_MAPPING_WARP : WEIR_MAPPING_AUTO;
        options.delta = i == 6;
        options.group = i == 7 ? 4 : 0;
        snprintf(text, sizeof text, "%s has no effect on PageRank in step: leave it out", names[i]);
        STATUS(attempt(context, graph, &options, NULL), WEIR_ERR_UNSUPPORTED);
        assert_detail(text);
    }
    weir_run_options options = pr_towards(WEIR_DIRECTION_SWITCH);
    STATUS(attempt(context, graph, &options, NULL), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("nothing to switch");
    options = pr_towards((weir_direction)9);
    STATUS(attempt(context, graph, &options, NULL), WEIR_ERR_INVALID);
    options = pr_towards(WEIR_DIRECTION_AUTO);
    options.parents = 1;
    STATUS(attempt(context, graph, &options, NULL), WEIR_ERR_UNSUPPORTED);
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    config.iterations = 3;
    options = pr_towards(WEIR_DIRECTION_PUSH);
    STATUS(attempt(context, graph, &options, &config), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("iterations");
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Devices of two kinds cannot go in step: auto pushes, and pull is refused. */
static void auto_pulls_where_devices_go_in_step(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = pr_graph(PR_RMAT);
    weir_run_options options = pr_towards(WEIR_DIRECTION_PULL);
    const uint32_t devices = weir_context_device_count(context);
    const int possible = weir_steps_possible(context, devices) == WEIR_OK;
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_EDGE, NULL, &config);
    double *want = pr_expected(graph, &config);
    weir_run_stats stats = pr_assert(pr, graph, want, &config, 1e9);
    assert_int_equal(stats.direction, possible ? WEIR_DIRECTION_PULL : WEIR_DIRECTION_PUSH);
    weir_pr_destroy(pr);
    if (!possible)
        STATUS(attempt(context, graph, &options, NULL), WEIR_ERR_UNSUPPORTED);
    free(want);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void nothing_at_all_has_no_ranks(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph;
    OK(weir_graph_from_arcs(0, 0, NULL, NULL, NULL, NULL, &graph));
    for (int direction = WEIR_DIRECTION_AUTO; direction <= WEIR_DIRECTION_PULL; direction++) {
        weir_run_options options = pr_towards(direction);
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        double none;
        weir_pr *pr;
        OK(weir_pr_create(context, graph, NULL, &options, NULL, &pr));
        STATUS(weir_pr_ranks(pr, &none), WEIR_ERR_INVALID);
        OK(weir_pr_run(pr, &stats));
        OK(weir_pr_ranks(pr, &none));
        assert_int_equal(stats.reached, 0);
        weir_pr_destroy(pr);
    }
    OK(weir_pr_reference(graph, NULL, &(double){0}));
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void iterations_may_be_limited(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = pr_graph(PR_RMAT_BOTH);
    static const double tolerance[] = {1e-6, 1e-10};
    for (int t = 0; t < 2; t++)
        for (uint32_t limit = 1; limit < 40; limit += 6) {
            weir_pr_config config = pr_config(.85, tolerance[t], WEIR_DANGLING_SPREAD);
            config.iterations = limit;
            weir_pr *pr = pr_placed(context, graph, -1, NULL, &config);
            double *want = pr_expected(graph, &config), *have = malloc(graph->vertices * 8);
            weir_run_stats stats = WEIR_RUN_STATS_INIT;
            OK(weir_pr_run(pr, &stats));
            OK(weir_pr_ranks(pr, have));
            assert_true(stats.steps <= limit && stats.steps > 0);
            assert_true(stats.steps == limit || stats.residual < tolerance[t]);
            for (uint64_t v = 0; v < graph->vertices && stats.steps == limit; v++)
                if (!(fabs(have[v] - want[v]) <= 1e-6 * want[v]))
                    fail_msg("%u iterations: vertex %llu has %.17g, not %.17g", limit,
                             (unsigned long long)v, have[v], want[v]);
            free(want);
            free(have);
            weir_pr_destroy(pr);
        }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* As exact as doubles are, and in the end at rest; no residual is below that. */
static void the_smallest_tolerances_end(void **state)
{
    static const double tolerances[] = {1e-300, 1e-310, 5e-324};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = pr_graph(PR_PATH);
    double *have = malloc(graph->vertices * sizeof *have);
    for (int i = 0; i < 6; i++) {
        weir_run_options options = pr_towards(i % 2 ? WEIR_DIRECTION_PULL : WEIR_DIRECTION_PUSH);
        weir_pr_config config = pr_config(.1, tolerances[i / 2], WEIR_DANGLING_SPREAD);
        weir_pr *pr = pr_placed(context, graph, WEIR_PARTITION_EDGE, &options, &config);
        double *want = pr_expected(graph, &config);
        OK(weir_pr_run(pr, NULL));
        OK(weir_pr_ranks(pr, have));
        for (uint64_t v = 0; v < graph->vertices; v++)
            assert_true(fabs(have[v] - want[v]) <= 1e-13 * want[v]);
        weir_pr_destroy(pr);
        free(want);
    }
    free(have);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- ended early ------------------------------------------------------------------------------- */

struct canceller {
    weir_pr *pr;
    unsigned after_us;
};

static void *cancel(void *user)
{
    const struct canceller *canceller = user;
    usleep(canceller->after_us);
    weir_pr_cancel(canceller->pr);
    return NULL;
}

static void a_cancel_ends_a_run(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:150x150", 0);
    for (int direction = WEIR_DIRECTION_PUSH; direction <= WEIR_DIRECTION_PULL; direction++)
        for (unsigned us = 0; us < 40000; us = us * 3 + 700) {
            weir_run_options options = pr_towards(direction);
            weir_pr_config config = pr_config(.9999, 1e-12, WEIR_DANGLING_SPREAD);
            weir_pr *pr = pr_placed(context, graph, -1, &options, &config);
            struct canceller canceller = {pr, us};
            pthread_t thread;
            assert_int_equal(pthread_create(&thread, NULL, cancel, &canceller), 0);
            weir_status status = weir_pr_run(pr, NULL);
            pthread_join(thread, NULL);
            assert_int_equal(status, WEIR_ERR_CANCELLED);
            weir_pr_destroy(pr);
        }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* The sum by which ranks are divided is that of the last run. */
static void a_run_that_is_stopped_leaves_no_ranks(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = pr_graph(PR_RMAT);
    double *ranks = malloc(graph->vertices * sizeof *ranks);
    for (int direction = WEIR_DIRECTION_PUSH; direction <= WEIR_DIRECTION_PULL; direction++) {
        weir_run_options options = pr_towards(direction);
        weir_pr_config config = WEIR_PR_CONFIG_INIT;
        weir_pr *pr = pr_placed(context, graph, -1, &options, &config);
        weir_values values = WEIR_VALUES_INIT;
        OK(weir_pr_run(pr, NULL));
        OK(weir_pr_ranks(pr, ranks));
        OK(weir_pr_values(pr, 0, &values));
        weir_pr_cancel(pr);
        STATUS(weir_pr_run(pr, NULL), WEIR_ERR_CANCELLED);
        STATUS(weir_pr_ranks(pr, ranks), WEIR_ERR_INVALID);
        STATUS(weir_pr_values(pr, 0, &values), WEIR_ERR_INVALID);
        weir_pr_destroy(pr);
    }
    free(ranks);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void a_time_limit_ends_a_run(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:150x150", 0);
    for (int direction = WEIR_DIRECTION_PUSH; direction <= WEIR_DIRECTION_PULL; direction++) {
        weir_run_options options = pr_towards(direction);
        weir_pr_config config = pr_config(.9999, 1e-12, WEIR_DANGLING_SPREAD);
        options.time_limit_ms = 20;
        weir_pr *pr = pr_placed(context, graph, -1, &options, &config);
        STATUS(weir_pr_run(pr, NULL), WEIR_ERR_TIMEOUT);
        weir_pr_destroy(pr);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* The n-th allocation, copy or event fails: an error, nothing lost, and all is well without the fault. */
static void every_fault_is_an_error(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = pr_graph(PR_STAR_BOTH);
    weir_pr_config config = pr_config(.2, 1e-8, WEIR_DANGLING_SPREAD);
    for (int direction = WEIR_DIRECTION_PUSH; direction <= WEIR_DIRECTION_PULL; direction++)
        for (int kind = WEIR__FAULT_ALLOC; kind <= WEIR__FAULT_EVENT; kind++)
            for (uint64_t nth = 1, struck = 1; struck; nth += STRIDE) {
                weir_run_options options = pr_towards(direction);
                weir_pr *pr = NULL;
                weir__fault_arm(kind, nth);
                weir_status status = weir_pr_create(context, graph, NULL, &options, &config, &pr);
                if (!status)
                    status = weir_pr_run(pr, NULL);
                struck = (uint64_t)weir__fault_struck(kind);
                weir__fault_arm(kind, 0);
                if (!struck)
                    assert_int_equal(status, WEIR_OK);
                weir_pr_destroy(pr);
            }
    weir_pr *pr = pr_placed(context, graph, -1, NULL, &config);
    double *want = pr_expected(graph, &config);
    pr_assert(pr, graph, want, &config, 1e-6);
    free(want);
    weir_pr_destroy(pr);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static struct weir__pr_pull *pull_placed(weir_context *context, const weir_graph *graph)
{
    weir_partition *partition;
    struct weir__pr_pull *pull;
    struct weir__pr_task task = {.context = context,
                                 .graph = graph,
                                 .options = WEIR_RUN_OPTIONS_INIT,
                                 .config = WEIR_PR_CONFIG_INIT,
                                 .vertices = graph->vertices};
    OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, weir_context_device_count(context), 1,
                             NULL, &partition));
    task.partition = partition;
    for (uint64_t v = 0; v < graph->vertices; v++)
        task.dangling += graph->offsets[v] == graph->offsets[v + 1];
    OK(weir__pr_pull_create(&task, &pull));
    weir_partition_destroy(partition);
    return pull;
}

/* Doubles that are wanted after all: all parts have them or none, and after a failure that can be tried again. */
static void doubles_come_to_all_parts_or_none(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = pr_graph(PR_RMAT);
    struct weir__pr_pull *pull = pull_placed(context, graph);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    for (uint64_t nth = 1; nth <= pull->on.parts; nth++) {
        weir__fault_arm(WEIR__FAULT_ALLOC, nth);
        STATUS(weir__pr_pull_refine(pull), WEIR_ERR_NOMEM);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        OK(weir__pr_pull_run(pull, &stats));
        assert_int_equal(stats.bytes_sent, stats.work.sent * sizeof(float));
    }
    OK(weir__pr_pull_refine(pull));
    OK(weir__pr_pull_run(pull, &stats));
    assert_true(stats.bytes_sent > stats.work.sent * sizeof(float));
    weir__pr_pull_destroy(pull);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Floats that end before the tolerance, here by a limit of iterations. */
static struct weir__pr_pull *restless_placed(weir_context *context, const weir_graph *graph)
{
    struct weir__pr_pull *pull = pull_placed(context, graph);
    for (uint32_t p = 0; p < pull->on.parts; p++)
        ((struct pr_pull_args *)weir_steps_args(pull->on.steps, p))->bounds.iterations = 3;
    assert_false(pull->fine);
    return pull;
}

/* One run whose nth allocation fails, if it has as many. What the queues of a run lack cannot be had later, doubles can: adds 1
 * to `later` when the next run had them. */
static int doubles_lack(weir_context *context, const weir_graph *graph, uint64_t nth,
                        uint32_t *later)
{
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    struct weir__pr_pull *pull = restless_placed(context, graph);
    weir__fault_arm(WEIR__FAULT_ALLOC, nth);
    weir_status status = weir__pr_pull_run(pull, &stats);
    int struck = weir__fault_struck(WEIR__FAULT_ALLOC);
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    assert_int_equal(status, struck ? WEIR_ERR_NOMEM : WEIR_OK);
    *later += struck && !pull->fine && !weir__pr_pull_run(pull, &stats) && pull->fine;
    weir__pr_pull_destroy(pull);
    return struck;
}

/* Without memory for doubles a run fails, and the next one tries again. A queue uses operations again that are done, so how
 * many a run allocates, and whether doubles are the nth, differs from run to run: hence several rounds. */
static void no_memory_for_doubles(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = pr_graph(PR_RMAT);
    uint32_t later = 0;
    for (uint32_t round = 0; !later && round < 32; round++)
        for (uint64_t nth = 1; doubles_lack(context, graph, nth, &later); nth++)
            continue;
    assert_true(later > 0);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* The run is begun again and goes on with doubles; so do those that follow. */
static void floats_that_do_not_come_to_rest(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = pr_graph(PR_RMAT);
    const weir_pr_config config = WEIR_PR_CONFIG_INIT;
    struct weir__pr_pull *pull = restless_placed(context, graph);
    double *want = pr_expected(graph, &config), *have = malloc(graph->vertices * sizeof *have);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    for (int run = 0; run < 2; run++) {
        OK(weir__pr_pull_run(pull, &stats));
        assert_true(pull->fine);
        assert_true(stats.residual < config.tolerance && stats.steps > 3);
        OK(weir__pr_pull_ranks(pull, have));
        for (uint64_t v = 0; v < graph->vertices; v++)
            assert_true(fabs(have[v] - want[v]) <= 1e-5 * want[v]);
    }
    free(want);
    free(have);
    weir__pr_pull_destroy(pull);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PR_SPEC(configurations_out_of_range_are_refused, "host:2"),
        PR_SPEC(choices_that_do_not_go_together_are_refused, "host:2"),
        PR_SPEC(auto_pulls_where_devices_go_in_step, "host:2"),
        PR_SPEC(auto_pulls_where_devices_go_in_step, "cuda:0-1"),
        PR_SPEC(auto_pulls_where_devices_go_in_step, "cuda:0,host:1"),
        PR_SPEC(nothing_at_all_has_no_ranks, "host:3"),
        PR_SPEC(nothing_at_all_has_no_ranks, "cuda:0"),
        PR_SPEC(iterations_may_be_limited, "host:1"),
        PR_SPEC(iterations_may_be_limited, "host:2x3"),
        PR_SPEC(iterations_may_be_limited, "cuda:0"),
        PR_SPEC(the_smallest_tolerances_end, "host:2"),
        PR_SPEC(the_smallest_tolerances_end, "cuda:0"),
        PR_SPEC(a_cancel_ends_a_run, "host:1"),
        PR_SPEC(a_cancel_ends_a_run, "host:2x3"),
        PR_SPEC(a_cancel_ends_a_run, "cuda:0"),
        PR_SPEC(a_cancel_ends_a_run, "cuda:0-1"),
        PR_SPEC(a_run_that_is_stopped_leaves_no_ranks, "host:1"),
        PR_SPEC(a_run_that_is_stopped_leaves_no_ranks, "host:2x3"),
        PR_SPEC(a_run_that_is_stopped_leaves_no_ranks, "cuda:0"),
        PR_SPEC(a_time_limit_ends_a_run, "host:1"),
        PR_SPEC(a_time_limit_ends_a_run, "host:3"),
        PR_SPEC(a_time_limit_ends_a_run, "cuda:0"),
        PR_SPEC(a_time_limit_ends_a_run, "cuda:0-1"),
        PR_SPEC(every_fault_is_an_error, "host:2"),
        PR_SPEC(doubles_come_to_all_parts_or_none, "host:3"),
        PR_SPEC(no_memory_for_doubles, "host:1"),
        PR_SPEC(no_memory_for_doubles, "host:3"),
        PR_SPEC(floats_that_do_not_come_to_rest, "host:1"),
        PR_SPEC(floats_that_do_not_come_to_rest, "host:3"),
        PR_SPEC(floats_that_do_not_come_to_rest, "cuda:0"),
        PR_SPEC(floats_that_do_not_come_to_rest, "cuda:0-1"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
