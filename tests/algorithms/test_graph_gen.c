/** @file test_graph_gen.c  Generators: the same text gives the same graph, whatever the threads. */
#include "tests/algorithms/graph_fixture.h"

#include "algorithms/graph/arcs.h"
#include "algorithms/graph/build.h"
#include "algorithms/graph/draw.h"
#include "algorithms/graph/random.h"

static weir_graph *made_by(const char *text, int undirected, uint32_t threads)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph;
    options.undirected = undirected;
    options.threads = threads;
    assert_int_equal(weir_graph_open(text, &options, &graph), WEIR_OK);
    assert_sound(graph);
    assert_string_equal(graph->name, text);
    assert_string_equal(graph->format, "generator");
    return graph;
}

static void threads_change_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {"rmat:13",
                                        "rmat:10,40,7",
                                        "rmat:11,9,3,unshuffled",
                                        "grid:300x171",
                                        "grid:171x300,.6,9",
                                        "uniform:13",
                                        "uniform:10,40,7",
                                        "mesh:300x171",
                                        "mesh:171x300,shuffle,9",
                                        "chain:40000",
                                        "star:40000",
                                        "complete:300",
                                        "tree:40000",
                                        "tree:40000,7",
                                        "smallworld:20000",
                                        "smallworld:20000,12,.5,3"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (int undirected = 0; undirected <= 1; undirected++) {
            weir_graph *one = made_by(texts[i], undirected, 1);
            for (uint32_t threads = 0; threads <= 7; threads += 3) {
                weir_graph *more = made_by(texts[i], undirected, threads);
                assert_same(one, more);
                weir_graph_destroy(more);
            }
            weir_graph_destroy(one);
        }
    }
}

/* What says that it has the reverse of every arc is looked up here. */
static void mirrored_ones_are_symmetric(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "rmat:9",   "uniform:9", "grid:30x17,.6", "mesh:30x17", "mesh:30x17,shuffle",
        "chain:90", "star:90",   "complete:30",   "tree:90,3",  "smallworld:200"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (int undirected = 0; undirected <= 1; undirected++) {
            weir_graph *graph = made_by(texts[i], undirected, 0), asked = *graph;
            asked.mirrored = 0;
            if (graph->mirrored)
                assert_true(weir__graph_symmetric(&asked, NULL));
            assert_int_equal(graph->mirrored, undirected || i > 1);
            weir_graph_destroy(graph);
        }
}

/* Every vertex has one new number, and another seed gives others. */
static void relabelings_are_permutations(void **state)
{
    (void)state;
    for (uint64_t count = 1; count < 3000; count += 1 + count / 7) {
        const struct weir__relabeling first = weir__relabeling_of(count, 1),
                                      second = weir__relabeling_of(count, 2);
        uint8_t *seen = calloc(count, 1);
        uint64_t stayed = 0, equal = 0;
        assert_non_null(seen);
        for (uint64_t v = 0; v < count; v++) {
            const uint32_t to = weir__relabel(&first, v);
            assert_true(to < count && !seen[to]);
            seen[to] = 1;
            stayed += to == v;
            equal += to == weir__relabel(&second, v);
        }
        free(seen);
        if (count > 100) {
            assert_true(stayed < 20);
            assert_true(equal < 20);
        }
    }
}

/* Whatever registers the processor has: arc i is what weir__edge() says. */
static void ways_of_drawing_agree(void **state)
{
    enum { COUNT = 203 };
    static uint32_t sources[COUNT + 1], targets[COUNT + 1];
    static const uint64_t firsts[] = {0, 1, UINT64_C(1) << 32, (UINT64_C(1) << 41) + 12345};
    (void)state;
    for (uint32_t scale = 0; scale <= 31; scale++)
        for (uint32_t kind = WEIR__EDGES_RMAT; kind <= WEIR__EDGES_UNIFORM; kind++)
            for (uint32_t way = 0; way < weir__draw_ways(); way++)
                for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++) {
                    const uint64_t seed = scale * UINT64_C(0x123456789ABCDEF) + f;
                    const weir__edges edges = {
                        .kind = kind,
                        .scale = scale,
                        .seed = seed,
                        .label = weir__relabeling_of(UINT64_C(1) << scale, ~seed)};
                    const uint64_t count = f == 1 ? 5 : COUNT;
                    sources[count] = targets[count] = 77;
                    weir__draw_by(way, &edges, firsts[f], count, sources, targets);
                    for (uint64_t i = 0; i < count; i++) {
                        uint32_t source, target;
                        weir__edge(&edges, firsts[f] + i, &source, &target);
                        assert_int_equal(sources[i], source);
                        assert_int_equal(targets[i], target);
                    }
                    assert_int_equal(sources[count], 77);
                    assert_int_equal(targets[count], 77);
                }
}

