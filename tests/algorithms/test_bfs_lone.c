/** @file test_bfs_lone.c  BFS whose narrow levels one device does for all (balance ownership and both): levels against the serial reference
 * and trees by their rules however often ownership moves; that it does, when it does not, which device it is, what ends a run meanwhile. */
#include "tests/algorithms/bfs_step_fixture.h"
#include "tests/lib/share.h"

#include <string.h>

#define ON_EACH_COUNT(f)                                                               \
    ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"), ON_BACKEND(f, "host:4"),         \
        ON_BACKEND(f, "host:8"), ON_BACKEND(f, "host:2x3"), ON_BACKEND(f, "cuda:0-1"), \
        ON_BACKEND(f, "cuda:0-3")

/* Every level is narrow; those of a few dozen vertices are; none of two vertices is. */
static const char *const always[] = {"steal_entries=1000000", "steal_arcs=1", "steal_percent=100",
                                     NULL};
static const char *const few[] = {"steal_entries=40", "steal_arcs=1", "steal_percent=100", NULL};
static const char *const never[] = {"steal_entries=1", NULL};
static const char *const measured[] = {NULL};
static const char *const *const settings[] = {always, few, never, measured};

#ifdef __SANITIZE_THREAD__
#define BEADS 6
#else
#define BEADS 12
#endif
#define THREAD 30  /* vertices of a chain between two beads */
#define BEAD   200 /* vertices of a level of a bead */
#define CHAIN  600

/* Narrow and wide by turns: chains between beads, each of which is a hub, BEAD leaves, and BEAD more. */
static const weir_graph *beads(void)
{
    const weir_graph *graph = graph_kept("beads", 1);
    struct list list = {NULL, NULL, 0, 0};
    uint64_t at = 0;
    if (graph)
        return graph;
    for (int bead = 0; bead < BEADS; bead++) {
        for (int i = 0; i < THREAD; i++, at++)
            both(&list, at, at + 1);
        const uint64_t end = at + 2 * BEAD + 1;
        for (uint64_t i = 1; i <= BEAD; i++) {
            both(&list, at, at + i);
            both(&list, at + i, at + BEAD + i);
            both(&list, at + BEAD + i, end);
        }
        at = end;
    }
    return keep_graph("beads", 1, made(&list, at + 1));
}

/* A chain that leads into an R-MAT graph: narrow first, and wide later. */
static const weir_graph *chain_into_rmat(void)
{
    const weir_graph *graph = graph_kept("chain into rmat", 1), *rmat = graph_of("rmat:11", 1);
    struct list list = {NULL, NULL, 0, 0};
    uint64_t most = 0;
    if (graph)
        return graph;
    for (uint64_t v = 0; v < rmat->vertices; v++) {
        const uint64_t degree = rmat->offsets[v + 1] - rmat->offsets[v];
        most = degree > rmat->offsets[most + 1] - rmat->offsets[most] ? v : most;
        for (uint64_t i = rmat->offsets[v]; i < rmat->offsets[v + 1]; i++)
            arc(&list, CHAIN + v, CHAIN + rmat->targets[i]);
    }
    for (uint64_t v = 1; v < CHAIN; v++)
        both(&list, v - 1, v);
    both(&list, CHAIN - 1, CHAIN + most);
    return keep_graph("chain into rmat", 1, made(&list, CHAIN + rmat->vertices));
}

/* A row of many pieces, found by way of a chain. */
static const weir_graph *hub(void)
{
    const weir_graph *graph = graph_kept("hub", 1);
    struct list list = {NULL, NULL, 0, 0};
    if (graph)
        return graph;
    for (uint64_t v = 1; v <= 10; v++)
        both(&list, v - 1, v);
    for (uint64_t v = 11; v < 3000; v++)
        both(&list, 10, v);
    for (uint64_t v = 3000; v < 3050; v++)
        both(&list, v - 1, v);
    return keep_graph("hub", 1, made(&list, 3050));
}

/* A chain to a hub of 3000 leaves, each of which leads to two of `rest` more: the level of the leaves is wide, and which way the next one
 * goes depends on how many arcs seem to be left, of which most lie behind those. */
