/** @file test_bfs_2d.c  BFS in two dimensions, over each grid of the devices: levels against the serial reference, trees by their
 * rules, who tells whom how much in each level, what is refused. */
#include "algorithms/rows.h"
#include "tests/algorithms/bfs_step_fixture.h"
#include "tests/lib/share.h"

#define INVALID(call) STATUS(call, WEIR_ERR_INVALID)

#define ON_EACH_COUNT(f)                                                               \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"),         \
        ON_BACKEND(f, "host:4"), ON_BACKEND(f, "host:6"), ON_BACKEND(f, "host:8"),     \
        ON_BACKEND(f, "host:2x3"), ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1"), \
        ON_BACKEND(f, "cuda:0-3")

static const weir_wire wires[] = {WEIR_WIRE_AUTO, WEIR_WIRE_LIST, WEIR_WIRE_BITMAP};

struct grid {
    uint32_t rows, columns;
};

static weir_bfs *gridded(weir_context *context, const weir_graph *graph, struct grid grid,
                         const weir_run_options *options)
{
    weir_partition *partition;
    weir_bfs *bfs;
    OK(weir_partition_create_2d(graph, grid.rows, grid.columns, &partition));
    assert_int_equal(partition->kind, WEIR_PARTITION_2D);
    assert_int_equal(partition->rows, grid.rows);
    assert_int_equal(partition->columns, grid.columns);
    OK(weir_bfs_create(context, graph, partition, options, &bfs));
    weir_partition_destroy(partition);
    return bfs;
}

/* ---- what a level has told ------------------------------------------------------------------- */

/* Words of a bitmap of what a device owns: parts begin at multiples of 1024 numbers. */
static uint64_t words_of(uint64_t vertices, uint32_t parts, uint32_t part)
{
    const uint64_t owned = vertices * (part + 1) / parts - vertices * part / parts;
    return (owned + 1023) / 1024 * 32;
}

struct told {
    uint64_t bytes[2], items;
    uint32_t partners[2];
};

static struct told told_by(weir_bfs *bfs, const weir_graph *graph, struct grid grid, uint64_t level,
                           uint32_t from, weir_wire wire)
{
    const uint32_t parts = grid.rows * grid.columns;
    struct told told = {{0, 0}, 0, {0, 0}};
    for (uint32_t to = 0; to < parts; to++) {
        weir_run_pair pair = WEIR_RUN_PAIR_INIT;
        OK(weir_bfs_level_pair(bfs, level, from, to, &pair));
        const int column = from / grid.rows == to / grid.rows;
        const int row = from % grid.rows == to % grid.rows;
        assert_true(pair.items == 0 || (from != to && column != row && pair.fold == row));
        assert_int_equal(pair.items != 0, pair.bytes != 0);
        assert_int_equal(pair.items != 0, pair.wire != WEIR_WIRE_AUTO);
        if (!pair.items)
            continue;
        const uint64_t words = words_of(graph->vertices, parts, pair.fold ? to : from);
        const int bitmap =
            wire == WEIR_WIRE_BITMAP || (wire == WEIR_WIRE_AUTO && pair.items > words);
        assert_int_equal(pair.wire, bitmap ? WEIR_WIRE_BITMAP : WEIR_WIRE_LIST);
        assert_int_equal(pair.bytes, 4 * (bitmap ? words : pair.items));
        if (wire != WEIR_WIRE_LIST) /* at most the part over 8 for each receiver */
            assert_true(pair.bytes <= words * 4);
        told.partners[pair.fold]++;
        told.bytes[pair.fold] += pair.bytes;
        told.items += pair.items;
    }
    assert_true(told.partners[0] <= grid.rows - 1 && told.partners[1] <= grid.columns - 1);
    return told;
}

