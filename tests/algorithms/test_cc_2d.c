/** @file test_cc_2d.c  Connected components in two dimensions: on every grid of the devices the labels of the serial reference, in few
 * rounds, whatever the diameter; who is told how much; what is refused. */
#include "algorithms/graph/arcs.h"
#include "runtime/internal.h"
#include "runtime/support.h"
#include "tests/algorithms/cc_fixture.h"
#include "tests/algorithms/grid_fixture.h"
#include "tests/lib/share.h"

/* There are many combinations: each set of devices sees some. Sanitizers are slow. */
#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
#define STRIDE  13
#define PATH_OF 4001u /* vertices; prime, as the other one is */
#else
#define STRIDE  (3 * test_stride())
#define PATH_OF 40009u
#endif

/* Of grids in order from one of one row the first and the last. */
#define STEP_OF(count) ((count) > 1 ? (count)-1 : 1)

static weir_cc *gridded(weir_context *context, const weir_graph *graph, struct grid grid)
{
    weir_partition *partition = cells_of(graph, grid);
    weir_cc *cc = NULL;
    OK(weir_cc_create(context, graph, partition, NULL, WEIR_CC_AUTO, &cc));
    weir_partition_destroy(partition); /* it is not needed any more */
    return cc;
}

/* Rounds are of links between columns, and each takes two thirds of the trees at the least, as long as labels are anywhere. */
static weir_run_stats assert_grid(weir_context *context, const weir_graph *graph, struct grid grid)
{
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    char what[64];
    weir_cc *cc = gridded(context, graph, grid);
    snprintf(what, sizeof what, "2d:%ux%u", grid.rows, grid.columns);
    assert_cc(cc, graph, what);
    OK(weir_cc_run(cc, &stats));
    assert_true(stats.work.atoms <= graph->arcs);
    if (!weir__graph_symmetric(graph, NULL) || graph->arcs < 5 * graph->vertices)
        assert_int_equal(stats.work.atoms, graph->arcs);
    assert_int_equal(stats.devices, grid.rows * grid.columns);
    assert_string_equal(stats.phase[0].name, "link");
    if (grid.columns == 1)
        assert_int_equal(stats.work.rounds, 0);
    if (grid.rows * grid.columns == 1)
        assert_int_equal(stats.bytes_sent, 0);
    assert_true(stats.work.rounds <= 30);
    assert_true(stats.steps < 16 + 10 * stats.work.rounds);
    weir_cc_destroy(cc);
    return stats;
}

