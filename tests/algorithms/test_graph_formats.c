/** @file test_graph_formats.c  METIS, GAP, Graph500 and both versions of Galois: what is read, what is refused, and
 *  that every format gives back what it was given, to the bit. */
#include "runtime/internal.h"
#include "algorithms/graph/random.h"
#include "algorithms/graph/rows.h"
#include "tests/algorithms/graph_fixture.h"

#include <fcntl.h>

/* ---- METIS -------------------------------------------------------------------------------- */

struct text {
    const char *text, *shown;
};

static const struct text metis[] = {
    {"3 2\n2\n1 3\n2\n", "3: 0>1 1>0 1>2 2>1"},
    {"3 2 0\n2\n1 3\n2\n", "3: 0>1 1>0 1>2 2>1"},
    {"% c\n3 2 000\n% c\n 2\n1\t3 \n%\n2\n% c\n\n", "3: 0>1 1>0 1>2 2>1"},
    {"3 2\r\n2\r\n1 3\r\n2\r\n", "3: 0>1 1>0 1>2 2>1"},
    {"\xEF\xBB\xBF"
     "3 2\n2\n1 3\n2",
     "3: 0>1 1>0 1>2 2>1"},
    {"2 1\n2\n1\n", "2: 0>1 1>0"},
    {"4 1\n\n3\n2\n\n", "4: 1>2 2>1"}, /* vertices 1 and 4 have no neighbours */
    /* each digit of the form, and one or more weights of vertices, which are passed over */
    {"3 2 1\n2 7\n1 7 3 0\n2 0\n", "3: 0>1/7 1>0/7 1>2/0 2>1/0"},
    {"3 2 001\n2 4294967296\n1 4294967296 3 1\n2 1\n",
     "3: 0>1/4.29497e+09 1>0/4.29497e+09 1>2/1 2>1/1"},
    {"3 2 10\n5 2\n6 1 3\n7 2\n", "3: 0>1 1>0 1>2 2>1"},
    {"3 2 011\n5 2 7\n6 1 7 3 8\n7 2 8\n", "3: 0>1/7 1>0/7 1>2/8 2>1/8"},
    {"3 2 100\n5 2\n6 1 3\n7 2\n", "3: 0>1 1>0 1>2 2>1"},
    {"3 2 101\n5 2 7\n6 1 7 3 8\n7 2 8\n", "3: 0>1/7 1>0/7 1>2/8 2>1/8"},
    {"3 2 110\n0 5 2\n0 6 1 3\n0 7 2\n", "3: 0>1 1>0 1>2 2>1"},
    {"3 2 111\n0 5 2 7\n0 6 1 7 3 8\n0 7 2 8\n", "3: 0>1/7 1>0/7 1>2/8 2>1/8"},
    {"3 2 10\n18446744073709551615 2\n18446744073709551610 1 3\n7 2\n", "3: 0>1 1>0 1>2 2>1"},
    {"3 2 010 3\n1 2 3 2\n1 2 3 1 3\n1 2 3 2\n", "3: 0>1 1>0 1>2 2>1"},
    {"3 2 111 2\n0 5 5 2 7\n0 6 6 1 7 3 8\n0 7 7 2 8\n", "3: 0>1/7 1>0/7 1>2/8 2>1/8"},
    {"3 2 010 0\n1 2\n1 1 3\n1 2\n", "3: 0>1 1>0 1>2 2>1"}, /* 0 weights are 1, says METIS */
    {"3 2 000 1\n2\n1 3\n2\n", "3: 0>1 1>0 1>2 2>1"},
    {"% METIS\n3 0\n\n\n\n", "3:"},
    {"%metis: nothing\n0 0\n", "0:"},
};

static void metis_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof metis / sizeof *metis; i++) {
        const char *text = metis[i].text;
        const char *const paths[] = {put_text("m", text), put_gzip("m.gz", text, strlen(text)),
                                     put_xz("m.xz", text, strlen(text)),
                                     put_zstd("m.zst", text, strlen(text))};
        for (int j = 0; j < 8; j++) {
            weir_graph *graph = open_graph(paths[j % 4], j / 4);
            assert_sound(graph);
            if (strcmp(graph->format, "METIS") != 0)
                fail_msg("%s: taken for %s", text, graph->format);
            assert_string_equal(shown(graph), metis[i].shown);
            weir_graph_destroy(graph);
        }
    }
}

struct broken {
    const char *text, *where, *why;
};

