/** @file test_color.c  Colourings on every set of devices: no two neighbours alike, and not more colours than a greedy way can need. What
 * is no colouring is named by the certificate; runs end when they are told to. */
#include "runtime/internal.h"
#include "tests/algorithms/cc_fixture.h"
#include "algorithms/color/color_body.h"
#include "algorithms/color/color_push_op.h"
#include "algorithms/common/certify.h"
#include "tests/lib/share.h"

#include <pthread.h>

static uint32_t *colors_room(const weir_graph *graph)
{
    uint32_t *colors = malloc((graph->vertices + 1) * sizeof *colors);
    assert_non_null(colors);
    memset(colors, 0xEE, (graph->vertices + 1) * sizeof *colors);
    return colors;
}

/* The degree of a vertex, of both directions: a symmetric graph has each neighbour twice, and is asked by half of it. */
static uint64_t *degrees(const weir_graph *graph)
{
    uint64_t *degree = calloc(graph->vertices + 1, sizeof *degree);
    assert_non_null(degree);
    for (uint64_t v = 0; v < graph->vertices; v++)
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            degree[v]++;
            degree[graph->targets[i]] += !graph->mirrored;
        }
    return degree;
}

/* @return how many colours there are. */
static uint64_t assert_colored(const weir_graph *graph, const uint32_t *colors)
{
    uint64_t *degree = degrees(graph), most = 0, distinct = 0;
    uint8_t *seen = calloc(graph->vertices + 1, 1);
    assert_non_null(seen);
    for (uint64_t v = 0; v < graph->vertices; v++) {
        if (colors[v] > degree[v])
            fail_msg("%s: vertex %llu of %llu arcs has colour %u", graph->name,
                     (unsigned long long)v, (unsigned long long)degree[v], colors[v]);
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++)
            if (colors[graph->targets[i]] == colors[v])
                fail_msg("%s: vertices %llu and %u both have colour %u", graph->name,
                         (unsigned long long)v, graph->targets[i], colors[v]);
        most = degree[v] > most ? degree[v] : most;
        distinct += !seen[colors[v]];
        seen[colors[v]] = 1;
    }
    assert_true(distinct <= most + 1);
    free(degree);
    free(seen);
    return distinct;
}

/* Vertices that have arcs. */
static uint64_t busy_of(const weir_graph *graph)
{
    uint64_t *degree = degrees(graph), busy = 0;
    for (uint64_t v = 0; v < graph->vertices; v++)
        busy += degree[v] != 0;
    free(degree);
    return busy;
}

/* Of a run through the worklist each vertex that has arcs takes a colour, and checks it at least once. */
static void assert_pushed(const weir_graph *graph, const weir_run_stats *stats)
{
    assert_true(stats->work.processed >= 2 * busy_of(graph));
    assert_true(stats->work.atoms >= 2 * graph->arcs);
    assert_int_equal(stats->work.produced, stats->work.consumed);
    assert_int_equal(stats->steps, 0);
    assert_int_equal(stats->direction, WEIR_DIRECTION_PUSH);
}

static void assert_stepped(const weir_graph *graph, const weir_run_stats *stats)
{
    assert_true(!graph->arcs || stats->phase[0].steps >= 1);
    assert_true(stats->work.atoms >= graph->arcs / 2); /* each arc at one of its ends */
    assert_true(stats->work.processed <= graph->vertices * stats->steps);
    assert_string_equal(stats->phase[0].name, "take");
    assert_string_equal(stats->phase[1].name, "check");
    assert_int_equal(stats->direction, WEIR_DIRECTION_PULL);
}

/* Two runs: what the first leaves must not be in the way of the second. */
static uint64_t check_color_as(weir_context *context, const weir_graph *graph,
                               const weir_partition *partition, const weir_run_options *options,
                               uint64_t permute)
{
    weir_color_config config = WEIR_COLOR_CONFIG_INIT;
    uint32_t *colors = colors_room(graph);
    uint64_t distinct = 0;
    weir_color *color;
    config.permute = permute != 0;
    config.seed = permute;
    OK(weir_color_create(context, graph, partition, options, &config, &color));
    STATUS(weir_color_colors(color, colors), WEIR_ERR_INVALID);
    assert_detail_has("no colours before a complete run");
    for (int run = 0; run < 2; run++) {
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        OK(weir_color_run(color, &stats));
        OK(weir_color_colors(color, colors));
        distinct = assert_colored(graph, colors);
        OK(weir_color_certify(context, graph, colors));
        assert_int_equal(stats.reached, graph->vertices);
        assert_int_equal(stats.arcs_reached, graph->arcs);
        (options ? assert_pushed : assert_stepped)(graph, &stats);
    }
    weir_color_destroy(color);
    free(colors);
    return distinct;
}