static const weir_graph *chain_into_leaves(uint64_t rest)
{
    enum { HUB = 2500, LEAVES = 3000, BEHIND = 4 };
    const uint64_t first = HUB + 1 + LEAVES;
    char name[32];
    struct list list = {NULL, NULL, 0, 0};
    snprintf(name, sizeof name, "leaves %llu", (unsigned long long)rest);
    const weir_graph *graph = graph_kept(name, 1);
    if (graph)
        return graph;
    for (uint64_t v = 1; v <= HUB; v++)
        both(&list, v - 1, v);
    for (uint64_t i = 0; i < LEAVES; i++) {
        both(&list, HUB, HUB + 1 + i);
        for (uint64_t j = 0; j < 2; j++)
            both(&list, HUB + 1 + i, first + (2 * i + j) % rest);
    }
    for (uint64_t i = 0; i < BEHIND * rest; i++) /* so that more is left than the leaves reach */
        both(&list, first + i / BEHIND, first + rest + i);
    return keep_graph(name, 1, made(&list, first + (1 + BEHIND) * rest));
}

static weir_run_options lone(weir_balance balance, weir_direction direction, int parents)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.balance = balance;
    options.direction = direction;
    options.parents = parents;
    return options;
}

static uint64_t for_others(const weir_bfs *bfs, uint32_t parts)
{
    uint64_t sum = 0, arcs;
    for (uint32_t i = 0; i < parts; i++)
        for (uint32_t j = 0; j < parts; j++) {
            OK(weir_bfs_stolen(bfs, i, j, &arcs));
            sum += i != j ? arcs : 0;
        }
    return sum;
}

static void assert_lone(const weir_bfs *bfs, uint32_t parts, const weir_run_stats *stats)
{
    assert_int_equal(stats->lone_levels != 0, stats->lone_moves != 0);
    assert_true(stats->lone_levels <= stats->steps);
    assert_true(stats->lone_arcs <= stats->work.atoms);
    assert_true(stats->lone_device < parts);
    assert_true(stats->lone_entries >= 1 && stats->lone_entries < 1u << 24);
    assert_int_equal(for_others(bfs, parts), stats->stolen_arcs);
    assert_true(stats->lone_moves || stats->lone_bytes == 0);
    assert_true(stats->stall_before > -1e-9 && stats->stall_after > -1e-9);
    if (stats->balance == WEIR_BALANCE_OWNERSHIP)
        assert_int_equal(stats->stolen_levels, 0);
}

static weir_run_stats searched(weir_bfs *bfs, const weir_graph *graph, uint32_t parts,
                               const weir_run_options *options, uint64_t source)
{
    const weir_run_stats stats = assert_bfs(bfs, graph, parts, options, source);
    assert_lone(bfs, parts, &stats);
    return stats;
}

static weir_run_stats once(void **state, const char *const *tunables, const weir_graph *graph,
                           weir_balance balance, uint64_t source)
{
    weir_context *context = open_with_or_skip(*state, tunables);
    const uint32_t parts = weir_context_device_count(context);
    const weir_run_options options = lone(balance, WEIR_DIRECTION_DOWN, 0);
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_BLOCK, parts, &options);
    const weir_run_stats stats = searched(bfs, graph, parts, &options, source);
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
    return stats;
}

/* ---- results ------------------------------------------------------------------------------------ */

