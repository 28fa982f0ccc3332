/** @file test_placement.c  Parts on devices, brought back and put together, give the graph again.
 */
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"
#include "runtime/internal.h"

/* A placement, and its parts as they are on their devices, in host memory. */
struct copy {
    uint64_t *offsets;
    uint32_t *targets, *halo, *first;
    void *weights;
    uint64_t arcs;
};

struct placed {
    const weir_graph *graph;
    weir_placement *placement;
    weir_context *context;
    weir_part_weights kind;
    uint32_t parts;
    uint32_t *vertex; /* of each global number */
};

static void *fetch(const struct placed *placed, uint32_t p, const void *data, uint64_t count,
                   size_t bytes)
{
    void *copy = malloc((size_t)count * bytes + 1);
    assert_non_null(copy);
    OK(weir__download(weir_context_device(placed->context, p), copy, data, (size_t)count * bytes));
    return copy;
}

/* Vertex of each global number, and whether the numbers are what part.h says. */
static void number_vertices(struct placed *placed, const weir_partition *partition)
{
    uint64_t n = placed->graph->vertices;
    uint32_t seen[WEIR_DEVICES_MAX] = {0}, before = 0, part, global, local;
    placed->vertex = malloc((size_t)n * sizeof *placed->vertex + 1);
    assert_non_null(placed->vertex);
    assert_int_equal(weir_placement_vertices(placed->placement), n);
    for (uint32_t p = 0, first = 0; p < placed->parts; p++) {
        for (uint64_t v = 0; v < n; v++) {
            if (partition->owner[v] != p)
                continue;
            OK(weir_placement_locate(placed->placement, v, &part, &global, &local));
            assert_int_equal(part, p);
            assert_int_equal(local, seen[p]++); /* vertices keep their order */
            assert_int_equal(global, first + local);
            placed->vertex[global] = (uint32_t)v;
        }
        first += seen[p];
    }
    for (uint32_t p = 0; p < placed->parts; before += seen[p++]) {
        const weir_part *it = weir_placement_part(placed->placement, p);
        assert_int_equal(it->owned, seen[p]);
        assert_int_equal(it->part, p);
        assert_int_equal(it->parts, placed->parts);
        uint32_t *firsts = fetch(placed, p, it->first, placed->parts + 1, 4);
        assert_int_equal(firsts[p], before);
        assert_int_equal(firsts[p + 1], before + seen[p]);
        free(firsts);
    }
    assert_int_equal(before, n);
    STATUS(weir_placement_locate(placed->placement, n, NULL, NULL, NULL), WEIR_ERR_INVALID);
}

/* Each of the halo belongs to another part, is there once, and some arc leads to it. */
static void assert_halo(const struct placed *placed, uint32_t p, const struct copy *copy)
{
    const weir_part *part = weir_placement_part(placed->placement, p);
    uint64_t n = placed->graph->vertices;
    char *seen = calloc((size_t)n + part->halo_count + 1, 1);
    char *used = seen + n;
    assert_non_null(seen);
    for (uint64_t i = 0; i < copy->arcs; i++) {
        assert_true(copy->targets[i] < part->owned + part->halo_count);
        if (!weir_part_owns(part, copy->targets[i]))
            used[copy->targets[i] - part->owned] = 1;
    }
    for (uint32_t h = 0; h < part->halo_count; h++) {
        uint32_t owner;
        assert_true(copy->halo[h] < n);
        OK(weir_placement_locate(placed->placement, placed->vertex[copy->halo[h]], &owner, NULL,
                                 NULL));
        assert_int_not_equal(owner, p);
        assert_int_equal(seen[copy->halo[h]]++, 0);
        assert_int_equal(used[h], 1);
    }
    free(seen);
}

static double weight_in_part(const struct placed *placed, const struct copy *copy, uint64_t arc)
{
    return placed->kind == WEIR_PART_WEIGHTS_U32 ? ((const uint32_t *)copy->weights)[arc]
                                                 : ((const double *)copy->weights)[arc];
}

static double weight_in_graph(const weir_graph *graph, uint64_t arc)
{
    return graph->weight_kind == WEIR_WEIGHT_U32 ? graph->weights_u32[arc]
                                                 : graph->weights_f64[arc];
}

