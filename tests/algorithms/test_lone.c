/** @file test_lone.c  Traversals through the worklist that one device does for all (balance ownership): answers against the serial references,
 * on the host and where each device has its own; that no item goes anywhere; what ends a run, and what is refused. */
#include "runtime/internal.h"
#include "tests/algorithms/bfs_step_fixture.h"
#include "tests/lib/share.h"

#include <math.h>
#include <string.h>

#define ON_EACH_COUNT(f)                                                       \
    ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"), ON_BACKEND(f, "host:8"), \
        ON_BACKEND(f, "host:2x3"), ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0-3")

static weir_run_options alone(void)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.direction = WEIR_DIRECTION_PUSH;
    options.balance = WEIR_BALANCE_OWNERSHIP;
    return options;
}

static weir_partition *cut(const weir_context *context, const weir_graph *graph,
                           weir_partition_kind kind)
{
    weir_partition *partition;
    OK(weir_partition_create(graph, kind, weir_context_device_count(context), 3, NULL, &partition));
    return partition;
}

/* What a run says that one device did for all; most of it is the same of any algorithm. */
static void assert_alone(const weir_run_stats *stats, const weir_partition *partition,
                         uint64_t value_bytes)
{
    uint64_t owned = 0;
    for (uint64_t v = 0; v < partition->vertices; v++)
        owned += partition->owner[v] == 0;
    assert_int_equal(stats->balance, WEIR_BALANCE_OWNERSHIP);
    assert_int_equal(stats->devices, partition->parts);
    assert_int_equal(stats->lone_device, 0);
    assert_int_equal(stats->lone_moves, 1);
    assert_int_equal(stats->lone_arcs, stats->work.atoms);
    assert_int_equal(stats->lone_bytes, (partition->vertices - owned) * value_bytes);
    assert_int_equal(stats->work.sent, 0);
    assert_int_equal(stats->bytes_sent, 0);
    assert_true(stats->kernel_ms > 0 && stats->ms >= stats->kernel_ms);
}

/* The elements of a device are those of the vertices that the partition gives it. @param[in] want  by vertex, as they lie on devices. */
static void assert_owned(weir_context *context, const weir_values *values, uint32_t device,
                         const weir_partition *partition, const void *want)
{
    char *have = malloc(values->count * values->bytes + 1);
    uint32_t *vertex = malloc(values->count * 4 + 1);
    uint64_t owned = 0;
    assert_true(have && vertex);
    for (uint64_t v = 0; v < partition->vertices; v++)
        owned += partition->owner[v] == device;
    assert_int_equal(values->count, owned);
    OK(weir__download(weir_context_device(context, device), have, values->data,
                      values->count * values->bytes));
    OK(weir__download(weir_context_device(context, device), vertex, values->vertices,
                      values->count * 4));
    for (uint64_t i = 0; i < owned; i++) {
        assert_true(vertex[i] < partition->vertices);
        assert_int_equal(partition->owner[vertex[i]], device);
        assert_memory_equal(have + i * values->bytes,
                            (const char *)want + vertex[i] * values->bytes, values->bytes);
    }
    free(have);
    free(vertex);
}

static void assert_no_items(const weir_bfs *bfs, uint32_t parts)
{
    uint64_t items = 1;
    for (uint32_t from = 0; from < parts; from++)
        for (uint32_t to = 0; to < parts; to++) {
            OK(weir_bfs_link_items(bfs, from, to, &items));
            assert_int_equal(items, 0);
            OK(weir_bfs_stolen(bfs, from, to, &items));
            assert_int_equal(items, 0);
        }
    STATUS(weir_bfs_link_items(bfs, 0, parts, &items), WEIR_ERR_INVALID);
    STATUS(weir_bfs_stolen(bfs, parts, 0, &items), WEIR_ERR_INVALID);
}

