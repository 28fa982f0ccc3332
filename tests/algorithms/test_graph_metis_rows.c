/** @file test_graph_metis_rows.c  METIS text read by several threads, in blocks: the graph that its arcs make, and the sentence of its first
 * wrong line, whatever threads and blocks there are. */
#include "tests/algorithms/graph_fixture.h"

#include "algorithms/graph/ahead.h"
#include "algorithms/graph/random.h"
#include "algorithms/graph/read.h"
#include "tests/lib/share.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { VERTICES = 600, EDGES = 4000 };
static const uint32_t threads[] = {1, 2, 3, 8};
static const size_t blocks[] = {0, 100, 1000, 20000};

struct text {
    char *data;
    size_t bytes, room;
    uint64_t line, seed, drawn;
    uint8_t joined[VERTICES + 1][VERTICES + 1];
    uint64_t edges, arcs;
    uint32_t source[2 * EDGES + 4 * VERTICES], target[2 * EDGES + 4 * VERTICES];
    double weight[2 * EDGES + 4 * VERTICES];
};

struct kind {
    const char *form; /* behind the numbers of vertices and edges */
    uint32_t first;   /* numbers in front of a row */
    int weighted, nasty;
};
static const struct kind kinds[] = {
    {"", 0, 0, 0},       {"", 0, 0, 1},       {" 1", 0, 1, 0},     {" 001", 0, 1, 1},
    {" 10", 1, 0, 1},    {" 011 3", 3, 1, 1}, {" 100", 1, 0, 1},   {" 101", 1, 1, 0},
    {" 110 2", 3, 0, 1}, {" 111", 2, 1, 1},   {" 111 4", 5, 1, 0},
};

static uint64_t draw(struct text *text, uint64_t below)
{
    return weir__below(weir__random(text->seed, text->drawn++), below);
}

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *text, const char *format, ...)
{
    va_list arguments;
    if (text->room - text->bytes < 512)
        assert_non_null(text->data = realloc(text->data, text->room = 2 * text->room + 4096));
    va_start(arguments, format);
    const int length = vsnprintf(text->data + text->bytes, 512, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && length < 512);
    text->bytes += (size_t)length;
}

static void put_end(struct text *text, const struct kind *kind)
{
    if (kind->nasty && draw(text, 4) == 0)
        put(text, " \t");
    put(text, "%s", kind->nasty && draw(text, 3) == 0 ? "\r\n" : "\n");
    text->line++;
}

/* Vertex 7 is joined to most others, two in three have few neighbours or none. */
static void draw_edges(struct text *text)
{
    for (uint32_t i = 0; i < EDGES; i++) {
        const uint64_t a = i < VERTICES ? 7 : 1 + draw(text, VERTICES),
                       b = 1 + draw(text, i % 3 ? VERTICES / 3 : VERTICES);
        if (a != b && b != 100 && a != 100 && !text->joined[a][b]) {
            text->joined[a][b] = text->joined[b][a] = (uint8_t)(1 + draw(text, 200));
            text->edges++;
        }
    }
}

static void put_number(struct text *text, const struct kind *kind, uint64_t number, int front)
{
    static const char *const gaps[] = {" ", "\t", "  ", " \t "}, *const zeros[] = {"", "0",
                                                                                   "00000000"};
    put(text, "%s%s%llu",
        front && !(kind->nasty && draw(text, 2)) ? ""
        : kind->nasty                            ? gaps[draw(text, 4)]
                                                 : " ",
        kind->nasty ? zeros[draw(text, 3)] : "", (unsigned long long)number);
}

