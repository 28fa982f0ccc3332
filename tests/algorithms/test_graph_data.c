/** @file test_graph_data.c  Real graphs against the recorded answers: arcs and degrees.
 *
 * The folder of graphs is WEIR_DATA, or shared/data beside the repository; without it all tests
 * are skipped. */
#include "tests/algorithms/graph_fixture.h"

#include <jansson.h>

static char data[4200];

static int is_data(const char *path)
{
    char answers[4300];
    snprintf(answers, sizeof answers, "%s/ANSWERS.json", path);
    return access(answers, R_OK) == 0;
}

/* Beside the repository: looked for from the working folder and upwards from this program. */
static int find_data(void)
{
    const char *named = getenv("WEIR_DATA");
    char self[4096];
    if (named && *named) {
        snprintf(data, sizeof data, "%s", named);
        return is_data(data);
    }
    strcpy(data, "../shared/data");
    if (is_data(data))
        return 1;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    for (char *slash; (slash = strrchr(self, '/'));) {
        *slash = '\0';
        snprintf(data, sizeof data, "%s/shared/data", self);
        if (is_data(data))
            return 1;
    }
    return 0;
}

static void check(const char *name, json_t *answers, const char *direction)
{
    char path[4300];
    weir_graph_summary s;
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
    json_error_t error;
    const char *name;
    json_t *value;
    if (!find_data()) {
        print_message("no folder of graphs: set WEIR_DATA\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/ANSWERS.json", data);
    json_t *root = json_load_file(path, 0, &error);
    assert_non_null(root);
    int checked = 0;
    json_object_foreach(root, name, value)
    {
        snprintf(path, sizeof path, "%s/%s", data, name);
        if (!json_object_get(value, "directed") || access(path, R_OK) != 0)
            continue;
        if (strstr(name, ".graph")) { /* METIS: told apart and refused */
            weir_graph *graph;
            assert_int_equal(weir_graph_open(path, NULL, &graph), WEIR_ERR_FORMAT);
            assert_non_null(strstr(weir_error_detail(), "METIS"));
            continue;
        }
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