static void levels_are_those_of_the_reference(void **state)
{
    static const char *const graphs[] = {"grid:40x27,0.7", "rmat:9", "grid:1x1", "star:2000",
                                         "mesh:30x20,shuffle"};
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    const weir_run_options options = alone();
    for (uint32_t g = 0; g < sizeof graphs / sizeof *graphs; g++) {
        const weir_graph *graph = graph_of(graphs[g], 0);
        weir_partition *partition = cut(context, graph, (weir_partition_kind)(g % 3));
        weir_bfs *bfs;
        OK(weir_bfs_create(context, graph, partition, &options, &bfs));
        for (uint64_t source = 0; source < graph->vertices; source += graph->vertices / 3 + 1) {
            const int32_t *want = levels_of(graph, source);
            int32_t *have = malloc(graph->vertices * sizeof *have);
            weir_run_stats stats = WEIR_RUN_STATS_INIT;
            assert_non_null(have);
            OK(weir_bfs_run(bfs, source, &stats));
            OK(weir_bfs_levels(bfs, have));
            assert_memory_equal(have, want, graph->vertices * sizeof *have);
            assert_alone(&stats, partition, 4);
            for (uint32_t d = 0; d < parts; d++) {
                weir_values values = WEIR_VALUES_INIT;
                OK(weir_bfs_values(bfs, d, &values));
                assert_owned(context, &values, d, partition, want);
            }
            free(have);
        }
        assert_no_items(bfs, parts);
        weir_bfs_destroy(bfs);
        weir_partition_destroy(partition);
    }
    weir_context_destroy(context);
}

/* The distances on the devices, by vertex, out of those on the host: bits of 32 bits, or of doubles that are whole. */
static void *narrowed(const double *distances, uint64_t count, size_t bytes)
{
    char *bits = malloc(count * bytes + 1);
    assert_non_null(bits);
    for (uint64_t v = 0; v < count; v++) {
        const uint32_t narrow = isfinite(distances[v]) ? (uint32_t)distances[v] : UINT32_MAX;
        const uint64_t none = UINT64_MAX;
        const void *from = bytes == 4               ? (const void *)&narrow
                           : isfinite(distances[v]) ? (const void *)&distances[v]
                                                    : (const void *)&none;
        memcpy(bits + v * bytes, from, bytes);
    }
    return bits;
}

/* With weights that fit 32 bits, and with such whose sums do not, so that a run is done again with 64. */
static void distances_are_those_of_the_reference(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    const weir_run_options options = alone();
    for (int wide = 0; wide < 2; wide++) {
        weir_graph *graph = open_graph("grid:30x21,0.9", 0);
        weir_weights weights = {.kind = WEIR_WEIGHTS_RANDOM,
                                .low = wide ? UINT32_MAX - 9 : 1,
                                .high = wide ? UINT32_MAX : 100,
                                .seed = 1};
        double *want = malloc(graph->vertices * sizeof *want), *have;
        weir_sssp *sssp;
        OK(weir_graph_weigh(graph, &weights));
        weir_partition *partition = cut(context, graph, WEIR_PARTITION_RANDOM);
        assert_non_null(want);
        assert_non_null(have = malloc(graph->vertices * sizeof *have));
        OK(weir_sssp_create(context, graph, partition, &options, &sssp));
        for (uint64_t source = 0; source < graph->vertices; source += 211) {
            weir_run_stats stats = WEIR_RUN_STATS_INIT;
            weir_values values = WEIR_VALUES_INIT;
            uint64_t arcs = 1;
            OK(weir_sssp_run(sssp, source, &stats));
            OK(weir_sssp_reference(graph, source, want));
            OK(weir_sssp_distances(sssp, have));
            assert_memory_equal(have, want, graph->vertices * sizeof *have);
            OK(weir_sssp_values(sssp, 0, &values));
            assert_alone(&stats, partition, values.bytes);
            void *bits = narrowed(want, graph->vertices, values.bytes);
            for (uint32_t d = 0; d < parts; d++) {
                OK(weir_sssp_values(sssp, d, &values));
                assert_owned(context, &values, d, partition, bits);
            }
            free(bits);
            OK(weir_sssp_stolen(sssp, 0, parts - 1, &arcs));
            assert_int_equal(arcs, 0);
        }
        weir_sssp_destroy(sssp);
        weir_partition_destroy(partition);
        weir_graph_destroy(graph);
        free(want);
        free(have);
    }
    weir_context_destroy(context);
}

