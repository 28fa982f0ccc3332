/** @file test_rows_calls.c  The calls of rows as a program makes them: configurations, objects that go first, numbers and owners,
 * values brought to the host and described where they lie. What lies on the devices is in test_rows.c, structures of other
 * versions are in test_abi.c, and machines without memory in test_needs.c. */
#include "algorithms/rows.h"
#include "runtime/support.h"
#include "tests/lib/support.h"

#include <stdlib.h>
#include <string.h>

static weir_graph *open_graph(const char *text, int undirected)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph;
    options.undirected = undirected;
    OK(weir_graph_open(text, &options, &graph));
    return graph;
}

/* A value a row, of `bytes` bytes that repeat a hash of its vertex, in the memory of the part's device. */
static unsigned char byte_of(uint64_t vertex, size_t i)
{
    return (unsigned char)((vertex * 0x9E3779B97F4A7C15u) >> (8 * (i % 7)));
}

static void *put_values(const weir_rows *rows, uint32_t p, size_t bytes)
{
    const weir_rows_part *part = weir_rows_part_of(rows, p);
    weir_device *device = weir_context_device(weir_rows_context(rows), p);
    unsigned char *host = malloc(part->owned * bytes + 1);
    void *data = new_memory(device, part->owned * bytes + 1);
    assert_non_null(host);
    for (uint32_t r = 0; r < part->owned; r++)
        for (size_t i = 0; i < bytes; i++)
            host[r * bytes + i] = byte_of(weir_rows_vertices(rows)[part->begin + r], i);
    OK(weir__upload(device, data, host, part->owned * bytes));
    free(host);
    return data;
}

static void assert_gathered(const weir_rows *rows, size_t bytes)
{
    const uint64_t n = weir_rows_part_of(rows, 0)->vertices;
    const uint32_t parts = weir_rows_part_of(rows, 0)->parts;
    unsigned char *host = malloc(n * bytes + 1);
    void *data[WEIR_DEVICES_MAX];
    assert_non_null(host);
    for (uint32_t p = 0; p < parts; p++)
        data[p] = put_values(rows, p, bytes);
    host[n * bytes] = 0xA5;
    OK(weir_rows_gather(rows, (const void *const *)data, bytes, host));
    for (uint64_t v = 0; v < n; v++)
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(host[v * bytes + i], byte_of(v, i));
    assert_int_equal(host[n * bytes], 0xA5);
    for (uint32_t p = 0; p < parts; p++)
        weir_device_free(weir_context_device(weir_rows_context(rows), p), data[p]);
    free(host);
}

/* ---- what is asked for ------------------------------------------------------------------------------- */

