/** @file test_sssp.c  Shortest paths on every set of devices against the serial reference. */
#include "algorithms/graph/arcs.h"
#include "tests/lib/live.h"
#include "tests/algorithms/sssp_fixture.h"
#include "tests/lib/choices.h"
#include "tests/lib/share.h"

/* ThreadSanitizer is slow: of many combinations it sees some, and no choice twice with the same others. */
#ifdef __SANITIZE_THREAD__
#define STRIDE 7
#else
#define STRIDE test_stride()
#endif

/* ---- the reference ---- */

/* Relax all arcs until nothing changes: the plainest way there is. */
static void relax(const weir_graph *graph, uint64_t source, double *distances)
{
    int changed = 1;
    for (uint64_t v = 0; v < graph->vertices; v++)
        distances[v] = v == source ? 0 : INFINITY;
    while (changed) {
        changed = 0;
        for (uint64_t v = 0; v < graph->vertices; v++)
            for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
                double *far = &distances[graph->targets[i]];
                double sum = distances[v] +
                             (graph->weights_u32 ? graph->weights_u32[i] : graph->weights_f64[i]);
                if (sum < *far)
                    *far = sum, changed = 1;
            }
    }
}

static void the_reference_is_right(void **state)
{
    static const char *const texts[] = {"rmat:9,4", "rmat:7,20", "grid:30x20,.7", "grid:300x1"};
    static const char *const weights[] = {"unit", "random:0-2", "random", "random:0-4294967295"};
    (void)state;
    for (int i = 0; i < 16; i++) {
        weir_graph *graph = open_graph(texts[i / 4], 0);
        double have[1024], want[1024];
        weigh(graph, weights[i % 4]);
        for (uint64_t source = 0; source < graph->vertices; source += 97) {
            OK(weir_sssp_reference(graph, source, have));
            relax(graph, source, want);
            assert_memory_equal(have, want, graph->vertices * sizeof *have);
        }
        weir_graph_destroy(graph);
    }
}

static void the_reference_refuses(void **state)
{
    double distances[3];
    (void)state;
    weir_graph *graph = chain_of(3, 2, 1), *negative = chain_of(3, 2, -1), *plain = NULL;
    const uint32_t sources[] = {0}, targets[] = {1};
    OK(weir_graph_from_arcs(3, 1, sources, targets, NULL, NULL, &plain));
    STATUS(weir_sssp_reference(graph, 3, distances), WEIR_ERR_INVALID);
    STATUS(weir_sssp_reference(NULL, 0, distances), WEIR_ERR_INVALID);
    STATUS(weir_sssp_reference(graph, 0, NULL), WEIR_ERR_INVALID);
    STATUS(weir_sssp_reference(plain, 0, distances), WEIR_ERR_INVALID);
    STATUS(weir_sssp_reference(negative, 0, distances), WEIR_ERR_INVALID);
    assert_detail_has("-1");
    for (uint64_t n = 1; n <= 2; n++) {
        weir__fault_arm(WEIR__FAULT_ALLOC, n);
        STATUS(weir_sssp_reference(graph, 0, distances), WEIR_ERR_NOMEM);
    }
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    OK(weir_sssp_reference(graph, 1, distances));
    assert_true(isinf(distances[0]) && distances[1] == 0 && distances[2] == 1);
    weir_graph_destroy(plain);
    weir_graph_destroy(negative);
    weir_graph_destroy(graph);
}

/* ---- small graphs ---- */

enum shape { ONE, NO_ARCS, CHAIN, STAR_OUT, STAR_IN, COMPLETE, DISCONNECTED, DETOURS, SHAPES };

/* Whole numbers, zeros among them, fractions, and what does not fit 32 bits. */
enum { UNIT, ZERO, SMALL, REAL, LARGE, WEIGHINGS };

static double draw(int weighing, uint64_t *random)
{
    uint64_t bits = next_random(random);
    switch (weighing) {
    case UNIT:
        return 1;
    case ZERO:
        return (double)(bits % 3);
    case SMALL:
        return (double)(1 + bits % 255);
    case REAL:
        return (double)(bits % 10000) / 777;
    default:
        return (double)(UINT32_MAX - bits % 1000);
    }
}