/* A partition may leave devices without a vertex, the first one too. */
static void devices_that_own_nothing(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graph = graph_of("grid:40x27,0.7", 0);
    const weir_run_options options = alone();
    for (uint32_t owner = 0; owner < parts; owner++) {
        weir_partition *partition = cut(context, graph, WEIR_PARTITION_BLOCK);
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weir_bfs *bfs;
        memset((uint8_t *)(uintptr_t)partition->owner, (int)owner, graph->vertices);
        OK(weir_bfs_create(context, graph, partition, &options, &bfs));
        OK(weir_bfs_run(bfs, 5, &stats));
        assert_alone(&stats, partition, 4);
        for (uint32_t d = 0; d < parts; d++) {
            weir_values values = WEIR_VALUES_INIT;
            OK(weir_bfs_values(bfs, d, &values));
            assert_owned(context, &values, d, partition, levels_of(graph, 5));
        }
        weir_bfs_destroy(bfs);
        weir_partition_destroy(partition);
    }
    weir_context_destroy(context);
}

/* ---- auto ---------------------------------------------------------------------------------------- */

static weir_balance picked_by(weir_context *context, const weir_graph *graph,
                              const weir_run_options *options, int paths)
{
    weir_partition *partition = cut(context, graph, WEIR_PARTITION_RANDOM);
    weir_run_stats picked = WEIR_RUN_STATS_INIT, stats = WEIR_RUN_STATS_INIT;
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    weir_bfs *bfs = NULL;
    weir_sssp *sssp = NULL;
    if (paths) {
        OK(weir_sssp_create(context, graph, partition, options, &sssp));
        OK(weir_sssp_explain(sssp, &picked, &reasons));
        OK(weir_sssp_run(sssp, 1, &stats));
    } else {
        OK(weir_bfs_create(context, graph, partition, options, &bfs));
        OK(weir_bfs_explain(bfs, &picked, &reasons));
        OK(weir_bfs_run(bfs, 1, &stats));
    }
    assert_int_equal(picked.balance, stats.balance);
    assert_int_equal(picked.direction, WEIR_DIRECTION_PUSH);
    assert_int_equal(stats.work.sent == 0, stats.balance == WEIR_BALANCE_OWNERSHIP);
    assert_int_equal(reasons.why_balance != NULL, options->balance == WEIR_BALANCE_AUTO &&
                                                      stats.balance == WEIR_BALANCE_OWNERSHIP);
    weir_sssp_destroy(sssp);
    weir_bfs_destroy(bfs);
    weir_partition_destroy(partition);
    return stats.balance;
}

/* On several GPUs, where levels are narrow and no choice of the worklist is to be seen at work. */
static void auto_is_for_narrow_levels_on_gpus(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_balance narrow =
        strncmp(*state, "cuda", 4) == 0 ? WEIR_BALANCE_OWNERSHIP : WEIR_BALANCE_OFF;
    for (int paths = 0; paths < 2; paths++) {
        weir_graph *road = open_graph("grid:200x40,0.9", 0);
        weir_weights weights = {.kind = WEIR_WEIGHTS_RANDOM, .low = 1, .high = 50, .seed = 1};
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        OK(weir_graph_weigh(road, &weights));
        options.direction = WEIR_DIRECTION_PUSH;
        assert_int_equal(picked_by(context, road, &options, paths), narrow);
        options.order = WEIR_ORDER_BULK;
        assert_int_equal(picked_by(context, road, &options, paths), WEIR_BALANCE_OFF);
        options.order = WEIR_ORDER_AUTO;
        options.balance = WEIR_BALANCE_OFF;
        assert_int_equal(picked_by(context, road, &options, paths), WEIR_BALANCE_OFF);
        options.balance = WEIR_BALANCE_OWNERSHIP;
        assert_int_equal(picked_by(context, road, &options, paths), WEIR_BALANCE_OWNERSHIP);
        weir_graph_destroy(road);
    }
    weir_context_destroy(context);
}

/* ---- ends ---------------------------------------------------------------------------------------- */

