/** @file test_resident.c  Graphs whose arcs stay in the memory of the devices that made them: every call that takes a graph does with them
 * what it does with others, and only those fetch the arcs that need them on the host. */
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

#include "algorithms/common/rows_build.h"
#include "algorithms/graph/csr.h"
#include "algorithms/graph/resident.h"
#include "runtime/internal.h"

#include <pthread.h>

static weir_graph *open_staying(weir_context *context, const char *text, int undirected,
                                int resident)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph;
    options.undirected = undirected;
    options.context = resident ? context : NULL;
    options.resident = resident ? WEIR_GRAPH_RESIDENT : 0;
    weir__csr_pretend(resident);
    OK(weir_graph_open(text, &options, &graph));
    weir__csr_pretend(0);
    return graph;
}

/* ---- who takes a graph ------------------------------------------------------------------------------ */

static uint64_t hash(uint64_t sum, const void *data, uint64_t bytes)
{
    const uint8_t *byte = data;
    for (uint64_t i = 0; i < bytes; i++)
        sum = (sum ^ byte[i]) * UINT64_C(1099511628211);
    return sum;
}

static uint64_t arcs_of(const weir_graph *graph)
{
    uint64_t sum = hash(graph->vertices, graph->offsets, (graph->vertices + 1) * 8);
    sum = hash(sum, graph->targets, graph->arcs * 4);
    return graph->weights_u32 ? hash(sum, graph->weights_u32, graph->arcs * 4) : sum;
}

static uint64_t fetches(weir_context *context, weir_graph *graph)
{
    (void)context;
    OK(weir_graph_fetch(graph));
    OK(weir_graph_fetch(graph));
    return arcs_of(graph);
}

static uint64_t summarizes(weir_context *context, weir_graph *graph)
{
    weir_graph_summary summary = WEIR_GRAPH_SUMMARY_INIT;
    (void)context;
    OK(weir_graph_summarize(graph, &summary));
    return hash(1, &summary, sizeof summary);
}

static uint64_t spans(weir_context *context, weir_graph *graph)
{
    weir_graph_span span = WEIR_GRAPH_SPAN_INIT;
    (void)context;
    OK(weir_graph_span_find(graph, &span));
    return hash(1, &span, sizeof span);
}

static uint64_t makes_undirected(weir_context *context, weir_graph *graph)
{
    weir_graph *both;
    (void)context;
    OK(weir_graph_undirected(graph, &both));
    const uint64_t sum = arcs_of(both);
    weir_graph_destroy(both);
    return sum;
}

static uint64_t weighs(weir_context *context, weir_graph *graph)
{
    weir_weights weights = {.kind = WEIR_WEIGHTS_RANDOM, .low = 1, .high = 99, .seed = 3};
    (void)context;
    OK(weir_graph_weigh(graph, &weights));
    return arcs_of(graph);
}

static uint64_t writes(weir_context *context, weir_graph *graph)
{
    char path[200];
    weir_graph *back;
    (void)context;
    snprintf(path, sizeof path, "%s/graph.gr", folder);
    OK(weir_graph_write(graph, path));
    OK(weir_graph_open(path, NULL, &back));
    const uint64_t sum = arcs_of(back);
    weir_graph_destroy(back);
    return sum;
}

static uint64_t parts(weir_context *context, weir_graph *graph)
{
    uint64_t sum = 1;
    (void)context;
    for (int kind = WEIR_PARTITION_BLOCK; kind <= WEIR_PARTITION_RANDOM; kind++) {
        weir_partition *partition;
        weir_partition_part part[3];
        OK(weir_partition_create(graph, (weir_partition_kind)kind, 3, 1, NULL, &partition));
        OK(weir_partition_parts(graph, partition, part));
        sum = hash(sum, part, sizeof part) + partition->cut_arcs;
        weir_partition_destroy(partition);
    }
    return sum;
}

static uint64_t parts_alone(weir_context *context, weir_graph *graph)
{
    weir_partition *partition;
    weir_partition_part part[2];
    (void)context;
    OK(weir_partition_create(graph, WEIR_PARTITION_RANDOM, 2, 1, NULL, &partition));
    OK(weir_partition_parts(graph, partition, part));
    weir_partition_destroy(partition);
    return hash(1, part, sizeof part);
}