static void results_are_the_same(void **state)
{
    const weir_graph *graphs[] = {beads(),
                                  chain_into_rmat(),
                                  hub(),
                                  graph_of("grid:41x37", 0),
                                  graph_of("grid:900x1", 0),
                                  graph_of("rmat:10", 0)};
    uint64_t levels = 0, shared = 0;
    for (int s = 0; s < 4; s++) {
        weir_context *context = open_with_or_skip(*state, settings[s]);
        const uint32_t parts = weir_context_device_count(context);
        for (uint32_t i = 0; i < 6 * 4; i += (uint32_t)test_stride()) {
            const weir_graph *graph = graphs[i / 4];
            const weir_run_options options =
                lone(i / 2 % 2 ? WEIR_BALANCE_BOTH : WEIR_BALANCE_OWNERSHIP,
                     i % 2 ? WEIR_DIRECTION_DOWN : WEIR_DIRECTION_SWITCH, (int)(i + i / 4) % 2);
            weir_bfs *bfs = placed(context, graph, (weir_partition_kind)(i % 3), parts, &options);
            for (uint64_t source = 0; source < graph->vertices; source += graph->vertices / 2 + 1) {
                const weir_run_stats stats = searched(bfs, graph, parts, &options, source);
                levels += stats.lone_levels;
                shared += stats.stolen_levels;
            }
            weir_bfs_destroy(bfs);
        }
        weir_context_destroy(context);
    }
    assert_true(levels > 1000 / (uint64_t)test_stride() && shared > 0);
}

/* Behind narrow levels all devices know the same of what is left, and so choose the same direction, wherever the bound between the two lies. */
static void all_choose_the_same_direction(void **state)
{
    weir_context *context = open_with_or_skip(*state, few);
    const uint32_t parts = weir_context_device_count(context);
    uint64_t least = UINT64_MAX, most = 0; /* levels bottom-up */
    for (uint64_t rest = 100; rest <= 6000; rest += rest / 4) {
        const weir_graph *graph = chain_into_leaves(rest);
        weir_run_options options = lone(WEIR_BALANCE_OWNERSHIP, WEIR_DIRECTION_SWITCH, 0);
        options.time_limit_ms = 20000; /* devices that did not would wait for each other for ever */
        weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_EDGE, parts, &options);
        const weir_run_stats stats = searched(bfs, graph, parts, &options, 0);
        assert_true(stats.lone_levels > 2400);
        least = stats.phase[1].steps < least ? stats.phase[1].steps : least;
        most = stats.phase[1].steps > most ? stats.phase[1].steps : most;
        weir_bfs_destroy(bfs);
    }
    assert_true(least < most); /* the bound was among them */
    weir_context_destroy(context);
}

/* A run does not depend on those before it. */
static void many_runs(void **state)
{
    weir_context *context = open_with_or_skip(*state, few);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graph = beads();
    const weir_run_options options = lone(WEIR_BALANCE_BOTH, WEIR_DIRECTION_DOWN, 1);
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_EDGE, parts, &options);
    for (uint64_t i = 0; i < 10; i++)
        searched(bfs, graph, parts, &options, i * i * 97 % graph->vertices);
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

/* ---- when --------------------------------------------------------------------------------------- */

/* All but the first levels are done by one device. */
static void narrow_levels_are_one_devices(void **state)
{
    const weir_graph *graph = graph_of("grid:900x1", 0);
    const weir_run_stats with = once(state, always, graph, WEIR_BALANCE_OWNERSHIP, 450);
    const weir_run_stats none = once(state, never, graph, WEIR_BALANCE_OWNERSHIP, 450);
    assert_int_equal(with.lone_moves, 1);
    assert_true(with.lone_levels + 6 >= with.steps);
    assert_true(with.phase[0].steps <= 12);
    assert_true(with.work.sent <= 8);
    assert_true(with.lone_arcs + 20 >= with.work.atoms);
    assert_int_equal(none.lone_levels, 0);
    assert_int_equal(none.lone_moves, 0);
    assert_int_equal(none.lone_arcs, 0);
    assert_int_equal(none.lone_bytes, 0);
    assert_true(none.phase[0].steps >= none.steps);
}

/* Ownership moves back where levels get wide, and again where they are narrow. */
static void ownership_moves_to_and_fro(void **state)
{
    const weir_run_stats stats = once(state, few, beads(), WEIR_BALANCE_OWNERSHIP, 0);
    assert_int_equal(stats.lone_moves, BEADS);
    /* The last levels of a bead and the first of a chain are those of all, until it is seen that they are narrow. */
    assert_true(stats.lone_levels >= BEADS * (THREAD - 10));
    assert_true(stats.lone_levels <= BEADS * (THREAD + 2));
}

