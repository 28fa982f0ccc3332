/** @file test_cc_data.c  Components of real graphs against the recorded answers.
 *
 * The folder of graphs is WEIR_DATA, or shared/data beside the repository; without it all tests are skipped. */
#include "tests/algorithms/cc_fixture.h"
#include "tests/algorithms/data_fixture.h"
#include "tests/algorithms/grid_fixture.h"

static uint64_t answer(json_t *answers, const char *what)
{
    json_t *cc = json_object_get(json_object_get(answers, "directed"), "cc");
    assert_non_null(cc);
    return (uint64_t)json_integer_value(json_object_get(cc, what));
}

static void assert_answer(const weir_graph *graph, const uint32_t *labels, json_t *answers)
{
    uint64_t *size = calloc(graph->vertices, sizeof *size), components = 0, largest = 0;
    assert_non_null(size);
    for (uint64_t v = 0; v < graph->vertices; v++) {
        assert_true(labels[v] <= v);
        size[labels[v]]++;
    }
    for (uint64_t v = 0; v < graph->vertices; v++) {
        components += size[v] > 0;
        largest = size[v] > largest ? size[v] : largest;
    }
    free(size);
    assert_int_equal(components, answer(answers, "components"));
    assert_int_equal(largest, answer(answers, "largest"));
}

static void check_source(weir_context *context, const char *path, const weir_graph *graph,
                         const weir_partition *partition, weir_cc_source source, json_t *answers)
{
    uint32_t *labels = malloc(graph->vertices * sizeof *labels);
    weir_cc *cc;
    assert_non_null(labels);
    if (weir_cc_create(context, graph, partition, NULL, source, &cc) || weir_cc_run(cc, NULL) ||
        weir_cc_labels(cc, labels))
        fail_msg("%s: %s", path, weir_error_detail());
    assert_labels(graph, labels, path);
    assert_answer(graph, labels, answers);
    weir_cc_destroy(cc);
    free(labels);
}

/* Directed: where the file has one direction only, weak components need both. Over two devices both grids that they make, of
 * more the one that is nearest to a square, and of six this one alone. */
static void check(weir_context *context, const char *path, json_t *answers)
{
    const uint32_t devices = weir_context_device_count(context);
    struct grid grids[WEIR_DEVICES_MAX];
    const int count = grids_of(devices, grids);
    weir_graph *graph = open_graph(path, 0);
    for (int source = WEIR_CC_RESIDENT; source <= WEIR_CC_STREAMED && devices != 6; source++)
        check_source(context, path, graph, NULL, (weir_cc_source)source, answers);
    for (int g = devices == 2 ? 0 : count / 2; g < (devices == 2 ? count : count / 2 + 1); g++) {
        weir_partition *cells = cells_of(graph, grids[g]);
        check_source(context, path, graph, cells, WEIR_CC_AUTO, answers);
        weir_partition_destroy(cells);
    }
    weir_graph_destroy(graph);
}

static void answers(void **state)
{
    char path[4300];
    const char *name;
    data_or_skip();
    weir_context *context = context_or_skip(*state);
    json_t *value, *root = open_answers();
    int checked = 0;
    json_object_foreach(root, name, value)
    {
        snprintf(path, sizeof path, "%s/%s", data, name);
        if (!json_object_get(value, "directed") || access(path, R_OK) != 0)
            continue;
        check(context, path, value);
        checked++;
    }
    json_decref(root);
    assert_true(checked > 0);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {CC_TEST(answers, "host:2") CC_TEST(answers, "host:6")
                                           CC_TEST(answers, "cuda:0") CC_TEST(answers, "cuda:0-3")};
    return cmocka_run_group_tests_name("cc data", tests, NULL, NULL);
}
