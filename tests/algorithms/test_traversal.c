/** @file test_traversal.c  Traversals by the public interface: seeds, values, runs, what is refused.
 *
 * The operator is that of BFS, which test_bfs.c tests; with several seeds it finds the distance from the
 * nearest of them. */
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"
#include "algorithms/bfs/bfs_op.h"

extern const weir_operator weir__bfs_operator;

static weir_placement *place(weir_context *context, const weir_graph *graph)
{
    weir_placement *placement;
    if (weir_placement_create(context, graph, NULL, WEIR_PART_WEIGHTS_NONE, &placement))
        fail_msg("%s: %s", graph->name, weir_error_detail());
    return placement;
}

static weir_traversal *traverse(weir_placement *placement, const weir_run_options *options)
{
    weir_traversal *traversal;
    if (weir_traversal_create(placement, &weir__bfs_operator, options, NULL, &traversal))
        fail_msg("%s", weir_error_detail());
    return traversal;
}

static void bind(weir_traversal *traversal, const weir_placement *placement, uint32_t part)
{
    bfs_state state = {.part = *weir_placement_part(placement, part),
                       .level = weir_traversal_values(traversal, part)};
    OK(weir_traversal_bind(traversal, part, &state));
}

static void bind_all(weir_traversal *traversal, const weir_placement *placement)
{
    weir_context *context = weir_placement_context(placement);
    for (uint32_t p = 0; p < weir_context_device_count(context); p++)
        bind(traversal, placement, p);
}

static void seed(weir_traversal *traversal, const weir_placement *placement, uint64_t vertex,
                 uint32_t level)
{
    bfs_wire wire = {0, level};
    uint32_t part;
    OK(weir_placement_locate(placement, vertex, &part, &wire.vertex, NULL));
    OK(weir_traversal_seed(traversal, part, &wire, 1));
}

/* Distances from the nearest of `count` sources, by the serial reference. */
static uint32_t *nearest(const weir_graph *graph, const uint64_t *sources, int count)
{
    uint32_t *level = malloc(graph->vertices * sizeof *level);
    int32_t *one = malloc(graph->vertices * sizeof *one);
    assert_non_null(level);
    assert_non_null(one);
    memset(level, 0xFF, graph->vertices * sizeof *level);
    for (int i = 0; i < count; i++) {
        OK(weir_bfs_reference(graph, sources[i], one));
        for (uint64_t v = 0; v < graph->vertices; v++)
            if (one[v] >= 0 && (uint32_t)one[v] < level[v])
                level[v] = (uint32_t)one[v];
    }
    free(one);
    return level;
}

static void assert_run(weir_traversal *traversal, const weir_placement *placement,
                       const weir_graph *graph, const uint64_t *sources, int count)
{
    uint32_t *want = nearest(graph, sources, count), *have = malloc(graph->vertices * 4);
    uint64_t reached = 0, arcs = 0;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    assert_non_null(have);
    for (int i = 0; i < count; i++)
        seed(traversal, placement, sources[i], 0);
    if (weir_traversal_run(traversal, &stats))
        fail_msg("%s: %s", graph->name, weir_error_detail());
    OK(weir_traversal_gather(traversal, have));
    for (uint64_t v = 0; v < graph->vertices; v++) {
        if (have[v] != want[v])
            fail_msg("vertex %llu has %u, not %u", (unsigned long long)v, have[v], want[v]);
        if (want[v] != BFS_UNREACHED) {
            reached++;
            arcs += graph->offsets[v + 1] - graph->offsets[v];
        }
    }
    assert_int_equal(stats.reached, reached);
    assert_int_equal(stats.arcs_reached, arcs);
    assert_int_equal(stats.work.produced, stats.work.consumed);
    free(want);
    free(have);
}