/* @return what all levels have told: bytes. @param[out] most_out  of one device in one level, partners. */
static uint64_t assert_told(weir_bfs *bfs, const weir_graph *graph, struct grid grid,
                            const int32_t *levels, weir_wire wire, const weir_run_stats *stats,
                            uint32_t *most_out)
{
    const uint32_t parts = grid.rows * grid.columns;
    const uint64_t known = weir_bfs_levels_known(bfs);
    uint64_t bytes = 0, told_items = 0;
    *most_out = 0;
    for (uint64_t level = 0; level < known; level++) {
        weir_run_level all = WEIR_RUN_LEVEL_INIT;
        struct told sum = {{0, 0}, 0, {0, 0}};
        uint64_t frontier = 0;
        OK(weir_bfs_level_get(bfs, level, &all));
        for (uint64_t v = 0; v < graph->vertices; v++)
            frontier += levels[v] == (int64_t)level;
        assert_int_equal(all.frontier, frontier);
        for (uint32_t from = 0; from < parts; from++) {
            const struct told its = told_by(bfs, graph, grid, level, from, wire);
            for (int fold = 0; fold < 2; fold++) {
                sum.bytes[fold] += its.bytes[fold];
                if (its.partners[fold] > sum.partners[fold])
                    sum.partners[fold] = its.partners[fold];
            }
            told_items += its.items;
            if (its.partners[0] + its.partners[1] > *most_out)
                *most_out = its.partners[0] + its.partners[1];
        }
        assert_int_equal(all.expand_bytes, sum.bytes[0]);
        assert_int_equal(all.fold_bytes, sum.bytes[1]);
        assert_int_equal(all.expand_partners, sum.partners[0]);
        assert_int_equal(all.fold_partners, sum.partners[1]);
        assert_true(all.expand_ms >= 0 && all.compute_ms > 0 && all.fold_ms >= 0 &&
                    all.update_ms >= 0);
        assert_int_equal(all.expand_ms > 0, grid.rows > 1);
        bytes += sum.bytes[0] + sum.bytes[1];
    }
    /* Of many levels the first are known one by one. */
    assert_int_equal(known, stats->steps < 1024 ? stats->steps : 1024);
    if (known == stats->steps)
        assert_int_equal(told_items, stats->work.sent);
    assert_true(told_items <= stats->work.sent);
    return known == stats->steps ? bytes : stats->bytes_sent;
}

/* Where rows are long, pieces of them were shared: a step more of the levels that look along them. */
static void assert_shared(const weir_graph *graph, const weir_run_stats *stats)
{
    const weir_graph *hubs = graph_kept("hubs", 0);
    assert_true(graph == hubs ? stats->phase[1].steps > stats->steps
                              : stats->phase[1].steps >= stats->steps);
}

/* A search of a graph that is kept, and all that it left. @return partners of one device in one level, at most. */
static uint32_t assert_2d(weir_bfs *bfs, const weir_graph *graph, struct grid grid,
                          const weir_run_options *options, uint64_t source)
{
    const uint32_t parts = grid.rows * grid.columns;
    static const char *const names[] = {"expand", "compute", "fold", "update", "parents"};
    int32_t *have = malloc(graph->vertices * sizeof *have);
    const int32_t *want = levels_of(graph, source);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    uint64_t reached = 0, arcs = 0, deepest = 0, steps = 0;
    uint32_t most;
    assert_non_null(have);
    OK(weir_bfs_run(bfs, source, &stats));
    OK(weir_bfs_levels(bfs, have));
    for (uint64_t v = 0; v < graph->vertices; v++) {
        if (have[v] != want[v])
            fail_msg("%s, %ux%u, from %llu: vertex %llu has level %d, not %d", graph->name,
                     grid.rows, grid.columns, (unsigned long long)source, (unsigned long long)v,
                     have[v], want[v]);
        if (want[v] < 0)
            continue;
        reached++;
        arcs += graph->offsets[v + 1] - graph->offsets[v];
        deepest = deepest < (uint64_t)want[v] ? (uint64_t)want[v] : deepest;
    }
    assert_int_equal(stats.direction, WEIR_DIRECTION_DOWN);
    assert_int_equal(stats.reached, reached);
    assert_int_equal(stats.arcs_reached, arcs);
    assert_int_equal(stats.work.atoms, arcs);
    /* Each device of a column looks whether it has arcs of a vertex. */
    assert_int_equal(stats.work.processed, reached * grid.rows);
    assert_int_equal(stats.devices, parts);
    assert_int_equal(stats.steps, deepest + 1);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(stats.phase[i].name, names[i]);
        steps += stats.phase[i].steps;
    }
    assert_int_equal(stats.work.rounds, steps * parts);
    assert_int_equal(stats.phase[0].steps, grid.rows > 1 ? stats.steps : 0);
    assert_shared(graph, &stats);
    assert_int_equal(stats.phase[4].steps, options->parents != 0);
    assert_int_equal(items_over_links(bfs, parts), stats.work.sent);
    const uint64_t told = assert_told(bfs, graph, grid, want, options->wire, &stats, &most);
    /* Parents that others kept come once, in the end. */
    assert_true(stats.bytes_sent >= told &&
                stats.bytes_sent <= told + (options->parents ? 4 * reached : 0));
    if (options->parents)
        assert_tree(bfs, graph, source, want);
    free(have);
    return most;
}