static const struct broken metis_broken[] = {
    {"3 2\n2\n1 4\n2\n", ":3:", "the neighbour 4 is not within 1 .. 3"},
    {"3 2\n2\n0 1 3\n2\n", ":3:", "the neighbour 0 is not within 1 .. 3"},
    {"3 2\n2\n1 -3\n2\n", ":3:", "the neighbour -3 is negative"},
    {"3 2\n2\n1 x\n2\n", ":3:", "'x' is no neighbour"},
    {"3 2\n2\n1 2 3\n2\n", ":3:", "vertex 2 is its own neighbour"},
    {"3 2\n2\n3 1 3\n2\n", ":3:", "vertex 3 is named twice"},
    {"3 2\n2\n1 3\n", ":", "promises 3 vertices but has lines for 2"},
    {"3 2\n2\n1 3\n2\n\n1\n", ":6:", "promises 3 vertices but has a line for one more"},
    {"3 1\n2\n1 3\n2\n", ":", "promises 1 edges but holds 2"},
    {"3 3\n2\n1 3\n2\n", ":", "promises 3 edges but holds 2"},
    {"3 2\n2\n1 3\n\n", ":", "vertex 2 names 3 as its neighbour, but 3 does not name 2"},
    {"4 2\n2\n1 3 4\n\n\n", ":", "but 3 does not name 2"},
    {"3 2 1\n2 7\n1 7 3 8\n2 9\n", ":",
     "the edge of vertices 2 and 3 weighs 8 in one line and 9 in the other"},
    {"3 2 1\n2 7\n1 7 3\n2 9\n", ":3:", "ends before the weight of the edge"},
    {"3 2 1\n2 7\n1 7 3 -8\n2 9\n", ":3:", "the weight of the edge -8 is negative"},
    {"3 2 1\n2 7\n1 7 3 1.5\n2 1.5\n", ":3:", "'1.5' is no weight of the edge"},
    {"% METIS\n3 2 1\n2 7.5\n1 7.5 3 1\n2 1\n", ":3:", "'7.5' is no weight of the edge"},
    {"3 2 1\n2 7\n1 7 3 9007199254740993\n2 1\n", ":3:", "is not within 0 .. 9007199254740992"},
    {"3 2 10\n5 2\n\n7 2\n", ":3:", "ends before the size or weight of the vertex"},
    {"3 2 10\n5 2\n-6 1 3\n7 2\n", ":3:", "-6 is negative"},
    {"3 2 10\n5 2\n18446744073709551616 1 3\n7 2\n",
     ":3:", "18446744073709551616 is not within 0 .. 18446744073709551615"},
    {"% METIS\n3 2 011 2\n5 2 7\n6 6 1 7 3 8\n7 7 2 8\n",
     ":3:", "the neighbour 7 is not within 1 .. 3"},
    {"% METIS\n3 2 011 2\n5 2 2\n6 6 1 7 3 8\n7 7 2 8\n",
     ":3:", "ends before the weight of the edge"},
    {"% METIS\n3 2 000 2\n2\n1 3\n2\n",
     ":2:", "2 weights for each vertex, but the form '000' says"},
    {"3 2 000 2 2\n2\n1 3\n2\n", ":1:", "5 columns; an edge list"},
    {"% METIS\n99 2 0\n2\n1 3\n2\n",
     ":2:", "promises 99 vertices and 2 edges but the file has only 23 bytes"},
    {"% METIS\n3 1000000000000 0\n2\n1 3\n2\n",
     ":2:", "promises 3 vertices and 1000000000000 edges"},
    {"% METIS\n5000000000 1\n2\n1\n", ":2:", "5000000000 is not within 0 .. 4294967294"},
    {"% METIS\n3\n2\n1\n", ":2:", "ends before the number of edges"},
    {"% METIS\n3 2 2\n2\n1\n", ":2:", "the form '2' with 1 weights is none"},
    {"% METIS\n3 2 1 1 1\n2\n1\n", ":2:", "'1' is left over"},
    {"% METIS\n\n", ":", "ends before METIS's header"},
    {"% METIS\n2 1\n2\n1\n#\n", ":5:", "a line for one more"},
};

static void metis_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof metis_broken / sizeof *metis_broken; i++)
        assert_file_refused(put_text("m", metis_broken[i].text), WEIR_ERR_FORMAT,
                            metis_broken[i].where, metis_broken[i].why);
    /* A packed file does not tell what it can hold. */
    static const char promise[] = "% METIS\n4000000000 9\n2\n1\n";
    assert_file_refused(put_gzip("m.gz", promise, sizeof promise - 1), WEIR_ERR_FORMAT, ":",
                        "promises 4000000000 vertices but has lines for 2");
}

/* A star's first line is longer than the longest of other formats, and than all buffers; once with everything
 * else a line may have. */
static void long_rows(void **state)
{
    (void)state;
    enum { N = 400000 };
    char *text = malloc(N * 24), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%d %d 11 1\n  5  ", N, N - 1);
    for (int v = 2; v <= N; v++)
        at += sprintf(at, "%d %d ", v, v % 7);
    for (int v = 2; v <= N; v++)
        at += sprintf(at, "\n%d 1 %d", v, v % 7);
    weir_graph *graph = open_graph(put_bytes("star", text, (size_t)(at - text)), 0);
    assert_sound(graph);
    assert_string_equal(graph->format, "METIS");
    assert_int_equal(graph->vertices, N);
    assert_int_equal(graph->arcs, 2 * (N - 1));
    assert_int_equal(graph->targets[N - 2], N - 1);
    assert_int_equal(graph->weights_u32[N - 2], N % 7);
    weir_graph_destroy(graph);
    /* The same neighbour twice, far apart in an unsorted line; an error far behind in it. */
    at = text + sprintf(text, "%% METIS\n%d %d\n", N, N - 1);
    for (int v = N; v >= 2; v--)
        at += sprintf(at, "%d ", v);
    char *tail = at;
    at += sprintf(at, "%d\n", N - 9);
    assert_file_refused(put_bytes("star", text, (size_t)(at - text)), WEIR_ERR_FORMAT,
                        ":3:", "vertex 399991 is named twice");
    at = tail + sprintf(tail, "x\n");
    assert_file_refused(put_bytes("star", text, (size_t)(at - text)), WEIR_ERR_FORMAT,
                        ":3:", "'x' is no neighbour");
    at = text + sprintf(text, "%% METIS\n2 1\n");
    memset(at, '1', 3 << 20);
    assert_file_refused(put_bytes("word", text, (size_t)(at - text) + (3 << 20)), WEIR_ERR_FORMAT,
                        ":3:", "longer than");
    at = text + sprintf(text, "%% METIS\n%%");
    memset(at, ' ', 3 << 20); /* a comment may be of any length */
    at += 3 << 20;
    at += sprintf(at, "x\n2 1\n2\n1\n");
    graph = open_graph(put_bytes("comment", text, (size_t)(at - text)), 0);
    assert_string_equal(shown(graph), "2: 0>1 1>0");
    weir_graph_destroy(graph);
    free(text);
}