/* @param[in] wrong  what to put in front of the neighbours; NULL: nothing. */
static void put_row(struct text *text, const struct kind *kind, uint32_t vertex, const char *wrong)
{
    uint32_t order[VERTICES], count = 0;
    int front = 1;
    for (uint32_t i = 0; i < kind->first; i++, front = 0)
        put_number(text, kind, draw(text, 1000), front);
    if (wrong)
        put(text, "%s%s", front ? "" : " ", wrong);
    front &= !wrong;
    for (uint32_t t = 1; t <= VERTICES; t++)
        if (text->joined[vertex][t])
            order[count++] = t;
    for (uint32_t i = count; kind->nasty && vertex % 2 && i > 1; i--) {
        const uint64_t j = draw(text, i);
        const uint32_t moved = order[i - 1];
        order[i - 1] = order[j];
        order[j] = moved;
    }
    for (uint32_t i = 0; i < count; i++, front = 0) {
        const uint32_t t = order[i];
        put_number(text, kind, t, front);
        if (kind->weighted)
            put_number(text, kind, text->joined[vertex][t], 0);
        text->source[text->arcs] = vertex - 1;
        text->target[text->arcs] = t - 1;
        text->weight[text->arcs++] = text->joined[vertex][t];
    }
    put_end(text, kind);
}

/* @param[in] wrong  in the row of vertex @p at, and another error in the next; NULL: none. @return the line of the first. */
static uint64_t write_text(struct text *text, const struct kind *kind, const char *wrong,
                           uint32_t at)
{
    static const char *const comments[] = {"%", "% 1 2 3", " %% x", "\t%\t"};
    uint64_t line = 0;
    memset(text, 0, sizeof *text);
    text->seed = 11 + (uint64_t)(kind - kinds);
    draw_edges(text);
    put(text, "%% METIS\n%d %llu%s\n", VERTICES, (unsigned long long)text->edges, kind->form);
    text->line = 2;
    for (uint32_t v = 1; v <= VERTICES; v++) {
        while (kind->nasty && draw(text, 8) == 0) {
            put(text, "%s", comments[draw(text, 4)]);
            for (uint64_t more = draw(text, 8) ? 0 : 200; more > 0;
                 more--) /* longer than a block */
                put(text, " ");
            put_end(text, kind);
        }
        put_row(text, kind, v, !wrong ? NULL : v == at ? wrong : v == at + 1 ? "foo" : NULL);
        if (v == at)
            line = text->line;
    }
    if (kind->nasty)
        put(text, "\n%% the end\n \t\n");
    return line;
}

static weir_status open_on(const char *path, uint32_t on, size_t block, weir_graph **graph)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    options.threads = on;
    weir__ahead_pretend(block);
    weir_status status = weir_graph_open(path, &options, graph);
    weir__ahead_pretend(0);
    return status;
}

static void assert_graphs(const char *path, const weir_graph *wanted)
{
    static int turn; /* goes on from file to file */
    for (size_t t = 0; t < COUNT(threads); t++)
        for (size_t b = 0; b < COUNT(blocks); b++) {
            if (turn++ % test_stride())
                continue;
            weir_graph *graph;
            if (open_on(path, threads[t], blocks[b], &graph))
                fail_msg("%u threads, blocks of %zu: %s", threads[t], blocks[b],
                         weir_error_detail());
            assert_string_equal(graph->format, "METIS");
            assert_sound(graph);
            assert_same(graph, wanted);
            weir_graph_destroy(graph);
        }
}

/* @param[in] line  0: the sentence names none. */
static void assert_refused_alike(const char *path, uint64_t line, const char *why)
{
    char wanted[500];
    if (line)
        snprintf(wanted, sizeof wanted, "%s:%llu: %s", path, (unsigned long long)line, why);
    else
        snprintf(wanted, sizeof wanted, "%s: %s", path, why);
    static int turn; /* goes on from file to file */
    for (size_t t = 0; t < COUNT(threads); t++)
        for (size_t b = 0; b < COUNT(blocks); b++) {
            if (turn++ % test_stride())
                continue;
            weir_graph *graph = (weir_graph *)&graph;
            const weir_status status = open_on(path, threads[t], blocks[b], &graph);
            if (status != WEIR_ERR_FORMAT || graph ||
                strncmp(weir_error_detail(), wanted, strlen(wanted)) != 0)
                fail_msg("%u threads, blocks of %zu: wanted %s; got %d: %s", threads[t], blocks[b],
                         wanted, status, status ? weir_error_detail() : "a graph");
        }
}

