/** @file test_bfs_wire.c  BFS in step in one dimension whose finds go as lists or bitmaps: the same levels, and of each device, pair and level
 * the very bytes that a count of the graph says: 4 a vertex, or a bit for each of the receiver's stretch, whichever was asked for or is
 * shorter. */
#include "tests/algorithms/bfs_step_fixture.h"
#include "tests/lib/share.h"

/* ThreadSanitizer is slow: of many combinations it sees some. */
#ifdef __SANITIZE_THREAD__
#define STRIDE 5
#define CHAIN  "chain:600" /* what is expected is found level by level, part by part */
#else
#define STRIDE test_stride()
#define CHAIN  "chain:2500"
#endif

#define ON_SEVERAL(f)                                                                  \
    ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"), ON_BACKEND(f, "host:4"),         \
        ON_BACKEND(f, "host:5"), ON_BACKEND(f, "host:6"), ON_BACKEND(f, "host:7"),     \
        ON_BACKEND(f, "host:8"), ON_BACKEND(f, "host:2x3"), ON_BACKEND(f, "cuda:0-1"), \
        ON_BACKEND(f, "cuda:0-3")

static const weir_wire wires[] = {WEIR_WIRE_AUTO, WEIR_WIRE_BITMAP, WEIR_WIRE_LIST};
static const char *const texts[] = {"rmat:12,12", "rmat:11,4",    "grid:90x50,0.65",
                                    "star:4000",  "complete:300", "uniform:12,20",
                                    CHAIN};
enum { TEXTS = sizeof texts / sizeof *texts };

/* ---- what goes, counted apart ---------------------------------------------------------------- */

struct expected {
    uint64_t items, bytes, bitmaps;
};

/* Stretches begin at multiples of 1024, so the bitmap of one has a multiple of 32 words. */
static void find_words(const weir_partition *partition, uint64_t words[WEIR_DEVICES_MAX])
{
    uint64_t owned[WEIR_DEVICES_MAX] = {0};
    for (uint64_t v = 0; v < partition->vertices; v++)
        owned[partition->owner[v]]++;
    for (uint32_t p = 0; p < partition->parts; p++)
        words[p] = (owned[p] + 1023) / 1024 * 32;
}

/* Every level top-down: a device sends an owner what it meets of that one for the first time. */
static struct expected expect(const weir_graph *graph, const weir_partition *partition,
                              const int32_t *levels, uint64_t source, weir_wire wire)
{
    struct expected sum = {0, 0, 0};
    const uint32_t parts = partition->parts;
    uint64_t words[WEIR_DEVICES_MAX];
    int32_t deepest = 0;
    uint8_t *met = calloc(graph->vertices, 1);
    assert_non_null(met);
    find_words(partition, words);
    for (uint64_t v = 0; v < graph->vertices; v++)
        deepest = levels[v] > deepest ? levels[v] : deepest;
    for (uint32_t p = 0; p < parts; p++) {
        memset(met, 0, graph->vertices);
        met[source] = 1; /* all know it */
        for (int32_t level = 0; level <= deepest; level++) {
            uint64_t count[WEIR_DEVICES_MAX] = {0};
            for (uint64_t v = 0; v < graph->vertices; v++) {
                if (levels[v] != level || partition->owner[v] != p)
                    continue;
                for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
                    const uint32_t u = graph->targets[i];
                    count[partition->owner[u]] += !met[u];
                    met[u] = 1;
                }
            }
            for (uint32_t q = 0; q < parts; q++) {
                const int bitmap = count[q] && (wire == WEIR_WIRE_BITMAP ||
                                                (wire == WEIR_WIRE_AUTO && count[q] > words[q]));
                const uint64_t bytes = 4 * (bitmap ? words[q] : count[q]);
                if (q == p)
                    continue;
                sum.items += count[q];
                sum.bytes += bytes;
                sum.bitmaps += (uint64_t)bitmap;
                if (wire !=
                    WEIR_WIRE_LIST) /* the part over 8 for each receiver and level at the most */
                    assert_true(bytes <= words[q] * 32 / 8);
            }
        }
    }
    free(met);
    return sum;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* @return what was sent. */
