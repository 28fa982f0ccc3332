/** @file test_trace.c  What a trace has of algorithms: the spans of phases add up to what the statistics of the same run say,
 * and the run is a span of its own, as long as the kernels took. */
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"
#include "tests/lib/traced.h"

#include <jansson.h>
#include <math.h>

#define WITHIN 0.01 /* of a time; or, where that is more, */
#define MS     0.002

enum algorithm { BFS, SSSP, PR, CC };

struct ran {
    json_t *trace;
    char *dot;
    weir_run_stats stats;
    uint32_t devices;
};

static void ok(weir_status status)
{
    if (status)
        fail_msg("%s", weir_error_detail());
}

static void run_it(weir_context *context, const weir_graph *graph, enum algorithm algorithm,
                   const weir_run_options *options, weir_run_stats *stats)
{
    weir_bfs *bfs = NULL;
    weir_sssp *sssp = NULL;
    weir_pr *pr = NULL;
    weir_cc *cc = NULL;
    switch (algorithm) {
    case BFS:
        ok(weir_bfs_create(context, graph, NULL, options, &bfs));
        ok(weir_context_trace(context, NULL));
        ok(weir_bfs_run(bfs, 1, stats));
        break;
    case SSSP:
        ok(weir_sssp_create(context, graph, NULL, options, &sssp));
        ok(weir_context_trace(context, NULL));
        ok(weir_sssp_run(sssp, 1, stats));
        break;
    case PR:
        ok(weir_pr_create(context, graph, NULL, options, NULL, &pr));
        ok(weir_context_trace(context, NULL));
        ok(weir_pr_run(pr, stats));
        break;
    default:
        ok(weir_cc_create(context, graph, NULL, options, WEIR_CC_AUTO, &cc));
        ok(weir_context_trace(context, NULL));
        ok(weir_cc_run(cc, stats));
    }
    ok(weir_context_trace_stop(context, NULL));
    weir_bfs_destroy(bfs);
    weir_sssp_destroy(sssp);
    weir_pr_destroy(pr);
    weir_cc_destroy(cc);
}

static struct ran run_traced(weir_context *context, enum algorithm algorithm,
                             const weir_run_options *options)
{
    struct ran ran = {.stats = WEIR_RUN_STATS_INIT, .devices = weir_context_device_count(context)};
    weir_graph_options open = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph;
    open.undirected = 1;
    ok(weir_graph_open("rmat:12", &open, &graph));
    if (algorithm == SSSP)
        ok(weir_graph_weigh(
            graph, &(weir_weights){.kind = WEIR_WEIGHTS_RANDOM, .low = 1, .high = 255, .seed = 1}));
    run_it(context, graph, algorithm, options, &ran.stats);
    weir_graph_destroy(graph);
    ran.trace = traced(context);
    ran.dot = traced_text(context, WEIR_TRACE_DOT);
    assert_non_null(ran.trace);
    assert_non_null(ran.dot);
    const char *flaw = traced_flaw(ran.trace);
    if (flaw)
        fail_msg("%s", flaw);
    return ran;
}

static void drop(struct ran *ran)
{
    json_decref(ran->trace);
    free(ran->dot);
}

static void assert_near(double traced, double said, const char *what)
{
    if (fabs(traced - said) > fmax(WITHIN * said, MS))
        fail_msg("%s: %.6f ms in the trace, %.6f ms by the statistics", what, traced, said);
}

/* Of a run in step the statistics have the device that took longest. */
static void assert_steps_add_up(const struct ran *ran)
{
    int phases = 0;
    size_t runs;
    char *text = json_dumps(ran->trace, 0);
    assert_non_null(strstr(text, "of supersteps"));
    free(text);
    for (int i = 0; i < WEIR_RUN_PHASES && ran->stats.phase[i].name; i++) {
        const weir_run_phase *phase = &ran->stats.phase[i];
        double most = 0;
        for (uint32_t d = 0; d < ran->devices; d++)
            most = fmax(most, traced_ms(ran->trace, "phase", phase->name, (int)d + 1, NULL));
        assert_near(most, phase->ms, phase->name);
        phases += phase->steps > 0;
    }
    assert_true(phases > 0);
    assert_true(traced_ms(ran->trace, "run", NULL, 0, &runs) >=
                ran->stats.kernel_ms * (1 - WITHIN));
    assert_int_equal(runs, 1);
}