static struct text text;

static void same_graphs(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        weir_graph *wanted;
        write_text(&text, &kinds[k], NULL, 0);
        assert_int_equal(weir_graph_from_arcs(VERTICES, text.arcs, text.source, text.target,
                                              kinds[k].weighted ? text.weight : NULL, NULL,
                                              &wanted),
                         WEIR_OK);
        assert_graphs(put_bytes("text", text.data, text.bytes), wanted);
        assert_graphs(put_xz("text.xz", text.data, text.bytes), wanted);
        while (text.data[text.bytes - 1] != '%' && kinds[k].nasty)
            text.bytes--; /* the last line is a comment without an end */
        text.bytes -= !kinds[k].nasty;
        assert_graphs(put_bytes("text", text.data, text.bytes), wanted);
        weir_graph_destroy(wanted);
        free(text.data);
    }
}

/* What is put in front of a row, and what is said of it; @p only  of edges with weights, or without; -1: whatever they have. */
static const struct wrong {
    const char *word, *why;
    int only;
} wrongs[] = {
    {"x", "'x' is no neighbour", -1},
    {"0 1", "the neighbour 0 is not within 1 .. 600", -1},
    {"601 1", "the neighbour 601 is not within 1 .. 600", -1},
    {"99999999999999999999 1", "the neighbour 99999999999999999999 is not within 1 .. 600", -1},
    {"-3 1", "the neighbour -3 is negative", -1},
    {"1.5 1", "'1.5' is no neighbour", -1},
    {"300,3 1", "',' is no neighbour", 0},
    {"9 x", "'x' is no weight of the edge", 1},
    {"9 -1", "the weight of the edge -1 is negative", 1},
    {"9 9007199254740993",
     "the weight of the edge 9007199254740993 is not within 0 .. 9007199254740992", 1},
    {"% 1", "'%' is no neighbour", -1},
    {"\r 1", "'?' is no neighbour", -1},
};

static void first_error_wins(void **state)
{
    static const uint32_t at[] = {1, 2, 7, 301, VERTICES - 1};
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t w = 0; w < COUNT(wrongs); w++) {
            const uint32_t v = at[(k + w) % COUNT(at)];
            if ((wrongs[w].only >= 0 && wrongs[w].only != kinds[k].weighted) ||
                (wrongs[w].word[0] == '%' && kinds[k].first == 0)) /* a comment is not wrong */
                continue;
            const uint64_t line = write_text(&text, &kinds[k], wrongs[w].word, v);
            assert_refused_alike(put_bytes("text", text.data, text.bytes), line, wrongs[w].why);
            free(text.data);
        }
}

