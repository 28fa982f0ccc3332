/** @file test_weights.c  Weights by name, by edge, in place of those a graph has. */
#include "runtime/internal.h"
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

static void give(weir_graph *graph, const char *text)
{
    weir_weights weights;
    OK(weir_weights_parse(text, &weights));
    OK(weir_graph_weigh(graph, &weights));
    assert_sound(graph);
}

/* The weight of the arc from u to v. */
static uint32_t weight(const weir_graph *graph, uint32_t u, uint32_t v)
{
    for (uint64_t arc = graph->offsets[u]; arc < graph->offsets[u + 1]; arc++)
        if (graph->targets[arc] == v)
            return graph->weights_u32[arc];
    fail_msg("%s has no arc from %u to %u", graph->name, u, v);
    return 0;
}

static weir_graph *weighted(const double *weights)
{
    static const uint32_t sources[] = {0, 1, 2}, targets[] = {1, 2, 0};
    weir_graph *graph;
    OK(weir_graph_from_arcs(3, 3, sources, targets, weights, NULL, &graph));
    return graph;
}

/* ---- names ---- */

static void names_are_understood(void **state)
{
    static const struct {
        const char *text;
        weir_weights is;
    } cases[] = {
        {"auto", {WEIR_WEIGHTS_AUTO, 1, 255, 1, 0}},
        {"file", {WEIR_WEIGHTS_FILE, 1, 255, 1, 0}},
        {"unit", {WEIR_WEIGHTS_UNIT, 1, 255, 1, 0}},
        {"random", {WEIR_WEIGHTS_RANDOM, 1, 255, 1, 0}},
        {"random:3-9", {WEIR_WEIGHTS_RANDOM, 3, 9, 1, 0}},
        {"random:7-7:0", {WEIR_WEIGHTS_RANDOM, 7, 7, 0, 0}},
        {"random:0-1:5", {WEIR_WEIGHTS_RANDOM, 0, 1, 5, 0}},
        {"random:0-4294967295:18446744073709551615",
         {WEIR_WEIGHTS_RANDOM, 0, UINT32_MAX, UINT64_MAX, 0}},
        /* HI has 2^21 units or more, but below 2^22 */
        {"random:0-1f", {WEIR_WEIGHTS_FLOATS, 0, 1 << 21, 1, -21}},
        {"random:0.5-1f:7", {WEIR_WEIGHTS_FLOATS, 1 << 20, 1 << 21, 7, -21}},
        {"random:1e-3-1.5e0f", {WEIR_WEIGHTS_FLOATS, 2097, 3 << 20, 1, -21}},
        {"random:1e-30-1f", {WEIR_WEIGHTS_FLOATS, 1, 1 << 21, 1, -21}}, /* above 0 stays so */
        {"random:0.1-0.1f", {WEIR_WEIGHTS_FLOATS, 3355443, 3355443, 1, -25}},
        {"random:0-1.99999999f", {WEIR_WEIGHTS_FLOATS, 0, (1 << 22) - 1, 1, -21}},
        {"random:1-255f", {WEIR_WEIGHTS_FLOATS, 1 << 14, 255 << 14, 1, -14}},
        {"random:0-3e38f", {WEIR_WEIGHTS_FLOATS, 0, 3697785, 1, 106}},
        {"random:0-1.2e-38f", {WEIR_WEIGHTS_FLOATS, 0, 2140872, 1, -147}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_weights weights;
        OK(weir_weights_parse(cases[i].text, &weights));
        assert_int_equal(weights.kind, cases[i].is.kind);
        assert_int_equal(weights.low, cases[i].is.low);
        assert_int_equal(weights.high, cases[i].is.high);
        assert_true(weights.seed == cases[i].is.seed);
        assert_int_equal(weights.exponent, cases[i].is.exponent);
    }
}

static void other_names_are_refused(void **state)
{
    static const char *const texts[] = {"",
                                        "AUTO",
                                        "auto ",
                                        "unit:1",
                                        "files",
                                        "randoms",
                                        "random:",
                                        "random:1",
                                        "random:1-",
                                        "random:-2",
                                        "random:5-4",
                                        "random:0-0",
                                        "random:1-2:",
                                        "random:1-2:x",
                                        "random:1-2:3:4",
                                        "random:1-2,3",
                                        "random:1--2",
                                        "random: 1-2",
                                        "random:+1-2",
                                        "random:1-4294967296",
                                        "random:1-2:18446744073709551616"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        weir_weights weights = {WEIR_WEIGHTS_UNIT, 7, 7, 7, 0};
        STATUS(weir_weights_parse(texts[i], &weights), WEIR_ERR_INVALID);
        assert_detail_has("random:LO-HI[:SEED]");
        assert_int_equal(weights.high, 0);
    }
}

static void floats_are_refused_by_what_is_wrong(void **state)
{
    static const struct {
        const char *text, *detail;
    } cases[] = {
        {"random:2-1f", "LO is above HI"},
        {"random:-1-1f", "weights are not negative"},
        {"random:0--1f", "weights are not negative"},
        {"random:nan-1f", "that is no range of numbers"},
        {"random:0-inff", "that is no range of numbers"},
        {"random:0-1ff", "that is no range of numbers"},
        {"random:1f", "that is no range of numbers"},
        {"random:f", "that is no range of numbers"},
        {"random:0-f", "that is no range of numbers"},
        {"random:0-1f:x", "that is no range of numbers"},
        {"random:0-1f:", "that is no range of numbers"},
        {"random:0-1f:1:2", "that is no range of numbers"},
        {"random: 0-1f", "that is no range of numbers"},
        {"random:1e-400-1f", "too small for any double"},
        {"random:0-0f", "HI is no number of single precision above 0"},
        {"random:0-1e39f", "HI is no number of single precision above 0"},
        {"random:0-1e-39f", "HI is no number of single precision above 0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_weights weights = {WEIR_WEIGHTS_UNIT, 7, 7, 7, 7};
        STATUS(weir_weights_parse(cases[i].text, &weights), WEIR_ERR_INVALID);
        assert_detail_has(cases[i].detail);
        assert_detail_has("random:LO-HIf[:SEED]");
        assert_int_equal(weights.high, 0);
    }
}

/* ---- which weights ---- */

static void auto_keeps_what_there_is(void **state)
{
    const double whole[] = {3, 0, 9}, real[] = {.5, -2, 9};
    (void)state;
    weir_graph *graph = weighted(whole);
    give(graph, "auto");
    assert_string_equal(shown(graph), "3: 0>1/3 1>2/0 2>0/9");
    give(graph, "file");
    assert_string_equal(shown(graph), "3: 0>1/3 1>2/0 2>0/9");
    weir_graph_destroy(graph);
    graph = weighted(real); /* who needs positive ones says so */
    give(graph, "auto");
    assert_string_equal(shown(graph), "3: 0>1/0.5 1>2/-2 2>0/9");
    weir_graph_destroy(graph);
}

static void auto_draws_where_there_are_none(void **state)
{
    weir_graph *graph = weighted(NULL), *other = weighted(NULL);
    (void)state;
    give(graph, "auto");
    give(other, "random:1-255:1");
    assert_same(graph, other);
    const weir_weights zeroed = {.kind = WEIR_WEIGHTS_RANDOM, .seed = 1};
    give(other, "unit");
    OK(weir_graph_weigh(other, &zeroed));
    assert_same(graph, other);
    weir_graph_destroy(other);
    weir_graph_destroy(graph);
}

static void what_was_there_is_replaced(void **state)
{
    const double real[] = {.5, -2, 9};
    (void)state;
    weir_graph *graph = weighted(real);
    give(graph, "unit");
    assert_string_equal(shown(graph), "3: 0>1/1 1>2/1 2>0/1");
    give(graph, "random:7-7");
    assert_string_equal(shown(graph), "3: 0>1/7 1>2/7 2>0/7");
    weir_graph_destroy(graph);
}

static void refusals_change_nothing(void **state)
{
    const weir_weights backwards = {WEIR_WEIGHTS_RANDOM, 9, 3, 1, 0},
                       unknown = {(weir_weights_kind)9, 1, 2, 1, 0},
                       file = {.kind = WEIR_WEIGHTS_FILE};
    (void)state;
    weir_graph *graph = weighted(NULL);
    STATUS(weir_graph_weigh(graph, &file), WEIR_ERR_INVALID);
    assert_detail("arcs has no weights: ask for random or unit ones");
    STATUS(weir_graph_weigh(graph, &backwards), WEIR_ERR_INVALID);
    STATUS(weir_graph_weigh(graph, &unknown), WEIR_ERR_INVALID);
    assert_string_equal(shown(graph), "3: 0>1 1>2 2>0");
    give(graph, "unit");
    weir__fault_arm(WEIR__FAULT_ALLOC, 1);
    STATUS(weir_graph_weigh(graph, &(weir_weights){WEIR_WEIGHTS_RANDOM, 1, 5, 1, 0}),
           WEIR_ERR_NOMEM);
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    assert_string_equal(shown(graph), "3: 0>1/1 1>2/1 2>0/1");
    weir_graph_destroy(graph);
}

/* ---- random ones ---- */

/* Computed elsewhere: the definition stays, or recorded answers are worth nothing. */
static void the_definition_stays(void **state)
{
    static const uint32_t sources[] = {0, 1, 3, 7}, targets[] = {1, 2, 0, 1000000};
    static const uint32_t by_seed[] = {7, 9, 3, 7, 7, 3};
    weir_graph *graph;
    (void)state;
    OK(weir_graph_from_arcs(1000001, 4, sources, targets, NULL, NULL, &graph));
    give(graph, "random");
    assert_int_equal(weight(graph, 0, 1), 241);
    assert_int_equal(weight(graph, 1, 2), 53);
    assert_int_equal(weight(graph, 3, 0), 199);
    assert_int_equal(weight(graph, 7, 1000000), 51);
    give(graph, "random:0-4294967295:9");
    assert_int_equal(weight(graph, 0, 1), 384224091u);
    assert_int_equal(weight(graph, 1, 2), 2462833837u);
    assert_int_equal(weight(graph, 3, 0), 526190291u);
    assert_int_equal(weight(graph, 7, 1000000), 2122472204u);
    for (uint64_t seed = 0; seed < 6; seed++) {
        OK(weir_graph_weigh(graph, &(weir_weights){WEIR_WEIGHTS_RANDOM, 3, 9, seed, 0}));
        assert_int_equal(weight(graph, 0, 1), by_seed[seed]);
    }
    weir_graph_destroy(graph);
}

static void both_directions_weigh_the_same(void **state)
{
    (void)state;
    weir_graph *graph = open_graph("rmat:12,8", 1), *directed = open_graph("rmat:12,8", 0);
    give(graph, "random:1-1000000:4");
    give(directed, "random:1-1000000:4");
    for (uint32_t u = 0; u < graph->vertices; u++)
        for (uint64_t arc = graph->offsets[u]; arc < graph->offsets[u + 1]; arc++)
            assert_int_equal(graph->weights_u32[arc], weight(graph, graph->targets[arc], u));
    for (uint32_t u = 0; u < directed->vertices; u++)
        for (uint64_t arc = directed->offsets[u]; arc < directed->offsets[u + 1]; arc++)
            assert_int_equal(directed->weights_u32[arc], weight(graph, u, directed->targets[arc]));
    weir_graph_destroy(directed);
    weir_graph_destroy(graph);
}

static void load_order_does_not_matter(void **state)
{
    (void)state;
    enum { ARCS = 3000, VERTICES = 400 };
    static uint32_t sources[ARCS], targets[ARCS], backwards_s[ARCS], backwards_t[ARCS];
    uint64_t random = 5;
    weir_graph *graph, *other;
    for (uint32_t i = 0; i < ARCS; i++) {
        backwards_s[ARCS - 1 - i] = sources[i] = (uint32_t)(next_random(&random) % VERTICES);
        backwards_t[ARCS - 1 - i] = targets[i] = (uint32_t)(next_random(&random) % VERTICES);
    }
    OK(weir_graph_from_arcs(VERTICES, ARCS, sources, targets, NULL, NULL, &graph));
    OK(weir_graph_from_arcs(VERTICES, ARCS, backwards_s, backwards_t, NULL, NULL, &other));
    give(graph, "random");
    give(other, "random");
    assert_same(graph, other);
    weir_graph_destroy(other);
    weir_graph_destroy(graph);
}

/* Chunks of arcs begin within rows, at their ends and at empty ones. */
static void every_arc_gets_its_own(void **state)
{
    (void)state;
    weir_graph *graph = open_graph("rmat:16,8", 0);
    assert_true(graph->arcs > 3 << 16); /* several chunks */
    give(graph, "random:1-65536");      /* the top 16 bits */
    for (uint32_t u = 0; u < graph->vertices; u++)
        for (uint64_t arc = graph->offsets[u]; arc < graph->offsets[u + 1]; arc++) {
            static const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15);
            uint64_t v = graph->targets[arc], edge = u < v ? (uint64_t)u << 32 | v : v << 32 | u;
            uint64_t key = 1, bits; /* two draws of splitmix64: of the seed, then of the edge */
            bits = next_random(&key) + edge * golden;
            bits = next_random(&bits);
            assert_int_equal(graph->weights_u32[arc], 1 + (bits >> 48));
        }
    weir_graph_destroy(graph);
}

static void all_values_come_about_as_often(void **state)
{
    (void)state;
    uint64_t count[9] = {0};
    weir_graph *graph = open_graph("rmat:14,8", 0);
    give(graph, "random:1-8");
    for (uint64_t arc = 0; arc < graph->arcs; arc++) {
        assert_in_range(graph->weights_u32[arc], 1, 8);
        count[graph->weights_u32[arc]]++;
    }
    for (int w = 1; w <= 8; w++)
        assert_in_range(count[w] * 8, graph->arcs * 95 / 100, graph->arcs * 105 / 100);
    weir_graph_destroy(graph);
}

/* The same draws as of integers, times the unit: single precision, within the range, both directions alike, spread evenly. */
static void floats_are_integers_times_a_unit(void **state)
{
    (void)state;
    uint64_t count[4] = {0};
    weir_graph *graph = open_graph("rmat:14,8", 1), *whole = open_graph("rmat:14,8", 1);
    give(graph, "random:0.25-1f:5");
    give(whole, "random:524288-2097152:5");
    assert_int_equal(graph->weight_kind, WEIR_WEIGHT_F64);
    for (uint64_t arc = 0; arc < graph->arcs; arc++) {
        const double weight = graph->weights_f64[arc];
        assert_true(weight == whole->weights_u32[arc] * 0x1p-21);
        assert_true(weight >= 0.25 && weight <= 1 && weight == (double)(float)weight);
        count[weight < 1 ? (int)(weight * 4) : 3]++;
    }
    for (int quarter = 1; quarter < 4; quarter++)
        assert_in_range(count[quarter] * 3, graph->arcs * 98 / 100, graph->arcs * 102 / 100);
    assert_int_equal(count[0], 0);
    give(graph, "random:0.1-0.1f"); /* the nearest with 22 bits */
    assert_true(graph->weights_f64[0] == 3355443 * 0x1p-25);
    give(graph, "random:1-9"); /* and integers again */
    assert_int_equal(graph->weight_kind, WEIR_WEIGHT_U32);
    assert_null(graph->weights_f64);
    weir_graph_destroy(whole);
    weir_graph_destroy(graph);
}

static void floats_that_no_text_means_are_refused(void **state)
{
    static const weir_weights cases[] = {{WEIR_WEIGHTS_FLOATS, 0, 1 << 22, 1, 0},
                                         {WEIR_WEIGHTS_FLOATS, 5, 4, 1, 0},
                                         {WEIR_WEIGHTS_FLOATS, 0, 1, 1, -148},
                                         {WEIR_WEIGHTS_FLOATS, 0, 1, 1, 107}};
    (void)state;
    weir_graph *graph = weighted(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        STATUS(weir_graph_weigh(graph, &cases[i]), WEIR_ERR_INVALID);
    assert_string_equal(shown(graph), "3: 0>1 1>2 2>0");
    OK(weir_graph_weigh(graph, &(weir_weights){WEIR_WEIGHTS_FLOATS, 3, 3, 1, -2}));
    assert_string_equal(shown(graph), "3: 0>1/0.75 1>2/0.75 2>0/0.75");
    weir_graph_destroy(graph);
}

static void without_arcs_there_is_nothing_to_do(void **state)
{
    static const char *const texts[] = {"auto", "unit", "random:1-2"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        weir_graph *graph;
        OK(weir_graph_from_arcs(i ? 5 : 0, 0, NULL, NULL, NULL, NULL, &graph));
        give(graph, texts[i]);
        assert_int_equal(graph->weight_kind, WEIR_WEIGHT_U32);
        weir_graph_destroy(graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_understood),
        cmocka_unit_test(other_names_are_refused),
        cmocka_unit_test(floats_are_refused_by_what_is_wrong),
        cmocka_unit_test(auto_keeps_what_there_is),
        cmocka_unit_test(auto_draws_where_there_are_none),
        cmocka_unit_test(what_was_there_is_replaced),
        cmocka_unit_test(refusals_change_nothing),
        cmocka_unit_test(the_definition_stays),
        cmocka_unit_test(both_directions_weigh_the_same),
        cmocka_unit_test(load_order_does_not_matter),
        cmocka_unit_test(every_arc_gets_its_own),
        cmocka_unit_test(all_values_come_about_as_often),
        cmocka_unit_test(floats_are_integers_times_a_unit),
        cmocka_unit_test(floats_that_no_text_means_are_refused),
        cmocka_unit_test(without_arcs_there_is_nothing_to_do),
    };
    return cmocka_run_group_tests_name("weights", tests, make_folder, remove_folder);
}
