/** @file test_graph_metis_text.c  What is METIS text and what an edge list, where a text reads as both. */
#include "tests/algorithms/graph_fixture.h"

#include <fcntl.h>

static weir_status load(const char *path, weir_graph **graph)
{
    return weir_graph_open(path, NULL, graph);
}

struct metis {
    const char *text, *shown;
};

#define CYCLE "4: 0>1 0>3 1>0 1>2 2>1 2>3 3>0 3>2"
#define ALL   "4: 0>1 0>2 0>3 1>0 1>2 1>3 2>0 2>1 2>3 3>0 3>1 3>2"

/* Each has lines of two or three numbers alone. */
static const struct metis graphs[] = {
    {"4 4\n2 4\n1 3\n2 4\n1 3\n", CYCLE},
    {"4 4\n2 4\n3 1\n4 2\n3 1", CYCLE}, /* without an end of the last line */
    {"% a comment\n4 4\r\n2 4\r\n1 3\r\n2 4\r\n1 3\r\n", CYCLE},
    {"4 4\n2 4\n% between\n1 3\n2 4\n1 3\n\n\n", CYCLE}, /* blank lines behind it */
    {"\xEF\xBB\xBF"
     "3 3\n2 3\n1 3\n1 2\n",
     "3: 0>1 0>2 1>0 1>2 2>0 2>1"},
    {"5 3\n\n3 5\n2 5\n\n2 3\n", "5: 1>2 1>4 2>1 2>4 4>1 4>2"}, /* vertices 1 and 4 have none */
    {"4 6 0\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n", ALL},
    {"4 6 000\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n", ALL},
    {"4 4 10\n9 2 4\n9 1 3\n8 2 4\n0 1 3\n", CYCLE},                 /* vertices have weights */
    {"4 4 100\n9 2 4\n9 1 3\n8 2 4\n1 1 3\n", CYCLE},                /* ... sizes */
    {"4 2 110\n9 8 2\n7 6 1\n5 4 4\n3 2 3\n", "4: 0>1 1>0 2>3 3>2"}, /* ... both */
    {"4 2 11\n5 2 7\n6 1 7\n8 4 9\n8 3 9\n", "4: 0>1/7 1>0/7 2>3/9 3>2/9"},
    {"4 2 11\n5 2 4294967296\n6 1 4294967296\n8 4 9\n8 3 9\n", /* weights of more than 32 bits */
     "4: 0>1/4.29497e+09 1>0/4.29497e+09 2>3/9 3>2/9"},
    {"4 2 011\n5 2 7\n6 1 7\n8 4 9\n8 3 9\n", "4: 0>1/7 1>0/7 2>3/9 3>2/9"},
};

static void check_metis(const char *path, const char *wanted)
{
    weir_graph *graph = open_graph(path, 0);
    assert_sound(graph);
    assert_string_equal(graph->format, "METIS");
    assert_string_equal(shown(graph), wanted);
    weir_graph_destroy(graph);
}

static void metis_graphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof graphs / sizeof graphs[0]; i++) {
        const char *text = graphs[i].text, *wanted = graphs[i].shown;
        check_metis(put_text("cycle.graph", text), wanted);
        check_metis(put_text("cycle.el", text), wanted);
        check_metis(put_gzip("cycle.gz", text, strlen(text)), wanted);
        check_metis(put_xz("cycle.xz", text, strlen(text)), wanted);
        check_metis(put_zstd("cycle.zst", text, strlen(text)), wanted);
    }
}