static void assert_rows(const struct placed *placed, uint32_t p, const struct copy *copy)
{
    const weir_graph *graph = placed->graph;
    weir_part part = *weir_placement_part(placed->placement, p);
    part.halo = copy->halo; /* what operators ask of a part, asked here */
    part.first = copy->first;
    for (uint32_t row = 0; row < part.owned; row++) {
        uint32_t v = placed->vertex[part.first[p] + row], back;
        uint64_t degree = graph->offsets[v + UINT64_C(1)] - graph->offsets[v];
        assert_int_equal(copy->offsets[row + 1] - copy->offsets[row], degree);
        assert_int_equal(weir_placement_degree(placed->placement, v), degree);
        for (uint64_t i = 0; i < degree; i++) {
            uint64_t arc = copy->offsets[row] + i;
            uint32_t local = copy->targets[arc];
            uint32_t global = weir_part_owns(&part, local) ? part.first[p] + local
                                                           : weir_part_global(&part, local);
            if (placed->vertex[global] != graph->targets[graph->offsets[v] + i])
                fail_msg("arc %llu of vertex %u leads to %u", (unsigned long long)i, v,
                         placed->vertex[global]);
            assert_int_equal(weir_part_local(&part, global, &back), weir_part_owns(&part, local));
            assert_true(!weir_part_owns(&part, local) || back == local);
            assert_true((weir_part_owner(&part, global) == p) == weir_part_owns(&part, local));
            if (placed->kind)
                assert_true(weight_in_part(placed, copy, arc) ==
                            weight_in_graph(graph, graph->offsets[v] + i));
        }
    }
}

static void assert_part(const struct placed *placed, uint32_t p, uint64_t *arcs)
{
    const weir_part *part = weir_placement_part(placed->placement, p);
    struct copy copy = {.offsets = fetch(placed, p, part->offsets, (uint64_t)part->owned + 1, 8)};
    copy.arcs = copy.offsets[part->owned];
    copy.targets = fetch(placed, p, part->targets, copy.arcs, 4);
    copy.halo = fetch(placed, p, part->halo, part->halo_count, 4);
    copy.first = fetch(placed, p, part->first, placed->parts + 1, 4);
    if (placed->kind)
        copy.weights = fetch(placed, p, part->weights, copy.arcs,
                             placed->kind == WEIR_PART_WEIGHTS_U32 ? 4 : 8);
    else
        assert_null(part->weights);
    assert_int_equal(copy.offsets[0], 0);
    assert_halo(placed, p, &copy);
    assert_rows(placed, p, &copy);
    *arcs += copy.arcs;
    free(copy.offsets);
    free(copy.targets);
    free(copy.halo);
    free(copy.first);
    free(copy.weights);
}

static void assert_union(weir_context *context, const weir_graph *graph,
                         const weir_partition *partition, weir_part_weights kind)
{
    struct placed placed = {.graph = graph, .context = context, .kind = kind};
    uint64_t arcs = 0;
    placed.parts = partition->parts;
    if (weir_placement_create(context, graph, partition, kind, &placed.placement))
        fail_msg("%s: %s", graph->name, weir_error_detail());
    assert_ptr_equal(weir_placement_context(placed.placement), context);
    number_vertices(&placed, partition);
    for (uint32_t p = 0; p < placed.parts; p++)
        assert_part(&placed, p, &arcs);
    assert_int_equal(arcs, graph->arcs);
    free(placed.vertex);
    weir_placement_destroy(placed.placement);
}

static weir_partition *cut(const weir_graph *graph, int kind, const weir_context *context)
{
    weir_partition *partition;
    if (weir_partition_create(graph, (weir_partition_kind)kind, weir_context_device_count(context),
                              1, NULL, &partition))
        fail_msg("%s: %s", graph->name, weir_error_detail());
    return partition;
}