/* In step. */
static uint64_t check_color(weir_context *context, const weir_graph *graph,
                            const weir_partition *partition, uint64_t permute)
{
    return check_color_as(context, graph, partition, NULL, permute);
}

static void every_shape_is_colored(void **state)
{
    weir_context *context = context_or_skip(*state);
    const uint32_t devices = weir_context_device_count(context);
    int turn = 0;
    for (int i = 0; i < 2 * SHAPES; i++) {
        weir_graph *graph = shaped((enum shape)(i / 2), i % 2);
        for (int kind = WEIR_PARTITION_BLOCK; kind <= WEIR_PARTITION_RANDOM; kind++) {
            if (turn++ % test_stride())
                continue;
            weir_partition *partition = cut(graph, (weir_partition_kind)kind, devices);
            (void)check_color(context, graph, partition, kind == WEIR_PARTITION_EDGE ? 5 : 0);
            weir_partition_destroy(partition);
        }
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* The same through the worklist: one way after the other, for as many shapes. */
static void every_shape_is_colored_by_items(void **state)
{
    weir_context *context = context_or_skip(*state);
    const uint32_t devices = weir_context_device_count(context);
    for (int i = 0; i < 2 * SHAPES; i += test_stride()) {
        weir_graph *graph = shaped((enum shape)(i / 2), i % 2);
        weir_partition *partition = cut(graph, WEIR_PARTITION_RANDOM, devices);
        const int way = (i + i / 6) % 6; /* each of directed and undirected graphs */
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        options.direction = WEIR_DIRECTION_PUSH;
        options.order = way < 3 ? (weir_order_kind)(1 + way) : WEIR_ORDER_AUTO;
        options.kernel = way == 3   ? WEIR_KERNEL_LIVE
                         : way == 4 ? WEIR_KERNEL_DISCRETE
                                    : WEIR_KERNEL_AUTO;
        (void)check_color_as(context, graph, partition, &options, way == 5 ? 3 : 0);
        weir_partition_destroy(partition);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* Vertices of a clique that lies on many devices take the same colours time and again, and have one each in the end. */
static void cliques_are_colored_by_items(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_graph *graph = open_graph("complete:260", 0);
    weir_partition *partition =
        cut(graph, WEIR_PARTITION_RANDOM, weir_context_device_count(context));
    assert_true(260 > 2 * PUSH_WINDOW);
    options.direction = WEIR_DIRECTION_PUSH;
    assert_int_equal(check_color_as(context, graph, partition, &options, 0), 260);
    options.order = WEIR_ORDER_BULK;
    assert_int_equal(check_color_as(context, graph, partition, &options, 0), 260);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    graph = open_graph("grid:60x50", 0);
    partition = cut(graph, WEIR_PARTITION_RANDOM, weir_context_device_count(context));
    assert_in_range(check_color_as(context, graph, partition, &options, 0), 2, 5);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Of a graph that has each vertex joined to all there are as many colours as vertices, beyond one window of them too; what is bipartite
 * and coloured along a line by one thread has two. */
static void numbers_of_colors_are_known(void **state)
{
    weir_context *context = context_or_skip(*state);
    const char *spec = *state;
    weir_graph *graph = open_graph("complete:1100", 0);
    assert_true(1100 > COLOR_WORDS * 32);
    assert_int_equal(check_color(context, graph, NULL, 0), 1100);
    weir_graph_destroy(graph);
    graph = open_graph("chain:2000", 0);
    const uint64_t distinct = check_color(context, graph, NULL, 0);
    assert_true(distinct >= 2 && distinct <= 3);
    if (!strcmp(spec, "host:1"))
        assert_int_equal(distinct, 2);
    weir_graph_destroy(graph);
    graph = open_graph("star:5000", 0);
    assert_int_equal(check_color(context, graph, NULL, 9), 2);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* One thread does what the serial way does, where rows are numbered as in the input: colour for colour. */
static void one_thread_is_greedy_as(void **state, weir_direction direction)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.direction = direction;
    weir_context *context = context_or_skip(*state);
    weir_graph *graph = open_graph("grid:40x30,0.8", 0);
    uint32_t *have = colors_room(graph), *want = colors_room(graph);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_color *color;
    OK(weir_color_create(context, graph, NULL, &options, NULL, &color));
    OK(weir_color_run(color, &stats));
    OK(weir_color_colors(color, have));
    OK(weir_color_reference(graph, want));
    (void)assert_colored(graph, want);
    assert_memory_equal(have, want, graph->vertices * sizeof *have);
    if (direction == WEIR_DIRECTION_PUSH)
        assert_int_equal(stats.work.processed, 2 * busy_of(graph));
    else
        assert_int_equal(stats.steps, 1); /* nobody took the same at the same time */
    weir_color_destroy(color);
    free(have);
    free(want);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void one_thread_is_greedy(void **state)
{
    one_thread_is_greedy_as(state, WEIR_DIRECTION_PULL);
}

static void one_thread_is_greedy_by_items(void **state)
{
    one_thread_is_greedy_as(state, WEIR_DIRECTION_PUSH);
}

/* Where rows are numbered by degree they come in batches, 256 and then twice as many, and a row that keeps its colour looks at each
 * arc to one before it once, and at no other. */
static void hubs_come_first(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_graph *graph = open_graph("rmat:15", 1);
    uint32_t *colors = colors_room(graph);
    const uint64_t busy = busy_of(graph);
    uint64_t batches = 0;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_color *color;
    for (uint64_t end = 256; end < 2 * busy; end *= 2)
        batches++;
    OK(weir_color_create(context, graph, NULL, NULL, NULL, &color));
    OK(weir_color_run(color, &stats));
    OK(weir_color_colors(color, colors));
    (void)assert_colored(graph, colors);
    assert_int_equal(stats.work.atoms, graph->arcs / 2);
    assert_int_equal(stats.work.processed, busy);
    assert_int_equal(stats.steps, batches);
    weir_color_destroy(color);
    free(colors);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Many threads of a device: rows that look at the same time collide. */
static void collisions_are_settled(void **state)
{
    weir_context *context = context_or_skip(*state);
    static const char *const graphs[] = {"complete:100", "rmat:15", "grid:100x100"};
    for (int i = 0; i < 3; i++) {
        weir_graph *graph = open_graph(graphs[i], 1);
        (void)check_color(context, graph, NULL, 0);
        (void)check_color(context, graph, NULL, 7);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void values_lie_on_the_devices(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_graph *graph = open_graph("rmat:9", 1);
    weir_partition *partition; /* of small graphs not all devices would take part */
    weir_color *color;
    uint64_t count = 0;
    OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, weir_context_device_count(context), 1,
                             NULL, &partition));
    OK(weir_color_create(context, graph, partition, NULL, NULL, &color));
    weir_values values = WEIR_VALUES_INIT;
    STATUS(weir_color_values(color, 0, &values), WEIR_ERR_INVALID);
    OK(weir_color_run(color, NULL));
    for (uint32_t d = 0; d < weir_context_device_count(context); d++) {
        weir_values part = WEIR_VALUES_INIT;
        OK(weir_color_values(color, d, &part));
        assert_int_equal(part.kind, WEIR_VALUE_U32);
        count += part.count;
    }
    assert_int_equal(count, graph->vertices);
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    weir_run_stats picked = WEIR_RUN_STATS_INIT;
    OK(weir_color_explain(color, &picked, &reasons));
    assert_string_equal(reasons.form, "a colouring in step");
    weir_prepare_stats prepared = WEIR_PREPARE_STATS_INIT;
    OK(weir_color_prepared(color, &prepared));
    weir_color_destroy(color);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Of a grid that is cut into strips a device tells the two beside it of the rows along the cut, as often as these look, and nobody else. */
static void only_halos_are_told(void **state)
{
    enum { WIDTH = 60 };
    weir_context *context = context_or_skip(*state);
    const uint32_t devices = weir_context_device_count(context);
    weir_graph *graph = open_graph("grid:60x80", 0);
    weir_partition *partition = cut(graph, WEIR_PARTITION_BLOCK, devices);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_color *color;
    uint64_t all = 0;
    OK(weir_color_create(context, graph, partition, NULL, NULL, &color));
    OK(weir_color_run(color, &stats));
    for (uint32_t from = 0; from < devices; from++)
        for (uint32_t to = 0; to < devices; to++) {
            uint64_t items;
            OK(weir_color_link_items(color, from, to, &items));
            if (from + 1 == to || to + 1 == from)
                assert_in_range(items, WIDTH, WIDTH * stats.steps);
            else
                assert_int_equal(items, 0);
            all += items;
        }
    assert_int_equal(stats.work.sent, all);
    assert_int_equal(stats.bytes_sent, 4 * all);
    weir_color_destroy(color);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void a_run_is_cancelled(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_graph *graph = open_graph("rmat:10", 1);
    uint32_t *colors = colors_room(graph);
    weir_color *color;
    OK(weir_color_create(context, graph, NULL, NULL, NULL, &color));
    OK(weir_color_run(color, NULL));
    weir_color_cancel(color);
    STATUS(weir_color_run(color, NULL), WEIR_ERR_CANCELLED);
    STATUS(weir_color_colors(color, colors), WEIR_ERR_INVALID); /* of which run? */
    weir_color_destroy(color);
    free(colors);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void what_is_no_coloring_is_named(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_graph *graph = open_graph("grid:30x20", 0);
    uint32_t *colors = colors_room(graph);
    OK(weir_color_reference(graph, colors));
    OK(weir_color_certify(context, graph, colors));
    weir__certify_pretend(graph->arcs / 20);
    for (uint64_t v = 0; v < graph->vertices; v += 7) {
        const uint32_t right = colors[v];
        colors[v] = !right;
        STATUS(weir_color_certify(context, graph, colors), WEIR_ERR_VERIFY);
        assert_detail_has("which has the same");
        colors[v] = 5;
        STATUS(weir_color_certify(context, graph, colors), WEIR_ERR_VERIFY);
        assert_detail_has("has color 5, but no vertex has more than 4 neighbours");
        colors[v] = 4; /* more than are needed, and right */
        OK(weir_color_certify(context, graph, colors));
        colors[v] = right;
    }
    weir__certify_pretend(0);
    STATUS(weir_color_certify(NULL, graph, colors), WEIR_ERR_INVALID);
    STATUS(weir_color_certify(context, NULL, colors), WEIR_ERR_INVALID);
    STATUS(weir_color_certify(context, graph, NULL), WEIR_ERR_INVALID);
    STATUS(weir_color_reference(NULL, colors), WEIR_ERR_INVALID);
    STATUS(weir_color_reference(graph, NULL), WEIR_ERR_INVALID);
    free(colors);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void options_that_say_nothing_are_refused(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_graph *graph = open_graph("grid:5x5", 0);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_color *color;
    options.parents = 1;
    STATUS(weir_color_create(context, graph, NULL, &options, NULL, &color), WEIR_ERR_UNSUPPORTED);
    assert_null(color);
    options.parents = 0;
    options.worker = WEIR_WORKER_BLOCK;
    STATUS(weir_color_create(context, graph, NULL, &options, NULL, &color), WEIR_ERR_UNSUPPORTED);
    options.worker = WEIR_WORKER_AUTO;
    options.direction = WEIR_DIRECTION_PULL;
    options.kernel = WEIR_KERNEL_LIVE;
    STATUS(weir_color_create(context, graph, NULL, &options, NULL, &color), WEIR_ERR_UNSUPPORTED);
    options.kernel = WEIR_KERNEL_AUTO;
    options.direction = WEIR_DIRECTION_SWITCH;
    STATUS(weir_color_create(context, graph, NULL, &options, NULL, &color), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("direction pull, in step, or push");
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Each allocation fails once, in both forms; what was made before it is given back. */
static void no_memory_is_said(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_graph *graph = open_graph("rmat:6", 0);
    const weir_color_config config = {.size = sizeof(weir_color_config), .permute = 1, .seed = 3};
    for (int push = 0; push < 2; push++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        weir_status status = WEIR_ERR_NOMEM;
        uint64_t n = 0;
        options.direction = push ? WEIR_DIRECTION_PUSH : WEIR_DIRECTION_PULL;
        while (status == WEIR_ERR_NOMEM) {
            weir_color *color;
            weir__fault_arm(WEIR__FAULT_ALLOC, ++n);
            status = weir_color_create(context, graph, NULL, &options, &config, &color);
            weir__fault_arm(WEIR__FAULT_ALLOC, 0);
            assert_int_equal(color != NULL, status == WEIR_OK);
            weir_color_destroy(color);
        }
        OK(status);
        assert_true(n > 10);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(every_shape_is_colored) ON_EACH_SPEC(every_shape_is_colored_by_items) CC_TEST(
            cliques_are_colored_by_items, "host:1") CC_TEST(cliques_are_colored_by_items, "host:3")
            CC_TEST(cliques_are_colored_by_items,
                    "host:2x2") CC_TEST(cliques_are_colored_by_items,
                                        "cuda:0") CC_TEST(cliques_are_colored_by_items, "cuda:0-1")
                ON_EACH_SPEC(only_halos_are_told) ON_EACH_SPEC(numbers_of_colors_are_known)
                    ON_EACH_SPEC(values_lie_on_the_devices) ON_EACH_SPEC(
                        what_is_no_coloring_is_named) CC_TEST(one_thread_is_greedy, "host:1")
                        CC_TEST(one_thread_is_greedy_by_items, "host:1") CC_TEST(
                            hubs_come_first, "host:1") CC_TEST(collisions_are_settled, "host:1x8")
                            CC_TEST(collisions_are_settled, "host:2x4") CC_TEST(
                                a_run_is_cancelled, "host:2") CC_TEST(no_memory_is_said, "host:2")
                                CC_TEST(a_run_is_cancelled, "cuda:0")
                                    CC_TEST(options_that_say_nothing_are_refused, "host:1")};
    return cmocka_run_group_tests_name("colourings", tests, NULL, NULL);
}
