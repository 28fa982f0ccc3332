/** @file test_sssp_step.c  Shortest paths in step on every set of devices against the serial reference. */
#include "algorithms/sssp/sssp_step.h"
#include "tests/algorithms/sssp_fixture.h"
#include "tests/lib/share.h"

/* ThreadSanitizer is slow: of many combinations it sees some, and no choice twice with the same others. */
#ifdef __SANITIZE_THREAD__
#define STRIDE 5
#else
#define STRIDE test_stride()
#endif

#define ON_SETS(f)                                                                            \
    ON_HOSTS(f), ON_BACKEND(f, "host:4"), ON_BACKEND(f, "host:2x3"), ON_BACKEND(f, "cuda:0"), \
        ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0-3")

static weir_sssp *in_step(weir_context *context, const weir_graph *graph, weir_partition_kind kind,
                          uint32_t delta)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.direction = WEIR_DIRECTION_SWITCH;
    options.delta = delta;
    return placed(context, graph, kind, &options);
}

static const weir_run_phase *phase(const weir_run_stats *stats, const char *name)
{
    for (int i = 0; i < WEIR_RUN_PHASES; i++)
        if (stats->phase[i].name && !strcmp(stats->phase[i].name, name))
            return &stats->phase[i];
    fail_msg("no phase %s", name);
    return NULL;
}

/* A hub with arcs to and from many, which hang on it alone; more than a warp and its lanes take at once. */
static weir_graph *hub_of(uint32_t leaves, uint32_t weights)
{
    uint32_t *source = malloc(leaves * 8), *target = malloc(leaves * 8);
    double *weight = malloc(leaves * 2 * sizeof *weight);
    weir_graph *graph;
    uint64_t random = leaves;
    assert_true(source && target && weight);
    for (uint32_t i = 0; i < leaves; i++) {
        source[2 * i] = target[2 * i + 1] = leaves / 2;
        source[2 * i + 1] = target[2 * i] = i < leaves / 2 ? i : i + 1;
        weight[2 * i] = weight[2 * i + 1] = (double)(next_random(&random) % weights);
    }
    OK(weir_graph_from_arcs(leaves + UINT64_C(1), leaves * UINT64_C(2), source, target, weight,
                            NULL, &graph));
    free(source);
    free(target);
    free(weight);
    return graph;
}

enum { RMAT, DIRECTED, GRID, PATH, HUB, ISLANDS, GRAPHS };

static weir_graph *graph_number(int which, const char *weights)
{
    weir_graph *graph;
    if (which == HUB)
        return hub_of(6000, 300);
    graph = which == RMAT       ? open_graph("rmat:9,8", 1)
            : which == DIRECTED ? open_graph("rmat:9,4,3", 0)
            : which == GRID     ? open_graph("grid:12x9,.8", 0)
            : which == PATH     ? open_graph("grid:60x1", 0)
                                : open_graph("rmat:8,1", 1); /* many vertices are not reached */
    weigh(graph, weights);
    return graph;
}

/* ---- answers ---- */

/* Of GRAPHS times 5 cases each device set of several has a third, another one for other numbers of devices: every
 * graph, and every value of what goes with it, is among them. A step takes all devices their turns, and these are
 * the cases with most steps. A stride leaves no more than that already. */
static int has_case(const weir_context *context, int i)
{
    const uint32_t devices = weir_context_device_count(context);
    return devices == 1 || STRIDE > 1 || ((uint32_t)(i / GRAPHS + i % GRAPHS) + devices) % 3 == 0;
}