/* The text as standard input, of a pipe or of a file. */
static weir_status load_input(const char *text, const char *named, int pipe_it, weir_graph **graph)
{
    int ends[2], before = dup(STDIN_FILENO);
    if (pipe_it) {
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
        close(ends[1]);
    } else {
        ends[0] = open(put_text("input", text), O_RDONLY);
    }
    assert_true(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    weir_status status = load(named, graph);
    dup2(before, STDIN_FILENO);
    close(before);
    close(ends[0]);
    return status;
}

/* What has to be read to its end to tell cannot be read again from a pipe; nothing is guessed then. */
static void pipes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *named, *shown, *format;
        int pipe_it;
    } inputs[] = {
        {"4 4\n2 4\n1 3\n2 4\n1 3\n", "-", NULL, NULL, 1},
        {"4 4\n2 4\n1 3\n2 4\n1 3\n", "-", CYCLE, "METIS", 0},
        {"4 4\n2 4\n1 3\n2 4\n1 3\n", "metis:-", CYCLE, "METIS", 1},
        {"4 4\n2 4\n1 3\n2 4\n1 3\n", "edges:-", "5: 1>3 2>4", "edge list", 1},
        {"% METIS\n4 4\n2 4\n1 3\n2 4\n1 3\n", "-", CYCLE, "METIS", 1},
        {"3 2\n2\n1 3\n2\n", "-", "3: 0>1 1>0 1>2 2>1", "METIS", 1},
        {"0 1\n1 2\n", "-", "3: 0>1 1>2", "edge list", 1},
    };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        weir_graph *graph = NULL;
        weir_status status = load_input(inputs[i].text, inputs[i].named, inputs[i].pipe_it, &graph);
        if (!inputs[i].shown) {
            assert_int_equal(status, WEIR_ERR_FORMAT);
            assert_non_null(strstr(weir_error_detail(), "metis:-, or edges:-"));
            continue;
        }
        if (status)
            fail_msg("%s: %s", inputs[i].text, weir_error_detail());
        assert_string_equal(shown(graph), inputs[i].shown);
        assert_string_equal(graph->format, inputs[i].format);
        assert_string_equal(graph->name, "standard input");
        weir_graph_destroy(graph);
    }
}

/* The user's word comes before what a file looks like. */
static void formats_named(void **state)
{
    (void)state;
    static const char text[] = "4 4\n2 4\n1 3\n2 4\n1 3\n", one[] = "2 1\n2 1\n";
    char name[500];
    weir_graph *graph;
    snprintf(name, sizeof name, "edges:%s", put_text("c", text));
    graph = open_graph(name, 0);
    assert_string_equal(shown(graph), "5: 1>3 2>4");
    assert_string_equal(graph->name, "c");
    weir_graph_destroy(graph);
    snprintf(name, sizeof name, "metis:%s", put_text("c", "4 0\n\n\n\n\n"));
    check_metis(name, "4:");
    snprintf(name, sizeof name, "metis:%s", put_text("c", "4 0")); /* lines may not be left out */
    assert_int_equal(load(name, &graph), WEIR_ERR_FORMAT);
    snprintf(name, sizeof name, "metis:%s", put_text("c", one));
    assert_int_equal(load(name, &graph), WEIR_ERR_FORMAT);
    snprintf(name, sizeof name, "dimacs:%s", put_text("c", one));
    assert_int_equal(load(name, &graph), WEIR_ERR_FORMAT);
    assert_non_null(strstr(weir_error_detail(), "begins no DIMACS line"));
    snprintf(name, sizeof name, "mtx:%s", in_folder("c"));
    assert_int_equal(load(name, &graph), WEIR_ERR_FORMAT);
    assert_int_equal(load("metis:", &graph), WEIR_ERR_INVALID);
    assert_non_null(strstr(weir_error_detail(), "no file"));
    assert_int_equal(load("metis:/nonexistent", &graph), WEIR_ERR_IO);
    assert_null(graph);
}

struct list {
    const char *text;
    uint64_t vertices, arcs;
};

