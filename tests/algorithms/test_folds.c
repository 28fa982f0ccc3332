/** @file test_folds.c  Operators that add up the atoms of a tile: each row's sum comes once, whole, in its epilogue. */
#include "tests/lib/live.h"
#include "tests/algorithms/traversal_fixture.h"
#include "tests/lib/fold_op.h"

extern const weir_operator weir__fold_operator;

struct folded {
    struct placed on;
    uint32_t *wrong[WEIR_DEVICES_MAX];
};

static void open_folded(struct folded *folded, weir_context *context, const weir_graph *graph,
                        const weir_partition *partition, const weir_run_options *options)
{
    weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    config.value_bytes = sizeof(fold_value);
    config.fill = 0;
    folded->on = place(context, graph, partition, &weir__fold_operator, options, &config);
    for (uint32_t p = 0; p < folded->on.parts; p++) {
        folded->wrong[p] = new_memory(weir_context_device(context, p), 4);
        OK(weir_queue_fill(weir_traversal_queue(folded->on.traversal, p), folded->wrong[p], 0, 4));
        const fold_state state = {*weir_placement_part(folded->on.placement, p),
                                  weir_traversal_values(folded->on.traversal, p), folded->wrong[p]};
        OK(weir_traversal_bind(folded->on.traversal, p, &state));
    }
}

static void assert_none_wrong(const struct folded *folded)
{
    weir_context *context = weir_placement_context(folded->on.placement);
    void *seen = new_memory(weir_context_home(context), 4);
    for (uint32_t p = 0; p < folded->on.parts; p++) {
        weir_queue *queue = weir_traversal_queue(folded->on.traversal, p);
        OK(weir_queue_copy(queue, weir_context_home(context), seen, weir_context_device(context, p),
                           folded->wrong[p], 4));
        OK(weir_queue_sync(queue));
        assert_int_equal(*(uint32_t *)seen, 0);
    }
    weir_device_free(weir_context_home(context), seen);
}

static void close_folded(struct folded *folded)
{
    weir_context *context = weir_placement_context(folded->on.placement);
    const uint32_t parts = folded->on.parts;
    take_away(&folded->on);
    for (uint32_t p = 0; p < parts; p++)
        weir_device_free(weir_context_device(context, p), folded->wrong[p]);
}

/* Row by row. @param[out] items  that a run processes: those in step 0, and the ones they make. */
static fold_value *expected(const weir_graph *graph, const weir_placement *placement,
                            uint64_t *items)
{
    fold_value *want = calloc(graph->vertices, sizeof *want);
    uint32_t *global = malloc(graph->vertices * sizeof *global);
    assert_true(want && global);
    *items = graph->vertices;
    for (uint64_t v = 0; v < graph->vertices; v++)
        OK(weir_placement_locate(placement, v, NULL, &global[v], NULL));
    for (uint64_t v = 0; v < graph->vertices; v++) {
        uint64_t largest = UINT64_MAX;
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++) {
            const uint32_t target = graph->targets[arc];
            want[v].sum += fold_number(global[target]);
            want[v].count++;
            if (largest == UINT64_MAX || global[target] > global[largest])
                largest = target;
        }
        *items += want[v].count != 0;
        if (want[v].count && graph->offsets[largest + 1] > graph->offsets[largest])
            want[largest].asked++; /* of a row without atoms there is no epilogue */
    }
    free(global);
    return want;
}

