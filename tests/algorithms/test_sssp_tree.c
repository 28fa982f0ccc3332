/** @file test_sssp_tree.c  Trees of shortest paths: every parent leads to its vertex by just its distance, on every set of devices; what
 * is no such tree is found by the certificate, and by weir_sssp_tree_check() on the host, and named. */
#include "algorithms/common/certify.h"
#include "tests/algorithms/sssp_fixture.h"

#define INF ((double)INFINITY)

static weir_sssp *with_tree(weir_context *context, const weir_graph *graph,
                            weir_partition_kind kind)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.parents = 1;
    return placed(context, graph, kind, &options);
}

/* The weight of an arc; below 0: there is none. */
static double weight_of(const weir_graph *graph, uint64_t from, uint64_t to)
{
    for (uint64_t arc = graph->offsets[from]; arc < graph->offsets[from + 1]; arc++)
        if (graph->targets[arc] == to)
            return graph->weights_u32[arc];
    return -1;
}

/* By what a tree is, one vertex after the other, and by the certificate. */
static void assert_tree(weir_context *context, const weir_graph *graph, weir_sssp *sssp,
                        uint64_t source)
{
    double *distances = calloc(graph->vertices, sizeof *distances);
    int64_t *parents = calloc(graph->vertices, sizeof *parents);
    assert_true(distances && parents);
    assert_sssp(sssp, graph, source);
    OK(weir_sssp_distances(sssp, distances));
    OK(weir_sssp_parents(sssp, parents));
    for (uint64_t v = 0; v < graph->vertices; v++) {
        const int64_t parent = parents[v];
        if (v == source ? parent == (int64_t)v : distances[v] == INF ? parent == -1 : 0)
            continue;
        if (v == source || distances[v] == INF || parent < 0 ||
            parent >= (int64_t)graph->vertices || weight_of(graph, (uint64_t)parent, v) <= 0 ||
            distances[parent] + weight_of(graph, (uint64_t)parent, v) != distances[v])
            fail_msg("%s from %llu: vertex %llu at %g has parent %lld", graph->name,
                     (unsigned long long)source, (unsigned long long)v, distances[v],
                     (long long)parent);
    }
    OK(weir_sssp_certify(context, graph, source, distances, parents));
    OK(weir_sssp_tree_check(graph, source, parents, distances));
    free(distances);
    free(parents);
}

/* Trees are found in step, and devices that do not reach each other do not go in step. @return whether these are such. */
static int are_mixed(weir_context *context, const char *spec)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_sssp *sssp;
    if (!strstr(spec, "cuda") || !strstr(spec, "host"))
        return 0;
    weir_graph *graph = open_graph("rmat:6", 1);
    weir_partition *partition;
    weigh(graph, "random:1-9");
    options.parents = 1;
    OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, weir_context_device_count(context), 0,
                             NULL, &partition));
    STATUS(weir_sssp_create(context, graph, partition, &options, &sssp), WEIR_ERR_UNSUPPORTED);
    assert_detail(
        "parents are kept in step alone, and host devices do not reach the memory of GPUs");
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
    return 1;
}

/* Sources with and without arcs follow one another on one object: what a run leaves, the next one takes back. */
static void parents_lead_to_vertices(void **state)
{
    static const struct {
        const char *text, *weights;
        int undirected;
    } cases[] = {{"rmat:9,8", "random:1-255", 1},
                 {"rmat:9,4,3", "random:1-3", 0},
                 {"grid:20x9,.8", "random:1-9", 0},
                 {"rmat:8,1", "unit", 1},
                 {"star:3000", "random:1-99999", 0},
                 {"complete:80", "random:1-20", 0},
                 {"chain:1", "unit", 0},
                 {"uniform:8,2", "random:1-4194303", 0}};
    weir_context *context = open_or_skip(state);
    if (are_mixed(context, *state))
        return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_graph *graph = open_graph(cases[i].text, cases[i].undirected);
        weigh(graph, cases[i].weights);
        weir_sssp *sssp =
            with_tree(context, graph, i % 2 ? WEIR_PARTITION_RANDOM : WEIR_PARTITION_EDGE);
        for (uint64_t k = 0; k < 8; k++)
            assert_tree(context, graph, sssp, k * 37 % graph->vertices);
        weir_sssp_destroy(sssp);
        weir_graph_destroy(graph);
    }
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

