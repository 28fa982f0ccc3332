/** @file test_graph_data.c  Real graphs against the recorded answers: arcs and degrees.
 *
 * The folder of graphs is WEIR_DATA, or shared/data beside the repository; without it all tests
 * are skipped. */
#include "tests/algorithms/data_fixture.h"

static void check(const char *name, json_t *answers, const char *direction)
{
    char path[4300];
    weir_graph_summary s = WEIR_GRAPH_SUMMARY_INIT;
    json_t *wanted = json_object_get(answers, direction);
    snprintf(path, sizeof path, "%s/%s", data, name);
    weir_graph *graph = open_graph(path, strcmp(direction, "undirected") == 0);
    assert_sound(graph);
    assert_int_equal(weir_graph_summarize(graph, &s), WEIR_OK);
    assert_int_equal(graph->vertices, json_integer_value(json_object_get(answers, "vertices")));
    assert_int_equal(graph->arcs, json_integer_value(json_object_get(wanted, "arcs")));
    assert_int_equal(s.degree_max, json_integer_value(json_object_get(wanted, "max_degree")));
    assert_int_equal(s.degree_max_vertex,
                     json_integer_value(json_object_get(wanted, "max_degree_vertex")));
    weir_graph_destroy(graph);
}

static void answers(void **state)
{
    (void)state;
    char path[4300];
    const char *name;
    data_or_skip();
    json_t *value, *root = open_answers();
    int checked = 0;
    json_object_foreach(root, name, value)
    {
        snprintf(path, sizeof path, "%s/%s", data, name);
        if (!json_object_get(value, "directed") || access(path, R_OK) != 0)
            continue;
        check(name, value, "directed");
        check(name, value, "undirected");
        checked++;
    }
    json_decref(root);
    print_message("%d graphs checked\n", checked);
    assert_true(checked > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
