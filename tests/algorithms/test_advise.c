/** @file test_advise.c  On how many GPUs: what searches tell the model, and what is done with it. */
#include "algorithms/common/advise.h"
#include "algorithms/common/algorithm.h"
#include "tests/algorithms/sssp_fixture.h"

static struct weir__advise facts_of(const char *text, int undirected, weir_shape shape,
                                    uint32_t devices)
{
    weir_graph *graph = open_graph(text, undirected);
    struct weir__advise facts = {.shape = shape,
                                 .devices = devices,
                                 .vertices = (double)graph->vertices,
                                 .arcs = (double)graph->arcs};
    OK(weir__advise_levels(graph, WEIR__ADVISE_ARCS, &facts));
    weir_graph_destroy(graph);
    return facts;
}

static uint32_t advised(const struct weir__advise *facts)
{
    const char *why;
    uint32_t devices = weir__advise_devices(facts, &why);
    assert_true(devices >= 1 && devices <= facts->devices);
    assert_int_equal(why == NULL, devices == facts->devices);
    return devices;
}

/* ---- the model ---- */

/* Many levels: roads and meshes of any shape, and not random graphs, however few arcs a vertex has. */
static void what_is_deep(void **state)
{
    static const struct {
        const char *text;
        int undirected, deep;
    } cases[] = {{"grid:1500x1500,.65", 0, 1},   {"grid:100000x1", 0, 1}, {"grid:30x30", 0, 1},
                 {"mesh:300x300,shuffle", 0, 1}, {"grid:9x9", 0, 0},      {"uniform:18,3", 1, 0},
                 {"uniform:18,2", 0, 0},         {"rmat:14", 0, 0},       {"star:1000", 1, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir__advise facts = {.shape = WEIR_SHAPE_LEVELS, .devices = 1};
        weir_graph *graph = open_graph(cases[i].text, cases[i].undirected);
        OK(weir__advise_levels(graph, WEIR__ADVISE_FEW, &facts));
        if (weir__advise_deep(&facts) != cases[i].deep)
            fail_msg("%s: %g levels", cases[i].text, facts.levels);
        weir_graph_destroy(graph);
    }
}

static void long_thin_graphs_stay_on_one(void **state)
{
    (void)state;
    struct weir__advise road = facts_of("grid:1500x1500,.65", 0, WEIR_SHAPE_LEVELS, 8);
    struct weir__advise path = facts_of("grid:100000x1", 0, WEIR_SHAPE_LEVELS, 2);
    assert_int_equal(advised(&road), 1);
    assert_int_equal(advised(&path), 1);
}

/* Levels of skewed graphs are wide, however small the graph; how large it is decides then. */
static void skewed_graphs_have_wide_levels(void **state)
{
    (void)state;
    struct weir__advise made = facts_of("rmat:18", 1, WEIR_SHAPE_LEVELS, 8);
    struct weir__advise road = facts_of("grid:700x700,.65", 1, WEIR_SHAPE_LEVELS, 8);
    assert_true(made.arcs_a_level > 5e5); /* of 3.8 M arcs after two or three levels */
    assert_false(weir__advise_narrow(&made));
    assert_int_equal(advised(&made), 1);
    made.vertices *= 1024;
    assert_int_equal(advised(&made), 8);
    assert_true(weir__advise_narrow(&road));
    road.vertices *= 1024;
    assert_int_equal(advised(&road), 1);
}

static void small_graphs_stay_on_one(void **state)
{
    static const char *const texts[] = {"rmat:8", "rmat:12,4", "grid:20x20", "grid:1x1"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int shape = WEIR_SHAPE_LEVELS; shape <= WEIR_SHAPE_COMPONENTS; shape++) {
            struct weir__advise facts = facts_of(texts[i], 1, (weir_shape)shape, 4);
            assert_int_equal(advised(&facts), 1);
        }
}

static void a_graph_too_large_for_one_goes_on_several(void **state)
{
    (void)state;
    struct weir__advise road = {.devices = 8,
                                .vertices = 24e6,
                                .arcs = 62e6,
                                .arcs_a_level = 5000,
                                .found_a_level = 2000,
                                .bytes_a_device = 4e9};
    assert_int_equal(advised(&road), 1);
    road.bytes_a_device = 700e6; /* it takes about 1.4 GB */
    assert_int_equal(advised(&road), 2);
    road.bytes_a_device = 500e6; /* which three would hold */
    assert_int_equal(advised(&road), 4);
    road.devices = 3;
    assert_int_equal(advised(&road), 3);
    road.devices = 8;
    road.bytes_a_device = 1e6;
    assert_int_equal(advised(&road), 8);
}

/* ---- searches ---- */

static void a_level_of_a_path_has_two_arcs(void **state)
{
    (void)state;
    struct weir__advise facts = facts_of("grid:2000x1", 0, WEIR_SHAPE_LEVELS, 2);
    assert_true(facts.arcs_a_level > 1.9 && facts.arcs_a_level < 4.1);
    assert_true(facts.found_a_level > 0.9 && facts.found_a_level < 2.1);
    facts = facts_of("grid:30x30,0", 0, WEIR_SHAPE_LEVELS, 2); /* no arcs at all */
    assert_true(facts.arcs_a_level == 0 && facts.found_a_level == 0);
}

/* A star whose center is seen first has one level of all its arcs; the path beside it is longer. */
static void the_largest_search_counts(void **state)
{
    static struct arcs arcs;
    struct weir__advise facts = {.devices = 2};
    weir_graph *graph;
    (void)state;
    arcs.count = 0;
    for (uint64_t v = 1; v <= 100; v++)
        arc(&arcs, 0, v, 1);
    for (uint64_t v = 200; v < 4000; v++)
        arc(&arcs, v, v + 1, 1);
    graph = graph_of(4001, &arcs);
    OK(weir__advise_levels(graph, WEIR__ADVISE_ARCS, &facts));
    assert_true(facts.arcs_a_level > 0.9 && facts.arcs_a_level < 1.1);
    for (uint64_t n = 1; n <= 2; n++) {
        weir__fault_arm(WEIR__FAULT_ALLOC, n);
        STATUS(weir__advise_levels(graph, WEIR__ADVISE_ARCS, &facts), WEIR_ERR_NOMEM);
    }
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    weir_graph_destroy(graph);
}

/* ---- what is done with it ---- */

static void host_devices_are_all_taken(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:10", 0);
    const char *why = "";
    assert_int_equal(weir_devices_advise(context, graph, WEIR_SHAPE_LEVELS, &why),
                     weir_context_device_count(context));
    assert_null(why);
    assert_int_equal(weir_devices_advise(context, graph, WEIR_SHAPE_SWEEPS, NULL),
                     weir_context_device_count(context));
    assert_int_equal(weir_devices_advise(context, graph, WEIR_SHAPE_COMPONENTS, NULL),
                     weir_context_device_count(context));
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* But for a path, of which a level has an arc: there each look at another device's words is time lost. */
static void one_host_device_is_enough_for_a_path(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:300x1", 0);
    const uint32_t all = weir_context_device_count(context);
    const char *why = NULL;
    assert_int_equal(weir_devices_advise(context, graph, WEIR_SHAPE_LEVELS, &why), 1);
    assert_int_equal(why != NULL, all > 1);
    assert_int_equal(weir_devices_advise(context, graph, WEIR_SHAPE_SWEEPS, NULL), all);
    assert_int_equal(weir_devices_advise(context, graph, WEIR_SHAPE_COMPONENTS, NULL), all);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* The fewer arcs a level has, and the fewer cores there are for the threads. */
static void host_devices_by_arcs_and_cores(void **state)
{
    static const struct {
        double arcs;
        uint32_t threads, cores, wanted;
    } cases[] = {{1, 1, 2, 1},   {1, 1, 64, 1},   {20, 1, 64, 1},  {100, 1, 64, 4},
                 {100, 1, 2, 1}, {1000, 1, 2, 4}, {100, 8, 64, 1}, {1, 8, 64, 1},
                 {1, 1, 1, 1},   {1000, 1, 1, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir__advise facts = {.devices = 4, .arcs_a_level = cases[i].arcs};
        const char *why;
        assert_int_equal(weir__advise_hosts(&facts, cases[i].threads, cases[i].cores, &why),
                         cases[i].wanted);
        assert_int_equal(why == NULL, cases[i].wanted == 4);
    }
}

static void simulated_devices_are_all_taken(void **state)
{
    weir_machine *machine;
    weir_context *context;
    weir_graph *graph = open_graph("grid:300x1", 0);
    (void)state;
    OK(weir_machine_open("4*nvswitch", &machine));
    OK(weir_machine_simulate(machine, NULL, &context));
    assert_int_equal(weir_devices_advise(context, graph, WEIR_SHAPE_LEVELS, NULL), 4);
    weir_machine_destroy(machine);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void one_gpu_is_enough_for_a_path(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:3000x1", 0);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_sssp *sssp;
    const char *why;
    weigh(graph, "random");
    assert_int_equal(weir_devices_advise(context, graph, WEIR_SHAPE_LEVELS, &why), 1);
    assert_non_null(strstr(why, "less than a thousand arcs"));
    assert_int_equal(weir_devices_advise(context, graph, WEIR_SHAPE_SWEEPS, &why), 1);
    assert_non_null(strstr(why, "too small"));
    assert_int_equal(weir_devices_advise(context, graph, WEIR_SHAPE_COMPONENTS, &why), 1);
    assert_non_null(strstr(why, "before more GPUs have started"));
    OK(weir_sssp_create(context, graph, NULL, NULL, &sssp));
    assert_sssp(sssp, graph, 7);
    OK(weir_sssp_run(sssp, 7, &stats));
    assert_int_equal(stats.devices, 1);
    assert_non_null(stats.why_devices);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void without_a_partition_one_is_made(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:8", 0);
    uint32_t devices = weir_context_device_count(context);
    weir_partition *given, *own;
    const weir_partition *chosen = NULL;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_sssp *sssp;
    struct weir__algorithm head = {0};
    weigh(graph, "random");
    OK(weir__partition_choose(context, graph, &chosen, WEIR_SHAPE_LEVELS, &own, &head));
    assert_ptr_equal(chosen, own);
    assert_int_equal(own->parts, devices);
    assert_int_equal(own->kind, WEIR_PARTITION_EDGE);
    assert_null(head.why_devices);
    assert_non_null(head.why_partition);
    weir_partition_destroy(own);
    OK(weir_partition_create(graph, WEIR_PARTITION_RANDOM, devices - 1, 1, NULL, &given));
    chosen = given;
    OK(weir__partition_choose(context, graph, &chosen, WEIR_SHAPE_LEVELS, &own, &head));
    assert_ptr_equal(chosen, given);
    assert_null(own);
    assert_non_null(strstr(head.why_devices, "fewer parts"));
    assert_null(head.why_partition);
    OK(weir_sssp_create(context, graph, NULL, NULL, &sssp));
    assert_sssp(sssp, graph, 0);
    OK(weir_sssp_run(sssp, 0, &stats));
    assert_int_equal(stats.devices, devices);
    assert_null(stats.why_devices);
    weir_sssp_destroy(sssp);
    OK(weir_sssp_create(context, graph, given, NULL, &sssp));
    OK(weir_sssp_run(sssp, 0, &stats));
    assert_int_equal(stats.devices, devices - 1);
    assert_string_equal(stats.why_devices, head.why_devices);
    weir_sssp_destroy(sssp);
    weir_partition_destroy(given);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_deep),
        cmocka_unit_test(long_thin_graphs_stay_on_one),
        cmocka_unit_test(skewed_graphs_have_wide_levels),
        cmocka_unit_test(small_graphs_stay_on_one),
        cmocka_unit_test(a_graph_too_large_for_one_goes_on_several),
        cmocka_unit_test(a_level_of_a_path_has_two_arcs),
        cmocka_unit_test(the_largest_search_counts),
        cmocka_unit_test(host_devices_by_arcs_and_cores),
        ON_BACKEND(one_host_device_is_enough_for_a_path, "host:1"),
        ON_BACKEND(one_host_device_is_enough_for_a_path, "host:4"),
        ON_BACKEND(host_devices_are_all_taken, "host:1"),
        ON_BACKEND(host_devices_are_all_taken, "host:4"),
        ON_BACKEND(host_devices_are_all_taken, "cuda:0,host:1"),
        cmocka_unit_test(simulated_devices_are_all_taken),
        ON_BACKEND(one_gpu_is_enough_for_a_path, "cuda:0-1"),
        ON_BACKEND(without_a_partition_one_is_made, "host:3"),
    };
    return cmocka_run_group_tests_name("advise", tests, NULL, NULL);
}
