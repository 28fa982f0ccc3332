/** @file test_graph_facts.c  Summaries against a count in the plainest way, what is dropped, and graphs made undirected. */
#include "tests/algorithms/graph_fixture.h"
#include "algorithms/graph/arcs.h"
#include "algorithms/graph/random.h"
#include "algorithms/graph/reverse.h"
#include "tests/lib/support.h"

static int class_of(uint64_t degree)
{
    int class = 0;
    while (degree >> class)
        class ++;
    return class;
}

static int has_arc(const weir_graph *graph, uint64_t from, uint64_t to)
{
    for (uint64_t i = graph->offsets[from]; i < graph->offsets[from + 1]; i++)
        if (graph->targets[i] == to)
            return 1;
    return 0;
}

static void assert_summary(const weir_graph *graph)
{
    weir_graph_summary have = WEIR_GRAPH_SUMMARY_INIT, want = WEIR_GRAPH_SUMMARY_INIT;
    uint64_t *in = calloc(graph->vertices + 1, sizeof *in);
    double sum = 0;
    assert_non_null(in);
    want.symmetric = 1;
    for (uint64_t v = 0; v < graph->vertices; v++)
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            in[graph->targets[i]]++;
            want.symmetric &= has_arc(graph, graph->targets[i], v);
            sum += graph->weights_u32 ? graph->weights_u32[i] : 0;
        }
    for (uint64_t v = 0; v < graph->vertices; v++) {
        const uint64_t out = graph->offsets[v + 1] - graph->offsets[v];
        want.out_degrees[class_of(out)]++;
        want.in_degrees[class_of(in[v])]++;
        want.isolated += !out && !in[v];
        if (out > want.degree_max) {
            want.degree_max = out;
            want.degree_max_vertex = v;
        }
        if (in[v] > want.in_degree_max) {
            want.in_degree_max = in[v];
            want.in_degree_max_vertex = v;
        }
    }
    OK(weir_graph_summarize(graph, &have));
    assert_int_equal(have.symmetric, want.symmetric);
    assert_int_equal(have.isolated, want.isolated);
    assert_int_equal(have.degree_max, want.degree_max);
    assert_int_equal(have.degree_max_vertex, want.degree_max_vertex);
    assert_int_equal(have.in_degree_max, want.in_degree_max);
    assert_int_equal(have.in_degree_max_vertex, want.in_degree_max_vertex);
    assert_memory_equal(have.out_degrees, want.out_degrees, sizeof want.out_degrees);
    assert_memory_equal(have.in_degrees, want.in_degrees, sizeof want.in_degrees);
    if (graph->arcs)
        assert_true(have.weight_mean >= sum / (double)graph->arcs - 1e-9 &&
                    have.weight_mean <= sum / (double)graph->arcs + 1e-9);
    free(in);
}

static const char *const graphs[] = {"rmat:9",        "rmat:9,1",     "uniform:8",
                                     "grid:40x40,.5", "star:300",     "chain:1",
                                     "complete:20",   "grid:20x20,0", "tree:100,3"};
enum { GRAPHS = sizeof graphs / sizeof *graphs };

static void summaries(void **state)
{
    static const weir_weights weights = {
        .kind = WEIR_WEIGHTS_RANDOM, .low = 1, .high = 1000, .seed = 3};
    (void)state;
    for (int g = 0; g < 2 * GRAPHS; g++) {
        weir_graph *graph = open_graph(graphs[g / 2], g % 2);
        assert_summary(graph);
        OK(weir_graph_weigh(graph, &weights));
        assert_summary(graph);
        weir_graph_destroy(graph);
    }
}

/* Undirected: what opening with that option gives, without weights. */
static void undirected(void **state)
{
    (void)state;
    for (int g = 0; g < GRAPHS; g++) {
        weir_graph *graph = open_graph(graphs[g], 0), *want = open_graph(graphs[g], 1), *have;
        OK(weir_graph_undirected(graph, &have));
        assert_same(have, want);
        assert_string_equal(have->name, graph->name);
        weir_graph_destroy(have);
        weir_graph_destroy(want);
        weir_graph_destroy(graph);
    }
}

