/** @file test_graph_wrap.c  Graphs over arrays that a program has already, in host memory and on devices. */
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

#include "runtime/support.h"

#include <math.h>

static weir_csr csr_of(const weir_graph *graph)
{
    weir_csr csr = WEIR_CSR_INIT;
    csr.vertices = graph->vertices;
    csr.arcs = graph->arcs;
    csr.offsets = graph->offsets;
    csr.targets = graph->targets;
    csr.weights_u32 = graph->weights_u32;
    csr.weights_f64 = graph->weights_f64;
    return csr;
}

static weir_graph *weighted(const char *text)
{
    const weir_weights weights = {.kind = WEIR_WEIGHTS_RANDOM, .seed = 1};
    weir_graph *graph;
    OK(weir_graph_open(text, NULL, &graph));
    OK(weir_graph_weigh(graph, &weights));
    return graph;
}

static void the_arrays_are_the_callers(void **state)
{
    const weir_weights unit = {.kind = WEIR_WEIGHTS_UNIT};
    weir_graph *graph = weighted("rmat:10"), *wrapped;
    const weir_csr csr = csr_of(graph);
    (void)state;
    OK(weir_graph_wrap(&csr, &wrapped));
    assert_ptr_equal(wrapped->offsets, graph->offsets);
    assert_ptr_equal(wrapped->targets, graph->targets);
    assert_ptr_equal(wrapped->weights_u32, graph->weights_u32);
    assert_int_equal(wrapped->weight_kind, WEIR_WEIGHT_U32);
    assert_string_equal(wrapped->format, "memory");
    assert_same(graph, wrapped);
    OK(weir_graph_weigh(wrapped, &unit)); /* weights of its own, beside those that are not */
    assert_ptr_not_equal(wrapped->weights_u32, graph->weights_u32);
    assert_int_equal(wrapped->weights_u32[0], 1);
    weir_graph_destroy(wrapped);
    OK(weir_graph_wrap(&csr, &wrapped));
    weir_graph_destroy(wrapped);
    assert_sound(graph); /* nothing of it was freed: AddressSanitizer would say so */
    weir_graph_destroy(graph);
}

static void without_weights_without_arcs(void **state)
{
    static const uint64_t none[4];
    static const uint64_t offsets[] = {0, 2, 3, 3};
    static const uint32_t targets[] = {1, 2, 0};
    static const double weights[] = {-1.5, 0, 3};
    weir_csr csr = WEIR_CSR_INIT;
    weir_graph *graph;
    (void)state;
    csr.offsets = none;
    OK(weir_graph_wrap(&csr, &graph));
    assert_int_equal(graph->vertices, 0);
    weir_graph_destroy(graph);
    csr.vertices = 3;
    OK(weir_graph_wrap(&csr, &graph));
    assert_int_equal(graph->arcs, 0);
    weir_graph_destroy(graph);
    csr.offsets = offsets;
    csr.targets = targets;
    csr.arcs = 3;
    OK(weir_graph_wrap(&csr, &graph));
    assert_int_equal(graph->weight_kind, WEIR_WEIGHT_NONE);
    weir_graph_destroy(graph);
    csr.weights_f64 = weights;
    OK(weir_graph_wrap(&csr, &graph));
    assert_int_equal(graph->weight_kind, WEIR_WEIGHT_F64);
    weir_graph_destroy(graph);
}

static void refused(const weir_csr *csr, const char *sentence)
{
    weir_graph *graph = (weir_graph *)(uintptr_t)csr; /* anything but NULL */
    STATUS(weir_graph_wrap(csr, &graph), WEIR_ERR_INVALID);
    assert_null(graph);
    assert_detail_has(sentence);
}