/* A hub in the middle is the parent of thousands, and has thousands of arcs that are not tight before the one that is. */
static void the_right_arc_of_many(void **state)
{
    static struct arcs arcs;
    weir_context *context = open_or_skip(state);
    if (are_mixed(context, *state))
        return;
    arcs.count = 0;
    for (uint64_t v = 1; v < 4000; v++) {
        arc(&arcs, 0, v, 1000);                               /* the source to all, */
        arc(&arcs, v, 4000, v == 2345 ? 500 : v % 400 + 501); /* these to the hub */
    }
    weir_graph *graph = graph_of(4001, &arcs);
    weir_sssp *sssp = with_tree(context, graph, WEIR_PARTITION_BLOCK);
    int64_t *parents = calloc(4001, sizeof *parents);
    assert_non_null(parents);
    assert_tree(context, graph, sssp, 0);
    OK(weir_sssp_parents(sssp, parents));
    assert_int_equal(parents[4000], 2345);
    assert_tree(context, graph, sssp, 4000);
    OK(weir_sssp_parents(sssp, parents));
    assert_true(parents[4000] == 4000 && parents[0] == -1 && parents[2345] == -1);
    free(parents);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void what_has_no_tree(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_graph *graph = open_graph("rmat:6", 1);
    int64_t parents[64];
    weir_sssp *sssp;
    weigh(graph, "random:1-9");
    sssp = placed(context, graph, WEIR_PARTITION_EDGE, &options);
    OK(weir_sssp_run(sssp, 0, NULL));
    STATUS(weir_sssp_parents(sssp, parents), WEIR_ERR_INVALID);
    assert_detail("no tree of parents was asked for");
    weir_sssp_destroy(sssp);
    options.parents = 1;
    OK(weir_sssp_create(context, graph, NULL, &options, &sssp));
    OK(weir_sssp_parents(sssp, parents)); /* before a run nobody has one, as in searches */
    for (int v = 0; v < 64; v++)
        assert_int_equal(parents[v], -1);
    weir_sssp_destroy(sssp);
    options.direction = WEIR_DIRECTION_PUSH;
    STATUS(weir_sssp_create(context, graph, NULL, &options, &sssp), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("parents has no effect on shortest paths through the worklist");
    options.direction = WEIR_DIRECTION_AUTO;
    weigh(graph, "random:0-1");
    STATUS(weir_sssp_create(context, graph, NULL, &options, &sssp), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("parents of shortest paths need weights above 0, and ");
    weigh(graph, "random:4294967294-4294967295");
    STATUS(weir_sssp_create(context, graph, NULL, &options, &sssp), WEIR_ERR_UNSUPPORTED);
    assert_detail(
        "parents are kept in step alone, and that needs weights whose sums fit 32 bits as "
        "integers or as multiples of a power of two");
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* A path that only a run finds to be too long is refused by that run, not answered without a tree. */
static void distances_that_do_not_fit(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = chain_of(2000, 4000000, 1);
    weir_sssp *sssp = with_tree(context, graph, WEIR_PARTITION_EDGE);
    int64_t *parents = calloc(2000, sizeof *parents);
    assert_non_null(parents);
    assert_tree(context, graph, sssp, 1000);
    STATUS(weir_sssp_run(sssp, 0, NULL), WEIR_ERR_UNSUPPORTED);
    assert_detail("a distance from source 0 does not fit 32 bits, and parents need that: leave "
                  "parents out");
    STATUS(weir_sssp_parents(sssp, parents), WEIR_ERR_INVALID);
    free(parents);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* ---- the certificate ---- */

/* 0 >2> 1 >3> 2, 0 >5> 2, 2 >0> 3 >0> 4 >0> 3, and 5, which leads to 3. */
static weir_graph *small(void)
{
    static struct arcs arcs;
    arcs.count = 0;
    arc(&arcs, 0, 1, 2);
    arc(&arcs, 1, 2, 3);
    arc(&arcs, 0, 2, 5);
    arc(&arcs, 2, 3, 0);
    arc(&arcs, 3, 4, 0);
    arc(&arcs, 4, 3, 0);
    arc(&arcs, 5, 3, 1);
    return graph_of(6, &arcs);
}

static void parent_is(weir_context *context, uint64_t v, int64_t parent, const char *says)
{
    static const double distances[] = {0, 2, 5, 5, 5, INFINITY};
    weir_graph *graph = small();
    int64_t parents[] = {0, 0, 1, 2, 3, -1};
    for (uint64_t piece = 0; piece < 3; piece++) {
        weir__certify_pretend(piece);
        parents[2] = 1;
        OK(weir_sssp_certify(context, graph, 0, distances, parents));
        parents[2] = 0; /* as good */
        OK(weir_sssp_certify(context, graph, 0, distances, parents));
        const int64_t right = parents[v];
        parents[v] = parent;
        STATUS(weir_sssp_certify(context, graph, 0, distances, parents), WEIR_ERR_VERIFY);
        assert_detail(says);
        parents[v] = right;
    }
    weir__certify_pretend(0);
    weir_graph_destroy(graph);
}

static void wrong_parents_are_named(void **state)
{
    weir_context *context = open_or_skip(state);
    parent_is(context, 0, 1,
              "vertex 0 at distance 0 has parent 1, but the source must be its own parent");
    parent_is(context, 0, -1,
              "vertex 0 at distance 0 has parent -1, but the source must be its own parent");
    parent_is(context, 5, 3,
              "vertex 5 at distance inf has parent 3, but distances and tree must have reached the "
              "same");
    parent_is(context, 2, -1,
              "vertex 2 at distance 5 has parent -1, but distances and tree must have reached the "
              "same");
    parent_is(context, 2, 6, "vertex 2 at distance 5 has parent 6, but a parent must be a vertex");
    parent_is(context, 2, -2,
              "vertex 2 at distance 5 has parent -2, but a parent must be a vertex");
    parent_is(context, 1, 2,
              "vertex 1 at distance 2 has parent 2, but no path through it is that long");
    parent_is(context, 2, 2,
              "vertex 2 at distance 5 has parent 2, but no path through it is that long");
    parent_is(context, 2, 3, /* no arc */
              "vertex 2 at distance 5 has parent 3, but no path through it is that long");
    parent_is(context, 3, 4, /* a circle: an arc leads either way, and adds nothing */
              "vertex 3 at distance 5 has parent 4, but no path through it is that long");
    parent_is(context, 3, 5, /* an arc from what was not reached */
              "vertex 3 at distance 5 has parent 5, but no path through it is that long");
    weir_context_destroy(context);
}

/* ---- the check on the host ---- */

/* 0 >2> 1 >3> 2, 0 >5> 2, 2 >1> 3 >1> 4, 4 >1> 3, and 5, which leads to 3; of integers or of halves of them. */
static weir_graph *longer(double unit)
{
    static struct arcs arcs;
    arcs.count = 0;
    arc(&arcs, 0, 1, 2 * unit);
    arc(&arcs, 1, 2, 3 * unit);
    arc(&arcs, 0, 2, 5 * unit);
    arc(&arcs, 2, 3, 1 * unit);
    arc(&arcs, 3, 4, 1 * unit);
    arc(&arcs, 4, 3, 1 * unit);
    arc(&arcs, 5, 3, 1 * unit);
    return graph_of(6, &arcs);
}

/* What is said of the tree whose vertex v has this parent, and of the same tree with another distance of it. */
static void host_says(uint64_t v, int64_t parent, double distance, const char *says)
{
    static const double right[] = {0, 2, 5, 6, 7, INFINITY};
    double distances[6];
    int64_t parents[] = {0, 0, 0, 2, 3, -1};
    weir_graph *whole = longer(1), *halves = longer(0.5);
    assert_int_equal(whole->weight_kind, WEIR_WEIGHT_U32);
    assert_int_equal(halves->weight_kind, WEIR_WEIGHT_F64);
    memcpy(distances, right, sizeof right);
    OK(weir_sssp_tree_check(whole, 0, parents, distances));
    for (int i = 0; i < 6; i++)
        distances[i] /= 2;
    OK(weir_sssp_tree_check(halves, 0, parents, distances));
    parents[v] = parent;
    memcpy(distances, right, sizeof right);
    distances[v] = distance;
    STATUS(weir_sssp_tree_check(whole, 0, parents, distances), WEIR_ERR_VERIFY);
    assert_detail(says);
    for (int i = 0; i < 6; i++)
        distances[i] /= 2;
    STATUS(weir_sssp_tree_check(halves, 0, parents, distances), WEIR_ERR_VERIFY);
    weir_graph_destroy(whole);
    weir_graph_destroy(halves);
}

static void the_host_names_the_same(void **state)
{
    (void)state;
    host_says(0, 1, 0,
              "vertex 0 at distance 0 has parent 1, but the source must be its own parent");
    host_says(0, 0, 1, "vertex 0 has distance 1, but it is the source, which has 0");
    host_says(3, 2, -1, "vertex 3 has distance -1, but a distance must be 0 or more, or inf");
    host_says(3, 2, NAN, "vertex 3 has distance nan, but a distance must be 0 or more, or inf");
    host_says(5, 3, INFINITY,
              "vertex 5 at distance inf has parent 3, but distances and tree must have reached the "
              "same");
    host_says(2, -1, 5,
              "vertex 2 at distance 5 has parent -1, but distances and tree must have reached the "
              "same");
    host_says(2, 6, 5, "vertex 2 at distance 5 has parent 6, but a parent must be a vertex");
    host_says(2, -2, 5, "vertex 2 at distance 5 has parent -2, but a parent must be a vertex");
    host_says(2, 2, 5, "vertex 2 at distance 5 has parent 2, but no path through it is that long");
    host_says(2, 3, 5, "vertex 2 at distance 5 has parent 3, but no path through it is that long");
    host_says(3, 4, 6, "vertex 3 at distance 6 has parent 4, but no path through it is that long");
    host_says(3, 5, 6, "vertex 3 at distance 6 has parent 5, but no path through it is that long");
    host_says(4, 3, 6, "vertex 4 at distance 6 has parent 3, but no path through it is that long");
    host_says(
        4, -1, INFINITY,
        "vertex 3 at distance 6 has an arc that offers vertex 4 a distance of 7, but that has "
        "inf");
    weir_graph *circle = small(); /* of arcs of weight 0 */
    const double distances[] = {0, 2, 5, 5, 5, INFINITY};
    const int64_t parents[] = {0, 0, 1, 4, 3, -1};
    STATUS(weir_sssp_tree_check(circle, 0, parents, distances), WEIR_ERR_VERIFY);
    assert_detail("vertex 3 at distance 5 has parent 4, but no path through it is that long");
    STATUS(weir_sssp_tree_check(circle, 6, parents, distances), WEIR_ERR_INVALID);
    assert_detail("source 6: the graph has 6 vertices");
    STATUS(weir_sssp_tree_check(circle, 0, NULL, distances), WEIR_ERR_INVALID);
    assert_detail("weir_sssp_tree_check: no graph, parents or distances");
    weir_graph_destroy(circle);
    circle = open_graph("chain:6", 0);
    STATUS(weir_sssp_tree_check(circle, 0, parents, distances), WEIR_ERR_INVALID);
    assert_detail_has("shortest paths need weights, ");
    weir_graph_destroy(circle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(parents_lead_to_vertices),
        ON_EACH_SPEC(the_right_arc_of_many),
        ON_BACKEND(what_has_no_tree, "host:2"),
        ON_BACKEND(distances_that_do_not_fit, "host:1"),
        ON_BACKEND(distances_that_do_not_fit, "host:3"),
        ON_EACH_SPEC(wrong_parents_are_named),
        cmocka_unit_test(the_host_names_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