static void sums_of_what_is_before(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0, 1, 63, 64, 65, 4097, (1 << 17) - 1, 1 << 17, 300001};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint64_t *values = malloc((counts[i] + 1) * sizeof *values), sum = 0;
        assert_non_null(values);
        for (uint64_t v = 0; v < counts[i]; v++)
            values[v] = v % 7;
        weir__prefix_sum(values, counts[i]);
        for (uint64_t v = 0; v <= counts[i]; sum += v++ % 7)
            assert_int_equal(values[v], sum);
        free(values);
    }
}

static void defaults(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"rmat:9", "rmat:9,16,1"},
                                           {"rmat:9,16", "rmat:9,16,1"},
                                           {"grid:20x30", "grid:20x30,1.0,1"},
                                           {"grid:20x30,0.5", "grid:20x30,.5,1"},
                                           {"uniform:9", "uniform:9,16,1"},
                                           {"uniform:9,16", "uniform:9,16,1"},
                                           {"mesh:20x30,shuffle", "mesh:20x30,shuffle,1"},
                                           {"tree:50", "tree:50,2"},
                                           {"tree:50,1", "chain:50"},
                                           {"tree:50,49", "star:50"},
                                           {"smallworld:99", "smallworld:99,8,.1,1"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        weir_graph *a = made_by(pairs[i][0], 0, 0), *b = made_by(pairs[i][1], 0, 0);
        assert_same(a, b);
        weir_graph_destroy(a);
        weir_graph_destroy(b);
    }
}

static void seeds_matter(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"rmat:9,8,1", "rmat:9,8,2"},       {"grid:50x50,.5,1", "grid:50x50,.5,2"},
        {"uniform:9,8,1", "uniform:9,8,2"}, {"mesh:9x9,shuffle,1", "mesh:9x9,shuffle,2"},
        {"mesh:9x9", "mesh:9x9,shuffle"},   {"smallworld:99,8,.1,1", "smallworld:99,8,.1,2"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        weir_graph *a = made_by(pairs[i][0], 0, 0), *b = made_by(pairs[i][1], 0, 0);
        assert_true(a->arcs != b->arcs || memcmp(a->targets, b->targets, a->arcs * 4) != 0);
        weir_graph_destroy(a);
        weir_graph_destroy(b);
    }
}

/* The shape R-MAT is known for: most arcs survive, few vertices have very many of them. */
static void rmat_shape(void **state)
{
    (void)state;
    weir_graph_summary s = WEIR_GRAPH_SUMMARY_INIT;
    weir_graph *graph = made_by("rmat:14", 1, 0);
    assert_int_equal(weir_graph_summarize(graph, &s), WEIR_OK);
    assert_int_equal(graph->vertices, 16384);
    assert_true(graph->arcs > 16384 * 20 && graph->arcs < 16384 * 32);
    assert_true(s.symmetric);
    assert_true((double)s.degree_max > 30 * s.degree_mean);
    assert_true(s.isolated > 1000 && s.isolated < 10000);
    assert_true(s.degree_max_vertex != 0); /* labels are shuffled */
    const uint64_t arcs = graph->arcs;
    weir_graph_destroy(graph);
    weir_graph_summary plain = WEIR_GRAPH_SUMMARY_INIT;
    graph = made_by("rmat:14,16,1,unshuffled", 1, 0);
    assert_int_equal(weir_graph_summarize(graph, &plain), WEIR_OK);
    assert_int_equal(graph->arcs, arcs); /* the same but for the names of its vertices */
    assert_int_equal(plain.degree_max, s.degree_max);
    assert_int_equal(plain.isolated, s.isolated);
    assert_int_equal(plain.degree_max_vertex, 0);
    /* Three of four tails lie in the upper half, and what is left of that in each half of it. */
    assert_true(graph->offsets[8192] > graph->arcs / 100 * 65);
    assert_true(graph->offsets[4096] > graph->arcs / 100 * 45);
    weir_graph_destroy(graph);
    graph = made_by("rmat:0", 0, 0);
    assert_string_equal(shown(graph), "1:");
    weir_graph_destroy(graph);
}