/* A text with a line of `length` bytes, which begins as told and goes on with `filler`, in place of each '@'. */
static const char *put_long(const char *name, const char *text, const char *begin,
                            const char *filler, size_t length)
{
    const size_t step = strlen(filler);
    char *data = malloc(2 * length + 1000), *at = data;
    assert_non_null(data);
    for (; *text; text++) {
        if (*text != '@') {
            *at++ = *text;
            continue;
        }
        memcpy(at, begin, strlen(begin));
        for (size_t i = strlen(begin); i < length; i++)
            at[i] = filler[i % step];
        at += length;
    }
    const char *path = put_bytes(name, data, (size_t)(at - data));
    free(data);
    return path;
}

/* Above the header, between rows and behind them, with blanks and without: a comment holds no arcs and has no end but that of its line. */
static void long_comments(void **state)
{
    (void)state;
    static const size_t lengths[] = {(1 << 20) - 1, 1 << 20,       (1 << 20) + 1,
                                     (1 << 20) + 2, (1 << 18) * 5, (3 << 20) + 5};
    static const char *const fillers[] = {"x", "7 8 ", "2\t", "%"};
    static const struct {
        const char *name, *text, *begin, *shown;
    } texts[] = {
        {"metis", "% METIS\n3 2\n2\n@\n1 3\n2\n", "%", "3: 0>1 1>0 1>2 2>1"},
        {"metis", "% METIS\n@\n3 2\n2\n1 3\n2\n@", "%", "3: 0>1 1>0 1>2 2>1"},
        {"guessed", "@\n3 2\n2\n1 3\n2\n", "%", "3: 0>1 1>0 1>2 2>1"},
        {"list", "0 1\n@\n1 2\n", "#", "3: 0>1 1>2"},
        {"list", "@\n0 1\n1 2\n@", " %", "3: 0>1 1>2"},
        {"matrix", "%%MatrixMarket matrix coordinate pattern general\n@\n3 3 2\n1 2\n2 3\n", "%",
         "3: 0>1 1>2"},
        {"matrix", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n@\n2 3\n", "%",
         "3: 0>1 1>2"},
        {"dimacs", "@\np sp 3 2\na 1 2 4\na 2 3 5\n", "c ", "3: 0>1/4 1>2/5"},
        {"dimacs", "p sp 3 2\na 1 2 4\n@\na 2 3 5\n@", " c\t", "3: 0>1/4 1>2/5"},
    };
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            for (size_t f = 0; f < sizeof fillers / sizeof *fillers; f++) {
                weir_graph *graph = open_graph(
                    put_long(texts[t].name, texts[t].text, texts[t].begin, fillers[f], lengths[l]),
                    0);
                assert_string_equal(shown(graph), texts[t].shown);
                weir_graph_destroy(graph);
            }
        }
    }
    /* What is left of a comment behind its first part looks like an arc; threads begin to read there. */
    for (size_t length = (1 << 20) - 8; length < (1 << 20) + 16; length++) {
        weir_graph *graph = open_graph(put_long("list", "3 2\n@\n1 2\n", "#", "7 8 ", length), 0);
        assert_string_equal(shown(graph), "4: 1>2 3>2");
        weir_graph_destroy(graph);
    }
    /* Blanks in front of a comment, or of a row, that no block holds. */
    char *blanks = malloc((2 << 20) + 2);
    assert_non_null(blanks);
    memset(blanks, ' ', 2 << 20);
    static const char *const ends[] = {"%", "1"};
    for (size_t e = 0; e < 2; e++) {
        memcpy(blanks + (2 << 20), ends[e], 2);
        char *text = malloc((2 << 20) + 100);
        assert_non_null(text);
        const int length = sprintf(
            text, e ? "%% METIS\n3 2\n2\n%s 3\n2\n" : "%% METIS\n3 2\n2\n%s x\n1 3\n2\n", blanks);
        weir_graph *graph = open_graph(put_bytes("blanks", text, (size_t)length), 0);
        assert_string_equal(shown(graph), "3: 0>1 1>0 1>2 2>1");
        weir_graph_destroy(graph);
        free(text);
    }
    free(blanks);
    /* A zero is no text, in a comment neither, however far behind its beginning. */
    char *zero = calloc(1, 3 << 20);
    assert_non_null(zero);
    memset(zero, '%', 2 << 20);
    assert_file_refused(put_bytes("zero", zero, 3 << 20), WEIR_ERR_FORMAT, ":1:", "zero byte");
    free(zero);
}

/* ---- GAP ---------------------------------------------------------------------------------- */

/* A file in the making. */
struct bytes {
    uint8_t data[2000];
    size_t have;
};

static void add(struct bytes *b, uint64_t value, size_t bytes)
{
    memcpy(b->data + b->have, &value, bytes);
    b->have += bytes;
}

/* A list of numbers that ends with -1. */
static void add_all(struct bytes *b, const int *values, size_t bytes)
{
    for (; *values != -1; values++)
        add(b, (uint64_t)*values, bytes);
}

static void begin_gap(struct bytes *b, int directed, uint64_t arcs, uint64_t vertices)
{
    b->have = 0;
    add(b, (uint64_t)directed, 1);
    add(b, arcs, 8);
    add(b, vertices, 8);
}

static void rows_gap(struct bytes *b, const int *offsets, const int *arcs)
{
    add_all(b, offsets, 8);
    add_all(b, arcs, 4);
}

static void check_bytes(const struct bytes *b, const char *prefix, const char *format,
                        const char *directed, const char *undirected)
{
    const char *const paths[] = {
        put_bytes("b", b->data, b->have), put_gzip("b.gz", b->data, b->have),
        put_xz("b.xz", b->data, b->have), put_zstd("b.zst", b->data, b->have)};
    for (int i = 0; i < 8; i++) {
        char name[500];
        snprintf(name, sizeof name, "%s%s", prefix, paths[i % 4]);
        weir_graph *graph = open_graph(name, i / 4);
        assert_sound(graph);
        assert_string_equal(graph->format, format);
        assert_string_equal(shown(graph), i / 4 ? undirected : directed);
        weir_graph_destroy(graph);
    }
}

