/** @file test_in_arcs.c  Parts with in-arcs: together they are the graph turned around, and operators go against arcs.
 *
 * What a component of strong connection is made of, two searches find: along the arcs and against them. */
#include "tests/algorithms/traversal_fixture.h"
#include "algorithms/bfs/bfs_op.h"
#include "runtime/internal.h"
#include "runtime/support.h"

extern const weir_operator weir__bfs_operator;

static double weight_of(const weir_graph *graph, uint64_t arc)
{
    return graph->weight_kind == WEIR_WEIGHT_NONE  ? 1
           : graph->weight_kind == WEIR_WEIGHT_U32 ? graph->weights_u32[arc]
                                                   : graph->weights_f64[arc];
}

/* The graph with every arc the other way round, by the graph's own builder. */
static weir_graph *turned(const weir_graph *graph)
{
    uint32_t *sources = malloc((size_t)graph->arcs * 4 + 4);
    double *weights = malloc((size_t)graph->arcs * 8 + 8);
    weir_graph *back;
    assert_non_null(sources);
    assert_non_null(weights);
    for (uint64_t v = 0; v < graph->vertices; v++)
        for (uint64_t arc = graph->offsets[v]; arc < graph->offsets[v + 1]; arc++) {
            sources[arc] = (uint32_t)v;
            weights[arc] = weight_of(graph, arc);
        }
    OK(weir_graph_from_arcs(graph->vertices, graph->arcs, graph->targets, sources, weights, NULL,
                            &back));
    free(sources);
    free(weights);
    return back;
}

static void *fetch(weir_context *context, uint32_t p, const void *data, uint64_t count,
                   size_t bytes)
{
    void *copy = malloc((size_t)count * bytes + 1);
    assert_non_null(copy);
    OK(weir__download(weir_context_device(context, p), copy, data, (size_t)count * bytes));
    return copy;
}

static double weight_at(const void *weights, weir_part_weights kind, uint64_t at)
{
    return kind == WEIR_PART_WEIGHTS_U32 ? ((const uint32_t *)weights)[at]
                                         : ((const double *)weights)[at];
}

/* In-arcs of one part. @return how many there are. */
static uint64_t check_part(weir_context *context, const weir_placement *placement, uint32_t p,
                           const weir_graph *back, weir_part_weights kind)
{
    const weir_part *part = weir_placement_part(placement, p);
    uint64_t *offsets = fetch(context, p, part->in_offsets, (uint64_t)part->owned + 1, 8);
    const uint64_t arcs = offsets[part->owned];
    uint32_t *sources = fetch(context, p, part->in_sources, arcs, 4);
    uint32_t *halo = fetch(context, p, part->halo, part->halo_count, 4);
    void *weights =
        kind ? fetch(context, p, part->in_weights, arcs, kind == WEIR_PART_WEIGHTS_U32 ? 4 : 8)
             : NULL;
    assert_true(kind || !part->in_weights);
    for (uint64_t v = 0; v < back->vertices; v++) {
        uint32_t owner, row, far, global, local;
        OK(weir_placement_locate(placement, v, &owner, NULL, &row));
        if (owner != p)
            continue;
        const uint64_t degree = back->offsets[v + 1] - back->offsets[v];
        assert_int_equal(offsets[row + 1] - offsets[row], degree);
        for (uint64_t i = 0; i < degree; i++) {
            const uint64_t at = offsets[row] + i, arc = back->offsets[v] + i;
            OK(weir_placement_locate(placement, back->targets[arc], &far, &global, &local));
            assert_true(sources[at] < part->owned + part->halo_count);
            if (far == p)
                assert_int_equal(sources[at], local);
            else
                assert_int_equal(halo[sources[at] - part->owned], global);
            if (kind)
                assert_true(weight_at(weights, kind, at) == weight_of(back, arc));
        }
    }
    free(offsets);
    free(sources);
    free(halo);
    free(weights);
    return arcs;
}

static void check_graph(weir_context *context, const weir_graph *graph, weir_part_weights kind)
{
    const uint32_t parts = weir_context_device_count(context);
    weir_graph *back = turned(graph);
    for (int how = WEIR_PARTITION_BLOCK; how <= WEIR_PARTITION_RANDOM; how++) {
        weir_partition *partition;
        weir_placement *placement;
        uint64_t arcs = 0;
        OK(weir_partition_create(graph, (weir_partition_kind)how, parts, 1, NULL, &partition));
        if (weir_placement_create_with_in_arcs(context, graph, partition, kind, &placement))
            fail_msg("%s: %s", graph->name, weir_error_detail());
        for (uint32_t p = 0; p < parts; p++)
            arcs += check_part(context, placement, p, back, kind);
        assert_int_equal(arcs, graph->arcs);
        weir_placement_destroy(placement);
        weir_partition_destroy(partition);
    }
    weir_graph_destroy(back);
}

