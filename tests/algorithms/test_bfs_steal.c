/** @file test_bfs_steal.c  BFS whose levels are shared out (balance frontier): levels against the serial reference and trees by their
 * rules whoever did the work, who did how much of whose, thresholds, what is refused. */
#include "tests/algorithms/bfs_step_fixture.h"
#include "tests/algorithms/steal_fixture.h"
#include "tests/lib/share.h"

/* Levels of tests are small. */
static const char *const small[] = {"steal_arcs=1000", NULL};
/* ThreadSanitizer is slow: it has a graph of few wide levels, of which one that is left as it lies is much. */
#ifdef __SANITIZE_THREAD__
#define SCALE "11"
#define LEFT  0.25
#else
#define SCALE "14"
#define LEFT  0.1
#endif

/* The same, and rows of so many arcs are read from copies; all, or as many of the longest as there is room for. */
static const char *const copies[] = {"steal_arcs=1", "steal_percent=100", "steal_hubs=1",
                                     "steal_hubs_percent=6400", NULL};
static const char *const some[] = {"steal_arcs=1", "steal_percent=100", "steal_hubs=20", NULL};

/* What has many arcs has a small number, so that a cut in blocks gives the first device most. */
static const weir_graph *skewed(int undirected)
{
    return graph_of("rmat:" SCALE ",12,5,unshuffled", undirected);
}

/* A hub whose row is many pieces, and behind it what makes wide levels. */
static const weir_graph *star(void)
{
    const weir_graph *graph = graph_kept("star", 1);
    struct list list = {NULL, NULL, 0, 0};
    if (graph)
        return graph;
    for (uint64_t v = 1; v <= 6000; v++) {
        both(&list, 0, v);
        both(&list, v, 6000 + v / 2);
    }
    return keep_graph("star", 1, made(&list, 9001));
}

STEAL_KIND(bfs, /* no config */);

static weir_run_options frontier(weir_direction direction, int parents)
{
    weir_run_options options = steal_frontier(direction);
    options.parents = parents;
    return options;
}

/* What is said of who did what: rows are what devices have of the arcs of what is reached, in a search that only goes down. */
static void assert_matrix(const weir_bfs *bfs, const weir_graph *graph, uint32_t parts,
                          weir_partition_kind cut, const int32_t *levels,
                          const weir_run_stats *stats)
{
    uint64_t has[8] = {0}, all = 0;
    weir_partition *partition;
    OK(weir_partition_create(graph, cut, parts, 1, NULL, &partition));
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (levels[v] >= 0)
            has[partition->owner[v]] += graph->offsets[v + 1] - graph->offsets[v];
    weir_partition_destroy(partition);
    for (uint32_t i = 0; i < parts; i++) {
        uint64_t row = 0;
        for (uint32_t j = 0; j < parts; j++)
            row += steal_of(&kind, bfs, i, j);
        if (stats->phase[1].steps == 0)
            assert_int_equal(row, has[i]);
        all += has[i];
    }
    const uint64_t looked = steal_assert_matrix(&kind, bfs, parts, stats);
    const uint64_t others = stats->stolen_arcs, read = others - stats->stolen_copied;
    assert_true(stats->stolen_bytes >= read * 4);
    assert_true(stats->stolen_bytes <= read * 4 + (others + all) * 16);
    assert_true(stats->phase[1].steps || looked == all);
    assert_true(stats->stolen_levels <= stats->steps);
}

static weir_run_stats searched(weir_context *context, const weir_graph *graph,
                               weir_partition_kind cut, const weir_run_options *options,
                               uint64_t source)
{
    const uint32_t parts = weir_context_device_count(context);
    weir_bfs *bfs = placed(context, graph, cut, parts, options);
    weir_run_stats stats = assert_bfs(bfs, graph, parts, options, source);
    if (options->balance)
        assert_matrix(bfs, graph, parts, cut, levels_of(graph, source), &stats);
    weir_bfs_destroy(bfs);
    return stats;
}

/* ---- results ------------------------------------------------------------------------------------ */