static void check(weir_context *context, const weir_graph *graph, const weir_partition *partition,
                  const weir_run_options *options)
{
    struct folded folded;
    uint64_t items;
    open_folded(&folded, context, graph, partition, options);
    fold_value *want = expected(graph, folded.on.placement, &items);
    fold_value *have = malloc(graph->vertices * sizeof *have);
    assert_non_null(have);
    for (int turn = 0; turn < 2; turn++) {
        OK(weir_traversal_seed_all(folded.on.traversal));
        const weir_run_stats stats = run_placed(&folded.on);
        OK(weir_traversal_gather(folded.on.traversal, have));
        for (uint64_t v = 0; v < graph->vertices; v++) {
            assert_int_equal(have[v].sum, want[v].sum);
            assert_int_equal(have[v].count, want[v].count);
            assert_int_equal(have[v].asked, want[v].asked);
        }
        assert_int_equal(stats.work.processed, items);
        assert_int_equal(stats.work.cut, 0);
        assert_none_wrong(&folded);
    }
    free(want);
    free(have);
    close_folded(&folded);
}

static void sums_of_rows(void **state)
{
    static const char *const texts[] = {"rmat:9,8", "rmat:12,16", "grid:33x17", "rmat:10,1"};
    weir_context *context = open_or_skip(state);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        weir_graph *graph = open_graph(texts[i], 0);
        check(context, graph, NULL, NULL);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* A row far longer than those that are cut, beside short ones. */
static void long_rows_are_added_up_whole(void **state)
{
    enum { LONG = 100000 };
    weir_context *context = open_or_skip(state);
    uint32_t *sources = malloc((LONG + 100) * sizeof *sources);
    uint32_t *targets = malloc((LONG + 100) * sizeof *targets);
    weir_graph *graph;
    assert_true(sources && targets);
    for (uint32_t i = 0; i < LONG + 100; i++) {
        sources[i] = i < LONG ? 7 : i;
        targets[i] = i < LONG ? i + 8 : i % 5;
    }
    OK(weir_graph_from_arcs(LONG + 100, LONG + 100, sources, targets, NULL, NULL, &graph));
    check(context, graph, NULL, NULL);
    weir_graph_destroy(graph);
    free(sources);
    free(targets);
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

static void in_every_order_and_group(void **state)
{
    static const uint32_t groups[] = {0, 1, 2, 8, 32};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:8,6", 0);
    weir_partition *partition = random_partition(context, graph);
    for (size_t k = 0; k < kernels_on(*state); k++)
        for (int order = WEIR_ORDER_FIFO; order <= orders_with(kernels[k]); order++)
            for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
                weir_run_options options = WEIR_RUN_OPTIONS_INIT;
                options.kernel = kernels[k];
                options.order = (weir_order_kind)order;
                options.mapping = groups[g] ? WEIR_MAPPING_GROUP : WEIR_MAPPING_AUTO;
                options.group = groups[g];
                check(context, graph, partition, &options);
            }
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void assert_refused(weir_placement *placement, const weir_run_options *options,
                           const char *says)
{
    weir_traversal *traversal;
    STATUS(weir_traversal_create(placement, &weir__fold_operator, options, NULL, &traversal),
           WEIR_ERR_UNSUPPORTED);
    assert_null(traversal);
    if (!strstr(weir_error_detail(), says))
        fail_msg("'%s' is not in '%s'", says, weir_error_detail());
}

static void other_mappings_are_refused(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_graph *graph = open_graph("grid:5x4", 0);
    weir_placement *placement;
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    OK(weir_placement_create(context, graph, NULL, WEIR_PART_WEIGHTS_NONE, &placement));
    options.worker = WEIR_WORKER_BLOCK;
    assert_refused(placement, &options, "worker block: operator fold adds up tiles");
    options.worker = WEIR_WORKER_AUTO;
    options.mapping = WEIR_MAPPING_MERGE;
    assert_refused(placement, &options, "mapping merge: operator fold adds up tiles");
    options.mapping = WEIR_MAPPING_GROUP;
    options.group = 64;
    assert_refused(placement, &options, "a group of 64 lanes: operator fold");
    weir_placement_destroy(placement);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(sums_of_rows),
        ON_EACH_SPEC(long_rows_are_added_up_whole),
        ON_EACH_SPEC(in_every_order_and_group),
        cmocka_unit_test(other_mappings_are_refused),
    };
    return cmocka_run_group_tests_name("folds", tests, NULL, NULL);
}
