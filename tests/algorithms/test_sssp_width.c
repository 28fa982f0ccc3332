/** @file test_sssp_width.c  Which distances fit which operator, what is refused, and the operators' arithmetic.
 */
#include "algorithms/sssp/sssp_op.h"
#include "tests/algorithms/sssp_fixture.h"

#define TWO_TO_32 4294967296.0
#define TWO_TO_53 9007199254740992.0

/* Mean weights of this size are tried with 32 bits, though 2048 of them do not fit. */
#define STEP  2097152.0
#define CHAIN 2049

/* ---- the operators ---- */

static void narrow_sums_stop_at_far(void **state)
{
    static const struct {
        uint32_t distance, weight, sum;
    } cases[] = {{0, 0, 0},
                 {5, 7, 12},
                 {UINT32_MAX - 3, 1, UINT32_MAX - 2},
                 {UINT32_MAX - 2, 1, SSSP_U32_FAR},
                 {UINT32_MAX - 2, 2, SSSP_U32_FAR},
                 {UINT32_MAX - 2, 3, SSSP_U32_FAR},
                 {0, UINT32_MAX, SSSP_U32_FAR},
                 {1, UINT32_MAX, SSSP_U32_FAR},
                 {SSSP_U32_FAR, 0, SSSP_U32_FAR},
                 {SSSP_U32_FAR, UINT32_MAX, SSSP_U32_FAR}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sssp_u32_state s = {.part = {.weights = &cases[i].weight}};
        assert_int_equal(sssp_u32_along(&s, cases[i].distance, 0), cases[i].sum);
    }
}

static void wide_sums_take_both_kinds_of_weights(void **state)
{
    const uint32_t whole[] = {0, UINT32_MAX};
    const double real[] = {.25, 1e300};
    (void)state;
    const sssp_f64_state integers = {.part = {.weights = whole}, .integers = 1},
                         doubles = {.part = {.weights = real}};
    assert_true(sssp_f64_double(sssp_f64_along(&integers, sssp_f64_bits(3), 0)) == 3);
    assert_true(sssp_f64_double(sssp_f64_along(&integers, sssp_f64_bits(3), 1)) ==
                3.0 + UINT32_MAX);
    assert_true(sssp_f64_double(sssp_f64_along(&doubles, sssp_f64_bits(3), 0)) == 3.25);
    assert_true(sssp_f64_double(sssp_f64_along(&doubles, sssp_f64_bits(3), 1)) == 1e300);
}

