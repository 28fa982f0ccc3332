/** @file test_rows_device.c  Rows that devices put in order themselves: bit for bit those that the cores of the host make. */
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

#include "algorithms/common/rows_build.h"
#include "algorithms/rows.h"
#include "runtime/support.h"

static void *fetch(weir_device *device, const void *placed, uint64_t bytes)
{
    void *data = malloc(bytes + 1);
    assert_non_null(data);
    OK(weir__download(device, data, placed, bytes));
    return data;
}

static void assert_same_array(weir_device *device, const void *want, const void *got,
                              uint64_t bytes)
{
    assert_int_equal(want != NULL, got != NULL);
    if (!want)
        return;
    void *a = fetch(device, want, bytes), *b = fetch(device, got, bytes);
    if (bytes)
        assert_memory_equal(a, b, bytes);
    free(a);
    free(b);
}

static void assert_same_arcs(weir_device *device, uint32_t owned, uint64_t count,
                             const weir_arcs *want, const weir_arcs *got)
{
    assert_same_array(device, want->offsets, got->offsets, ((uint64_t)owned + 1) * 8);
    assert_same_array(device, want->targets, got->targets, count * 4);
    assert_same_array(device, want->weights, got->weights, count * 4);
}

static void assert_same_pairs(weir_device *device, const weir_rows_part *part,
                              const weir_rows_pairs *want, const weir_rows_pairs *got)
{
    assert_int_equal(want != NULL, got != NULL);
    if (!want)
        return;
    assert_same_array(device, want->out, got->out, part->arcs_out * 8);
    assert_same_array(device, want->in, got->in, part->arcs_in * 8);
    assert_int_equal(want->in == want->out, got->in == got->out);
}

static void assert_same_rows(weir_context *context, const weir_rows *want, const weir_rows *got)
{
    for (uint32_t p = 0; p < weir_context_device_count(context); p++) {
        const weir_rows_part *a = weir_rows_part_of(want, p), *b = weir_rows_part_of(got, p);
        weir_device *device = weir_context_device(context, p);
        assert_int_equal(a->begin, b->begin);
        assert_int_equal(a->owned, b->owned);
        assert_int_equal(a->busy, b->busy);
        assert_int_equal(a->arcs_out, b->arcs_out);
        assert_int_equal(a->arcs_in, b->arcs_in);
        assert_same_arcs(device, a->owned, a->arcs_out, &a->out, &b->out);
        assert_same_arcs(device, a->owned, a->arcs_in, &a->in, &b->in);
        assert_int_equal(a->in.targets == a->out.targets, b->in.targets == b->out.targets);
        assert_same_pairs(device, a, weir_rows_pairs_of(want, p), weir_rows_pairs_of(got, p));
        assert_same_array(device, a->out_degree, b->out_degree, (uint64_t)a->numbers * 4);
        assert_same_array(device, a->out_byte, b->out_byte, a->owned);
    }
}

static void compare(weir_context *context, const weir_graph *graph, const weir_partition *partition,
                    const weir_rows_config *config, uint64_t piece, uint64_t stretch)
{
    weir_rows *want, *got;
    OK(weir_rows_create(context, graph, partition, config, &want));
    weir__rows_pretend(piece, stretch);
    OK(weir_rows_create(context, graph, partition, config, &got));
    weir__rows_pretend(0, 0);
    assert_same_rows(context, want, got);
    weir_rows_destroy(got);
    weir_rows_destroy(want);
}

static void compare_all(weir_context *context, const char *text, int undirected,
                        weir_partition_kind kind)
{
    static const uint64_t sizes[][2] = {{1 << 20, 1 << 20}, {999, 3000}};
    const weir_weights weights = {.kind = WEIR_WEIGHTS_RANDOM, .high = 70000, .seed = 3};
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_partition *partition;
    weir_graph *graph;
    options.undirected = undirected;
    OK(weir_graph_open(text, &options, &graph));
    OK(weir_graph_weigh(graph, &weights));
    OK(weir_partition_create(graph, kind, weir_context_device_count(context), 5, NULL, &partition));
    for (uint32_t choice = 0; choice < 2 * 2 * 5 * 2; choice++) {
        const uint32_t how = choice / 4 % 5;
        weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
        config.in_arcs = choice & 1;
        config.order = choice & 2 ? WEIR_ROWS_BY_DEGREE : WEIR_ROWS_BY_ID;
        config.weights = how > 0;
        config.by_weight = how > 0 && how % 2 == 0;
        config.pairs = how > 2;
        config.out_degrees = config.out_bytes = choice & 1;
        compare(context, graph, partition, &config, sizes[choice / 20][0], sizes[choice / 20][1]);
    }
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
}

