/** @file test_bfs_step.c  BFS in step, every level the way it chooses or bottom-up: levels against the serial
 * reference, trees by their rules, what runs report, what is refused. */
#include "runtime/internal.h"
#include "tests/algorithms/data_fixture.h"
#include "tests/topology/sim_fixture.h"

#include <pthread.h>

#define ON_EACH_SPEC(f)                                                              \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"),       \
        ON_BACKEND(f, "host:4"), ON_BACKEND(f, "host:8"), ON_BACKEND(f, "host:2x3"), \
        ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0-3")

static const weir_direction in_step[] = {WEIR_DIRECTION_SWITCH, WEIR_DIRECTION_PULL};

/* ThreadSanitizer is slow: it sees each shape, in one or two of the four ways. */
#ifdef __SANITIZE_THREAD__
#define STRIDE 3
#else
#define STRIDE 1
#endif

/* ---- graphs --------------------------------------------------------------------------------- */

struct list {
    uint32_t *source, *target;
    uint64_t count, room;
};

static void arc(struct list *list, uint64_t from, uint64_t to)
{
    if (list->count == list->room) {
        list->room = list->room * 2 + 64;
        list->source = realloc(list->source, list->room * 4);
        list->target = realloc(list->target, list->room * 4);
        assert_true(list->source && list->target);
    }
    list->source[list->count] = (uint32_t)from;
    list->target[list->count++] = (uint32_t)to;
}

static void both(struct list *list, uint64_t a, uint64_t b)
{
    arc(list, a, b);
    arc(list, b, a);
}

static weir_graph *made(struct list *list, uint64_t vertices)
{
    weir_graph *graph;
    OK(weir_graph_from_arcs(vertices, list->count, list->source, list->target, NULL, NULL, &graph));
    free(list->source);
    free(list->target);
    return graph;
}

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
        n = 700;
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
        FOR(v, 0, 999) both(&list, v, v + 1);
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

/* ---- one run -------------------------------------------------------------------------------- */

static weir_bfs *placed(weir_context *context, const weir_graph *graph, weir_partition_kind kind,
                        uint32_t parts, const weir_run_options *options)
{
    weir_partition *partition;
    weir_bfs *bfs;
    OK(weir_partition_create(graph, kind, parts, 1, NULL, &partition));
    OK(weir_bfs_create(context, graph, partition, options, &bfs));
    weir_partition_destroy(partition);
    return bfs;
}

static int is_arc(const weir_graph *graph, uint64_t from, uint64_t to)
{
    for (uint64_t i = graph->offsets[from]; i < graph->offsets[from + 1]; i++)
        if (graph->targets[i] == to)
            return 1;
    return 0;
}

static void assert_tree(weir_bfs *bfs, const weir_graph *graph, uint64_t source,
                        const int32_t *levels)
{
    int64_t *parent = malloc(graph->vertices * sizeof *parent);
    assert_non_null(parent);
    OK(weir_bfs_parents(bfs, parent));
    assert_int_equal(parent[source], source);
    for (uint64_t v = 0; v < graph->vertices; v++) {
        const int64_t p = parent[v];
        if (v == source)
            continue;
        if (levels[v] < 0 ? p != -1
                          : p < 0 || (uint64_t)p >= graph->vertices || levels[p] != levels[v] - 1 ||
                                !is_arc(graph, (uint64_t)p, v))
            fail_msg("%s from %llu: vertex %llu of level %d has parent %lld", graph->name,
                     (unsigned long long)source, (unsigned long long)v, levels[v], (long long)p);
    }
    free(parent);
}

static uint64_t items_over_links(const weir_bfs *bfs, uint32_t devices)
{
    uint64_t sum = 0, items;
    for (uint32_t from = 0; from < devices; from++)
        for (uint32_t to = 0; to < devices; to++) {
            OK(weir_bfs_link_items(bfs, from, to, &items));
            assert_true(from != to || items == 0);
            sum += items;
        }
    return sum;
}

