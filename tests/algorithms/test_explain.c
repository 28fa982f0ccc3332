/** @file test_explain.c  What objects say that their runs will pick is what the runs say that they picked, with a reason for all
 * that was left open, and none for what was asked for. */
#include "tests/algorithms/sssp_fixture.h"

enum algorithm { BFS, SSSP, PR, CC, ALGORITHMS };

/* What was asked for, and what that leaves no reason for. */
struct ask {
    const char *what;
    weir_direction direction;
    weir_order_kind order;
    uint32_t delta;
    weir_kernel_kind kernel;
    weir_route_kind route;
};

static const struct ask asks[] = {
    {"nothing", WEIR_DIRECTION_AUTO, WEIR_ORDER_AUTO, 0, WEIR_KERNEL_AUTO, WEIR_ROUTE_AUTO},
    {"push", WEIR_DIRECTION_PUSH, WEIR_ORDER_AUTO, 0, WEIR_KERNEL_AUTO, WEIR_ROUTE_AUTO},
    {"a route", WEIR_DIRECTION_PUSH, WEIR_ORDER_AUTO, 0, WEIR_KERNEL_AUTO, WEIR_ROUTE_RING},
    {"an order", WEIR_DIRECTION_PUSH, WEIR_ORDER_SOFT, 17, WEIR_KERNEL_AUTO, WEIR_ROUTE_AUTO},
    {"a kernel", WEIR_DIRECTION_AUTO, WEIR_ORDER_AUTO, 0, WEIR_KERNEL_DISCRETE, WEIR_ROUTE_AUTO},
    {"live", WEIR_DIRECTION_AUTO, WEIR_ORDER_AUTO, 0, WEIR_KERNEL_LIVE, WEIR_ROUTE_AUTO}};
enum { ASKS = sizeof asks / sizeof *asks };

static weir_graph *weighted_graph(const char *text)
{
    weir_graph *graph = open_graph(text, 0);
    weigh(graph, "random:1-255:1");
    return graph;
}

static weir_run_options options_of(const struct ask *ask)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.direction = ask->direction;
    options.order = ask->order;
    options.delta = ask->delta;
    options.kernel = ask->kernel;
    options.route = ask->route;
    return options;
}

struct found {
    weir_run_stats picked, ran;
    weir_run_reasons reasons;
    char why_form[256], why_delta[256]; /* the object's texts are gone with it */
};

