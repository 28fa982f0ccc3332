/** @file test_sums.c  Operators whose updates add up (sum_tmpl.h): none is lost or doubled, and what goes to one far vertex
 * is sent as one. */
#include "tests/lib/live.h"
#include "tests/algorithms/traversal_fixture.h"
#include "tests/lib/paths_op.h"

extern const weir_operator weir__paths_operator;

/* The arcs of a graph that lead to larger ids. */
static weir_graph *acyclic(const char *text)
{
    weir_graph *whole = open_graph(text, 1), *graph;
    uint32_t *sources = malloc((size_t)whole->arcs * 4 + 4);
    uint32_t *targets = malloc((size_t)whole->arcs * 4 + 4);
    uint64_t arcs = 0;
    assert_true(sources && targets);
    for (uint64_t v = 0; v < whole->vertices; v++)
        for (uint64_t arc = whole->offsets[v]; arc < whole->offsets[v + 1]; arc++)
            if (whole->targets[arc] > v) {
                sources[arcs] = (uint32_t)v;
                targets[arcs++] = whole->targets[arc];
            }
    OK(weir_graph_from_arcs(whole->vertices, arcs, sources, targets, NULL, NULL, &graph));
    weir_graph_destroy(whole);
    free(sources);
    free(targets);
    return graph;
}

/* Ways to each vertex, one vertex after the other; `ways` holds what they begin with. */
static void count(const weir_graph *graph, uint64_t *ways)
{
    for (uint64_t v = 0; v < graph->vertices; v++)
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++)
            ways[graph->targets[arc]] += ways[v];
}

static struct placed place_paths(weir_context *context, const weir_graph *graph,
                                 const weir_partition *partition, const weir_run_options *options)
{
    weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    config.value_bytes = sizeof(paths_value);
    config.fill = 0;
    config.halo_items = 1;
    struct placed paths = place(context, graph, partition, &weir__paths_operator, options, &config);
    for (uint32_t p = 0; p < paths.parts; p++) {
        const paths_state state = {*weir_placement_part(paths.placement, p),
                                   weir_traversal_values(paths.traversal, p), 1, 0};
        OK(weir_traversal_bind(paths.traversal, p, &state));
    }
    return paths;
}

/* What a run found against what is wanted. */
static weir_run_stats compare(const struct placed *paths, const weir_graph *graph,
                              const uint64_t *want)
{
    paths_value *have = malloc(graph->vertices * sizeof *have);
    assert_non_null(have);
    const weir_run_stats stats = run_placed(paths);
    OK(weir_traversal_gather(paths->traversal, have));
    for (uint64_t v = 0; v < graph->vertices; v++) {
        assert_int_equal(have[v].coming, 0);
        if (have[v].ways != want[v])
            fail_msg("%s: vertex %llu is reached on %llu ways, not %llu", graph->name,
                     (unsigned long long)v, (unsigned long long)have[v].ways,
                     (unsigned long long)want[v]);
    }
    free(have);
    return stats;
}

/* From one vertex, twice; then from all, which the devices begin with; then from one again. */
static void check(weir_context *context, const weir_graph *graph, const weir_partition *partition,
                  const weir_run_options *options)
{
    struct placed paths = place_paths(context, graph, partition, options);
    uint64_t *want = calloc(graph->vertices, sizeof *want);
    assert_non_null(want);
    for (int turn = 0; turn < 4; turn++) {
        const uint64_t source = (uint64_t)turn * graph->vertices / 8;
        for (uint64_t v = 0; v < graph->vertices; v++)
            want[v] = turn == 2 ? 1 : v == source ? (uint64_t)turn + 1 : 0;
        count(graph, want);
        if (turn == 2) {
            OK(weir_traversal_seed_all(paths.traversal));
        } else {
            paths_wire seed = {0, 0, (uint64_t)turn + 1};
            uint32_t part;
            OK(weir_placement_locate(paths.placement, source, &part, &seed.vertex, NULL));
            OK(weir_traversal_seed(paths.traversal, part, &seed, 1));
        }
        compare(&paths, graph, want);
    }
    free(want);
    take_away(&paths);
}