static uint64_t advises(weir_context *context, weir_graph *graph)
{
    const char *why = NULL;
    return weir_devices_advise(context, graph, WEIR_SHAPE_LEVELS, &why);
}

static uint64_t searches_parts(weir_context *context, weir_graph *graph,
                               const weir_partition *partition, weir_direction direction,
                               weir_memory memory)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    int32_t *levels = calloc(graph->vertices, sizeof *levels);
    weir_bfs *bfs;
    assert_non_null(levels);
    options.direction = direction;
    options.memory = memory;
    OK(weir_bfs_create(context, graph, partition, &options, &bfs));
    OK(weir_bfs_run(bfs, 1, NULL));
    OK(weir_bfs_levels(bfs, levels));
    weir_bfs_destroy(bfs);
    OK(weir_bfs_certify(context, graph, 1, levels, NULL));
    const uint64_t sum = hash(1, levels, graph->vertices * sizeof *levels);
    free(levels);
    return sum;
}

static uint64_t searches(weir_context *context, weir_graph *graph, weir_direction direction,
                         weir_memory memory)
{
    return searches_parts(context, graph, NULL, direction, memory);
}

/* The sentence names an arc. */
static uint64_t is_caught(weir_context *context, weir_graph *graph)
{
    int32_t *levels = calloc(graph->vertices, sizeof *levels);
    uint64_t source = 0;
    assert_non_null(levels);
    while (graph->offsets[source + 1] == graph->offsets[source])
        source++;
    for (uint64_t v = 0; v < graph->vertices; v++)
        levels[v] = v == source ? 0 : 7;
    STATUS(weir_bfs_certify(context, graph, source, levels, NULL), WEIR_ERR_VERIFY);
    free(levels);
    return hash(1, weir_error_detail(), strlen(weir_error_detail()));
}

static uint64_t searches_in_step(weir_context *context, weir_graph *graph)
{
    return searches(context, graph, WEIR_DIRECTION_SWITCH, WEIR_MEMORY_AUTO);
}

static uint64_t searches_by_push(weir_context *context, weir_graph *graph)
{
    return searches(context, graph, WEIR_DIRECTION_PUSH, WEIR_MEMORY_AUTO);
}

static uint64_t searches_in_host_memory(weir_context *context, weir_graph *graph)
{
    return searches(context, graph, WEIR_DIRECTION_SWITCH, WEIR_MEMORY_HOST);
}

static uint64_t references(weir_context *context, weir_graph *graph)
{
    int32_t *levels = calloc(graph->vertices, sizeof *levels);
    (void)context;
    assert_non_null(levels);
    OK(weir_bfs_reference(graph, 1, levels));
    const uint64_t sum = hash(1, levels, graph->vertices * sizeof *levels);
    free(levels);
    return sum;
}

static uint64_t checks_a_tree(weir_context *context, weir_graph *graph)
{
    int32_t *levels = calloc(graph->vertices, sizeof *levels);
    int64_t *parents = calloc(graph->vertices, sizeof *parents);
    (void)context;
    assert_non_null(levels);
    assert_non_null(parents);
    const weir_status status = weir_bfs_tree_check(graph, 1, parents, levels);
    free(levels);
    free(parents);
    return (uint64_t)(int64_t)status;
}

static uint64_t ranks(weir_context *context, weir_graph *graph, weir_direction direction)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_pr_change change = WEIR_PR_CHANGE_INIT;
    double *rank = calloc(graph->vertices, sizeof *rank);
    weir_pr *pr;
    assert_non_null(rank);
    options.direction = direction;
    config.tolerance = 1e-4;
    OK(weir_pr_create(context, graph, NULL, &options, &config, &pr));
    OK(weir_pr_run(pr, NULL));
    OK(weir_pr_ranks(pr, rank));
    weir_pr_destroy(pr);
    OK(weir_pr_certify(context, graph, &config, rank, &change));
    assert_true(change.l1 < 1e-3);
    const uint64_t sum = hash(1, rank, graph->vertices * sizeof *rank);
    free(rank);
    return direction == WEIR_DIRECTION_PUSH ? 1 : sum; /* which depends on who was first */
}

