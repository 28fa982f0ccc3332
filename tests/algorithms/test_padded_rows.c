/** @file test_padded_rows.c  Padded rows: what they hold, when there are some, and searches over them. */
#include "algorithms/bfs/bfs_op.h"
#include "algorithms/sssp/sssp.h"
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

extern const weir_operator weir__bfs_operator;

/* On host devices, too; threads of those would do all items of a path in one round otherwise. */
static const char *const always[] = {"padded_rows=2", "fuse_items=0", NULL};
static const char *const never[] = {"padded_rows=0", "fuse_items=0", NULL};

static int is_gpu(const weir_context *context)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(weir_context_device(context, 0), &info);
    return info.kind == WEIR_DEVICE_CUDA;
}

static int is_alone(const weir_context *context)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(weir_context_device(context, 0), &info);
    return info.kind == WEIR_DEVICE_HOST && info.units == 1;
}

/* A strip of rows of about @p most arcs, which reach a little way ahead; some are full, some empty. */
static weir_graph *uneven(uint32_t length, uint32_t most)
{
    uint32_t *from = malloc((size_t)length * most * sizeof *from), n = 0;
    uint32_t *to = malloc((size_t)length * most * sizeof *to);
    double *weight = malloc((size_t)length * most * sizeof *weight);
    weir_graph *graph;
    assert_true(from && to && weight);
    for (uint32_t v = 0; v + most < length; v++)
        for (uint32_t k = 0; k < (v % 11 == 5 ? 0 : most - v % (most / 2)); k++) {
            from[n] = v;
            to[n] = v + k + 1;
            weight[n++] = 1 + (v * 5 + k * 3) % 17;
        }
    if (weir_graph_from_arcs(length, n, from, to, weight, NULL, &graph))
        fail_msg("%s", weir_error_detail());
    free(from);
    free(to);
    free(weight);
    return graph;
}

static weir_graph *opened(const char *name)
{
    return weighed(name, "random:1-99");
}

static weir_worklist_stats searched(weir_context *context, const weir_graph *graph,
                                    weir_order_kind order, int weighted)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    options.direction = WEIR_DIRECTION_PUSH;
    options.balance = WEIR_BALANCE_OFF;
    options.order = order;
    if (weighted) {
        double *expected = malloc(graph->vertices * sizeof *expected);
        double *got = malloc(graph->vertices * sizeof *got);
        weir_sssp *sssp;
        assert_true(expected && got);
        OK(weir_sssp_create(context, graph, NULL, &options, &sssp));
        for (uint64_t source = 0; source < graph->vertices; source += graph->vertices / 2) {
            OK(weir_sssp_run(sssp, source, source ? NULL : &stats));
            OK(weir_sssp_distances(sssp, got));
            OK(weir_sssp_reference(graph, source, expected));
            assert_memory_equal(got, expected, graph->vertices * sizeof *got);
        }
        weir_sssp_destroy(sssp);
        free(expected);
        free(got);
        return stats.work;
    }
    int32_t *expected = malloc(graph->vertices * sizeof *expected);
    int32_t *got = malloc(graph->vertices * sizeof *got);
    weir_bfs *bfs;
    assert_true(expected && got);
    OK(weir_bfs_create(context, graph, NULL, &options, &bfs));
    for (uint64_t source = 0; source < graph->vertices; source += graph->vertices / 2) {
        weir_run_stats here = WEIR_RUN_STATS_INIT;
        OK(weir_bfs_run(bfs, source, &here));
        OK(weir_bfs_levels(bfs, got));
        OK(weir_bfs_reference(graph, source, expected));
        assert_memory_equal(got, expected, graph->vertices * sizeof *got);
        if (order == WEIR_ORDER_FIFO) { /* level after level every vertex is news once */
            assert_int_equal(here.work.processed, here.reached);
            assert_int_equal(here.work.atoms, here.arcs_reached);
            assert_int_equal(here.work.stale, 0);
        }
        stats = source ? stats : here;
    }
    weir_bfs_destroy(bfs);
    free(expected);
    free(got);
    return stats.work;
}

/* Rows of up to 4 arcs and of up to 8, full ones and empty ones, and rounds of more items than are narrow on a host device. With the same
 * results, items and arcs without padded rows; with them all items of narrow rounds go by them. */