static void a_stop_ends_a_run(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_graph *graph = graph_of("grid:150000x1", 0);
    weir_run_options options = alone();
    weir_values values = WEIR_VALUES_INIT;
    weir_bfs *bfs =
        placed(context, graph, WEIR_PARTITION_BLOCK, weir_context_device_count(context), &options);
    OK(weir_bfs_run(bfs, 0, NULL));
    assert_cancel_ends(bfs);
    STATUS(weir_bfs_values(bfs, 0, &values), WEIR_ERR_INVALID);
    weir_bfs_destroy(bfs);
    options.time_limit_ms = 1;
    bfs =
        placed(context, graph, WEIR_PARTITION_BLOCK, weir_context_device_count(context), &options);
    STATUS(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_TIMEOUT);
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

/* Whichever allocation fails, nothing is left behind. */
static void every_allocation_may_fail(void **state)
{
    weir_context *context = open_with_or_skip("host:2", NULL);
    const weir_graph *graph = graph_of("grid:40x27,0.7", 0);
    weir_partition *partition = cut(context, graph, WEIR_PARTITION_EDGE);
    const weir_run_options options = alone();
    uint32_t failures = 0, struck = 1;
    (void)state;
    for (uint64_t nth = 1; struck; nth++) {
        weir_bfs *bfs;
        weir__fault_arm(WEIR__FAULT_ALLOC, nth);
        const weir_status status = weir_bfs_create(context, graph, partition, &options, &bfs);
        struck = (uint32_t)weir__fault_struck(WEIR__FAULT_ALLOC);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        assert_int_equal(bfs != NULL, status == WEIR_OK);
        assert_true(status == WEIR_OK || status == WEIR_ERR_NOMEM);
        weir_bfs_destroy(bfs);
        assert_no_memory_is_left(context);
        failures += status != WEIR_OK;
    }
    assert_true(failures > 20);
    weir_partition_destroy(partition);
    weir_context_destroy(context);
}

/* Of a run that is done again with 64 bits, for which there are other values: behind a failure there are none, and a later run that ends well has right ones. */
static void any_allocation_of_a_run_may_fail(void **state)
{
    weir_context *context = open_with_or_skip("host:2", NULL);
    const weir_run_options options = alone();
    const weir_weights weights = {
        .kind = WEIR_WEIGHTS_RANDOM, .low = UINT32_MAX - 9, .high = UINT32_MAX, .seed = 1};
    weir_graph *graph = open_graph("grid:30x21,0.9", 0);
    uint32_t failures = 0, again = 0, struck = 1;
    double *want = malloc(graph->vertices * sizeof *want),
           *have = malloc(graph->vertices * sizeof *have);
    (void)state;
    assert_true(want && have);
    OK(weir_graph_weigh(graph, &weights));
    OK(weir_sssp_reference(graph, 7, want));
    void *bits = narrowed(want, graph->vertices, 8);
    weir_partition *partition = cut(context, graph, WEIR_PARTITION_RANDOM);
    for (uint64_t nth = 1; struck; nth++) {
        weir_values values = WEIR_VALUES_INIT;
        weir_sssp *sssp;
        OK(weir_sssp_create(context, graph, partition, &options, &sssp));
        weir__fault_arm(WEIR__FAULT_ALLOC, nth);
        const weir_status status = weir_sssp_run(sssp, 7, NULL);
        struck = (uint32_t)weir__fault_struck(WEIR__FAULT_ALLOC);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        assert_true(status == WEIR_OK || status == WEIR_ERR_NOMEM);
        failures += status != WEIR_OK;
        if (status)
            STATUS(weir_sssp_values(sssp, 1, &values), WEIR_ERR_INVALID);
        if (weir_sssp_run(sssp, 7, NULL) == WEIR_OK) {
            OK(weir_sssp_distances(sssp, have));
            assert_memory_equal(have, want, graph->vertices * sizeof *have);
            OK(weir_sssp_values(sssp, 1, &values));
            assert_owned(context, &values, 1, partition, bits);
            again += status != WEIR_OK;
        } else { /* a queue keeps its first failure */
            STATUS(weir_sssp_values(sssp, 1, &values), WEIR_ERR_INVALID);
        }
        weir_sssp_destroy(sssp);
        assert_no_memory_is_left(context);
    }
    assert_true(failures > 2 && again > 0);
    free(bits);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
    free(want);
    free(have);
}

static void what_is_refused(void **state)
{
    weir_context *one = open_with_or_skip("host:1", NULL), *two = open_with_or_skip("host:2", NULL);
    const weir_graph *graph = graph_of("grid:40x27,0.7", 0);
    weir_partition *partition = cut(two, graph, WEIR_PARTITION_BLOCK);
    weir_run_options options = alone();
    weir_bfs *bfs;
    (void)state;
    STATUS(weir_bfs_create(one, graph, NULL, &options, &bfs), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("balance ownership is about several devices");
    options.memory = WEIR_MEMORY_HOST;
    STATUS(weir_bfs_create(two, graph, partition, &options, &bfs), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("balance ownership is not built yet for arcs in host memory");
    options.memory = WEIR_MEMORY_AUTO;
    options.route = WEIR_ROUTE_RING;
    STATUS(weir_bfs_create(two, graph, partition, &options, &bfs), WEIR_ERR_UNSUPPORTED);
    assert_detail("route ring has no effect with balance ownership, where one device does all: "
                  "leave one of them out");
    options.route = WEIR_ROUTE_AUTO;
    options.balance = WEIR_BALANCE_BOTH;
    STATUS(weir_bfs_create(two, graph, partition, &options, &bfs), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("balance both has no effect on breadth-first search through the worklist");
    weir_partition_destroy(partition);
    weir_context_destroy(one);
    weir_context_destroy(two);
}

/* Device 0 of a DGX-1 has links to four of the others. */
static void what_does_not_reach_the_first_device(void **state)
{
    const weir_graph *graph = graph_of("grid:40x27,0.7", 0);
    const weir_run_options options = alone();
    weir_run_options picks = WEIR_RUN_OPTIONS_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_machine *machine;
    weir_context *context;
    weir_bfs *bfs;
    (void)state;
    OK(weir_machine_open("dgx1v", &machine));
    OK(weir_machine_simulate(machine, NULL, &context));
    weir_machine_destroy(machine);
    weir_partition *partition = cut(context, graph, WEIR_PARTITION_RANDOM), *three;
    OK(weir_partition_create(graph, WEIR_PARTITION_RANDOM, 3, 1, NULL, &three));
    STATUS(weir_bfs_create(context, graph, partition, &options, &bfs), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("balance ownership needs devices that reach the first one's memory, and "
                      "device 4 does not: leave it out");
    picks.direction = WEIR_DIRECTION_PUSH;
    OK(weir_bfs_create(context, graph, partition, &picks, &bfs));
    weir_bfs_destroy(bfs);
    OK(weir_bfs_create(context, graph, three, &options, &bfs));
    OK(weir_bfs_run(bfs, 5, &stats));
    assert_alone(&stats, three, 4);
    for (uint32_t d = 0; d < 3; d++) {
        weir_values values = WEIR_VALUES_INIT;
        OK(weir_bfs_values(bfs, d, &values));
        assert_owned(context, &values, d, three, levels_of(graph, 5));
    }
    weir_bfs_destroy(bfs);
    weir_partition_destroy(three);
    weir_partition_destroy(partition);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_COUNT(levels_are_those_of_the_reference),
        ON_EACH_COUNT(distances_are_those_of_the_reference),
        ON_BACKEND(devices_that_own_nothing, "host:3"),
        ON_BACKEND(devices_that_own_nothing, "cuda:0-1"),
        ON_BACKEND(auto_is_for_narrow_levels_on_gpus, "host:2"),
        ON_BACKEND(auto_is_for_narrow_levels_on_gpus, "cuda:0-1"),
        ON_BACKEND(a_stop_ends_a_run, "host:2"),
        ON_BACKEND(a_stop_ends_a_run, "cuda:0-1"),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(any_allocation_of_a_run_may_fail),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(what_does_not_reach_the_first_device),
    };
    return cmocka_run_group_tests_name("lone", tests, NULL, keep_nothing);
}