static uint64_t ranks_by_pull(weir_context *context, weir_graph *graph)
{
    return ranks(context, graph, WEIR_DIRECTION_PULL);
}

static uint64_t ranks_by_push(weir_context *context, weir_graph *graph)
{
    return ranks(context, graph, WEIR_DIRECTION_PUSH);
}

static uint64_t ranks_by_reference(weir_context *context, weir_graph *graph)
{
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_pr_change change = WEIR_PR_CHANGE_INIT;
    double *rank = calloc(graph->vertices, sizeof *rank);
    (void)context;
    assert_non_null(rank);
    OK(weir_pr_reference(graph, &config, rank));
    const uint64_t sum = hash(1, rank, graph->vertices * sizeof *rank);
    OK(weir_pr_check(graph, &config, rank, &change));
    free(rank);
    return sum;
}

static uint64_t checks_ranks(weir_context *context, weir_graph *graph)
{
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    weir_pr_change change = WEIR_PR_CHANGE_INIT;
    double *rank = calloc(graph->vertices, sizeof *rank);
    (void)context;
    assert_non_null(rank);
    OK(weir_pr_check(graph, &config, rank, &change));
    free(rank);
    return hash(1, &change.l1, sizeof change.l1);
}

static uint64_t joins(weir_context *context, weir_graph *graph, weir_cc_source source)
{
    uint32_t *labels = calloc(graph->vertices, sizeof *labels);
    weir_cc *cc;
    assert_non_null(labels);
    OK(weir_cc_create(context, graph, NULL, NULL, source, &cc));
    OK(weir_cc_run(cc, NULL));
    OK(weir_cc_labels(cc, labels));
    weir_cc_destroy(cc);
    OK(weir_cc_certify(context, graph, labels));
    const uint64_t sum = hash(1, labels, graph->vertices * sizeof *labels);
    free(labels);
    return sum;
}

static uint64_t joins_resident(weir_context *context, weir_graph *graph)
{
    return joins(context, graph, WEIR_CC_RESIDENT);
}

static uint64_t joins_streamed(weir_context *context, weir_graph *graph)
{
    return joins(context, graph, WEIR_CC_STREAMED);
}

static uint64_t joins_by_reference(weir_context *context, weir_graph *graph)
{
    uint32_t *labels = calloc(graph->vertices, sizeof *labels);
    (void)context;
    assert_non_null(labels);
    OK(weir_cc_reference(graph, labels));
    const uint64_t sum = hash(1, labels, graph->vertices * sizeof *labels);
    free(labels);
    return sum;
}

static uint64_t finds_paths(weir_context *context, weir_graph *graph)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    double *distances = calloc(graph->vertices, sizeof *distances);
    weir_sssp *sssp;
    assert_non_null(distances);
    (void)weighs(context, graph);
    OK(weir_sssp_create(context, graph, NULL, &options, &sssp));
    OK(weir_sssp_run(sssp, 1, NULL));
    OK(weir_sssp_distances(sssp, distances));
    weir_sssp_destroy(sssp);
    OK(weir_sssp_certify(context, graph, 1, distances, NULL));
    const uint64_t sum = hash(1, distances, graph->vertices * sizeof *distances);
    free(distances);
    return sum;
}

static uint64_t places(weir_context *context, weir_graph *graph)
{
    uint64_t arcs = 0;
    for (int in = 0; in <= 1; in++) {
        weir_placement_config config = WEIR_PLACEMENT_CONFIG_INIT;
        weir_placement *placement;
        config.in_arcs = in;
        OK(weir_placement_create_with(context, graph, NULL, &config, &placement));
        for (uint32_t p = 0; p < weir_context_device_count(context); p++)
            arcs += weir_placement_part(placement, p)->owned;
        weir_placement_destroy(placement);
    }
    return arcs;
}

