/** @file test_certify_sssp.c  weir_sssp_certify(): right distances pass on any number of devices, with weights of 0 and real ones; each rule
 * that is broken is named, and a circle of arcs of weight 0 holds nobody. */
#include "tests/algorithms/certify_fixture.h"
#include "tests/lib/share.h"

#define INF ((double)INFINITY)

static double *distances_of(const weir_graph *graph, uint64_t source)
{
    double *distances = calloc(graph->vertices, sizeof *distances);
    assert_non_null(distances);
    OK(weir_sssp_reference(graph, source, distances));
    return distances;
}

/* The same arcs, of weight 0. */
static weir_graph *without_length(const weir_graph *graph)
{
    uint32_t *tails = calloc(graph->arcs + 1, sizeof *tails);
    double *weights = calloc(graph->arcs + 1, sizeof *weights);
    weir_graph *made;
    assert_true(tails && weights);
    for (uint64_t v = 0; v < graph->vertices; v++)
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++)
            tails[arc] = (uint32_t)v;
    OK(weir_graph_from_arcs(graph->vertices, graph->arcs, tails, graph->targets, weights, NULL,
                            &made));
    free(tails);
    free(weights);
    return made;
}

static void right_distances_pass(void **state)
{
    static const char *const weights[] = {"random:1-255", "random:0-1", "unit",
                                          "random:4294967295-4294967295"};
    weir_context *context = open_or_skip(state);
    int turn = 0;
    for (size_t shape = 0; shape < CERTIFY_SHAPES; shape++)
        for (size_t w = 0; w <= sizeof weights / sizeof *weights; w++) {
            if (turn++ % test_stride())
                continue;
            weir_graph *graph = certify_graph(shape), *bare = graph;
            if (w < sizeof weights / sizeof *weights)
                weigh(graph, weights[w]);
            else {
                graph = without_length(bare);
                weir_graph_destroy(bare);
            }
            double *distances = distances_of(graph, shape % graph->vertices);
            HOLDS(graph,
                  weir_sssp_certify(context, graph, shape % graph->vertices, distances, NULL));
            free(distances);
            weir_graph_destroy(graph);
        }
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

/* Weights that are no integers: sums are rounded, and have to be those very sums. Of two of them one is lost in any sum. */
static void real_weights_pass(void **state)
{
    static const double weight[] = {.1, 0, 1e-30, 3.7, 1e17, 0.30000000000000004, 2};
    uint32_t from[600], to[600];
    weir_context *context = open_or_skip(state);
    double weights[600];
    uint64_t seed = 5;
    for (int round = 0; round < 6; round++) {
        weir_graph *graph;
        for (int i = 0; i < 600; i++) {
            from[i] = (uint32_t)(next_random(&seed) % 150);
            to[i] = (uint32_t)(next_random(&seed) % 150);
            weights[i] = weight[next_random(&seed) % 7];
        }
        OK(weir_graph_from_arcs(150, 600, from, to, weights, NULL, &graph));
        assert_non_null(graph->weights_f64);
        double *distances = distances_of(graph, 3);
        HOLDS(graph, weir_sssp_certify(context, graph, 3, distances, NULL));
        for (uint64_t v = 0; v < 150;
             v += 11 * (uint64_t)test_stride()) { /* the next number is another one */
            const double right = distances[v];
            if (!(right < INF))
                continue;
            distances[v] = nextafter(right, INF);
            STATUS(weir_sssp_certify(context, graph, 3, distances, NULL), WEIR_ERR_VERIFY);
            distances[v] = nextafter(right, -INF);
            STATUS(weir_sssp_certify(context, graph, 3, distances, NULL), WEIR_ERR_VERIFY);
            distances[v] = right;
        }
        free(distances);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void runs_pass(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:9", 0);
    weigh(graph, "random:0-9");
    double *distances = calloc(graph->vertices, sizeof *distances);
    weir_sssp *sssp;
    assert_non_null(distances);
    OK(weir_sssp_create(context, graph, NULL, NULL, &sssp));
    for (uint64_t source = 0; source < 10; source++) {
        OK(weir_sssp_run(sssp, source, NULL));
        OK(weir_sssp_distances(sssp, distances));
        HOLDS(graph, weir_sssp_certify(context, graph, source, distances, NULL));
    }
    weir_sssp_destroy(sssp);
    free(distances);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* 0 >2> 1 >3> 2 >0> 3, 0 >9> 2, and 4, which leads to 3. */
static const double ways[][3] = {{0, 1, 2}, {1, 2, 3}, {2, 3, 0}, {0, 2, 9}, {4, 3, 1}};

static void distance_is(weir_context *context, uint64_t v, double distance, const char *says)
{
    weir_graph *graph = WRITTEN(5, ways);
    double distances[] = {0, 2, 5, 5, INF};
    HOLDS(graph, weir_sssp_certify(context, graph, 0, distances, NULL));
    distances[v] = distance;
    BROKEN(graph, weir_sssp_certify(context, graph, 0, distances, NULL), says);
    weir_graph_destroy(graph);
}

static void wrong_distances_are_named(void **state)
{
    weir_context *context = open_or_skip(state);
    distance_is(context, 0, 1, "vertex 0 has distance 1, but it is the source, which has 0");
    distance_is(context, 0, INF, "vertex 0 has distance inf, but it is the source, which has 0");
    distance_is(context, 0, (double)NAN,
                "vertex 0 has distance nan, but it is the source, which has 0");
    distance_is(context, 3, -1,
                "vertex 3 has distance -1, but a distance must be 0 or more, or inf");
    distance_is(context, 3, -INF,
                "vertex 3 has distance -inf, but a distance must be 0 or more, or inf");
    distance_is(context, 3, (double)NAN,
                "vertex 3 has distance nan, but a distance must be 0 or more, or inf");
    distance_is(context, 1, 1, "vertex 1 has distance 1, but no path from the source is that long");
    distance_is(context, 1, 3,
                "vertex 0 at distance 0 has an arc that offers vertex 1 a distance of 2, but that "
                "has 3");
    distance_is(context, 1, INF,
                "vertex 0 at distance 0 has an arc that offers vertex 1 a distance of 2, but that "
                "has inf");
    distance_is(context, 3, 4, "vertex 3 has distance 4, but no path from the source is that long");
    distance_is(context, 3, 6,
                "vertex 2 at distance 5 has an arc that offers vertex 3 a distance of 5, but that "
                "has 6");
    distance_is(context, 4, 7, "vertex 4 has distance 7, but no path from the source is that long");
    distance_is(context, 4, 4, "vertex 4 has distance 4, but no path from the source is that long");
    weir_context_destroy(context);
}

/* A path of arcs of weight 0 that each device sees a piece of, and back; and a circle of such arcs off the source, which holds nobody
 * however it is entered: by no arc, by one that offers more, by one from what is not reached. */
static void circles_of_weight_0_hold_nobody(void **state)
{
    static const double arcs[][3] = {{0, 1, 5},  {1, 2, 0},   {2, 3, 0},   {3, 1, 0},
                                     {3, 4, 0},  {10, 11, 0}, {11, 12, 0}, {12, 10, 0},
                                     {0, 10, 8}, {13, 10, 0}, {12, 9, 0}};
    double distances[14] = {0, 5, 5, 5, 5, INF, INF, INF, INF, 8, 8, 8, 8, INF};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = WRITTEN(14, arcs);
    HOLDS(graph, weir_sssp_certify(context, graph, 0, distances, NULL));
    for (int less = 0; less < 8; less++) { /* 0 too */
        distances[9] = distances[10] = distances[11] = distances[12] = less;
        char says[100];
        snprintf(says, sizeof says,
                 "vertex 9 has distance %d, but no path from the source is that long", less);
        BROKEN(graph, weir_sssp_certify(context, graph, 0, distances, NULL), says);
    }
    distances[9] = distances[10] = distances[11] = distances[12] = 8;
    distances[1] = distances[2] = distances[3] = 4;
    BROKEN(graph, weir_sssp_certify(context, graph, 0, distances, NULL),
           "vertex 1 has distance 4, but no path from the source is that long");
    distances[1] = distances[2] = distances[3] = 0; /* the source's own */
    distances[4] = 0;
    BROKEN(graph, weir_sssp_certify(context, graph, 0, distances, NULL),
           "vertex 1 has distance 0, but no path from the source is that long");
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Behind an arc of weight 0, on the host and on devices: one of another weight holds nobody at the same distance. */
static void only_arcs_of_weight_0_hold_at_one_distance(void **state)
{
    static const double arcs[][3] = {{0, 1, 5}, {1, 2, 0}, {2, 3, 3}, {1, 4, 2}};
    double distances[] = {0, 5, 5, 8, 7};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = WRITTEN(5, arcs);
    HOLDS(graph, weir_sssp_certify(context, graph, 0, distances, NULL));
    distances[3] = 5;
    BROKEN(graph, weir_sssp_certify(context, graph, 0, distances, NULL),
           "vertex 3 has distance 5, but no path from the source is that long");
    distances[3] = 8;
    distances[4] = 5;
    BROKEN(graph, weir_sssp_certify(context, graph, 0, distances, NULL),
           "vertex 4 has distance 5, but no path from the source is that long");
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Long arcs to which short ones add nothing go round in a circle too. */
static void arcs_that_are_lost_in_a_sum_hold_nobody(void **state)
{
    static const double arcs[][3] = {{0, 1, 1e17}, {1, 2, .5}, {2, 1, .5}, {3, 4, .5}, {4, 3, .5}};
    double distances[] = {0, 1e17, 1e17, INF, INF};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = WRITTEN(5, arcs);
    HOLDS(graph, weir_sssp_certify(context, graph, 0, distances, NULL));
    distances[3] = distances[4] = 1e17;
    BROKEN(graph, weir_sssp_certify(context, graph, 0, distances, NULL),
           "vertex 3 has distance 1e+17, but no path from the source is that long");
    distances[3] = distances[4] = 4; /* an arc of 0.5 is not lost there: one offers less */
    STATUS(weir_sssp_certify(context, graph, 0, distances, NULL), WEIR_ERR_VERIFY);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void any_wrong_distance_is_found(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:8,6", 0);
    weigh(graph, "random:0-3");
    double *distances = distances_of(graph, 3);
    weir__certify_pretend(graph->arcs / 20);
    for (uint64_t v = 0; v < graph->vertices; v += 5 * (uint64_t)test_stride())
        for (int by = -1; by < 2; by += 2) {
            const double right = distances[v];
            distances[v] = right < INF ? right + by : 17 + by;
            STATUS(weir_sssp_certify(context, graph, 3, distances, NULL), WEIR_ERR_VERIFY);
            distances[v] = right;
        }
    weir__certify_pretend(0);
    free(distances);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void bad_graphs_are_refused(void **state)
{
    static const double arcs[][3] = {{0, 1, .5}, {1, 2, -.25}};
    const double distances[3] = {0, .5, .25};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = WRITTEN(3, arcs), *bare = open_graph("grid:3x1", 0);
    STATUS(weir_sssp_certify(context, graph, 0, distances, NULL), WEIR_ERR_INVALID);
    assert_detail_has("arc 1 of ");
    assert_detail_has("weighs -0.25: not 0 or more");
    STATUS(weir_sssp_certify(context, bare, 0, distances, NULL), WEIR_ERR_INVALID);
    assert_detail_has("shortest paths need weights");
    weigh(bare, "unit");
    STATUS(weir_sssp_certify(context, bare, 3, distances, NULL), WEIR_ERR_INVALID);
    STATUS(weir_sssp_certify(NULL, bare, 0, distances, NULL), WEIR_ERR_INVALID);
    STATUS(weir_sssp_certify(context, NULL, 0, distances, NULL), WEIR_ERR_INVALID);
    STATUS(weir_sssp_certify(context, bare, 0, NULL, NULL), WEIR_ERR_INVALID);
    weir_graph_destroy(graph);
    weir_graph_destroy(bare);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(right_distances_pass),
        ON_EACH_SPEC(real_weights_pass),
        ON_EACH_SPEC(runs_pass),
        ON_EACH_SPEC(wrong_distances_are_named),
        ON_EACH_SPEC(circles_of_weight_0_hold_nobody),
        ON_EACH_SPEC(only_arcs_of_weight_0_hold_at_one_distance),
        ON_EACH_SPEC(arcs_that_are_lost_in_a_sum_hold_nobody),
        ON_EACH_SPEC(any_wrong_distance_is_found),
        ON_BACKEND(bad_graphs_are_refused, "host:2"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