static void sums_are_those_of_a_serial_loop(void **state)
{
    static const char *const texts[] = {"rmat:9,8", "grid:20x20", "rmat:11,2", "grid:1x1"};
    weir_context *context = open_or_skip(state);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        weir_graph *graph = acyclic(texts[i]);
        check(context, graph, NULL, NULL);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static const weir_kernel_kind kernels[] = {WEIR_KERNEL_AUTO, WEIR_KERNEL_DISCRETE,
                                           WEIR_KERNEL_LIVE};

/* Live kernels want host devices or one GPU, and have no order but the first. */
static size_t kernels_on(const char *spec)
{
    return live_runs_on(spec) ? 3 : 2;
}

static int orders_with(weir_kernel_kind kernel)
{
    return kernel == WEIR_KERNEL_LIVE ? WEIR_ORDER_FIFO : WEIR_ORDER_BULK;
}

static void in_every_order_and_over_every_route(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = acyclic("rmat:8,4");
    weir_partition *partition = random_partition(context, graph);
    for (size_t k = 0; k < kernels_on(*state); k++)
        for (int order = WEIR_ORDER_FIFO; order <= orders_with(kernels[k]); order++)
            for (int route = WEIR_ROUTE_AUTO; route <= WEIR_ROUTE_STAGED; route++) {
                weir_run_options options = WEIR_RUN_OPTIONS_INIT;
                options.kernel = kernels[k];
                options.order = (weir_order_kind)order;
                options.route = (weir_route_kind)route;
                check(context, graph, partition, &options);
            }
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* One vertex leads to many, and they all lead to one of another part: that one gets few items, not one from each. */
static void what_goes_to_one_far_vertex_is_sent_as_one(void **state)
{
    enum { MANY = 20000, LAST = MANY + 1, ALL = MANY + 2 };
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    uint32_t *sources = malloc(2 * MANY * sizeof *sources);
    uint32_t *targets = malloc(2 * MANY * sizeof *targets);
    uint8_t *owner = calloc(ALL, 1);
    uint64_t *want = calloc(ALL, sizeof *want);
    weir_graph *graph;
    assert_true(sources && targets && owner && want);
    for (uint32_t i = 0; i < MANY; i++) {
        sources[2 * i] = 0;
        targets[2 * i] = sources[2 * i + 1] = i + 1;
        targets[2 * i + 1] = LAST;
    }
    OK(weir_graph_from_arcs(ALL, 2 * MANY, sources, targets, NULL, NULL, &graph));
    owner[LAST] = (uint8_t)(parts - 1);
    const weir_partition partition = {
        .kind = WEIR_PARTITION_BLOCK, .parts = parts, .vertices = ALL, .owner = owner};
    struct placed paths = place_paths(context, graph, &partition, NULL);
    const paths_wire seed = {0, 0, 3};
    want[0] = 3;
    count(graph, want);
    assert_int_equal(want[LAST], 3 * MANY);
    OK(weir_traversal_seed(paths.traversal, 0, &seed, 1));
    weir_run_stats stats = compare(&paths, graph, want);
    assert_true(stats.work.sent >= 1 && stats.work.sent < MANY / 20);
    take_away(&paths);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
    free(sources);
    free(targets);
    free(owner);
    free(want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(sums_are_those_of_a_serial_loop),
        ON_EACH_SPEC(in_every_order_and_over_every_route),
        ON_BACKEND(what_goes_to_one_far_vertex_is_sent_as_one, "host:2"),
        ON_BACKEND(what_goes_to_one_far_vertex_is_sent_as_one, "host:2x2"),
        ON_BACKEND(what_goes_to_one_far_vertex_is_sent_as_one, "cuda:0-1"),
    };
    return cmocka_run_group_tests_name("sums", tests, NULL, NULL);
}
