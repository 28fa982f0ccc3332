/** @file test_cc_stream.c  Components of arcs that come in segments: tiny ones, small pools, planned trees. */
#include "tests/algorithms/cc_fixture.h"
#include "topology/topology.h"

static const weir_run_options defaults = WEIR_RUN_OPTIONS_INIT;

static void stream(weir_context *context, const weir_graph *graph, size_t bytes)
{
    uint32_t *labels = malloc(graph->vertices * sizeof *labels + 1);
    weir__cc_streamed *cc;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    assert_non_null(labels);
    if (weir__cc_streamed_create(context, graph, weir_context_device_count(context), &defaults,
                                 bytes, &cc))
        fail_msg("%s: %s", graph->name, weir_error_detail());
    for (int run = 0; run < 2; run++) {
        if (weir__cc_streamed_run(cc, &stats))
            fail_msg("%s: %s", graph->name, weir_error_detail());
        assert_int_equal(weir__cc_streamed_labels(cc, labels), WEIR_OK);
        assert_labels(graph, labels, "tiny segments");
        /* the rows and arcs of a segment are at most its bytes */
        assert_true(stats.phase[0].steps * bytes >= stats.work.atoms * 4);
    }
    weir__cc_streamed_destroy(cc);
    free(labels);
}

static void tiny_segments(void **state)
{
    static const size_t bytes[] = {64, 4096};
    weir_context *context = context_or_skip(*state);
    for (int i = 0; i < 2 * 2; i++) {
        weir_graph *graph = open_graph("rmat:7,8", i % 2);
        stream(context, graph, bytes[i / 2]);
        weir_graph_destroy(graph);
    }
    for (int shape = 0; shape < SHAPES; shape++) {
        weir_graph *graph = shaped((enum shape)shape, 0);
        stream(context, graph, 4096);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* More segments than an input may have under way: they wait for room. */
static void one_message_under_way(void **state)
{
    static const char *const settings[] = {"link_messages=1", "link_bytes=16", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_graph *graph = open_graph("rmat:8", 0);
    stream(context, graph, 256);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void assert_first_phase(weir_context *context, const weir_graph *graph, const char *name)
{
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_cc *cc;
    if (weir_cc_create(context, graph, NULL, NULL, WEIR_CC_AUTO, &cc))
        fail_msg("%s: %s", graph->name, weir_error_detail());
    assert_cc(cc, graph, name);
    assert_int_equal(weir_cc_run(cc, &stats), WEIR_OK);
    assert_string_equal(stats.phase[0].name, name);
    weir_cc_destroy(cc);
}

/* 8 MB of arcs and 128 KiB of parents, in pools of 1 MiB. */
static void more_arcs_than_the_pools_hold(void **state)
{
    weir_context *context = context_with_pool(*state, "1MiB");
    weir_graph *graph = open_graph("rmat:15,32", 1);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_cc *cc;
    options.memory = WEIR_MEMORY_DEVICE;
    assert_true(graph->arcs * 4 > (UINT64_C(4) << 20));
    assert_int_equal(weir_cc_create(context, graph, NULL, &options, WEIR_CC_RESIDENT, &cc),
                     WEIR_ERR_NOMEM);
    assert_null(cc);
    assert_first_phase(context, graph, "stream");
    weir_context_destroy(context);
    weir_graph_destroy(graph);
}

static void arcs_that_fit_reside(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_graph *graph = open_graph("rmat:9", 1);
    assert_first_phase(context, graph, "first");
    weir_context_destroy(context);
    weir_graph_destroy(graph);
}

/* The estimate says yes, as it does not know that in-arcs are needed; building says no. */
static void an_estimate_that_was_wrong(void **state)
{
    weir_graph *graph = open_graph("rmat:14,16", 0);
    uint64_t least = weir__cc_resident_bytes(graph, 1);
    char pool[32];
    snprintf(pool, sizeof pool, "%llu", (unsigned long long)(least + least / 8));
    weir_context *context = context_with_pool(*state, pool);
    assert_first_phase(context, graph, "stream");
    weir_context_destroy(context);
    weir_graph_destroy(graph);
}

static void parents_that_do_not_fit_are_refused(void **state)
{
    weir_graph *graph = open_graph("grid:700x700", 0); /* 1.9 MB of parents */
    weir_context *context = context_with_pool(*state, "1MiB");
    weir_cc *cc;
    assert_int_equal(weir_cc_create(context, graph, NULL, NULL, WEIR_CC_AUTO, &cc), WEIR_ERR_NOMEM);
    assert_null(cc);
    weir_context_destroy(context);
    weir_graph_destroy(graph);
}

/* ---- machines ------------------------------------------------------------------------------- */

static weir_context *simulated(const char *text)
{
    weir_machine *machine;
    weir_context *context;
    if (weir_machine_open(text, &machine) || weir_machine_simulate(machine, NULL, &context))
        fail_msg("%s: %s", text, weir_error_detail());
    weir_machine_destroy(machine);
    return context;
}

static void simulated_devices_stream(void **state)
{
    static const char *const texts[] = {"4*nvswitch", "2x2*pcie-tree", "dgx1v"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        weir_context *context = simulated(texts[i]);
        weir_graph *graph = open_graph("grid:50x40,.6", 0);
        assert_first_phase(context, graph, "stream");
        weir_graph_destroy(graph);
        weir_context_destroy(context);
    }
}

/* Everybody comes to the top; in a round a device sends once, after all it waits for, or receives once. */
static void assert_tree(const weir__cc_merge_tree *tree)
{
    uint32_t received[WEIR_DEVICES_MAX][WEIR_DEVICES_MAX] = {{0}}, children = 0;
    assert_true(tree->top < tree->devices);
    assert_int_equal(tree->parent[tree->top], tree->top);
    for (uint32_t d = 0; d < tree->devices; d++) {
        uint32_t at = d, steps = 0;
        children += tree->children[d];
        for (; at != tree->top && steps < tree->devices; steps++)
            at = tree->parent[at];
        assert_int_equal(at, tree->top);
        if (d == tree->top)
            continue;
        assert_true(tree->round[d] < tree->rounds);
        assert_int_equal(received[tree->round[d]][tree->parent[d]]++, 0);
        if (tree->parent[d] != tree->top)
            assert_true(tree->round[d] < tree->round[tree->parent[d]]);
    }
    assert_int_equal(children, tree->devices - 1);
}

static void plans(void **state)
{
    static const char *const texts[] = {"8*nvswitch", "2x4*pcie-tree", "dgx1v", "1*nvswitch"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        weir_context *context = simulated(texts[i]);
        for (uint32_t n = 1; n <= weir_context_device_count(context); n++)
            for (int route = WEIR_ROUTE_AUTO; route <= WEIR_ROUTE_STAGED; route++) {
                weir__cc_merge_tree tree;
                assert_int_equal(
                    weir__cc_merge_tree_make(context, n, (weir_route_kind)route, &tree), WEIR_OK);
                assert_tree(&tree);
                /* Between equals the reduction tree is a binomial one. */
                if (i == 0 && route == WEIR_ROUTE_AUTO)
                    assert_int_equal(1u << tree.rounds >= n && 1u << tree.rounds < 2 * n, 1);
                if (route == WEIR_ROUTE_DIRECT || route == WEIR_ROUTE_RING)
                    assert_int_equal(tree.rounds, n - 1);
            }
        weir_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(tiny_segments) ON_MIXED_DEVICES(tiny_segments)
            CC_TEST(one_message_under_way, "host:1") CC_TEST(one_message_under_way, "host:3")
                CC_TEST(one_message_under_way, "cuda:0-1")
                    CC_TEST(more_arcs_than_the_pools_hold, "host:1")
                        CC_TEST(more_arcs_than_the_pools_hold, "host:3")
                            CC_TEST(more_arcs_than_the_pools_hold, "cuda:0-1")
                                CC_TEST(arcs_that_fit_reside, "host:2")
                                    CC_TEST(arcs_that_fit_reside, "cuda:0")
                                        CC_TEST(an_estimate_that_was_wrong, "host:1")
                                            CC_TEST(parents_that_do_not_fit_are_refused, "host:2")
                                                cmocka_unit_test(simulated_devices_stream),
        cmocka_unit_test(plans),
    };
    return cmocka_run_group_tests_name("cc streamed", tests, make_folder, remove_folder);
}