/* ---- graphs --------------------------------------------------------------------------------- */

/* Rows of many pieces, in both directions, and leaves that hang on two of them. A row has 19200 arcs, so that an eighth of it, in a
 * grid of eight rows, still is cut. */
static weir_graph *hubs(void)
{
    const uint64_t n = 48000;
    struct list list = {NULL, NULL, 0, 0};
    for (uint64_t v = 3; v < n; v++) {
        both(&list, v % 3, v);
        if (v % 5 == 0)
            both(&list, (v + 1) % 3, v);
    }
    return made(&list, n);
}

static weir_graph *path(void)
{
    struct list list = {NULL, NULL, 0, 0};
    for (uint64_t v = 0; v + 1 < 1500; v++)
        arc(&list, v, v + 1);
    return made(&list, 1500);
}

static weir_graph *alone(void)
{
    struct list list = {NULL, NULL, 0, 0};
    arc(&list, 1, 2);
    return made(&list, 5);
}

static const weir_graph *graph_at(int i)
{
    static const struct {
        const char *name;
        weir_graph *(*make)(void);
        int undirected;
    } graphs[] = {{"rmat:12,8", NULL, 1},   {"rmat:11,6", NULL, 0}, {"grid:60x70,.8", NULL, 0},
                  {"hubs", hubs, 0},        {"path", path, 0},      {"alone", alone, 0},
                  {"uniform:13,4", NULL, 1}};
    const int count = sizeof graphs / sizeof *graphs;
    if (i >= count)
        return NULL;
    const weir_graph *graph = graph_kept(graphs[i].name, graphs[i].undirected);
    if (graph)
        return graph;
    return graphs[i].make ? keep_graph(graphs[i].name, graphs[i].undirected, graphs[i].make())
                          : graph_of(graphs[i].name, graphs[i].undirected);
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* Each grid of the devices, each graph, ways of the wire and trees in turn; several sources, since a run leaves nothing to the next. */
static void each_grid(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t devices = weir_context_device_count(context);
    const weir_graph *graph;
    int turn = 0;
    for (uint32_t rows = 1; rows <= devices; rows++) {
        const struct grid grid = {rows, devices / rows};
        if (devices % rows)
            continue;
        for (int i = 0; (graph = graph_at(i)); i++, turn++) {
            if (turn % test_stride())
                continue;
            weir_run_options options = WEIR_RUN_OPTIONS_INIT;
            options.wire = wires[turn % 3];
            options.parents = turn / 3 % 2;
            options.direction = turn % 2 ? WEIR_DIRECTION_DOWN : WEIR_DIRECTION_AUTO;
            weir_bfs *bfs = gridded(context, graph, grid, &options);
            for (uint64_t source = 0; source < graph->vertices; source += graph->vertices / 3 + 1)
                assert_2d(bfs, graph, grid, &options, source);
            assert_2d(bfs, graph, grid, &options, graph->vertices - 1);
            weir_bfs_destroy(bfs);
        }
    }
    weir_context_destroy(context);
}

/* In a level of a graph whose arcs lead anywhere a device has something for all of its column and its row, and for nobody else; lists and
 * bitmaps both occur where either may. */
static void partners_are_rows_and_columns(void **state)
{
    static const struct grid grids[] = {{1, 8}, {8, 1}, {2, 4}, {4, 2}};
    weir_context *context = open_with_or_skip("host:8", NULL);
    const weir_graph *graph = graph_of("uniform:13,4", 1);
    (void)state;
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        for (size_t k = 0; k < sizeof wires / sizeof *wires; k++) {
            weir_run_options options = WEIR_RUN_OPTIONS_INIT;
            weir_run_level level = WEIR_RUN_LEVEL_INIT;
            int lists = 0, bitmaps = 0;
            options.wire = wires[k];
            weir_bfs *bfs = gridded(context, graph, grids[i], &options);
            assert_int_equal(assert_2d(bfs, graph, grids[i], &options, 1),
                             grids[i].rows - 1 + grids[i].columns - 1);
            for (uint64_t at = 0; at < weir_bfs_levels_known(bfs); at++)
                for (uint32_t pair = 0; pair < 64; pair++) {
                    weir_run_pair of = WEIR_RUN_PAIR_INIT;
                    OK(weir_bfs_level_pair(bfs, at, pair / 8, pair % 8, &of));
                    lists += of.wire == WEIR_WIRE_LIST;
                    bitmaps += of.wire == WEIR_WIRE_BITMAP;
                }
            assert_int_equal(lists > 0, options.wire != WEIR_WIRE_BITMAP);
            assert_int_equal(bitmaps > 0, options.wire != WEIR_WIRE_LIST);
            INVALID(weir_bfs_level_get(bfs, weir_bfs_levels_known(bfs), &level));
            weir_bfs_destroy(bfs);
        }
    weir_context_destroy(context);
}

/* With a tree, what goes on the way is half of what a search in one dimension sends, or less: a parent beside each vertex. */
static void a_tree_sends_half(void **state)
{
    weir_context *context = open_with_or_skip("host:4", NULL);
    const weir_graph *graph = graph_of("rmat:12,8", 1);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_run_stats one = WEIR_RUN_STATS_INIT, two = WEIR_RUN_STATS_INIT;
    const struct grid grid = {2, 2};
    (void)state;
    options.direction = WEIR_DIRECTION_DOWN;
    options.parents = 1;
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_BLOCK, 4, &options);
    OK(weir_bfs_run(bfs, 1, &one));
    assert_int_equal(weir_bfs_levels_known(bfs), 0);
    weir_run_level level = WEIR_RUN_LEVEL_INIT;
    INVALID(weir_bfs_level_get(bfs, 0, &level));
    weir_bfs_destroy(bfs);
    bfs = gridded(context, graph, grid, &options);
    assert_int_equal(weir_bfs_levels_known(bfs), 0);
    OK(weir_bfs_run(bfs, 1, &two));
    uint64_t way = 0;
    for (uint64_t at = 0; at < weir_bfs_levels_known(bfs); at++) {
        OK(weir_bfs_level_get(bfs, at, &level));
        way += level.expand_bytes + level.fold_bytes;
    }
    assert_true(way > 0 && 2 * way <= one.bytes_sent);
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refuse(weir_context *context, const weir_graph *graph, const weir_partition *partition,
                   const weir_run_options *options, const char *words)
{
    weir_bfs *bfs = NULL;
    STATUS(weir_bfs_create(context, graph, partition, options, &bfs), WEIR_ERR_UNSUPPORTED);
    assert_detail_has(words);
    assert_null(bfs);
}

static void what_does_not_go_with_it_is_refused(void **state)
{
    weir_context *context = open_with_or_skip("host:4", NULL);
    const weir_graph *graph = graph_of("rmat:11,6", 0);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_partition *partition, *one;
    weir_sssp *sssp;
    weir_bfs_batch *batch;
    weir_rows *rows;
    weir_placement *placement;
    static const char alone[] =
        "partition 2d:2x2 is for breadth-first search, PageRank and components";
    (void)state;
    OK(weir_partition_create_2d(graph, 2, 2, &partition));
    OK(weir_partition_create(graph, WEIR_PARTITION_BLOCK, 4, 1, NULL, &one));
    weir_graph *weighed = open_graph("rmat:11,6", 0);
    const weir_weights unit = {.kind = WEIR_WEIGHTS_UNIT};
    OK(weir_graph_weigh(weighed, &unit));
    STATUS(weir_sssp_create(context, weighed, partition, NULL, &sssp), WEIR_ERR_UNSUPPORTED);
    weir_graph_destroy(weighed);
    assert_detail_has("partition 2d:2x2 is for breadth-first search, PageRank and components, not "
                      "for shortest paths");
    STATUS(weir_bfs_batch_create(context, graph, partition, NULL, NULL, &batch),
           WEIR_ERR_UNSUPPORTED);
    assert_detail_has(alone);
    STATUS(weir_rows_create(context, graph, partition, NULL, &rows), WEIR_ERR_UNSUPPORTED);
    assert_detail_has(alone);
    STATUS(weir_placement_create(context, graph, partition, WEIR_PART_WEIGHTS_NONE, &placement),
           WEIR_ERR_UNSUPPORTED);
    assert_detail_has(alone);
    options.direction = WEIR_DIRECTION_PUSH;
    refuse(context, graph, partition, &options, "direction down");
    options.direction = WEIR_DIRECTION_SWITCH;
    refuse(context, graph, partition, &options, "direction down");
    options.direction = WEIR_DIRECTION_AUTO;
    options.memory = WEIR_MEMORY_HOST;
    refuse(context, graph, partition, &options,
           "memory has no effect on breadth-first search in two dimensions: leave it out");
    options.memory = WEIR_MEMORY_AUTO;
    options.kernel = WEIR_KERNEL_FUSED;
    refuse(context, graph, partition, &options,
           "kernel has no effect on breadth-first search in two");
    options.kernel = WEIR_KERNEL_AUTO;
    options.wire = WEIR_WIRE_BITMAP;
    options.direction = WEIR_DIRECTION_PUSH;
    refuse(context, graph, one, &options,
           "wire bitmap has no effect on breadth-first search through the worklist");
    weir_partition_destroy(partition);
    weir_partition_destroy(one);
    INVALID(weir_partition_create_2d(graph, 0, 3, &partition));
    INVALID(weir_partition_create_2d(graph, 65536, 65536, &partition));
    INVALID(weir_partition_create_2d(graph, 9, 8, &partition));
    INVALID(weir_partition_create(graph, WEIR_PARTITION_2D, 4, 1, NULL, &partition));
    OK(weir_partition_create_2d(graph, 2, 3, &partition)); /* more parts than devices */
    weir_bfs *bfs;
    INVALID(weir_bfs_create(context, graph, partition, NULL, &bfs));
    weir_partition_destroy(partition);
    weir_context_destroy(context);
}

static void texts_of_grids(void **state)
{
    static const char *const wrong[] = {
        "2d:",      "2d:2",    "2d:2x",   "2d:x2",  "2d:0x2", "2d:2x0",           "2d:02x2",
        "2d:2x2x2", "2d:-1x2", "2d:65x1", "2d:9x8", "2d:2X2", "2d:99999999999x1", "2d"};
    weir_partition_kind kind;
    uint32_t rows, columns;
    (void)state;
    OK(weir_partition_2d_parse("2d:2x3", &rows, &columns));
    assert_true(rows == 2 && columns == 3);
    OK(weir_partition_2d_parse("2d:64x1", &rows, &columns));
    assert_true(rows == 64 && columns == 1);
    OK(weir_partition_kind_parse("2d:8x8", &kind));
    assert_int_equal(kind, WEIR_PARTITION_2D);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        INVALID(weir_partition_2d_parse(wrong[i], &rows, &columns));
        INVALID(weir_partition_kind_parse(wrong[i], &kind));
    }
    INVALID(weir_partition_2d_parse(NULL, &rows, &columns));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_COUNT(each_grid),
        cmocka_unit_test(partners_are_rows_and_columns),
        cmocka_unit_test(a_tree_sends_half),
        cmocka_unit_test(what_does_not_go_with_it_is_refused),
        cmocka_unit_test(texts_of_grids),
    };
    return cmocka_run_group_tests(tests, NULL, keep_nothing);
}