static weir_run_stats assert_run(weir_bfs *bfs, const weir_graph *graph, uint64_t source)
{
    int32_t *have = malloc(graph->vertices * sizeof *have);
    const int32_t *want = levels_of(graph, source);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    uint64_t reached = 0, arcs = 0;
    assert_non_null(have);
    OK(weir_bfs_run(bfs, source, &stats));
    OK(weir_bfs_levels(bfs, have));
    for (uint64_t v = 0; v < graph->vertices; v++) {
        if (have[v] != want[v])
            fail_msg("%s from %llu: vertex %llu has level %d, not %d", graph->name,
                     (unsigned long long)source, (unsigned long long)v, have[v], want[v]);
        reached += want[v] >= 0;
        arcs += want[v] >= 0 ? graph->offsets[v + 1] - graph->offsets[v] : 0;
    }
    assert_int_equal(stats.reached, reached);
    assert_int_equal(stats.arcs_reached, arcs);
    assert_int_equal(items_over_links(bfs, stats.devices), stats.work.sent);
    free(have);
    return stats;
}

static void bytes_are_those_of_the_shorter(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    for (int i = 0; i < TEXTS * 3; i += STRIDE) {
        const weir_graph *graph = graph_of(texts[i / 3], i / 3 % 2);
        const weir_wire wire = wires[i % 3];
        weir_run_options options = plain_options();
        weir_partition *partition;
        weir_bfs *bfs;
        options.direction = WEIR_DIRECTION_DOWN;
        options.wire = wire;
        OK(weir_partition_create(
            graph, (weir_partition_kind)(i % 2 ? WEIR_PARTITION_RANDOM : WEIR_PARTITION_EDGE),
            parts, 1, NULL, &partition));
        OK(weir_bfs_create(context, graph, partition, &options, &bfs));
        for (uint64_t source = 0; source < graph->vertices; source += graph->vertices / 3 + 1) {
            const weir_run_stats stats = assert_run(bfs, graph, source);
            const struct expected want =
                expect(graph, partition, levels_of(graph, source), source, wire);
            assert_int_equal(stats.wire, wire);
            assert_int_equal(stats.work.sent, want.items);
            assert_int_equal(stats.bytes_sent, want.bytes);
            assert_int_equal(stats.bitmaps, wire == WEIR_WIRE_LIST ? 0 : want.bitmaps);
            assert_true(stats.work.atoms == stats.arcs_reached);
        }
        weir_bfs_destroy(bfs);
        weir_partition_destroy(partition);
    }
    weir_context_destroy(context);
}

/* Of an R-MAT graph some levels are short and some are long, so that auto sends both, and less than either. */
static void auto_is_shorter_than_either(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graph = graph_of("rmat:15,12", 1);
    uint64_t bytes[3], bitmaps = 0, sent = 0;
    for (int i = 0; i < 3; i++) {
        weir_run_options options = plain_options();
        options.direction = WEIR_DIRECTION_DOWN;
        options.wire = wires[i];
        weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_EDGE, parts, &options);
        const weir_run_stats stats = assert_run(bfs, graph, 1);
        bytes[i] = stats.bytes_sent;
        if (wires[i] == WEIR_WIRE_AUTO)
            bitmaps = stats.bitmaps;
        sent = stats.work.sent;
        weir_bfs_destroy(bfs);
    }
    assert_true(bitmaps > 0);
    assert_true(bytes[0] <= bytes[1] && 4 * bytes[0] < bytes[2]);
    assert_true(bytes[2] == 4 * sent);
    weir_context_destroy(context);
}

/* Levels bottom-up come between: what a bitmap has of what everybody knows is taken in by nobody. */
static void bitmaps_go_with_levels_bottom_up(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    for (int i = 0; i < TEXTS; i++) {
        const weir_graph *graph = graph_of(texts[i], i % 2);
        weir_run_options options = plain_options();
        options.direction = WEIR_DIRECTION_SWITCH;
        options.wire = WEIR_WIRE_BITMAP;
        weir_bfs *bfs = placed(context, graph, (weir_partition_kind)(i % 3), parts, &options);
        for (uint64_t source = 0; source < graph->vertices; source += graph->vertices / 5 + 1) {
            const weir_run_stats stats = assert_run(bfs, graph, source);
            assert_int_equal(stats.wire, WEIR_WIRE_BITMAP);
            assert_int_equal(stats.bitmaps != 0, stats.work.sent != 0);
            assert_int_equal(stats.eager, 0);
            assert_string_equal(stats.phase[3].name, "folding");
        }
        weir_bfs_destroy(bfs);
    }
    weir_context_destroy(context);
}