static void results_are_the_same(void **state)
{
    weir_context *context = open_with_or_skip(*state, steal_always);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graphs[] = {skewed(0),
                                  skewed(1),
                                  star(),
                                  graph_of("rmat:12", 1),
                                  graph_of("grid:71x64", 0),
                                  graph_of("grid:3000x1", 0)};
    uint64_t levels = 0;
    for (uint32_t i = 0; i < 6 * 4; i += (uint32_t)test_stride()) {
        const weir_graph *graph = graphs[i / 4];
        const weir_run_options options =
            frontier(i % 2 ? WEIR_DIRECTION_DOWN : WEIR_DIRECTION_SWITCH, i / 2 % 2);
        const weir_partition_kind cut = (weir_partition_kind)(i % 3);
        weir_bfs *bfs = placed(context, graph, cut, parts, &options);
        for (uint64_t source = 0; source < graph->vertices; source += graph->vertices / 3 + 1) {
            const weir_run_stats stats = assert_bfs(bfs, graph, parts, &options, source);
            levels += stats.stolen_levels;
            if (stats.balance)
                assert_matrix(bfs, graph, parts, cut, levels_of(graph, source), &stats);
            /* Where all rows are short levels may be eager, which is worth more. */
            assert_int_equal(stats.balance, i < 16 || i % 4 ? options.balance : WEIR_BALANCE_OFF);
            assert_true(stats.balance == WEIR_BALANCE_OFF || stats.eager == 0);
        }
        weir_bfs_destroy(bfs);
    }
    assert_true(levels > 12 / (uint64_t)test_stride());
    weir_context_destroy(context);
}

/* ---- copies of hubs ----------------------------------------------------------------------------- */

/* Of the arcs that a device looks along for others it reads those of hubs at home; what is found is the same. */
static void hubs_are_read_from_copies(void **state)
{
    const weir_graph *graphs[] = {skewed(0), skewed(1), star(), graph_of("rmat:12", 1)};
    const char *const *const settings[] = {steal_always, some, copies};
    for (int i = 0; i < 3; i++) {
        weir_context *context = open_with_or_skip(*state, settings[i]);
        for (int g = 0; g < 4; g++) {
            const weir_run_options options =
                frontier(g % 2 ? WEIR_DIRECTION_DOWN : WEIR_DIRECTION_SWITCH, g / 2);
            const weir_run_stats stats =
                searched(context, graphs[g], g == 3 ? WEIR_PARTITION_EDGE : WEIR_PARTITION_BLOCK,
                         &options, 1);
            assert_true(i || stats.stolen_copied == 0);
            assert_true(i < 2 || stats.stolen_copied == stats.stolen_arcs);
            if (i == 1 && g == 1)
                assert_true(stats.stolen_copied > stats.stolen_arcs / 50 &&
                            stats.stolen_copied < stats.stolen_arcs);
        }
        weir_context_destroy(context);
    }
}

/* A few rows have all that is shared out: nearly nothing of it comes from the memory of the other device. */
static void all_of_it_may_be_copies(void **state)
{
    enum { HUBS = 8, LEAVES = 1500, TAIL = 30000 };
    uint64_t bytes[2];
    struct list list = {NULL, NULL, 0, 0};
    for (uint64_t hub = 1; hub <= HUBS; hub++) {
        arc(&list, 0, hub);
        for (uint64_t leaf = 0; leaf < LEAVES; leaf++)
            arc(&list, hub, 1 + HUBS + leaf);
    }
    for (uint64_t v = 0; v < TAIL; v++) /* beside the search: arcs that make room for copies */
        for (uint64_t i = 1; i <= 4; i++)
            arc(&list, 1 + HUBS + LEAVES + v, 1 + HUBS + LEAVES + (v + i) % TAIL);
    const weir_graph *graph = keep_graph("hubs", 0, made(&list, 1 + HUBS + LEAVES + TAIL));
    for (int i = 0; i < 2; i++) {
        const char *const settings[] = {"steal_arcs=1000",
                                        i ? "steal_hubs=1500" : "steal_hubs=1501", NULL};
        weir_context *context = open_with_or_skip(*state, settings);
        const weir_run_options options = frontier(WEIR_DIRECTION_DOWN, 1);
        const weir_run_stats stats = searched(context, graph, WEIR_PARTITION_BLOCK, &options, 0);
        assert_true(stats.stolen_levels > 0 && stats.stolen_arcs > HUBS * LEAVES / 3);
        assert_int_equal(stats.stolen_copied, i ? stats.stolen_arcs : 0);
        bytes[i] = stats.stolen_bytes;
        weir_context_destroy(context);
    }
    assert_true(bytes[1] < bytes[0] / 10);
}