static void rows_are_those_of_the_host(void **state)
{
    weir_context *context = open_or_skip(state);
    compare_all(context, "rmat:9", 0, WEIR_PARTITION_EDGE);
    compare_all(context, "rmat:9", 1, WEIR_PARTITION_RANDOM);
    compare_all(context, "grid:40x30,0.8", 0, WEIR_PARTITION_BLOCK);
    compare_all(context, "star:900", 0, WEIR_PARTITION_RANDOM);
    compare_all(context, "uniform:8,1", 0, WEIR_PARTITION_RANDOM);
    weir_context_destroy(context);
}

static void without_arcs(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    weir_partition *partition;
    weir_graph *graph;
    OK(weir_graph_from_arcs(3000, 0, NULL, NULL, NULL, NULL, &graph));
    OK(weir_partition_create(graph, WEIR_PARTITION_BLOCK, weir_context_device_count(context), 1,
                             NULL, &partition));
    config.in_arcs = 1;
    compare(context, graph, partition, &config, 10, 10);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Devices that only count bytes have no in-degrees to tell: numbers are those of a run all the same. */
static void planned_ones_have_the_same_numbers(void **state)
{
    static struct weir__plan_device devices[WEIR_DEVICES_MAX];
    weir_context *context = open_or_skip(state), *planned;
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    const uint32_t count = weir_context_device_count(context);
    weir_rows *want, *got;
    weir_graph *graph;
    OK(weir_graph_open("rmat:12", NULL, &graph));
    weir__plan_devices_of(context, devices);
    OK(weir__context_plan(devices, count, NULL, context, &planned));
    config.in_arcs = 1;
    config.order = WEIR_ROWS_BY_DEGREE;
    OK(weir_rows_create(context, graph, NULL, &config, &want));
    weir__rows_pretend(1 << 20, 1 << 20);
    OK(weir_rows_create(planned, graph, NULL, &config, &got));
    weir__rows_pretend(0, 0);
    for (uint32_t p = 0; p < count; p++) {
        const weir_rows_part *a = weir_rows_part_of(want, p), *b = weir_rows_part_of(got, p);
        assert_int_equal(a->busy, b->busy);
        assert_int_equal(a->arcs_in, b->arcs_in);
        assert_memory_equal(weir_rows_vertices(want) + a->begin, weir_rows_vertices(got) + b->begin,
                            a->owned * sizeof(uint32_t));
    }
    weir_rows_destroy(got);
    weir_rows_destroy(want);
    weir_context_destroy(planned);
    weir_context_destroy(context);
    weir_graph_destroy(graph);
}

/* A pool in which the rows have room, and what helps to put them in order has not: the host does it. */
static void without_room(void **state)
{
    char setting[48];
    const char *const settings[] = {setting, NULL};
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    weir_graph *graph;
    weir_rows *want, *got;
    weir_context *context = open_or_skip(state), *small;
    const weir_weights weights = {.kind = WEIR_WEIGHTS_RANDOM, .high = 70000, .seed = 3};
    OK(weir_graph_open("rmat:16", NULL, &graph));
    OK(weir_graph_weigh(graph, &weights));
    config.in_arcs = config.weights = config.pairs = 1;
    OK(weir_rows_create(context, graph, NULL, &config, &want));
    OK(weir_device_pool_stats(weir_context_device(context, 0), &stats));
    snprintf(setting, sizeof setting, "pool_bytes=%llu",
             (unsigned long long)stats.used_bytes + (4 << 20));
    weir__rows_pretend(1 << 20, 1 << 20);
    OK(weir_rows_create(context, graph, NULL, &config, &got));
    weir__rows_pretend(0, 0);
    weir_rows_destroy(got);
    uint64_t before = stats.used_bytes;
    OK(weir_device_pool_stats(weir_context_device(context, 0), &stats));
    assert_true(stats.peak_bytes - before > before + (4 << 20));
    small = open_with_or_skip(*state, settings);
    weir__rows_pretend(1 << 20, 1 << 20);
    OK(weir_rows_create(small, graph, NULL, &config, &got));
    weir__rows_pretend(0, 0);
    assert_same_rows(context, want, got);
    weir_rows_destroy(got);
    weir_rows_destroy(want);
    weir_context_destroy(small);
    weir_context_destroy(context);
    weir_graph_destroy(graph);
}

int main(void)
{
#define ON_EACH(f)                                                               \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:3"), ON_BACKEND(f, "host:1x4"), \
        ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0,host:1")
    const struct CMUnitTest tests[] = {
        ON_EACH(rows_are_those_of_the_host),         ON_EACH(without_arcs),
        ON_EACH(planned_ones_have_the_same_numbers), ON_BACKEND(without_room, "host:1"),
        ON_BACKEND(without_room, "cuda:0"),
    };
    return cmocka_run_group_tests_name("rows on devices", tests, NULL, NULL);
}