static weir_graph *shaped(enum shape shape, int weighing)
{
    static struct arcs arcs;
    uint64_t n = 20, random = (uint64_t)shape * 7 + (uint64_t)weighing;
    arcs.count = 0;
#define ARC(from, to)       arc(&arcs, from, to, draw(weighing, &random))
#define FOR(i, first, last) for (uint32_t i = first; i < last; i++)
    switch (shape) {
    case ONE:
        n = 1;
        break;
    case CHAIN:
        FOR(i, 0, 19) ARC(i, i + 1);
        break;
    case STAR_OUT:
        FOR(i, 0, 19) ARC(7, i < 7 ? i : i + 1);
        break;
    case STAR_IN:
        FOR(i, 0, 19) ARC(i < 7 ? i : i + 1, 7);
        break;
    case COMPLETE:
        FOR(i, 0, 20) FOR(j, 0, 20) if (i != j) ARC(i, j);
        break;
    case DISCONNECTED: /* 0..9 and 10..17 in circles of both directions, 18 and 19 alone */
        FOR(i, 0, 10) ARC(i, (i + 1) % 10), ARC((i + 1) % 10, i);
        FOR(i, 0, 8) ARC(10 + i, 10 + (i + 1) % 8), ARC(10 + (i + 1) % 8, 10 + i);
        break;
    case DETOURS: /* the direct way is the dearest: each vertex is corrected many times */
        FOR(i, 0, 19) FOR(j, i + 1, 20) arc(&arcs, i, j, draw(weighing, &random) * (j - i));
        break;
    default:
        break;
    }
    return graph_of(n, &arcs);
}

/* More devices than the usual machine has cores: a run there takes long for the turns they take. */
static int crowded(const weir_context *context)
{
    return weir_context_device_count(context) > 4;
}

/* Of cases that go around three things several devices see each with one of the three, other numbers of devices
 * with another: what takes time is that devices wait for each other, not what there is to do. */
static int is_due(const weir_context *context, int number)
{
    const int devices = (int)weir_context_device_count(context);
    return devices == 1 || (number + devices) % 3 == 0;
}