/* What is narrow first and wide later is done by one device first, and by all later. */
static void narrow_first_and_wide_later(void **state)
{
    const weir_graph *graph = chain_into_rmat();
    const weir_run_stats stats = once(state, few, graph, WEIR_BALANCE_BOTH, 0);
    assert_true(stats.lone_levels >= CHAIN - 8);
    assert_true(stats.lone_arcs < graph->arcs / 2);
    assert_true(stats.phase[0].steps >= 2);
    assert_true(stats.work.sent > 0);
}

/* Without a setting it is found while running, from a beginning that is written down. */
static void what_is_narrow_is_measured(void **state)
{
    const weir_graph *graph = graph_of("grid:900x1", 0);
    const weir_run_stats stats = once(state, measured, graph, WEIR_BALANCE_OWNERSHIP, 0);
    assert_true(stats.lone_levels + 6 >= stats.steps);
    assert_true(stats.together_ns > 0);
    const weir_run_stats fixed = once(state, few, graph, WEIR_BALANCE_OWNERSHIP, 0);
    assert_int_equal(fixed.lone_entries, 40);
}

static void nothing_without_it(void **state)
{
    weir_context *context = open_with_or_skip(*state, always);
    const uint32_t parts = weir_context_device_count(context);
    for (int i = 0; i < 2; i++) {
        const weir_run_options options =
            lone(i ? WEIR_BALANCE_FRONTIER : WEIR_BALANCE_OFF, WEIR_DIRECTION_DOWN, 0);
        weir_bfs *bfs = placed(context, beads(), WEIR_PARTITION_BLOCK, parts, &options);
        const weir_run_stats stats = assert_bfs(bfs, beads(), parts, &options, 0);
        assert_true(stats.lone_levels == 0 && stats.lone_moves == 0 && stats.lone_arcs == 0);
        assert_true(stats.lone_bytes == 0 && stats.lone_entries == 0 && stats.together_ns == 0);
        weir_bfs_destroy(bfs);
    }
    weir_context_destroy(context);
}

/* The device that is left when the others have left in the order of the reduction tree: one of the two that the widest link joins. */
static void the_machine_says_which(void **state)
{
    char setting[128];
    const char *path = in_folder("three.json");
    FILE *file = fopen(path, "w");
    (void)state;
    assert_non_null(file);
    fprintf(file, "{\"schema\": 1, \"kind\": \"machine\", \"name\": \"three\", \"devices\": ["
                  "{\"label\": \"a\"}, {\"label\": \"b\"}, {\"label\": \"c\"}], "
                  "\"hosts\": [{\"label\": \"numa0\"}], \"hops\": ["
                  "{\"kind\": \"memory\", \"a\": \"a\", \"b\": \"numa0\", \"bandwidth_gbs\": 10}, "
                  "{\"kind\": \"memory\", \"a\": \"b\", \"b\": \"numa0\", \"bandwidth_gbs\": 10}, "
                  "{\"kind\": \"memory\", \"a\": \"c\", \"b\": \"numa0\", \"bandwidth_gbs\": 10}], "
                  "\"pairs\": [");
    for (int from = 0; from < 3; from++)
        for (int to = 0; to < 3; to++)
            if (from != to)
                fprintf(file,
                        "%s{\"from\": \"%c\", \"to\": \"%c\", \"reaches\": true, \"atomics\": "
                        "true, \"bandwidth_gbs\": %d}",
                        from || to > 1 ? ", " : "", 'a' + from, 'a' + to, from && to ? 50 : 5);
    fprintf(file, "]}\n");
    assert_int_equal(fclose(file), 0);
    snprintf(setting, sizeof setting, "machine=%s", path);
    void *spec = (void *)(uintptr_t) "host:3";
    const weir_run_stats stats =
        once(&spec, (const char *[]){"steal_entries=1000000", setting, NULL},
             graph_of("grid:900x1", 0), WEIR_BALANCE_OWNERSHIP, 0);
    assert_int_equal(stats.lone_device, 1);
    assert_true(stats.lone_levels > 800);
    const weir_run_stats alike =
        once(&spec, always, graph_of("grid:900x1", 0), WEIR_BALANCE_OWNERSHIP, 0);
    assert_int_equal(alike.lone_device, 0);
}

