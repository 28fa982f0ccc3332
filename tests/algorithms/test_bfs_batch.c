/** @file test_bfs_batch.c  Searches from many sources at a time: each source's levels and sums against the serial
 * reference, on all kinds of graphs, partitions and devices; what is refused; what runs report. */
#include "tests/algorithms/bfs_step_fixture.h"
#include "tests/lib/share.h"

#ifdef __SANITIZE_THREAD__
#define STRIDE (3 * test_stride())
#else
#define STRIDE test_stride()
#endif

/* ---- graphs --------------------------------------------------------------------------------- */

#define FOR(i, first, last) for (uint64_t i = first; i < last; i++)

/* Rows of several pieces top-down, and of several workers bottom-up. */
#define LEAVES 20000u

enum shape {
    ONE,
    NO_ARCS,
    PATH,
    CHAIN,
    STAR,
    STAR_OUT,
    STAR_IN,
    HUBS,
    APART,
    GRID,
    SKEWED,
    SKEWED_BOTH,
    TAIL,
    SHAPES
};

/* Few levels find nearly all vertices, and a long path hangs on them: down, up, and down again. */
static void with_a_tail(struct list *list, uint64_t thick, uint64_t tail)
{
    uint64_t random = 3;
    FOR(v, 0, thick) FOR(i, 0, 10) both(list, v, next_random(&random) % thick);
    FOR(v, thick - 1, thick + tail - 1) both(list, v, v + 1);
}

static weir_graph *shaped(enum shape shape)
{
    struct list list = {NULL, NULL, 0, 0};
    uint64_t n = 1;
    switch (shape) {
    case ONE:
        break;
    case NO_ARCS:
        n = 2500;
        break;
    case PATH:
    case CHAIN:
        n = 300;
        FOR(v, 0, n - 1) shape == PATH ? arc(&list, v, v + 1) : both(&list, v, v + 1);
        break;
    case STAR:
    case STAR_OUT:
    case STAR_IN:
        n = LEAVES + 1;
        FOR(v, 1, n)
        {
            if (shape != STAR_IN)
                arc(&list, 0, v);
            if (shape != STAR_OUT)
                arc(&list, v, 0);
        }
        break;
    case HUBS: /* four neighbours of many leaves, some of which have an arc in one direction alone */
        n = LEAVES;
        FOR(v, 0, 4) FOR(u, 0, v) both(&list, v, u);
        FOR(v, 4, n) v % 9 ? both(&list, v % 4, v) : arc(&list, v, v % 4);
        break;
    case APART: /* components of all sizes, and vertices that are alone */
        n = 5000;
        FOR(v, 0, 3000) if ((v & (v + 1)) != 0) both(&list, v, v - 1);
        break;
    case GRID:
        return open_graph("grid:71x64,.8", 0);
    case SKEWED:
        return open_graph("rmat:11,8", 0);
    case SKEWED_BOTH:
        return open_graph("rmat:11,8", 1);
    default:
        n = 5300;
        with_a_tail(&list, 5000, 300);
    }
    return made(&list, n);
}

static const weir_graph *shape_of(enum shape shape)
{
    char name[32];
    snprintf(name, sizeof name, "shape %d", shape);
    const weir_graph *graph = graph_kept(name, 0);
    return graph ? graph : keep_graph(name, 0, shaped(shape));
}

/* ---- one run -------------------------------------------------------------------------------- */

static weir_bfs_batch *batch_of(weir_context *context, const weir_graph *graph,
                                weir_partition_kind kind, uint32_t parts, weir_direction direction,
                                uint32_t most, int levels)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_bfs_batch_config config = WEIR_BFS_BATCH_CONFIG_INIT;
    weir_partition *partition;
    weir_bfs_batch *batch;
    options.direction = direction;
    config.sources = most;
    config.levels = levels;
    OK(weir_partition_create(graph, kind, parts, 1, NULL, &partition));
    OK(weir_bfs_batch_create(context, graph, partition, &options, &config, &batch));
    weir_partition_destroy(partition);
    return batch;
}

