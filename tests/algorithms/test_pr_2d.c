/** @file test_pr_2d.c  PageRank in two dimensions: on every grid of the devices ranks within what the tolerance promises of the serial
 * reference, the same bits in each run, and the bytes that a grid says. */
#include "runtime/internal.h"
#include "runtime/support.h"
#include "tests/algorithms/grid_fixture.h"
#include "tests/algorithms/pr_fixture.h"
#include "tests/lib/share.h"

/* Sanitizers are slow: of many combinations they see some. */
#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
#define STRIDE (5 * test_stride())
#else
#define STRIDE test_stride()
#endif

static weir_pr *gridded(weir_context *context, const weir_graph *graph, struct grid grid,
                        const weir_pr_config *config)
{
    weir_partition *partition = cells_of(graph, grid);
    weir_pr *pr;
    OK(weir_pr_create(context, graph, partition, NULL, config, &pr));
    weir_partition_destroy(partition); /* it is not needed any more */
    return pr;
}

/* Numbers of each part, with the gaps that make stretches begin at multiples of 1024. */
static uint64_t stretch_of(const weir_graph *graph, struct grid grid, uint32_t part)
{
    weir_partition *partition = cells_of(graph, grid);
    uint64_t owned = 0;
    for (uint64_t v = 0; v < graph->vertices; v++)
        owned += partition->owner[v] == part;
    weir_partition_destroy(partition);
    return (owned + 1023) / 1024 * 1024;
}

/* A share of each vertex to the others of its column, before all iterations and in each; a sum of each number to the others of its row. */
static uint64_t bytes_of(const weir_graph *graph, struct grid grid, uint64_t iterations)
{
    uint64_t sums = 0;
    for (uint32_t p = 0; p < grid.rows * grid.columns; p++)
        sums += stretch_of(graph, grid, p) * (grid.columns - 1);
    return (iterations + 1) * graph->vertices * 8 * (grid.rows - 1) + iterations * 8 * sums;
}

static void assert_grid(weir_context *context, const weir_graph *graph, struct grid grid,
                        const weir_pr_config *config, const double *want, double relative)
{
    weir_pr *pr = gridded(context, graph, grid, config), *other;
    double *first = malloc(graph->vertices * sizeof *first),
           *again = malloc(graph->vertices * sizeof *again);
    assert_true(first && again);
    const weir_run_stats stats = pr_assert(pr, graph, want, config, relative);
    OK(weir_pr_ranks(pr, first));
    assert_int_equal(stats.direction, WEIR_DIRECTION_PULL);
    assert_int_equal(stats.devices, grid.rows * grid.columns);
    assert_int_equal(stats.work.atoms, stats.steps * graph->arcs);
    assert_int_equal(stats.bytes_sent, bytes_of(graph, grid, stats.steps));
    assert_string_equal(stats.phase[0].name, "gather");
    assert_true(stats.phase[0].steps >= stats.steps && stats.phase[1].steps == stats.steps);
    pr_assert(pr, graph, want, config, relative);
    OK(weir_pr_ranks(pr, again));
    assert_memory_equal(first, again, graph->vertices * sizeof *first);
    weir_pr_destroy(pr);
    other = gridded(context, graph, grid, config); /* threads put arcs there in another order */
    OK(weir_pr_run(other, NULL));
    OK(weir_pr_ranks(other, again));
    assert_memory_equal(first, again, graph->vertices * sizeof *first);
    weir_pr_destroy(other);
    free(first);
    free(again);
}

