/** @file test_bfs_step.c  BFS in step, every level the way it chooses or bottom-up: levels against the serial
 * reference, trees by their rules, what runs report. What is refused and how runs end: test_bfs_step_ending.c;
 * real graphs: test_bfs_data.c. */
#include "tests/algorithms/bfs_step_fixture.h"
#include "tests/lib/share.h"

/* ThreadSanitizer is slow: it sees each shape, in one or two of the four ways. */
#ifdef __SANITIZE_THREAD__
#define STRIDE 7
#else
#define STRIDE test_stride()
#endif

/* ---- graphs --------------------------------------------------------------------------------- */

/* Rows of more than a piece's arcs, of many pieces, and a level of one entry between wide ones. */
#define HUB 3333u

enum shape {
    ONE,         /* a vertex */
    NO_ARCS,     /* vertices */
    PATH,        /* a directed path, far longer than there are lanes */
    CHAIN,       /* the same in both directions */
    STAR_OUT,    /* a hub that leads to HUB vertices */
    STAR,        /* the same in both directions */
    DOUBLE_STAR, /* two hubs of many leaves, behind paths */
    TWO,         /* two components, and vertices that are alone */
    LEAVING,  /* most vertices have out-arcs alone, which makes bottom-up look along them in vain */
    COMPLETE, /* 300 vertices */
    GRID,
    HOLES,       /* a grid that lacks edges */
    SKEWED,      /* rmat */
    SKEWED_BOTH, /* rmat, undirected */
    SHAPES
};