static void gap_read(void **state)
{
    (void)state;
    struct bytes b;
    begin_gap(&b, 0, 4, 3); /* a path, each edge in both rows */
    rows_gap(&b, (int[]){0, 1, 3, 4, -1}, (int[]){1, 0, 2, 1, -1});
    check_bytes(&b, "", "GAP", "3: 0>1 1>0 1>2 2>1", "3: 0>1 1>0 1>2 2>1");
    check_bytes(&b, "gap:", "GAP", "3: 0>1 1>0 1>2 2>1", "3: 0>1 1>0 1>2 2>1");
    begin_gap(&b, 1, 3, 3);
    rows_gap(&b, (int[]){0, 2, 2, 3, -1}, (int[]){1, 2, 0, -1});
    rows_gap(&b, (int[]){0, 1, 2, 3, -1}, (int[]){2, 0, 0, -1});
    check_bytes(&b, "", "GAP", "3: 0>1 0>2 2>0", "3: 0>1 0>2 1>0 2>0");
    begin_gap(&b, 0, 2, 2);
    rows_gap(&b, (int[]){0, 1, 2, -1}, (int[]){1, 9, 0, 9, -1});
    check_bytes(&b, "", "GAP", "2: 0>1/9 1>0/9", "2: 0>1/9 1>0/9");
    begin_gap(&b, 1, 2, 2); /* weights that differ: the smaller one stands for both directions */
    rows_gap(&b, (int[]){0, 1, 2, -1}, (int[]){1, 9, 0, 7, -1});
    rows_gap(&b, (int[]){0, 1, 2, -1}, (int[]){1, 7, 0, 9, -1});
    check_bytes(&b, "", "GAP", "2: 0>1/9 1>0/7", "2: 0>1/7 1>0/7");
    begin_gap(&b, 0, 2, 2); /* a weight below 0 */
    rows_gap(&b, (int[]){0, 1, 2, -1}, (int[]){1, -5, 0, -5, -1});
    check_bytes(&b, "", "GAP", "2: 0>1/-5 1>0/-5", "2: 0>1/-5 1>0/-5");
    begin_gap(&b, 0, 8, 2); /* rows as nobody sorted them: duplicates, loops */
    rows_gap(&b, (int[]){0, 4, 8, -1}, (int[]){1, 8, 0, 1, 1, 7, 1, 9, 1, 3, 0, 7, 0, 9, 0, 8, -1});
    check_bytes(&b, "", "GAP", "2: 0>1/7 1>0/7", "2: 0>1/7 1>0/7");
    begin_gap(&b, 0, 0, 3);
    rows_gap(&b, (int[]){0, 0, 0, 0, -1}, (int[]){-1});
    check_bytes(&b, "", "GAP", "3:", "3:");
    begin_gap(&b, 0, 0, 0);
    rows_gap(&b, (int[]){0, -1}, (int[]){-1});
    check_bytes(&b, "", "GAP", "0:", "0:");
    begin_gap(&b, 1, 0, 3); /* begins like a Galois file */
    rows_gap(&b, (int[]){0, 0, 0, 0, 0, 0, 0, 0, -1}, (int[]){-1});
    check_bytes(&b, "", "GAP", "3:", "3:");
}

