/** @file test_certify_bfs.c  weir_bfs_certify(): right levels and trees pass on any number of devices, and each rule that is broken is named
 * with the smallest vertex that breaks it. */
#include "tests/algorithms/certify_fixture.h"
#include "tests/lib/share.h"

struct search {
    weir_graph *graph;
    uint64_t source;
    int32_t *levels;
    int64_t *parents;
};

/* Of a graph that is freed with it. */
static struct search search_of(weir_graph *graph, uint64_t source)
{
    const size_t n = graph->vertices;
    struct search s = {graph, source, calloc(n, sizeof *s.levels), calloc(n, sizeof *s.parents)};
    assert_true(s.levels && s.parents);
    OK(weir_bfs_reference(graph, source, s.levels));
    for (size_t v = 0; v < n; v++)
        s.parents[v] = v == source ? (int64_t)v : -1;
    for (size_t v = n; v-- > 0;)
        for (uint64_t a = graph->offsets[v]; a < graph->offsets[v + 1]; a++)
            if (s.levels[v] >= 0 && s.levels[graph->targets[a]] == s.levels[v] + 1)
                s.parents[graph->targets[a]] = (int64_t)v;
    return s;
}

static void forget(struct search *s)
{
    weir_graph_destroy(s->graph);
    free(s->levels);
    free(s->parents);
}