static void wide_priorities_saturate(void **state)
{
    static const struct {
        double distance, scale;
        uint32_t priority;
    } cases[] = {{0, 64, 0},
                 {1.5, 64, 96},
                 {.01, 64, 0},
                 {1e300, 1e300, UINT32_MAX - 1},
                 {67108863.9, 64, UINT32_MAX - 6},
                 {67108864, 64, UINT32_MAX - 1},
                 {5, 0, 0},
                 {0, 1e300, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sssp_f64_state s = {.scale = cases[i].scale};
        const sssp_f64_item item = {.distance = sssp_f64_bits(cases[i].distance)};
        assert_int_equal(sssp_f64_priority(&s, &item), cases[i].priority);
    }
}

/* What a device tells others, and what it makes of what it is told. */
static void only_improvements_travel(void **state)
{
    (void)state;
    const uint32_t first[] = {0, 2, 5}, halo[] = {4};
    uint32_t narrow[] = {UINT32_MAX, 9, UINT32_MAX};
    uint64_t wide[] = {UINT64_MAX, sssp_f64_bits(9), UINT64_MAX};
    const weir_part part = {.halo = halo, .first = first, .owned = 2, .halo_count = 1, .parts = 2};
    const sssp_u32_state n = {.part = part, .distance = narrow};
    const sssp_f64_state w = {part, wide, 1, 0};
    sssp_u32_item item = {2, 50};
    sssp_u32_wire wire;
    assert_int_equal(sssp_u32_on_send(&n, &item), WEIR_FATE_PASS);
    assert_int_equal(sssp_u32_pack(&n, &item, &wire), 1);
    assert_int_equal(wire.vertex, 4);
    assert_int_equal(wire.distance, 50);
    assert_int_equal(sssp_u32_on_send(&n, &item), WEIR_FATE_DROP); /* sent before */
    assert_int_equal(sssp_u32_on_send(&n, &(sssp_u32_item){2, 51}), WEIR_FATE_DROP);
    assert_int_equal(sssp_u32_on_send(&n, &(sssp_u32_item){2, 49}), WEIR_FATE_PASS);
    assert_int_equal(sssp_u32_on_send(&n, &(sssp_u32_item){1, 8}), WEIR_FATE_KEEP);
    assert_int_equal(sssp_u32_on_receive(&n, &wire), WEIR_FATE_PASS);
    assert_int_equal(sssp_u32_on_receive(&n, &(sssp_u32_wire){1, 8}), WEIR_FATE_DROP);
    assert_int_equal(sssp_u32_on_receive(&n, &(sssp_u32_wire){1, 7}), WEIR_FATE_KEEP);
    assert_int_equal(narrow[1], 7);
    sssp_f64_item half = {sssp_f64_bits(8.5), 1, 0};
    assert_int_equal(sssp_f64_on_send(&w, &half), WEIR_FATE_KEEP);
    assert_int_equal(sssp_f64_on_send(&w, &half), WEIR_FATE_DROP);
    assert_true(wide[1] == sssp_f64_bits(8.5));
}

/* ---- what is chosen ---- */

static void estimate_of(const char *text, int undirected, const char *weights,
                        struct weir__sssp_estimate *estimate)
{
    weir_graph *graph = open_graph(text, undirected);
    weigh(graph, weights);
    OK(weir__sssp_estimate(graph, estimate));
    weir_graph_destroy(graph);
}

static void steps_follow_weights_and_degrees(void **state)
{
    struct weir__sssp_estimate estimate;
    (void)state;
    estimate_of("grid:100x100,.63", 0, "random",
                &estimate); /* as a road network, 2.5 arcs a vertex */
    assert_in_range(estimate.delta_u32, 2500, 4000);
    assert_in_range((int)(estimate.mean * 10), 1250, 1310);
    assert_in_range((int)(estimate.mean * estimate.scale * 1000), 63999, 64001);
    estimate_of("grid:100x100,.63", 0, "unit", &estimate);
    assert_in_range(estimate.delta_u32, 20, 32);
    estimate_of("rmat:12,16", 1, "random", &estimate);
    assert_in_range(estimate.delta_u32, 4, 32);
    assert_in_range(estimate.delta_f64, 2, 16);
    estimate_of("rmat:14,16", 1, "random", &estimate);
    assert_in_range(estimate.delta_step, 7,
                    13); /* two arcs of a mean row, or 8: hubs are near everything */
    weir_graph *fine = open_graph("rmat:14,16", 1);
    weigh(fine, "random:1-4194303");
    OK(weir__sssp_estimate(fine, &estimate));
    const double arc = estimate.mean * (double)fine->vertices / (double)fine->arcs;
    assert_in_range(estimate.delta_step, (uint32_t)(arc / 2) - 1, (uint32_t)(arc / 2) + 1);
    weir_graph_destroy(fine);
    estimate_of("uniform:12,16", 1, "random", &estimate);
    assert_in_range(estimate.delta_step, 22, 25); /* six without hubs */
    estimate_of("rmat:12,64", 1, "unit", &estimate);
    assert_int_equal(estimate.delta_u32, 1);
    const struct arcs none = {.count = 0};
    weir_graph *graph = graph_of(0, &none);
    OK(weir__sssp_estimate(graph, &estimate));
    assert_int_equal(estimate.delta_u32, 1);
    weir_graph_destroy(graph);
    graph = chain_of(3, 0, 0);
    OK(weir__sssp_estimate(graph, &estimate));
    assert_int_equal(estimate.delta_f64, 1);
    assert_true(estimate.scale == 0 && estimate.longest == 0 && estimate.whole);
    weir_graph_destroy(graph);
    graph = chain_of(3, 1e-310, 1e-310);
    OK(weir__sssp_estimate(graph, &estimate));
    assert_true(isfinite(estimate.scale));
    weir_graph_destroy(graph);
}

/* What a step costs a GPU, and several, which the guess knows nothing of. */
static void gpus_have_wider_steps(void **state)
{
    struct weir__sssp_estimate estimate;
    (void)state;
    estimate_of("rmat:14,16", 1, "random", &estimate); /* hubs and few arcs: all at once */
    assert_true(estimate.hubs && estimate.few);
    assert_int_equal(weir__sssp_width(&estimate, 0, 0), estimate.delta_u32);
    assert_int_equal(weir__sssp_width(&estimate, 1, 0), estimate.delta_f64);
    assert_int_equal(weir__sssp_width(&estimate, 0, 1), (uint32_t)(32 * estimate.mean));
    assert_int_equal(weir__sssp_width(&estimate, 1, 2), 32 * 64);
    estimate.few = 0; /* and more of them */
    assert_int_equal(weir__sssp_width(&estimate, 0, 1), estimate.delta_u32);
    assert_int_equal(weir__sssp_width(&estimate, 0, 2), (uint32_t)estimate.mean);
    assert_int_equal(weir__sssp_width(&estimate, 1, 8), 64);
    estimate.mean = 1e300; /* what a width cannot be */
    assert_int_equal(weir__sssp_width(&estimate, 0, 2), estimate.delta_u32);
    estimate_of("uniform:17,17", 1, "random", &estimate);
    assert_true(estimate.skewed && !estimate.hubs && !estimate.few);
    assert_int_equal(weir__sssp_width(&estimate, 0, 0), estimate.delta_u32);
    assert_int_equal(weir__sssp_width(&estimate, 0, 1), (uint32_t)estimate.mean);
    estimate_of("grid:100x100", 0, "random", &estimate); /* wider already */
    for (uint32_t gpus = 0; gpus <= 2; gpus++)
        assert_int_equal(weir__sssp_width(&estimate, 0, gpus), estimate.delta_u32);
}

/* How many buckets the guessed width has in a search that is too short to find another; how often the threshold rose; and on how many
 * devices. */
static uint64_t buckets_of(const char *spec, const char *settings[], const char *text,
                           uint64_t *raises, uint32_t *devices)
{
    weir_context *context = open_with_or_skip(spec, settings);
    weir_graph *graph = open_graph(text, 0);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    struct weir__sssp_estimate estimate;
    weigh(graph, "random");
    OK(weir__sssp_estimate(graph, &estimate));
    const uint32_t gpus = strncmp(spec, "cuda", 4) == 0 ? weir_context_device_count(context) : 0,
                   hint = weir__sssp_width(&estimate, 0, gpus);
    options.direction = WEIR_DIRECTION_PUSH;
    weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, &options);
    OK(weir_sssp_run(sssp, 0, &stats));
    assert_distances(graph, sssp, 0, &stats);
    *raises = stats.work.raises;
    *devices = stats.devices;
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
    return hint / stats.work.delta;
}