/* Change the lowest bit of a byte. */
static void flip(const char *path, off_t at)
{
    unsigned char byte;
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

/* Arcs in are summed up piece by piece and not kept: of several pieces, the last one too. */
static void gap_of_many_arcs(void **state)
{
    static const char *const names[] = {"many.sg", "many.wsg"};
    (void)state;
    weir_graph *graph = open_graph("uniform:17,20", 0), *back;
    struct stat facts;
    assert_true(graph->arcs * sizeof *graph->targets > 9 << 20); /* a piece has 8 MiB */
    for (int i = 0; i < 2; i++) {
        const char *path = in_folder(names[i]);
        assert_int_equal(weir_graph_write(graph, path), WEIR_OK);
        back = open_graph(path, 0);
        assert_int_equal(back->arcs, graph->arcs);
        assert_memory_equal(back->targets, graph->targets, graph->arcs * sizeof *graph->targets);
        weir_graph_destroy(back);
        assert_int_equal(stat(path, &facts), 0);
        flip(path, facts.st_size - (i ? 8 : 4));
        assert_file_refused(path, WEIR_ERR_FORMAT, ": ", "are not its arcs out turned round");
    }
    weir_graph_destroy(graph);
}

/* Refused, and so with every packing. */
static void refuse_bytes(const struct bytes *b, const char *prefix, const char *why)
{
    char name[500];
    weir_graph *graph;
    const char *path = put_bytes("b", b->data, b->have);
    snprintf(name, sizeof name, "%s%s", prefix, path);
    weir_status status = weir_graph_open(name, NULL, &graph);
    if (status != WEIR_ERR_FORMAT || graph || !strstr(weir_error_detail(), why) ||
        strncmp(weir_error_detail(), path, strlen(path)) != 0)
        fail_msg("wanted %s; status %d: %s", why, status, weir_error_detail());
    snprintf(name, sizeof name, "%s%s", prefix, put_xz("b.xz", b->data, b->have));
    status = weir_graph_open(name, NULL, &graph);
    if (status != WEIR_ERR_FORMAT || graph || !strstr(weir_error_detail(), why))
        fail_msg("packed, wanted %s; status %d: %s", why, status, weir_error_detail());
}

static void gap_refused(void **state)
{
    (void)state;
    struct bytes b;
    begin_gap(&b, 0, 4, 3);
    refuse_bytes(&b, "", "takes 65 bytes (.sg) or 81 (.wsg), but the file has 17");
    rows_gap(&b, (int[]){0, 1, 3, 4, -1}, (int[]){1, 0, 2, 1, -1});
    for (size_t cut = b.have - 1; cut > 17; cut--) {
        struct bytes shorter = b;
        shorter.have = cut;
        refuse_bytes(&shorter, "", "begins like a GAP graph, of 3 vertices and 4 arcs");
    }
    for (size_t cut = 16; cut > 0; cut--) {
        struct bytes shorter = b;
        shorter.have = cut;
        refuse_bytes(&shorter, "", "cut short");
    }
    add(&b, 0, 1);
    refuse_bytes(&b, "", "but the file has 66");
    b.have += 20;
    refuse_bytes(&b, "", "but the file has more than 81");
    begin_gap(&b, 0, UINT64_C(1) << 62, 3);
    refuse_bytes(&b, "", "over the limits");
    begin_gap(&b, 0, UINT64_C(1) << 57, 3);
    refuse_bytes(&b, "", "begins like a GAP graph");
    begin_gap(&b, 0, 3, UINT64_C(1) << 32);
    refuse_bytes(&b, "", "over the limits");
    begin_gap(&b, 0, UINT64_MAX, UINT64_MAX);
    refuse_bytes(&b, "", "over the limits");
    begin_gap(&b, 0, 4, 3);
    rows_gap(&b, (int[]){0, 1, 3, 4, -1}, (int[]){1, 0, 3, 1, -1});
    refuse_bytes(&b, "", "arc 2 leads to vertex 3 of 3");
    begin_gap(&b, 0, 4, 3);
    rows_gap(&b, (int[]){0, 3, 1, 4, -1}, (int[]){1, 0, 2, 1, -1});
    refuse_bytes(&b, "", "the row of vertex 1 ends at 1, before it begins");
    begin_gap(&b, 0, 4, 3);
    rows_gap(&b, (int[]){0, 1, 5, 4, -1}, (int[]){1, 0, 2, 1, -1});
    refuse_bytes(&b, "", "the row of vertex 1 ends at 5");
    begin_gap(&b, 0, 4, 3);
    rows_gap(&b, (int[]){1, 1, 3, 4, -1}, (int[]){1, 0, 2, 1, -1});
    refuse_bytes(&b, "", "the first row begins at arc 1");
    begin_gap(&b, 0, 4, 3);
    rows_gap(&b, (int[]){0, 1, 3, 3, -1}, (int[]){1, 0, 2, 1, -1});
    refuse_bytes(&b, "", "promises 4 arcs but the rows hold 3");
    begin_gap(&b, 1, 3, 3); /* the arcs in are of another graph */
    rows_gap(&b, (int[]){0, 2, 2, 3, -1}, (int[]){1, 2, 0, -1});
    rows_gap(&b, (int[]){0, 1, 2, 3, -1}, (int[]){2, 0, 1, -1});
    refuse_bytes(&b, "", "not its arcs out turned round");
    begin_gap(&b, 1, 2, 2); /* ... have other weights */
    rows_gap(&b, (int[]){0, 1, 2, -1}, (int[]){1, 9, 0, 7, -1});
    rows_gap(&b, (int[]){0, 1, 2, -1}, (int[]){1, 9, 0, 7, -1});
    refuse_bytes(&b, "", "not its arcs out turned round");
    begin_gap(&b, 0, 3, 3); /* undirected, but an edge is in one row alone */
    rows_gap(&b, (int[]){0, 1, 3, 3, -1}, (int[]){1, 0, 2, -1});
    refuse_bytes(&b, "", "says that it is undirected, but an arc has no reverse");
    begin_gap(&b, 0, 4, 3); /* ... in one row twice */
    rows_gap(&b, (int[]){0, 1, 4, 4, -1}, (int[]){1, 0, 2, 2, -1});
    refuse_bytes(&b, "", "says that it is undirected, but an arc has no reverse");
    begin_gap(&b, 0, 2, 2); /* ... with two weights */
    rows_gap(&b, (int[]){0, 1, 2, -1}, (int[]){1, 9, 0, 7, -1});
    refuse_bytes(&b, "", "an arc has no reverse of equal weight");
    begin_gap(&b, 1, 3, 3); /* an arc to nowhere is said to be that */
    rows_gap(&b, (int[]){0, 2, 2, 3, -1}, (int[]){1, 3, 0, -1});
    rows_gap(&b, (int[]){0, 1, 2, 3, -1}, (int[]){2, 0, 0, -1});
    refuse_bytes(&b, "", "arc 1 leads to vertex 3 of 3");
    b = (struct bytes){{2}, 100};
    refuse_bytes(&b, "gap:", "begins with a byte of 0 or 1");
}

/* ---- Galois, version 2 -------------------------------------------------------------------- */

static void begin_galois(struct bytes *b, int version, int edge_bytes, int vertices, int arcs)
{
    b->have = 0;
    add(b, (uint64_t)version, 8);
    add(b, (uint64_t)edge_bytes, 8);
    add(b, (uint64_t)vertices, 8);
    add(b, (uint64_t)arcs, 8);
}

static void galois_wide(void **state)
{
    (void)state;
    struct bytes b;
    begin_galois(&b, 2, 0, 3, 3);
    add_all(&b, (int[]){2, 2, 3, 2, 1, 0, -1}, 8);
    check_bytes(&b, "", "Galois", "3: 0>1 0>2 2>0", "3: 0>1 0>2 1>0 2>0");
    add(&b, 77, 8); /* padding */
    check_bytes(&b, "", "Galois", "3: 0>1 0>2 2>0", "3: 0>1 0>2 1>0 2>0");
    add(&b, 0, 1);
    refuse_bytes(&b, "", "left over");
    b.have -= 2;
    refuse_bytes(&b, "", "cut short");
    begin_galois(&b, 2, 4, 3, 3);
    add_all(&b, (int[]){2, 2, 3, 2, 1, 0, -1}, 8);
    const size_t targets_end = b.have;
    add_all(&b, (int[]){9, 8, 7, -1}, 4);
    check_bytes(&b, "", "Galois", "3: 0>1/8 0>2/9 2>0/7", "3: 0>1/8 0>2/7 1>0/8 2>0/7");
    b.have = targets_end;
    add(&b, 77, 8);
    add_all(&b, (int[]){9, 8, 7, -1}, 4);
    check_bytes(&b, "galois:", "Galois", "3: 0>1/8 0>2/9 2>0/7", "3: 0>1/8 0>2/7 1>0/8 2>0/7");
    b.have = targets_end + 8;
    refuse_bytes(&b, "", "cut short");
    begin_galois(&b, 2, 4, 2, 2);
    add_all(&b, (int[]){1, 2, 1, 0, -1}, 8);
    add_all(&b, (int[]){5, 6, -1}, 4);
    check_bytes(&b, "", "Galois", "2: 0>1/5 1>0/6", "2: 0>1/5 1>0/5");
    begin_galois(&b, 2, 0, 2, 1);
    add_all(&b, (int[]){1, 1, -1}, 8);
    add(&b, UINT64_C(1) << 32 | 1, 8); /* 1, if it were cut */
    refuse_bytes(&b, "", "arc 0 leads to vertex 4294967297 of 2");
    begin_galois(&b, 3, 0, 2, 1);
    add_all(&b, (int[]){1, 1, 1, -1}, 8);
    refuse_bytes(&b, "galois:", "Galois version 3; versions 1 and 2 are read");
}

/* What a header promises is held against the memory there is before a packed file is unpacked, however much it unpacks
 * to; where the size is known, against that. */
static void refuse_bomb(const struct bytes *b, const char *why)
{
    enum { BYTES = 8 << 20 };
    char *data = calloc(1, BYTES);
    weir_graph *graph;
    assert_non_null(data);
    memcpy(data, b->data, b->have);
    assert_file_refused(put_bytes("b", data, BYTES), WEIR_ERR_FORMAT, ": ", why);
    const char *const paths[] = {put_gzip("b.gz", data, BYTES), put_xz("b.xz", data, BYTES),
                                 put_zstd("b.zst", data, BYTES)};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(weir_graph_open(paths[i], NULL, &graph), WEIR_ERR_NOMEM);
        if (strncmp(weir_error_detail(), paths[i], strlen(paths[i])) != 0 ||
            !strstr(weir_error_detail(), "a graph of 3 vertices and 144115188075855872 arcs: "))
            fail_msg("%s", weir_error_detail());
    }
    free(data);
}