/* ---- auto --------------------------------------------------------------------------------------- */

/* What balance auto becomes, before a run and in it, with a reason where it is something; the levels are right in any case. */
static weir_balance picked(weir_context *context, const weir_graph *graph,
                           const weir_run_options *options)
{
    const uint32_t parts = weir_context_device_count(context);
    weir_run_stats before = WEIR_RUN_STATS_INIT;
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_RANDOM, parts, options);
    OK(weir_bfs_explain(bfs, &before, &reasons));
    weir_run_options ran = *options;
    ran.direction = before.direction;
    const weir_run_stats stats = assert_bfs(bfs, graph, parts, &ran, graph->vertices / 2);
    assert_int_equal(stats.balance, before.balance);
    assert_int_equal(reasons.why_balance != NULL, before.balance != WEIR_BALANCE_OFF);
    assert_int_equal(stats.lone_levels != 0, before.balance != WEIR_BALANCE_OFF);
    weir_bfs_destroy(bfs);
    return before.balance;
}

static weir_balance picked_with(weir_context *context, const weir_graph *graph,
                                weir_direction direction, weir_memory memory, weir_wire wire)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    assert_int_equal(options.balance, WEIR_BALANCE_AUTO);
    options.direction = direction;
    options.memory = memory;
    options.wire = wire;
    return picked(context, graph, &options);
}

/* Levels by one device on several GPUs, of graphs of narrow levels of which a copy fits; else each device does what it owns. */
static void auto_is_for_narrow_levels_on_gpus(void **state)
{
    weir_context *context = open_or_skip(state);
    const int gpu = strncmp(*state, "cuda", 4) == 0;
    const weir_balance narrow = gpu ? WEIR_BALANCE_OWNERSHIP : WEIR_BALANCE_OFF;
    const weir_graph *road = graph_of("grid:200x40,0.9", 0), *wide = graph_of("rmat:11", 1);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.direction =
        WEIR_DIRECTION_SWITCH; /* else the worklist takes it, of which see test_lone.c */
    assert_int_equal(picked(context, road, &options), narrow);
    options.parents = 1;
    assert_int_equal(picked(context, road, &options), narrow);
    assert_int_equal(picked(context, wide, &options), WEIR_BALANCE_OFF);
    assert_int_equal(picked_with(context, road, WEIR_DIRECTION_DOWN, WEIR_MEMORY_AUTO, 0), narrow);
    assert_int_equal(
        picked_with(context, road, WEIR_DIRECTION_DOWN, WEIR_MEMORY_AUTO, WEIR_WIRE_BITMAP),
        WEIR_BALANCE_OFF);
    assert_int_equal(picked_with(context, road, WEIR_DIRECTION_PULL, WEIR_MEMORY_AUTO, 0),
                     WEIR_BALANCE_OFF);
    assert_int_equal(picked_with(context, road, WEIR_DIRECTION_SWITCH, WEIR_MEMORY_HOST, 0),
                     WEIR_BALANCE_OFF);
    weir_context_destroy(context);
}

/* A copy is made where it takes a quarter of what a device has left, and no more. */
static void auto_leaves_room(void **state)
{
    static const char *const tight[] = {"pool_bytes=20000000", NULL};
    weir_context *context = open_with_or_skip(*state, tight);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.direction = WEIR_DIRECTION_SWITCH;
    assert_int_equal(picked(context, graph_of("grid:400x300,0.9", 0), &options), WEIR_BALANCE_OFF);
    assert_int_equal(picked(context, graph_of("grid:400x100,0.9", 0), &options),
                     WEIR_BALANCE_OWNERSHIP);
    weir_context_destroy(context);
}

/* ---- ends --------------------------------------------------------------------------------------- */