static void right_searches_pass(void **state)
{
    weir_context *context = open_or_skip(state);
    for (size_t shape = 0; shape < CERTIFY_SHAPES; shape++)
        for (uint64_t source = 0; source < 3; source++) {
            weir_graph *graph = certify_graph(shape);
            struct search s = search_of(graph, source % graph->vertices);
            HOLDS(graph, weir_bfs_certify(context, graph, s.source, s.levels, NULL));
            HOLDS(graph, weir_bfs_certify(context, graph, s.source, s.levels, s.parents));
            forget(&s);
        }
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

/* What the library's own searches find, of several sources. */
static void runs_pass(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_graph *graph = open_graph("rmat:10", 0);
    struct search s = search_of(graph, 0);
    weir_bfs *bfs;
    options.parents = 1;
    weir_status status = weir_bfs_create(context, graph, NULL, &options, &bfs);
    if (status == WEIR_ERR_UNSUPPORTED) { /* of devices that cannot go in step */
        options.parents = 0;
        status = weir_bfs_create(context, graph, NULL, &options, &bfs);
    }
    OK(status);
    for (uint64_t source = 0; source < 20; source++) {
        OK(weir_bfs_run(bfs, source, NULL));
        OK(weir_bfs_levels(bfs, s.levels));
        if (options.parents)
            OK(weir_bfs_parents(bfs, s.parents));
        HOLDS(graph, weir_bfs_certify(context, graph, source, s.levels,
                                      options.parents ? s.parents : NULL));
    }
    weir_bfs_destroy(bfs);
    forget(&s);
    weir_context_destroy(context);
}

/* A vertex changed in the levels of grid:8x8 from 0, where 9 is at level 2 below 1 and 8. */
static void level_is(weir_context *context, uint64_t v, int32_t level, const char *says)
{
    struct search s = search_of(open_graph("grid:8x8", 0), 0);
    s.levels[v] = level;
    BROKEN(s.graph, weir_bfs_certify(context, s.graph, 0, s.levels, NULL), says);
    forget(&s);
}

static void wrong_levels_are_named(void **state)
{
    weir_context *context = open_or_skip(state);
    level_is(context, 0, 1, "vertex 0 at level 1, but the source must be at level 0");
    level_is(context, 0, -1, "vertex 0 at level -1, but the source must be at level 0");
    level_is(context, 63, 0, "vertex 63 at level 0, but a level must be 1 or more, or -1");
    level_is(context, 63, -2, "vertex 63 at level -2, but a level must be 1 or more, or -1");
    level_is(context, 63, INT32_MIN,
             "vertex 63 at level -2147483648, but a level must be 1 or more, or -1");
    /* Too near: nothing is above it. */
    level_is(context, 9, 1, "vertex 9 at level 1, but an arc must lead to it from one level above");
    level_is(context, 63, 13,
             "vertex 63 at level 13, but an arc must lead to it from one level above");
    /* Too far: it is named by what leads to it. */
    level_is(context, 63, 15,
             "vertex 55 at level 13 has an arc to vertex 63 at level 15, but no arc may lead more "
             "than one level down");
    level_is(context, 63, INT32_MAX,
             "vertex 55 at level 13 has an arc to vertex 63 at level 2147483647, but no arc may "
             "lead more than one level down");
    level_is(context, 63, -1,
             "vertex 55 at level 13 has an arc to vertex 63 at level -1, but what an arc leads to "
             "from a vertex that was reached must have been reached");
    level_is(context, 0, INT32_MAX,
             "vertex 0 at level 2147483647, but the source must be at level 0");
    weir_context_destroy(context);
}

/* Vertices that are reached from each other alone: every level but the first has one above it. */
static void what_nothing_leads_to_is_not_reached(void **state)
{
    static const double arcs[][3] = {{0, 1, 1}, {2, 3, 1}, {3, 2, 1}, {4, 3, 1}};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = WRITTEN(6, arcs);
    int32_t levels[] = {0, 1, -1, -1, -1, -1};
    HOLDS(graph, weir_bfs_certify(context, graph, 0, levels, NULL));
    levels[2] = 7;
    levels[3] = 8;
    BROKEN(graph, weir_bfs_certify(context, graph, 0, levels, NULL),
           "vertex 2 at level 7, but an arc must lead to it from one level above");
    levels[2] = levels[3] = 1; /* an arc leads there, from level -1 and from the same level */
    BROKEN(graph, weir_bfs_certify(context, graph, 0, levels, NULL),
           "vertex 2 at level 1, but an arc must lead to it from one level above");
    levels[2] = levels[3] = -1;
    levels[5] = 1;
    BROKEN(graph, weir_bfs_certify(context, graph, 0, levels, NULL),
           "vertex 5 at level 1, but an arc must lead to it from one level above");
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void parent_is(weir_context *context, uint64_t v, int64_t parent, int32_t level,
                      const char *says)
{
    struct search s = search_of(open_graph("grid:8x8", 0), 0);
    s.parents[v] = parent;
    s.levels[v] = level;
    BROKEN(s.graph, weir_bfs_certify(context, s.graph, 0, s.levels, s.parents), says);
    /* The host's cores find the same. */
    STATUS(weir_bfs_tree_check(s.graph, 0, s.parents, s.levels), WEIR_ERR_VERIFY);
    assert_detail(says);
    forget(&s);
}

static void wrong_trees_are_named(void **state)
{
    weir_context *context = open_or_skip(state);
    parent_is(
        context, 0, 1, 0,
        "vertex 0 at level 0 has parent 1, but the source must be its own parent, at level 0");
    parent_is(
        context, 0, -1, 0,
        "vertex 0 at level 0 has parent -1, but the source must be its own parent, at level 0");
    parent_is(
        context, 9, -1, 2,
        "vertex 9 at level 2 has parent -1, but a vertex that was reached must have a parent");
    parent_is(context, 9, 64, 2,
              "vertex 9 at level 2 has parent 64, but a parent must be a vertex");
    parent_is(context, 9, -2, 2,
              "vertex 9 at level 2 has parent -2, but a parent must be a vertex");
    parent_is(context, 9, INT64_MAX, 2,
              "vertex 9 at level 2 has parent 9223372036854775807, but a parent must be a vertex");
    parent_is(context, 9, 9, 2,
              "vertex 9 at level 2 has parent 9, but a vertex must be one level below its parent");
    parent_is(context, 9, 2, 2, /* joined, but no nearer */
              "vertex 9 at level 2 has parent 2, but a vertex must be one level below its parent");
    parent_is(
        context, 27, 40, 6, /* one level above, but elsewhere */
        "vertex 27 at level 6 has parent 40, but an arc must lead from a parent to its vertex");
    parent_is(
        context, 63, 55, -1,
        "vertex 55 at level 13 has parent 47 and an arc to vertex 63 at level -1, but what an "
        "arc leads to from the tree must be in it");
    parent_is(
        context, 63, -1, -1,
        "vertex 55 at level 13 has parent 47 and an arc to vertex 63 at level -1, but what an "
        "arc leads to from the tree must be in it");
    parent_is(context, 63, 55, 0,
              "vertex 63 at level 0 has parent 55, but levels and tree must have reached the same "
              "vertices");
    weir_context_destroy(context);
}

/* Vertices that are a level too far, tree and all: only an arc tells. And a tree that has reached less. */
static void a_tree_of_longer_ways_is_found(void **state)
{
    static const double arcs[][3] = {{0, 1, 1}, {1, 2, 1}, {0, 2, 1}, {2, 3, 1}};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = WRITTEN(5, arcs);
    int64_t parents[] = {0, 0, 1, 2, -1};
    int32_t levels[] = {0, 1, 2, 3, -1};
    BROKEN(
        graph, weir_bfs_certify(context, graph, 0, levels, parents),
        "vertex 0 at level 0 has parent 0 and an arc to vertex 2 at level 2, but no arc may lead "
        "more than one level down");
    parents[2] = 0;
    levels[2] = 1;
    levels[3] = 2;
    HOLDS(graph, weir_bfs_certify(context, graph, 0, levels, parents));
    parents[4] = 3; /* not reached, say the levels */
    BROKEN(graph, weir_bfs_certify(context, graph, 0, levels, parents),
           "vertex 4 at level -1 has parent 3, but levels and tree must have reached the same "
           "vertices");
    parents[4] = -1;
    parents[3] = -1;
    BROKEN(graph, weir_bfs_certify(context, graph, 0, levels, parents),
           "vertex 3 at level 2 has parent -1, but a vertex that was reached must have a parent");
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* One level of a larger graph is wrong, whichever: found, and by the smallest vertex that shows it. */
static void any_wrong_level_is_found(void **state)
{
    weir_context *context = open_or_skip(state);
    struct search s = search_of(open_graph("rmat:9,4", 0), 3);
    for (uint64_t v = 0; v < s.graph->vertices; v += 7 * (uint64_t)test_stride())
        for (int by = -1; by < 2; by += 2) {
            const int32_t right = s.levels[v];
            if (right + by < -1)
                continue;
            s.levels[v] += by;
            weir__certify_pretend(50);
            STATUS(weir_bfs_certify(context, s.graph, 3, s.levels, NULL), WEIR_ERR_VERIFY);
            s.levels[v] = right;
        }
    weir__certify_pretend(0);
    forget(&s);
    weir_context_destroy(context);
}

static void arguments_are_checked(void **state)
{
    weir_context *context = open_or_skip(state);
    struct search s = search_of(open_graph("grid:3x3", 0), 0);
    STATUS(weir_bfs_certify(context, s.graph, 9, s.levels, NULL), WEIR_ERR_INVALID);
    assert_detail_has("source 9: the graph has 9 vertices");
    STATUS(weir_bfs_certify(NULL, s.graph, 0, s.levels, NULL), WEIR_ERR_INVALID);
    STATUS(weir_bfs_certify(context, NULL, 0, s.levels, NULL), WEIR_ERR_INVALID);
    STATUS(weir_bfs_certify(context, s.graph, 0, NULL, s.parents), WEIR_ERR_INVALID);
    assert_detail_has("weir_bfs_certify: ");
    forget(&s);
    weir_context_destroy(context);
}

/* A pool in which arrays have no room is named; in one with room for small pieces alone they are small. */
static void room_that_is_missing_is_named(void **state)
{
    static const char *const none[] = {"pool_bytes=1MiB", NULL}, *const some[] = {"pool_bytes=6MiB",
                                                                                  NULL};
    struct search s = search_of(open_graph("uniform:15,40", 0), 0);
    weir_context *context = open_with_or_skip(*state, none);
    STATUS(weir_bfs_certify(context, s.graph, 0, s.levels, s.parents), WEIR_ERR_NOMEM);
    assert_detail_has("pool");
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
    context = open_with_or_skip(*state, some); /* two pieces of all arcs are 10 MB */
    OK(weir_bfs_certify(context, s.graph, 0, s.levels, NULL));
    s.levels[7]++;
    STATUS(weir_bfs_certify(context, s.graph, 0, s.levels, NULL), WEIR_ERR_VERIFY);
    weir_context_destroy(context);
    forget(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(right_searches_pass),
        ON_EACH_SPEC(runs_pass),
        ON_EACH_SPEC(wrong_levels_are_named),
        ON_EACH_SPEC(what_nothing_leads_to_is_not_reached),
        ON_EACH_SPEC(wrong_trees_are_named),
        ON_EACH_SPEC(a_tree_of_longer_ways_is_found),
        ON_EACH_SPEC(any_wrong_level_is_found),
        ON_BACKEND(arguments_are_checked, "host:2"),
        ON_BACKEND(room_that_is_missing_is_named, "host:1"),
        ON_BACKEND(room_that_is_missing_is_named, "host:2"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