/* ---- trees ------------------------------------------------------------------------------------ */

/* Vertices whose parent was kept by another device: none of their own device has found them, since those come first. */
static uint64_t kept_elsewhere(const weir_graph *graph, const weir_partition *partition,
                               const int32_t *levels)
{
    uint64_t count = 0;
    uint8_t *here = calloc(graph->vertices, 1);
    assert_non_null(here);
    for (uint64_t v = 0; v < graph->vertices; v++)
        for (uint64_t i = graph->offsets[v]; levels[v] >= 0 && i < graph->offsets[v + 1]; i++) {
            const uint32_t u = graph->targets[i];
            here[u] |= levels[u] == levels[v] + 1 && partition->owner[u] == partition->owner[v];
        }
    for (uint64_t v = 0; v < graph->vertices; v++)
        count += levels[v] > 0 && !here[v];
    free(here);
    return count;
}

/* A tree costs nothing on the way, and 4 bytes in the end for each vertex whose parent another device kept. */
static void parents_stay_with_who_found_them(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    for (int i = 0; i < TEXTS * 4; i += 3 * STRIDE) {
        const weir_graph *graph = graph_of(texts[i / 4], i % 2);
        const int down = i % 4 < 2;
        weir_run_options options = plain_options();
        weir_partition *partition;
        weir_bfs *bfs;
        int64_t *parents = malloc(graph->vertices * sizeof *parents);
        assert_non_null(parents);
        options.direction = down ? WEIR_DIRECTION_DOWN : WEIR_DIRECTION_SWITCH;
        options.wire = i % 4 ? WEIR_WIRE_BITMAP : WEIR_WIRE_AUTO;
        options.parents = 1;
        OK(weir_partition_create(graph, (weir_partition_kind)(i % 3), parts, 1, NULL, &partition));
        OK(weir_bfs_create(context, graph, partition, &options, &bfs));
        for (uint64_t source = 0; source < graph->vertices; source += graph->vertices / 4 + 1) {
            const weir_run_stats stats = assert_run(bfs, graph, source);
            const int32_t *levels = levels_of(graph, source);
            OK(weir_bfs_parents(bfs, parents));
            OK(weir_bfs_tree_check(graph, source, parents, levels));
            if (down)
                assert_int_equal(stats.bytes_sent,
                                 expect(graph, partition, levels, source, options.wire).bytes +
                                     4 * kept_elsewhere(graph, partition, levels));
        }
        weir_bfs_destroy(bfs);
        weir_partition_destroy(partition);
        free(parents);
    }
    weir_context_destroy(context);
}

/* ---- choices and refusals -------------------------------------------------------------------- */

static weir_wire picked(weir_context *context, const weir_graph *graph, uint32_t parts,
                        const weir_run_options *options)
{
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_EDGE, parts, options);
    OK(weir_bfs_explain(bfs, &stats, NULL));
    weir_bfs_destroy(bfs);
    return stats.wire;
}

