/** @file bfs_step_fixture.h  What the tests of BFS in step share: graphs and their levels, each made once for
 * all tests of a program; one search, with all that can be looked at behind it. */
#ifndef WEIR_TESTS_ALGORITHMS_BFS_STEP_FIXTURE_H
#define WEIR_TESTS_ALGORITHMS_BFS_STEP_FIXTURE_H

#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

#include <pthread.h>

#define ON_EACH_SPEC(f)                                                              \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"),       \
        ON_BACKEND(f, "host:4"), ON_BACKEND(f, "host:8"), ON_BACKEND(f, "host:2x3"), \
        ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0-3")

static const weir_direction in_step[] = {WEIR_DIRECTION_SWITCH, WEIR_DIRECTION_PULL};

/* ---- graphs --------------------------------------------------------------------------------- */

struct list {
    uint32_t *source, *target;
    uint64_t count, room;
};

static inline void arc(struct list *list, uint64_t from, uint64_t to)
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

static inline void both(struct list *list, uint64_t a, uint64_t b)
{
    arc(list, a, b);
    arc(list, b, a);
}

static inline weir_graph *made(struct list *list, uint64_t vertices)
{
    weir_graph *graph;
    OK(weir_graph_from_arcs(vertices, list->count, list->source, list->target, NULL, NULL, &graph));
    free(list->source);
    free(list->target);
    return graph;
}

/* What is kept until the program ends: graphs by their text, levels by graph and source. */
struct keep {
    struct keep *next;
    char text[128];
    int undirected;
    weir_graph *graph;
    uint64_t source;
    int32_t *levels; /* NULL: a graph */
};
static struct keep *kept;

static inline struct keep *keep_new(void)
{
    struct keep *keep = calloc(1, sizeof *keep);
    assert_non_null(keep);
    keep->next = kept;
    return kept = keep;
}

static inline int keep_nothing(void **state)
{
    for (struct keep *next; kept; kept = next) {
        next = kept->next;
        if (!kept->levels)
            weir_graph_destroy(kept->graph);
        free(kept->levels);
        free(kept);
    }
    return *folder ? remove_folder(state) : 0;
}

static inline const weir_graph *keep_graph(const char *name, int undirected, weir_graph *graph)
{
    struct keep *keep = keep_new();
    snprintf(keep->text, sizeof keep->text, "%s", name);
    keep->undirected = undirected;
    return keep->graph = graph;
}

/* NULL: it was not made yet. */
static inline const weir_graph *graph_kept(const char *name, int undirected)
{
    for (const struct keep *keep = kept; keep; keep = keep->next)
        if (!keep->levels && !strcmp(keep->text, name) && keep->undirected == undirected)
            return keep->graph;
    return NULL;
}

static inline const weir_graph *graph_of(const char *text, int undirected)
{
    const weir_graph *graph = graph_kept(text, undirected);
    return graph ? graph : keep_graph(text, undirected, open_graph(text, undirected));
}

/* The serial reference's; of a graph that is kept. */
static inline const int32_t *levels_of(const weir_graph *graph, uint64_t source)
{
    for (const struct keep *keep = kept; keep; keep = keep->next)
        if (keep->levels && keep->graph == graph && keep->source == source)
            return keep->levels;
    struct keep *keep = keep_new();
    keep->graph = (weir_graph *)(uintptr_t)graph;
    keep->source = source;
    keep->levels = malloc(graph->vertices * sizeof *keep->levels);
    assert_non_null(keep->levels);
    OK(weir_bfs_reference(graph, source, keep->levels));
    return keep->levels;
}

/* ---- one run -------------------------------------------------------------------------------- */

static inline weir_bfs *placed(weir_context *context, const weir_graph *graph,
                               weir_partition_kind kind, uint32_t parts,
                               const weir_run_options *options)
{
    weir_partition *partition;
    weir_bfs *bfs;
    OK(weir_partition_create(graph, kind, parts, 1, NULL, &partition));
    OK(weir_bfs_create(context, graph, partition, options, &bfs));
    weir_partition_destroy(partition);
    return bfs;
}