static void grid_shape(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"grid:3x2", "6: 0>1 0>3 1>0 1>2 1>4 2>1 2>5 3>0 3>4 4>1 4>3 4>5 5>2 5>4"},
        {"grid:1x3", "3: 0>1 1>0 1>2 2>1"},
        {"grid:3x1", "3: 0>1 1>0 1>2 2>1"},
        {"grid:1x1", "1:"},
        {"grid:2x2,0", "4:"}};
    weir_graph_summary s = WEIR_GRAPH_SUMMARY_INIT;
    for (size_t i = 0; i < 5; i++) {
        weir_graph *graph = made_by(texts[i][0], 0, 0);
        assert_string_equal(shown(graph), texts[i][1]);
        weir_graph_destroy(graph);
    }
    weir_graph *graph = made_by("grid:200x200,.65", 0, 0);
    assert_int_equal(weir_graph_summarize(graph, &s), WEIR_OK);
    assert_true(s.symmetric);
    assert_true(graph->arcs > 100000 && graph->arcs < 107000); /* .65 * 159200 */
    weir_graph_destroy(graph);
}

/* Every arc is as likely as any other: nearly all of them are there, and degrees stay near their mean. */
static void uniform_shape(void **state)
{
    (void)state;
    weir_graph_summary s = WEIR_GRAPH_SUMMARY_INIT;
    weir_graph *graph = made_by("uniform:14", 0, 0);
    uint64_t halves[2][2] = {{0, 0}, {0, 0}};
    assert_int_equal(weir_graph_summarize(graph, &s), WEIR_OK);
    assert_int_equal(graph->vertices, 16384);
    assert_true(graph->arcs > 261500 &&
                graph->arcs < 262000);                 /* of 262144, less 128 twice and 16 loops */
    assert_true(s.degree_max < 45 && s.isolated == 0); /* a mean of 16 */
    for (uint64_t v = 0; v < graph->vertices; v++)
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++)
            halves[v >> 13][graph->targets[arc] >> 13]++;
    for (int i = 0; i < 4; i++)
        assert_true(halves[i / 2][i % 2] > 64500 && halves[i / 2][i % 2] < 66500);
    weir_graph_destroy(graph);
    graph = made_by("uniform:12", 1, 0);
    assert_int_equal(weir_graph_summarize(graph, &s), WEIR_OK);
    assert_true(s.symmetric && graph->arcs > 130000 && graph->arcs <= 131072);
    weir_graph_destroy(graph);
    graph = made_by("uniform:0", 0, 0);
    assert_string_equal(shown(graph), "1:");
    weir_graph_destroy(graph);
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* By vertex, what no renumbering changes: its degree, and the sum of its neighbours' degrees; sorted. */
static uint64_t *surroundings(const weir_graph *graph)
{
    uint64_t *all = calloc(graph->vertices, sizeof *all);
    assert_non_null(all);
    for (uint64_t v = 0; v < graph->vertices; v++) {
        all[v] = (graph->offsets[v + 1] - graph->offsets[v]) << 32;
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++)
            all[v] +=
                graph->offsets[graph->targets[arc] + 1u] - graph->offsets[graph->targets[arc]];
    }
    qsort(all, graph->vertices, sizeof *all, by_number);
    return all;
}

static void mesh_shape(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"mesh:3x2", "6: 0>1 0>3 0>4 1>0 1>2 1>4 1>5 2>1 2>5 3>0 3>4 4>0 4>1 4>3 4>5 5>1 5>2 5>4"},
        {"mesh:1x3", "3: 0>1 1>0 1>2 2>1"},
        {"mesh:3x1", "3: 0>1 1>0 1>2 2>1"},
        {"mesh:2x1,shuffle", "2: 0>1 1>0"},
        {"mesh:1x1", "1:"}};
    weir_graph_summary s = WEIR_GRAPH_SUMMARY_INIT;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        weir_graph *graph = made_by(texts[i][0], 0, 0);
        assert_string_equal(shown(graph), texts[i][1]);
        weir_graph_destroy(graph);
    }
    weir_graph *plain = made_by("mesh:60x40", 0, 0), *mixed = made_by("mesh:60x40,shuffle", 0, 0);
    uint64_t *a = surroundings(plain), *b = surroundings(mixed), near = 0;
    assert_int_equal(plain->arcs, 2 * (59 * 40 + 60 * 39 + 59 * 39));
    assert_int_equal(mixed->arcs, plain->arcs);
    assert_int_equal(weir_graph_summarize(mixed, &s), WEIR_OK);
    assert_true(s.symmetric && s.degree_max == 6);
    assert_memory_equal(a, b, plain->vertices * sizeof *a);
    for (uint64_t v = 0; v < mixed->vertices; v++)
        for (uint64_t arc = mixed->offsets[v]; arc < mixed->offsets[v + 1]; arc++)
            near += mixed->targets[arc] < v + 62 && v < mixed->targets[arc] + UINT64_C(62);
    assert_true(near < mixed->arcs / 10); /* along rows it is all of them */
    free(a);
    free(b);
    weir_graph_destroy(plain);
    weir_graph_destroy(mixed);
}