static void assert_phases(const weir_run_stats *stats)
{
    static const char *const names[] = {"top-down", "bottom-up", "turning"};
    uint64_t steps = 0;
    double ms = 0;
    for (int i = 0; i < WEIR_RUN_PHASES; i++) {
        if (i >= 3) {
            assert_null(stats->phase[i].name);
            continue;
        }
        assert_string_equal(stats->phase[i].name, names[i]);
        assert_true(stats->phase[i].ms >= 0);
        steps += stats->phase[i].steps;
        ms += stats->phase[i].ms;
    }
    assert_true(ms <= stats->ms * stats->devices + 1);
    assert_int_equal(stats->work.rounds, steps * stats->devices);
    /* A level may take a step more on several devices, and there are steps between the ways. */
    assert_true(stats->phase[0].steps + stats->phase[1].steps >= stats->steps);
    assert_true(stats->phase[0].steps + stats->phase[1].steps <= 2 * stats->steps);
    if (stats->direction == WEIR_DIRECTION_PULL)
        assert_true(stats->phase[0].steps == 0 && stats->phase[2].steps == 0);
}

static void assert_stats(const weir_graph *graph, uint32_t parts, const int32_t *levels,
                         const weir_run_stats *stats)
{
    uint64_t reached = 0, arcs = 0, deepest = 0;
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (levels[v] >= 0) {
            reached++;
            arcs += graph->offsets[v + 1] - graph->offsets[v];
            deepest = deepest < (uint64_t)levels[v] ? (uint64_t)levels[v] : deepest;
        }
    assert_int_equal(stats->reached, reached);
    assert_int_equal(stats->least_items, reached);
    assert_int_equal(stats->arcs_reached, arcs);
    assert_int_equal(stats->devices, parts);
    assert_true(stats->ms > 0);
    /* Levels that found something, and the one that did not. */
    assert_int_equal(stats->steps, deepest + 1);
    assert_phases(stats);
    /* Bottom-up looks at an arc once in each level at the most; top-down once. */
    assert_true(stats->work.atoms <= graph->arcs * (stats->phase[1].steps + 1));
    assert_true(stats->work.sent == 0 || parts > 1);
    if (stats->phase[1].steps == 0) {
        assert_int_equal(stats->work.atoms, arcs);
        assert_true(stats->work.processed >= reached);
        assert_true(stats->work.processed <= reached + arcs / 256);
    }
    assert_true(stats->work.processed == 0 || stats->bytes > 0);
    assert_int_equal(stats->bytes_sent != 0,
                     stats->work.sent || (parts > 1 && stats->phase[1].steps));
}