static void each_shape_on_each_grid(void **state)
{
    weir_context *context = context_or_skip(*state);
    struct grid grids[WEIR_DEVICES_MAX];
    const int count = grids_of(weir_context_device_count(context), grids);
    int turn = 0;
    for (int i = 0; i < 2 * SHAPES; i++) {
        weir_graph *graph = shaped((enum shape)(i / 2), i % 2);
        for (int g = 0; g < count; g++)
            if (turn++ % STRIDE == 0)
                assert_grid(context, graph, grids[g]);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void generated_graphs(void **state)
{
    static const char *const texts[] = {"rmat:8", "rmat:12,4", "rmat:10,16", "grid:70x61,.65",
                                        "grid:200x3,.5"};
    weir_context *context = context_or_skip(*state);
    struct grid grids[WEIR_DEVICES_MAX];
    const int count = grids_of(weir_context_device_count(context), grids);
    int turn = 0;
    for (int i = 0; i < 2 * 5; i++) {
        weir_graph *graph = open_graph(texts[i / 2], i % 2);
        for (int g = 0; g < count; g++)
            if (turn++ % STRIDE == 0)
                assert_grid(context, graph, grids[g]);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* ---- paths that lead from cell to cell --------------------------------------------------------- */

/* A path over vertices in this order: every step of it leads to another cell. */
static weir_graph *path_over(uint64_t vertices, uint64_t step, int undirected)
{
    struct arc_list list = {NULL, NULL, 0, 0};
    for (uint64_t i = 0; i + 1 < vertices; i++)
        put_arc(&list, i * step % vertices, (i + 1) * step % vertices);
    return graph_of(&list, vertices, undirected);
}

/* A label that went from vertex to vertex would take a round for each step of these paths. Rounds are bounded by the logarithm, and by
 * inboxes, which take a quarter of all numbers at a time. */
static void long_paths_take_few_rounds(void **state)
{
    static const uint64_t steps[] = {1, 20011, 13337, 7919};
    weir_context *context = context_or_skip(*state);
    struct grid grids[WEIR_DEVICES_MAX];
    const int count = grids_of(weir_context_device_count(context), grids);
    for (int i = 0; i < 4; i++) {
        weir_graph *graph = path_over(PATH_OF, steps[i], i % 2);
        for (int g = 0; g < count; g += STEP_OF(count)) {
            const weir_run_stats stats = assert_grid(context, graph, grids[g]);
            assert_true(stats.work.rounds <= 24);
        }
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* ---- what is sent ------------------------------------------------------------------------------ */

/* Of a mesh few rows have a neighbour in another stretch: devices tell of those alone, where a number for each row would be
 * 4 bytes a vertex for each other column. */
static void few_links_are_a_list(void **state)
{
    weir_context *context = context_or_skip(*state);
    const uint32_t devices = weir_context_device_count(context);
    weir_graph *graph = open_graph("grid:100x400", 0);
    weir_graph *wide = open_graph("uniform:15,16", 0);
    if (devices > 1) {
        const struct grid row = {1, devices}, column = {devices, 1};
        weir_run_stats stats = assert_grid(context, graph, row);
        assert_true(stats.bytes_sent > 0 && stats.bytes_sent < 400 * 4 * 16 * devices);
        stats = assert_grid(context, wide, row); /* every vertex has one: a number for each */
        assert_true(stats.bytes_sent >= (UINT64_C(1) << 15) * 4 * (devices - 1));
        /* A list would take 8 bytes for each: nearly all heads have an arc from each column. */
        assert_true(stats.bytes_sent < (UINT64_C(1) << 15) * 6 * (devices - 1));
        stats = assert_grid(context, wide, column); /* a merge for each power of two */
        uint64_t merges = 0;
        while (1u << merges < devices)
            merges++;
        assert_true(stats.bytes_sent <=
                    merges * devices * ((UINT64_C(1) << 15) + devices * 1024) * 4);
    }
    weir_graph_destroy(graph);
    weir_graph_destroy(wide);
    weir_context_destroy(context);
}

/* ---- what is left out -------------------------------------------------------------------------- */

/* A few arcs of each vertex join nearly all of a random graph on every device; places in that tree leave out the others, which are most.
 * Of graphs that have no such tree, or none that devices can prove to be one, all arcs are looked at. */
static void the_largest_tree_looks_along_few_arcs(void **state)
{
    weir_context *context = context_or_skip(*state);
    struct grid grids[WEIR_DEVICES_MAX];
    const int count = grids_of(weir_context_device_count(context), grids);
    weir_graph *one = open_graph("uniform:12,32", 1), *hubs = open_graph("rmat:12,32", 1),
               *directed = open_graph("uniform:12,32", 0);
    struct arc_list list = {NULL, NULL, 0, 0};
    for (uint64_t i = 0; i < 4096; i++) /* cliques of 8: no tree is large */
        for (uint64_t j = i / 8 * 8; j < i; j++)
            put_arc(&list, i, j);
    weir_graph *cliques = graph_of(&list, 4096, 1);
    for (int g = 0; g < count; g += STEP_OF(count)) {
        weir_run_stats stats = assert_grid(context, one, grids[g]);
        assert_true(stats.work.atoms < one->arcs / 2);
        stats = assert_grid(context, hubs, grids[g]);
        assert_true(stats.work.atoms < hubs->arcs / 2);
        stats = assert_grid(context, directed, grids[g]);
        assert_int_equal(stats.work.atoms, directed->arcs);
        stats = assert_grid(context, cliques, grids[g]);
        assert_int_equal(stats.work.atoms, cliques->arcs);
    }
    weir_graph_destroy(one);
    weir_graph_destroy(hubs);
    weir_graph_destroy(directed);
    weir_graph_destroy(cliques);
    weir_context_destroy(context);
}

/* Vertices of the two halves, of which some change places with some of the other one. */
static uint64_t swapped(uint64_t v, uint64_t half)
{
    return v % half < half / 10 ? (v + half) % (2 * half) : v;
}

/* Two halves that hang together by one arc, or by none. The largest trees of two columns are of different halves then, and the arc is the last
 * one of both its rows: devices that did not ask each other would leave it out. */
static void two_large_trees_are_told_apart(void **state)
{
    weir_context *context = context_or_skip(*state);
    struct grid grids[WEIR_DEVICES_MAX];
    const int count = grids_of(weir_context_device_count(context), grids);
    const uint64_t half = 1500, last = 2 * half - 1;
    for (int bridge = 0; bridge < 2; bridge++) {
        struct arc_list list = {NULL, NULL, 0, 0};
        for (uint64_t v = 0; v < 2 * half; v++)
            for (uint64_t j = 1; j <= 6; j++)
                put_arc(&list, swapped(v, half),
                        swapped(v / half * half + (v * 7 + j * j * 331) % half, half));
        for (uint64_t v = 0; v < 12; v++)
            put_arc(&list, last, v);
        if (bridge)
            put_arc(&list, half - 1, last);
        weir_graph *graph = graph_of(&list, 2 * half, 1);
        for (int g = 0; g < count; g += STEP_OF(count))
            assert_grid(context, graph, grids[g]);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void values_are_labels(void **state)
{
    weir_context *context = context_or_skip(*state);
    const uint32_t devices = weir_context_device_count(context);
    weir_graph *graph = open_graph("rmat:11,2", 0);
    weir_cc *cc = gridded(context, graph, (struct grid){1, devices});
    uint32_t *labels = malloc(graph->vertices * sizeof *labels);
    weir_values values = WEIR_VALUES_INIT;
    uint64_t found = 0;
    assert_non_null(labels);
    STATUS(weir_cc_values(cc, 0, &values), WEIR_ERR_INVALID);
    OK(weir_cc_labels(cc, labels)); /* before a run each is alone */
    assert_int_equal(labels[graph->vertices - 1], graph->vertices - 1);
    OK(weir_cc_run(cc, NULL));
    OK(weir_cc_labels(cc, labels));
    for (uint32_t d = 0; d < devices; d++) {
        OK(weir_cc_values(cc, d, &values));
        uint32_t *data = malloc(values.count * 4 + 1), *vertex = malloc(values.count * 4 + 1);
        assert_true(data && vertex && values.kind == WEIR_VALUE_U32);
        OK(weir__download(weir_context_device(context, d), data, values.data, values.count * 4));
        OK(weir__download(weir_context_device(context, d), vertex, values.vertices,
                          values.count * 4));
        for (uint64_t i = 0; i < values.count; i++, found++)
            assert_int_equal(data[i], labels[vertex[i]]);
        free(data);
        free(vertex);
    }
    assert_int_equal(found, graph->vertices);
    free(labels);
    weir_cc_destroy(cc);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- ends and refusals ------------------------------------------------------------------------- */

static void a_cancel_ends_a_run(void **state)
{
    (void)state;
    weir_context *context = context_or_skip("host:4");
    weir_graph *graph = open_graph("rmat:10", 0);
    weir_cc *cc = gridded(context, graph, (struct grid){2, 2});
    uint32_t label[1 << 10];
    weir_cc_cancel(cc);
    STATUS(weir_cc_run(cc, NULL), WEIR_ERR_CANCELLED);
    STATUS(weir_cc_labels(cc, label), WEIR_ERR_INVALID);
    STATUS(weir_cc_run(cc, NULL), WEIR_ERR_CANCELLED);
    weir_cc_destroy(cc);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void refuse(weir_context *context, const weir_graph *graph, const weir_partition *partition,
                   const weir_run_options *options, weir_cc_source source, const char *why)
{
    weir_cc *cc;
    STATUS(weir_cc_create(context, graph, partition, options, source, &cc), WEIR_ERR_UNSUPPORTED);
    assert_detail_has(why);
    assert_null(cc);
}

static void what_does_not_go_with_it_is_refused(void **state)
{
    (void)state;
    weir_context *context = context_or_skip("host:4");
    weir_graph *graph = open_graph("rmat:10", 0);
    weir_partition *partition = cells_of(graph, (struct grid){2, 2});
    static const char *const names[] = {"route", "memory", "wire", "wire", "order", "direction"};
    refuse(context, graph, partition, NULL, WEIR_CC_STREAMED, "not streamed");
    for (int i = 0; i < 6; i++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        options.route = i == 0 ? WEIR_ROUTE_RING : WEIR_ROUTE_AUTO;
        options.memory = i == 1 ? WEIR_MEMORY_HOST : WEIR_MEMORY_AUTO;
        options.wire = i == 2 ? WEIR_WIRE_LIST : i == 3 ? WEIR_WIRE_BITMAP : WEIR_WIRE_AUTO;
        options.order = i == 4 ? WEIR_ORDER_FIFO : WEIR_ORDER_AUTO;
        options.direction = i == 5 ? WEIR_DIRECTION_PULL : WEIR_DIRECTION_AUTO;
        refuse(context, graph, partition, &options, WEIR_CC_AUTO,
               "has no effect on connected components in two dimensions");
        assert_detail_has(names[i]);
    }
    /* The roots of trees are the smallest ids of components only where ids ascend with numbers. */
    ((uint8_t *)(uintptr_t)partition->owner)[0] = 3;
    refuse(context, graph, partition, NULL, WEIR_CC_AUTO, "that follow one another");
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void no_memory_is_said(void **state)
{
    (void)state;
    weir_context *context = context_or_skip("host:2");
    weir_graph *graph = open_graph("rmat:8", 0);
    weir_partition *partition = cells_of(graph, (struct grid){1, 2});
    int refused = 0;
    for (uint64_t n = 1; n <= 60; n++) {
        weir_cc *cc;
        weir__fault_arm(WEIR__FAULT_ALLOC, n);
        const weir_status status =
            weir_cc_create(context, graph, partition, NULL, WEIR_CC_AUTO, &cc);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        assert_true(status == WEIR_OK || status == WEIR_ERR_NOMEM);
        refused += status != WEIR_OK;
        weir_cc_destroy(cc);
    }
    assert_true(refused > 10);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

#define ON_EACH(f) ON_EACH_SPEC(f) CC_TEST(f, "host:6")

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH(each_shape_on_each_grid) ON_EACH(generated_graphs)
            ON_EACH(long_paths_take_few_rounds) ON_EACH(few_links_are_a_list)
                ON_EACH(the_largest_tree_looks_along_few_arcs)
                    ON_EACH(two_large_trees_are_told_apart) ON_EACH(values_are_labels)
                        cmocka_unit_test(a_cancel_ends_a_run),
        cmocka_unit_test(what_does_not_go_with_it_is_refused),
        cmocka_unit_test(no_memory_is_said),
    };
    return cmocka_run_group_tests_name("cc in two dimensions", tests, NULL, NULL);
}