static void shapes(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"chain:1", "1:"},
        {"chain:4", "4: 0>1 1>0 1>2 2>1 2>3 3>2"},
        {"star:1", "1:"},
        {"star:4", "4: 0>1 0>2 0>3 1>0 2>0 3>0"},
        {"complete:1", "1:"},
        {"complete:3", "3: 0>1 0>2 1>0 1>2 2>0 2>1"},
        {"tree:1,4294967294", "1:"},
        {"tree:6", "6: 0>1 0>2 1>0 1>3 1>4 2>0 2>5 3>1 4>1 5>2"},
        {"tree:6,3", "6: 0>1 0>2 0>3 1>0 1>4 1>5 2>0 3>0 4>1 5>1"},
        {"smallworld:5,2,0", "5: 0>1 0>4 1>0 1>2 2>1 2>3 3>2 3>4 4>0 4>3"},
        {"smallworld:1", "1:"},
        {"smallworld:2,4,0", "2: 0>1 1>0"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        weir_graph *graph = made_by(texts[i][0], 0, 0);
        assert_string_equal(shown(graph), texts[i][1]);
        weir_graph_destroy(graph);
    }
}

/* Of 40000 edges a tenth leads elsewhere; nearly all of what is drawn anew is neither there already nor a loop. */
static void small_world_shape(void **state)
{
    (void)state;
    weir_graph_summary s = WEIR_GRAPH_SUMMARY_INIT;
    weir_graph *graph = made_by("smallworld:10000", 0, 0);
    uint64_t far = 0;
    assert_int_equal(weir_graph_summarize(graph, &s), WEIR_OK);
    assert_true(s.symmetric && graph->arcs > 79900 && graph->arcs <= 80000);
    assert_in_range(s.degree_max, 12, 24);
    for (uint64_t v = 0; v < graph->vertices; v++)
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++) {
            const uint64_t apart = (graph->targets[arc] + 10000 - v) % 10000;
            far += apart > 4 && apart < 9996;
        }
    assert_in_range(far, 7400, 8600);
    weir_graph_destroy(graph);
    graph = made_by("smallworld:10000,8,1", 0, 0); /* all of them */
    assert_int_equal(weir_graph_summarize(graph, &s), WEIR_OK);
    assert_true(s.degree_max > 16);
    weir_graph_destroy(graph);
}

static void malformed(void **state)
{
    (void)state;
    static const char *const texts[] = {"rmat:",
                                        "rmat:x",
                                        "rmat:32",
                                        "rmat:-1",
                                        "rmat:5,",
                                        "rmat:5,0",
                                        "rmat:5,1025",
                                        "rmat:5,2,",
                                        "rmat:5,2,3,4",
                                        "rmat:5,2,3,",
                                        "rmat:5,2,3,unshuffle",
                                        "rmat:5,2,3,unshuffled,",
                                        "rmat:5,unshuffled",
                                        "uniform:5,2,3,unshuffled",
                                        "rmat:5 ",
                                        "rmat:5,2,x",
                                        "rmat:5x",
                                        "grid:",
                                        "grid:5",
                                        "grid:5x",
                                        "grid:0x5",
                                        "grid:5x0",
                                        "grid:5x5,",
                                        "grid:5x5,1.1",
                                        "grid:5x5,-1",
                                        "grid:5x5,nan",
                                        "grid:5x5,.5,-1",
                                        "grid:5X5",
                                        "grid:5x5,.5,1,",
                                        "grid:70000x70000",
                                        "grid:5x5,0x1",
                                        "grid:4294967295x1",
                                        "uniform:",
                                        "uniform:32",
                                        "uniform:5,0",
                                        "uniform:5,2,3,4",
                                        "uniform:5x",
                                        "mesh:",
                                        "mesh:5",
                                        "mesh:0x5",
                                        "mesh:5x5,",
                                        "mesh:5x5,mixed",
                                        "mesh:5x5,shuffled",
                                        "mesh:5x5,shuffle,",
                                        "mesh:5x5,shuffle,x",
                                        "mesh:5x5,.5",
                                        "mesh:70000x70000",
                                        "chain:",
                                        "chain:0",
                                        "chain:5,2",
                                        "star:4294967295",
                                        "star:5x5",
                                        "complete:0",
                                        "tree:",
                                        "tree:5,0",
                                        "tree:5,2,1",
                                        "smallworld:0",
                                        "smallworld:9,3",
                                        "smallworld:9,0",
                                        "smallworld:9,1026",
                                        "smallworld:9,4,1.5",
                                        "smallworld:9,4,.5,x",
                                        "smallworld:9,4,.5,1,",
                                        "rmat:5,2,99999999999999999999"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        weir_graph *graph = (weir_graph *)&graph;
        weir_status status = weir_graph_open(texts[i], NULL, &graph);
        if (status != WEIR_ERR_INVALID || graph)
            fail_msg("%s was taken: %d", texts[i], status);
        assert_non_null(strstr(weir_error_detail(), texts[i]));
        if (!strstr(texts[i], "70000"))
            assert_non_null(strstr(weir_error_detail(), "write "));
    }
}