static void every_graph_weight_and_partition(void **state)
{
    static const char *const weights[] = {"random", "unit", "random:0-1", "random:0-3",
                                          "random:1-100000"};
    weir_context *context = open_or_skip(state);
    for (int i = 0; i < GRAPHS * 5; i += STRIDE) {
        if (!has_case(context, i))
            continue;
        weir_graph *graph = graph_number(i % GRAPHS, weights[i / GRAPHS]);
        weir_sssp *sssp = in_step(context, graph, (weir_partition_kind)(i / 3 % 3), 0);
        for (uint64_t source = 0; source < graph->vertices; source += graph->vertices / 3 + 1)
            assert_sssp(sssp, graph, source);
        weir_sssp_destroy(sssp);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void every_width_of_buckets(void **state)
{
    static const uint32_t deltas[] = {1, 2, 7, 64, 1000, UINT32_MAX - 2, UINT32_MAX};
    weir_context *context = open_or_skip(state);
    weir_graph *graphs[] = {graph_number(RMAT, "random"), graph_number(DIRECTED, "random:0-9"),
                            graph_number(HUB, NULL), hub_of(5000, 1) /* all arcs weigh 0 */};
    for (int i = 0; i < 4 * 7; i += STRIDE) {
        weir_graph *graph = graphs[i % 4];
        weir_sssp *sssp = in_step(context, graph, WEIR_PARTITION_RANDOM, deltas[i / 4]);
        assert_sssp(sssp, graph, 5);
        assert_sssp(sssp, graph, graph->vertices / 2);
        weir_sssp_destroy(sssp);
    }
    for (int i = 0; i < 4; i++)
        weir_graph_destroy(graphs[i]);
    weir_context_destroy(context);
}

/* What a run leaves behind does not matter to the next one. */
static void one_object_for_many_sources(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:10,6", 1);
    weigh(graph, "random");
    weir_sssp *sssp = in_step(context, graph, WEIR_PARTITION_EDGE, 0);
    for (uint64_t source = 0; source < graph->vertices; source += 97 * STRIDE)
        assert_sssp(sssp, graph, source);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* A star of vertices 0 to 99, both directions, among vertices without arcs. */
static weir_graph *star_among_others(void)
{
    enum { ARMS = 99, VERTICES = 300 };
    uint32_t from[2 * ARMS], to[2 * ARMS];
    double weight[2 * ARMS];
    weir_graph *graph;
    for (uint32_t i = 0; i < ARMS; i++) {
        from[2 * i] = to[2 * i + 1] = 0;
        to[2 * i] = from[2 * i + 1] = i + 1;
        weight[2 * i] = weight[2 * i + 1] = 1 + i % 7;
    }
    OK(weir_graph_from_arcs(VERTICES, 2 * ARMS, from, to, weight, NULL, &graph));
    return graph;
}

/* Its distance of 0 is gone in the next run, though nothing else is ever written where it lies. */
static void a_source_without_arcs_leaves_nothing(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = star_among_others();
    weir_sssp *sssp = in_step(context, graph, WEIR_PARTITION_BLOCK, 0);
    for (uint64_t source = 0; source < graph->vertices; source += 49)
        assert_sssp(sssp, graph, source);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Arcs that weigh all that fits: what is found over them does not fit, what is not needs to. */
static void the_largest_weights(void **state)
{
    weir_context *context = open_or_skip(state);
    static struct arcs arcs;
    arcs.count = 0;
    for (uint64_t v = 1; v < 2000; v++) /* keeps the mean small, so that 32 bits are tried */
        arc(&arcs, 0, v, 1), arc(&arcs, v, v % 50, 1);
    arc(&arcs, 7, 2000, UINT32_MAX - 3); /* at UINT32_MAX - 2: just fits */
    arc(&arcs, 2000, 8, UINT32_MAX);     /* of no use */
    arc(&arcs, 2001, 0, 0);
    arc(&arcs, 2001, 2000, UINT32_MAX); /* nor is this, from 2001 or from 0 */
    weir_graph *graph = graph_of(2002, &arcs);
    for (uint32_t i = 0; i < 3; i++) {
        weir_sssp *sssp = in_step(context, graph, WEIR_PARTITION_BLOCK,
                                  i == 0   ? 0
                                  : i == 1 ? 1000
                                           : UINT32_MAX);
        assert_sssp(sssp, graph, 0);
        assert_int_equal(weir__sssp_wide(sssp), 0);
        assert_sssp(sssp, graph, 2001);
        assert_int_equal(weir__sssp_wide(sssp), 0);
        assert_sssp(sssp, graph, 2000); /* reaches 8 at UINT32_MAX */
        assert_int_equal(weir__sssp_wide(sssp), 1);
        weir_sssp_destroy(sssp);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* The object changes to 64 bits and the worklist, from what it has placed by rows. */
static void distances_that_do_not_fit_are_found_again(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    static struct arcs arcs;
    arcs.count = 0;
    for (uint64_t v = 0; v < 6; v++)
        arc(&arcs, v, v + 1, 1073741824.0);
    for (uint64_t v = 7; v < 3000; v++)
        arc(&arcs, v - v % 100 + 7, v % 100 == 7 ? (v + 1) % 3000 : v, (double)(v % 3));
    weir_graph *graph = graph_of(3000, &arcs);
    for (int kind = WEIR_PARTITION_BLOCK; kind <= WEIR_PARTITION_RANDOM; kind++) {
        weir_sssp *sssp = in_step(context, graph, (weir_partition_kind)kind, 0);
        assert_sssp(sssp, graph, 4); /* fits */
        OK(weir_sssp_run(sssp, 4, &stats));
        assert_int_equal(stats.direction, WEIR_DIRECTION_SWITCH);
        assert_sssp(sssp, graph, 0);
        OK(weir_sssp_run(sssp, 4, &stats));
        assert_int_equal(stats.direction, WEIR_DIRECTION_PUSH);
        assert_sssp(sssp, graph, 1007);
        weir_sssp_destroy(sssp);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* The device that such a vertex is on has no large distance itself: those lie on the first device. */
static void one_that_does_not_fit_is_on_another_device(void **state)
{
    weir_context *context = open_or_skip(state);
    static struct arcs arcs;
    arcs.count = 0;
    arc(&arcs, 0, 1, 2147483648.0);
    arc(&arcs, 1, 2999, 2147483648.0);
    for (uint64_t v = 1500; v < 2998; v++)
        arc(&arcs, v, 1500 + (v - 1500) / 2, 1), arc(&arcs, v, v + 1, 1);
    arc(&arcs, 0, 1501, 1);
    weir_graph *graph = graph_of(3000, &arcs);
    weir_sssp *sssp = in_step(context, graph, WEIR_PARTITION_BLOCK, 0);
    assert_sssp(sssp, graph, 1600);
    assert_int_equal(weir__sssp_wide(sssp), 0);
    assert_sssp(sssp, graph, 0);
    assert_int_equal(weir__sssp_wide(sssp), 1);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Behind a hub, whose arcs are settled at once, a few vertices that only heavy arcs lead to, and heavy and light arcs between
 * these. Some sums do not fit, and some of those are replaced by sums that do. */
static weir_graph *heavy_behind_a_hub(uint64_t seed)
{
    enum { LEAVES = 3500, BEHIND = 24, INTO = 5, BETWEEN = 50, HEAVY = 10 };
    static const double heavy[] = {1073741824.0, 2147483648.0, 2147483000.0, 1431655765.0};
    static struct arcs arcs;
    uint64_t random = seed;
    arcs.count = 0;
    for (uint64_t v = 1; v <= LEAVES; v++)
        arc(&arcs, 0, v, 1), arc(&arcs, v, 0, 1);
    for (uint32_t i = 0; i < INTO + BETWEEN; i++) {
        const uint64_t draw = next_random(&random), other = next_random(&random);
        const uint64_t from = i < INTO ? draw % 8 : LEAVES + 1 + draw % BEHIND;
        arc(&arcs, from, LEAVES + 1 + (draw >> 24) % BEHIND,
            i < INTO + HEAVY ? heavy[other % 4] : (double)(other % 4 * 300));
    }
    for (uint32_t i = 0; i < BEHIND; i++) { /* many arcs lead back, so that more pulls follow */
        const uint64_t draw = next_random(&random);
        for (uint32_t k = 0; k < draw % 10; k++)
            arc(&arcs, LEAVES + 1 + i, 1 + (draw >> 8) % (LEAVES - 10) + k, 5);
    }
    return graph_of(LEAVES + BEHIND + 12, &arcs);
}

/* Whether 32 bits hold all distances from a source. */
static int all_fit(const weir_graph *graph, uint64_t source)
{
    double *distance = malloc(graph->vertices * sizeof *distance);
    int fit = 1;
    assert_non_null(distance);
    OK(weir_sssp_reference(graph, source, distance));
    for (uint64_t v = 0; v < graph->vertices; v++)
        fit &= !isfinite(distance[v]) || distance[v] < SSSP_U32_FAR;
    free(distance);
    return fit;
}

/* In pulls and pushes; over inboxes, and past them. The object changes to 64 bits only where that is needed. */
static void heavy_arcs_behind_a_hub(void **state)
{
    static const char *const small[] = {"queue_items=1", NULL};
    const uint32_t seeds = 32;
    uint32_t wide = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        weir_context *context = open_with_or_skip(*state, seed / 2 % 2 ? small : small + 1);
        weir_graph *graph = heavy_behind_a_hub(seed * 977);
        weir_sssp *sssp =
            in_step(context, graph, (weir_partition_kind)(seed % 3), seed % 2 ? 0 : UINT32_MAX);
        const int fit = all_fit(graph, 0);
        assert_int_equal(weir__sssp_wide(sssp), 0);
        assert_sssp(sssp, graph, 0);
        assert_int_equal(weir__sssp_wide(sssp), !fit);
        assert_sssp(sssp, graph, seed % 100);
        wide += !fit;
        weir_sssp_destroy(sssp);
        weir_graph_destroy(graph);
        weir_context_destroy(context);
    }
    assert_in_range(wide, 1, seeds - 1);
}

/* Two hubs that do not reach each other, and vertices without arcs. */
static weir_graph *two_hubs(void)
{
    enum { ARMS = 150, VERTICES = 3 * ARMS };
    static struct arcs arcs;
    arcs.count = 0;
    for (uint64_t v = 1; v < ARMS; v++) {
        arc(&arcs, 0, v, (double)(v % 7)), arc(&arcs, v, 0, (double)(v % 5));
        arc(&arcs, v, v % 12, (double)(v % 3));
        arc(&arcs, ARMS, ARMS + v, (double)(1 + v % 9)), arc(&arcs, ARMS + v, ARMS, 2);
        arc(&arcs, ARMS + v, ARMS + (v * 7 + 1) % ARMS, 1);
    }
    return graph_of(VERTICES, &arcs);
}

/* Marks of rows are not reset before a run, but runs use up the numbers by which they are told apart. This goes round once,
 * over sources that reach the one hub, or the other, or nothing. */
static void runs_do_not_take_each_others_marks_for_theirs(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = two_hubs();
    weir_sssp *sssp = in_step(context, graph, WEIR_PARTITION_RANDOM, 0);
    const uint64_t n = graph->vertices;
    assert_true(UINT32_MAX / SSSP_STEP_ROOM < 260);
    for (uint64_t i = 0; i < 270; i++)
        assert_sssp(sssp, graph, i % 3 == 0 ? i % n : i % 3 == 1 ? n / 3 + i % (n / 3) : n - 1);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* A hub, and vertices far from it that lead to it but not back. */
static weir_graph *far_from_a_hub(void)
{
    static struct arcs arcs;
    arcs.count = 0;
    for (uint64_t v = 1; v < 1000; v++) {
        arc(&arcs, 0, v, (double)(v % 100)), arc(&arcs, v, v * 13 % 1000, (double)(v % 50));
        arc(&arcs, v, v % 30, (double)(v % 20)), arc(&arcs, v * 7 % 1000, v, 3);
    }
    arc(&arcs, 1000, 1001, 1073741824.0);
    arc(&arcs, 1001, 1002, 1073741824.0);
    arc(&arcs, 1002, 1003, 1073741824.0);
    arc(&arcs, 1003, 0, 1073741000.0);
    arc(&arcs, 1004, 0, 40000000.0);
    arc(&arcs, 1005, 0, SSSP_STEP_ROOM - 200); /* all others are nearer to 0 than 200 */
    return graph_of(1010, &arcs);
}

/* A run that meets larger distances than there is room for is done again; so is none behind it, which are compared too. */
static void distances_that_marks_have_no_room_for(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = far_from_a_hub();
    for (uint64_t source = 1000; source < 1005; source += 2) {
        weir_sssp *sssp = in_step(context, graph, WEIR_PARTITION_EDGE, 8);
        for (uint64_t i = 0; i < 3; i++) {
            assert_sssp(sssp, graph, i);
            assert_sssp(sssp, graph, source);
            assert_sssp(sssp, graph, 1004);
        }
        assert_int_equal(weir__sssp_wide(sssp), 0);
        weir_sssp_destroy(sssp);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* At the end of the numbers: marks have room for 5 more runs, and a large distance goes round; or for none, and the largest
 * distance that a run has room for would go round if it did not begin anew. */
static void a_large_distance_behind_many_runs(void **state)
{
    static const uint64_t cases[][2] = {{250, 1000}, {255, 1005}};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = far_from_a_hub();
    for (int k = 0; k < 2; k++) {
        weir_sssp *sssp = in_step(context, graph, WEIR_PARTITION_EDGE, 8);
        for (uint64_t i = 0; i < cases[k][0]; i++)
            OK(weir_sssp_run(sssp, i, NULL));
        assert_sssp(sssp, graph, cases[k][1]);
        for (uint64_t i = 1; i < 5; i++)
            assert_sssp(sssp, graph, i);
        weir_sssp_destroy(sssp);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* What does not fit into an inbox goes another way, in every run anew. */
static void inboxes_may_be_too_small(void **state)
{
    static const char *const items[] = {"queue_items=1", "queue_items=2", "queue_items=5",
                                        "queue_items=33", "queue_items=200"};
    uint64_t spilled = 0;
    uint32_t devices = 0;
    for (int i = 0; i < 5 * GRAPHS; i += STRIDE) {
        const char *settings[] = {items[i / GRAPHS], "direct_items=0", NULL};
        weir_context *context = open_with_or_skip(*state, settings);
        devices = weir_context_device_count(context);
        if (!has_case(context, i)) {
            weir_context_destroy(context);
            continue;
        }
        weir_graph *graph = graph_number(i % GRAPHS, "random:0-40");
        weir_sssp *sssp = in_step(context, graph, WEIR_PARTITION_RANDOM, (uint32_t)i % 9 * 5);
        for (uint64_t source = 1; source < graph->vertices; source += graph->vertices / 3 + 1) {
            assert_sssp(sssp, graph, source);
            spilled += weir__sssp_spilled(sssp);
        }
        weir_sssp_destroy(sssp);
        weir_graph_destroy(graph);
        weir_context_destroy(context);
    }
    assert_int_equal(spilled > 0, devices > 1);
}

/* What is told directly, through inboxes, or in one run by turns. */
static void few_items_go_directly(void **state)
{
    static const char *const most[] = {"direct_items=0", "direct_items=1", "direct_items=10",
                                       "direct_items=100", "direct_items=1000000"};
    uint64_t direct[5] = {0};
    uint32_t devices = 0;
    for (int i = 0; i < 5 * GRAPHS; i++) {
        const char *settings[] = {most[i / GRAPHS], NULL};
        if (i % STRIDE && i < 4 * GRAPHS) /* all graphs where all go directly */
            continue;
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weir_context *context = open_with_or_skip(*state, settings);
        weir_graph *graph = graph_number(i % GRAPHS, "random:0-40");
        weir_sssp *sssp = in_step(context, graph, WEIR_PARTITION_RANDOM, (uint32_t)i % 9 * 5);
        devices = weir_context_device_count(context);
        for (uint64_t source = 1; source < graph->vertices; source += graph->vertices / 3 + 1) {
            uint64_t sent = 0, items;
            assert_sssp(sssp, graph, source);
            OK(weir_sssp_run(sssp, source, &stats));
            for (uint32_t d = 0; d < devices * devices; d++) {
                OK(weir_sssp_link_items(sssp, d / devices, d % devices, &items));
                sent += items;
            }
            assert_int_equal(sent, stats.work.sent); /* pair by pair, however they went */
            assert_true(stats.direct <= sent);
            direct[i / GRAPHS] += stats.direct;
        }
        weir_sssp_destroy(sssp);
        weir_graph_destroy(graph);
        weir_context_destroy(context);
    }
    assert_int_equal(direct[0], 0);
    assert_int_equal(direct[4] > 0, devices > 1);
}

/* ---- what it does ---- */

/* Where all go directly no step takes anything in, unless a limit has risen, and the other way round. */
static void no_step_absorbs_what_went_directly(void **state)
{
    static const char *const most[] = {"direct_items=0", "direct_items=1000000"};
    for (int i = 0; i < 2; i++) {
        const char *settings[] = {most[i], NULL};
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weir_context *context = open_with_or_skip(*state, settings);
        weir_graph *graph = hub_of(6000, 5);
        weir_sssp *sssp = in_step(context, graph, WEIR_PARTITION_RANDOM, 1000);
        const uint32_t devices = weir_context_device_count(context);
        assert_sssp(sssp, graph, 17);
        OK(weir_sssp_run(sssp, 17, &stats));
        assert_int_equal(phase(&stats, "absorb")->steps > 0, devices > 1 && i == 0);
        assert_int_equal(stats.direct > 0, devices > 1 && i == 1);
        weir_sssp_destroy(sssp);
        weir_graph_destroy(graph);
        weir_context_destroy(context);
    }
}

/* A row whose distance cannot fall any more is not looked at by a second pull, nor pushed because its neighbours are. */
static void later_pulls_look_at_candidates(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:13", 1);
    weir_graph_summary summary = WEIR_GRAPH_SUMMARY_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weigh(graph, "random");
    OK(weir_graph_summarize(graph, &summary));
    weir_sssp *sssp = in_step(context, graph, WEIR_PARTITION_EDGE, 0);
    assert_sssp(sssp, graph, summary.degree_max_vertex);
    OK(weir_sssp_run(sssp, summary.degree_max_vertex, &stats));
    assert_true(phase(&stats, "heavy pull")->steps > 1);
    assert_in_range(stats.candidates, 1, stats.reached / 2);
    assert_in_range(stats.work.processed, stats.reached, stats.reached * 7 / 4);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Where nothing hides what an iteration has to look at, a bucket takes as many pushes as a path in it has arcs, or fewer. */
static void no_stamp_hides_another(void **state)
{
    enum { ROWS = 4000, HOPS = 40 };
    weir_context *context = open_or_skip(state);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    static struct arcs arcs;
    arcs.count = 0;
    /* A tree of HOPS levels, of rows that lie side by side: what a push lowers is next to what it takes. */
    for (uint64_t v = 1; v < ROWS; v++)
        arc(&arcs, v < ROWS / HOPS ? 0 : v - ROWS / HOPS, v, 1);
    weir_graph *graph = graph_of(ROWS, &arcs);
    weir_sssp *sssp = in_step(context, graph, WEIR_PARTITION_RANDOM, UINT32_MAX - 2);
    assert_sssp(sssp, graph, 0);
    OK(weir_sssp_run(sssp, 0, &stats));
    assert_in_range(phase(&stats, "light push")->steps, 2, HOPS + 2);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* That is the point of it: most arcs are never looked at. */
static void most_arcs_are_not_looked_at(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t devices = weir_context_device_count(context);
    weir_graph *graph = open_graph("rmat:13", 1);
    weir_graph_summary summary = WEIR_GRAPH_SUMMARY_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    uint64_t sent = 0, items;
    weigh(graph, "random");
    OK(weir_graph_summarize(graph, &summary));
    weir_sssp *sssp = in_step(context, graph, WEIR_PARTITION_EDGE, 0);
    assert_sssp(sssp, graph, summary.degree_max_vertex);
    OK(weir_sssp_run(sssp, summary.degree_max_vertex, &stats));
    assert_in_range(stats.work.atoms, 1, graph->arcs / 4);
    assert_in_range(stats.work.processed, stats.reached, 6 * stats.reached);
    assert_int_equal(stats.direction, WEIR_DIRECTION_SWITCH);
    assert_int_equal(stats.devices, devices);
    assert_true(phase(&stats, "light push")->steps > 0);
    assert_true(phase(&stats, "heavy pull")->steps > 0);
    assert_int_equal(phase(&stats, "exchange")->steps, devices > 1);
    assert_in_range(stats.steps, 3, 100);
    for (uint32_t i = 0; i < devices * devices; i++) {
        OK(weir_sssp_link_items(sssp, i / devices, i % devices, &items));
        assert_true(items == 0 || i / devices != i % devices);
        sent += items;
    }
    assert_int_equal(sent, stats.work.sent);
    assert_in_range(stats.bytes_sent, sent * 4, sent * 8); /* values; items */
    assert_int_equal(weir__sssp_spilled(sssp), 0);
    assert_int_equal(sent > 0, devices > 1);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void auto_goes_in_step_where_there_are_hubs(void **state)
{
    (void)state;
    static const struct {
        const char *graph, *weights;
        weir_order_kind order;
        weir_kernel_kind kernel;
        weir_direction picked;
    } cases[] = {{"rmat:10", "random", WEIR_ORDER_AUTO, WEIR_KERNEL_AUTO, WEIR_DIRECTION_SWITCH},
                 {"rmat:10", "random", WEIR_ORDER_SOFT, WEIR_KERNEL_AUTO, WEIR_DIRECTION_SWITCH},
                 {"rmat:10", "random", WEIR_ORDER_FIFO, WEIR_KERNEL_AUTO, WEIR_DIRECTION_PUSH},
                 {"rmat:10", "random", WEIR_ORDER_AUTO, WEIR_KERNEL_FUSED, WEIR_DIRECTION_PUSH},
                 {"rmat:10", "random:4294967290-4294967295", WEIR_ORDER_AUTO, WEIR_KERNEL_AUTO,
                  WEIR_DIRECTION_PUSH},
                 {"grid:30x30", "random", WEIR_ORDER_AUTO, WEIR_KERNEL_AUTO, WEIR_DIRECTION_PUSH}};
    weir_context *context = open_or_skip(&(void *){(void *)(uintptr_t) "host:2"});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        weir_graph *graph = open_graph(cases[i].graph, 1);
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weigh(graph, cases[i].weights);
        options.order = cases[i].order;
        options.kernel = cases[i].kernel;
        weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_EDGE, &options);
        OK(weir_sssp_run(sssp, 1, &stats));
        assert_int_equal(stats.direction, cases[i].picked);
        weir_sssp_destroy(sssp);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* ---- ends and refusals ---- */

static void refuse(weir_context *context, const weir_graph *graph, weir_direction direction,
                   weir_worker_kind worker, const char *detail)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_partition *partition;
    weir_sssp *sssp;
    options.direction = direction;
    options.worker = worker;
    OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, 2, 1, NULL, &partition));
    STATUS(weir_sssp_create(context, graph, partition, &options, &sssp), WEIR_ERR_UNSUPPORTED);
    assert_null(sssp);
    assert_detail_has(detail);
    weir_partition_destroy(partition);
}

static void what_it_cannot_do_is_refused(void **state)
{
    (void)state;
    weir_context *context = open_or_skip(&(void *){(void *)(uintptr_t) "host:2"});
    weir_graph *whole = open_graph("rmat:6", 0), *tenths = chain_of(5, .1, .7);
    weigh(whole, "random");
    refuse(context, whole, WEIR_DIRECTION_PULL, WEIR_WORKER_AUTO, "cannot pull alone");
    refuse(context, tenths, WEIR_DIRECTION_SWITCH, WEIR_WORKER_AUTO,
           "needs weights whose sums fit 32 bits");
    refuse(context, whole, WEIR_DIRECTION_SWITCH, WEIR_WORKER_WARP,
           "worker has no effect on shortest paths in step");
    weir_graph_destroy(tenths);
    weir_graph_destroy(whole);
    weir_context_destroy(context);
}

static void *cancel(void *sssp)
{
    weir_sssp_cancel(sssp);
    return NULL;
}

static void a_limit_and_a_cancel_end_a_run(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:100000x1", 0); /* a step a vertex */
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    pthread_t thread;
    weigh(graph, "unit");
    options.direction = WEIR_DIRECTION_SWITCH;
    options.time_limit_ms = 1;
    weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_RANDOM, &options);
    STATUS(weir_sssp_run(sssp, 0, NULL), WEIR_ERR_TIMEOUT);
    STATUS(weir_sssp_run(sssp, 0, NULL), WEIR_ERR_TIMEOUT);
    weir_sssp_destroy(sssp);
    sssp = in_step(context, graph, WEIR_PARTITION_RANDOM, 0);
    assert_int_equal(pthread_create(&thread, NULL, cancel, sssp), 0);
    weir_status status = WEIR_OK;
    while (!status) /* one that is over before the cancel comes leaves it to the next */
        status = weir_sssp_run(sssp, 0, NULL);
    pthread_join(thread, NULL);
    STATUS(status, WEIR_ERR_CANCELLED);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* The n-th allocation fails, for every n: an error, and nothing is left behind or broken. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    weir_context *context = open_or_skip(&(void *){(void *)(uintptr_t) "host:2"});
    weir_graph *graph = graph_number(DIRECTED, "random");
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_partition *partition;
    int struck = 1;
    options.direction = WEIR_DIRECTION_SWITCH;
    OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, 2, 1, NULL, &partition));
    uint64_t n = 0;
    while (struck) {
        weir_sssp *sssp = NULL;
        assert_true(++n < 500);
        weir__fault_arm(WEIR__FAULT_ALLOC, n);
        weir_status status = weir_sssp_create(context, graph, partition, &options, &sssp);
        if (!status)
            status = weir_sssp_run(sssp, 3, NULL);
        struck = weir__fault_struck(WEIR__FAULT_ALLOC);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        assert_true(!status || (struck && status == WEIR_ERR_NOMEM));
        if (!status)
            assert_sssp(sssp, graph, 3);
        weir_sssp_destroy(sssp);
    }
    assert_true(n > 20);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_SETS(every_graph_weight_and_partition),
        ON_SETS(every_width_of_buckets),
        ON_SETS(one_object_for_many_sources),
        ON_SETS(a_source_without_arcs_leaves_nothing),
        ON_SETS(the_largest_weights),
        ON_SETS(distances_that_do_not_fit_are_found_again),
        ON_SETS(one_that_does_not_fit_is_on_another_device),
        ON_SETS(heavy_arcs_behind_a_hub),
        ON_SETS(runs_do_not_take_each_others_marks_for_theirs),
        ON_SETS(distances_that_marks_have_no_room_for),
        ON_SETS(a_large_distance_behind_many_runs),
        ON_SETS(inboxes_may_be_too_small),
        ON_SETS(few_items_go_directly),
        ON_SETS(no_step_absorbs_what_went_directly),
        ON_SETS(later_pulls_look_at_candidates),
        ON_SETS(no_stamp_hides_another),
        ON_SETS(most_arcs_are_not_looked_at),
        ON_SETS(a_limit_and_a_cancel_end_a_run),
        cmocka_unit_test(auto_goes_in_step_where_there_are_hubs),
        cmocka_unit_test(what_it_cannot_do_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("sssp_step", tests, make_folder, remove_folder);
}