/* While the others sleep. */
static void a_stop_ends_a_run(void **state)
{
    weir_context *context = open_with_or_skip(*state, always);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graph = graph_of("grid:150000x1", 0);
    weir_run_options options = lone(WEIR_BALANCE_OWNERSHIP, WEIR_DIRECTION_DOWN, 0);
    weir_bfs *bfs = placed(context, graph, WEIR_PARTITION_BLOCK, parts, &options);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    OK(weir_bfs_run(bfs, 0, &stats));
    assert_true(stats.lone_levels > 149000); /* nearly all the time one device is alone */
    assert_cancel_ends(bfs);
    weir_bfs_destroy(bfs);
    options.time_limit_ms = 1;
    bfs = placed(context, graph, WEIR_PARTITION_BLOCK, parts, &options);
    STATUS(weir_bfs_run(bfs, 0, NULL), WEIR_ERR_TIMEOUT);
    assert_detail("bfs_steal: the time limit of 1 ms is over");
    weir_bfs_destroy(bfs);
    weir_context_destroy(context);
}

/* Devices that own nothing take part, and one of them may be the one that does all. */
static void devices_that_own_nothing(void **state)
{
    weir_context *context = open_with_or_skip(*state, always);
    const uint32_t parts = weir_context_device_count(context);
    const weir_graph *graph = graph_of("grid:900x1", 0);
    const weir_run_options options = lone(WEIR_BALANCE_BOTH, WEIR_DIRECTION_DOWN, 1);
    for (uint32_t owner = 0; owner < parts; owner++) {
        weir_partition *partition;
        weir_bfs *bfs;
        OK(weir_partition_create(graph, WEIR_PARTITION_BLOCK, parts, 1, NULL, &partition));
        memset((uint8_t *)(uintptr_t)partition->owner, (int)owner, graph->vertices);
        OK(weir_bfs_create(context, graph, partition, &options, &bfs));
        const weir_run_stats stats = searched(bfs, graph, parts, &options, 450);
        assert_true(stats.lone_levels > 400);
        weir_bfs_destroy(bfs);
        weir_partition_destroy(partition);
    }
    weir_context_destroy(context);
}

static int leave_nothing(void **state)
{
    return keep_nothing(state) | remove_folder(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_COUNT(results_are_the_same),
        ON_EACH_COUNT(all_choose_the_same_direction),
        ON_BACKEND(many_runs, "host:2"),
        ON_BACKEND(many_runs, "host:2x3"),
        ON_BACKEND(many_runs, "cuda:0-1"),
        ON_EACH_COUNT(narrow_levels_are_one_devices),
        ON_EACH_COUNT(ownership_moves_to_and_fro),
        ON_EACH_COUNT(narrow_first_and_wide_later),
        ON_BACKEND(what_is_narrow_is_measured, "host:2"),
        ON_BACKEND(what_is_narrow_is_measured, "host:2x3"),
        ON_BACKEND(what_is_narrow_is_measured, "cuda:0-1"),
        ON_BACKEND(nothing_without_it, "host:3"),
        ON_BACKEND(nothing_without_it, "cuda:0-1"),
        cmocka_unit_test(the_machine_says_which),
        ON_BACKEND(auto_is_for_narrow_levels_on_gpus, "host:2"),
        ON_BACKEND(auto_is_for_narrow_levels_on_gpus, "cuda:0-1"),
        ON_BACKEND(auto_is_for_narrow_levels_on_gpus, "cuda:0-3"),
        ON_BACKEND(auto_leaves_room, "cuda:0-1"),
        ON_BACKEND(a_stop_ends_a_run, "host:2"),
        ON_BACKEND(a_stop_ends_a_run, "host:2x3"),
        ON_BACKEND(a_stop_ends_a_run, "cuda:0-1"),
        ON_BACKEND(devices_that_own_nothing, "host:3"),
        ON_BACKEND(devices_that_own_nothing, "host:8"),
        ON_BACKEND(devices_that_own_nothing, "cuda:0-1"),
    };
    return cmocka_run_group_tests_name("bfs lone", tests, make_folder, leave_nothing);
}