/* What a row is held against as a whole: itself, twice the same in a short and in a long one that does not ascend; and the rest. */
static void rules_of_rows(void **state)
{
    char word[64], why[100];
    const struct kind *plain = &kinds[0], *weighted = &kinds[2], *sized = &kinds[7];
    (void)state;
    for (uint32_t v = 3; v < VERTICES; v += 198) {
        snprintf(word, sizeof word, "%u", v);
        snprintf(why, sizeof why, "vertex %u is its own neighbour", v);
        uint64_t line = write_text(&text, plain, word, v);
        assert_refused_alike(put_bytes("text", text.data, text.bytes), line, why);
        free(text.data);
    }
    for (uint32_t v = 7; v < VERTICES;
         v += 100) { /* 7 has a row that is sorted to be looked through */
        uint32_t t = VERTICES;
        write_text(&text, plain, NULL, 0);
        while (t > 0 && !text.joined[v][t])
            t--;
        free(text.data);
        if (!t)
            continue;
        snprintf(word, sizeof word, "%u", t);
        snprintf(why, sizeof why, "vertex %u is named twice", t);
        uint64_t line = write_text(&text, plain, word, v);
        assert_refused_alike(put_bytes("text", text.data, text.bytes), line, why);
        free(text.data);
    }
    write_text(&text, plain, NULL, 0);
    put(&text, "5 6\n");
    assert_refused_alike(put_bytes("text", text.data, text.bytes), text.line + 1,
                         "promises 600 vertices but has a line for one more");
    free(text.data);
    write_text(&text, sized, NULL, 0);
    const size_t row = (size_t)(strrchr(text.data, '\n') - text.data);
    text.bytes = row;
    while (text.data[text.bytes - 1] != '\n') /* the last row without anything, its end included */
        text.bytes--;
    text.data[text.bytes++] = ' ';
    assert_refused_alike(put_bytes("text", text.data, text.bytes), text.line,
                         "the line ends before the size or weight of the vertex");
    text.bytes--;
    assert_refused_alike(put_bytes("text", text.data, text.bytes), 0,
                         "promises 600 vertices but has lines for 599");
    free(text.data);
    write_text(&text, weighted, NULL, 0);
    char *last = text.data + text.bytes -
                 2; /* a weight of the last row is another one than that of the arc back */
    *last = *last == '9' ? '8' : (char)(*last + 1);
    assert_refused_alike(put_bytes("text", text.data, text.bytes), 0, "the edge of vertices ");
    free(text.data);
    write_text(&text, plain, "100", 300);
    char *foo = strstr(text.data, "foo"); /* what write_text() put into the next row */
    memset(foo, ' ', 3);
    assert_refused_alike(put_bytes("text", text.data, text.bytes), 0,
                         "vertex 300 names 100 as its neighbour, but 100 does not name 300");
    free(text.data);
    write_text(&text, plain, NULL, 0);
    char *header = strchr(text.data, '\n') + 1;
    memcpy(header, "600 7  ", 7);
    for (char *c = header + 7; *c != '\n'; c++)
        *c = ' ';
    snprintf(why, sizeof why, "promises 7 edges but holds %llu", (unsigned long long)text.edges);
    assert_refused_alike(put_bytes("text", text.data, text.bytes), 0, why);
    free(text.data);
}

/* Lines that are longer than what is read at a time, three of them one after the other, in a star of three centers: in parts, cut
 * behind blanks. And a word that is longer. */
static void long_lines(void **state)
{
    enum { N = 200000, CENTERS = 3 };
    uint32_t *from = malloc(2 * CENTERS * (size_t)N * sizeof *from),
             *to = malloc(2 * CENTERS * (size_t)N * sizeof *to);
    uint64_t arcs = 0;
    weir_graph *wanted;
    (void)state;
    assert_true(from && to);
    memset(&text, 0, sizeof text);
    put(&text, "%% METIS\n%d %d\n", N, CENTERS * (N - CENTERS));
    for (uint32_t v = 0; v < N; v++) {
        for (uint32_t t = v < CENTERS ? CENTERS : 0; t < (v < CENTERS ? N : CENTERS); t++) {
            put(&text, " %u", t + 1);
            from[arcs] = v;
            to[arcs++] = t;
        }
        put(&text, "\n");
    }
    assert_true(text.bytes / CENTERS > WEIR__LINE_MAX);
    assert_int_equal(weir_graph_from_arcs(N, arcs, from, to, NULL, NULL, &wanted), WEIR_OK);
    assert_graphs(put_bytes("long", text.data, text.bytes), wanted);
    weir_graph_destroy(wanted);
    char *word = strchr(text.data + 60, '\n') + 1; /* the second center's row becomes a word */
    const size_t length = strcspn(word, "\n");
    memset(word, '1', length);
    assert_refused_alike(put_bytes("word", text.data, text.bytes), 4,
                         "a word is longer than 1048576 bytes");
    free(text.data);
    free(from);
    free(to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_graphs),
        cmocka_unit_test(first_error_wins),
        cmocka_unit_test(rules_of_rows),
        cmocka_unit_test(long_lines),
    };
    return cmocka_run_group_tests_name("METIS rows", tests, make_folder, remove_folder);
}
