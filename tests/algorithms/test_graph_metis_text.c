/** @file test_graph_metis_text.c  METIS graphs that read as edge lists are refused; edge lists that
 *  look a little like METIS graphs are not. */
#include "tests/algorithms/graph_fixture.h"

static weir_status load(const char *path, weir_graph **graph)
{
    return weir_graph_open(path, NULL, graph);
}

static void refused(const char *path, const char *where)
{
    weir_graph *graph;
    char wanted[500];
    weir_status status = load(path, &graph);
    snprintf(wanted, sizeof wanted, "%s:%s: a METIS graph of ", path, where);
    if (status != WEIR_ERR_FORMAT || graph ||
        strncmp(weir_error_detail(), wanted, strlen(wanted)) != 0)
        fail_msg("wanted %s; status %d: %s", wanted, status, weir_error_detail());
}

struct metis {
    const char *text, *where;
};

static const struct metis graphs[] = {
    {"4 4\n2 4\n1 3\n2 4\n1 3\n", "1"}, /* a cycle */
    {"4 4\n2 4\n3 1\n4 2\n3 1", "1"},   /* without an end of the last line */
    {"% a comment\n4 4\r\n2 4\r\n1 3\r\n2 4\r\n1 3\r\n", "2"},
    {"4 4\n2 4\n% between\n1 3\n2 4\n1 3\n\n\n", "1"}, /* blank lines behind it */
    {"3 3\n2 3\n1 3\n1 2\n", "1"},                     /* a triangle */
    {"5 3\n\n3 5\n2 5\n\n2 3\n", "1"},                 /* vertices 1 and 4 have no neighbours */
    {"4 6 0\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n", "1"},      /* all four with each other */
    {"4 6 000\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n", "1"},
    {"4 4 10\n9 2 4\n9 1 3\n8 2 4\n0 1 3\n", "1"},  /* vertices have weights */
    {"4 4 100\n9 2 4\n9 1 3\n8 2 4\n1 1 3\n", "1"}, /* ... sizes */
    {"4 2 110\n9 8 2\n7 6 1\n5 4 4\n3 2 3\n", "1"}, /* ... both */
    {"4 2 11\n5 2 7\n6 1 7\n8 4 9\n8 3 9\n", "1"},  /* vertices and edges have weights */
    {"4 2 011\n5 2 7\n6 1 7\n8 4 9\n8 3 9\n", "1"},
};

static void metis_graphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof graphs / sizeof graphs[0]; i++) {
        const char *text = graphs[i].text;
        refused(put_text("cycle.graph", text), graphs[i].where);
        refused(put_text("cycle.el", text), graphs[i].where);
        refused(put_gzip("cycle.gz", text, strlen(text)), graphs[i].where);
    }
}

struct list {
    const char *text;
    uint64_t vertices, arcs;
};

/* Each is an edge list for one reason. */
static const struct list lists[] = {
    {"# arcs\n4 4\n2 4\n1 3\n2 4\n1 3\n", 5, 2}, /* it says so */
    {"4 4\n2 4\n# arcs\n1 3\n2 4\n1 3\n", 5, 2},
    {"4,4\n2 4\n1 3\n2 4\n1 3\n", 5, 2},      /* METIS has no commas */
    {"4 5\n2 4\n1 3\n2 4\n1 3\n", 6, 3},      /* not as many edges */
    {"5 4\n2 4\n1 3\n2 4\n1 3\n", 6, 3},      /* not as many lines */
    {"4 4\n2 4\n1 3\n2 4\n1 3\n1 3\n", 5, 2}, /* more lines */
    {"4 4\n2 4\n1 3\n2 4\n1 2\n", 5, 3},      /* 3 is not next to 4 */
    {"4 4\n2 4\n1 5\n2 4\n1 3\n", 6, 3},      /* there is no vertex 5 */
    {"4 4\n2 4\n1 0\n2 4\n1 3\n", 5, 3},      /* nor 0 */
    {"4 4\n1 4\n1 3\n2 4\n1 3\n", 5, 3},      /* 1 next to itself */
    {"4 4\n2 2\n1 1\n4 4\n3 3\n", 5, 0},      /* twice next to each other */
    {"2 1\n2 1\n", 3, 1},                     /* too few to tell */
    {"1 1\n1 1\n", 2, 0},
    {"4 0\n\n\n\n\n", 5, 1},                        /* no edges */
    {"4 6 .5\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n", 7, 4}, /* no form */
    {"4 6 2\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n", 7, 4},
    {"4 6 1\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n", 7, 4}, /* three columns cannot be pairs */
    {"4 6 111\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n", 7, 4},
    {"4 6 -10\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n", 7, 4},
    {"4 4 10\n9 2 4\n9 1 3.5\n8 2 4\n0 1 3\n", 10, 4}, /* no vertex 3.5 */
    {"4 2 11\n5 2 7\n6 1 8\n8 4 9\n8 3 9\n", 9, 5},    /* another weight back */
    {"0 0\n1 0\n2 0\n", 3, 2},
};

static void edge_lists(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        weir_graph *graph;
        if (load(put_text("list.graph", lists[i].text), &graph))
            fail_msg("%s: %s", lists[i].text, weir_error_detail());
        assert_sound(graph);
        if (graph->vertices != lists[i].vertices || graph->arcs != lists[i].arcs)
            fail_msg("%s: %llu vertices, %llu arcs", lists[i].text,
                     (unsigned long long)graph->vertices, (unsigned long long)graph->arcs);
        weir_graph_destroy(graph);
    }
}

/* A large cycle is told too; with one number changed it is an edge list. */
static void large_cycle(void **state)
{
    (void)state;
    enum { N = 100000 };
    char *text = malloc(N * 16), *at = text;
    weir_graph *graph;
    at += sprintf(at, "%d %d\n", N, N);
    for (int v = 1; v <= N; v++)
        at += sprintf(at, "%d %d\n", v == 1 ? N : v - 1, v == N ? 1 : v + 1);
    refused(put_text("large.graph", text), "1");
    at[-2] = '2';
    assert_int_equal(load(put_text("large.graph", text), &graph), WEIR_OK);
    weir_graph_destroy(graph);
    free(text);
}

/* What weir writes is never taken for METIS text. */
static void written_lists(void **state)
{
    (void)state;
    const uint32_t s[] = {4, 2, 1, 2, 1}, t[] = {4, 4, 3, 4, 3};
    weir_graph *graph, *back;
    assert_int_equal(weir_graph_from_arcs(5, 5, s, t, NULL, NULL, &graph), WEIR_OK);
    assert_int_equal(weir_graph_write(graph, in_folder("w.el")), WEIR_OK);
    back = open_graph(in_folder("w.el"), 0);
    assert_same(graph, back);
    weir_graph_destroy(graph);
    weir_graph_destroy(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metis_graphs),
        cmocka_unit_test(edge_lists),
        cmocka_unit_test(large_cycle),
        cmocka_unit_test(written_lists),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
