/** @file test_certify_cc.c  weir_cc_certify(): right labels pass on any number of devices; each rule that is broken is named. */
#include "tests/algorithms/certify_fixture.h"

static uint32_t *labels_of(const weir_graph *graph)
{
    uint32_t *labels = calloc(graph->vertices + 1, sizeof *labels);
    assert_non_null(labels);
    OK(weir_cc_reference(graph, labels));
    return labels;
}

static void right_labels_pass(void **state)
{
    weir_context *context = open_or_skip(state);
    for (size_t shape = 0; shape < CERTIFY_SHAPES; shape++) {
        weir_graph *graph = certify_graph(shape);
        uint32_t *labels = labels_of(graph);
        HOLDS(graph, weir_cc_certify(context, graph, labels));
        free(labels);
        weir_graph_destroy(graph);
    }
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

static void runs_pass(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("rmat:10,1", 0);
    uint32_t *labels = labels_of(graph);
    weir_cc *cc;
    for (int source = WEIR_CC_RESIDENT; source <= (int)WEIR_CC_STREAMED; source++) {
        if (weir_cc_create(context, graph, NULL, NULL, (weir_cc_source)source, &cc))
            continue; /* of devices that cannot go in step */
        OK(weir_cc_run(cc, NULL));
        OK(weir_cc_labels(cc, labels));
        HOLDS(graph, weir_cc_certify(context, graph, labels));
        weir_cc_destroy(cc);
    }
    free(labels);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void without_vertices_or_arcs(void **state)
{
    weir_context *context = open_or_skip(state);
    uint32_t labels[70];
    weir_graph *graph;
    OK(weir_graph_from_arcs(0, 0, NULL, NULL, NULL, NULL, &graph));
    HOLDS(graph, weir_cc_certify(context, graph, labels));
    weir_graph_destroy(graph);
    OK(weir_graph_from_arcs(70, 0, NULL, NULL, NULL, NULL, &graph));
    for (uint32_t v = 0; v < 70; v++)
        labels[v] = v;
    HOLDS(graph, weir_cc_certify(context, graph, labels));
    labels[40] = 3;
    BROKEN(
        graph, weir_cc_certify(context, graph, labels),
        "vertex 40 has label 3, but no arcs join the two: there are 70 components and 69 labels");
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

/* 0 > 3 < 1, 2 > 5 > 6 > 2, and 4. */
static const double joins[][3] = {{0, 3, 1}, {1, 3, 1}, {2, 5, 1}, {5, 6, 1}, {6, 2, 1}};

static void labels_are(weir_context *context, const uint32_t labels[7], const char *says)
{
    weir_graph *graph = WRITTEN(7, joins);
    if (says)
        BROKEN(graph, weir_cc_certify(context, graph, labels), says);
    else
        HOLDS(graph, weir_cc_certify(context, graph, labels));
    weir_graph_destroy(graph);
}

static void wrong_labels_are_named(void **state)
{
    weir_context *context = open_or_skip(state);
#define LABELS(...) (const uint32_t[]){__VA_ARGS__}
    labels_are(context, LABELS(0, 0, 2, 0, 4, 2, 2), NULL);
    labels_are(context, LABELS(0, 0, 2, 0, 5, 2, 2),
               "vertex 4 has label 5, but no label may be larger than its vertex");
    labels_are(context, LABELS(0, 0, 2, 0, UINT32_MAX, 2, 2),
               "vertex 4 has label 4294967295, but no label may be larger than its vertex");
    /* A component labelled by a vertex of it that is not the smallest. */
    labels_are(context, LABELS(1, 1, 2, 1, 4, 2, 2),
               "vertex 0 has label 1, but no label may be larger than its vertex");
    /* Labels one step from their root. */
    labels_are(
        context, LABELS(0, 0, 2, 0, 4, 2, 5),
        "vertex 5 has label 2 and an arc to vertex 6 with label 5, but both ends of an arc must "
        "have one label");
    labels_are(context, LABELS(0, 0, 2, 0, 3, 2, 2),
               "vertex 4 has label 3, but that vertex has label 0 itself");
    /* Split. */
    labels_are(context, LABELS(0, 1, 2, 0, 4, 2, 2),
               "vertex 1 has label 1 and an arc to vertex 3 with label 0, but both ends of an arc "
               "must have one label");
    /* Joined. */
    labels_are(
        context, LABELS(0, 0, 0, 0, 4, 0, 0),
        "vertex 2 has label 0, but no arcs join the two: there are 3 components and 2 labels");
    labels_are(
        context, LABELS(0, 0, 2, 0, 2, 2, 2),
        "vertex 4 has label 2, but no arcs join the two: there are 3 components and 2 labels");
    labels_are(
        context, LABELS(0, 0, 0, 0, 0, 0, 0),
        "vertex 2 has label 0, but no arcs join the two: there are 3 components and 1 labels");
    /* One is split, and one joined: as many labels as components. */
    labels_are(context, LABELS(0, 1, 2, 0, 2, 2, 2),
               "vertex 1 has label 1 and an arc to vertex 3 with label 0, but both ends of an arc "
               "must have one label");
    weir_context_destroy(context);
}

static void any_wrong_label_is_found(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:30x30,0.5", 0);
    uint32_t *labels = labels_of(graph);
    uint64_t seed = 1;
    weir__certify_pretend(graph->arcs / 20);
    for (uint64_t v = 1; v < graph->vertices; v += 9) {
        const uint32_t right = labels[v], wrong = (uint32_t)(next_random(&seed) % graph->vertices);
        labels[v] = wrong == right ? right - 1 : wrong;
        STATUS(weir_cc_certify(context, graph, labels), WEIR_ERR_VERIFY);
        labels[v] = right;
    }
    /* Any two components that are one by their labels. */
    for (uint32_t from = 1; from < graph->vertices; from += 31) {
        if (labels[from] != from)
            continue;
        uint32_t *joined = labels_of(graph);
        for (uint64_t v = 0; v < graph->vertices; v++)
            if (joined[v] == from)
                joined[v] = labels[from - 1];
        STATUS(weir_cc_certify(context, graph, joined), WEIR_ERR_VERIFY);
        assert_detail_has("but no arcs join the two");
        free(joined);
    }
    weir__certify_pretend(0);
    free(labels);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

static void arguments_are_checked(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t labels[1] = {0};
    weir_graph *graph = open_graph("grid:1x1", 0);
    STATUS(weir_cc_certify(NULL, graph, labels), WEIR_ERR_INVALID);
    STATUS(weir_cc_certify(context, NULL, labels), WEIR_ERR_INVALID);
    STATUS(weir_cc_certify(context, graph, NULL), WEIR_ERR_INVALID);
    assert_detail_has("weir_cc_certify: ");
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(right_labels_pass),        ON_EACH_SPEC(runs_pass),
        ON_EACH_SPEC(without_vertices_or_arcs), ON_EACH_SPEC(wrong_labels_are_named),
        ON_EACH_SPEC(any_wrong_label_is_found), ON_BACKEND(arguments_are_checked, "host:2"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
