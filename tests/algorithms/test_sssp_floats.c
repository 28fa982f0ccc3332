/** @file test_sssp_floats.c  Shortest paths over floats: every form, order and number of devices finds the very doubles that a
 * serial Dijkstra with doubles finds. The bound that is stated is no difference at all. */
#include "tests/algorithms/sssp_fixture.h"
#include "tests/lib/share.h"

/* ThreadSanitizer is slow: of many combinations it sees some. */
#ifdef __SANITIZE_THREAD__
#define STRIDE 5
#else
#define STRIDE test_stride()
#endif

#define ON_DEVICES(f)                                                              \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"),     \
        ON_BACKEND(f, "host:4"), ON_BACKEND(f, "host:8"), ON_BACKEND(f, "cuda:0"), \
        ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0,host:1")

/* ---- forms ---- */

static const struct form {
    weir_direction direction;
    weir_order_kind order;
    weir_kernel_kind kernel;
    uint32_t delta;
    int parents;
} forms[] = {
    {WEIR_DIRECTION_AUTO, WEIR_ORDER_AUTO, WEIR_KERNEL_AUTO, 0, 0},
    {WEIR_DIRECTION_SWITCH, WEIR_ORDER_AUTO, WEIR_KERNEL_AUTO, 0, 0},
    {WEIR_DIRECTION_SWITCH, WEIR_ORDER_AUTO, WEIR_KERNEL_AUTO, 0, 1},
    {WEIR_DIRECTION_SWITCH, WEIR_ORDER_SOFT, WEIR_KERNEL_AUTO, 300000, 0},
    {WEIR_DIRECTION_PUSH, WEIR_ORDER_FIFO, WEIR_KERNEL_FUSED, 0, 0},
    {WEIR_DIRECTION_PUSH, WEIR_ORDER_FIFO, WEIR_KERNEL_DISCRETE, 0, 0},
    {WEIR_DIRECTION_PUSH, WEIR_ORDER_FIFO, WEIR_KERNEL_LIVE, 0, 0},
    {WEIR_DIRECTION_PUSH, WEIR_ORDER_SOFT, WEIR_KERNEL_AUTO, 0, 0},
    {WEIR_DIRECTION_PUSH, WEIR_ORDER_SOFT, WEIR_KERNEL_AUTO, 70000, 0},
    {WEIR_DIRECTION_PUSH, WEIR_ORDER_BULK, WEIR_KERNEL_AUTO, 0, 0},
};
enum { FORMS = sizeof forms / sizeof *forms };

static weir_run_options options_of(const struct form *form)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.direction = form->direction;
    options.order = form->order;
    options.kernel = form->kernel;
    options.delta = form->delta;
    options.parents = form->parents;
    return options;
}

static int mixed(const weir_context *context)
{
    const uint32_t count = weir_context_device_count(context);
    for (uint32_t d = 1; d < count; d++)
        if (weir__device_is_gpu(weir_context_device(context, d)) !=
            weir__device_is_gpu(weir_context_device(context, 0)))
            return 1;
    return 0;
}

static void assert_tree(const weir_graph *graph, weir_sssp *sssp, uint64_t source)
{
    int64_t *parents = malloc(graph->vertices * sizeof *parents);
    double *distances = malloc(graph->vertices * sizeof *distances);
    assert_true(parents && distances);
    OK(weir_sssp_parents(sssp, parents));
    OK(weir_sssp_distances(sssp, distances));
    OK(weir_sssp_tree_check(graph, source, parents, distances));
    free(parents);
    free(distances);
}

/* @param[in] step  forms in step too. */
static void assert_all_forms(weir_context *context, const weir_graph *graph, int step)
{
    for (int f = 0; f < FORMS; f += STRIDE) {
        const weir_run_options options = options_of(&forms[f]);
        if (mixed(context) ? f > 0 : !step && options.direction == WEIR_DIRECTION_SWITCH)
            continue;
        weir_sssp *sssp = placed(context, graph, (weir_partition_kind)(f % 3), &options);
        for (uint64_t source = 1; source < graph->vertices; source += graph->vertices / 2) {
            assert_sssp(sssp, graph, source);
            if (options.parents)
                assert_tree(graph, sssp, source);
        }
        weir_sssp_destroy(sssp);
    }
}

static void every_form_finds_what_doubles_find(void **state)
{
    static const char *const texts[] = {"rmat:10,8", "grid:30x25,0.8", "uniform:9,6"};
    static const char *const weights[] = {"random:1e-9-1f", "random:0.5-2f:3", "random:1e20-3e20f"};
    weir_context *context = open_or_skip(state);
    for (int i = 0; i < 3; i++) {
        weir_graph *graph = open_graph(texts[i], 1);
        weigh(graph, weights[i]);
        assert_all_forms(context, graph, 1);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* Floats of 0 hold nobody by themselves. */
static void floats_of_nothing_are_weights_too(void **state)
{
    weir_context *context = open_or_skip(state);
    struct arcs *arcs = calloc(1, sizeof *arcs);
    uint64_t seed = 5;
    assert_non_null(arcs);
    for (int i = 0; i < 900; i++)
        arc(arcs, next_random(&seed) % 200, next_random(&seed) % 200,
            (double)(next_random(&seed) % 4) * 0.375);
    weir_graph *graph = graph_of(200, arcs);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    for (int push = mixed(context); push < 2; push++) {
        options.direction = push ? WEIR_DIRECTION_PUSH : WEIR_DIRECTION_SWITCH;
        weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, &options);
        assert_int_equal(weir__sssp_wide(sssp), 0);
        assert_sssp(sssp, graph, 3);
        weir_sssp_destroy(sssp);
    }
    weir_graph_destroy(graph);
    free(arcs);
    weir_context_destroy(context);
}

/* Tenths are multiples of no unit that 32 bits hold: doubles, through the worklist, and what goes in step says no. */
static void other_numbers_stay_doubles(void **state)
{
    weir_context *context = open_or_skip(state);
    struct arcs *arcs = calloc(1, sizeof *arcs);
    uint64_t seed = 9;
    assert_non_null(arcs);
    for (int i = 0; i < 2000; i++)
        arc(arcs, next_random(&seed) % 300, next_random(&seed) % 300,
            (double)(1 + next_random(&seed) % 1000) / 10);
    weir_graph *graph = graph_of(300, arcs);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, &options);
    assert_int_equal(weir__sssp_wide(sssp), 1);
    weir_sssp_destroy(sssp);
    assert_all_forms(context, graph, 0);
    options.direction = WEIR_DIRECTION_SWITCH;
    STATUS(weir_sssp_create(context, graph, NULL, &options, &sssp), WEIR_ERR_UNSUPPORTED);
    assert_detail_has(
        "needs weights whose sums fit 32 bits as integers or as multiples of a power");
    weir_graph_destroy(graph);
    free(arcs);
    weir_context_destroy(context);
}