static void parts_together_are_the_graph(void **state)
{
    static const char *const texts[] = {"rmat:9", "rmat:6,1", "grid:17x23", "grid:3x1",
                                        "grid:30x30,0"};
    weir_context *context = open_or_skip(state);
    for (size_t g = 0; g < sizeof texts / sizeof *texts; g++) {
        weir_graph *graph = open_graph(texts[g], 0);
        for (int kind = 0; kind < 4; kind++) {
            weir_partition *partition = cut(graph, kind, context);
            assert_union(context, graph, partition, WEIR_PART_WEIGHTS_NONE);
            weir_partition_destroy(partition);
        }
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* More vertices than fit into one block of the building, so that the sums over blocks count. */
static void a_graph_of_several_blocks(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:16,2", 0);
    for (int kind = WEIR_PARTITION_BLOCK; kind <= WEIR_PARTITION_RANDOM; kind++) {
        weir_partition *partition = cut(graph, kind, context);
        assert_union(context, graph, partition, WEIR_PART_WEIGHTS_NONE);
        weir_partition_destroy(partition);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void fewer_parts_than_devices(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:9", 0);
    for (uint32_t parts = 1; parts < weir_context_device_count(context); parts++) {
        weir_partition *partition;
        weir_pool_stats before = WEIR_POOL_STATS_INIT, after = WEIR_POOL_STATS_INIT;
        weir_device_pool_stats(weir_context_device(context, parts), &before);
        OK(weir_partition_create(graph, WEIR_PARTITION_RANDOM, parts, 1, NULL, &partition));
        assert_union(context, graph, partition, WEIR_PART_WEIGHTS_NONE);
        weir_device_pool_stats(weir_context_device(context, parts), &after);
        assert_int_equal(after.peak_bytes, before.peak_bytes); /* nothing was put on the others */
        weir_partition_destroy(partition);
    }
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Arcs v to v+1 and v+7 of a circle, weighing 10 v and 10 v + 1, or a quarter more. */
static weir_graph *weighted(double more)
{
    enum { N = 40 };
    uint32_t sources[2 * N], targets[2 * N];
    double weights[2 * N];
    weir_graph *graph;
    for (uint32_t i = 0; i < 2 * N; i++) {
        sources[i] = i / 2;
        targets[i] = (i / 2 + (i & 1 ? 7 : 1)) % N;
        weights[i] = 10 * (i / 2) + (i & 1) + more;
    }
    OK(weir_graph_from_arcs(N, 2 * N, sources, targets, weights, NULL, &graph));
    return graph;
}

static void weights_stay_with_their_arcs(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *whole = weighted(0), *quarter = weighted(.25), *none = open_graph("grid:5x8", 0);
    weir_partition *partition = cut(whole, WEIR_PARTITION_RANDOM, context);
    weir_placement *placement;
    assert_int_equal(whole->weight_kind, WEIR_WEIGHT_U32);
    assert_int_equal(quarter->weight_kind, WEIR_WEIGHT_F64);
    assert_union(context, whole, partition, WEIR_PART_WEIGHTS_U32);
    assert_union(context, whole, partition, WEIR_PART_WEIGHTS_F64);
    assert_union(context, whole, partition, WEIR_PART_WEIGHTS_NONE);
    assert_union(context, quarter, partition, WEIR_PART_WEIGHTS_F64);
    STATUS(weir_placement_create(context, quarter, partition, WEIR_PART_WEIGHTS_U32, &placement),
           WEIR_ERR_INVALID);
    assert_null(placement);
    STATUS(weir_placement_create(context, none, partition, WEIR_PART_WEIGHTS_F64, &placement),
           WEIR_ERR_INVALID);
    assert_null(placement);
    assert_non_null(strstr(weir_error_detail(), "no weights"));
    STATUS(weir_placement_create(context, whole, partition, (weir_part_weights)7, &placement),
           WEIR_ERR_INVALID);
    weir_partition_destroy(partition);
    weir_graph_destroy(whole);
    weir_graph_destroy(quarter);
    weir_graph_destroy(none);
    weir_context_destroy(context);
}

/* Values of every size come back to their vertices, and those of the halo stay out. */
static void values_are_gathered_in_vertex_order(void **state)
{
    static const size_t sizes[] = {1, 4, 8, 12};
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:9", 0);
    weir_partition *partition = cut(graph, WEIR_PARTITION_RANDOM, context);
    uint32_t parts = weir_context_device_count(context), part, local;
    weir_placement *placement;
    OK(weir_placement_create(context, graph, partition, WEIR_PART_WEIGHTS_NONE, &placement));
    for (size_t s = 0; s < 4; s++) {
        size_t size = sizes[s];
        char *host[WEIR_DEVICES_MAX], *have = malloc(graph->vertices * size);
        void *values[WEIR_DEVICES_MAX];
        assert_non_null(have);
        for (uint32_t p = 0; p < parts; p++)
            assert_non_null(host[p] = malloc(weir_placement_part(placement, p)->owned * size + 1));
        for (uint64_t v = 0; v < graph->vertices; v++) {
            OK(weir_placement_locate(placement, v, &part, NULL, &local));
            for (size_t i = 0; i < size; i++)
                host[part][local * size + i] = (char)((v * 31 + i * 7) >> (i & 3));
        }
        for (uint32_t p = 0; p < parts; p++) {
            weir_device *device = weir_context_device(context, p);
            size_t bytes = weir_placement_part(placement, p)->owned * size;
            OK(weir_device_alloc(device, bytes, &values[p]));
            OK(weir__upload(device, values[p], host[p], bytes));
        }
        OK(weir_placement_gather(placement, (const void *const *)values, size, have));
        for (uint64_t v = 0; v < graph->vertices; v++)
            for (size_t i = 0; i < size; i++)
                assert_int_equal(have[v * size + i], (char)((v * 31 + i * 7) >> (i & 3)));
        for (uint32_t p = 0; p < parts; p++) {
            weir_device_free(weir_context_device(context, p), values[p]);
            free(host[p]);
        }
        free(have);
    }
    STATUS(weir_placement_gather(placement, NULL, 0, NULL), WEIR_ERR_INVALID);
    weir_placement_destroy(placement);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void no_partition_is_one_of_equal_arcs(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:3", NULL);
    weir_graph *graph = open_graph("rmat:9", 0);
    weir_partition *partition = cut(graph, WEIR_PARTITION_EDGE, context);
    weir_placement *placement;
    uint32_t part;
    OK(weir_placement_create(context, graph, NULL, WEIR_PART_WEIGHTS_NONE, &placement));
    for (uint64_t v = 0; v < graph->vertices; v++) {
        OK(weir_placement_locate(placement, v, &part, NULL, NULL));
        assert_int_equal(part, partition->owner[v]);
    }
    weir_placement_destroy(placement);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* A partition may come from anywhere. */
static void an_owner_that_is_no_part_is_refused(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_graph *graph = open_graph("grid:200x200", 0);
    uint8_t *owner = calloc(graph->vertices, 1);
    weir_partition partition = {.parts = 2, .vertices = graph->vertices, .owner = owner};
    weir_placement *placement;
    assert_non_null(owner);
    owner[30000] = 2;
    owner[39999] = 255;
    STATUS(weir_placement_create(context, graph, &partition, WEIR_PART_WEIGHTS_NONE, &placement),
           WEIR_ERR_INVALID);
    assert_null(placement);
    assert_non_null(strstr(weir_error_detail(), "vertex 30000 is in part 2 of 2"));
    owner[30000] = owner[39999] = 1;
    partition.vertices--;
    STATUS(weir_placement_create(context, graph, &partition, WEIR_PART_WEIGHTS_NONE, &placement),
           WEIR_ERR_INVALID);
    partition.vertices++;
    for (partition.parts = 0; partition.parts <= 3; partition.parts += 3)
        STATUS(
            weir_placement_create(context, graph, &partition, WEIR_PART_WEIGHTS_NONE, &placement),
            WEIR_ERR_INVALID);
    weir_placement_destroy(NULL);
    free(owner);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Nothing of a graph that does not fit stays on the devices. */
static void a_part_too_large_for_its_pool(void **state)
{
    (void)state;
    weir_graph *graph = open_graph("rmat:17", 0);
    weir_partition *partition;
    weir_placement *placement;
    weir_placement_config on_devices = WEIR_PLACEMENT_CONFIG_INIT;
    weir_config *config;
    weir_context *context;
    on_devices.memory = WEIR_MEMORY_DEVICE;
    OK(weir_config_create(&config));
    OK(weir_config_set(config, "pool_bytes", "1MiB"));
    weir_status status = weir_context_create("host:2", config, &context);
    weir_config_destroy(config);
    assert_int_equal(status, WEIR_OK);
    OK(weir_partition_create(graph, WEIR_PARTITION_BLOCK, 2, 1, NULL, &partition));
    STATUS(weir_placement_create_with(context, graph, partition, &on_devices, &placement),
           WEIR_ERR_NOMEM);
    assert_null(placement);
    assert_non_null(strstr(weir_error_detail(), "WEIR_POOL_BYTES"));
    assert_no_memory_is_left(context);
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
#define ON_EACH(f)                                                                   \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"),       \
        ON_BACKEND(f, "host:8"), ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1"), \
        ON_BACKEND(f, "cuda:0,host:1")
    const struct CMUnitTest tests[] = {
        ON_EACH(parts_together_are_the_graph),
        ON_EACH(weights_stay_with_their_arcs),
        ON_EACH(values_are_gathered_in_vertex_order),
        ON_BACKEND(fewer_parts_than_devices, "host:4"),
        ON_BACKEND(fewer_parts_than_devices, "cuda:0-1"),
        ON_BACKEND(a_graph_of_several_blocks, "host:1"),
        ON_BACKEND(a_graph_of_several_blocks, "host:3"),
        cmocka_unit_test(no_partition_is_one_of_equal_arcs),
        cmocka_unit_test(an_owner_that_is_no_part_is_refused),
        cmocka_unit_test(a_part_too_large_for_its_pool),
    };
    return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