static const struct {
    const char *name;
    uint64_t (*use)(weir_context *context, weir_graph *graph);
} users[] = {{"fetches", fetches},
             {"summarizes", summarizes},
             {"spans", spans},
             {"makes undirected", makes_undirected},
             {"weighs", weighs},
             {"writes", writes},
             {"parts", parts},
             {"parts alone", parts_alone},
             {"advises", advises},
             {"searches in step", searches_in_step},
             {"searches by push", searches_by_push},
             {"searches in host memory", searches_in_host_memory},
             {"is caught", is_caught},
             {"references", references},
             {"checks a tree", checks_a_tree},
             {"ranks by pull", ranks_by_pull},
             {"ranks by push", ranks_by_push},
             {"ranks by reference", ranks_by_reference},
             {"checks ranks", checks_ranks},
             {"joins resident", joins_resident},
             {"joins streamed", joins_streamed},
             {"joins by reference", joins_by_reference},
             {"finds paths", finds_paths},
             {"places", places}};

static void everybody_takes_them(void **state)
{
    weir_context *context = open_or_skip(state);
    static const char *const texts[] = {"rmat:9", "uniform:8,3"};
    for (size_t u = 0; u < sizeof users / sizeof *users; u++)
        for (int t = 0; t < 2; t++)
            for (int undirected = 0; undirected <= 1; undirected++) {
                weir_graph *plain = open_staying(context, texts[t], undirected, 0);
                weir_graph *resident = open_staying(context, texts[t], undirected, 1);
                assert_non_null(plain->targets);
                assert_null(plain->resident);
                assert_null(resident->targets);
                assert_int_equal(plain->arcs, resident->arcs);
                if (users[u].use(context, plain) != users[u].use(context, resident))
                    fail_msg("%s %s otherwise", users[u].name, texts[t]);
                weir_graph_destroy(resident);
                weir_graph_destroy(plain);
                assert_no_memory_is_left(context);
            }
    weir_context_destroy(context);
}

