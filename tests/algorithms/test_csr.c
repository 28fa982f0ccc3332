/** @file test_csr.c  Graphs that a device makes: bit for bit those of the host's cores, whatever is brought over and sorted at a time. */
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

#include "algorithms/graph/build.h"
#include "algorithms/graph/csr.h"
#include "algorithms/graph/generate.h"
#include "runtime/internal.h"
#include "tests/lib/share.h"

static void assert_equal_graphs(const weir_graph *want, const weir_graph *got)
{
    assert_same(want, got);
    assert_int_equal(want->loops_dropped, got->loops_dropped);
    assert_int_equal(want->duplicates_dropped, got->duplicates_dropped);
    assert_int_equal(want->mirrored, got->mirrored);
}

/* A few sizes of pieces, stretches and ranges, from a few arcs at a time to all. */
static const uint64_t sizes[][3] = {{0, 0, 0},          {777, 5000, 0},   {100, 1 << 20, 0},
                                    {1000, 20, 0},      {0, 0, 1u << 30}, {0, 0, 700},
                                    {777, 5000, 30000}, {1000, 20, 100}};

static uint32_t all_devices_of(const weir_context *context, weir_device **devices)
{
    const uint32_t count = weir_context_device_count(context);
    for (uint32_t d = 0; d < count; d++)
        devices[d] = weir_context_device(context, d);
    return count;
}

static void assert_made(weir_context *context, struct weir__csr_input *input,
                        const weir_graph *want)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        weir_device *devices[WEIR_DEVICES_MAX];
        const uint32_t count = all_devices_of(context, devices);
        weir_graph *got;
        if (input->count > 5000 && (sizes[i][1] == 20 || sizes[i][2] == 700))
            continue;
        input->piece = sizes[i][0];
        input->stretch = sizes[i][1];
        input->range = sizes[i][2];
        OK(weir__csr_make(context, devices, count, input, &got));
        OK(weir__graph_name(&got, "made", "generator"));
        assert_equal_graphs(want, got);
        weir_graph_destroy(got);
    }
}

/* ---- lists ---------------------------------------------------------------------------------------- */

enum { LIST = 1500 };

struct list {
    uint32_t sources[LIST], targets[LIST];
    double weights[LIST];
};

static void draw_list(struct list *list, uint64_t vertices, uint64_t seed)
{
    for (uint64_t i = 0; i < LIST; i++) {
        list->sources[i] = (uint32_t)weir__below(weir__random(seed, 3 * i), vertices);
        list->targets[i] = (uint32_t)weir__below(weir__random(seed, 3 * i + 1), vertices);
        list->weights[i] = (double)(uint32_t)weir__random(seed, 3 * i + 2);
        if (list->sources[i] == list->targets[i]) /* it is dropped, whatever it weighs */
            list->weights[i] = i % 2 ? -2.5 : 1e300;
        else if (i % 5 == 0)
            list->weights[i] = i % 2 ? -0.0 : UINT32_MAX;
    }
}

/* Few vertices: many loops and duplicates, of different weights. Many: most rows are empty, also the last. */
static void lists(void **state)
{
    static struct list list;
    static const uint64_t vertices[] = {1, 2, 3, 60, 4096, 70000};
    weir_context *context = open_or_skip(state);
    int turn = 0;
    for (size_t v = 0; v < sizeof vertices / sizeof *vertices; v++)
        for (int choice = 0; choice < 4; choice++) {
            if (turn++ % test_stride())
                continue;
            const int mirror = choice & 1, weighted = choice / 2;
            weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
            weir_graph *want;
            draw_list(&list, vertices[v], v + 1);
            options.undirected = mirror;
            OK(weir_graph_from_arcs(vertices[v], LIST, list.sources, list.targets,
                                    weighted ? list.weights : NULL, &options, &want));
            struct weir__csr_input input = {
                .edges = {.sources = list.sources, .targets = list.targets},
                .weights = weighted ? list.weights : NULL,
                .vertices = vertices[v],
                .count = LIST,
                .mirror = mirror};
            assert_made(context, &input, want);
            weir_graph_destroy(want);
        }
    weir_context_destroy(context);
}

/* One arc many times, the smallest weight last. */
static void one_arc_many_times(void **state)
{
    static struct list list;
    weir_context *context = open_or_skip(state);
    weir_graph *want;
    for (uint32_t i = 0; i < LIST; i++) {
        list.sources[i] = 4;
        list.targets[i] = 2;
        list.weights[i] = LIST - i;
    }
    OK(weir_graph_from_arcs(9, LIST, list.sources, list.targets, list.weights, NULL, &want));
    assert_int_equal(want->arcs, 1);
    assert_int_equal(want->weights_u32[0], 1);
    struct weir__csr_input input = {.edges = {.sources = list.sources, .targets = list.targets},
                                    .weights = list.weights,
                                    .vertices = 9,
                                    .count = LIST};
    assert_made(context, &input, want);
    weir_graph_destroy(want);
    weir_context_destroy(context);
}