#define FIND(id, create, run)                                          \
    do {                                                               \
        weir_##id *id;                                                 \
        OK(create);                                                    \
        STATUS(weir_##id##_explain(id, NULL, NULL), WEIR_ERR_INVALID); \
        OK(weir_##id##_explain(id, &found->picked, NULL));             \
        OK(weir_##id##_explain(id, &found->picked, &found->reasons));  \
        if (found->reasons.why_form)                                   \
            strcpy(found->why_form, found->reasons.why_form);          \
        if (found->reasons.why_delta)                                  \
            strcpy(found->why_delta, found->reasons.why_delta);        \
        OK(run);                                                       \
        weir_##id##_destroy(id);                                       \
    } while (0)

static void find(enum algorithm algorithm, weir_context *context, const weir_graph *graph,
                 const weir_run_options *options, struct found *found)
{
    *found = (struct found){.picked = WEIR_RUN_STATS_INIT,
                            .ran = WEIR_RUN_STATS_INIT,
                            .reasons = WEIR_RUN_REASONS_INIT};
    if (algorithm == BFS)
        FIND(bfs, weir_bfs_create(context, graph, NULL, options, &bfs),
             weir_bfs_run(bfs, 0, &found->ran));
    else if (algorithm == SSSP)
        FIND(sssp, weir_sssp_create(context, graph, NULL, options, &sssp),
             weir_sssp_run(sssp, 0, &found->ran));
    else if (algorithm == PR)
        FIND(pr, weir_pr_create(context, graph, NULL, options, NULL, &pr),
             weir_pr_run(pr, &found->ran));
    else
        FIND(cc, weir_cc_create(context, graph, NULL, options, WEIR_CC_AUTO, &cc),
             weir_cc_run(cc, &found->ran));
}

/* What a run says is the width at its end: in long ones it doubles. */
static void assert_begins_at(uint32_t first, uint32_t last)
{
    while (first && first < last)
        first *= 2;
    assert_int_equal(first, last);
}

static void assert_picked(const struct found *found)
{
    const weir_run_stats *picked = &found->picked, *ran = &found->ran;
    assert_int_equal(picked->direction, ran->direction);
    assert_int_equal(picked->devices, ran->devices);
    assert_ptr_equal(picked->why_devices, ran->why_devices);
    assert_int_equal(picked->bands, ran->bands);
    assert_int_equal(picked->hubs, ran->hubs);
    assert_int_equal(picked->work.route, ran->work.route);
    assert_int_equal(picked->work.order, ran->work.order);
    assert_int_equal(picked->work.kernel, ran->work.kernel);
    assert_int_equal(picked->work.worker, ran->work.worker);
    assert_int_equal(picked->work.fetch, ran->work.fetch);
    assert_int_equal(picked->work.mapping, ran->work.mapping);
    assert_int_equal(picked->work.group, ran->work.group);
    assert_int_equal(picked->work.cut, ran->work.cut);
    assert_int_equal(picked->work.queues, ran->work.queues);
    assert_begins_at(picked->work.delta, ran->work.delta);
    assert_int_equal(picked->reached, 0);
    assert_int_equal(picked->work.processed, 0);
    assert_true(picked->ms == 0);
}

static void assert_reasons(enum algorithm algorithm, const struct ask *ask,
                           const struct found *found)
{
    const weir_run_reasons *why = &found->reasons;
    const weir_run_stats *picked = &found->picked;
    const int push = algorithm != CC && picked->direction == WEIR_DIRECTION_PUSH;
    assert_non_null(why->form);
    assert_int_equal(why->why_form != NULL, ask->direction == WEIR_DIRECTION_AUTO);
    assert_int_equal(why->why_partition != NULL, picked->devices > 1);
    assert_int_equal(why->why_route != NULL, push && picked->devices > 1 && !ask->route);
    assert_int_equal(why->why_kernel != NULL, push && !ask->kernel);
    assert_int_equal(why->why_order != NULL, push && !ask->order);
    assert_int_equal(why->why_delta != NULL,
                     algorithm == SSSP && picked->work.order == WEIR_ORDER_SOFT && !ask->delta);
    assert_int_equal(why->why_bands != NULL,
                     algorithm == PR && picked->direction == WEIR_DIRECTION_PULL);
    if (why->why_order && algorithm == BFS)
        assert_non_null(
            strstr(why->why_order, ask->kernel == WEIR_KERNEL_LIVE ? "as they come" : "levels"));
    if (why->why_kernel && picked->devices == 1)
        assert_non_null(strstr(why->why_kernel, "one device"));
    if (ask->delta)
        assert_int_equal(picked->work.delta, ask->delta);
    if (ask->kernel && algorithm != CC)
        assert_string_equal(found->why_form, "only this form reads the options that were given");
}

static void what_is_said_is_what_runs_do(void **state)
{
    static const char *const graphs[] = {"rmat:8",   "grid:40x40",  "chain:300",
                                         "star:200", "complete:40", "uniform:8,20"};
    static const char *const specs[] = {"host:1", "host:3", "host:2x2", "host:1x1,host:1x3"};
    (void)state;
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        weir_context *context;
        OK(weir_context_create(specs[s], NULL, &context));
        for (size_t g = 0; g < sizeof graphs / sizeof *graphs; g++) {
            weir_graph *graph = weighted_graph(graphs[g]);
            for (int i = 0; i < ALGORITHMS * ASKS; i++) {
                const struct ask *ask = &asks[i / ALGORITHMS];
                const enum algorithm algorithm = (enum algorithm)(i % ALGORITHMS);
                const weir_run_options options = options_of(ask);
                struct found found;
                if (algorithm == CC && ask != asks) /* it has none of these options */
                    continue;
                find(algorithm, context, graph, &options, &found);
                assert_picked(&found);
                assert_reasons(algorithm, ask, &found);
            }
            weir_graph_destroy(graph);
        }
        weir_context_destroy(context);
    }
}

/* Each algorithm says what of the graph or the devices decided. */
static void reasons_name_what_decided(void **state)
{
    weir_context *host, *differ, *small;
    weir_config *config;
    weir_graph *hubs = weighted_graph("rmat:8"), *star = weighted_graph("star:200"),
               *chain = weighted_graph("chain:300"), *many = weighted_graph("complete:40");
    const weir_run_options none = WEIR_RUN_OPTIONS_INIT;
    struct found found;
    (void)state;
    OK(weir_context_create("host:3", NULL, &host));
    OK(weir_context_create("host:1x1,host:1x3", NULL, &differ));
    find(BFS, host, hubs, &none, &found);
    assert_string_equal(found.reasons.form, "breadth-first search in step");
    assert_non_null(strstr(found.why_form, "host devices"));
    assert_non_null(strstr(found.reasons.why_partition, "alike"));
    find(BFS, differ, hubs, &none, &found);
    assert_non_null(strstr(found.reasons.why_partition, "differ"));
    find(BFS, host, chain, &none, &found);
    assert_int_equal(found.picked.devices, 1);
    assert_non_null(strstr(found.picked.why_devices, "less than a thousand arcs"));
    weir_run_options push = WEIR_RUN_OPTIONS_INIT;
    push.direction = WEIR_DIRECTION_PUSH;
    find(SSSP, host, many, &push, &found); /* too few rounds to change the width */
    assert_int_equal(found.picked.work.delta, found.ran.work.delta);
    find(SSSP, host, star, &none, &found);
    assert_non_null(strstr(found.why_form, "there are hubs"));
    find(SSSP, host, many, &none, &found);
    assert_non_null(strstr(found.why_form, "many arcs"));
    find(SSSP, host, chain, &none, &found);
    assert_string_equal(found.reasons.form, "shortest paths through the worklist");
    assert_non_null(strstr(found.why_form, "neither hubs nor many arcs"));
    assert_null(strstr(found.why_delta, "counts"));
    weir_graph *real = chain_of(300, 0.1, 0.1);
    find(SSSP, host, real, &none, &found);
    assert_non_null(strstr(found.why_delta, "weighs 0.1 on average, which the width counts as 64"));
    weir_graph_destroy(real);
    real = chain_of(300, 0.5, 0.5);
    find(SSSP, host, real, &none, &found);
    assert_non_null(strstr(found.why_delta, "weighs 1 times 2^-1 on average, and"));
    weir_graph_destroy(real);
    find(CC, host, hubs, &none, &found);
    assert_non_null(strstr(found.why_form, "fit into the memory"));
    weir_context_destroy(differ);
    weir_context_destroy(host);

    /* Where the pools are too small for rows, arcs are streamed, and the sentence says what is missing. */
    weir_graph *large = weighted_graph("rmat:14"), *larger = weighted_graph("rmat:16");
    OK(weir_config_create(&config));
    OK(weir_config_set(config, "pool_bytes", "1MiB"));
    OK(weir_context_create("host:2", config, &small));
    find(CC, small, large, &none, &found);
    assert_string_equal(found.reasons.form, "connected components of arcs that are streamed");
    assert_non_null(strstr(found.why_form, "its pool of 1 MiB"));
    assert_null(found.reasons.why_partition);
    find(CC, small, larger, &none, &found);
    assert_non_null(strstr(found.why_form, "bytes of each device's pool"));
    weir_context_destroy(small);
    weir_config_destroy(config);
    weir_graph_destroy(large);
    weir_graph_destroy(larger);

    weir_graph_destroy(hubs);
    weir_graph_destroy(star);
    weir_graph_destroy(chain);
    weir_graph_destroy(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_said_is_what_runs_do),
        cmocka_unit_test(reasons_name_what_decided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