static void assert_source(const weir_bfs_batch *batch, const weir_graph *graph, uint32_t index,
                          uint64_t source, int levels, weir_bfs_found *sum, const char *what)
{
    const int32_t *want = levels_of(graph, source);
    weir_bfs_found found = WEIR_BFS_FOUND_INIT, right = WEIR_BFS_FOUND_INIT;
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (want[v] >= 0) {
            right.reached++;
            right.arcs_reached += graph->offsets[v + 1] - graph->offsets[v];
            right.sum_levels += (uint64_t)want[v];
            if ((uint64_t)want[v] > right.max_level)
                right.max_level = (uint64_t)want[v];
        }
    OK(weir_bfs_batch_found(batch, index, &found));
    if (memcmp(&found, &right, sizeof found) != 0)
        fail_msg("%s, %s, source %u, vertex %llu: reached %llu of %llu, arcs %llu of %llu, sum of "
                 "levels %llu of %llu, largest %llu of %llu",
                 graph->name, what, index, (unsigned long long)source,
                 (unsigned long long)found.reached, (unsigned long long)right.reached,
                 (unsigned long long)found.arcs_reached, (unsigned long long)right.arcs_reached,
                 (unsigned long long)found.sum_levels, (unsigned long long)right.sum_levels,
                 (unsigned long long)found.max_level, (unsigned long long)right.max_level);
    sum->reached += found.reached;
    sum->arcs_reached += found.arcs_reached;
    if (found.max_level > sum->max_level)
        sum->max_level = found.max_level;
    if (!levels)
        return;
    int32_t *have = malloc(graph->vertices * sizeof *have);
    assert_non_null(have);
    OK(weir_bfs_batch_levels(batch, index, have));
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (have[v] != want[v])
            fail_msg("%s, %s, source %u: vertex %llu has level %d, not %d", graph->name, what,
                     index, (unsigned long long)v, have[v], want[v]);
    free(have);
}

static void assert_batch_stats(const weir_graph *graph, uint32_t parts, uint32_t count,
                               const weir_bfs_found *sum, const weir_run_stats *stats)
{
    assert_int_equal(stats->reached, sum->reached);
    assert_int_equal(stats->arcs_reached, sum->arcs_reached);
    assert_int_equal(stats->steps, sum->max_level + 1);
    assert_int_equal(stats->devices, parts);
    assert_true(stats->kernel_ms > 0 && stats->ms >= stats->kernel_ms);
    assert_true(stats->work.sent == 0 || parts > 1);
    /* Each source alone looks at each arc once top-down; a level bottom-up at each once for all sources. */
    assert_true(stats->work.atoms <= graph->arcs * (count + stats->phase[1].steps));
    if (stats->direction == WEIR_DIRECTION_PULL) {
        assert_true(stats->phase[0].steps == 2); /* the sources alone */
        assert_int_equal(stats->work.sent, 0);
    }
    assert_string_equal(stats->phase[0].name, "top-down");
    assert_string_equal(stats->phase[1].name, "bottom-up");
    assert_string_equal(stats->phase[2].name, "switching");
    assert_string_equal(stats->phase[3].name, "settling all rows");
}