static void in_arcs_are_the_graph_turned_around(void **state)
{
    static const char *const texts[] = {"rmat:9",   "rmat:6,1",     "grid:17x23",
                                        "grid:3x1", "grid:30x30,0", "rmat:15,2"};
    weir_context *context = open_or_skip(state);
    for (size_t g = 0; g < sizeof texts / sizeof *texts; g++) {
        weir_graph *graph = open_graph(texts[g], 0);
        check_graph(context, graph, WEIR_PART_WEIGHTS_NONE);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* Both directions of an edge weigh the same by WEIR_WEIGHTS_RANDOM; of a file they need not. */
static void their_weights_come_with_them(void **state)
{
    static const uint32_t sources[] = {0, 1, 1, 2, 3, 0}, targets[] = {1, 0, 2, 1, 0, 3};
    static const double uneven[] = {1, 2, 3, 4, 5, 6}, broken[] = {.5, 2, 3, 4, 5, 6};
    const weir_weights random = {WEIR_WEIGHTS_RANDOM, 1, 1000000, 1, 0};
    weir_context *context = open_or_skip(state);
    weir_graph *graphs[] = {open_graph("rmat:9", 0), open_graph("rmat:9", 1), NULL, NULL};
    OK(weir_graph_weigh(graphs[0], &random));
    OK(weir_graph_weigh(graphs[1], &random));
    OK(weir_graph_from_arcs(4, 6, sources, targets, uneven, NULL, &graphs[2]));
    OK(weir_graph_from_arcs(4, 6, sources, targets, broken, NULL, &graphs[3]));
    for (int g = 0; g < 4; g++) {
        if (g < 3)
            check_graph(context, graphs[g], WEIR_PART_WEIGHTS_U32);
        check_graph(context, graphs[g], WEIR_PART_WEIGHTS_F64);
        check_graph(context, graphs[g], WEIR_PART_WEIGHTS_NONE);
        weir_graph_destroy(graphs[g]);
    }
    weir_context_destroy(context);
}

static void a_symmetric_graph_has_its_arcs_once(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:9", 1), *directed = open_graph("rmat:9", 0);
    weir_placement *placement;
    OK(weir_placement_create_with_in_arcs(context, graph, NULL, WEIR_PART_WEIGHTS_NONE,
                                          &placement));
    const weir_part *part = weir_placement_part(placement, 0);
    assert_ptr_equal(part->in_offsets, part->offsets);
    assert_ptr_equal(part->in_sources, part->targets);
    weir_placement_destroy(placement);
    OK(weir_placement_create(context, directed, NULL, WEIR_PART_WEIGHTS_NONE, &placement));
    part = weir_placement_part(placement, 0);
    assert_null(part->in_offsets);
    assert_null(part->in_sources);
    weir_placement_destroy(placement);
    weir_graph_destroy(directed);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* Levels from a source along the arcs, or against them. */
static void search(weir_placement *placement, uint64_t source, int against, uint32_t *levels_out)
{
    weir_traversal *traversal;
    bfs_wire seed = {0, 0};
    uint32_t part;
    const uint32_t parts = weir_context_device_count(weir_placement_context(placement));
    OK(weir_traversal_create(placement, &weir__bfs_operator, NULL, NULL, &traversal));
    for (uint32_t p = 0; p < parts; p++) {
        const weir_part *forth = weir_placement_part(placement, p), back = weir_part_turned(forth);
        bfs_state state = {.part = against ? back : *forth,
                           .level = weir_traversal_values(traversal, p)};
        OK(weir_traversal_bind(traversal, p, &state));
    }
    OK(weir_placement_locate(placement, source, &part, &seed.vertex, NULL));
    OK(weir_traversal_seed(traversal, part, &seed, 1));
    if (weir_traversal_run(traversal, NULL))
        fail_msg("%s", weir_error_detail());
    OK(weir_traversal_gather(traversal, levels_out));
    weir_traversal_destroy(traversal);
}

static void searches_both_ways_find_strong_components(void **state)
{
    static const char *const texts[] = {"rmat:10,3", "rmat:8,1", "grid:20x10"};
    weir_context *context = open_or_skip(state);
    for (size_t g = 0; g < sizeof texts / sizeof *texts; g++) {
        weir_graph *graph = open_graph(texts[g], 0), *back = turned(graph);
        const uint64_t n = graph->vertices;
        uint32_t *forth = malloc(n * 4), *against = malloc(n * 4);
        int32_t *want_forth = malloc(n * 4), *want_against = malloc(n * 4);
        weir_placement *placement;
        weir_graph_summary summary = WEIR_GRAPH_SUMMARY_INIT;
        assert_true(forth && against && want_forth && want_against);
        OK(weir_graph_summarize(graph, &summary));
        const uint64_t source = summary.degree_max_vertex;
        OK(weir_placement_create_with_in_arcs(context, graph, NULL, WEIR_PART_WEIGHTS_NONE,
                                              &placement));
        search(placement, source, 0, forth);
        search(placement, source, 1, against);
        OK(weir_bfs_reference(graph, source, want_forth));
        OK(weir_bfs_reference(back, source, want_against));
        for (uint64_t v = 0; v < n; v++) {
            assert_int_equal((int32_t)forth[v], want_forth[v]);
            assert_int_equal((int32_t)against[v], want_against[v]);
        }
        weir_placement_destroy(placement);
        weir_graph_destroy(back);
        weir_graph_destroy(graph);
        free(forth);
        free(against);
        free(want_forth);
        free(want_against);
    }
    weir_context_destroy(context);
}

/* In-arcs are counted: a pool that holds the out-arcs alone is too small, and what was taken goes back. */
static void room_for_in_arcs_is_asked_for_first(void **state)
{
    (void)state;
    weir_graph *graph = open_graph("rmat:18,14", 0);
    weir_config *config;
    weir_context *context;
    weir_placement *placement;
    weir_placement_config with_in_arcs = WEIR_PLACEMENT_CONFIG_INIT;
    with_in_arcs.in_arcs = 1;
    with_in_arcs.memory = WEIR_MEMORY_DEVICE;
    OK(weir_config_create(&config));
    OK(weir_config_set(config, "pool_bytes", "24MiB"));
    OK(weir_context_create("host:1", config, &context));
    weir_config_destroy(config);
    if (weir_placement_create(context, graph, NULL, WEIR_PART_WEIGHTS_NONE, &placement))
        fail_msg("%s", weir_error_detail());
    weir_placement_destroy(placement);
    STATUS(weir_placement_create_with(context, graph, NULL, &with_in_arcs, &placement),
           WEIR_ERR_NOMEM);
    assert_null(placement);
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
    weir_graph_destroy(graph);
}

/* Each allocation and copy fails once, of a placement and of a traversal on it: it is told, and nothing is left. */
static void each_failure_is_told_and_leaves_nothing(void **state)
{
    static const enum weir__fault kinds[] = {WEIR__FAULT_ALLOC, WEIR__FAULT_COPY};
    const weir_weights random = {WEIR_WEIGHTS_RANDOM, 1, 100, 1, 0};
    weir_context *context = open_with_or_skip("host:2", NULL);
    (void)state;
    for (int symmetric = 0; symmetric < 2; symmetric++)
        for (int k = 0; k < 2; k++) {
            weir_graph *graph = open_graph("rmat:6", symmetric);
            int failed = 0, struck = 1;
            OK(weir_graph_weigh(graph, &random));
            for (uint64_t n = 1; struck; n++) {
                weir_placement *placement;
                weir_traversal *traversal = NULL;
                weir__fault_arm(kinds[k], n);
                weir_status status = weir_placement_create_with_in_arcs(
                    context, graph, NULL, WEIR_PART_WEIGHTS_U32, &placement);
                if (!status)
                    status = weir_traversal_create(placement, &weir__bfs_operator, NULL, NULL,
                                                   &traversal);
                struck = weir__fault_struck(kinds[k]);
                weir__fault_arm(kinds[k], 0);
                assert_int_equal(status == WEIR_OK, traversal != NULL);
                assert_true(struck || !status); /* some can be done without */
                failed += status != WEIR_OK;
                weir_traversal_destroy(traversal);
                weir_placement_destroy(placement);
                assert_no_memory_is_left(context);
            }
            if (failed < (kinds[k] == WEIR__FAULT_ALLOC ? 30 : 6))
                fail_msg("%d failures were told", failed);
            weir_graph_destroy(graph);
        }
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(in_arcs_are_the_graph_turned_around),
        ON_EACH_SPEC(their_weights_come_with_them),
        ON_EACH_SPEC(a_symmetric_graph_has_its_arcs_once),
        ON_EACH_SPEC(searches_both_ways_find_strong_components),
        cmocka_unit_test(room_for_in_arcs_is_asked_for_first),
        cmocka_unit_test(each_failure_is_told_and_leaves_nothing),
    };
    return cmocka_run_group_tests_name("in-arcs", tests, NULL, NULL);
}
