/** @file cc_fixture.h  What the tests of connected components share: graphs, and a run that is checked in full. */
#ifndef WEIR_TESTS_ALGORITHMS_CC_FIXTURE_H
#define WEIR_TESTS_ALGORITHMS_CC_FIXTURE_H

#include "tests/algorithms/graph_fixture.h"
#include "algorithms/cc/cc.h"
#include "tests/lib/share.h"
#include "tests/lib/support.h"

#define CC_SPECS(f, X) \
    X(f, "host:1")     \
    X(f, "host:2")     \
    X(f, "host:3")     \
    X(f, "host:4")     \
    X(f, "host:8")     \
    X(f, "host:2x3")   \
    X(f, "cuda:0")     \
    X(f, "cuda:0-1")   \
    X(f, "cuda:0-3")
#define CC_TEST(f, spec)    {#f "[" spec "]", f, NULL, NULL, (void *)(uintptr_t)spec},
#define ON_EACH_SPEC(f)     CC_SPECS(f, CC_TEST)
#define ON_MIXED_DEVICES(f) CC_TEST(f, "cuda:0,host:1") CC_TEST(f, "cuda:0,host:2x2")

static inline weir_context *context_with_pool(const char *spec, const char *pool)
{
    char setting[64];
    const char *const settings[] = {setting, NULL};
    snprintf(setting, sizeof setting, "pool_bytes=%s", pool ? pool : "");
    return open_with_or_skip(spec, pool ? settings : NULL);
}

static inline weir_context *context_or_skip(const char *spec)
{
    return context_with_pool(spec, NULL);
}

/* ---- graphs --------------------------------------------------------------------------------- */

struct arc_list {
    uint32_t *source, *target;
    uint64_t count, room;
};

static inline void put_arc(struct arc_list *list, uint64_t from, uint64_t to)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 1024;
        list->source = realloc(list->source, list->room * sizeof(uint32_t));
        list->target = realloc(list->target, list->room * sizeof(uint32_t));
        assert_non_null(list->source);
        assert_non_null(list->target);
    }
    list->source[list->count] = (uint32_t)from;
    list->target[list->count++] = (uint32_t)to;
}

static inline weir_graph *graph_of(struct arc_list *list, uint64_t vertices, int undirected)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph = NULL;
    options.undirected = undirected;
    if (weir_graph_from_arcs(vertices, list->count, list->source, list->target, NULL, &options,
                             &graph))
        fail_msg("%s", weir_error_detail());
    free(list->source);
    free(list->target);
    return graph;
}

enum shape {
    EMPTY,     /* no vertices */
    ONE,       /* one vertex */
    NO_ARCS,   /* isolated vertices */
    PATH,      /* 0 > 1 > 2 > ...: long chains */
    PATH_BACK, /* the same, each arc the other way */
    STAR,      /* hub 77, arcs to it from some and from it to others */
    PAIRS,     /* very many small components */
    COMB,      /* paths side by side, joined at their far end: many trees meet late */
    TWO_STARS, /* a second hub of many arcs, outside the largest component */
    SHUFFLED,  /* a path whose vertices are anywhere */
    BUNCHES, /* few arcs a row, but for two rows: paths of 10 that a row of 6000 arcs joins, and one of 100 */
    TANGLE, /* six arcs of each vertex to any: no hubs. Every fourth vertex is of another component */
    SCATTERED, /* pieces of a path, and a few arcs from anywhere to anywhere: components lie on devices in several places each */
    HALVES,    /* two components of the same size */
    CLIQUES, /* sixty, of vertices that lie anywhere, and vertices with an arc to each of two of them: no large tree, and long rows */
    SHAPES
};

/* Drawn numbers: the next one of a sequence. */
static inline uint64_t drawn(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed;
}