static void bombs(void **state)
{
    (void)state;
    struct bytes b;
    begin_gap(&b, 0, UINT64_C(1) << 57, 3);
    refuse_bomb(&b, "begins like a GAP graph");
    for (int version = 1; version <= 2; version++) {
        begin_galois(&b, version, 4, 3, 0);
        b.have -= 8;
        add(&b, UINT64_C(1) << 57, 8);
        refuse_bomb(&b, "promises 3 vertices and 144115188075855872 arcs");
    }
}

/* ---- Graph500 ----------------------------------------------------------------------------- */

static void graph500(void **state)
{
    (void)state;
    struct bytes b = {.have = 0};
    add_all(&b, (int[]){0, 1, 0, 4, 2, 0, 3, 3, 0, 1, 0, 0, -1}, 4);
    check_bytes(&b, "graph500:", "Graph500", "8: 0>1 1>0 2>4 4>2", "8: 0>1 1>0 2>4 4>2");
    b.have = 0;
    add_all(&b, (int[]){3, 0, 0, -1}, 4);
    check_bytes(&b, "graph500:", "Graph500", "4: 0>3 3>0", "4: 0>3 3>0");
    b.have = 0;
    add_all(&b, (int[]){0, 0, 0, -1}, 4); /* a loop at the only vertex */
    check_bytes(&b, "graph500:", "Graph500", "1:", "1:");
    b.have = 0; /* begins as a text may: a mark that is none here */
    add_all(&b, (int[]){0xBFBBEF, 0, 0, -1}, 4);
    const char *path = put_bytes("b", b.data, b.have);
    char name[500];
    snprintf(name, sizeof name, "graph500:%s", path);
    weir_graph *graph = open_graph(name, 0);
    assert_int_equal(graph->vertices, 1 << 24);
    assert_int_equal(graph->targets[0], 0xBFBBEF);
    weir_graph_destroy(graph);
    b.have = 0;
    add_all(&b, (int[]){0, 1, 0, 4, 2, 1, -1}, 4);
    refuse_bytes(&b, "graph500:", "edge 1: the vertex id 4294967300 is not within 0 .. 2147483647");
    b.have = 12;
    add_all(&b, (int[]){4, 2, 1 << 16, -1}, 4);
    refuse_bytes(&b, "graph500:", "edge 1: the vertex id 4294967298 is not within");
    b.have = 23;
    refuse_bytes(&b, "graph500:", "1 edges of 12 bytes, and 11 bytes more");
    b.have = 0;
    refuse_bytes(&b, "graph500:", "empty");
}

/* ---- all formats -------------------------------------------------------------------------- */

static const char *const suffixes[] = {".mtx", ".gr", ".dimacs", ".el", ".graph", ".sg", ".wsg"};
enum { MTX, GR, DIMACS, EL, GRAPH, SG, WSG, SUFFIXES };

/* Whether a format can hold a graph, and gives it back as it was. */
static int holds(int suffix, const weir_graph *graph, int symmetric, int zero)
{
    const int plain = graph->weight_kind == WEIR_WEIGHT_NONE,
              real = graph->weight_kind == WEIR_WEIGHT_F64;
    switch (suffix) {
    case GR:
        return !real;
    case DIMACS:
        return !real;
    case EL:
        return graph->vertices > 0;
    case GRAPH:
        return !real && symmetric && !zero;
    case SG:
        return plain;
    case WSG:
        return !real && graph->arcs > 0;
    default:
        return 1;
    }
}

/* Whether arcs there and back weigh the same, in a graph that is symmetric. */
static int weighs_same(const weir_graph *graph)
{
    for (uint64_t v = 0; graph->weights_u32 && v < graph->vertices; v++) {
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            uint64_t back = graph->offsets[graph->targets[i]];
            while (graph->targets[back] != v)
                back++;
            if (graph->weights_u32[i] != graph->weights_u32[back])
                return 0;
        }
    }
    return 1;
}