/* Each is an edge list for one reason. */
static const struct list lists[] = {
    {"# arcs\n4 4\n2 4\n1 3\n2 4\n1 3\n", 5, 2}, /* it says so */
    {"4 4\n2 4\n# arcs\n1 3\n2 4\n1 3\n", 5, 2},
    {"4,4\n2 4\n1 3\n2 4\n1 3\n", 5, 2}, /* METIS has no commas */
    {"4 4\n2 4\n1 3\n2, 4\n1 3\n", 5, 2},
    {"5 4\n2 4\n1 3\n2 4\n1 3\n", 6, 3},      /* not as many lines */
    {"4 4\n2 4\n1 3\n2 4\n1 3\n1 3\n", 5, 2}, /* more lines */
    {"4 4\n2 4\n1 3\n2 4\n1 2\n", 5, 3},      /* 3 is not next to 4 */
    {"4 4\n2 4\n1 5\n2 4\n1 3\n", 6, 3},      /* there is no vertex 5 */
    {"4 4\n2 4\n1 0\n2 4\n1 3\n", 5, 3},      /* nor 0 */
    {"4 4\n1 4\n1 3\n2 4\n1 3\n", 5, 3},      /* 1 next to itself */
    {"4 4\n2 2\n1 1\n4 4\n3 3\n", 5, 0},      /* twice next to each other */
    {"3 1\n2 3\n1 3\n1 2\n", 4, 4},           /* not as many edges */
    {"4 5\n2 4\n1 3\n2 4\n1 3\n", 6, 3},
    {"4 2 11\n5 2 7.5\n6 1 7.5\n8 4 9\n8 3 9\n", 9, 5}, /* weights that METIS does not have */
    {"2 1\n2 1\n", 3, 1},                               /* too few to tell */
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

/* Edge lists that broke off or have columns too many, and what METIS's rules say of none of them: each has a line, a
 * cause and no word of what a graph of METIS would have. */
static void broken_lists(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where, *why;
    } texts[] = {
        {"10 20\n2 3\n3 4\n4\n", ":4: ", "1 column where the lines before have 2"},
        {"5 6\n2 3 0.5\n", ":2: ", "3 columns where the lines before have 2"},
        {"1 2 0\n1 3\n", ":2: ", "2 columns where the lines before have 3"},
        {"5 9\n2 3\n1 4\n1 5 7\n", ":4: ", "3 columns where the lines before have 2"},
        {"5 9\n2 3\n1 4\n1 5 4\n", ":4: ", "3 columns where the lines before have 2"},
        {"4 1\n2 3\n3", ":3: ", "1 column where the lines before have 2"},   /* edges too many */
        {"3 2\n2 3 4\n", ":2: ", "3 columns where the lines before have 2"}, /* no vertex 4 */
        {"3 2\n2 3 1\n", ":2: ", "3 columns where the lines before have 2"}, /* its own */
        {"3 1\n2 3 2\n", ":2: ", "3 columns where the lines before have 2"}, /* twice */
        {"3 2 1\n2 7.5\n", ":2: ", "'7.5' is no vertex id"},
        {"% sym positive\n1 2 1 1082040961\n2 3 1 1082040962\n", ":2: ", "4 columns; an edge list"},
        {"7 8 1 1\n", ":1: ", "4 columns; an edge list has 2 or 3"},
        {"3 2 0 2\n2 3 1 1\n1 1 1 1\n", ":1: ", "4 columns; an edge list has 2 or 3"},
        {"3 2 0 1\n4 3 1 1\n1 1 1 1\n", ":1: ", "4 columns; an edge list has 2 or 3"},
        {"3 0 0 1\n\n", ":1: ", "4 columns; an edge list has 2 or 3"}, /* vertices too few */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        weir_graph *graph;
        char where[30];
        assert_file_refused(put_text("list", texts[i].text), WEIR_ERR_FORMAT, texts[i].where,
                            texts[i].why);
        assert_null(strstr(weir_error_detail(), "taken for"));
        assert_int_equal(load_input(texts[i].text, "-", 1, &graph), WEIR_ERR_FORMAT);
        snprintf(where, sizeof where, "standard input%s", texts[i].where);
        if (strncmp(weir_error_detail(), where, strlen(where)) != 0 ||
            !strstr(weir_error_detail(), texts[i].why))
            fail_msg("%s by a pipe: %s", texts[i].text, weir_error_detail());
    }
}

/* Who has a list that was taken for METIS text learns that, and what to say; who said metis: knows. */
static void guess_named(void **state)
{
    (void)state;
    static const char text[] = "3 2\n2\n1 3\n2\n# x\n";
    char named[500], advice[500];
    weir_graph *graph;
    const char *path = put_text("m", text);
    snprintf(named, sizeof named, "metis:%s", path);
    snprintf(advice, sizeof advice, "(taken for METIS text; edges:%s reads an edge list)", path);
    assert_file_refused(path, WEIR_ERR_FORMAT,
                        ":5: promises 3 vertices but has a line for one more", advice);
    assert_int_equal(load(named, &graph), WEIR_ERR_FORMAT);
    assert_null(strstr(weir_error_detail(), "taken for"));
    assert_int_equal(load_input(text, "-", 1, &graph), WEIR_ERR_FORMAT);
    assert_non_null(strstr(weir_error_detail(), "(taken for METIS text; edges:- reads"));
    assert_int_equal(load("metis:rmat:4", &graph), WEIR_ERR_IO);
    assert_non_null(strstr(weir_error_detail(), "rmat:4: No such file or directory (to be read as "
                                                "METIS; a file of the whole name is "
                                                "./metis:rmat:4)"));
}