/* Rows that devices put in order, searches and certificates of them need no arcs on the host. */
static void some_need_no_arcs_on_the_host(void **state)
{
    weir_context *context = open_or_skip(state);
    const int alone = weir_context_device_count(context) == 1;
    for (int piece = 0; piece <= 1; piece++) {
        weir_graph *graph = open_staying(context, "rmat:10", 1, 1);
        weir_partition *partition;
        weir__rows_pretend(piece ? 300 : UINT64_C(1) << 20, 5000);
        if (alone) {
            (void)searches_in_step(context, graph);
            assert_null(graph->targets);
            (void)joins_resident(context, graph);
            assert_null(graph->targets);
        } else { /* on how many devices is chosen by searches on the host, from arcs that are there */
            OK(weir_partition_create(graph, WEIR_PARTITION_EDGE, weir_context_device_count(context),
                                     0, NULL, &partition));
            (void)searches_parts(context, graph, partition, WEIR_DIRECTION_SWITCH,
                                 WEIR_MEMORY_AUTO);
            weir_partition_destroy(partition);
            assert_null(graph->targets);
            (void)searches_in_step(context, graph);
            assert_non_null(graph->targets);
        }
        weir__rows_pretend(0, 0);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

static void assert_same_parts(const weir_graph *plain, const weir_partition *a,
                              const weir_graph *resident, const weir_partition *b)
{
    weir_partition_part part[2][WEIR_DEVICES_MAX];
    assert_int_equal(a->parts, b->parts);
    assert_memory_equal(a->owner, b->owner, a->vertices);
    assert_int_equal(a->cut_arcs, b->cut_arcs);
    assert_memory_equal(&a->vertex_balance, &b->vertex_balance, sizeof a->vertex_balance);
    assert_memory_equal(&a->arc_balance, &b->arc_balance, sizeof a->arc_balance);
    OK(weir_partition_parts(plain, a, part[0]));
    OK(weir_partition_parts(resident, b, part[1]));
    assert_memory_equal(part[0], part[1], a->parts * sizeof *part[0]);
}

/* What parts hold, what they cut and their halos are counted where the arcs lie: the same numbers, and no arc comes to the host. */
static void parts_are_measured_where_arcs_lie(void **state)
{
    static const char *const texts[] = {"rmat:12,8", "uniform:9,3", "rmat:5,1"};
    static const uint32_t numbers[] = {1, 2, 3, 7, WEIR_DEVICES_MAX};
    weir_context *context = open_or_skip(state);
    for (int t = 0; t < 3; t++)
        for (int undirected = 0; undirected <= 1; undirected++) {
            weir_graph *plain = open_staying(context, texts[t], undirected, 0);
            weir_graph *resident = open_staying(context, texts[t], undirected, 1);
            for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
                for (int kind = WEIR_PARTITION_BLOCK; kind <= WEIR_PARTITION_RANDOM; kind++) {
                    weir_partition *a, *b;
                    OK(weir_partition_create(plain, (weir_partition_kind)kind, numbers[i], 1, NULL,
                                             &a));
                    OK(weir_partition_create(resident, (weir_partition_kind)kind, numbers[i], 1,
                                             NULL, &b));
                    assert_same_parts(plain, a, resident, b);
                    assert_null(resident->targets);
                    weir_partition_destroy(a);
                    weir_partition_destroy(b);
                }
            weir_graph_destroy(plain);
            weir_graph_destroy(resident);
        }
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

/* A device that has no room to count lets the arcs go to the host, which counts them. */
static void parts_are_measured_without_room(void **state)
{
    static const char *const settings[] = {"pool_bytes=400MiB", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_device *device = weir_context_device(context, 0);
    weir_graph *plain = open_staying(context, "rmat:18,4", 0, 0);
    weir_graph *resident = open_staying(context, "rmat:18,4", 0, 1);
    weir_partition *a, *b;
    void *others[64];
    size_t count = 0;
    for (uint64_t bytes = UINT64_C(256) << 20; bytes >= 65536; bytes /= 2) /* until it is full */
        while (count < 64 && !weir_device_alloc(device, bytes, &others[count]))
            count++;
    assert_in_range(count, 1, 63);
    assert_null(resident->targets);
    OK(weir_partition_create(plain, WEIR_PARTITION_RANDOM, 5, 1, NULL, &a));
    OK(weir_partition_create(resident, WEIR_PARTITION_RANDOM, 5, 1, NULL, &b));
    assert_non_null(resident->targets);
    assert_same_parts(plain, a, resident, b);
    while (count > 0)
        weir_device_free(device, others[--count]);
    weir_partition_destroy(a);
    weir_partition_destroy(b);
    weir_graph_destroy(plain);
    weir_graph_destroy(resident);
    weir_context_destroy(context);
}

/* The graph keeps its devices. */
static void a_graph_outlives_whoever_opened_the_context(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_staying(context, "rmat:9", 0, 1);
    weir_graph *plain = open_staying(context, "rmat:9", 0, 0);
    weir_context_destroy(context);
    OK(weir_graph_fetch(graph));
    assert_int_equal(arcs_of(graph), arcs_of(plain));
    weir_graph_destroy(graph);
    weir_graph_destroy(plain);
}

static void *fetch_apart(void *user)
{
    const weir_graph *graph = user;
    if (weir_graph_fetch(graph))
        return NULL;
    return (void *)(uintptr_t)graph->targets;
}

static void several_threads_fetch_once(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_staying(context, "rmat:12", 0, 1);
    pthread_t thread[4];
    void *targets;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, fetch_apart, graph), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], &targets);
        assert_non_null(targets);
        assert_ptr_equal(targets, graph->targets);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Where pools have no room for several times the arcs they go to the host, as do those of a graph without a context. */
static void arcs_stay_where_there_is_room(void **state)
{
    static const char *const settings[] = {"pool_bytes=20MiB", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph = open_staying(context, "rmat:14", 0, 1);
    assert_null(graph->resident);
    assert_non_null(graph->targets);
    weir_graph_destroy(graph);
    graph = open_staying(context, "rmat:6", 0, 1);
    assert_non_null(graph->resident);
    weir_graph_destroy(graph);
    options.resident = 1;
    OK(weir_graph_open("rmat:6", &options, &graph));
    assert_null(graph->resident);
    assert_non_null(graph->targets);
    weir_graph_destroy(graph);
    STATUS(weir_graph_fetch(NULL), WEIR_ERR_INVALID);
    weir_context_destroy(context);
}

static uint64_t used_of(const weir_context *context)
{
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    OK(weir_device_pool_stats(weir_context_device(context, 0), &stats));
    return stats.used_bytes;
}

static void what_was_released_is_on_the_host(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_staying(context, "rmat:9", 1, 1);
    weir_graph *plain = open_staying(context, "rmat:9", 1, 0);
    assert_true(used_of(context) > 0);
    OK(weir__resident_release(graph));
    assert_int_equal(used_of(context), 0);
    assert_int_equal(arcs_of(graph), arcs_of(plain));
    assert_int_equal(searches_in_step(context, graph), searches_in_step(context, plain));
    OK(weir__resident_release(plain));
    weir_graph_destroy(graph);
    weir_graph_destroy(plain);
    weir_context_destroy(context);
}

/* A run that has no room beside the arcs gets theirs. */
static void arcs_make_room_for_a_run(void **state)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_graph_options open = WEIR_GRAPH_OPTIONS_INIT;
    static const char *const settings[] = {"pool_bytes=400MiB", NULL};
    const uint64_t bound = UINT64_C(400) << 20;
    weir_context *context = open_with_or_skip(*state, settings);
    weir_device *device = weir_context_device(context, 0);
    weir_graph *graph = open_staying(context, "rmat:16,64", 1, 0);
    const uint64_t arcs_bytes = graph->arcs * 4;
    weir_bfs *bfs;
    void *other;
    options.memory = WEIR_MEMORY_DEVICE;
    OK(weir_bfs_create(context, graph, NULL, &options, &bfs));
    const uint64_t run_bytes = used_of(context);
    weir_bfs_destroy(bfs);
    weir_graph_destroy(graph);
    open.undirected = 1;
    open.context = context;
    open.resident = 1;
    weir__csr_pretend(1);
    OK(weir_graph_open("rmat:16,64", &open, &graph));
    weir__csr_pretend(0);
    assert_null(graph->targets);
    /* Somebody else takes so much that there is not room for both. */
    OK(weir_device_alloc(device, bound - used_of(context) - run_bytes + arcs_bytes / 4, &other));
    OK(weir_bfs_create(context, graph, NULL, &options, &bfs));
    assert_non_null(graph->targets);
    assert_null(weir__resident_at(graph, 0));
    weir_bfs_destroy(bfs);
    weir_device_free(device, other);
    assert_int_equal(used_of(context), 0);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* A failure leaves them where they are. */
static void a_fetch_that_fails_can_be_repeated(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_staying(context, "rmat:9", 0, 1);
    weir_graph *plain = open_staying(context, "rmat:9", 0, 0);
    weir__fault_arm(WEIR__FAULT_ALLOC, 1);
    STATUS(weir_graph_fetch(graph), WEIR_ERR_NOMEM);
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    assert_null(graph->targets);
    OK(weir_graph_fetch(graph));
    assert_int_equal(arcs_of(graph), arcs_of(plain));
    weir_graph_destroy(graph);
    weir_graph_destroy(plain);
    weir_context_destroy(context);
}

int main(void)
{
#define ON_EACH(f)                                                             \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:3"), ON_BACKEND(f, "cuda:0"), \
        ON_BACKEND(f, "cuda:0-1")
    const struct CMUnitTest tests[] = {
        ON_EACH(everybody_takes_them),
        ON_EACH(some_need_no_arcs_on_the_host),
        ON_EACH(parts_are_measured_where_arcs_lie),
        ON_BACKEND(parts_are_measured_without_room, "host:1"),
        ON_EACH(a_graph_outlives_whoever_opened_the_context),
        ON_EACH(several_threads_fetch_once),
        ON_BACKEND(arcs_stay_where_there_is_room, "host:1"),
        ON_BACKEND(arcs_stay_where_there_is_room, "cuda:0"),
        ON_BACKEND(what_was_released_is_on_the_host, "host:1"),
        ON_BACKEND(what_was_released_is_on_the_host, "cuda:0"),
        ON_BACKEND(arcs_make_room_for_a_run, "host:1"),
        ON_EACH(a_fetch_that_fails_can_be_repeated),
    };
    return cmocka_run_group_tests_name("resident", tests, make_folder, remove_folder);
}