static void round_trip(const weir_graph *graph, const char *packing)
{
    weir_graph_summary facts = WEIR_GRAPH_SUMMARY_INIT;
    int zero = 0, symmetric;
    assert_int_equal(weir_graph_summarize(graph, &facts), WEIR_OK);
    for (uint64_t i = 0; graph->weights_u32 && i < graph->arcs; i++)
        zero |= graph->weights_u32[i] == 0;
    symmetric = facts.symmetric && weighs_same(graph);
    for (int i = 0; i < SUFFIXES; i++) {
        char name[60];
        snprintf(name, sizeof name, "trip%s%s", suffixes[i], packing);
        const char *path = in_folder(name);
        weir_status status = weir_graph_write(graph, path);
        if (!holds(i, graph, symmetric, zero)) {
            assert_int_equal(status, WEIR_ERR_INVALID);
            assert_non_null(strstr(weir_error_detail(), path));
            continue;
        }
        if (status)
            fail_msg("%s: %s", name, weir_error_detail());
        weir_graph *back = open_graph(path, 0);
        if ((i == DIMACS || i == WSG) && graph->weight_kind == WEIR_WEIGHT_NONE) {
            assert_int_equal(back->weight_kind, WEIR_WEIGHT_U32);
            for (uint64_t j = 0; j < back->arcs; j++)
                assert_int_equal(back->weights_u32[j], 1);
            assert_memory_equal(back->offsets, graph->offsets, (graph->vertices + 1) * 8);
            assert_memory_equal(back->targets, graph->targets, graph->arcs * 4);
        } else {
            assert_same(graph, back);
        }
        weir_graph_destroy(back);
        remove(path);
    }
}

static void round_trips(void **state)
{
    (void)state;
    static const char *const packings[] = {"", ".gz", ".xz", ".zst"},
                             *const texts[] = {"rmat:9",        "grid:20x30,0.6", "star:300",
                                               "complete:40",   "chain:1",        "tree:1000,3",
                                               "smallworld:200"};
    for (size_t i = 0; i < 4 * sizeof texts / sizeof *texts; i++) {
        weir_graph *graph = open_graph(texts[i / 4], i % 3 == 0);
        weir_weights weights;
        round_trip(graph, packings[i % 4]);
        assert_int_equal(weir_weights_parse("random:1-9", &weights), WEIR_OK);
        assert_int_equal(weir_graph_weigh(graph, &weights), WEIR_OK);
        round_trip(graph, packings[i % 4]);
        weir_graph_destroy(graph);
    }
    static const char *const lists[] = {
        "0 1 0\n1 0 0\n",          /* weights of 0, symmetric */
        "0 1 7\n1 0 8\n",          /* symmetric but for the weights */
        "0 1 4294967295\n",        /* over what GAP holds: see below */
        "0 1 .5\n1 0 .5\n9 9 1\n", /* real, isolated vertices */
        "0 1\n1 0\n9 9\n",         "5 5\n",
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        weir_graph *graph = open_graph(put_text("list", lists[i]), 0);
        if (i == 2) {
            assert_int_equal(weir_graph_write(graph, in_folder("x.wsg")), WEIR_ERR_INVALID);
            assert_non_null(strstr(weir_error_detail(), "weights up to 2147483647"));
        } else {
            round_trip(graph, packings[i % 4]);
        }
        weir_graph_destroy(graph);
    }
    weir_graph *empty;
    assert_int_equal(weir_graph_from_arcs(0, 0, NULL, NULL, NULL, NULL, &empty), WEIR_OK);
    round_trip(empty, "");
    weir_graph_destroy(empty);
}

/* Over all buffers, and over the length of a line where METIS has a hub. */
static void large(void **state)
{
    (void)state;
    weir_graph *graph = open_graph("star:300000", 0);
    round_trip(graph, "");
    weir_graph_destroy(graph);
    graph = open_graph("rmat:15", 0);
    round_trip(graph, "");
    round_trip(graph, ".zst");
    weir_graph_destroy(graph);
}

/* Arrays so long that all cores read them; and such a file that ends within one. */
static void arrays_read_by_all_cores(void **state)
{
    (void)state;
    char path[200];
    weir_graph *graph, *again;
    struct stat facts;
    snprintf(path, sizeof path, "%s", in_folder("long.gr"));
    assert_int_equal(weir_graph_open("grid:2200x2200", NULL, &graph), WEIR_OK);
    assert_int_equal(weir_graph_write(graph, path), WEIR_OK);
    assert_int_equal(weir_graph_open(path, NULL, &again), WEIR_OK);
    assert_same(graph, again);
    weir_graph_destroy(again);
    weir_graph_destroy(graph);
    assert_int_equal(stat(path, &facts), 0);
    assert_true(facts.st_size > 100 << 20);
    assert_int_equal(truncate(path, facts.st_size - 4), 0);
    assert_int_equal(weir_graph_open(path, NULL, &again), WEIR_ERR_FORMAT);
    assert_int_equal(remove(path), 0);
}

/* Why METIS text cannot hold a graph is said. */
static void metis_cannot(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } lists[] = {{"0 1\n", "every arc has its reverse"},
                 {"0 1 7\n1 0 8\n", "every arc has its reverse, of equal weight"},
                 {"0 1 0\n1 0 0\n", "weights from 1"},
                 {"0 1 .5\n1 0 .5\n", "whole weights of 32 bits"}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        weir_graph *graph = open_graph(put_text("list", lists[i].text), 0);
        assert_int_equal(weir_graph_write(graph, in_folder("x.graph")), WEIR_ERR_INVALID);
        assert_non_null(strstr(weir_error_detail(), lists[i].why));
        assert_int_not_equal(access(in_folder("x.graph"), F_OK), 0);
        weir_graph_destroy(graph);
    }
}