/* A pipe that has a name is called by it. */
static void pipe_named(void **state)
{
    (void)state;
    static const char text[] = "4 4\n2 4\n1 3\n2 4\n1 3\n";
    char named[40], advice[200];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
    close(ends[1]);
    snprintf(named, sizeof named, "/dev/fd/%d", ends[0]);
    snprintf(advice, sizeof advice, "say metis:%s, or edges:%s if", named, named);
    assert_file_refused(named, WEIR_ERR_FORMAT, ": ", advice);
    close(ends[0]);
}

/* Where all is as METIS has it but for the number of edges, it stays an edge list; nobody who said metis: gets one. */
static void wrong_count(void **state)
{
    (void)state;
    weir_graph *graph;
    char named[500];
    snprintf(named, sizeof named, "metis:%s", put_text("c", "4 5\n2 4\n1 3\n2 4\n1 3\n"));
    assert_int_equal(load(named, &graph), WEIR_ERR_FORMAT);
    assert_non_null(strstr(weir_error_detail(), "promises 5 edges but holds 4"));
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
    graph = open_graph(put_text("large.graph", text), 0);
    assert_string_equal(graph->format, "METIS");
    assert_int_equal(graph->vertices, N);
    assert_int_equal(graph->arcs, 2 * N);
    weir_graph_destroy(graph);
    at[-2] = '2';
    assert_int_equal(load(put_text("large.graph", text), &graph), WEIR_OK);
    assert_string_equal(graph->format, "edge list");
    weir_graph_destroy(graph);
    free(text);
}

/* Two cycles joined by an edge between their last vertices: lines of 3 numbers, far behind what is looked at beforehand.
 * With a vertex that is next to itself in front of them, it is an edge list with columns too many. */
static void late_rows(void **state)
{
    (void)state;
    enum { N = 50000 };
    char *text = malloc(2 * N * 16), *at = text;
    weir_graph *graph;
    at += sprintf(at, "%d %d\n", 2 * N, 2 * N + 1);
    for (int v = 1; v <= 2 * N; v++) {
        int first = v <= N ? 1 : N + 1, last = first + N - 1;
        at += sprintf(at, "%d %d", v == first ? last : v - 1, v == last ? first : v + 1);
        at += v == last ? sprintf(at, " %d\n", v == N ? 2 * N : N) : sprintf(at, "\n");
    }
    graph = open_graph(put_text("late", text), 0);
    assert_sound(graph);
    assert_string_equal(graph->format, "METIS");
    assert_int_equal(graph->arcs, 2 * (2 * N + 1));
    weir_graph_destroy(graph);
    assert_int_equal(load_input(text, "edges:-", 0, &graph), WEIR_ERR_FORMAT);
    assert_non_null(strstr(weir_error_detail(), "3 columns where the lines before have 2"));
    memcpy(strstr(text, "\n1 3\n"), "\n2 3\n", 5);
    assert_file_refused(put_text("late", text), WEIR_ERR_FORMAT, ":", "columns");
    free(text);
}

/* A comment that METIS does not have, behind what is looked at beforehand: columns too many are said to be that. */
static void late_comment(void **state)
{
    (void)state;
    enum { N = 50000 };
    char *text = malloc(N * 16), *at = text;
    at += sprintf(at, "%d %d\n", N, N);
    for (int v = 1; v < N; v++)
        at += sprintf(at, "%d %d\n", v == 1 ? N : v - 1, v + 1);
    sprintf(at, "# comment\n1 2 3\n");
    assert_file_refused(put_text("late", text), WEIR_ERR_FORMAT,
                        ":50002:", "3 columns where the lines before have 2");
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
        cmocka_unit_test(metis_graphs), cmocka_unit_test(edge_lists),
        cmocka_unit_test(pipes),        cmocka_unit_test(formats_named),
        cmocka_unit_test(broken_lists), cmocka_unit_test(guess_named),
        cmocka_unit_test(pipe_named),   cmocka_unit_test(wrong_count),
        cmocka_unit_test(large_cycle),  cmocka_unit_test(late_rows),
        cmocka_unit_test(late_comment), cmocka_unit_test(written_lists),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