static weir_graph *shaped(enum shape shape)
{
    struct list list = {NULL, NULL, 0, 0};
    uint64_t n = 1;
#define FOR(i, first, last) for (uint64_t i = first; i < last; i++)
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
    case STAR_OUT:
    case STAR:
        n = HUB + 1;
        FOR(v, 1, n) shape == STAR ? both(&list, 0, v) : arc(&list, 0, v);
        break;
    case DOUBLE_STAR: /* 0 .. 10 a path, 10 and 11 hubs that are neighbours, 12 on leaves of either */
        n = 2 * HUB;
        FOR(v, 0, 11) both(&list, v, v + 1);
        FOR(v, 12, n) both(&list, 10 + v % 2, v);
        break;
    case TWO:
        n = 3000;
        FOR(v, 0, 199) both(&list, v, v + 1);
        FOR(v, 1000, 2500) both(&list, 1000 + (v - 1000) / 3, v);
        break;
    case LEAVING: /* 0 .. 99 a tree; 100 on lead to it and are led to by nobody */
        n = 5000;
        FOR(v, 1, 100) arc(&list, v / 2, v);
        FOR(v, 100, n) arc(&list, v, v % 100), arc(&list, v, (v * 7 + 3) % 100);
        break;
    case COMPLETE:
        n = 300;
        FOR(v, 0, n) FOR(u, 0, n) if (u != v) arc(&list, v, u);
        break;
    case GRID:
        return open_graph("grid:71x64", 0);
    case HOLES:
        return open_graph("grid:90x50,.65", 0);
    case SKEWED:
        return open_graph("rmat:11,8", 0);
    default:
        return open_graph("rmat:11,8", 1);
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

/* Few levels find nearly all vertices, and a long path hangs on them: down, up, and down again. */
static weir_graph *with_a_tail(void)
{
    const uint64_t thick = 20000, tail = 300;
    struct list list = {NULL, NULL, 0, 0};
    uint64_t random = 3;
    FOR(v, 0, thick) FOR(i, 0, 10) both(&list, v, next_random(&random) % thick);
    FOR(v, thick - 1, thick + tail - 1) both(&list, v, v + 1);
    return made(&list, thick + tail);
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* The first, the last, and some between: one object for all of them. */
static void each_shape(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    for (int i = 0; i < SHAPES * 2 * 2; i += STRIDE) {
        const weir_graph *graph = shape_of((enum shape)(i / 4));
        weir_run_options options = plain_options();
        options.direction = in_step[i % 2];
        options.parents = i / 2 % 2;
        weir_bfs *bfs =
            placed(context, graph, (weir_partition_kind)((i / 4 + i) % 3), parts, &options);
        const uint64_t last = graph->vertices - 1, stride = last / 3 + 1;
        for (uint64_t source = 0; source < last; source += stride)
            assert_bfs(bfs, graph, parts, &options, source);
        assert_bfs(bfs, graph, parts, &options, last);
        weir_bfs_destroy(bfs);
    }
    weir_context_destroy(context);
}

static void each_partition_on_some_of_the_devices(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_graph *graph = graph_of("rmat:10,6", 0);
    for (uint32_t parts = 1; parts <= weir_context_device_count(context); parts++)
        for (int i = 0; i < 4 * 2; i++) {
            uint64_t items;
            weir_run_options options = plain_options();
            options.direction = in_step[i % 2];
            weir_bfs *bfs = placed(context, graph, (weir_partition_kind)(i / 2), parts, &options);
            for (uint64_t source = 0; source < graph->vertices; source += 301)
                assert_bfs(bfs, graph, parts, &options, source);
            for (uint32_t d = parts; d < weir_context_device_count(context); d++) {
                OK(weir_bfs_link_items(bfs, 0, d, &items));
                assert_int_equal(items, 0);
            }
            STATUS(weir_bfs_link_items(bfs, 0, weir_context_device_count(context), &items),
                   WEIR_ERR_INVALID);
            weir_bfs_destroy(bfs);
        }
    weir_context_destroy(context);
}

/* The classical count: no level goes bottom-up, none is eager, and each arc of what is reached is looked at once (assert_stats()). */
static void down_looks_at_every_arc_once(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    for (int i = 0; i < SHAPES * 2; i += STRIDE) {
        const weir_graph *graph = shape_of((enum shape)(i / 2));
        weir_run_options options = plain_options();
        options.direction = WEIR_DIRECTION_DOWN;
        options.parents = i % 2;
        weir_bfs *bfs = placed(context, graph, (weir_partition_kind)(i % 3), parts, &options);
        for (uint64_t source = 0; source < graph->vertices; source += graph->vertices / 3 + 1) {
            const weir_run_stats stats = assert_bfs(bfs, graph, parts, &options, source);
            assert_true(stats.phase[1].steps == 0 && stats.phase[2].steps == 0);
            assert_true(stats.eager == 0 && stats.unlisted == 0);
            assert_int_equal(stats.work.atoms, stats.arcs_reached);
        }
        weir_bfs_destroy(bfs);
    }
    weir_context_destroy(context);
}

static void many_sources_one_after_the_other(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graph = graph_of("rmat:9,8", 1);
    weir_run_options options = plain_options();
    options.direction = WEIR_DIRECTION_SWITCH;
    options.parents = 1;
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_RANDOM, parts, &options);
    for (uint64_t source = 0; source < graph->vertices; source += 4)
        assert_bfs(bfs, graph, parts, &options, source);
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

/* A run marks and counts by what differs from the one before: more, less, something else, nothing. */
static void what_only_the_run_before_found_is_forgotten(void **state)
{
    static const uint64_t sources[] = {1000, 0, 0, 1000, 500, 1700, 2999, 2998, 199, 1000, 1001};
    static const uint64_t leaving[] = {0, 1, 4999, 99, 4998, 50, 4997, 4997, 0};
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    for (int i = 0; i < 2 * 2; i++) {
        weir_run_options options = plain_options();
        options.direction = in_step[i % 2];
        options.parents = i / 2;
        const weir_graph *graph = shape_of(TWO);
        weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_RANDOM, parts, &options);
        for (size_t k = 0; k < sizeof sources / sizeof *sources; k++)
            assert_bfs(bfs, graph, parts, &options, sources[k]);
        weir_bfs_destroy(bfs);
        graph = shape_of(LEAVING);
        bfs = placed(context, graph, WEIR_PARTITION_EDGE, parts, &options);
        for (size_t k = 0; k < sizeof leaving / sizeof *leaving; k++)
            assert_bfs(bfs, graph, parts, &options, leaving[k]);
        weir_bfs_destroy(bfs);
    }
    weir_context_destroy(context);
}

static void both_ways_are_gone(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graph = graph_kept("tail", 0);
    weir_run_options options = plain_options();
    graph = graph ? graph : keep_graph("tail", 0, with_a_tail());
    options.direction = WEIR_DIRECTION_SWITCH;
    options.parents = 1;
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_EDGE, parts, &options);
    weir_run_stats stats = assert_bfs(bfs, graph, parts, &options, 0);
    assert_true(stats.phase[0].steps > 250);
    assert_in_range(stats.phase[1].steps, 1, 20);
    assert_in_range(stats.phase[2].steps, 1, 20);
    assert_true(stats.work.atoms < graph->arcs / 2); /* that is what it is for */
    /* Each level bottom-up sends all of a bitmap to all others, and so does the way there. */
    assert_true(stats.bytes_sent >= stats.work.sent * 8 + (stats.phase[1].steps + 1) *
                                                              (graph->vertices / 8) * (parts - 1));
    assert_bfs(bfs, graph, parts, &options, graph->vertices - 1);
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

/* Threads of a host device share the tail of the queue, and add to it once for many vertices. */
static void what_a_thread_finds_is_put_together(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_graph *graph = graph_of("grid:400x400", 0);
    weir_run_options options = plain_options();
    options.direction = WEIR_DIRECTION_SWITCH;
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_EDGE, 1, &options);
    const weir_run_stats stats = assert_bfs(bfs, graph, 1, &options, 0);
    assert_true(stats.work.flushes > 0);
    if (stats.work.flushes * 20 > stats.reached)
        fail_msg("%llu vertices were put by %llu additions", (unsigned long long)stats.reached,
                 (unsigned long long)stats.work.flushes);
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

/* From a hub of a skewed graph: what the level finds that the next one goes bottom-up from needs no queue. The warps of a GPU take all of so
 * small a level at the same time, so none of them sees what the others find. */
static void a_level_before_a_bottom_up_one_is_not_listed(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graph = graph_of("rmat:14", 1);
    weir_run_options options = plain_options();
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(weir_context_device(context, 0), &info);
    options.direction = WEIR_DIRECTION_SWITCH;
    options.parents = 1;
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_EDGE, parts, &options);
    uint64_t hub = 0;
    for (uint64_t v = 1; v < graph->vertices; v++)
        if (graph->offsets[v + 1] - graph->offsets[v] >
            graph->offsets[hub + 1] - graph->offsets[hub])
            hub = v;
    weir_run_stats stats = assert_bfs(bfs, graph, parts, &options, hub);
    assert_true(stats.phase[1].steps > 0);
    if (parts == 1 && info.kind == WEIR_DEVICE_HOST && stats.unlisted * 10 < graph->vertices)
        fail_msg("%llu of %llu vertices were not listed", (unsigned long long)stats.unlisted,
                 (unsigned long long)stats.reached);
    for (uint64_t v = 0; v < 5; v++) /* the same from others, which mostly list all */
        assert_bfs(bfs, graph, parts, &options, v * (graph->vertices / 5));
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

/* Of the vertices with arcs from `v` the one whose number is the smallest, with one device and rows that begin with their hubs. */
static uint64_t first_of(const weir_graph *graph, uint64_t v)
{
    uint64_t best = graph->targets[graph->offsets[v]], most = 0;
    for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++) {
        const uint64_t u = graph->targets[arc], arcs = graph->offsets[u + 1] - graph->offsets[u];
        if (arcs > most || (arcs == most && u < best)) {
            best = u;
            most = arcs;
        }
    }
    return best;
}