static void list_makes_the_graph(void **state)
{
    static const char *const texts[] = {"rmat:8,4,3", "uniform:8,4,3", "rmat:0,7", "rmat:9"};
    static const uint64_t counts[] = {1024, 1024, 7, 8192};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const uint64_t count = counts[i], cut = count / 3;
        uint32_t *from = calloc(count, sizeof *from), *to = calloc(count, sizeof *to), one[2];
        weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
        assert_true(from && to);
        assert_int_equal(weir_generator_arcs(texts[i], 0, cut, from, to), WEIR_OK);
        assert_int_equal(weir_generator_arcs(texts[i], cut, count - cut, from + cut, to + cut),
                         WEIR_OK);
        assert_int_equal(weir_generator_arcs(texts[i], count, 0, NULL, NULL), WEIR_OK);
        assert_int_equal(weir_generator_arcs(texts[i], cut, 1, &one[0], &one[1]), WEIR_OK);
        assert_true(one[0] == from[cut] && one[1] == to[cut]);
        for (int both = 0; both < 2; both++) {
            weir_graph *made, *want;
            options.undirected = both;
            assert_int_equal(weir_graph_open(texts[i], &options, &want), WEIR_OK);
            assert_int_equal(
                weir_graph_from_arcs(want->vertices, count, from, to, NULL, &options, &made),
                WEIR_OK);
            assert_int_equal(made->arcs, want->arcs);
            assert_int_equal(made->loops_dropped, want->loops_dropped);
            assert_memory_equal(made->offsets, want->offsets, (want->vertices + 1) * 8);
            assert_memory_equal(made->targets, want->targets, want->arcs * 4);
            weir_graph_destroy(made);
            weir_graph_destroy(want);
        }
        free(from);
        free(to);
    }
}

static void no_such_list(void **state)
{
    static const struct {
        const char *text, *says;
        uint64_t first, count;
    } wrong[] = {{"grid:5x5", "only graphs of rmat: and uniform: are made of a list", 0, 1},
                 {"nothing", "only graphs of rmat: and uniform: are made of a list", 0, 1},
                 {"rmat:", "write rmat:SCALE", 0, 1},
                 {"uniform:40", "write uniform:SCALE", 0, 1},
                 {"rmat:3,2,1", "arcs 0 to 17 are not within its 16", 0, 17},
                 {"rmat:3,2,1", "arcs 17 to 17 are not within its 16", 17, 0},
                 {NULL, "no text", 0, 1}};
    uint32_t from[32], to[32];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(
            weir_generator_arcs(wrong[i].text, wrong[i].first, wrong[i].count, from, to),
            WEIR_ERR_INVALID);
        assert_non_null(strstr(weir_error_detail(), wrong[i].says));
    }
    assert_int_equal(weir_generator_arcs("rmat:3", UINT64_MAX, 2, from, to), WEIR_ERR_INVALID);
    assert_int_equal(weir_generator_arcs("rmat:3", 0, 1, NULL, to), WEIR_ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(mirrored_ones_are_symmetric),
        cmocka_unit_test(relabelings_are_permutations),
        cmocka_unit_test(ways_of_drawing_agree),
        cmocka_unit_test(sums_of_what_is_before),
        cmocka_unit_test(defaults),
        cmocka_unit_test(seeds_matter),
        cmocka_unit_test(rmat_shape),
        cmocka_unit_test(grid_shape),
        cmocka_unit_test(uniform_shape),
        cmocka_unit_test(mesh_shape),
        cmocka_unit_test(shapes),
        cmocka_unit_test(small_world_shape),
        cmocka_unit_test(malformed),
        cmocka_unit_test(list_makes_the_graph),
        cmocka_unit_test(no_such_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