/* Three arcs of 2^1023 are more than a double holds, though they are one unit each. */
static void paths_beyond_doubles_are_refused(void **state)
{
    weir_context *context = open_or_skip(state);
    struct arcs *arcs = calloc(1, sizeof *arcs);
    weir_sssp *sssp;
    assert_non_null(arcs);
    for (uint32_t v = 0; v < 3; v++)
        arc(arcs, v, v + 1, ldexp(1, 1023));
    weir_graph *graph = graph_of(4, arcs);
    STATUS(weir_sssp_create(context, graph, NULL, NULL, &sssp), WEIR_ERR_INVALID);
    assert_null(sssp);
    assert_detail_has("so large that paths could pass");
    weir_graph_destroy(graph);
    free(arcs);
    weir_context_destroy(context);
}

/* Where no arc weighs more than 0 any unit will do, and all forms are there. */
static void no_weight_above_0_goes_in_step(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    struct arcs *arcs = calloc(1, sizeof *arcs);
    assert_non_null(arcs);
    for (uint32_t v = 0; v < 3; v++)
        arc(arcs, v, v + 1, 0);
    options.direction = WEIR_DIRECTION_SWITCH;
    for (int one = mixed(context) ? 2 : 0; one < 2; one++) {
        weir_graph *graph = one ? open_graph("chain:1", 0) : graph_of(4, arcs);
        if (one)
            weigh(graph, "random:0-1f");
        weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, &options);
        assert_sssp(sssp, graph, 0);
        weir_sssp_destroy(sssp);
        weir_graph_destroy(graph);
    }
    free(arcs);
    weir_context_destroy(context);
}

/* 4000 arcs of 2^21 units and more each are more than 32 bits hold: the run is done again with doubles, and says the same. */
static void a_path_that_does_not_fit_is_found_again(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("chain:4000", 0);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weigh(graph, "random:1-1.5f");
    for (int push = mixed(context); push < 2; push++) {
        options.direction = push ? WEIR_DIRECTION_PUSH : WEIR_DIRECTION_SWITCH;
        weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, &options);
        assert_int_equal(weir__sssp_wide(sssp), 0);
        assert_sssp(sssp, graph, 0);
        assert_int_equal(weir__sssp_wide(sssp), 1);
        assert_sssp(sssp, graph, 1999);
        weir_sssp_destroy(sssp);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* A certificate goes by doubles, too. */
static void a_certificate_agrees_and_sees_the_last_bit(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:9,8", 1);
    weigh(graph, "random:0.25-1f");
    double *distances = malloc(graph->vertices * sizeof *distances);
    weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, NULL);
    assert_non_null(distances);
    assert_sssp(sssp, graph, 2);
    OK(weir_sssp_distances(sssp, distances));
    OK(weir_sssp_certify(context, graph, 2, distances, NULL));
    uint64_t v = 3;
    while (!isfinite(distances[v]) || distances[v] == 0)
        v++;
    distances[v] = nextafter(distances[v], 1e9);
    assert_true(weir_sssp_certify(context, graph, 2, distances, NULL) != WEIR_OK);
    weir_sssp_destroy(sssp);
    free(distances);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void no_memory_is_said(void **state)
{
    (void)state;
    weir_context *context = open_or_skip(&(void *){(void *)(uintptr_t) "host:2"});
    weir_graph *graph = open_graph("rmat:6", 0);
    weir_sssp *sssp;
    weigh(graph, "random:0-1f");
    for (uint64_t n = 1; n <= 2; n++) {
        weir__fault_arm(WEIR__FAULT_ALLOC, n);
        STATUS(weir_sssp_create(context, graph, NULL, NULL, &sssp), WEIR_ERR_NOMEM);
        assert_null(sssp);
    }
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DEVICES(every_form_finds_what_doubles_find),
        ON_DEVICES(floats_of_nothing_are_weights_too),
        ON_DEVICES(other_numbers_stay_doubles),
        ON_DEVICES(paths_beyond_doubles_are_refused),
        ON_DEVICES(no_weight_above_0_goes_in_step),
        ON_DEVICES(a_path_that_does_not_fit_is_found_again),
        ON_DEVICES(a_certificate_agrees_and_sees_the_last_bit),
        cmocka_unit_test(no_memory_is_said),
    };
    return cmocka_run_group_tests_name("sssp floats", tests, NULL, NULL);
}
