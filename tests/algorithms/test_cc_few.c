/** @file test_cc_few.c  Connected components of graphs of few arcs a vertex: all arcs are linked behind the first forest, from one of their ends, on several devices in
 * separate trees; what is told then, deep trees, lists of what is left. Host devices take the kernels of cc_near.h as well, which GPUs have for the fewest. */
#include "runtime/support.h"
#include "tests/algorithms/cc_fixture.h"

/* Whether host devices take the kernels of cc_near.h. */
static int takes_near;

/* Where rows have few arcs all are linked behind the first step, each from one of its ends. */
static void few_arcs_take_no_sample(void **state)
{
    weir_context *context = context_or_skip(*state);
    for (int i = 0; i < 4; i++) {
        weir_graph *graph = i < 2 ? open_graph("grid:70x61,.65", i % 2) : shaped(BUNCHES, i % 2);
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weir_cc *cc;
        assert_int_equal(weir_cc_create(context, graph, NULL, NULL, WEIR_CC_RESIDENT, &cc),
                         WEIR_OK);
        assert_cc(cc, graph, "direct");
        assert_int_equal(weir_cc_run(cc, &stats), WEIR_OK);
        assert_int_equal(steps_of(&stats, "first"), 1);
        assert_int_equal(steps_of(&stats, "direct"), i < 2 ? 1 : 2); /* long rows: another one */
        assert_int_equal(steps_of(&stats, "label"), 1);
        assert_int_equal(steps_of(&stats, "sample") + steps_of(&stats, "rest"), 0);
        /* Its first arc, the others that lead to smaller numbers, and one that does not. Where cc_near.h is at work a row may be scanned twice. */
        const uint64_t once = 2 * graph->vertices + graph->arcs;
        const int near = takes_near || weir__device_is_gpu(weir_context_device(context, 0));
        assert_in_range(stats.work.atoms, graph->vertices, near ? once + graph->arcs : once);
        weir_cc_destroy(cc);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* Few arcs from device to device are all that devices tell each other of; where there are many, whatever joins trees is told. */
static void few_cut_arcs_are_all_that_is_told(void **state)
{
    weir_context *context = context_or_skip(*state);
    const uint32_t devices = weir_context_device_count(context);
    for (int i = 0; i < 4; i++) {
        weir_graph *graph = shaped(SCATTERED, i % 2);
        weir_partition *partition =
            cut(graph, i < 2 ? WEIR_PARTITION_BLOCK : WEIR_PARTITION_RANDOM, devices);
        const uint64_t parents = (devices - UINT64_C(1)) * sizeof(uint32_t) * graph->vertices;
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weir_cc *cc;
        assert_int_equal(weir_cc_create(context, graph, partition, NULL, WEIR_CC_RESIDENT, &cc),
                         WEIR_OK);
        assert_cc(cc, graph, i < 2 ? "few cut arcs" : "many cut arcs");
        assert_int_equal(weir_cc_run(cc, &stats), WEIR_OK);
        if (devices == 1)
            assert_int_equal(stats.bytes_sent, 0);
        else if (i < 2)
            assert_in_range(stats.bytes_sent, 1, parents / 8);
        else
            assert_in_range(stats.bytes_sent, parents / 2, 4 * parents);
        weir_cc_destroy(cc);
        weir_partition_destroy(partition);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* Paths and trees of vertices of one part each, whose ids ascend within the part but take turns among the parts, and `cuts` arcs from part
 * to part: the smallest id of a tree may be in any part, and no row of a part may be met below a root of its own. */
static weir_graph *taking_turns(uint64_t n, uint32_t parts, uint64_t cuts, int undirected)
{
    struct arc_list list = {NULL, NULL, 0, 0};
    uint64_t seed = 11 + n + parts + cuts;
    for (uint64_t v = parts; v < n; v++) {
        const uint64_t before = v / parts, back = 1 + (drawn(&seed) >> 33) % 3;
        if ((drawn(&seed) >> 33) % 16 && back <= before) { /* else v begins a tree */
            const int away = (drawn(&seed) >> 33) % 2;
            put_arc(&list, away ? v - back * parts : v, away ? v : v - back * parts);
        }
    }
    for (uint64_t i = 0; i < cuts; i++) {
        const uint64_t from = (drawn(&seed) >> 33) % n;
        put_arc(&list, from, (drawn(&seed) >> 33) % (n / parts) * parts + (from + 1) % parts);
    }
    return graph_of(&list, n, undirected);
}

/* Vertices take turns among the parts. @return what a run says, all of whose labels were checked. */
static weir_run_stats check_turns(weir_context *context, const weir_graph *graph, const char *what)
{
    const uint32_t parts = weir_context_device_count(context);
    uint8_t *owner = malloc(graph->vertices);
    weir_partition partition = {.kind = WEIR_PARTITION_FILE,
                                .parts = parts,
                                .vertices = graph->vertices,
                                .owner = owner,
                                .vertex_balance = 1,
                                .arc_balance = 1};
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_cc *cc;
    assert_non_null(owner);
    for (uint64_t v = 0; v < graph->vertices; v++)
        owner[v] = (uint8_t)(v % parts);
    if (weir_cc_create(context, graph, &partition, NULL, WEIR_CC_RESIDENT, &cc))
        fail_msg("%s", weir_error_detail());
    assert_cc(cc, graph, what);
    assert_int_equal(weir_cc_run(cc, &stats), WEIR_OK);
    weir_cc_destroy(cc);
    free(owner);
    return stats;
}

static void check_by_part(weir_context *context, uint64_t n, uint64_t cuts, int undirected)
{
    const uint32_t parts = weir_context_device_count(context);
    weir_graph *graph = taking_turns(n, parts, cuts, undirected);
    const weir_run_stats stats = check_turns(context, graph, cuts ? "by part" : "by part, apart");
    assert_in_range(steps_of(&stats, "direct"), 1, 2);
    assert_int_equal(steps_of(&stats, "sample") + steps_of(&stats, "rest"), 0);
    assert_int_equal(steps_of(&stats, "label"), 1);
    if (parts > 1) {
        /* What is told of few ends one block takes and compares, in one step. */
        assert_int_equal(steps_of(&stats, "merge"), cuts * 2 * parts <= 1024 ? 2 : 3);
        assert_true(stats.bytes_sent <= cuts * 2 * parts * (parts - 1) * 12);
        assert_true(cuts == 0 || stats.bytes_sent > 0);
    }
    weir_graph_destroy(graph);
}

/* Ids need not ascend with numbers over all parts for that: it is enough that they do within each, as with METIS. */
static void ids_that_ascend_within_parts(void **state)
{
    weir_context *context = context_or_skip(*state);
    const uint64_t parts = weir_context_device_count(context);
    for (int i = 0; i<8; i += CC_STRIDE> 3 ? 3 : CC_STRIDE) {
        const uint64_t n = i < 2 ? 4000 : 40000;
        const uint64_t some = n / (16 * parts);
        const uint64_t cuts[4] = {some < 30 ? some : 30, 0, 1, some - some / 10};
        check_by_part(context, n, cuts[i / 2], i % 2);
    }
    weir_context_destroy(context);
}

/* Of rows by degree ids may ascend within each part by chance, as where each part has a hub with the smallest id and leaves. */
static void hubs_of_parts_that_take_turns(void **state)
{
    static const int cuts[] = {0, 1, 7};
    weir_context *context = context_or_skip(*state);
    const uint32_t parts = weir_context_device_count(context);
    const uint64_t n = 4000;
    for (int i = 0; i < 6; i++) {
        struct arc_list list = {NULL, NULL, 0, 0};
        uint64_t seed = 3;
        for (uint64_t v = parts; v < n; v++)
            put_arc(&list, v % 2 ? v : v % parts, v % 2 ? v % parts : v);
        for (int cut = 0; cut < cuts[i / 2]; cut++) {
            const uint64_t from = (drawn(&seed) >> 33) % n;
            put_arc(&list, from, (drawn(&seed) >> 33) % n);
        }
        weir_graph *graph = graph_of(&list, n, i % 2);
        (void)check_turns(context, graph, "hubs");
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* In a whole grid the first forest has paths as long as its lines, or no end at all: they are cut short before arcs are linked. */
static void deep_trees_are_flattened(void **state)
{
    static const struct {
        const char *graph;
        uint64_t flattened;
    } cases[] = {{"grid:90x80", 1}, {"grid:90x80,.65", 0}, {"mesh:70x80", 1},
                 {"rmat:14,16", 0}, {"chain:20000", 1},    {"tree:3000", 1}};
    weir_context *context = context_or_skip(*state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_graph *graph = open_graph(cases[i].graph, 1);
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weir_cc *cc;
        assert_int_equal(weir_cc_create(context, graph, NULL, NULL, WEIR_CC_RESIDENT, &cc),
                         WEIR_OK);
        assert_cc(cc, graph, cases[i].graph);
        assert_int_equal(weir_cc_run(cc, &stats), WEIR_OK);
        assert_int_equal(steps_of(&stats, "flatten"), cases[i].flattened);
        weir_cc_destroy(cc);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* Few arcs are left of each row behind the first step: on a GPU they wait until each lane of a warp has one. A thread of a host device links its own. */
static void arcs_that_are_left_wait_for_each_other(void **state)
{
    weir_context *context = context_or_skip(*state);
    const int gpu = weir__device_is_gpu(weir_context_device(context, 0));
    weir_graph *graph = open_graph(gpu ? "grid:1200x1200,0.65" : "grid:60x60,0.65", 0);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_cc *cc;
    assert_int_equal(weir_cc_create(context, graph, NULL, NULL, WEIR_CC_RESIDENT, &cc), WEIR_OK);
    assert_cc(cc, graph, "a grid");
    assert_int_equal(weir_cc_run(cc, &stats), WEIR_OK);
    assert_int_equal(steps_of(&stats, "direct"), 1);
    if (gpu)
        assert_in_range(stats.gathered, graph->vertices / 16, graph->arcs / 2);
    else
        assert_int_equal(stats.gathered, 0);
    weir_cc_destroy(cc);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Of rows of few arcs a GPU looks at the first four at once, and behind these at each arc that leads to a smaller number and at the next one; what the first step
 * does not take waits, all of it. Nobody can leave cc_near.h out without failing this test. */
static void short_rows_are_scanned_once(void **state)
{
    weir_context *context = context_or_skip(*state);
    /* One thread of a host device has one list. */
    const int gpu = weir__device_is_gpu(weir_context_device(context, 0));
    weir_graph *graph = open_graph(gpu ? "grid:60x60,0.65" : "grid:20x20,0.65", 0);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    uint64_t looks = 0, left = 0;
    weir_cc *cc;
    for (uint64_t v = 0; v < graph->vertices; v++) {
        const uint64_t first = graph->offsets[v], last = graph->offsets[v + 1];
        uint64_t smaller = 0;
        while (first + smaller < last && graph->targets[first + smaller] < v)
            smaller++;
        const uint64_t at_once = last - first < 4 ? last - first : 4;
        const uint64_t ended = smaller + (first + smaller < last);
        looks += ended > at_once ? ended : at_once;
        left += smaller > 1 ? smaller - 1 : 0;
    }
    assert_int_equal(weir_cc_create(context, graph, NULL, NULL, WEIR_CC_RESIDENT, &cc), WEIR_OK);
    assert_int_equal(weir_cc_run(cc, &stats), WEIR_OK);
    assert_int_equal(stats.gathered, left);
    assert_int_equal(stats.work.atoms, looks);
    weir_cc_destroy(cc);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void shapes_are_right(void **state)
{
    every_shape(context_or_skip(*state), WEIR_CC_RESIDENT);
}

static void graphs_are_right(void **state)
{
    static const char *const texts[] = {"grid:70x61,.65", "grid:200x3,.5", "uniform:11,1",
                                        "chain:3000", "tree:3000"};
    weir_context *context = context_or_skip(*state);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        weir_graph *graph = open_graph(texts[i], 1);
        for (int kind = WEIR_PARTITION_BLOCK; kind <= WEIR_PARTITION_RANDOM; kind++)
            check_cc(context, graph, (weir_partition_kind)kind, weir_context_device_count(context),
                     WEIR_CC_RESIDENT);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* Host devices take the kernels for rows of few arcs as GPUs do. */
static int take_near(void **state)
{
    (void)state;
    weir__cc_near_pretend(1);
    takes_near = 1;
    return 0;
}

static int as_ever(void **state)
{
    (void)state;
    weir__cc_near_pretend(0);
    takes_near = 0;
    return 0;
}
#define NEAR(f, spec) \
    {#f " by cc_near.h[" spec "]", f, take_near, as_ever, (void *)(uintptr_t)spec},
#define ON_HOSTS_NEAR(f) \
    NEAR(f, "host:1")    \
    NEAR(f, "host:2")    \
    NEAR(f, "host:8")    \
    NEAR(f, "host:2x3")

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(graphs_are_right) ON_EACH_SPEC(few_arcs_take_no_sample) ON_EACH_SPEC(
            few_cut_arcs_are_all_that_is_told) ON_EACH_SPEC(ids_that_ascend_within_parts)
            ON_EACH_SPEC(hubs_of_parts_that_take_turns) ON_EACH_SPEC(deep_trees_are_flattened)
                ON_EACH_SPEC(arcs_that_are_left_wait_for_each_other)
                    CC_TEST(short_rows_are_scanned_once, "cuda:0")
                        NEAR(short_rows_are_scanned_once, "host:1") ON_HOSTS_NEAR(shapes_are_right)
                            ON_HOSTS_NEAR(graphs_are_right) ON_HOSTS_NEAR(few_arcs_take_no_sample)
                                ON_HOSTS_NEAR(few_cut_arcs_are_all_that_is_told)
                                    ON_HOSTS_NEAR(ids_that_ascend_within_parts)
                                        ON_HOSTS_NEAR(deep_trees_are_flattened)};
    return cmocka_run_group_tests_name("cc few", tests, make_folder, remove_folder);
}