/* The depths of searches from everywhere, with arcs both ways. */
static void assert_span(const weir_graph *graph)
{
    weir_graph_span span = WEIR_GRAPH_SPAN_INIT;
    const uint64_t n = graph->vertices;
    uint32_t *label = malloc(n * sizeof *label);
    int32_t *level = malloc(n * sizeof *level);
    uint64_t components = 0, largest = 0, diameter = 0, of = 0;
    weir_graph *edges;
    assert_true(label && level);
    OK(weir_graph_undirected(graph, &edges));
    OK(weir_cc_reference(edges, label));
    for (uint64_t v = 0; v < n; v++) {
        uint64_t size = 0;
        for (uint64_t u = 0; u < n && label[v] == v; u++)
            size += label[u] == v;
        components += label[v] == v;
        if (size > largest) {
            largest = size;
            of = v;
        }
    }
    for (uint64_t v = 0; v < n; v++) {
        if (label[v] != of)
            continue;
        OK(weir_bfs_reference(edges, v, level));
        for (uint64_t u = 0; u < n; u++)
            diameter = level[u] > (int64_t)diameter ? (uint64_t)level[u] : diameter;
    }
    OK(weir_graph_span_find(graph, &span));
    assert_int_equal(span.components, components);
    assert_int_equal(span.largest, largest);
    if (span.diameter_least > diameter || span.diameter_most < diameter ||
        span.diameter_most > 2 * span.diameter_least || !span.searches || span.searches > 4)
        fail_msg("%s: a diameter of %llu, found %llu to %llu by %llu searches", graph->name,
                 (unsigned long long)diameter, (unsigned long long)span.diameter_least,
                 (unsigned long long)span.diameter_most, (unsigned long long)span.searches);
    weir_graph_destroy(edges);
    free(label);
    free(level);
}

static void spans(void **state)
{
    static const char *const more[] = {"chain:2",      "chain:300",          "smallworld:200,4,0.1",
                                       "grid:60x5,.7", "mesh:15x15,shuffle", "rmat:7,2"};
    weir_graph_span span = WEIR_GRAPH_SPAN_INIT;
    weir_graph *graph;
    (void)state;
    for (int g = 0; g < GRAPHS + 6; g++) {
        graph = open_graph(g < GRAPHS ? graphs[g] : more[g - GRAPHS], 0);
        assert_span(graph);
        weir_graph_destroy(graph);
    }
    OK(weir_graph_from_arcs(0, 0, NULL, NULL, NULL, NULL, &graph));
    OK(weir_graph_span_find(graph, &span));
    assert_int_equal(span.components, 0);
    assert_int_equal(span.searches, 0);
    weir_graph_destroy(graph);
}

static void what_is_dropped(void **state)
{
    static const uint32_t from[] = {0, 1, 1, 2, 0, 0, 2, 1}, to[] = {1, 0, 1, 2, 1, 1, 2, 2};
    static const double weights[] = {5, 4, 3, 2, 1, 6, 0.5, 9};
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph;
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        options.undirected = 0;
        OK(weir_graph_from_arcs(3, 8, from, to, weighted ? weights : NULL, &options, &graph));
        assert_int_equal(graph->arcs, 3); /* 0 1, 1 0, 1 2 */
        assert_int_equal(graph->loops_dropped, 3);
        assert_int_equal(graph->duplicates_dropped, 2);
        weir_graph_destroy(graph);
        options.undirected = 1;
        OK(weir_graph_from_arcs(3, 8, from, to, weighted ? weights : NULL, &options, &graph));
        assert_int_equal(graph->arcs, 4);
        assert_int_equal(graph->loops_dropped, 3);
        assert_int_equal(graph->duplicates_dropped, 2 * 5 - 4);
        weir_graph_destroy(graph);
    }
    graph = open_graph(put_text("loops.el", "0 0\n0 1\n0 1\n1 0\n2 2\n"), 0);
    assert_int_equal(graph->loops_dropped, 2);
    assert_int_equal(graph->duplicates_dropped, 1);
    weir_graph_destroy(graph);
    graph = open_graph("grid:5x5", 0); /* written row by row */
    assert_int_equal(graph->loops_dropped, 0);
    assert_int_equal(graph->duplicates_dropped, 0);
    weir_graph_destroy(graph);
    OK(weir_graph_from_arcs(0, 0, NULL, NULL, NULL, NULL, &graph));
    assert_int_equal(graph->loops_dropped, 0);
    assert_summary(graph);
    weir_graph_destroy(graph);
}

/* Edges of random ends, each as two arcs with the same weight. Of the first `turned` ones the arc back begins one vertex further, so that
 * neither has a reverse but by chance. */