static void broken_arrays(void **state)
{
    uint64_t offsets[] = {0, 2, 3, 3};
    uint32_t targets[] = {1, 2, 0};
    double weights[] = {1, INFINITY, 3};
    const uint32_t integers[] = {1, 2, 3};
    weir_csr csr = WEIR_CSR_INIT;
    weir_graph *graph;
    (void)state;
    csr.vertices = 3;
    csr.arcs = 3;
    refused(&csr, "no offsets");
    csr.offsets = offsets;
    refused(&csr, "no targets");
    csr.targets = targets;
    OK(weir_graph_wrap(&csr, &graph));
    weir_graph_destroy(graph);
    offsets[0] = 1;
    refused(&csr, "do not ascend");
    offsets[0] = 0, offsets[1] = 4;
    refused(&csr, "do not ascend");
    offsets[1] = 2, offsets[2] = 1;
    refused(&csr, "(vertex 1)");
    offsets[2] = 3, csr.arcs = 4;
    refused(&csr, "do not ascend");
    csr.arcs = 3, targets[1] = 3;
    refused(&csr, "arc 1 leads to vertex 3 of 3");
    targets[1] = 1;
    refused(&csr, "the row of vertex 0 does not ascend at arc 1");
    targets[1] = 2, targets[2] = 1;
    refused(&csr, "the row of vertex 1 has a loop at arc 2");
    targets[2] = 0, csr.weights_f64 = weights;
    refused(&csr, "the weight of arc 1 is not finite");
    weights[1] = NAN;
    refused(&csr, "the weight of arc 1 is not finite");
    csr.weights_u32 = integers;
    refused(&csr, "both kinds");
    csr.weights_f64 = NULL, csr.vertices = WEIR_VERTICES_MAX + 1;
    refused(&csr, "over the limit");
    csr.vertices = 3, csr.arcs = UINT64_MAX;
    refused(&csr, "cannot be addressed");
    csr.size = 0;
    STATUS(weir_graph_wrap(&csr, &graph), WEIR_ERR_INVALID);
    STATUS(weir_graph_wrap(NULL, &graph), WEIR_ERR_INVALID);
    STATUS(weir_graph_wrap(&csr, NULL), WEIR_ERR_INVALID);
}

static const void *placed(weir_device *device, const void *data, uint64_t bytes)
{
    void *there;
    OK(weir_device_alloc(device, bytes, &there));
    OK(weir__upload(device, there, data, bytes));
    return there;
}

static void arrays_on_a_device(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_graph *graph = weighted("rmat:10"), *wrapped;
    weir_csr csr = csr_of(graph);
    int32_t *want = calloc(graph->vertices, 4), *got = calloc(graph->vertices, 4);
    weir_bfs *bfs;
    assert_non_null(want);
    assert_non_null(got);
    csr.offsets = placed(device, graph->offsets, (graph->vertices + 1) * 8);
    csr.targets = placed(device, graph->targets, graph->arcs * 4);
    csr.weights_u32 = placed(device, graph->weights_u32, graph->arcs * 4);
    csr.device = device;
    OK(weir_graph_wrap(&csr, &wrapped));
    weir_device_free(device, (void *)(uintptr_t)csr.offsets);
    weir_device_free(device, (void *)(uintptr_t)csr.targets);
    weir_device_free(device, (void *)(uintptr_t)csr.weights_u32);
    assert_same(graph, wrapped);
    OK(weir_bfs_create(context, wrapped, NULL, NULL, &bfs));
    OK(weir_bfs_run(bfs, 3, NULL));
    OK(weir_bfs_levels(bfs, got));
    OK(weir_bfs_reference(graph, 3, want));
    assert_memory_equal(want, got, graph->vertices * 4);
    weir_bfs_destroy(bfs);
    weir_graph_destroy(wrapped);
    weir_graph_destroy(graph);
    free(want);
    free(got);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_arrays_are_the_callers),
        cmocka_unit_test(without_weights_without_arcs),
        cmocka_unit_test(broken_arrays),
        ON_BACKEND(arrays_on_a_device, "host:1"),
        ON_BACKEND(arrays_on_a_device, "cuda:0"),
    };
    return cmocka_run_group_tests_name("wrapped graphs", tests, NULL, NULL);
}