static void auto_is_for_levels_that_go_down(void **state)
{
    (void)state;
    weir_context *context = open_or_skip(&(void *){(void *)(uintptr_t) "host:3"});
    const weir_graph *graph = graph_of("rmat:9,8", 1);
    weir_run_options options = plain_options();
    assert_int_equal(picked(context, graph, 3, &options), WEIR_WIRE_LIST);
    options.direction = WEIR_DIRECTION_DOWN;
    assert_int_equal(picked(context, graph, 3, &options), WEIR_WIRE_AUTO);
    assert_int_equal(picked(context, graph, 1, &options), WEIR_WIRE_LIST);
    options.parents = 1;
    assert_int_equal(picked(context, graph, 3, &options), WEIR_WIRE_AUTO);
    options.parents = 0;
    options.balance = WEIR_BALANCE_FRONTIER;
    assert_int_equal(picked(context, graph, 3, &options), WEIR_WIRE_LIST);
    options.balance = WEIR_BALANCE_OFF;
    options.wire = WEIR_WIRE_LIST;
    assert_int_equal(picked(context, graph, 3, &options), WEIR_WIRE_LIST);
    options.direction = WEIR_DIRECTION_AUTO;
    options.wire = WEIR_WIRE_BITMAP; /* which one form alone has */
    assert_int_equal(picked(context, graph, 3, &options), WEIR_WIRE_BITMAP);
    options.direction = WEIR_DIRECTION_PUSH;
    options.wire = WEIR_WIRE_AUTO;
    assert_int_equal(picked(context, graph, 3, &options), WEIR_WIRE_LIST);
    weir_context_destroy(context);
}

static void refuse(weir_context *context, uint32_t parts, const weir_run_options *options,
                   const char *detail)
{
    const weir_graph *graph = graph_of("rmat:9,8", 1);
    weir_partition *partition;
    weir_bfs *bfs;
    OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, parts, 1, NULL, &partition));
    STATUS(weir_bfs_create(context, graph, partition, options, &bfs), WEIR_ERR_UNSUPPORTED);
    assert_null(bfs);
    assert_detail_has(detail);
    weir_partition_destroy(partition);
}

static void what_bitmaps_do_not_go_with_is_refused(void **state)
{
    (void)state;
    weir_context *context = open_or_skip(&(void *){(void *)(uintptr_t) "host:3"});
    weir_run_options options = plain_options();
    options.wire = WEIR_WIRE_BITMAP;
    refuse(context, 1, &options, "wire bitmap is of what devices send each other");
    options.direction = WEIR_DIRECTION_PULL;
    refuse(context, 3, &options, "wire bitmap is of levels that go top-down");
    options.direction = WEIR_DIRECTION_PUSH;
    refuse(context, 3, &options,
           "wire bitmap has no effect on breadth-first search through the worklist");
    options.direction = WEIR_DIRECTION_SWITCH;
    options.balance = WEIR_BALANCE_FRONTIER;
    refuse(context, 3, &options, "wire bitmap does not go with balance frontier");
    options.balance = WEIR_BALANCE_OWNERSHIP;
    refuse(context, 3, &options, "wire bitmap does not go with balance ownership");
    weir_context_destroy(context);
}

/* Inboxes of bitmaps are a 32nd of those of lists: the same runs in less memory. */
static void bitmaps_take_less_memory(void **state)
{
    (void)state;
    uint64_t used[2];
    const weir_graph *graph = graph_of("rmat:15,12", 1);
    for (int i = 0; i < 2; i++) {
        weir_context *context = open_or_skip(&(void *){(void *)(uintptr_t) "host:4"});
        weir_run_options options = plain_options();
        weir_pool_stats pool = WEIR_POOL_STATS_INIT;
        options.direction = WEIR_DIRECTION_DOWN;
        options.wire = i ? WEIR_WIRE_AUTO : WEIR_WIRE_LIST;
        weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_EDGE, 4, &options);
        OK(weir_device_pool_stats(weir_context_device(context, 0), &pool));
        used[i] = pool.used_bytes;
        weir_bfs_destroy(bfs);
        weir_context_destroy(context);
    }
    /* Three inboxes for 2^13 vertices, 4 bytes each, less a 32nd, less what is kept for others. */
    assert_true(used[0] > used[1] + 3 * 4 * 8192 / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_SEVERAL(bytes_are_those_of_the_shorter),
        ON_SEVERAL(auto_is_shorter_than_either),
        ON_SEVERAL(bitmaps_go_with_levels_bottom_up),
        ON_SEVERAL(parents_stay_with_who_found_them),
        cmocka_unit_test(auto_is_for_levels_that_go_down),
        cmocka_unit_test(what_bitmaps_do_not_go_with_is_refused),
        cmocka_unit_test(bitmaps_take_less_memory),
    };
    return cmocka_run_group_tests_name("bfs wire", tests, NULL, keep_nothing);
}