static void run_it(void *bfs, weir_context *context, const weir_graph *graph,
                   const weir_run_options *options)
{
    (void)assert_bfs(bfs, graph, weir_context_device_count(context), options, 0);
}

static void every_step_of_placing_copies_may_fail(void **state)
{
    weir_context *context = open_with_or_skip(*state, copies);
    const weir_run_options options = frontier(WEIR_DIRECTION_DOWN, 0);
    steal_every_fault(&kind, context, graph_of("rmat:8,12,5,unshuffled", 1), &options, 1, run_it);
    weir_context_destroy(context);
}

/* A run does not depend on those before it. */
static void many_runs(void **state)
{
    weir_context *context = open_with_or_skip(*state, copies);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graph = skewed(1);
    const weir_run_options options = frontier(WEIR_DIRECTION_DOWN, 1);
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_BLOCK, parts, &options);
    for (uint64_t i = 0; i < 12; i++)
        assert_bfs(bfs, graph, parts, &options, i * i % 5);
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

/* ---- who does how much -------------------------------------------------------------------------- */

/* Devices that have few arcs do some of those of the others. Without that they wait. */
static void a_skewed_cut_is_shared_out(void **state)
{
    weir_context *context = open_with_or_skip(*state, small);
    weir_context *without = open_with_or_skip(*state, steal_never);
    const weir_graph *graph = skewed(1);
    const double parts = weir_context_device_count(context);
    const weir_run_options options = frontier(WEIR_DIRECTION_DOWN, 0);
    const weir_run_stats with = searched(context, graph, WEIR_PARTITION_BLOCK, &options, 0);
    const weir_run_stats none = searched(without, graph, WEIR_PARTITION_BLOCK, &options, 0);
    /* The first device has two thirds or more of the arcs of two, and of four about half. */
    assert_true(none.stall_before > (parts > 2 ? 0.4 : 0.25));
    assert_true(fabs(with.stall_before - none.stall_before) < 1e-9);
    steal_assert_shared(&with, &none);
    assert_true((double)with.stolen_arcs > with.stall_before / 2 * (double)graph->arcs / parts);
    /* Narrow levels are left as they lie, and over links the arcs of another device take longer: all is not shared alike. */
    assert_true(with.stall_after < LEFT);
    assert_true(with.stall_after < with.stall_before / 2);
    weir_context_destroy(context);
    weir_context_destroy(without);
}

static weir_run_stats over_blocks(weir_context *context, const void *user)
{
    const weir_run_options options = frontier(WEIR_DIRECTION_DOWN, 0);
    return searched(context, user, WEIR_PARTITION_BLOCK, &options, 0);
}

static void thresholds(void **state)
{
    const weir_run_options options = frontier(WEIR_DIRECTION_DOWN, 0);
    steal_thresholds(*state, skewed(1)->arcs, skewed(1), over_blocks);
    /* Ten levels of a hundred would be worth it, if any device had more of them. */
    weir_context *context = open_with_or_skip(*state, small);
    const weir_graph *even = graph_of("rmat:12", 1);
    const weir_run_stats stats = searched(context, even, WEIR_PARTITION_EDGE, &options, 7);
    assert_true(stats.stall_before < 0.35);
    assert_true(stats.stall_after < stats.stall_before + 1e-9);
    weir_context_destroy(context);
}