static void seeds_of_many_vertices_in_one_run(void **state)
{
    static const uint64_t sources[] = {0, 511, 100, 17, 300, 100};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:9,2", 0);
    weir_placement *placement = place(context, graph);
    weir_traversal *traversal = traverse(placement, NULL);
    bind_all(traversal, placement);
    assert_run(traversal, placement, graph, sources, 6);
    assert_run(traversal, placement, graph, sources + 3, 1); /* and forgets it before the next */
    assert_run(traversal, placement, graph, sources, 0);     /* nothing is reached */
    assert_run(traversal, placement, graph, sources, 3);
    weir_traversal_destroy(traversal);
    weir_placement_destroy(placement);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void two_traversals_share_a_placement(void **state)
{
    static const uint64_t sources[] = {0, 259};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:20x13", 0);
    weir_placement *placement = place(context, graph);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    uint32_t levels[260];
    options.order = WEIR_ORDER_FIFO;
    options.route = WEIR_ROUTE_RING;
    weir_traversal *a = traverse(placement, NULL), *b = traverse(placement, &options);
    bind_all(a, placement);
    bind_all(b, placement);
    assert_run(a, placement, graph, sources, 1);
    assert_run(b, placement, graph, sources + 1, 1);
    OK(weir_traversal_gather(a, levels)); /* still those of its own run */
    assert_int_equal(levels[0], 0);
    assert_int_equal(levels[259], 19 + 12);
    weir_traversal_destroy(a);
    weir_traversal_destroy(b);
    weir_placement_destroy(placement);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void links_tell_what_they_carried(void **state)
{
    static const uint64_t source = 0;
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:20x13", 0);
    weir_placement *placement = place(context, graph);
    weir_traversal *traversal = traverse(placement, NULL);
    uint32_t devices = weir_context_device_count(context);
    uint64_t items = 0, all = 0;
    bind_all(traversal, placement);
    assert_run(traversal, placement, graph, &source, 1);
    for (uint32_t i = 0; i < devices * devices; i++) {
        OK(weir_traversal_link_items(traversal, i / devices, i % devices, &items));
        all += items;
    }
    assert_true((all > 0) == (devices > 1));
    STATUS(weir_traversal_link_items(traversal, 0, devices, &items), WEIR_ERR_INVALID);
    weir_traversal_destroy(traversal);
    weir_placement_destroy(placement);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void values_before_a_run_are_the_fill(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_graph *graph = open_graph("grid:5x4", 0);
    weir_placement *placement = place(context, graph);
    weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    weir_traversal *traversal;
    uint8_t values[20][12];
    config.value_bytes = 12;
    config.fill = 0x5A;
    OK(weir_traversal_create(placement, &weir__bfs_operator, NULL, &config, &traversal));
    memset(values, 0, sizeof values);
    OK(weir_traversal_gather(traversal, values));
    for (size_t i = 0; i < sizeof values; i++)
        assert_int_equal(values[i / 12][i % 12], 0x5A);
    weir_traversal_destroy(traversal);
    weir_placement_destroy(placement);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Levels that one search has left are where the next one begins: it finds what is nearer to its own source. */
static void values_that_are_kept_are_gone_on_with(void **state)
{
    static const uint64_t sources[] = {0, 511, 100};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:32x16", 0);
    weir_placement *placement = place(context, graph);
    weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    weir_traversal *traversal;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    uint32_t have[512];
    config.keep_values = 1;
    OK(weir_traversal_create(placement, &weir__bfs_operator, NULL, &config, &traversal));
    bind_all(traversal, placement);
    for (int round = 0; round < 2; round++) {
        for (int count = 1; count <= 3; count++) {
            uint32_t *want = nearest(graph, sources, count);
            uint64_t reached = 0;
            seed(traversal, placement, sources[count - 1], 0);
            OK(weir_traversal_run(traversal, &stats));
            OK(weir_traversal_gather(traversal, have));
            assert_memory_equal(have, want, sizeof have);
            for (uint64_t v = 0; v < 512; v++)
                reached += want[v] != BFS_UNREACHED;
            assert_int_equal(stats.reached, reached);
            free(want);
        }
        seed(traversal, placement, sources[0], 0); /* no news any more */
        OK(weir_traversal_run(traversal, &stats));
        assert_int_equal(stats.work.processed, 0);
        OK(weir_traversal_reset(traversal));
        OK(weir_traversal_gather(traversal, have));
        for (uint64_t v = 0; v < 512; v++)
            assert_int_equal(have[v], BFS_UNREACHED);
    }
    weir_traversal_destroy(traversal);
    weir_placement_destroy(placement);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Levels in memory of the program's own, filled and read over the traversal's queues. */
static void values_are_not_compulsory(void **state)
{
    static const uint64_t source = 5;
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:32x16", 0);
    weir_placement *placement = place(context, graph);
    weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    weir_traversal *traversal;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    uint32_t devices = weir_context_device_count(context), have[512];
    uint32_t *want = nearest(graph, &source, 1);
    void *level[WEIR_DEVICES_MAX];
    config.value_bytes = 0;
    OK(weir_traversal_create(placement, &weir__bfs_operator, NULL, &config, &traversal));
    for (uint32_t p = 0; p < devices; p++) {
        const weir_part *part = weir_placement_part(placement, p);
        const size_t bytes = ((size_t)part->owned + part->halo_count) * sizeof(uint32_t);
        assert_null(weir_traversal_values(traversal, p));
        OK(weir_device_alloc(weir_context_device(context, p), bytes, &level[p]));
        bfs_state state_of = {.part = *part, .level = level[p]};
        OK(weir_traversal_bind(traversal, p, &state_of));
        OK(weir_queue_fill(weir_traversal_queue(traversal, p), level[p], 0xFF, bytes));
    }
    assert_null(weir_traversal_queue(traversal, devices));
    OK(weir_traversal_reset(traversal));
    seed(traversal, placement, source, 0);
    OK(weir_traversal_run(traversal, &stats));
    assert_int_equal(stats.reached, 0);
    assert_int_equal(stats.arcs_reached, 0);
    assert_true(stats.work.processed > 1);
    STATUS(weir_traversal_gather(traversal, have), WEIR_ERR_INVALID);
    assert_non_null(strstr(weir_error_detail(), "without values"));
    OK(weir_placement_gather(placement, (const void *const *)level, sizeof(uint32_t), have));
    assert_memory_equal(have, want, sizeof have);
    free(want);
    weir_traversal_destroy(traversal);
    for (uint32_t p = 0; p < devices; p++)
        weir_device_free(weir_context_device(context, p), level[p]);
    weir_placement_destroy(placement);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void a_part_without_a_state_is_refused(void **state)
{
    static const uint64_t source = 3;
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_graph *graph = open_graph("grid:5x4", 0);
    weir_placement *placement = place(context, graph);
    weir_traversal *traversal = traverse(placement, NULL);
    bind(traversal, placement, 0);
    STATUS(weir_traversal_run(traversal, NULL), WEIR_ERR_INVALID);
    assert_non_null(strstr(weir_error_detail(), "part 1"));
    bind(traversal, placement, 1);
    assert_run(traversal, placement, graph, &source, 1);
    weir_traversal_destroy(traversal);
    weir_placement_destroy(placement);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void assert_refused(weir_placement *placement, const weir_run_options *options,
                           const weir_traversal_config *config, const char *says)
{
    weir_traversal *traversal;
    STATUS(weir_traversal_create(placement, &weir__bfs_operator, options, config, &traversal),
           WEIR_ERR_INVALID);
    assert_null(traversal);
    assert_non_null(strstr(weir_error_detail(), says));
}

static void what_is_out_of_range_is_refused(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_graph *graph = open_graph("grid:5x4", 0);
    weir_placement *placement = place(context, graph);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_traversal_config good = WEIR_TRAVERSAL_CONFIG_INIT, config = good;
    config.value_bytes = 4097;
    assert_refused(placement, NULL, &config, "4097 bytes");
    config = good;
    config.fill = 256;
    assert_refused(placement, NULL, &config, "256");
    config.fill = -1;
    assert_refused(placement, NULL, &config, "-1");
    config = good;
    config.size = 7;
    assert_refused(placement, NULL, &config, "weir_traversal_config");
    options.size = 7;
    assert_refused(placement, &options, NULL, "weir_run_options");
    weir_traversal_destroy(NULL);
    weir_placement_destroy(placement);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void a_placement_ends_with_its_last_traversal(void **state)
{
    static const uint64_t source = 3;
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_graph *graph = open_graph("grid:5x4", 0);
    weir_placement *placement = place(context, graph);
    weir_traversal *a = traverse(placement, NULL), *b = traverse(placement, NULL);
    bind_all(a, placement);
    bind_all(b, placement);
    weir_placement_destroy(placement);
    weir_traversal_destroy(a);
    assert_run(b, placement, graph, &source, 1); /* which keeps it */
    weir_traversal_destroy(b);
    assert_no_memory_is_left(context);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* What was taken before the values did not fit goes back. */
static void values_too_large_for_the_pool(void **state)
{
    (void)state;
    weir_graph *graph = open_graph("grid:100x100", 0);
    weir_config *config;
    weir_context *context;
    weir_traversal_config large = WEIR_TRAVERSAL_CONFIG_INIT;
    weir_traversal *traversal;
    weir_pool_stats before[2] = {WEIR_POOL_STATS_INIT, WEIR_POOL_STATS_INIT},
                    after = WEIR_POOL_STATS_INIT;
    OK(weir_config_create(&config));
    OK(weir_config_set(config, "pool_bytes", "4MiB"));
    OK(weir_context_create("host:2", config, &context));
    weir_config_destroy(config);
    weir_placement *placement = place(context, graph);
    large.value_bytes = 1024;
    for (uint32_t i = 0; i < 2; i++)
        weir_device_pool_stats(weir_context_device(context, i), &before[i]);
    STATUS(weir_traversal_create(placement, &weir__bfs_operator, NULL, &large, &traversal),
           WEIR_ERR_NOMEM);
    assert_null(traversal);
    for (uint32_t i = 0; i < 2; i++) {
        weir_device_pool_stats(weir_context_device(context, i), &after);
        assert_int_equal(after.allocations, before[i].allocations);
    }
    weir_placement_destroy(placement);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void a_cancelled_traversal_says_so(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:20x13", 0);
    weir_placement *placement = place(context, graph);
    weir_traversal *traversal = traverse(placement, NULL);
    bind_all(traversal, placement);
    seed(traversal, placement, 0, 0);
    weir_traversal_cancel(traversal);
    STATUS(weir_traversal_run(traversal, NULL), WEIR_ERR_CANCELLED);
    weir_traversal_destroy(traversal);
    traversal = traverse(placement, NULL); /* the placement is as good as before */
    static const uint64_t source = 259;
    bind_all(traversal, placement);
    assert_run(traversal, placement, graph, &source, 1);
    weir_traversal_destroy(traversal);
    weir_placement_destroy(placement);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
#define ON_EACH(f)                                                               \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:3"), ON_BACKEND(f, "host:2x2"), \
        ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0,host:1")
    const struct CMUnitTest tests[] = {
        ON_EACH(seeds_of_many_vertices_in_one_run),
        ON_EACH(two_traversals_share_a_placement),
        ON_EACH(links_tell_what_they_carried),
        ON_EACH(a_cancelled_traversal_says_so),
        ON_EACH(values_that_are_kept_are_gone_on_with),
        ON_EACH(values_are_not_compulsory),
        cmocka_unit_test(values_before_a_run_are_the_fill),
        cmocka_unit_test(a_part_without_a_state_is_refused),
        cmocka_unit_test(what_is_out_of_range_is_refused),
        cmocka_unit_test(a_placement_ends_with_its_last_traversal),
        cmocka_unit_test(values_too_large_for_the_pool),
    };
    return cmocka_run_group_tests_name("traversal", tests, NULL, NULL);
}
