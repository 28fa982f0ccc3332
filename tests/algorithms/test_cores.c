/** @file test_cores.c  Runs that begin with every vertex, and algorithms of several runs over the same values: k-cores.
 *
 * Every kernel, order and mapping peels the same cores as a serial loop that shares no code with it. */
#include "tests/lib/live.h"
#include "tests/algorithms/traversal_fixture.h"
#include "tests/lib/core_op.h"

extern const weir_operator weir__core_operator, weir__bfs_operator;

/* The core of each vertex, by taking away what has too few neighbours until there is nothing more to take. */
static uint32_t *cores(const weir_graph *graph)
{
    uint32_t *core = malloc(graph->vertices * sizeof *core);
    uint32_t *left = malloc(graph->vertices * sizeof *left);
    uint64_t here = graph->vertices;
    assert_non_null(core);
    assert_non_null(left);
    for (uint64_t v = 0; v < graph->vertices; v++) {
        core[v] = UINT32_MAX;
        left[v] = (uint32_t)(graph->offsets[v + 1] - graph->offsets[v]);
    }
    for (uint32_t k = 1; here; k++)
        for (int again = 1; again;) {
            again = 0;
            for (uint64_t v = 0; v < graph->vertices; v++) {
                if (core[v] != UINT32_MAX || left[v] >= k)
                    continue;
                core[v] = k - 1;
                here--;
                again = 1;
                for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++)
                    left[graph->targets[arc]]--;
            }
        }
    free(left);
    return core;
}

/* Cores begin with what the run before has left. */
static struct placed place_cores(weir_context *context, const weir_graph *graph,
                                 const weir_partition *partition, const weir_run_options *options)
{
    weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    config.keep_values = 1;
    return place(context, graph, partition, &weir__core_operator, options, &config);
}

static weir_run_stats run(const struct placed *peeling, uint32_t k, int load)
{
    for (uint32_t p = 0; p < peeling->parts; p++) {
        const core_state state = {*weir_placement_part(peeling->placement, p),
                                  weir_traversal_values(peeling->traversal, p), k, load};
        OK(weir_traversal_bind(peeling->traversal, p, &state));
    }
    OK(weir_traversal_seed_all(peeling->traversal));
    return run_placed(peeling);
}

/* Degrees, then k = 1, 2, ... until everything has gone. */
static void assert_cores(weir_context *context, const weir_graph *graph,
                         const weir_partition *partition, const weir_run_options *options)
{
    struct placed peeling = place_cores(context, graph, partition, options);
    uint32_t *want = cores(graph), *have = malloc(graph->vertices * sizeof *have), k = 0;
    uint64_t gone = 0;
    assert_non_null(have);
    weir_run_stats stats = run(&peeling, 0, 1);
    assert_int_equal(stats.work.processed, 0);
    assert_int_equal(stats.work.produced, graph->vertices);
    OK(weir_traversal_gather(peeling.traversal, have));
    for (uint64_t v = 0; v < graph->vertices; v++)
        assert_int_equal(have[v], graph->offsets[v + 1] - graph->offsets[v]);
    while (gone < graph->vertices) {
        stats = run(&peeling, ++k, 0);
        gone += stats.work.processed;
        assert_true(k < graph->vertices + 1);
    }
    assert_int_equal(gone, graph->vertices);
    OK(weir_traversal_gather(peeling.traversal, have));
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (have[v] != (CORE_GONE | want[v]))
            fail_msg("vertex %llu has %x, and its core is %u", (unsigned long long)v, have[v],
                     want[v]);
    take_away(&peeling);
    free(want);
    free(have);
}

static void cores_of_graphs(void **state)
{
    static const char *const texts[] = {"rmat:9,8", "grid:40x30,0.8", "grid:1x1", "rmat:11,3"};
    weir_context *context = open_or_skip(state);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        weir_graph *graph = open_graph(texts[i], 1);
        assert_cores(context, graph, NULL, NULL);
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

/* All forms of the engine that take seeds: resident or a kernel a round, and every order and worker. */
static void cores_in_every_order(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:8,6", 1);
    weir_partition *partition = random_partition(context, graph);
    for (size_t k = 0; k < kernels_on(*state); k++)
        for (int order = WEIR_ORDER_FIFO; order <= orders_with(kernels[k]); order++)
            for (int worker = WEIR_WORKER_THREAD; worker <= WEIR_WORKER_BLOCK; worker++) {
                weir_run_options options = WEIR_RUN_OPTIONS_INIT;
                options.kernel = kernels[k];
                options.order = (weir_order_kind)order;
                options.worker = (weir_worker_kind)worker;
                options.route = worker == WEIR_WORKER_WARP ? WEIR_ROUTE_RING : WEIR_ROUTE_AUTO;
                assert_cores(context, graph, partition, &options);
            }
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Runs of one device over a mesh begin with all vertices, and go on in narrow rounds, in which nothing is lost either. */
static void cores_of_a_mesh_in_narrow_rounds(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:60x50,0.7", 1);
    struct placed peeling = place_cores(context, graph, NULL, NULL);
    uint64_t narrow = 0, gone = 0;
    (void)run(&peeling, 0, 1);
    for (uint32_t k = 1; gone < graph->vertices; k++) {
        weir_run_stats stats = run(&peeling, k, 0);
        gone += stats.work.processed;
        narrow += stats.work.narrow_rounds;
        assert_true(k < 10);
    }
    assert_int_equal(gone, graph->vertices);
    assert_true(narrow > 0);
    take_away(&peeling);
    assert_cores(context, graph, NULL, NULL);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void operators_without_seeds_are_refused(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_graph *graph = open_graph("grid:5x4", 0);
    struct placed placed = place(context, graph, NULL, &weir__bfs_operator, NULL, NULL);
    STATUS(weir_traversal_seed_all(placed.traversal), WEIR_ERR_UNSUPPORTED);
    assert_string_equal(weir_error_detail(), "operator bfs makes no seeds of numbers (bfs_seed)");
    take_away(&placed);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(cores_of_graphs),
        ON_EACH_SPEC(cores_in_every_order),
        ON_BACKEND(cores_of_a_mesh_in_narrow_rounds, "host:1"),
        ON_BACKEND(cores_of_a_mesh_in_narrow_rounds, "host:1x4"),
        ON_BACKEND(cores_of_a_mesh_in_narrow_rounds, "cuda:0"),
        cmocka_unit_test(operators_without_seeds_are_refused),
    };
    return cmocka_run_group_tests_name("cores", tests, NULL, NULL);
}