#ifndef __SANITIZE_THREAD__
#define ARC_8 ", \"arc_ns\": 8"

/* What each of two devices looks along, where the machine says what work takes the second and what the link between them carries. */
static void done_by(const char *name, const char *takes, const char *gbs, weir_partition_kind cut,
                    double done_out[2])
{
    weir_context *context = open_two(name, ARC_8, takes, gbs, "steal_arcs=1000");
    const weir_run_options options = frontier(WEIR_DIRECTION_DOWN, 0);
    weir_bfs *bfs = placed(context, skewed(1), cut, 2, &options);
    const weir_run_stats stats = assert_bfs(bfs, skewed(1), 2, &options, 0);
    for (uint32_t j = 0; j < 2; j++)
        done_out[j] = (double)(steal_of(&kind, bfs, 0, j) + steal_of(&kind, bfs, 1, j));
    assert_true(stats.stolen_levels > 0);
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

/* A device that takes longer for an arc, an entry or what it finds gets fewer arcs; so does one whose link carries less. */
static void the_machine_says_what_work_takes(void **state)
{
    double even[2], slow[2], far[2], rows[2], finds[2];
    const weir_partition_kind block = WEIR_PARTITION_BLOCK, edge = WEIR_PARTITION_EDGE;
    (void)state;
    done_by("even.json", ARC_8, "1000", block, even);
    done_by("slow.json", ", \"arc_ns\": 24", "1000", block, slow);
    done_by("far.json", ARC_8, "1", block, far);
    done_by("rows.json", ARC_8 ", \"entry_ns\": 400", "1000", block, rows);
    assert_true(even[1] > 0.8 * even[0]);
    assert_true(slow[1] < 0.5 * slow[0]);
    assert_true(far[1] < 0.95 * even[1] && far[1] > slow[1]);
    done_by("finds.json", ARC_8 ", \"find_ns\": 400", "1000", block, finds);
    assert_true(rows[1] < 0.6 * rows[0]);
    assert_true(finds[1] < 0.8 * even[1]);
    /* Where both have as many arcs it is the slow one that gives. */
    done_by("slow.json", ", \"arc_ns\": 24", "1000", edge, slow);
    assert_true(slow[1] < 0.6 * slow[0]);
}

/* Two devices that are alike have as many arcs of the level that counts, the one in rows of 200, the other in rows of 2. By arcs there is nothing to
 * share out; where an entry takes as long as 50 arcs the one with the long rows does most of the other's. */
static void short_rows_are_shared_out(void **state)
{
    enum { LONG = 100, SHORT = 10000, LEAVES = 6000 };
    struct list list = {NULL, NULL, 0, 0};
    const uint64_t first = LONG, leaf = first + SHORT, root = leaf + LEAVES;
    uint64_t arcs[2][2];
    (void)state;
    for (uint64_t v = 0; v < leaf; v++) {
        arc(&list, root, v);
        for (uint64_t i = 0; i < (v < first ? 200 : 2); i++)
            arc(&list, v, leaf + (v * 7 + i) % LEAVES);
    }
    const weir_graph *graph = keep_graph("short and long", 0, made(&list, root + 1));
    const weir_run_options options = frontier(WEIR_DIRECTION_DOWN, 1);
    weir_partition *partition;
    OK(weir_partition_create(graph, WEIR_PARTITION_BLOCK, 2, 1, NULL, &partition));
    for (uint64_t v = 0; v <= root; v++)
        ((uint8_t *)(uintptr_t)partition->owner)[v] = v >= first && v < leaf;
    for (int i = 0; i < 2; i++) {
        const char *takes = i ? ARC_8 ", \"entry_ns\": 400" : ARC_8;
        weir_context *context =
            open_two(i ? "short.json" : "arcs.json", takes, takes, "1000", "steal_arcs=15000");
        weir_bfs *bfs;
        OK(weir_bfs_create(context, graph, partition, &options, &bfs));
        const weir_run_stats stats = assert_bfs(bfs, graph, 2, &options, root);
        assert_int_equal(stats.stolen_levels, i);
        arcs[i][0] = steal_of(&kind, bfs, 1, 0);
        arcs[i][1] = steal_of(&kind, bfs, 0, 1);
        weir_bfs_destroy(bfs);
        weir_context_destroy(context);
    }
    assert_true(arcs[0][0] == 0 && arcs[0][1] == 0);
    assert_true(arcs[1][1] == 0);
    /* 25000 and 520000 of both kinds: half of that, less what it has. */
    assert_true(arcs[1][0] > 8500 && arcs[1][0] < 10500);
    weir_partition_destroy(partition);
}
#endif

static void nothing_without_it(void **state)
{
    weir_context *context = open_with_or_skip(*state, steal_always);
    const uint32_t parts = weir_context_device_count(context);
    weir_run_options options = frontier(WEIR_DIRECTION_DOWN, 0);
    weir_bfs *fresh = placed(context, skewed(1), WEIR_PARTITION_BLOCK, parts, &options);
    options.balance = WEIR_BALANCE_OFF;
    weir_bfs *off = placed(context, skewed(1), WEIR_PARTITION_BLOCK, parts, &options);
    const weir_run_stats stats = assert_bfs(off, skewed(1), parts, &options, 0);
    steal_assert_nothing(&kind, off, &stats, fresh, parts);
    weir_bfs_destroy(off);
    weir_bfs_destroy(fresh);
    weir_context_destroy(context);
}

/* ---- ends --------------------------------------------------------------------------------------- */

/* While levels are shared out, too: a ladder of stars, each level of which is wide. */
static void a_stop_ends_a_run(void **state)
{
    weir_context *context = open_with_or_skip(*state, steal_always);
    const uint32_t parts = weir_context_device_count(context);
    struct list list = {NULL, NULL, 0, 0};
    for (uint64_t hub = 0; hub < 400; hub++)
        for (uint64_t leaf = 1; leaf < 600; leaf++)
            both(&list, 600 * hub, 600 * hub + leaf), arc(&list, 600 * hub + leaf, 600 * hub + 600);
    const weir_graph *graph = keep_graph("ladder", 1, made(&list, 240001));
    weir_run_options options = frontier(WEIR_DIRECTION_DOWN, 0);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_BLOCK, parts, &options);
    OK(weir_bfs_run(bfs, 0, &stats));
    assert_true(stats.steps > 700 && stats.stolen_levels > 300);
    assert_cancel_ends(bfs);
    uint64_t looked = 1; /* a part of the matrix is none */
    OK(weir_bfs_stolen(bfs, 0, 0, &looked));
    assert_true(looked == 0);
    weir_bfs_destroy(bfs);
    options.time_limit_ms = 1;
    bfs = placed(context, graph, WEIR_PARTITION_BLOCK, parts, &options);
    STATUS(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_TIMEOUT);
    assert_detail("bfs_steal: the time limit of 1 ms is over");
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

/* Devices that own nothing take part: in a graph without vertices, and where there are fewer than devices. */
static void devices_that_own_nothing(void **state)
{
    weir_context *context = open_with_or_skip(*state, steal_always);
    const uint32_t parts = weir_context_device_count(context);
    const weir_run_options options = frontier(WEIR_DIRECTION_DOWN, 1);
    struct list list = {NULL, NULL, 0, 0};
    weir_graph *none = made(&list, 0);
    int32_t level = 17;
    weir_bfs *bfs = placed(context, none, WEIR_PARTITION_BLOCK, parts, &options);
    STATUS(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_INVALID);
    OK(weir_bfs_levels(bfs, &level));
    assert_int_equal(level, 17);
    weir_bfs_destroy(bfs);
    weir_graph_destroy(none);
    list = (struct list){NULL, NULL, 0, 0};
    for (uint64_t v = 1; v < 600; v++)
        arc(&list, 0, v), arc(&list, v, v % 7);
    const weir_graph *few = keep_graph("few", 0, made(&list, 600));
    weir_partition *partition = steal_all_first(few, parts);
    OK(weir_bfs_create(context, few, partition, &options, &bfs));
    const weir_run_stats stats = assert_bfs(bfs, few, parts, &options, 0);
    assert_true(stats.stolen_levels > 0 && stats.stall_before > 0.4);
    assert_true(steal_of(&kind, bfs, 0, 1) > 0 && steal_of(&kind, bfs, 1, 1) == 0);
    weir_bfs_destroy(bfs);
    weir_partition_destroy(partition);
    weir_context_destroy(context);
}

/* ---- what is refused ---------------------------------------------------------------------------- */

static void what_is_refused(void **state)
{
    (void)state;
    weir_context *two = open_with_or_skip("host:2", NULL);
    weir_run_options options = frontier(WEIR_DIRECTION_DOWN, 0);
    weir_partition *grid;
    weir_bfs_batch *batch;
    OK(weir_partition_create_2d(skewed(1), 1, 2, &grid));
    steal_assert_devices(&kind, skewed(1), options);
    steal_assert_refused(
        &kind, two, skewed(1), grid, &options,
        "balance frontier is not built yet of breadth-first search in two dimensions");
    options.direction = WEIR_DIRECTION_PULL;
    steal_assert_refused(&kind, two, skewed(1), NULL, &options, "with direction pull none does");
    options.direction = WEIR_DIRECTION_PUSH;
    steal_assert_refused(
        &kind, two, skewed(1), NULL, &options,
        "balance frontier has no effect on breadth-first search through the worklist");
    options.direction = WEIR_DIRECTION_AUTO;
    STATUS(weir_bfs_batch_create(two, skewed(1), NULL, &options, NULL, &batch),
           WEIR_ERR_UNSUPPORTED);
    assert_detail_has("balance frontier is not built yet of breadth-first search of a batch");
    options.balance = (weir_balance)5;
    weir_bfs *bfs;
    STATUS(weir_bfs_create(two, skewed(1), NULL, &options, &bfs), WEIR_ERR_INVALID);
    assert_null(weir_balance_text((weir_balance)5));
    assert_string_equal(weir_balance_text(WEIR_BALANCE_FRONTIER), "frontier");
    assert_string_equal(weir_balance_text(WEIR_BALANCE_OWNERSHIP), "ownership");
    assert_string_equal(weir_balance_text(WEIR_BALANCE_BOTH), "both");
    weir_partition_destroy(grid);
    weir_context_destroy(two);
}

static int leave_nothing(void **state)
{
    return keep_nothing(state) | remove_folder(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STEAL_ON_EACH_COUNT(results_are_the_same),
        STEAL_ON_EACH_COUNT(hubs_are_read_from_copies),
        STEAL_ON_EACH_COUNT(all_of_it_may_be_copies),
        ON_BACKEND(every_step_of_placing_copies_may_fail, "host:2"),
        STEAL_ON_SOME(many_runs),
        STEAL_ON_EACH_COUNT(a_skewed_cut_is_shared_out),
        ON_BACKEND(thresholds, "host:2"),
        ON_BACKEND(thresholds, "host:8"),
        ON_BACKEND(thresholds, "cuda:0-1"),
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test(the_machine_says_what_work_takes),
        cmocka_unit_test(short_rows_are_shared_out),
#endif
        ON_BACKEND(nothing_without_it, "host:3"),
        ON_BACKEND(nothing_without_it, "cuda:0-1"),
        ON_BACKEND(a_stop_ends_a_run, "host:2"),
        ON_BACKEND(a_stop_ends_a_run, "host:2x3"),
        ON_BACKEND(a_stop_ends_a_run, "cuda:0-1"),
        ON_BACKEND(devices_that_own_nothing, "host:3"),
        ON_BACKEND(devices_that_own_nothing, "host:8"),
        ON_BACKEND(devices_that_own_nothing, "cuda:0-1"),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests_name("bfs steal", tests, make_folder, leave_nothing);
}
