/** @file test_cc.c  Connected components on every set of devices against the serial reference. */
#include "runtime/support.h"
#include "tests/algorithms/cc_fixture.h"

#include <pthread.h>

/* ThreadSanitizer is slow: it sees one tree of merges. */
#ifdef __SANITIZE_THREAD__
#define ROUTES 1
#else
#define ROUTES 4
#endif

static void shapes_that_reside(void **state)
{
    every_shape(context_or_skip(*state), WEIR_CC_RESIDENT);
}

/* Where partitions are for: the number of parts alone. */
static void shapes_that_stream(void **state)
{
    weir_context *context = context_or_skip(*state);
    for (int i = 0; i < 2 * SHAPES; i += CC_STRIDE) {
        weir_graph *graph = shaped((enum shape)(i / 2), i % 2);
        check_cc(context, graph, WEIR_PARTITION_BLOCK, weir_context_device_count(context),
                 WEIR_CC_STREAMED);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void generated_graphs(void **state)
{
    static const char *const texts[] = {"rmat:8", "rmat:12,4", "rmat:10,16", "grid:70x61,.65",
                                        "grid:200x3,.5"};
    weir_context *context = context_or_skip(*state);
    uint32_t devices = weir_context_device_count(context);
    for (int i = 0; i < 2 * 5; i++) {
        weir_graph *graph = open_graph(texts[i / 2], i % 2);
        for (int kind = WEIR_PARTITION_BLOCK; kind <= WEIR_PARTITION_RANDOM; kind++)
            check_cc(context, graph, (weir_partition_kind)kind, devices, WEIR_CC_RESIDENT);
        check_cc(context, graph, WEIR_PARTITION_BLOCK, devices, WEIR_CC_STREAMED);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void fewer_parts_than_devices(void **state)
{
    weir_context *context = context_or_skip(*state);
    uint32_t devices = weir_context_device_count(context);
    weir_graph *graph = open_graph("rmat:11", 0);
    for (uint32_t parts = 1; parts <= devices; parts++) {
        check_cc(context, graph, WEIR_PARTITION_EDGE, parts, WEIR_CC_RESIDENT);
        check_cc(context, graph, WEIR_PARTITION_EDGE, parts, WEIR_CC_STREAMED);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void every_route(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_graph *graph = open_graph("grid:60x50,.6", 0);
    for (int i = 0; i < 2 * 5; i++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        weir_cc *cc;
        options.route = (weir_route_kind)(WEIR_ROUTE_AUTO + i / 2);
        if (options.route == WEIR_ROUTE_STAGED && i % 2 == 0)
            continue; /* of arcs that are streamed alone: test_options */
        if (weir_cc_create(context, graph, NULL, &options,
                           i % 2 ? WEIR_CC_STREAMED : WEIR_CC_RESIDENT, &cc))
            fail_msg("%s: %s", weir_route_kind_text(options.route), weir_error_detail());
        assert_cc(cc, graph, weir_route_kind_text(options.route));
        weir_cc_destroy(cc);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* A row of the largest tree is not read beyond the arcs that made it the largest: of this graph one arc in ten or
 * so is looked at. Nobody can switch that off without this test. */
static void most_arcs_are_not_looked_at(void **state)
{
    weir_context *context = context_or_skip(*state);
    for (int undirected = 0; undirected < 2; undirected++) {
        weir_graph *graph = open_graph("rmat:14,16", undirected);
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weir_cc *cc;
        assert_int_equal(weir_cc_create(context, graph, NULL, NULL, WEIR_CC_RESIDENT, &cc),
                         WEIR_OK);
        assert_int_equal(weir_cc_run(cc, &stats), WEIR_OK);
        if (stats.work.atoms == 0 || 5 * stats.work.atoms > graph->arcs)
            fail_msg("%llu of %llu arcs were looked at", (unsigned long long)stats.work.atoms,
                     (unsigned long long)graph->arcs);
        weir_cc_destroy(cc);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void run_once(weir_context *context, const char *text, int undirected, weir_run_stats *stats)
{
    weir_graph *graph = open_graph(text, undirected);
    weir_cc *cc;
    assert_int_equal(weir_cc_create(context, graph, NULL, NULL, WEIR_CC_RESIDENT, &cc), WEIR_OK);
    assert_int_equal(weir_cc_run(cc, stats), WEIR_OK);
    weir_cc_destroy(cc);
    weir_graph_destroy(graph);
}

/* The largest tree is known when the first forest is, and where it has most vertices they become its children on the way:
 * neither a sample nor a pass that flattens trees takes a step of its own. */
static void a_sample_costs_no_step(void **state)
{
    weir_context *context = context_or_skip(*state);
    for (int undirected = 0; undirected < 2; undirected++) {
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        run_once(context, "rmat:14,16", undirected, &stats);
        assert_int_equal(steps_of(&stats, "first"), 1);
        assert_int_equal(steps_of(&stats, "sample") + steps_of(&stats, "link"), 0);
        assert_in_range(steps_of(&stats, "rest"), 1, 2);
        assert_in_range(steps_of(&stats, "label"), 1, 2);
    }
    weir_context_destroy(context);
}

/* On all devices, also where one has enough lanes for the graph. */
static void run_on_all(weir_context *context, const char *text, weir_run_stats *stats)
{
    weir_graph *graph = open_graph(text, 1);
    weir_partition *partition = cut(graph, WEIR_PARTITION_EDGE, weir_context_device_count(context));
    weir_cc *cc;
    assert_int_equal(weir_cc_create(context, graph, partition, NULL, WEIR_CC_RESIDENT, &cc),
                     WEIR_OK);
    assert_int_equal(weir_cc_run(cc, stats), WEIR_OK);
    weir_cc_destroy(cc);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
}

/* Rows with few arcs point at hubs, whichever devices have these, so that hardly one is left to link its arcs: on host devices nearly as few
 * are looked at as on one (3 to 13 % more are let pass for 2 to 8 devices; by number it is 10 to 35). Two devices take each
 * other's hooks in one step, and so do more where these are few. */
static void hubs_of_all_devices_come_first(void **state)
{
    weir_context *context = context_or_skip(*state), *alone;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT, one = WEIR_RUN_STATS_INIT;
    const uint64_t devices = weir_context_device_count(context);
    assert_int_equal(weir_device_info_get(weir_context_device(context, 0), &info), WEIR_OK);
    assert_int_equal(weir_context_create("host:1", NULL, &alone), WEIR_OK);
    run_on_all(alone, "rmat:14", &one);
    run_on_all(context, "rmat:14", &stats);
    const uint64_t more = one.work.atoms * devices / 60;
    if (info.lanes ==
        1) /* lanes of GPUs look at trees while others join them, and at some arcs more */
        assert_in_range(stats.work.atoms, one.work.atoms - more, one.work.atoms + more);
    assert_true(steps_of(&stats, "merge") <= 1);
    run_on_all(context, "uniform:12", &stats);
    const uint64_t lists = steps_of(&stats, "link") + 1;
    if (devices > 1)
        assert_in_range(steps_of(&stats, "merge"), 1, lists);
    weir_context_destroy(alone);
    weir_context_destroy(context);
}

/* What is too long for that goes up a tree, of three devices and more: that of any route. */
static void long_lists_go_up_a_tree(void **state)
{
    static const weir_route_kind routes[4] = {WEIR_ROUTE_AUTO, WEIR_ROUTE_DIRECT, WEIR_ROUTE_RING,
                                              WEIR_ROUTE_TREE};
    weir_context *context = context_or_skip(*state);
    const uint32_t devices = weir_context_device_count(context);
    weir_graph *graph = open_graph("uniform:18,2", 0);
    weir_partition *partition = cut(graph, WEIR_PARTITION_EDGE, devices);
    for (int i = 0; i < (devices > 2 ? ROUTES : 1); i++) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weir_cc *cc;
        options.route = routes[i];
        assert_int_equal(weir_cc_create(context, graph, partition, &options, WEIR_CC_RESIDENT, &cc),
                         WEIR_OK);
        assert_cc(cc, graph, weir_route_kind_text(options.route));
        assert_int_equal(weir_cc_run(cc, &stats), WEIR_OK);
        if (devices > 2)
            assert_true(steps_of(&stats, "merge") > steps_of(&stats, "link") + 1);
        weir_cc_destroy(cc);
    }
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Without hubs the first forest has no large tree: one more arc of half of the rows makes it, and no other is needed of what is
 * inside. */
static void a_tangle_takes_one_more_arc(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_graph *graph = shaped(TANGLE, 1);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_cc *cc;
    assert_int_equal(weir_cc_create(context, graph, NULL, NULL, WEIR_CC_RESIDENT, &cc), WEIR_OK);
    assert_cc(cc, graph, "by samples");
    assert_int_equal(weir_cc_run(cc, &stats), WEIR_OK);
    assert_int_equal(steps_of(&stats, "link"), 1);
    assert_int_equal(steps_of(&stats, "sample"), 1);
    assert_in_range(steps_of(&stats, "rest"), 1, 2);
    /* One a row, one more of half of them, and all of every fourth row. */
    assert_in_range(stats.work.atoms, 1, 3 * graph->vertices / 2 + graph->arcs / 4);
    weir_cc_destroy(cc);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Rows are long and no hub is first in them: the roots that the first step leaves look along their arcs, and a few rows are linked, which
 * is enough for the largest tree. Shorter rows have no such round, and those that begin with hubs need none. */
static void roots_of_long_rows_look_around(void **state)
{
    static const struct {
        const char *graph;
        uint64_t least, most; /* roots, for each 1024 vertices */
    } cases[] = {
        {"uniform:14,16", 1024 / 50, 1024 / 20}, {"uniform:14,3", 0, 0}, {"rmat:14,16", 0, 0}};
    weir_context *context = context_or_skip(*state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_graph *graph = open_graph(cases[i].graph, 1);
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weir_cc *cc;
        assert_int_equal(weir_cc_create(context, graph, NULL, NULL, WEIR_CC_RESIDENT, &cc),
                         WEIR_OK);
        assert_cc(cc, graph, cases[i].graph);
        assert_int_equal(weir_cc_run(cc, &stats), WEIR_OK);
        assert_in_range(stats.roots * 1024 / graph->vertices, cases[i].least, cases[i].most);
        if (stats.roots) {
            assert_int_equal(steps_of(&stats, "link"), 1);
            /* The first arcs, some of the roots', and hardly any other: 1.7 a row of 32 on a GPU. */
            assert_in_range(stats.work.atoms, graph->vertices / 2, 2 * graph->vertices);
        }
        weir_cc_destroy(cc);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* Where there is no largest tree behind that, the next arcs are linked in a second round, and all others in the last step: none is left out
 * between the rounds. */
static void roots_that_look_in_vain_leave_no_arc_out(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_graph *graph = shaped(CLIQUES, 1);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_cc *cc;
    assert_int_equal(weir_cc_create(context, graph, NULL, NULL, WEIR_CC_RESIDENT, &cc), WEIR_OK);
    assert_cc(cc, graph, "cliques");
    assert_int_equal(weir_cc_run(cc, &stats), WEIR_OK);
    assert_in_range(stats.roots, 1, graph->vertices / 4);
    assert_int_equal(steps_of(&stats, "link"), 2);
    weir_cc_destroy(cc);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Labels of vertices without arcs were written when the graph was placed, and a run does not touch their rows. */
static void rows_without_arcs_are_left_alone(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_graph *graph = open_graph("rmat:14,16", 1);
    uint32_t marked = 0;
    weir_cc *cc;
    assert_int_equal(weir_cc_create(context, graph, NULL, NULL, WEIR_CC_RESIDENT, &cc), WEIR_OK);
    assert_cc(cc, graph, "resident");
    for (int run = 0; run < 2; run++) {
        for (uint32_t d = 0; d < weir_context_device_count(context); d++) {
            weir_values values = WEIR_VALUES_INIT;
            assert_int_equal(weir_cc_values(cc, d, &values), WEIR_OK);
            /* A host device's memory, and the object's to write: the test plays a trick on it. */
            uint32_t *label = (uint32_t *)(uintptr_t)values.data;
            for (uint64_t i = 0; i < values.count; i++) {
                const uint32_t v = values.vertices[i];
                if (v == UINT32_MAX || graph->offsets[v + 1] != graph->offsets[v])
                    continue;
                assert_int_equal(label[i], run ? UINT32_MAX - 1 : v);
                label[i] = UINT32_MAX - 1;
                marked++;
            }
        }
        assert_int_equal(weir_cc_run(cc, NULL), WEIR_OK);
    }
    assert_true(marked > 2 * 100);
    weir_cc_destroy(cc);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Below hubs rows are settled in the first step, and the label of the largest component is guessed: the step `rest` looks at few rows, and few are
 * labelled in the end. Without hubs it looks at all, and few are labelled all the same. Where rows are long, and on up to two devices, roots leave one
 * tree, so that there is nothing to look at. */
static void most_rows_are_settled_early(void **state)
{
    enum { HUBS, TANGLED, WHOLE };
    static const struct {
        const char *graph;
        int kind;
    } cases[] = {{"rmat:14,16", HUBS}, {"mesh:90x80,shuffle", TANGLED}, {"uniform:15,16", WHOLE}};
    weir_context *context = context_or_skip(*state);
    const uint32_t devices = weir_context_device_count(context);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        run_on_all(context, cases[i].graph, &stats);
        if (cases[i].kind == HUBS)
            assert_in_range(stats.rest_rows, 1, stats.reached / 16);
        else if (cases[i].kind == TANGLED)
            assert_in_range(stats.rest_rows, stats.reached * 9 / 10, stats.reached);
        if (cases[i].kind != WHOLE) {
            assert_in_range(stats.label_rows, 0, stats.reached / 16);
        } else if (devices < 3) {
            assert_int_equal(stats.rest_rows, 0);
            assert_int_equal(stats.label_rows, stats.reached);
            assert_int_equal(steps_of(&stats, "rest") + steps_of(&stats, "sample"), 0);
        }
    }
    weir_context_destroy(context);
}

/* Sixty hubs, to or from which all vertices from @p first to @p last have twelve arcs each, two of them to the first. */
static void put_hubs(struct arc_list *list, uint64_t first, uint64_t last, uint64_t *seed)
{
    for (uint64_t v = first; v < last; v++)
        for (int arc = 0; arc < 12; arc++) {
            const uint64_t hub = first + (arc < 2 ? 0 : (drawn(seed) >> 33) % 60);
            put_arc(list, arc % 2 ? v : hub, arc % 2 ? hub : v);
        }
}

/* Vertices that have sixteen arcs to any. */
static void put_tangle(struct arc_list *list, uint64_t first, uint64_t last, uint64_t *seed)
{
    for (uint64_t v = first; v < last; v++)
        for (int arc = 0; arc < 16; arc++)
            put_arc(list, v, first + (drawn(seed) >> 33) % (last - first));
}

/* Runs @p list on all devices, by every partition. @return the statistics of the last run. */
static weir_run_stats run_list(weir_context *context, struct arc_list *list, uint64_t n,
                               int undirected, const char *what)
{
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_graph *graph = graph_of(list, n, undirected);
    for (int kind = WEIR_PARTITION_RANDOM; kind >= (int)WEIR_PARTITION_BLOCK; kind--) {
        weir_partition *partition =
            cut(graph, (weir_partition_kind)kind, weir_context_device_count(context));
        weir_cc *cc;
        if (weir_cc_create(context, graph, partition, NULL, WEIR_CC_RESIDENT, &cc))
            fail_msg("%s", weir_error_detail());
        assert_cc(cc, graph, what);
        assert_int_equal(weir_cc_run(cc, &stats), WEIR_OK);
        weir_cc_destroy(cc);
        weir_partition_destroy(partition);
    }
    weir_graph_destroy(graph);
    return stats;
}

/* A guess may be wrong: the smallest id that has an arc is that of a component of two. Then all rows are labelled in the end, also
 * those that were settled. Ids without arcs do not make it wrong. */
static void guesses_that_are_wrong(void **state)
{
    weir_context *context = context_or_skip(*state);
    const uint32_t devices = weir_context_device_count(context);
    const uint64_t n = 5000;
    for (int i = 0; i < 8; i++) {
        const int undirected = i % 2, wrong = i / 2 % 2, hubs = i / 4;
        struct arc_list list = {NULL, NULL, 0, 0};
        uint64_t seed = 7 + (uint64_t)i;
        if (wrong)
            put_arc(&list, 1, 3);
        (hubs ? put_hubs : put_tangle)(&list, 4, n, &seed);
        const weir_run_stats stats = run_list(context, &list, n, undirected, "guesses");
        if (hubs) {
            assert_in_range(stats.rest_rows, wrong ? 2 : 0, n / 4);
            assert_in_range(stats.label_rows, wrong ? n - 4 : 0, wrong ? n : n / 4);
        } else if (undirected && devices > 1 && wrong) {
            assert_in_range(stats.label_rows, n - 4, n);
        }
    }
    weir_context_destroy(context);
}

/* The first hub need not be in the largest component: then rows settled below it are looked at like all others. Four groups have seventeen hubs each and
 * no other arcs but to these, from 3000 vertices in the first and from 2500 in the others, whose first hubs are joined. An arc from a vertex
 * of the first group, which is settled, to one inside the largest tree may be all that joins both. */
static void the_first_hub_is_elsewhere(void **state)
{
    enum { LEAVES = 10500, HUBS = 17, ALL = LEAVES + 4 * HUBS };
    weir_context *context = context_or_skip(*state);
    for (int i = 0; i < 4; i++) {
        struct arc_list list = {NULL, NULL, 0, 0};
        for (uint64_t v = 0; v < LEAVES; v++) {
            const uint64_t group = v % 21 < 6 ? 0 : (v % 21 - 6) / 5 + 1;
            for (uint64_t h = 0; h < HUBS; h++) { /* ids do not ascend with degrees */
                const uint64_t hub = ALL - 1 - (group * HUBS + h);
                put_arc(&list, h % 2 ? v : hub, h % 2 ? hub : v);
            }
        }
        put_arc(&list, ALL - 1 - HUBS, ALL - 1 - 2 * HUBS);
        put_arc(&list, ALL - 1 - HUBS, ALL - 1 - 3 * HUBS);
        if (i / 2)
            put_arc(&list, LEAVES - 21, LEAVES - 1);
        const weir_run_stats stats = run_list(context, &list, ALL, i % 2, "hub elsewhere");
        assert_int_equal(stats.rest_rows, ALL);
    }
    weir_context_destroy(context);
}

/* The lists of a run are empty at its beginning: devices send no hooks of the run before again. */
static void a_run_begins_anew(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_graph *graph = open_graph("grid:60x50,.6", 0);
    weir_partition *partition = cut(graph, WEIR_PARTITION_RANDOM, 2);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_cc *cc;
    uint64_t first = 0;
    if (weir_cc_create(context, graph, partition, NULL, WEIR_CC_RESIDENT, &cc))
        fail_msg("%s", weir_error_detail());
    for (int run = 0; run < 6; run++) {
        assert_int_equal(weir_cc_run(cc, &stats), WEIR_OK);
        first = first ? first : stats.bytes_sent;
        assert_in_range(stats.bytes_sent, 1, first * 3 / 2);
    }
    weir_cc_destroy(cc);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Devices have the first neighbours of all rows from the beginning: in a run they tell of less than a parent for every second vertex, by
 * what they count. */
static void first_neighbours_are_not_told(void **state)
{
    static const char *const specs[] = {"rmat:12", "uniform:11,16", "complete:300"};
    weir_context *context = context_or_skip(*state);
    const uint64_t others = weir_context_device_count(context) - UINT64_C(1);
    for (int i = 0; i < 6; i++) {
        weir_graph *graph = open_graph(specs[i / 2], i % 2);
        weir_partition *partition = cut(graph, WEIR_PARTITION_EDGE, (uint32_t)others + 1);
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weir_cc *cc;
        if (weir_cc_create(context, graph, partition, NULL, WEIR_CC_RESIDENT, &cc))
            fail_msg("%s", weir_error_detail());
        assert_cc(cc, graph, specs[i / 2]);
        assert_int_equal(weir_cc_run(cc, &stats), WEIR_OK);
        assert_in_range(stats.bytes_sent, 0, others * sizeof(uint32_t) * graph->vertices / 2);
        weir_cc_destroy(cc);
        weir_partition_destroy(partition);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* ---- endings -------------------------------------------------------------------------------- */

static void *cancel(void *cc)
{
    weir_cc_cancel(cc);
    return NULL;
}

static void a_cancel_ends_a_run(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_graph *graph = open_graph("rmat:12", 0);
    uint32_t labels[1 << 12];
    for (int source = WEIR_CC_RESIDENT; source <= WEIR_CC_STREAMED; source++) {
        pthread_t thread;
        weir_cc *cc;
        weir_status status = WEIR_OK;
        assert_int_equal(weir_cc_create(context, graph, NULL, NULL, (weir_cc_source)source, &cc),
                         WEIR_OK);
        assert_int_equal(pthread_create(&thread, NULL, cancel, cc), 0);
        for (int run = 0; run < 1000000 && !status; run++) /* the next one, if it comes late */
            status = weir_cc_run(cc, NULL);
        pthread_join(thread, NULL);
        assert_int_equal(status, WEIR_ERR_CANCELLED);
        assert_int_equal(weir_cc_labels(cc, labels), WEIR_ERR_INVALID);
        if (source == WEIR_CC_STREAMED) /* keeps nothing of a run */
            assert_cc(cc, graph, "after a cancel");
        else
            assert_int_equal(weir_cc_run(cc, NULL), WEIR_ERR_CANCELLED);
        weir_cc_destroy(cc);
    }
    check_cc(context, graph, WEIR_PARTITION_BLOCK, 1, WEIR_CC_RESIDENT); /* as good as before */
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Far more than a millisecond of work on these devices. */
static void a_time_limit_ends_a_run(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_graph *graph = open_graph("rmat:18,8", 0);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.time_limit_ms = 1;
    for (int source = WEIR_CC_RESIDENT; source <= WEIR_CC_STREAMED; source++) {
        weir_cc *cc;
        assert_int_equal(
            weir_cc_create(context, graph, NULL, &options, (weir_cc_source)source, &cc), WEIR_OK);
        assert_int_equal(weir_cc_run(cc, NULL), WEIR_ERR_TIMEOUT);
        assert_non_null(strstr(weir_error_detail(), "time limit of 1 ms"));
        weir_cc_destroy(cc);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    weir_context *two = context_or_skip("host:2"), *three = context_or_skip("host:3");
    weir_graph *graph = shaped(PATH, 0), *other = shaped(ONE, 0);
    weir_partition *partition = cut(graph, WEIR_PARTITION_BLOCK, 3);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_cc *cc;
    assert_int_equal(weir_cc_create(two, graph, partition, NULL, WEIR_CC_AUTO, &cc),
                     WEIR_ERR_INVALID);
    assert_null(cc);
    assert_int_equal(weir_cc_create(three, other, partition, NULL, WEIR_CC_STREAMED, &cc),
                     WEIR_ERR_INVALID);
    assert_int_equal(weir_cc_create(three, graph, partition, NULL, (weir_cc_source)9, &cc),
                     WEIR_ERR_INVALID);
    options.route = (weir_route_kind)99;
    assert_int_equal(weir_cc_create(three, graph, partition, &options, WEIR_CC_AUTO, &cc),
                     WEIR_ERR_INVALID);
    options.size = 3;
    assert_int_equal(weir_cc_create(three, graph, partition, &options, WEIR_CC_AUTO, &cc),
                     WEIR_ERR_INVALID);
    assert_null(cc);
    assert_int_equal(weir_cc_reference(NULL, NULL), WEIR_ERR_INVALID);
    weir_cc_destroy(NULL);
    weir_partition_destroy(partition);
    weir_graph_destroy(other);
    weir_graph_destroy(graph);
    weir_context_destroy(three);
    weir_context_destroy(two);
}

static void before_a_run_everybody_is_alone(void **state)
{
    (void)state;
    weir_context *context = context_or_skip("host:2");
    weir_graph *graph = shaped(PATH, 0);
    uint32_t *labels = malloc(graph->vertices * sizeof *labels);
    assert_non_null(labels);
    for (int source = WEIR_CC_RESIDENT; source <= WEIR_CC_STREAMED; source++) {
        weir_cc *cc;
        assert_int_equal(weir_cc_create(context, graph, NULL, NULL, (weir_cc_source)source, &cc),
                         WEIR_OK);
        assert_int_equal(weir_cc_labels(cc, labels), WEIR_OK);
        for (uint32_t v = 0; v < graph->vertices; v++)
            assert_int_equal(labels[v], v);
        weir_cc_destroy(cc);
    }
    free(labels);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(shapes_that_reside) ON_EACH_SPEC(shapes_that_stream) ON_EACH_SPEC(
            generated_graphs) ON_EACH_SPEC(fewer_parts_than_devices) ON_EACH_SPEC(every_route)
            ON_EACH_SPEC(most_arcs_are_not_looked_at) ON_EACH_SPEC(a_sample_costs_no_step)
                ON_EACH_SPEC(hubs_of_all_devices_come_first) ON_EACH_SPEC(long_lists_go_up_a_tree)
                    ON_EACH_SPEC(a_tangle_takes_one_more_arc) ON_EACH_SPEC(
                        roots_of_long_rows_look_around) ON_EACH_SPEC(most_rows_are_settled_early)
                        ON_EACH_SPEC(guesses_that_are_wrong) ON_EACH_SPEC(
                            the_first_hub_is_elsewhere)
                            ON_EACH_SPEC(roots_that_look_in_vain_leave_no_arc_out) CC_TEST(
                                rows_without_arcs_are_left_alone,
                                "host:1") CC_TEST(rows_without_arcs_are_left_alone, "host:3")
                                CC_TEST(first_neighbours_are_not_told,
                                        "host:3") CC_TEST(first_neighbours_are_not_told, "host:8")
                                    CC_TEST(first_neighbours_are_not_told,
                                            "cuda:0-1") CC_TEST(a_run_begins_anew, "host:2")
                                        CC_TEST(a_run_begins_anew,
                                                "cuda:0-1") CC_TEST(a_cancel_ends_a_run, "host:1")
                                            CC_TEST(a_cancel_ends_a_run,
                                                    "host:4") CC_TEST(a_cancel_ends_a_run, "cuda:0")
                                                CC_TEST(a_time_limit_ends_a_run, "host:1")
                                                    CC_TEST(a_time_limit_ends_a_run, "host:4")
                                                        ON_MIXED_DEVICES(shapes_that_stream)
                                                            cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(before_a_run_everybody_is_alone),
    };
    return cmocka_run_group_tests_name("cc", tests, make_folder, remove_folder);
}