/* Of one through the worklist they have the sum over all workers. */
static void assert_rounds_add_up(const struct ran *ran)
{
    double all = 0;
    size_t spans;
    for (int p = 0; p < WEIR_PHASES; p++) {
        const char *name = weir_phase_text((weir_phase)p);
        const double traced = traced_ms(ran->trace, "phase", name, 0, NULL);
        assert_near(traced, ran->stats.work.phase_ms[p], name);
        all += traced;
    }
    assert_true(all > 0);
    const double run = traced_ms(ran->trace, "run", NULL, 0, &spans);
    if (ran->stats.epochs) { /* each is a run, and between them residuals are added up */
        assert_true(run > 0 && run <= ran->stats.work.ms * (1 + WITHIN));
        assert_int_equal(spans, ran->stats.epochs);
        return;
    }
    assert_near(run, ran->stats.work.ms + ran->stats.work.reset_ms, "run");
    assert_int_equal(spans, 1);
}

static void supersteps_add_up(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    for (enum algorithm a = BFS; a <= CC; a++) {
        struct ran ran = run_traced(context, a, &options);
        assert_true(ran.stats.steps > 0);
        assert_steps_add_up(&ran);
        drop(&ran);
    }
    weir_context_destroy(context);
}

static void rounds_add_up(void **state)
{
    static const weir_kernel_kind kernels[] = {WEIR_KERNEL_FUSED, WEIR_KERNEL_DISCRETE};
    static const weir_order_kind orders[] = {WEIR_ORDER_FIFO, WEIR_ORDER_SOFT, WEIR_ORDER_BULK};
    weir_context *context = open_or_skip(state);
    const size_t first =
        strchr(*state, ',') ? 1 : 0; /* resident kernels are of devices of one kind */
    for (size_t k = first; k < 2; k++)
        for (size_t o = 0; o < 3; o++)
            for (enum algorithm a = BFS; a <= PR; a++) {
                weir_run_options options = WEIR_RUN_OPTIONS_INIT;
                options.direction = WEIR_DIRECTION_PUSH;
                options.kernel = kernels[k];
                options.order = orders[o];
                struct ran ran = run_traced(context, a, &options);
                assert_rounds_add_up(&ran);
                if (ran.devices > 1 && ran.stats.work.sent)
                    assert_non_null(strstr(ran.dot, "\" -> \""));
                drop(&ran);
            }
    weir_context_destroy(context);
}

/* ---- runs that follow each other --------------------------------------------------------------- */

#define RUNS 3
#define MANY 80 /* notes of a run at least: more than the host expects of a first one */

/* Ranks that take many iterations. */
static weir_pr *open_pr(weir_context *context)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_graph *graph = open_graph("grid:30x30", 1);
    weir_pr *pr;
    options.direction = WEIR_DIRECTION_PULL;
    config.iterations = 2 * MANY;
    ok(weir_pr_create(context, graph, NULL, &options, &config, &pr));
    weir_graph_destroy(graph);
    return pr;
}

/* @param[out] ms, steps  of each phase, added up over the runs. @return all steps. */
static uint64_t run_pr(weir_pr *pr, int runs, double ms[WEIR_RUN_PHASES])
{
    uint64_t steps = 0;
    memset(ms, 0, WEIR_RUN_PHASES * sizeof *ms);
    for (int i = 0; i < runs; i++) {
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        ok(weir_pr_run(pr, &stats));
        for (int p = 0; p < WEIR_RUN_PHASES; p++) {
            ms[p] += stats.phase[p].ms;
            steps += stats.phase[p].steps;
        }
    }
    return steps;
}

/* Each run tells its own steps: the first, of which more come than the host expects, those behind it, and those of a later
 * trace. What a run did that no trace saw is told by none. */
static void runs_tell_their_own_steps(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_pr *pr = open_pr(context);
    for (int runs = 1; runs <= RUNS; runs++) {
        double ms[WEIR_RUN_PHASES];
        size_t spans;
        ok(weir_context_trace(context, NULL));
        const uint64_t steps = run_pr(pr, runs, ms);
        ok(weir_context_trace_stop(context, NULL));
        json_t *trace = traced(context);
        if (weir_context_device_count(context) ==
            1) /* else of each run the one that took longest */
            assert_near(traced_ms(trace, "phase", "gather", 1, NULL), ms[0], "gather");
        (void)traced_ms(trace, "phase", NULL, 1, &spans);
        assert_int_equal(spans, steps);
        assert_true(steps >= (uint64_t)(runs * MANY));
        json_decref(trace);
        (void)run_pr(pr, 1, ms);
    }
    weir_pr_destroy(pr);
    weir_context_destroy(context);
}