static void without_a_configuration_there_are_out_arcs_alone(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:10", 1);
    weir_rows *rows;
    OK(weir_rows_create(context, graph, NULL, NULL, &rows));
    assert_ptr_equal(weir_rows_context(rows), context);
    assert_int_equal(weir_rows_part_of(rows, 0)->parts, weir_context_device_count(context));
    assert_int_equal(weir_rows_symmetric(rows), 0); /* nobody asked */
    assert_int_not_equal(weir_rows_order_of(rows), WEIR_ROWS_AUTO);
    for (uint32_t p = 0; p < weir_context_device_count(context); p++) {
        const weir_rows_part *part = weir_rows_part_of(rows, p);
        assert_non_null(part->out.offsets);
        assert_true(!part->out.weights && !part->in.offsets && !part->in.targets);
        assert_null(part->out_degree);
        assert_int_equal(part->arcs_in, 0);
    }
    weir_rows_destroy(rows);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void a_configuration_out_of_range_is_refused(void **state)
{
    (void)state;
    weir_context *context;
    weir_graph *graph = open_graph("grid:9x9", 0);
    weir_rows *rows = (weir_rows *)graph; /* any pointer: a refusal clears it */
    OK(weir_context_create("host:2", NULL, &context));
    for (int order = -1; order <= 3; order++) {
        weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
        config.order = (weir_rows_order)order;
        const int good = order >= WEIR_ROWS_AUTO && order <= WEIR_ROWS_BY_DEGREE;
        STATUS(weir_rows_create(context, graph, NULL, &config, &rows),
               good ? WEIR_OK : WEIR_ERR_INVALID);
        if (good) {
            weir_rows_destroy(rows);
            continue;
        }
        assert_null(rows);
        assert_detail(order < 0 ? "rows in order -1: there is none"
                                : "rows in order 3: there is none");
    }
    weir_rows_config never_set = {0};
    rows = (weir_rows *)graph;
    STATUS(weir_rows_create(context, graph, NULL, &never_set, &rows), WEIR_ERR_INVALID);
    assert_detail("a weir_rows_config of size 0 was not set by its initialiser");
    assert_null(rows);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* A program whose header had no more than the first two flags: these count, and what lies behind is not read. */
static void what_an_older_caller_sets_counts(void **state)
{
    (void)state;
    weir_context *context;
    weir_graph *graph = open_graph("grid:9x9", 0);
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    weir_rows *rows;
    OK(weir_context_create("host:2", NULL, &context));
    memset((char *)&config + offsetof(weir_rows_config, by_weight), 0xA5,
           sizeof config - offsetof(weir_rows_config, by_weight));
    config.size = offsetof(weir_rows_config, by_weight);
    config.in_arcs = 1;
    OK(weir_rows_create(context, graph, NULL, &config, &rows));
    assert_int_equal(weir_rows_symmetric(rows), 1);
    assert_ptr_equal(weir_rows_part_of(rows, 1)->in.offsets,
                     weir_rows_part_of(rows, 1)->out.offsets);
    weir_rows_destroy(rows);
    config.weights = 1;
    STATUS(weir_rows_create(context, graph, NULL, &config, &rows), WEIR_ERR_INVALID);
    assert_detail_has("the graph has no weights");
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void what_must_be_there_is_named(void **state)
{
    (void)state;
    static const void *none[WEIR_DEVICES_MAX];
    weir_context *context;
    weir_graph *graph = open_graph("grid:3x3", 0);
    weir_rows *rows = (weir_rows *)graph;
    weir_values values = WEIR_VALUES_INIT;
    uint32_t number;
    OK(weir_context_create("host:1", NULL, &context));
    STATUS(weir_rows_create(NULL, graph, NULL, NULL, &rows), WEIR_ERR_INVALID);
    assert_detail("weir_rows_create: context is NULL");
    assert_null(rows);
    STATUS(weir_rows_create(context, NULL, NULL, NULL, &rows), WEIR_ERR_INVALID);
    assert_detail("weir_rows_create: graph is NULL");
    STATUS(weir_rows_create(context, graph, NULL, NULL, NULL), WEIR_ERR_INVALID);
    assert_detail("weir_rows_create: rows_out is NULL");
    STATUS(weir_rows_locate(NULL, 0, NULL, &number), WEIR_ERR_INVALID);
    assert_detail("weir_rows_locate: rows is NULL");
    OK(weir_rows_create(context, graph, NULL, NULL, &rows));
    STATUS(weir_rows_gather(NULL, none, 4, &number), WEIR_ERR_INVALID);
    assert_detail("weir_rows_gather: rows is NULL");
    STATUS(weir_rows_gather(rows, NULL, 4, &number), WEIR_ERR_INVALID);
    assert_detail("weir_rows_gather: values is NULL");
    STATUS(weir_rows_gather(rows, none, 4, NULL), WEIR_ERR_INVALID);
    assert_detail("weir_rows_gather: values_out is NULL");
    STATUS(weir_rows_values(NULL, 0, none, WEIR_VALUE_U32, &values), WEIR_ERR_INVALID);
    assert_detail("weir_rows_values: rows is NULL");
    STATUS(weir_rows_values(rows, 0, none, WEIR_VALUE_U32, NULL), WEIR_ERR_INVALID);
    assert_detail("weir_rows_values: values_out is NULL");
    weir_rows_destroy(rows);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- what goes first --------------------------------------------------------------------------------- */

static void rows_outlive_what_they_were_made_of(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:9", 0);
    const uint64_t n = graph->vertices;
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    weir_partition *partition;
    weir_rows *rows;
    uint32_t part, number;
    config.in_arcs = 1;
    OK(weir_partition_create(graph, WEIR_PARTITION_RANDOM, weir_context_device_count(context), 1,
                             NULL, &partition));
    OK(weir_rows_create(context, graph, partition, &config, &rows));
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
    assert_ptr_equal(weir_rows_context(rows), context);
    for (uint64_t v = 0; v < n; v++) {
        OK(weir_rows_locate(rows, v, &part, &number));
        assert_int_equal(weir_rows_numbers(rows)[v], number);
        assert_int_equal(weir_rows_vertices(rows)[number], v);
    }
    assert_gathered(rows, 4);
    weir_rows_destroy(rows);
    weir_rows_destroy(NULL);
}

/* ---- numbers and owners ------------------------------------------------------------------------------ */

static void assert_domain(const weir_rows *rows)
{
    weir_steps_domain domain;
    const weir_rows_part *part = weir_rows_part_of(rows, 0);
    const uint32_t parts = part->parts;
    memset(&domain, 0xA5, sizeof domain);
    weir_rows_domain(rows, &domain);
    assert_int_equal(domain.devices, parts);
    for (uint32_t p = 0; p < parts; p++) {
        part = weir_rows_part_of(rows, p);
        assert_int_equal(domain.first[p], part->begin);
        assert_int_equal(domain.owned[p], part->owned);
        assert_int_equal(domain.first[p] % WEIR_ROWS_ALIGN, 0);
        for (uint32_t i = part->begin; i < part->first[p + 1]; i++) {
            const int gap = i >= part->begin + part->owned;
            assert_int_equal(weir_steps_owner(part->first, i), p);
            assert_int_equal(weir_rows_vertices(rows)[i] == UINT32_MAX, gap);
            assert_true(!gap || weir_rows_degrees(rows)[i] == 0);
        }
    }
    assert_int_equal(domain.first[parts], part->numbers);
    assert_null(weir_rows_part_of(rows, parts));
    assert_null(weir_rows_part_of(rows, UINT32_MAX));
}

static void fewer_parts_take_the_first_devices(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:12", 0);
    weir_pool_stats pool = WEIR_POOL_STATS_INIT;
    const uint32_t devices = weir_context_device_count(context);
    for (uint32_t parts = 1; parts <= devices; parts++) {
        weir_partition *partition;
        weir_rows *rows;
        weir_values values = WEIR_VALUES_INIT;
        OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, parts, 0, NULL, &partition));
        OK(weir_rows_create(context, graph, partition, NULL, &rows));
        assert_domain(rows);
        assert_gathered(rows, 8);
        for (uint32_t d = 0; d < devices; d++) {
            OK(weir_device_pool_stats(weir_context_device(context, d), &pool));
            assert_int_equal(pool.allocations != 0, d < parts);
        }
        STATUS(weir_rows_values(rows, parts, NULL, WEIR_VALUE_U32, &values), WEIR_ERR_INVALID);
        assert_int_equal(values.count, 0);
        weir_rows_destroy(rows);
        weir_partition_destroy(partition);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void a_vertex_is_found_or_refused(void **state)
{
    (void)state;
    weir_context *context;
    weir_graph *graph = open_graph("grid:50x50", 0);
    weir_rows *rows;
    uint32_t part = 77, number = 77;
    OK(weir_context_create("host:3", NULL, &context));
    OK(weir_rows_create(context, graph, NULL, NULL, &rows));
    for (uint64_t v = 0; v < graph->vertices; v++) {
        OK(weir_rows_locate(rows, v, &part, NULL));
        OK(weir_rows_locate(rows, v, NULL, &number));
        OK(weir_rows_locate(rows, v, NULL, NULL));
        assert_int_equal(weir_rows_numbers(rows)[v], number);
        assert_int_equal(weir_steps_owner(weir_rows_part_of(rows, 0)->first, number), part);
        assert_int_equal(weir_rows_degrees(rows)[number],
                         graph->offsets[v + 1] - graph->offsets[v]);
    }
    STATUS(weir_rows_locate(rows, 2500, &part, &number), WEIR_ERR_INVALID);
    assert_detail("2500 is not a vertex: the graph has 2500");
    STATUS(weir_rows_locate(rows, UINT64_MAX, NULL, NULL), WEIR_ERR_INVALID);
    weir_rows_destroy(rows);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- values ------------------------------------------------------------------------------------------ */

static void values_of_any_width_are_gathered(void **state)
{
    static const size_t widths[] = {1, 2, 4, 8, 12, 100};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:11", 0);
    weir_rows *rows;
    const void *none[WEIR_DEVICES_MAX] = {NULL};
    OK(weir_rows_create(context, graph, NULL, NULL, &rows));
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        assert_gathered(rows, widths[i]);
    const void *some[WEIR_DEVICES_MAX];
    for (size_t p = 0; p < WEIR_DEVICES_MAX; p++)
        some[p] = &graph;
    STATUS(weir_rows_gather(rows, some, 0, &graph), WEIR_ERR_INVALID);
    assert_detail("values of 0 bytes cannot be gathered");
    STATUS(weir_rows_gather(rows, none, 4, &graph), WEIR_ERR_INVALID);
    assert_detail("weir_rows_gather: values[0] is NULL");
    weir_rows_destroy(rows);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void values_are_described_where_they_lie(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:11", 0);
    const weir_rows_part *part;
    const uint32_t *map[WEIR_DEVICES_MAX];
    weir_rows *rows;
    OK(weir_rows_create(context, graph, NULL, NULL, &rows));
    for (int kind = WEIR_VALUE_I32; kind <= WEIR_VALUE_F64; kind++)
        for (uint32_t p = 0; (part = weir_rows_part_of(rows, p)); p++) {
            weir_values values = WEIR_VALUES_INIT;
            uint32_t *vertex = malloc(part->owned * sizeof *vertex + 1);
            OK(weir_rows_values(rows, p, &values, (weir_value_kind)kind, &values));
            assert_ptr_equal(values.data, &values); /* handed on, not looked at */
            assert_int_equal(values.size, sizeof values);
            assert_int_equal(values.count, part->owned);
            assert_int_equal(values.first, part->begin);
            assert_int_equal(values.kind, kind);
            assert_int_equal(values.bytes, kind == WEIR_VALUE_F64 ? 8 : 4);
            assert_true(values.scale == 1);
            assert_non_null(vertex);
            OK(weir__download(weir_context_device(context, p), vertex, values.vertices,
                              part->owned * sizeof *vertex));
            assert_memory_equal(vertex, weir_rows_vertices(rows) + part->begin,
                                part->owned * sizeof *vertex);
            if (kind != WEIR_VALUE_I32)
                assert_ptr_equal(values.vertices, map[p]); /* made once */
            map[p] = values.vertices;
            free(vertex);
        }
    weir_values values = WEIR_VALUES_INIT;
    STATUS(weir_rows_values(rows, 0, NULL, (weir_value_kind)3, &values), WEIR_ERR_INVALID);
    assert_detail("values of kind 3: there is none");
    assert_int_equal(values.count, 0);
    weir_rows_destroy(rows);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_KIND(without_a_configuration_there_are_out_arcs_alone),
        cmocka_unit_test(a_configuration_out_of_range_is_refused),
        cmocka_unit_test(what_an_older_caller_sets_counts),
        cmocka_unit_test(what_must_be_there_is_named),
        ON_EACH_KIND(rows_outlive_what_they_were_made_of),
        ON_EACH_KIND(fewer_parts_take_the_first_devices),
        cmocka_unit_test(a_vertex_is_found_or_refused),
        ON_EACH_KIND(values_of_any_width_are_gathered),
        ON_EACH_KIND(values_are_described_where_they_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