/* @param[in] first, step  sources are first, first + step, ... modulo the number of vertices. */
static weir_run_stats assert_batch(weir_bfs_batch *batch, const weir_graph *graph, uint32_t parts,
                                   uint32_t count, uint64_t first, uint64_t step, int levels,
                                   const char *what)
{
    uint64_t sources[WEIR_BFS_BATCH_MAX] = {0};
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_bfs_found sum = WEIR_BFS_FOUND_INIT;
    for (uint32_t s = 0; s < count; s++)
        sources[s] = (first + s * step) % graph->vertices;
    OK(weir_bfs_batch_run(batch, sources, count, &stats));
    for (uint32_t s = 0; s < count; s++)
        assert_source(batch, graph, s, sources[s], levels, &sum, what);
    assert_batch_stats(graph, parts, count, &sum, &stats);
    return stats;
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* All 64, fewer, one; sources that are equal, neighbours, far apart; one object for all of them. */
static void each_shape(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    for (int i = 0; i < SHAPES * 2; i += STRIDE) {
        const weir_graph *graph = shape_of((enum shape)(i / 2));
        const weir_direction direction = in_step[i % 2];
        const char *what = weir_direction_text(direction);
        const uint64_t n = graph->vertices;
        weir_bfs_batch *batch = batch_of(context, graph, (weir_partition_kind)(i % 3), parts,
                                         direction, 0, i / 2 % 3 != 1);
        const int levels = i / 2 % 3 != 1;
        assert_batch(batch, graph, parts, 64, 0, n / 64 + 1, levels, what);
        assert_batch(batch, graph, parts, 5, n - 1, 0, levels, what);
        assert_batch(batch, graph, parts, 1, n / 2, 0, levels, what);
        assert_batch(batch, graph, parts, 33, n / 3, 1, levels, what);
        weir_bfs_batch_destroy(batch);
    }
    weir_context_destroy(context);
}

static void each_partition_on_some_of_the_devices(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_graph *graph = graph_of("rmat:10,6", 0);
    for (uint32_t parts = 1; parts <= weir_context_device_count(context); parts++)
        for (int i = 0; i < 3 * 2; i++) {
            weir_bfs_batch *batch = batch_of(context, graph, (weir_partition_kind)(i / 2), parts,
                                             in_step[i % 2], 40, 1);
            const weir_run_stats stats =
                assert_batch(batch, graph, parts, 40, 7, 301, 1, "some devices");
            uint64_t sum = 0, items;
            for (uint32_t from = 0; from < parts; from++)
                for (uint32_t to = 0; to < parts; to++) {
                    OK(weir_bfs_batch_link_items(batch, from, to, &items));
                    sum += items;
                }
            assert_int_equal(sum, stats.work.sent);
            weir_bfs_batch_destroy(batch);
        }
    weir_context_destroy(context);
}

/* Both ways, and the way back: each kind of phase took place, and the levels on both sides of it are right. */
static void goes_both_ways(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graph = shape_of(TAIL);
    weir_bfs_batch *batch =
        batch_of(context, graph, WEIR_PARTITION_RANDOM, parts, WEIR_DIRECTION_SWITCH, 0, 1);
    for (int run = 0; run < 2; run++) {
        const weir_run_stats stats =
            assert_batch(batch, graph, parts, 64, 17, 71, 1, "down, up and down");
        assert_true(stats.phase[0].steps > 300 && stats.phase[1].steps > 0 &&
                    stats.phase[2].steps > 0);
        assert_true((stats.work.sent != 0) == (parts > 1));
        assert_true((stats.bytes_sent != 0) == (parts > 1));
    }
    weir_bfs_batch_destroy(batch);
    weir_context_destroy(context);
}

/* What 64 sources share they do not look at 64 times. */
static void shares_looks(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graph = graph_of("rmat:11,8", 1);
    weir_bfs_batch *batch =
        batch_of(context, graph, WEIR_PARTITION_EDGE, parts, WEIR_DIRECTION_SWITCH, 0, 0);
    const weir_run_stats stats = assert_batch(batch, graph, parts, 64, 0, 31, 0, "shared");
    assert_true(stats.work.atoms * 16 < stats.arcs_reached);
    weir_bfs_batch_destroy(batch);
    weir_context_destroy(context);
}

/* A level top-down of more arcs than there are vertices lists nothing, one of fewer does; where it goes on top-down the frontier is
 * listed then. */
static void lists_what_few_arcs_touch(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    weir_bfs_batch *batch =
        batch_of(context, shape_of(GRID), WEIR_PARTITION_EDGE, parts, WEIR_DIRECTION_SWITCH, 0, 1);
    weir_run_stats stats = assert_batch(batch, shape_of(GRID), parts, 64, 0, 71, 1, "many arcs");
    assert_true(stats.phase[3].steps > 0 && stats.phase[2].steps > 0);
    /* Frontiers go to all behind a level bottom-up and once on the way to some of them, not when they are listed. */
    assert_in_range(stats.bytes_sent - stats.work.sent * 16, 0,
                    2 * stats.phase[1].steps * shape_of(GRID)->vertices * 8 * (parts - 1));
    stats = assert_batch(batch, shape_of(GRID), parts, 1, 0, 1, 1, "few arcs");
    assert_int_equal(stats.phase[3].steps, 0);
    weir_bfs_batch_destroy(batch);
    weir_context_destroy(context);
}

static void stays_where_it_was_refused(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_graph *graph = shape_of(CHAIN);
    weir_bfs_batch *batch =
        batch_of(context, graph, WEIR_PARTITION_BLOCK, 1, WEIR_DIRECTION_SWITCH, 3, 1);
    const uint64_t sources[4] = {0, 150, 299, 300};
    weir_bfs_found found = WEIR_BFS_FOUND_INIT, none = {0};
    int32_t *levels = malloc(graph->vertices * sizeof *levels);
    assert_non_null(levels);
    STATUS(weir_bfs_batch_found(batch, 0, &found), WEIR_ERR_INVALID);
    STATUS(weir_bfs_batch_levels(batch, 0, levels), WEIR_ERR_INVALID);
    OK(weir_bfs_batch_run(batch, sources, 3, NULL));
    STATUS(weir_bfs_batch_run(batch, sources, 4, NULL), WEIR_ERR_INVALID);
    STATUS(weir_bfs_batch_run(batch, sources, 0, NULL), WEIR_ERR_INVALID);
    STATUS(weir_bfs_batch_run(batch, NULL, 1, NULL), WEIR_ERR_INVALID);
    STATUS(weir_bfs_batch_run(batch, sources + 1, 3, NULL), WEIR_ERR_INVALID);
    STATUS(weir_bfs_batch_found(batch, 3, &found), WEIR_ERR_INVALID);
    STATUS(weir_bfs_batch_found(batch, 0, &none), WEIR_ERR_INVALID);
    OK(weir_bfs_batch_found(batch, 1, &found));
    assert_int_equal(found.max_level, 150);
    OK(weir_bfs_batch_levels(batch, 2, levels));
    assert_int_equal(levels[0], 299);
    free(levels);
    weir_bfs_batch_destroy(batch);
    weir_bfs_batch_destroy(NULL);
    weir_context_destroy(context);
}

static void refuses_what_it_does_not_read(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_graph *graph = shape_of(CHAIN);
    weir_bfs_batch_config config = WEIR_BFS_BATCH_CONFIG_INIT;
    weir_bfs_batch *batch = (weir_bfs_batch *)&config;
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.parents = 1;
    STATUS(weir_bfs_batch_create(context, graph, NULL, &options, NULL, &batch),
           WEIR_ERR_UNSUPPORTED);
    assert_non_null(strstr(weir_error_detail(), "parents has no effect on"));
    assert_null(batch);
    options.parents = 0;
    options.direction = WEIR_DIRECTION_PUSH;
    STATUS(weir_bfs_batch_create(context, graph, NULL, &options, NULL, &batch),
           WEIR_ERR_UNSUPPORTED);
    config.sources = 65;
    STATUS(weir_bfs_batch_create(context, graph, NULL, NULL, &config, &batch), WEIR_ERR_INVALID);
    config.sources = 0;
    OK(weir_bfs_batch_create(context, graph, NULL, NULL, &config, &batch));
    int32_t level;
    const uint64_t source = 5;
    OK(weir_bfs_batch_run(batch, &source, 1, NULL));
    STATUS(weir_bfs_batch_levels(batch, 0, &level), WEIR_ERR_INVALID);
    assert_non_null(strstr(weir_error_detail(), "no levels were asked for"));
    weir_bfs_batch_destroy(batch);
    weir_context_destroy(context);
}

/* 64 levels a vertex that do not fit are refused before they are taken, and say what they lack. */
static void levels_that_do_not_fit(void **state)
{
    (void)state;
    setenv("WEIR_POOL_BYTES", "8MiB", 1);
    weir_context *context;
    OK(weir_context_create("host:1", NULL, &context));
    const weir_graph *graph = graph_of("grid:300x300", 0);
    weir_bfs_batch_config config = WEIR_BFS_BATCH_CONFIG_INIT;
    weir_bfs_batch *batch;
    config.levels = 1;
    STATUS(weir_bfs_batch_create(context, graph, NULL, NULL, &config, &batch), WEIR_ERR_NOMEM);
    assert_null(batch);
    config.levels = 0;
    OK(weir_bfs_batch_create(context, graph, NULL, NULL, &config, &batch));
    assert_batch(batch, graph, 1, 64, 0, 1409, 0, "a small pool");
    weir_bfs_batch_destroy(batch);
    weir_context_destroy(context);
    unsetenv("WEIR_POOL_BYTES");
}

static void ends_when_it_is_told(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_graph *graph = shape_of(TAIL);
    weir_bfs_batch *batch;
    weir_bfs_found found = WEIR_BFS_FOUND_INIT;
    const uint64_t source = 3;
    OK(weir_bfs_batch_create(context, graph, NULL, NULL, NULL, &batch));
    weir_bfs_batch_cancel(batch);
    STATUS(weir_bfs_batch_run(batch, &source, 1, NULL), WEIR_ERR_CANCELLED);
    STATUS(weir_bfs_batch_found(batch, 0, &found), WEIR_ERR_INVALID);
    weir_bfs_batch_destroy(batch);
    weir_context_destroy(context);
}

static void says_how_it_goes(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_graph *graph = shape_of(GRID);
    weir_run_stats picked = WEIR_RUN_STATS_INIT;
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    weir_prepare_stats prepared = WEIR_PREPARE_STATS_INIT;
    weir_bfs_batch *batch;
    OK(weir_bfs_batch_create(context, graph, NULL, NULL, NULL, &batch));
    OK(weir_bfs_batch_explain(batch, &picked, &reasons));
    assert_int_equal(picked.direction, WEIR_DIRECTION_SWITCH);
    assert_string_equal(reasons.form, "breadth-first search of a batch of sources");
    assert_null(reasons.why_form);
    OK(weir_bfs_batch_prepared(batch, &prepared));
    assert_true(prepared.placing_ms > 0);
    weir_bfs_batch_destroy(batch);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(each_shape),
        ON_EACH_SPEC(each_partition_on_some_of_the_devices),
        ON_EACH_SPEC(goes_both_ways),
        ON_EACH_SPEC(shares_looks),
        ON_EACH_SPEC(lists_what_few_arcs_touch),
        ON_BACKEND(stays_where_it_was_refused, "host:2"),
        ON_BACKEND(refuses_what_it_does_not_read, "host:2"),
        cmocka_unit_test(levels_that_do_not_fit),
        ON_BACKEND(ends_when_it_is_told, "host:2"),
        ON_BACKEND(says_how_it_goes, "host:2"),
    };
    return cmocka_run_group_tests(tests, NULL, keep_nothing);
}