/* Where a round costs the same however much is in it, steps are wider at first; where few items become many within one, the first
 * steps are short ones, of small searches on one device alone. On one multiprocessor 16384 items, of long tiles 4096, are where that ends. */
static void small_searches_begin_wider_on_gpus(void **state)
{
    const char *small[] = {"queue_items=16384", NULL}, *large[] = {"queue_items=4000000", NULL};
    const int gpu = strncmp(*state, "cuda", 4) == 0;
    uint64_t raises;
    uint32_t on;
    assert_int_equal(buckets_of(*state, small, "grid:16x16", &raises, &on), gpu ? 2 : 4);
    assert_int_equal(buckets_of(*state, small, "uniform:12,10", &raises, &on), gpu ? 1 : 4);
    if (!gpu) /* what is large would need the memory for it */
        return;
    /* All distances are within a few widths. With one step of all buckets the threshold rises once, with 1, 2 and 4 buckets three times. */
    assert_true(on == 1 ? raises > 1 : raises == 1);
    assert_int_equal(buckets_of(*state, large, "grid:16x16", &raises, &on), 4);
    assert_int_equal(buckets_of(*state, large, "uniform:12,10", &raises, &on), 2);
    assert_true(raises > 1);
}

static void the_first_operator_is_chosen(void **state)
{
    static const struct {
        uint64_t vertices;
        double weight;
        int wide;
    } cases[] = {
        {3, 5, 0},         {3, .5, 0}, /* multiples of a power of two are integers of that */
        {3, .1, 1},        {3, 1e9, 0},
        {3, 2e9, 1},       {3, TWO_TO_32 - 1, 1},
        {3, TWO_TO_32, 0}, {3, TWO_TO_32 + .5, 1},
        {CHAIN, STEP, 0},  {CHAIN, 2 * STEP, 1}};
    (void)state;
    weir_context *context = open_or_skip(&(void *){(void *)(uintptr_t) "host:1"});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_graph *graph = chain_of(cases[i].vertices, cases[i].weight, cases[i].weight);
        weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, NULL);
        assert_int_equal(weir__sssp_wide(sssp), cases[i].wide);
        weir_sssp_destroy(sssp);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* The longest way is CHAIN - 2 steps and the last weight: up to what just fits, and beyond. */