static void searches_go_by_padded_rows(void **state)
{
    weir_context *with = open_with_or_skip(*state, always);
    weir_context *without = open_with_or_skip(*state, never);
    const int long_rounds = !is_gpu(with);
    for (int g = 0; g < 5; g++) {
        weir_graph *graph = g == 0   ? uneven(3000, 4)
                            : g == 1 ? uneven(3000, 8)
                            : g == 2 ? opened("grid:50x60,0.8")
                            : g == 3 ? opened("mesh:12x300")
                                     : opened("chain:2000");
        for (int order = WEIR_ORDER_FIFO; order <= WEIR_ORDER_BULK; order++)
            for (int weighted = 0; weighted < 2; weighted++) {
                const weir_worklist_stats have =
                    searched(with, graph, (weir_order_kind)order, weighted);
                const weir_worklist_stats want =
                    searched(without, graph, (weir_order_kind)order, weighted);
                assert_int_equal(want.by_rows, 0);
                if (is_alone(with)) { /* one thread takes all in the same order */
                    assert_int_equal(have.processed, want.processed);
                    assert_int_equal(have.atoms, want.atoms);
                    assert_int_equal(have.stale, want.stale);
                }
                if (have.by_rows > have.processed ||
                    (have.by_rows == 0) != (have.narrow_rounds == 0))
                    fail_msg("graph %d, order %d: %llu of %llu items by padded rows in %llu narrow "
                             "rounds",
                             g, order, (unsigned long long)have.by_rows,
                             (unsigned long long)have.processed,
                             (unsigned long long)have.narrow_rounds);
                if (!weighted && order != WEIR_ORDER_SOFT && (g == 4 || !long_rounds) &&
                    have.by_rows < have.processed * 9 / 10)
                    fail_msg("graph %d, order %d: %llu of %llu items by padded rows", g, order,
                             (unsigned long long)have.by_rows, (unsigned long long)have.processed);
            }
        weir_graph_destroy(graph);
    }
    weir_context_destroy(with);
    weir_context_destroy(without);
}