/* An allocation that fails on one of several devices that work side by side, or in a later pass, leaves nothing behind. */
static void failures_leave_nothing(void **state)
{
    static struct list list;
    weir_context *context = open_or_skip(state);
    weir_device *devices[WEIR_DEVICES_MAX];
    const uint32_t count = all_devices_of(context, devices);
    draw_list(&list, 60, 3);
    const struct weir__csr_input input = {
        .edges = {.sources = list.sources, .targets = list.targets},
        .weights = list.weights,
        .vertices = 60,
        .count = LIST,
        .range = 300};
    weir_status status = WEIR_ERR_NOMEM;
    for (uint64_t n = 1; status; n++) {
        weir_graph *graph;
        weir__fault_arm(WEIR__FAULT_ALLOC, n);
        status = weir__csr_make(context, devices, count, &input, &graph);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        if (status) {
            assert_int_equal(status, WEIR_ERR_NOMEM);
            assert_null(graph);
        }
        weir_graph_destroy(graph);
        assert_no_memory_is_left(context);
    }
    weir_context_destroy(context);
}

static void no_arcs(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *want;
    OK(weir_graph_from_arcs(5, 0, NULL, NULL, NULL, NULL, &want));
    struct weir__csr_input input = {.vertices = 5};
    assert_made(context, &input, want);
    weir_graph_destroy(want);
    weir_context_destroy(context);
}

/* ---- generators ----------------------------------------------------------------------------------- */

static void assert_generated(weir_context *context, enum weir__edges_kind kind, uint32_t scale,
                             uint64_t edge_factor, int mirror)
{
    char text[64];
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *want;
    options.undirected = mirror;
    snprintf(text, sizeof text, "%s:%u,%llu,7", kind == WEIR__EDGES_RMAT ? "rmat" : "uniform",
             scale, (unsigned long long)edge_factor);
    OK(weir_graph_open(text, &options, &want));
    struct weir__csr_input input = {
        .edges = {.kind = kind,
                  .scale = scale,
                  .seed = 7,
                  .label = weir__relabeling_of(UINT64_C(1) << scale, ~UINT64_C(7))},
        .vertices = UINT64_C(1) << scale,
        .count = edge_factor << scale,
        .mirror = mirror};
    assert_made(context, &input, want);
    weir_graph_destroy(want);
}

static void generated(void **state)
{
    weir_context *context = open_or_skip(state);
    for (int mirror = 0; mirror <= 1; mirror++)
        for (uint32_t scale = 0; scale <= 10; scale += 5) {
            assert_generated(context, WEIR__EDGES_RMAT, scale, 16, mirror);
            assert_generated(context, WEIR__EDGES_UNIFORM, scale, 3, mirror);
        }
    weir_context_destroy(context);
}

/* ---- who makes them ------------------------------------------------------------------------------- */

/* A GPU makes what has many arcs; it is the same graph as without one. Nobody else is asked. */
static void gpus_make_large_ones(void **state)
{
    weir_context *context = open_or_skip(state);
    static const char *const texts[] = {"rmat:17", "uniform:17", "smallworld:300000"};
    weir_device *devices[WEIR_DEVICES_MAX];
    const int gpu = weir__csr_devices(context, UINT64_C(1) << 20, devices) != 0;
    assert_int_equal(gpu, strncmp(*state, "cuda", 4) == 0);
    assert_int_equal(weir__csr_devices(context, 1000, devices), 0);
    assert_int_equal(weir__csr_devices(NULL, UINT64_C(1) << 40, devices), 0);
    /* Without a GPU both are made in the same way, whatever the graph: one is enough to see that. */
    const size_t count = gpu ? sizeof texts / sizeof *texts : 1;
    for (size_t i = 0; i < count; i++) {
        weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
        weir_pool_stats stats = WEIR_POOL_STATS_INIT;
        weir_graph *want, *got;
        options.undirected = 1;
        OK(weir_graph_open(texts[i], &options, &want));
        options.context = context;
        OK(weir_graph_open(texts[i], &options, &got));
        assert_equal_graphs(want, got);
        OK(weir_device_pool_stats(weir_context_device(context, 0), &stats));
        assert_int_equal(stats.peak_bytes > 0, gpu);
        assert_int_equal(stats.used_bytes, 0);
        weir_graph_destroy(got);
        weir_graph_destroy(want);
    }
    weir_context_destroy(context);
}

int main(void)
{
#define ON_EACH(f)                                                               \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:1x4"), ON_BACKEND(f, "host:3"), \
        ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1")
    const struct CMUnitTest tests[] = {
        ON_EACH(lists),     ON_EACH(one_arc_many_times),
        ON_EACH(no_arcs),   ON_EACH(failures_leave_nothing),
        ON_EACH(generated), ON_EACH(gpus_make_large_ones),
    };
    return cmocka_run_group_tests_name("csr", tests, NULL, NULL);
}