static void distances_that_do_not_fit_are_found_again(void **state)
{
    static const double ends[] = {TWO_TO_32 - 3, TWO_TO_32 - 2, TWO_TO_32 - 1, TWO_TO_32,
                                  TWO_TO_32 + 1};
    weir_context *context = open_or_skip(state);
    for (int i = 0; i < 5; i++) {
        weir_graph *graph = chain_of(CHAIN, STEP, ends[i] - (CHAIN - 2) * STEP);
        weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, NULL);
        assert_sssp(sssp, graph, 1000); /* this one always does */
        assert_int_equal(weir__sssp_wide(sssp), 0);
        assert_sssp(sssp, graph, 0);
        assert_int_equal(weir__sssp_wide(sssp), i > 0);
        assert_sssp(sssp, graph, 1000);
        assert_sssp(sssp, graph, 0);
        weir_sssp_destroy(sssp);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* ---- what is refused ---- */

static void bad_weights_are_refused(void **state)
{
    (void)state;
    const uint32_t sources[] = {0, 1}, targets[] = {1, 2};
    weir_context *context = open_or_skip(&(void *){(void *)(uintptr_t) "host:2"});
    weir_graph *graph;
    OK(weir_graph_from_arcs(3, 2, sources, targets, NULL, NULL, &graph));
    STATUS(refused(context, graph), WEIR_ERR_INVALID);
    assert_detail("shortest paths need weights and arcs has none (weir_graph_weigh())");
    weir_graph_destroy(graph);
    graph = chain_of(4, 1, -.5);
    STATUS(refused(context, graph), WEIR_ERR_INVALID);
    assert_detail("shortest paths need weights of 0 and more, and arcs has one of -0.5 (arc 2)");
    weir_graph_destroy(graph);
    graph = chain_of(4, 1e308, 1);
    STATUS(refused(context, graph), WEIR_ERR_INVALID);
    assert_detail_has("so large");
    weir_graph_destroy(graph);
    graph = chain_of(4, -0.0, .5); /* which is not negative */
    STATUS(refused(context, graph), WEIR_OK);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void integers_stay_exact_or_are_refused(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = chain_of(4, TWO_TO_53 / 2, TWO_TO_53 / 2 - 1);
    weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_BLOCK, NULL);
    assert_sssp(sssp, graph, 1);
    STATUS(weir_sssp_run(sssp, 0, NULL), WEIR_ERR_UNSUPPORTED);
    assert_detail(
        "vertex 2 is at a distance of 2^53 or more from source 0, where sums of integers are "
        "not exact");
    STATUS(weir_sssp_distances(sssp, (double[4]){0}), WEIR_ERR_INVALID);
    assert_detail("the last run was not complete: there are no distances");
    assert_sssp(sssp, graph, 1); /* and does no harm */
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    graph = chain_of(4, TWO_TO_53, .5); /* fractions are rounded anyway */
    sssp = placed(context, graph, WEIR_PARTITION_BLOCK, NULL);
    assert_sssp(sssp, graph, 0);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* A step as wide as all distances makes several items for a vertex in one round. They have room in the queues on the device: what spills
 * goes to the host's memory item by item, which takes many times as long. */
static void a_wide_step_does_not_spill(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph;
    weir_weights kind;
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_sssp *sssp;
    OK(weir_graph_open("uniform:14", NULL, &graph));
    OK(weir_weights_parse("random:1-255", &kind));
    OK(weir_graph_weigh(graph, &kind));
    options.direction = WEIR_DIRECTION_PUSH;
    options.order = WEIR_ORDER_SOFT;
    options.delta = 100000;
    OK(weir_sssp_create(context, graph, NULL, &options, &sssp));
    OK(weir_sssp_run(sssp, 0, &stats));
    assert_true(stats.work.processed > 2 * graph->vertices);
    assert_int_equal(stats.work.spilled, 0);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_sums_stop_at_far),
        cmocka_unit_test(wide_sums_take_both_kinds_of_weights),
        cmocka_unit_test(wide_priorities_saturate),
        cmocka_unit_test(only_improvements_travel),
        cmocka_unit_test(steps_follow_weights_and_degrees),
        cmocka_unit_test(gpus_have_wider_steps),
        ON_BACKEND(small_searches_begin_wider_on_gpus, "host:1"),
        ON_BACKEND(small_searches_begin_wider_on_gpus, "cuda:0"),
        ON_BACKEND(small_searches_begin_wider_on_gpus, "cuda:0-1"),
        cmocka_unit_test(the_first_operator_is_chosen),
        ON_EACH_SPEC(distances_that_do_not_fit_are_found_again),
        ON_BACKEND(a_wide_step_does_not_spill, "host:1"),
        ON_BACKEND(a_wide_step_does_not_spill, "cuda:0"),
        cmocka_unit_test(bad_weights_are_refused),
        ON_EACH_SPEC(integers_stay_exact_or_are_refused),
    };
    return cmocka_run_group_tests_name("sssp width", tests, make_folder, remove_folder);
}