static void runs_tell_their_own_rounds(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:200x200", 1);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    double ms[WEIR_PHASES] = {0};
    weir_sssp *sssp;
    size_t spans;
    weir_device_info_get(weir_context_device(context, 0), &info);
    options.direction = WEIR_DIRECTION_PUSH;
    options.kernel = WEIR_KERNEL_FUSED;
    ok(weir_graph_weigh(
        graph, &(weir_weights){.kind = WEIR_WEIGHTS_RANDOM, .low = 1, .high = 255, .seed = 1}));
    ok(weir_sssp_create(context, graph, NULL, &options, &sssp));
    weir_graph_destroy(graph);
    ok(weir_context_trace(context, NULL));
    for (int i = 0; i < RUNS; i++) {
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        ok(weir_sssp_run(sssp, 0, &stats));
        for (int p = 0; p < WEIR_PHASES; p++)
            ms[p] += stats.work.phase_ms[p];
    }
    ok(weir_context_trace_stop(context, NULL));
    json_t *trace = traced(context);
    for (int p = 0; p < WEIR_PHASES; p++) {
        const char *name = weir_phase_text((weir_phase)p);
        assert_near(traced_ms(trace, "phase", name, 0, NULL), ms[p], name);
    }
    (void)traced_ms(trace, "phase", NULL, 0, &spans);
    /* GPUs note a stretch of rounds that no decider saw once. */
    assert_true(spans >= (info.kind == WEIR_DEVICE_CUDA ? RUNS : RUNS * MANY));
    json_decref(trace);
    weir_sssp_destroy(sssp);
    weir_context_destroy(context);
}

/* Of each run the first are kept, and the others are counted. */
static void notes_are_bounded(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_trace_config config = WEIR_TRACE_CONFIG_INIT;
    weir_pr *pr = open_pr(context);
    for (config.notes = MANY; config.notes; config.notes /= 10) {
        weir_trace_stats stats = WEIR_TRACE_STATS_INIT;
        double ms[WEIR_RUN_PHASES];
        size_t spans;
        ok(weir_context_trace(context, &config));
        const uint64_t steps = run_pr(pr, RUNS, ms);
        ok(weir_context_trace_stop(context, &stats));
        json_t *trace = traced(context);
        (void)traced_ms(trace, "phase", NULL, 1, &spans);
        assert_int_equal(spans, RUNS * config.notes);
        assert_true(stats.dropped >= steps - spans); /* by each device as many */
        json_decref(trace);
    }
    weir_pr_destroy(pr);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"supersteps_add_up[host:1]", supersteps_add_up, NULL, NULL, (void *)"host:1"},
        {"supersteps_add_up[host:2]", supersteps_add_up, NULL, NULL, (void *)"host:2"},
        {"supersteps_add_up[host:3x2]", supersteps_add_up, NULL, NULL, (void *)"host:3x2"},
        {"supersteps_add_up[cuda:0]", supersteps_add_up, NULL, NULL, (void *)"cuda:0"},
        {"supersteps_add_up[cuda:0-1]", supersteps_add_up, NULL, NULL, (void *)"cuda:0-1"},
        {"rounds_add_up[host:1]", rounds_add_up, NULL, NULL, (void *)"host:1"},
        {"rounds_add_up[host:3]", rounds_add_up, NULL, NULL, (void *)"host:3"},
        {"rounds_add_up[cuda:0]", rounds_add_up, NULL, NULL, (void *)"cuda:0"},
        {"rounds_add_up[cuda:0-1]", rounds_add_up, NULL, NULL, (void *)"cuda:0-1"},
        {"rounds_add_up[cuda:0,host:1]", rounds_add_up, NULL, NULL, (void *)"cuda:0,host:1"},
        {"runs_tell_their_own_steps[host:1]", runs_tell_their_own_steps, NULL, NULL,
         (void *)"host:1"},
        {"runs_tell_their_own_steps[host:2]", runs_tell_their_own_steps, NULL, NULL,
         (void *)"host:2"},
        {"runs_tell_their_own_steps[cuda:0]", runs_tell_their_own_steps, NULL, NULL,
         (void *)"cuda:0"},
        {"runs_tell_their_own_steps[cuda:0-1]", runs_tell_their_own_steps, NULL, NULL,
         (void *)"cuda:0-1"},
        {"runs_tell_their_own_rounds[host:1]", runs_tell_their_own_rounds, NULL, NULL,
         (void *)"host:1"},
        {"runs_tell_their_own_rounds[host:2]", runs_tell_their_own_rounds, NULL, NULL,
         (void *)"host:2"},
        {"runs_tell_their_own_rounds[cuda:0]", runs_tell_their_own_rounds, NULL, NULL,
         (void *)"cuda:0"},
        {"runs_tell_their_own_rounds[cuda:0-1]", runs_tell_their_own_rounds, NULL, NULL,
         (void *)"cuda:0-1"},
        {"notes_are_bounded[host:2]", notes_are_bounded, NULL, NULL, (void *)"host:2"},
        {"notes_are_bounded[cuda:0]", notes_are_bounded, NULL, NULL, (void *)"cuda:0"},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