/* Targets of a row ascend. */
static inline int is_arc(const weir_graph *graph, uint64_t from, uint64_t to)
{
    uint64_t low = graph->offsets[from], high = graph->offsets[from + 1];
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (graph->targets[middle] == to)
            return 1;
        if (graph->targets[middle] < to)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static inline void assert_tree(weir_bfs *bfs, const weir_graph *graph, uint64_t source,
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

static inline uint64_t items_over_links(const weir_bfs *bfs, uint32_t devices)
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

static inline void assert_phases(const weir_run_stats *stats)
{
    const int folds = stats->wire != WEIR_WIRE_LIST;
    const char *const names[] = {"top-down", "bottom-up", "switching",
                                 folds ? "folding" : "sharing out", "by one device"};
    const int its = stats->balance ? 5 : folds ? 4 : 3;
    uint64_t steps = 0;
    double ms = 0;
    for (int i = 0; i < WEIR_RUN_PHASES; i++) {
        if (i >= its) {
            assert_null(stats->phase[i].name);
            continue;
        }
        assert_string_equal(stats->phase[i].name, names[i]);
        if (stats->phase[i].steps == 0)
            assert_true(stats->phase[i].ms == 0);
        steps += stats->phase[i].steps;
        ms += stats->phase[i].ms;
    }
    assert_true(ms <= stats->kernel_ms * stats->devices + 1);
    assert_int_equal(stats->work.rounds, steps * stats->devices);
    /* A level may take a step more on several devices, and there are steps between the ways. */
    assert_true(stats->phase[0].steps + stats->phase[1].steps + stats->lone_levels >= stats->steps);
    assert_true(stats->phase[0].steps + stats->phase[1].steps <= 2 * stats->steps);
    if (stats->direction == WEIR_DIRECTION_PULL)
        assert_true(stats->phase[0].steps == 0 && stats->phase[2].steps == 0);
    if (folds)
        assert_true(stats->phase[3].steps <= stats->steps);
    else
        assert_int_equal(its == 5 ? stats->phase[3].steps : 0, 2 * stats->stolen_levels);
    /* Levels, and what ownership moves by; before the last step of a move the others wait. */
    assert_int_equal(its == 5 ? stats->phase[4].steps : 0,
                     stats->lone_levels + 4 * stats->lone_moves);
}

static inline void assert_stats(const weir_graph *graph, uint32_t parts, const int32_t *levels,
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
    assert_true(stats->kernel_ms > 0 && stats->ms >= stats->kernel_ms);
    /* Levels that found something, and the one that did not. */
    assert_int_equal(stats->steps, deepest + 1);
    assert_phases(stats);
    /* Bottom-up looks at an arc once in each level at the most; top-down once, but for a vertex that is found on its own device in
     * the eager level in which it comes from another. */
    const uint64_t most = stats->eager ? 2 : 1;
    assert_true(stats->work.atoms <= graph->arcs * (stats->phase[1].steps + most));
    assert_true(stats->work.sent == 0 || parts > 1);
    assert_true(stats->eager == 0 || parts > 1);
    if (stats->phase[1].steps == 0 && stats->eager) {
        assert_true(stats->work.atoms >= arcs && stats->work.atoms <= 2 * arcs);
        assert_true(stats->work.processed >= reached);
        assert_true(stats->work.processed <= 2 * reached);
    } else if (stats->phase[1].steps == 0) {
        assert_int_equal(stats->work.atoms, arcs);
        assert_true(stats->work.processed >= reached);
        assert_true(stats->work.processed <= reached + arcs / 256);
    }
    assert_true(stats->work.processed == 0 || stats->bytes > 0);
    assert_int_equal(stats->bytes_sent != 0,
                     stats->work.sent || (parts > 1 && stats->phase[1].steps));
}

/* Of a search whose devices do what they own, whatever the graph is like. */
static inline weir_run_options plain_options(void)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.balance = WEIR_BALANCE_OFF;
    return options;
}

/* A search of a graph that is kept, and all that it left. */
static inline weir_run_stats assert_bfs(weir_bfs *bfs, const weir_graph *graph, uint32_t parts,
                                        const weir_run_options *options, uint64_t source)
{
    int32_t *have = malloc(graph->vertices * sizeof *have);
    const int32_t *want = levels_of(graph, source);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    memset(&stats.size + 1, 0xAA, sizeof stats - sizeof stats.size);
    assert_non_null(have);
    OK(weir_bfs_run(bfs, source, &stats));
    OK(weir_bfs_levels(bfs, have));
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (have[v] != want[v])
            fail_msg("%s, %u parts, %s, from %llu: vertex %llu has level %d, not %d", graph->name,
                     parts, weir_direction_text(options->direction), (unsigned long long)source,
                     (unsigned long long)v, have[v], want[v]);
    assert_int_equal(stats.direction, options->direction);
    if (options->balance == WEIR_BALANCE_AUTO) /* narrow levels on several GPUs */
        assert_true(stats.balance == WEIR_BALANCE_OFF ||
                    (stats.balance == WEIR_BALANCE_OWNERSHIP && parts > 1));
    else
        assert_true(stats.balance == options->balance || stats.eager);
    assert_int_equal(stats.phase[3].name != NULL,
                     stats.balance != WEIR_BALANCE_OFF || stats.wire != WEIR_WIRE_LIST);
    assert_stats(graph, parts, want, &stats);
    assert_int_equal(items_over_links(bfs, parts), stats.work.sent);
    if (options->parents)
        assert_tree(bfs, graph, source, want);
    free(have);
    return stats;
}

static inline void *cancel_search(void *bfs)
{
    weir_bfs_cancel(bfs);
    return NULL;
}

/* A cancel from another thread ends a run of the object, which runs nothing after that. */
static inline void assert_cancel_ends(weir_bfs *bfs)
{
    weir_status status = WEIR_OK;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_search, bfs), 0);
    while (!status) /* one that is over before the cancel comes leaves it to the next */
        status = weir_bfs_run(bfs, 0, NULL);
    pthread_join(thread, NULL);
    assert_int_equal(status, WEIR_ERR_CANCELLED);
}

#endif
