/** @file test_trace.c  What a trace has of algorithms: the spans of phases add up to what the statistics of the same run say,
 * and the run is a span of its own, as long as the kernels took. */
#include "tests/algorithms/graph_fixture.h"
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
    assert_near(traced_ms(ran->trace, "run", NULL, 0, &spans),
                ran->stats.work.ms + ran->stats.work.reset_ms, "run");
    assert_int_equal(spans, 1);
}

static weir_context *open_devices(void **state)
{
    weir_context *context;
    weir_status status = weir_context_create(*state, NULL, &context);
    if (status == WEIR_ERR_NODEV)
        skip_without(*state);
    ok(status);
    return context;
}

static void supersteps_add_up(void **state)
{
    weir_context *context = open_devices(state);
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
    weir_context *context = open_devices(state);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