static void small_graphs(void **state)
{
    weir_context *context = open_or_skip(state);
    const int stride = crowded(context) && STRIDE == 1 ? 3 : STRIDE;
    for (int i = 0; i < SHAPES * WEIGHINGS; i += stride) {
        weir_graph *graph = shaped((enum shape)(i / WEIGHINGS), i % WEIGHINGS);
        for (int kind = WEIR_PARTITION_BLOCK; kind <= WEIR_PARTITION_RANDOM; kind++) {
            if (!is_due(context, i / WEIGHINGS + i % WEIGHINGS + kind))
                continue;
            weir_sssp *sssp = placed(context, graph, (weir_partition_kind)kind, NULL);
            for (uint64_t source = (uint64_t)kind; source < graph->vertices; source += 6)
                assert_sssp(sssp, graph, source);
            weir_sssp_destroy(sssp);
        }
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* ---- choices ---- */

static void every_partition_route_and_order(void **state)
{
    static const char *const texts[] = {"rmat:8", "grid:20x13", "grid:40x9,.6"};
    static const char *const weights[] = {"random", "random:0-3", "random:1-4000000000"};
    static const struct {
        weir_order_kind order;
        uint32_t delta;
    } orders[] = {
        {WEIR_ORDER_FIFO, 0}, {WEIR_ORDER_SOFT, 0}, {WEIR_ORDER_SOFT, 60}, {WEIR_ORDER_BULK, 0}};
    weir_context *context = open_or_skip(state);
    const int stride = crowded(context) && STRIDE == 1 ? 5 : STRIDE; /* still every value of each */
    for (int g = 0; g < 3; g++) {
        weir_graph *graph = open_graph(texts[g], 0);
        weigh(graph, weights[g]);
        for (int i = 0; i < 4 * 4 * 4; i += stride) {
            weir_run_options options = WEIR_RUN_OPTIONS_INIT;
            if (!crowded(context) && !is_due(context, i + i / 4 + i / 16 + g))
                continue;
            options.route = (weir_route_kind)(WEIR_ROUTE_DIRECT + i / 4 % 4);
            options.order = orders[i / 16].order;
            options.delta = orders[i / 16].delta;
            weir_sssp *sssp = placed(context, graph, (weir_partition_kind)(i % 4), &options);
            assert_sssp(sssp, graph, 0);
            assert_sssp(sssp, graph, graph->vertices - 1);
            weir_sssp_destroy(sssp);
        }
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void every_kernel_worker_and_mapping(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:8", 0);
    const char *spec = *state;
    const int mixed = strstr(spec, "cuda") && strstr(spec, "host"); /* no resident kernels there */
    weigh(graph, "random");
    for (int i = 0; i < 4 * 4 * 6; i += crowded(context) ? 7 : STRIDE) {
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        options.kernel = (weir_kernel_kind)(i % 4);
        if ((options.kernel == WEIR_KERNEL_FUSED && mixed) ||
            (options.kernel == WEIR_KERNEL_LIVE && !live_runs_on(spec)))
            continue;
        options.worker = (weir_worker_kind)(i / 4 % 4);
        if (choice_has_effect(options.worker, (weir_mapping_kind)(i / 16), 0))
            options.mapping = (weir_mapping_kind)(i / 16);
        options.fetch = (uint32_t)i % 5;
        options.group = options.mapping == WEIR_MAPPING_GROUP ? 1u << i % 4 : 0;
        weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_EDGE, &options);
        assert_sssp(sssp, graph, 3);
        weir_sssp_destroy(sssp);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void one_object_for_many_sources(void **state)
{
    static const char *const weights[] = {"random", "random:1-4000000000"};
    weir_context *context = open_or_skip(state);
    for (int i = 0; i < 2; i++) {
        weir_graph *graph = open_graph("rmat:9,8", 0);
        weigh(graph, weights[i]);
        weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_RANDOM, NULL);
        for (uint64_t source = 0; source < graph->vertices; source += 23 * STRIDE)
            assert_sssp(sssp, graph, source);
        weir_sssp_destroy(sssp);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void with_the_smallest_queues(void **state)
{
    static const char *const settings[] = {"queue_items=16", "packet_bytes=64", "link_buffers=1",
                                           NULL};
    static const char *const weights[] = {"random", "random:1-4000000000"};
    weir_context *context = open_with_or_skip(*state, settings);
    for (int i = 0; i < 2; i++) {
        weir_graph *graph = open_graph("rmat:9,8", 0);
        weigh(graph, weights[i]);
        weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_RANDOM, NULL);
        for (uint64_t source = 0; source < graph->vertices; source += 100)
            assert_sssp(sssp, graph, source);
        weir_sssp_destroy(sssp);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* Without room on a link items wait for it: that is no failure. */
static void with_one_message_under_way(void **state)
{
    static const char *const settings[] = {"queue_items=17", "packet_bytes=20", "link_messages=1",
                                           "link_bytes=16", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_graph *graph = open_graph("star:500", 0);
    weigh(graph, "random");
    options.direction = WEIR_DIRECTION_PUSH;
    options.kernel = WEIR_KERNEL_DISCRETE;
    weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_RANDOM, &options);
    for (uint64_t source = 0; source < 4; source++)
        assert_sssp(sssp, graph, source);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Items of different devices are counted between them, and only there. */
static void links_carry_items(void **state)
{
    weir_context *context = open_or_skip(state);
    uint32_t devices = weir_context_device_count(context);
    uint64_t sum = 0, items;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_graph *graph = open_graph("rmat:8", 0);
    weigh(graph, "random");
    weir_sssp *sssp = placed(context, graph, WEIR_PARTITION_RANDOM, NULL);
    OK(weir_sssp_run(sssp, weir__graph_largest(graph), &stats));
    for (uint32_t i = 0; i < devices * devices; i++) {
        OK(weir_sssp_link_items(sssp, i / devices, i % devices, &items));
        assert_true(items == 0 || i / devices != i % devices);
        sum += items;
    }
    assert_int_equal(sum, stats.work.sent);
    assert_int_equal(sum > 0, devices > 1);
    STATUS(weir_sssp_link_items(sssp, devices, 0, &items), WEIR_ERR_INVALID);
    weir_sssp_destroy(sssp);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_is_right),
        cmocka_unit_test(the_reference_refuses),
        ON_EACH_SPEC(small_graphs),
        ON_EACH_SPEC(every_partition_route_and_order),
        ON_EACH_SPEC(every_kernel_worker_and_mapping),
        ON_EACH_SPEC(one_object_for_many_sources),
        ON_EACH_SPEC(with_the_smallest_queues),
        ON_EACH_SPEC(with_one_message_under_way),
        ON_EACH_SPEC(links_carry_items),
    };
    return cmocka_run_group_tests_name("sssp", tests, make_folder, remove_folder);
}