static void each_shape_on_each_grid(void **state)
{
    weir_context *context = open_or_skip(state);
    struct grid grids[WEIR_DEVICES_MAX];
    const int count = grids_of(weir_context_device_count(context), grids);
    int turn = 0;
    for (int shape = 0; shape < PR_SHAPES; shape++) {
        weir_graph *graph = pr_graph((enum pr_shape)shape);
        for (int t = 0; t < 3; t++) {
            const weir_pr_config config =
                pr_config(t == 2 ? .5 : .85, t == 1 ? 1e-10 : 1e-6,
                          t == 2 ? WEIR_DANGLING_IGNORE : WEIR_DANGLING_SPREAD);
            double *want = pr_expected(graph, &config);
            for (int g = 0; g < count; g++)
                if (turn++ % STRIDE == 0)
                    assert_grid(context, graph, grids[g], &config, want, t == 1 ? 1e-9 : LOOSE);
            free(want);
        }
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void dampings_and_numbers_of_iterations(void **state)
{
    static const double damping[] = {0, .001, .99};
    weir_context *context = open_or_skip(state);
    struct grid grids[WEIR_DEVICES_MAX];
    const int count = grids_of(weir_context_device_count(context), grids);
    weir_graph *graph = pr_graph(PR_DANGLING);
    for (int d = 0; d < 3; d++) {
        weir_pr_config config = pr_config(damping[d], 1e-7, WEIR_DANGLING_SPREAD);
        double *want = pr_expected(graph, &config);
        weir_pr *pr = gridded(context, graph, grids[d % count], &config);
        pr_assert(pr, graph, want, &config, 1e9);
        weir_pr_destroy(pr);
        config.iterations = 3;
        pr = gridded(context, graph, grids[d % count], &config);
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        OK(weir_pr_run(pr, &stats));
        assert_true(stats.steps <= 3 && stats.steps > 0);
        weir_pr_destroy(pr);
        free(want);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Values where they lie, times their scale, are the ranks. */
static void values_are_ranks(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t devices = weir_context_device_count(context);
    weir_graph *graph = pr_graph(PR_RMAT);
    weir_pr *pr = gridded(context, graph, (struct grid){1, devices}, NULL);
    double *ranks = malloc(graph->vertices * sizeof *ranks);
    weir_values values = WEIR_VALUES_INIT;
    uint64_t found = 0;
    assert_non_null(ranks);
    STATUS(weir_pr_values(pr, 0, &values), WEIR_ERR_INVALID);
    OK(weir_pr_run(pr, NULL));
    OK(weir_pr_ranks(pr, ranks));
    for (uint32_t d = 0; d < devices; d++) {
        OK(weir_pr_values(pr, d, &values));
        double *data = malloc(values.count * 8 + 1);
        uint32_t *vertex = malloc(values.count * 4 + 1);
        assert_true(data && vertex && values.kind == WEIR_VALUE_F64);
        OK(weir__download(weir_context_device(context, d), data, values.data, values.count * 8));
        OK(weir__download(weir_context_device(context, d), vertex, values.vertices,
                          values.count * 4));
        for (uint64_t i = 0; i < values.count; i++) {
            assert_true(data[i] * values.scale == ranks[vertex[i]]);
            found++;
        }
        free(data);
        free(vertex);
    }
    assert_int_equal(found, graph->vertices);
    free(ranks);
    weir_pr_destroy(pr);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- ends and refusals ----------------------------------------------------------------------- */

static void a_cancel_and_a_limit_end_a_run(void **state)
{
    (void)state;
    weir_context *context = open_or_skip(&(void *){(void *)(uintptr_t) "host:4"});
    weir_graph *graph = pr_graph(PR_RMAT);
    weir_partition *partition;
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_pr_config config = pr_config(.85, 1e-9, WEIR_DANGLING_SPREAD);
    weir_pr *pr = gridded(context, graph, (struct grid){2, 2}, NULL);
    double rank[1];
    weir_pr_cancel(pr);
    STATUS(weir_pr_run(pr, NULL), WEIR_ERR_CANCELLED);
    STATUS(weir_pr_ranks(pr, rank), WEIR_ERR_INVALID);
    weir_pr_destroy(pr);
    options.time_limit_ms = 1;
    config.iterations = 1000000000;
    config.tolerance = 1e-300;
    OK(weir_partition_create_2d(graph, 2, 2, &partition));
    OK(weir_pr_create(context, graph, partition, &options, &config, &pr));
    STATUS(weir_pr_run(pr, NULL), WEIR_ERR_TIMEOUT);
    weir_pr_destroy(pr);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void what_does_not_go_with_it_is_refused(void **state)
{
    (void)state;
    weir_context *context = open_or_skip(&(void *){(void *)(uintptr_t) "host:4"});
    weir_graph *graph = pr_graph(PR_RMAT);
    weir_partition *partition;
    weir_pr *pr;
    OK(weir_partition_create_2d(graph, 2, 2, &partition));
    for (int i = 0; i < 6; i++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        weir_pr_config config = WEIR_PR_CONFIG_INIT;
        static const char *const names[] = {"direction pull", "order", "memory",
                                            "bands",          "hubs",  "bins"};
        options.direction = i == 0 ? WEIR_DIRECTION_PUSH : WEIR_DIRECTION_AUTO;
        options.order = i == 1 ? WEIR_ORDER_FIFO : WEIR_ORDER_AUTO;
        options.memory = i == 2 ? WEIR_MEMORY_HOST : WEIR_MEMORY_AUTO;
        config.bands = i == 3 ? 2 : 0;
        config.hubs = i == 4 ? 100 : 0;
        config.bins = i == 5 ? 4 : 0;
        STATUS(weir_pr_create(context, graph, partition, &options, &config, &pr),
               WEIR_ERR_UNSUPPORTED);
        assert_detail_has("PageRank in two dimensions");
        assert_detail_has(names[i]);
        assert_null(pr);
    }
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void no_memory_is_said(void **state)
{
    (void)state;
    weir_context *context = open_or_skip(&(void *){(void *)(uintptr_t) "host:2"});
    weir_graph *graph = pr_graph(PR_RMAT);
    weir_partition *partition;
    int refused = 0;
    OK(weir_partition_create_2d(graph, 1, 2, &partition));
    for (uint64_t n = 1; n <= 40; n++) {
        weir_pr *pr;
        weir__fault_arm(WEIR__FAULT_ALLOC, n);
        const weir_status status = weir_pr_create(context, graph, partition, NULL, NULL, &pr);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        assert_true(status == WEIR_OK || status == WEIR_ERR_NOMEM);
        refused += status != WEIR_OK;
        weir_pr_destroy(pr);
    }
    assert_true(refused > 10);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

#define ON_EACH(f) \
    PR_ON_EACH_SPEC(f), PR_SPEC(f, "host:5"), PR_SPEC(f, "host:6"), PR_SPEC(f, "host:7")

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH(each_shape_on_each_grid),
        ON_EACH(dampings_and_numbers_of_iterations),
        PR_ON_EACH_SPEC(values_are_ranks),
        cmocka_unit_test(a_cancel_and_a_limit_end_a_run),
        cmocka_unit_test(what_does_not_go_with_it_is_refused),
        cmocka_unit_test(no_memory_is_said),
    };
    return cmocka_run_group_tests_name("pr in two dimensions", tests, NULL, NULL);
}