/* Bottom-up a row looks at its first arc, which lies apart, before anyone asks where its others are. Whoever it settles is counted. */
static void most_rows_are_settled_by_their_first_arcs(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graph = graph_of("rmat:15", 1);
    weir_run_options options = plain_options();
    options.direction = WEIR_DIRECTION_PULL;
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_EDGE, parts, &options);
    for (uint64_t source = 3; source < graph->vertices; source += graph->vertices / 3) {
        const weir_run_stats stats = assert_bfs(bfs, graph, parts, &options, source);
        uint64_t expected = 0, found = 0;
        const int32_t *level = levels_of(graph, source);
        for (uint64_t v = 0; v < graph->vertices; v++)
            if (level[v] > 0) {
                found++;
                expected += level[first_of(graph, v)] == level[v] - 1;
            }
        if (parts == 1)
            assert_int_equal(stats.firsts, expected);
        assert_true(stats.firsts <= found && (stats.firsts > 0) == (expected > 0));
    }
    weir_bfs_destroy(bfs);
    /* Every row has all others before it comes to the source, which the serial search checks: far more than a lane looks at, or a squad. */
    graph = graph_of("complete:700", 0);
    bfs = placed(context, graph, WEIR_PARTITION_EDGE, parts, &options);
    for (uint64_t source = 0; source < graph->vertices; source += 233) {
        const weir_run_stats stats = assert_bfs(bfs, graph, parts, &options, source);
        assert_true(stats.work.atoms >= (graph->vertices - 1) * source);
        if (parts == 1)
            assert_int_equal(stats.firsts, source ? 0 : graph->vertices - 1);
    }
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

/* Levels of a mesh whose neighbours lie anywhere: each has something for other devices. It is taken in with the next level where no tree is
 * wanted and no row is long, and the whole search takes no more steps than levels. */