/* Items that a block has no room for go over the near bag, and those that this has none for to host memory. */
static void small_queues_change_nothing(void **state)
{
    weir_context *context = open_with_or_skip(
        *state, (const char *[]){"padded_rows=2", "fuse_items=0", "queue_items=16", NULL});
    weir_graph *graph = opened("mesh:40x40,shuffle");
    for (int weighted = 0; weighted < 2; weighted++)
        (void)searched(context, graph, WEIR_ORDER_FIFO, weighted);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* One vertex of 5 arcs where the others have few, or of 9, and there are none at all: the search goes as it would without. */
static void a_longer_row_leaves_them_out(void **state)
{
    weir_context *context = open_with_or_skip(*state, always);
    for (int g = 0; g < 3; g++) {
        weir_graph *graph = opened(g == 0 ? "star:6" : g == 1 ? "star:10" : "uniform:10,4");
        for (int weighted = 0; weighted < 2; weighted++)
            assert_int_equal(searched(context, graph, WEIR_ORDER_FIFO, weighted).by_rows, 0);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* Of a traversal of its own over one device: NULL without rows. @param[out] rows_out  a copy of the rows; the caller's. */
static uint32_t *rows_of(weir_context *context, const weir_graph *graph, weir_part_weights weights,
                         const weir_traversal_config *config, const weir_run_options *options,
                         uint32_t *log_out)
{
    weir_placement *placement;
    weir_traversal *traversal;
    uint32_t log, *copy = NULL;
    OK(weir_placement_create(context, graph, NULL, weights, &placement));
    OK(weir_traversal_create(placement, &weir__bfs_operator, options, config, &traversal));
    const void *rows = weir_traversal_padded_rows(traversal, 0, &log);
    assert_int_equal(rows == NULL, log == 0);
    assert_null(weir_traversal_padded_rows(traversal, 1, log_out));
    assert_int_equal(*log_out, 0);
    if (rows) {
        const size_t bytes = (graph->vertices << log) * config->entry_bytes;
        weir_queue *queue = weir_traversal_queue(traversal, 0);
        copy = malloc(bytes);
        assert_non_null(copy);
        OK(weir_queue_copy(queue, weir_context_home(context), copy, weir_context_device(context, 0),
                           rows, bytes));
        OK(weir_queue_sync(queue));
    }
    *log_out = log;
    weir_traversal_destroy(traversal);
    weir_placement_destroy(placement);
    return copy;
}

static void rows_hold_all_arcs(void **state)
{
    weir_context *context = open_with_or_skip(*state, always);
    for (uint32_t most = 4; most <= 8; most += 4)
        for (uint32_t words = 1; words <= 2; words++) {
            weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
            weir_graph *graph = uneven(700, most);
            uint32_t log;
            config.entry_bytes = 4 * words;
            uint32_t *rows = rows_of(context, graph, WEIR_PART_WEIGHTS_U32, &config, NULL, &log);
            assert_int_equal(graph->weight_kind, WEIR_WEIGHT_U32);
            assert_non_null(rows);
            assert_true(1u << log >= most);
            for (uint64_t v = 0; v < graph->vertices; v++)
                for (uint64_t k = 0; k < 1u << log; k++) {
                    const uint32_t *entry = rows + ((v << log) + k) * words;
                    const uint64_t arc = graph->offsets[v] + k;
                    const int is = arc < graph->offsets[v + 1];
                    assert_int_equal(entry[0], is ? graph->targets[arc] : WEIR_PADDED_ROW_NONE);
                    if (is && words == 2)
                        assert_int_equal(entry[1], graph->weights_u32[arc]);
                }
            free(rows);
            weir_graph_destroy(graph);
        }
    weir_context_destroy(context);
}

/* Choices that leave narrow rounds out leave padded rows out, and so does who asks for none. */
static void choices_leave_them_out(void **state)
{
    enum { CHOICES = 6 };
    weir_context *context = open_with_or_skip(*state, always);
    weir_graph *graph = uneven(700, 4);
    for (int choice = 0; choice < CHOICES; choice++) {
        weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        uint32_t log;
        config.entry_bytes = choice == 1 ? 0 : 4;
        options.kernel = choice == 2 ? WEIR_KERNEL_DISCRETE : WEIR_KERNEL_AUTO;
        options.fetch = choice == 3 ? 3 : 0;
        if (choice > 3)
            options.worker = choice == 4 ? WEIR_WORKER_THREAD : WEIR_WORKER_BLOCK;
        uint32_t *rows = rows_of(context, graph, WEIR_PART_WEIGHTS_NONE, &config, &options, &log);
        assert_int_equal(rows != NULL, choice == 0);
        free(rows);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void entries_have_four_or_eight_bytes(void **state)
{
    static const struct {
        uint32_t bytes;
        weir_part_weights weights;
        weir_status status;
    } cases[] = {{0, WEIR_PART_WEIGHTS_NONE, WEIR_OK},
                 {4, WEIR_PART_WEIGHTS_NONE, WEIR_OK},
                 {4, WEIR_PART_WEIGHTS_F64, WEIR_OK},
                 {8, WEIR_PART_WEIGHTS_U32, WEIR_OK},
                 {8, WEIR_PART_WEIGHTS_NONE, WEIR_ERR_INVALID},
                 {8, WEIR_PART_WEIGHTS_F64, WEIR_ERR_INVALID},
                 {5, WEIR_PART_WEIGHTS_U32, WEIR_ERR_INVALID},
                 {12, WEIR_PART_WEIGHTS_U32, WEIR_ERR_INVALID},
                 {UINT32_MAX, WEIR_PART_WEIGHTS_U32, WEIR_ERR_INVALID}};
    weir_context *context = open_with_or_skip(*state, always);
    weir_graph *graph = uneven(700, 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
        weir_placement *placement;
        weir_traversal *traversal;
        OK(weir_placement_create(context, graph, NULL, cases[i].weights, &placement));
        config.entry_bytes = cases[i].bytes;
        const weir_status status =
            weir_traversal_create(placement, &weir__bfs_operator, NULL, &config, &traversal);
        assert_int_equal(status, cases[i].status);
        if (status)
            assert_non_null(strstr(weir_error_detail(), "padded rows"));
        else
            weir_traversal_destroy(traversal);
        weir_placement_destroy(placement);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Rows are read a whole one at a time, which a link to host memory has nothing of; several devices pass items on. */
static void there_are_none_in_host_memory_or_on_several(void **state)
{
    weir_context *context = open_with_or_skip(*state, always);
    weir_graph *graph = opened("grid:40x40");
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    const uint32_t devices = weir_context_device_count(context);
    weir_partition *partition; /* auto would have one device do so small a graph */
    weir_bfs *bfs;
    OK(weir_partition_create(graph, WEIR_PARTITION_BLOCK, devices, 0, NULL, &partition));
    options.direction = WEIR_DIRECTION_PUSH;
    options.order = WEIR_ORDER_FIFO;
    options.balance = WEIR_BALANCE_OFF;
    options.memory = devices == 1 && is_gpu(context) ? WEIR_MEMORY_HOST : WEIR_MEMORY_AUTO;
    OK(weir_bfs_create(context, graph, partition, &options, &bfs));
    OK(weir_bfs_run(bfs, 0, &stats));
    if (devices > 1 || is_gpu(context))
        assert_int_equal(stats.work.by_rows, 0);
    weir_bfs_destroy(bfs);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        ON_BACKEND(searches_go_by_padded_rows, "host:1"),
        ON_BACKEND(searches_go_by_padded_rows, "host:1x4"),
        ON_BACKEND(searches_go_by_padded_rows, "cuda:0"),
        ON_BACKEND(small_queues_change_nothing, "host:1"),
        ON_BACKEND(small_queues_change_nothing, "host:1x4"),
        ON_BACKEND(small_queues_change_nothing, "cuda:0"),
        ON_BACKEND(a_longer_row_leaves_them_out, "host:1"),
        ON_BACKEND(a_longer_row_leaves_them_out, "cuda:0"),
        ON_BACKEND(rows_hold_all_arcs, "host:1"),
        ON_BACKEND(rows_hold_all_arcs, "cuda:0"),
        ON_BACKEND(choices_leave_them_out, "host:1"),
        ON_BACKEND(choices_leave_them_out, "cuda:0"),
        ON_BACKEND(entries_have_four_or_eight_bytes, "host:1"),
        ON_BACKEND(there_are_none_in_host_memory_or_on_several, "host:2"),
        ON_BACKEND(there_are_none_in_host_memory_or_on_several, "cuda:0"),
        ON_BACKEND(there_are_none_in_host_memory_or_on_several, "cuda:0-1"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