static weir_graph *of_pairs(uint64_t n, uint64_t pairs, uint64_t turned, uint64_t seed)
{
    uint32_t *from = malloc(2 * pairs * sizeof *from + 1), *to = malloc(2 * pairs * sizeof *to + 1);
    double *weights = malloc(2 * pairs * sizeof *weights + 1);
    weir_graph *graph;
    assert_true(from && to && weights);
    for (uint64_t i = 0; i < pairs; i++) {
        const uint32_t a = (uint32_t)weir__below(weir__random(seed, 2 * i), n),
                       b = (uint32_t)weir__below(weir__random(seed, 2 * i + 1), n);
        from[2 * i] = to[2 * i + 1] = a;
        from[2 * i + 1] = to[2 * i] = i < turned ? (b + 1) % (uint32_t)n : b;
        if (i < turned)
            to[2 * i] = b;
        weights[2 * i] = weights[2 * i + 1] =
            (double)((a < b ? a * UINT64_C(31) + b : b * UINT64_C(31) + a) % 7);
    }
    OK(weir_graph_from_arcs(n, 2 * pairs, from, to, weights, NULL, &graph));
    free(from);
    free(to);
    free(weights);
    return graph;
}

static int looked_up(const weir_graph *graph, const uint32_t *weights)
{
    for (uint64_t v = 0; v < graph->vertices; v++)
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            const uint64_t back = weir__arc_find(graph, graph->targets[i], v);
            if (back == UINT64_MAX || (weights && weights[i] != weights[back]))
                return 0;
        }
    return 1;
}

/* Graphs that are symmetric, and others by one edge or by one weight, of several chunks of arcs too. */
static void reverses_are_found(void **state)
{
    static const uint64_t sizes[][2] = {{1, 0}, {2, 1}, {5, 8}, {300, 900}, {40000, 200000}};
    int seen[2] = {0, 0};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint64_t seed = 0; seed < 12; seed++) {
            weir_graph *graph =
                of_pairs(sizes[s][0], sizes[s][1], seed % 3 < sizes[s][1] ? seed % 3 : 0, seed);
            const int want = looked_up(graph, NULL), weighed = looked_up(graph, graph->weights_u32);
            assert_int_equal(weir__graph_symmetric(graph, NULL), want);
            assert_int_equal(weir__graph_symmetric(graph, graph->weights_u32), weighed);
            seen[want]++;
            if (weighed && graph->arcs) { /* one weight of all */
                uint32_t *weights = malloc(graph->arcs * sizeof *weights);
                assert_non_null(weights);
                memcpy(weights, graph->weights_u32, graph->arcs * sizeof *weights);
                weights[weir__below(weir__random(seed, 99), graph->arcs)]++;
                assert_false(weir__graph_symmetric(graph, weights));
                free(weights);
            }
            weir_graph_destroy(graph);
        }
    assert_true(seen[0] > 20 && seen[1] > 20);
}

/* Many at once, or so few that no register is full, of pairs too, are what each comes to by itself. */
static void sums_are_those_of_each(void **state)
{
    enum { MOST = 40 };
    uint32_t numbers[2 * MOST];
    (void)state;
    for (uint64_t i = 0; i < 2 * MOST; i++) {
        const uint64_t bits = weir__random(5, i);
        numbers[i] = i % 5 ? (uint32_t)bits : (uint32_t)bits % 3 - 1;
    }
    for (uint64_t count = 0; count <= MOST; count++)
        for (unsigned stride = 1; stride <= 2; stride++)
            for (int weighted = 0; weighted <= 1; weighted++)
                for (int which = WEIR__REVERSE_FIRST; which <= WEIR__REVERSE_ALL; which++) {
                    const uint32_t *weights = weighted ? numbers + (stride == 2 ? 1 : MOST) : NULL;
                    const struct weir__reverse got =
                        weir__reverse_sums(which, numbers, weights, stride, 7, count);
                    struct weir__reverse want = {0, 0, 0};
                    for (uint64_t i = 0; i < count; i++) {
                        const struct weir__reverse of = weir__reverse_of(numbers[i * stride] + 7);
                        const uint64_t weight =
                            weights ? weir__reverse_weight(weights[i * stride]) : 1;
                        want.first += which != WEIR__REVERSE_SECOND ? weight * of.first : 0;
                        want.second += which != WEIR__REVERSE_FIRST ? weight * of.second : 0;
                        want.third += which == WEIR__REVERSE_ALL ? weight * of.third : 0;
                    }
                    assert_memory_equal(&got, &want, sizeof want);
                }
    assert_int_not_equal(weir__reverse_weight(0x9E3779B9), 0);
    assert_int_not_equal(weir__reverse_weight(UINT32_MAX), weir__reverse_weight(UINT64_C(1) << 32));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_each),
        cmocka_unit_test(summaries),
        cmocka_unit_test(undirected),
        cmocka_unit_test(spans),
        cmocka_unit_test(reverses_are_found),
        cmocka_unit_test(what_is_dropped),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