static inline weir_graph *shaped(enum shape shape, int undirected)
{
    struct arc_list list = {NULL, NULL, 0, 0};
    uint64_t n = 2500;
    switch (shape) {
    case EMPTY:
        n = 0;
        break;
    case ONE:
        n = 1;
        break;
    case NO_ARCS:
        n = 3000;
        break;
    case PATH:
        for (uint64_t v = 0; v + 1 < n; v++)
            put_arc(&list, v, v + 1);
        break;
    case PATH_BACK:
        for (uint64_t v = 0; v + 1 < n; v++)
            put_arc(&list, v + 1, v);
        break;
    case STAR:
        for (uint64_t v = 0; v < n; v++)
            if (v != 77)
                v % 3 ? put_arc(&list, v, 77) : put_arc(&list, 77, v);
        break;
    case PAIRS:
        for (uint64_t v = 0; v < n / 2; v += 1 + v % 7)
            put_arc(&list, n - 1 - v, v);
        break;
    case COMB:
        for (uint64_t v = 0; v + 50 < n; v++)
            put_arc(&list, v, v + 50);
        for (uint64_t v = n - 50; v + 1 < n; v++)
            put_arc(&list, v + 1, v);
        break;
    case TWO_STARS:
        n = 16000;
        for (uint64_t v = 2; v < n; v++)
            v < 9000 ? put_arc(&list, v, 0) : put_arc(&list, 1, v);
        break;
    case SHUFFLED:
        n = 2503; /* a prime: 1234 is a generator of all places */
        for (uint64_t i = 0; i + 1 < n; i++)
            put_arc(&list, i * 1234 % n, (i + 1) * 1234 % n);
        break;
    case BUNCHES:
        n = 60002;
        for (uint64_t v = 0; v + 3 < n; v++) {
            if (v % 10 != 9)
                put_arc(&list, v, v + 1);
            if (v % 10 == 3)
                put_arc(&list, v, n - 1);
            if (v % 10 == 5 && v < 1000)
                put_arc(&list, n - 2, v);
        }
        break;
    case TANGLE:
        n = 8000;
        for (uint64_t i = 0, seed = 5; i < 6 * n; i++) {
            const uint64_t v = i / 6, far = drawn(&seed) >> 33;
            put_arc(&list, v, v % 4 ? far % (n / 4) * 4 + 1 + far % 3 : far % (n / 4) * 4);
        }
        break;
    case SCATTERED:
        n = 40000;
        for (uint64_t v = 0, piece = 0; v + 1 < n; v++) {
            piece = v % 97 == 0 || v % 61 == 0 ? 0 : piece + 1;
            if (piece)
                put_arc(&list, v % 2 ? v : v - 1, v % 2 ? v - 1 : v);
        }
        for (uint64_t i = 0, seed = 11; i < 250; i++) {
            const uint64_t far = drawn(&seed);
            put_arc(&list, (far >> 33) % n, (far >> 20) % n);
        }
        break;
    case CLIQUES:
        n = 2503; /* as in SHUFFLED */
        for (uint64_t i = 0; i < 60 * 41; i++)
            for (uint64_t j = i / 41 * 41; j < i; j++)
                put_arc(&list, i * 1234 % n, j * 1234 % n);
        for (uint64_t i = 60 * 41, seed = 3; i < n; i++)
            for (int arc = 0; arc < 2; arc++)
                put_arc(&list, i * 1234 % n, (drawn(&seed) >> 33) % (60 * 41) * 1234 % n);
        break;
    default: /* HALVES */
        for (uint64_t v = 2; v < n; v++)
            put_arc(&list, v, v - 2);
        break;
    }
    return graph_of(&list, n, undirected);
}

/* ---- a checked run -------------------------------------------------------------------------- */

static inline weir_partition *cut(const weir_graph *graph, weir_partition_kind kind, uint32_t parts)
{
    weir_partition *partition = NULL;
    if (weir_partition_create(graph, kind, parts, 1, NULL, &partition))
        fail_msg("%s", weir_error_detail());
    return partition;
}

static inline void assert_labels(const weir_graph *graph, const uint32_t *have, const char *what)
{
    uint32_t *want = malloc(graph->vertices * sizeof *want + 1);
    assert_non_null(want);
    assert_int_equal(weir_cc_reference(graph, want), WEIR_OK);
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (have[v] != want[v])
            fail_msg("%s (%llu): %s: vertex %llu has label %u, not %u", graph->name,
                     (unsigned long long)graph->arcs, what, (unsigned long long)v, have[v],
                     want[v]);
    free(want);
}

/* Runs twice: what a run leaves must not be in the way of the next. */
static inline void assert_cc(weir_cc *cc, const weir_graph *graph, const char *what)
{
    uint32_t *have = malloc(graph->vertices * sizeof *have + 1);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    assert_non_null(have);
    for (int run = 0; run < 2; run++) {
        memset(have, 0xEE, graph->vertices * sizeof *have);
        if (weir_cc_run(cc, &stats))
            fail_msg("%s: %s: %s", graph->name, what, weir_error_detail());
        assert_int_equal(weir_cc_labels(cc, have), WEIR_OK);
        assert_labels(graph, have, what);
        assert_int_equal(stats.reached, graph->vertices);
        assert_int_equal(stats.arcs_reached, graph->arcs);
        assert_true(stats.ms > 0 && stats.ms >= stats.kernel_ms && stats.devices > 0);
        assert_true(stats.work.ms == stats.kernel_ms);
        assert_true(graph->arcs == 0 || stats.work.atoms > 0);
    }
    free(have);
}

static inline void check_cc(weir_context *context, const weir_graph *graph,
                            weir_partition_kind kind, uint32_t parts, weir_cc_source source)
{
    weir_partition *partition = cut(graph, kind, parts);
    weir_cc *cc = NULL;
    if (weir_cc_create(context, graph, partition, NULL, source, &cc))
        fail_msg("%s: %s", graph->name, weir_error_detail());
    weir_partition_destroy(partition); /* it is not needed any more */
    assert_cc(cc, graph, source == WEIR_CC_STREAMED ? "streamed" : "resident");
    weir_cc_destroy(cc);
}

/* ---- runs on sets of devices ----------------------------------------------------------------- */

/* ThreadSanitizer is slow: it sees some shapes, in some directions. */
#ifdef __SANITIZE_THREAD__
#define CC_STRIDE (3 * test_stride())
#else
#define CC_STRIDE test_stride()
#endif

static inline void every_shape(weir_context *context, weir_cc_source source)
{
    for (int i = 0; i < 2 * SHAPES; i += CC_STRIDE) {
        weir_graph *graph = shaped((enum shape)(i / 2), i % 2);
        for (int kind = WEIR_PARTITION_BLOCK; kind <= WEIR_PARTITION_RANDOM; kind++)
            check_cc(context, graph, (weir_partition_kind)kind, weir_context_device_count(context),
                     source);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* How many steps a phase took; 0 where it did not take place. */
static inline uint64_t steps_of(const weir_run_stats *stats, const char *phase)
{
    for (int i = 0; i < WEIR_RUN_PHASES; i++)
        if (stats->phase[i].name && !strcmp(stats->phase[i].name, phase))
            return stats->phase[i].steps;
    return 0;
}

#endif