/* ---- no memory ---------------------------------------------------------------------------- */

/* Each allocation fails once: the one sentence names the file, and with a sanitizer nothing is left. */
static void no_memory(const char *name)
{
    const char *colon = strchr(name, ':'), *path = colon ? colon + 1 : name;
    for (uint64_t nth = 1;; nth++) {
        weir_graph *graph = NULL;
        weir__fault_arm(WEIR__FAULT_ALLOC, nth);
        weir_status status = weir_graph_open(name, NULL, &graph);
        const int struck = weir__fault_struck(WEIR__FAULT_ALLOC);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        if (!struck) {
            assert_true(nth > 2);
            weir_graph_destroy(graph);
            return;
        }
        if (status != WEIR_ERR_NOMEM || graph || strncmp(weir_error_detail(), path, strlen(path)))
            fail_msg("%s, allocation %d: status %d: %s", name, (int)nth, status,
                     weir_error_detail());
    }
}

static void allocations(void **state)
{
    (void)state;
    struct bytes b;
    char name[500];
    begin_gap(&b, 1, 2, 2);
    rows_gap(&b, (int[]){0, 1, 2, -1}, (int[]){1, 9, 0, 7, -1});
    rows_gap(&b, (int[]){0, 1, 2, -1}, (int[]){1, 7, 0, 9, -1});
    no_memory(put_bytes("b", b.data, b.have));
    no_memory(put_xz("b.xz", b.data, b.have));
    begin_gap(&b, 0, 8, 2);
    rows_gap(&b, (int[]){0, 4, 8, -1}, (int[]){1, 8, 0, 1, 1, 7, 1, 9, 1, 3, 0, 7, 0, 9, 0, 8, -1});
    no_memory(put_bytes("b", b.data, b.have));
    begin_galois(&b, 2, 0, 3, 3);
    add_all(&b, (int[]){2, 2, 3, 2, 1, 0, -1}, 8);
    no_memory(put_gzip("b.gz", b.data, b.have));
    b.have = 0;
    add_all(&b, (int[]){0, 1, 0, 4, 2, 0, 3, 3, 0, 1, 0, 0, -1}, 4);
    snprintf(name, sizeof name, "graph500:%s", put_bytes("b", b.data, b.have));
    no_memory(name);
    char text[1000], *at = text + sprintf(text, "%% METIS\n40 39\n");
    for (int v = 40; v > 1; v--) /* a row that is sorted aside */
        at += sprintf(at, "%d ", v);
    for (int v = 40; v > 1; v--)
        at += sprintf(at, "\n1");
    no_memory(put_text("m", text));
    no_memory(put_text("m", "4 4\n2 4\n1 3\n2 4\n1 3\n")); /* read twice */
    weir_graph *graph = open_graph("rmat:6", 0);
    for (uint64_t nth = 1, struck = 1; struck; nth++) {
        weir__fault_arm(WEIR__FAULT_ALLOC, nth);
        weir_status status = weir_graph_write(graph, in_folder("w.sg"));
        struck = (uint64_t)weir__fault_struck(WEIR__FAULT_ALLOC);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        assert_int_equal(status, struck ? WEIR_ERR_NOMEM : WEIR_OK);
        assert_int_equal(access(in_folder("w.sg"), F_OK), struck ? -1 : 0);
    }
    weir_graph_destroy(graph);
}

/* ---- rows that ascend ---------------------------------------------------------------------------------- */

static void tidy_rows_are_told_from_others(void **state)
{
    enum { N = 40, MOST = 400 };
    uint64_t drawn = 0;
    uint32_t tidy_ones = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        uint64_t offsets[N + 1] = {0}, stray = UINT64_MAX, want_stray = UINT64_MAX;
        uint32_t targets[MOST] = {0};
        int tidy = 0, want = 1;
        for (uint32_t v = 0; v < N; v++) {
            uint64_t at = offsets[v];
            for (uint32_t t = 0; t < N && at < MOST; t++)
                if (t != v && weir__random(seed, drawn++) % 10 < seed % 7)
                    targets[at++] = t;
            offsets[v + 1] = at;
        }
        const uint64_t arcs = offsets[N];
        if (arcs && seed % 3) { /* one arc leads anywhere, also to no vertex */
            const uint64_t arc = weir__random(seed, drawn++) % arcs;
            targets[arc] = (uint32_t)(weir__random(seed, drawn++) % (N + 2));
            targets[arc] *= seed % 11 ? 1 : 107374182; /* also above 2^31 */
        }
        for (uint32_t v = 0; v < N; v++)
            for (uint64_t i = offsets[v]; i < offsets[v + 1]; i++) {
                want &= targets[i] != v && (i == offsets[v] || targets[i - 1] < targets[i]);
                want_stray = targets[i] >= N && i < want_stray ? i : want_stray;
            }
        const weir__rows rows = {
            .vertices = N, .arcs = arcs, .offsets = offsets, .targets = targets};
        assert_int_equal(weir__rows_tidy(&rows, 1 + seed % 2, &tidy, &stray), WEIR_OK);
        assert_int_equal(stray, want_stray);
        assert_int_equal(tidy, want);
        tidy_ones += (uint32_t)tidy;
    }
    assert_in_range(tidy_ones, 500, 3500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metis_read),
        cmocka_unit_test(metis_refused),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(long_comments),
        cmocka_unit_test(gap_read),
        cmocka_unit_test(gap_refused),
        cmocka_unit_test(gap_of_many_arcs),
        cmocka_unit_test(galois_wide),
        cmocka_unit_test(bombs),
        cmocka_unit_test(graph500),
        cmocka_unit_test(round_trips),
        cmocka_unit_test(large),
        cmocka_unit_test(arrays_read_by_all_cores),
        cmocka_unit_test(metis_cannot),
        cmocka_unit_test(allocations),
        cmocka_unit_test(tidy_rows_are_told_from_others),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