static weir_run_stats assert_bfs(weir_bfs *bfs, const weir_graph *graph, uint32_t parts,
                                 const weir_run_options *options, uint64_t source)
{
    size_t bytes = graph->vertices * sizeof(int32_t);
    int32_t *have = malloc(bytes), *want = malloc(bytes);
    weir_run_stats stats;
    memset(&stats, 0xAA, sizeof stats);
    assert_true(have && want);
    OK(weir_bfs_reference(graph, source, want));
    OK(weir_bfs_run(bfs, source, &stats));
    OK(weir_bfs_levels(bfs, have));
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (have[v] != want[v])
            fail_msg("%s, %u parts, %s, from %llu: vertex %llu has level %d, not %d", graph->name,
                     parts, weir_direction_text(options->direction), (unsigned long long)source,
                     (unsigned long long)v, have[v], want[v]);
    assert_int_equal(stats.direction, options->direction);
    assert_stats(graph, parts, want, &stats);
    assert_int_equal(items_over_links(bfs, parts), stats.work.sent);
    if (options->parents)
        assert_tree(bfs, graph, source, want);
    free(have);
    free(want);
    return stats;
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* The first, the last, and some between: one object for all of them. */
static void each_shape(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    for (int i = 0; i < SHAPES * 2 * 2; i += STRIDE) {
        const enum shape shape = (enum shape)(i / 4);
        weir_graph *graph = shaped(shape);
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        options.direction = in_step[i % 2];
        options.parents = i / 2 % 2;
        weir_bfs *bfs =
            placed(context, graph, (weir_partition_kind)((i / 4 + i) % 3), parts, &options);
        const uint64_t last = graph->vertices - 1, stride = last / 3 + 1;
        for (uint64_t source = 0; source < last; source += stride)
            assert_bfs(bfs, graph, parts, &options, source);
        assert_bfs(bfs, graph, parts, &options, last);
        weir_bfs_destroy(bfs);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void each_partition_on_some_of_the_devices(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:10,6", 0);
    for (uint32_t parts = 1; parts <= weir_context_device_count(context); parts++)
        for (int i = 0; i < 4 * 2; i++) {
            uint64_t items;
            weir_run_options options = WEIR_RUN_OPTIONS_INIT;
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
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void many_sources_one_after_the_other(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    weir_graph *graph = open_graph("rmat:9,8", 1);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.direction = WEIR_DIRECTION_SWITCH;
    options.parents = 1;
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_RANDOM, parts, &options);
    for (uint64_t source = 0; source < graph->vertices; source += 4)
        assert_bfs(bfs, graph, parts, &options, source);
    weir_bfs_destroy(bfs);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
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

static void both_ways_are_gone(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    weir_graph *graph = with_a_tail();
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.direction = WEIR_DIRECTION_SWITCH;
    options.parents = 1;
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_EDGE, parts, &options);
    weir_run_stats stats = assert_bfs(bfs, graph, parts, &options, 0);
    assert_true(stats.phase[0].steps > 250);
    assert_in_range(stats.phase[1].steps, 1, 20);
    assert_in_range(stats.phase[2].steps, 1, 20);
    assert_true(stats.work.atoms < graph->arcs / 2); /* that is what it is for */
    assert_bfs(bfs, graph, parts, &options, graph->vertices - 1);
    weir_bfs_destroy(bfs);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* On devices of one kind the choice is a search in step, unless an option of the worklist was given. */
static void what_is_chosen(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = shaped(GRID);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_run_stats stats;
    weir_bfs *bfs;
    OK(weir_bfs_create(context, graph, NULL, NULL, &bfs));
    OK(weir_bfs_run(bfs, 5, &stats));
    assert_int_equal(stats.direction, WEIR_DIRECTION_SWITCH);
    assert_in_range(stats.devices, 1, weir_context_device_count(context));
    assert_int_equal(stats.devices < weir_context_device_count(context), stats.why_devices != NULL);
    OK(weir_bfs_run(bfs, 6, NULL));
    weir_bfs_destroy(bfs);
    options.mapping = WEIR_MAPPING_THREAD;
    OK(weir_bfs_create(context, graph, NULL, &options, &bfs));
    OK(weir_bfs_run(bfs, 5, &stats));
    assert_int_equal(stats.direction, WEIR_DIRECTION_PUSH);
    assert_int_equal(stats.steps, 0);
    weir_bfs_destroy(bfs);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void assert_refused(weir_context *context, const weir_graph *graph,
                           const weir_run_options *options, weir_status status, const char *detail)
{
    weir_bfs *bfs;
    STATUS(weir_bfs_create(context, graph, NULL, options, &bfs), status);
    assert_detail_has(detail);
    assert_null(bfs);
}

static void options_that_do_not_go_together(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_context *simulated = simulate(star_machine(0), NULL);
    weir_graph *graph = shaped(PATH);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    const weir_run_options none = WEIR_RUN_OPTIONS_INIT;
    for (int i = 0; i < 6 * 2; i++) {
        static const char *const names[] = {"route",  "order", "kernel",
                                            "worker", "fetch", "mapping"};
        options = none;
        options.direction = in_step[i % 2];
        options.route = i / 2 == 0 ? WEIR_ROUTE_RING : WEIR_ROUTE_AUTO;
        options.order = i / 2 == 1 ? WEIR_ORDER_SOFT : WEIR_ORDER_AUTO;
        options.kernel = i / 2 == 2 ? WEIR_KERNEL_DISCRETE : WEIR_KERNEL_AUTO;
        options.worker = i / 2 == 3 ? WEIR_WORKER_BLOCK : WEIR_WORKER_AUTO;
        options.fetch = i / 2 == 4;
        options.mapping = i / 2 == 5 ? WEIR_MAPPING_WARP : WEIR_MAPPING_AUTO;
        assert_refused(context, graph, &options, WEIR_ERR_UNSUPPORTED, names[i / 2]);
        assert_detail_has(weir_direction_text(options.direction));
    }
    options = none;
    options.parents = 1;
    options.direction = WEIR_DIRECTION_PUSH;
    assert_refused(context, graph, &options, WEIR_ERR_UNSUPPORTED, "parents");
    options.direction = WEIR_DIRECTION_AUTO;
    options.order = WEIR_ORDER_FIFO;
    assert_refused(context, graph, &options, WEIR_ERR_UNSUPPORTED, "parents");
    options = none;
    for (int i = 0; i < 2; i++) {
        options.direction = in_step[i];
        assert_refused(simulated, graph, &options, WEIR_ERR_UNSUPPORTED, "simulated");
    }
    options.direction = (weir_direction)17;
    assert_refused(context, graph, &options, WEIR_ERR_INVALID, "direction 17");
    weir_graph_destroy(graph);
    weir_context_destroy(simulated);
    weir_context_destroy(context);
}

static void trees_that_were_not_asked_for(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_graph *graph = shaped(ONE);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    int64_t parent = 17;
    for (int i = 0; i < 2; i++) {
        options.direction = i ? WEIR_DIRECTION_PUSH : WEIR_DIRECTION_SWITCH;
        weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_BLOCK, 2, &options);
        OK(weir_bfs_run(bfs, 0, NULL));
        STATUS(weir_bfs_parents(bfs, &parent), WEIR_ERR_INVALID);
        assert_int_equal(parent, 17);
        weir_bfs_destroy(bfs);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void before_a_run_nothing_is_reached(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = shaped(PATH);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    int32_t level[700];
    int64_t parent[700];
    options.parents = 1;
    weir_bfs *bfs =
        placed(context, graph, WEIR_PARTITION_BLOCK, weir_context_device_count(context), &options);
    STATUS(weir_bfs_run(bfs, 700, NULL), WEIR_ERR_INVALID); /* no vertex, and does no harm */
    assert_detail_has("700");
    OK(weir_bfs_levels(bfs, level));
    OK(weir_bfs_parents(bfs, parent));
    for (int v = 0; v < 700; v++)
        assert_true(level[v] == -1 && parent[v] == -1);
    OK(weir_bfs_run(bfs, 699, NULL));
    weir_bfs_destroy(bfs);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void a_graph_without_vertices(void **state)
{
    weir_context *context = open_or_skip(state);
    struct list list = {NULL, NULL, 0, 0};
    int32_t level = 17;
    int64_t parent = 17;
    weir_graph *graph = made(&list, 0);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    for (int i = 0; i < 2; i++) {
        options.direction = in_step[i];
        options.parents = 1;
        weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_BLOCK,
                               weir_context_device_count(context), &options);
        STATUS(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_INVALID);
        OK(weir_bfs_levels(bfs, &level));
        OK(weir_bfs_parents(bfs, &parent));
        assert_true(level == 17 && parent == 17);
        weir_bfs_destroy(bfs);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* A path from part to part: each step goes to another device, or on one device is a barrier or less. */
static void a_time_limit_ends_a_run(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:400000x1", 0);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.direction = WEIR_DIRECTION_SWITCH;
    options.time_limit_ms = 5;
    weir_bfs *bfs =
        placed(context, graph, WEIR_PARTITION_RANDOM, weir_context_device_count(context), &options);
    STATUS(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_TIMEOUT);
    assert_detail("bfs_step: the time limit of 5 ms is over");
    STATUS(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_TIMEOUT);
    weir_bfs_destroy(bfs);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void *cancel(void *bfs)
{
    weir_bfs_cancel(bfs);
    return NULL;
}

static void a_cancel_ends_a_run(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:400000x1", 0);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    pthread_t thread;
    for (int i = 0; i < 2; i++) {
        options.direction = in_step[i];
        weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_RANDOM,
                               weir_context_device_count(context), &options);
        assert_int_equal(pthread_create(&thread, NULL, cancel, bfs), 0);
        weir_status status = weir_bfs_run(bfs, 0, NULL);
        pthread_join(thread, NULL);
        assert_int_equal(status, WEIR_ERR_CANCELLED);
        STATUS(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_CANCELLED);
        weir_bfs_destroy(bfs);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Whichever allocation fails, nothing is left behind. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_graph *graph = open_graph("rmat:7", 0);
    weir_partition *partition;
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    uint32_t failures = 0, struck = 1;
    options.parents = 1;
    OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, 2, 1, NULL, &partition));
    for (uint64_t nth = 1; struck; nth++) {
        weir_bfs *bfs;
        weir__fault_arm(WEIR__FAULT_ALLOC, nth);
        weir_status status = weir_bfs_create(context, graph, partition, &options, &bfs);
        struck = (uint32_t)weir__fault_struck(WEIR__FAULT_ALLOC);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        assert_int_equal(bfs != NULL, status == WEIR_OK);
        assert_true(status == WEIR_OK || status == WEIR_ERR_NOMEM);
        weir_bfs_destroy(bfs);
        for (uint32_t d = 0; d < 2; d++) {
            weir_pool_stats pool;
            weir_device_pool_stats(weir_context_device(context, d), &pool);
            assert_int_equal(pool.allocations, 0);
        }
        failures += status != WEIR_OK;
    }
    assert_true(failures > 30);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- real graphs, where the folder of them is there ------------------------------------------- */

static void real_graphs(void **state)
{
    static const char *const names[] = {"ego-Twitter.txt.xz", "p2p-Gnutella31.weighted.e.xz",
                                        "uk-2007-05_100000.txt.xz", "USA-road-d.NY.gr.xz"};
    char path[4300];
    data_or_skip();
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        snprintf(path, sizeof path, "%s/%s", data, names[i]);
        weir_graph *graph = open_graph(path, 0);
        options.direction = WEIR_DIRECTION_SWITCH;
        options.parents = 1;
        weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_EDGE, parts, &options);
        assert_bfs(bfs, graph, parts, &options, 1);
        assert_bfs(bfs, graph, parts, &options, graph->vertices / 2);
        weir_bfs_destroy(bfs);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(each_shape),
        ON_BACKEND(each_partition_on_some_of_the_devices, "host:4"),
        ON_BACKEND(each_partition_on_some_of_the_devices, "cuda:0-3"),
        ON_EACH_SPEC(many_sources_one_after_the_other),
        ON_EACH_SPEC(both_ways_are_gone),
        ON_BACKEND(what_is_chosen, "host:1"),
        ON_BACKEND(what_is_chosen, "host:3"),
        ON_BACKEND(what_is_chosen, "cuda:0-1"),
        cmocka_unit_test(options_that_do_not_go_together),
        cmocka_unit_test(trees_that_were_not_asked_for),
        ON_EACH_SPEC(before_a_run_nothing_is_reached),
        ON_EACH_SPEC(a_graph_without_vertices),
        ON_BACKEND(a_time_limit_ends_a_run, "host:1"),
        ON_BACKEND(a_time_limit_ends_a_run, "host:2x3"),
        ON_BACKEND(a_time_limit_ends_a_run, "cuda:0"),
        ON_BACKEND(a_time_limit_ends_a_run, "cuda:0-1"),
        ON_BACKEND(a_cancel_ends_a_run, "host:1"),
        ON_BACKEND(a_cancel_ends_a_run, "host:2x3"),
        ON_BACKEND(a_cancel_ends_a_run, "cuda:0-1"),
        cmocka_unit_test(every_allocation_may_fail),
        ON_BACKEND(real_graphs, "host:1"),
        ON_BACKEND(real_graphs, "host:3"),
        ON_BACKEND(real_graphs, "cuda:0"),
        ON_BACKEND(real_graphs, "cuda:0-1"),
    };
    return cmocka_run_group_tests_name("bfs in step", tests, make_folder, remove_folder);
}
