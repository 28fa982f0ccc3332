/** @file test_distribute.c  Parts on devices, brought back and put together, give the graph again.
 */
#include "tests/algorithms/graph_fixture.h"
#include "algorithms/graph/distributed.h"
#include "runtime/internal.h"

/* A part as it is on its device, in host memory. */
struct copy {
    uint64_t *offsets;
    uint32_t *targets, *halo;
};

static void *fetch(const struct weir__part *part, const void *data, uint64_t count, size_t bytes)
{
    void *copy = malloc((size_t)count * bytes + 1);
    assert_non_null(copy);
    assert_int_equal(weir__download(part->device, copy, data, (size_t)count * bytes), WEIR_OK);
    return copy;
}

/* Vertex of each global number, and whether the numbers are what distributed.h says. */
static uint32_t *global_to_vertex(const struct weir__distributed *d)
{
    uint32_t *vertex = malloc((size_t)d->vertices * sizeof *vertex + 1);
    uint32_t seen[WEIR_DEVICES_MAX] = {0};
    assert_non_null(vertex);
    for (uint64_t v = 0; v < d->vertices; v++) {
        uint32_t p = d->owner[v];
        assert_true(p < d->parts);
        assert_int_equal(d->local[v], seen[p]++); /* vertices keep their order */
        vertex[d->part_first[p] + d->local[v]] = (uint32_t)v;
    }
    for (uint32_t p = 0; p < d->parts; p++) {
        assert_int_equal(d->part[p].owned, seen[p]);
        assert_int_equal(d->part_first[p + 1] - d->part_first[p], seen[p]);
    }
    assert_int_equal(d->part_first[d->parts], d->vertices);
    return vertex;
}

/* Each of the halo belongs to another part, is there once, and some arc leads to it. */
static void assert_halo(const struct weir__distributed *d, uint32_t p, const struct copy *copy,
                        const uint32_t *vertex)
{
    const struct weir__part *part = &d->part[p];
    char *seen = calloc((size_t)d->vertices + part->halo_count + 1, 1);
    char *used = seen + d->vertices;
    assert_non_null(seen);
    for (uint64_t i = 0; i < part->arcs; i++) {
        assert_true(copy->targets[i] < part->owned + part->halo_count);
        if (copy->targets[i] >= part->owned)
            used[copy->targets[i] - part->owned] = 1;
    }
    for (uint32_t h = 0; h < part->halo_count; h++) {
        assert_true(copy->halo[h] < d->vertices);
        assert_int_not_equal(d->owner[vertex[copy->halo[h]]], p);
        assert_int_equal(seen[copy->halo[h]]++, 0);
        assert_int_equal(used[h], 1);
    }
    free(seen);
}

static void assert_rows(const weir_graph *graph, const struct weir__distributed *d, uint32_t p,
                        const struct copy *copy, const uint32_t *vertex)
{
    const struct weir__part *part = &d->part[p];
    for (uint32_t row = 0; row < part->owned; row++) {
        uint32_t v = vertex[d->part_first[p] + row];
        uint64_t degree = graph->offsets[v + UINT64_C(1)] - graph->offsets[v];
        assert_int_equal(copy->offsets[row + 1] - copy->offsets[row], degree);
        assert_int_equal(d->degree[v], degree);
        for (uint64_t i = 0; i < degree; i++) {
            uint32_t local = copy->targets[copy->offsets[row] + i];
            uint32_t global =
                local < part->owned ? d->part_first[p] + local : copy->halo[local - part->owned];
            if (vertex[global] != graph->targets[graph->offsets[v] + i])
                fail_msg("arc %llu of vertex %u leads to %u", (unsigned long long)i, v,
                         vertex[global]);
        }
    }
}

static void assert_union(const weir_graph *graph, const struct weir__distributed *d)
{
    uint32_t *vertex = global_to_vertex(d);
    uint64_t arcs = 0;
    assert_int_equal(d->vertices, graph->vertices);
    assert_int_equal(d->arcs, graph->arcs);
    for (uint32_t p = 0; p < d->parts; p++) {
        const struct weir__part *part = &d->part[p];
        struct copy copy = {fetch(part, part->offsets, (uint64_t)part->owned + 1, 8),
                            fetch(part, part->targets, part->arcs, 4),
                            fetch(part, part->halo, part->halo_count, 4)};
        assert_int_equal(copy.offsets[0], 0);
        assert_int_equal(copy.offsets[part->owned], part->arcs);
        assert_halo(d, p, &copy, vertex);
        assert_rows(graph, d, p, &copy, vertex);
        arcs += part->arcs;
        free(copy.offsets);
        free(copy.targets);
        free(copy.halo);
    }
    assert_int_equal(arcs, graph->arcs);
    free(vertex);
}

static void parts_together_are_the_graph(void **state)
{
    static const char *const texts[] = {"rmat:9", "rmat:6,1", "grid:17x23", "grid:3x1",
                                        "grid:30x30,0"};
    weir_context *context;
    weir_status status = weir_context_create(*state, NULL, &context);
    if (status == WEIR_ERR_NODEV)
        skip();
    assert_int_equal(status, WEIR_OK);
    for (size_t g = 0; g < sizeof texts / sizeof *texts; g++) {
        weir_graph *graph = open_graph(texts[g], 0);
        for (int kind = 0; kind < 4; kind++) {
            weir_partition *partition;
            struct weir__distributed *d;
            if (weir_partition_create(graph, (weir_partition_kind)kind,
                                      weir_context_device_count(context), 1, NULL, &partition) ||
                weir__distribute(context, graph, partition, &d))
                fail_msg("%s: %s", texts[g], weir_error_detail());
            assert_union(graph, d);
            weir__distributed_destroy(d);
            weir_partition_destroy(partition);
        }
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* Nothing of a graph that does not fit stays on the devices. */
static void a_part_too_large_for_its_pool(void **state)
{
    (void)state;
    weir_graph *graph = open_graph("rmat:17", 0);
    weir_partition *partition;
    struct weir__distributed *d;
    weir_config *config;
    weir_context *context;
    weir_pool_stats pool;
    assert_int_equal(weir_config_create(&config), WEIR_OK);
    assert_int_equal(weir_config_set(config, "pool_bytes", "1MiB"), WEIR_OK);
    weir_status status = weir_context_create("host:2", config, &context);
    weir_config_destroy(config);
    assert_int_equal(status, WEIR_OK);
    assert_int_equal(weir_partition_create(graph, WEIR_PARTITION_BLOCK, 2, 1, NULL, &partition),
                     WEIR_OK);
    assert_int_equal(weir__distribute(context, graph, partition, &d), WEIR_ERR_NOMEM);
    assert_null(d);
    assert_non_null(strstr(weir_error_detail(), "WEIR_POOL_BYTES"));
    for (uint32_t i = 0; i < 2; i++) {
        weir_device_pool_stats(weir_context_device(context, i), &pool);
        assert_int_equal(pool.allocations, 0);
    }
    weir_partition_destroy(partition);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define ON(spec)                                                                         \
    {"parts_together_are_the_graph[" spec "]", parts_together_are_the_graph, NULL, NULL, \
     (void *)(uintptr_t)spec}
        ON("host:1"),        ON("host:2"),
        ON("host:3"),        ON("host:8"),
        ON("cuda:0"),        ON("cuda:0-1"),
        ON("cuda:0,host:1"), cmocka_unit_test(a_part_too_large_for_its_pool),
    };
    return cmocka_run_group_tests_name("distribute", tests, NULL, NULL);
}