static void what_comes_is_expanded_in_the_same_step(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graph = graph_of("mesh:60x40,shuffle", 0);
    weir_run_options options = plain_options();
    options.direction = WEIR_DIRECTION_SWITCH;
    for (options.parents = 0; options.parents < 2; options.parents++) {
        weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_EDGE, parts, &options);
        for (uint64_t source = 0; source < graph->vertices; source += graph->vertices / 4) {
            const weir_run_stats stats = assert_bfs(bfs, graph, parts, &options, source);
            if (options.parents || parts == 1) {
                assert_int_equal(stats.eager, 0);
            } else {
                assert_true(stats.eager > stats.steps * 3 / 4);
                assert_true(stats.phase[0].steps <= stats.steps + 1);
            }
        }
        weir_bfs_destroy(bfs);
    }
    options.parents = 0;
    graph = shape_of(DOUBLE_STAR); /* its rows are short but for two */
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_RANDOM, parts, &options);
    assert_int_equal(assert_bfs(bfs, graph, parts, &options, 0).eager, 0);
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

#ifndef __SANITIZE_THREAD__
/* A level of more than BFS_EAGER_MOST entries and items has its two steps, and is followed by levels that go bottom-up; small ones before
 * and behind it are eager again. */
static void a_large_level_is_not_eager(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graph = graph_of("uniform:20,3", 0);
    weir_run_options options = plain_options();
    options.direction = WEIR_DIRECTION_SWITCH;
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_EDGE, parts, &options);
    const weir_run_stats stats = assert_bfs(bfs, graph, parts, &options, 199591);
    assert_true(stats.eager > 4 && stats.eager + 2 < stats.steps);
    assert_true(stats.phase[1].steps > 0);
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}
#endif

/* The form that runs where none is asked for: in step where much is cut, and through the worklist where little is. */
static void what_is_cut_picks_the_form(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graph = graph_of("grid:60x60", 0);
    int32_t *levels = malloc(graph->vertices * sizeof *levels);
    assert_non_null(levels);
    for (int i = 0; i < 2; i++) {
        weir_run_options options = plain_options();
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weir_bfs *bfs = placed(context, graph, i ? WEIR_PARTITION_EDGE : WEIR_PARTITION_RANDOM,
                               parts, &options);
        OK(weir_bfs_run(bfs, 7, &stats));
        assert_int_equal(stats.direction, i ? WEIR_DIRECTION_PUSH : WEIR_DIRECTION_SWITCH);
        assert_int_equal(stats.eager > 0, !i);
        OK(weir_bfs_levels(bfs, levels));
        assert_memory_equal(levels, levels_of(graph, 7), graph->vertices * sizeof *levels);
        weir_bfs_destroy(bfs);
    }
    free(levels);
    weir_context_destroy(context);
}

/* The 14 pieces of a hub's row are shared by more workers than there are pieces. */
static void a_long_row_is_shared(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_graph *graph = graph_kept("star", 0);
    weir_run_options options = plain_options();
    graph = graph ? graph : keep_graph("star", 0, shaped(STAR));
    options.direction =
        WEIR_DIRECTION_DOWN; /* switch looks bottom-up here, which takes less time */
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_EDGE, 1, &options);
    const weir_run_stats stats = assert_bfs(bfs, graph, 1, &options, 0);
    assert_true(stats.shared >= HUB / 256);
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(each_shape),
        ON_BACKEND(each_partition_on_some_of_the_devices, "host:4"),
        ON_BACKEND(each_partition_on_some_of_the_devices, "cuda:0-3"),
        ON_EACH_SPEC(down_looks_at_every_arc_once),
        ON_EACH_SPEC(many_sources_one_after_the_other),
        ON_EACH_SPEC(a_level_before_a_bottom_up_one_is_not_listed),
        ON_EACH_SPEC(most_rows_are_settled_by_their_first_arcs),
        ON_EACH_SPEC(what_comes_is_expanded_in_the_same_step),
#ifndef __SANITIZE_THREAD__
        ON_BACKEND(a_large_level_is_not_eager, "host:2"),
#endif
        ON_BACKEND(what_is_cut_picks_the_form, "cuda:0-1"),
        ON_BACKEND(a_long_row_is_shared, "cuda:0"),
        ON_EACH_SPEC(what_only_the_run_before_found_is_forgotten),
        ON_EACH_SPEC(both_ways_are_gone),
        ON_BACKEND(what_a_thread_finds_is_put_together, "host:1"),
        ON_BACKEND(what_a_thread_finds_is_put_together, "host:1x3"),
    };
    return cmocka_run_group_tests_name("bfs in step", tests, NULL, keep_nothing);
}
