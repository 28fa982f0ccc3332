/** @file test_graph_load.c  Good inputs of every format and packing, the rules, and the way back.
 */
#include "algorithms/graph/unpack.h"
#include "tests/algorithms/graph_fixture.h"

#include <fcntl.h>
#include <sys/mman.h>

struct good {
    const char *format, *text, *directed, *undirected;
};

#define MM "%%MatrixMarket matrix coordinate "

static const struct good goods[] = {
    {"edge list", "0 1\n0 2\n2 3\n", "4: 0>1 0>2 2>3", "4: 0>1 0>2 1>0 2>0 2>3 3>2"},
    {"edge list", "# SNAP\n% KONECT\n\n0\t1\n", "2: 0>1", "2: 0>1 1>0"},
    /* SNAP's promise, where it is one; loops may be counted or not */
    {"edge list", "# Nodes: 3 Edges: 1\n0 1\n2 2\n", "3: 0>1", "3: 0>1 1>0"},
    {"edge list", "# Nodes: 3 Edges: 2 in all\n0 1\n2 2\n", "3: 0>1", "3: 0>1 1>0"},
    {"edge list", "# Nodes: 3 Edges: 5,105\n0 1\n", "2: 0>1", "2: 0>1 1>0"},
    {"edge list", "# Nodes: 3 Edges: many\n0 1\n", "2: 0>1", "2: 0>1 1>0"},
    {"edge list", "0,1,5\r\n1 , 0 , 7\r\n", "2: 0>1/5 1>0/7", "2: 0>1/5 1>0/5"},
    {"edge list", "3 1", "4: 3>1", "4: 1>3 3>1"},
    {"edge list", "\xEF\xBB\xBF# c\r\n\r\n%c\r\n0\t1 2\r\n # c\r\n1  2\t.5\r\n", "3: 0>1/2 1>2/0.5",
     "3: 0>1/2 1>0/2 1>2/0.5 2>1/0.5"},
    /* loops are dropped but count for n; duplicates keep the smallest weight */
    {"edge list", "0 0\n1 1\n0 1\n0 1\n9 9\n", "10: 0>1", "10: 0>1 1>0"},
    {"edge list", "0 1 9\n0 1 3\n0 1 5\n", "2: 0>1/3", "2: 0>1/3 1>0/3"},
    {"edge list", "0 1 2.5\n1 0 -1e1\n", "2: 0>1/2.5 1>0/-10", "2: 0>1/-10 1>0/-10"},
    {"edge list", "0 1 4294967295\n", "2: 0>1/4294967295", "2: 0>1/4294967295 1>0/4294967295"},
    {"edge list", "0 1 4294967296\n", "2: 0>1/4.29497e+09", "2: 0>1/4.29497e+09 1>0/4.29497e+09"},
    {"edge list", "0 1 3.0\n2 2 .5\n", "3: 0>1/3", "3: 0>1/3 1>0/3"}, /* a loop's weight is gone */
    /* what an editor put before the text */
    {"edge list",
     "\xEF\xBB\xBF"
     "0 1\n0 2\n",
     "3: 0>1 0>2", "3: 0>1 0>2 1>0 2>0"},
    {"MatrixMarket", "\xEF\xBB\xBF" MM "pattern symmetric\n3 3 1\n2 1\n", "3: 0>1 1>0",
     "3: 0>1 1>0"},
    {"DIMACS",
     "\xEF\xBB\xBF"
     "p sp 2 1\na 1 2 3\n",
     "2: 0>1/3", "2: 0>1/3 1>0/3"},
    {"MatrixMarket", MM "pattern general\n% c\n3 3 2\n1 2\n3 1\n", "3: 0>1 2>0",
     "3: 0>1 0>2 1>0 2>0"},
    {"MatrixMarket", MM "pattern symmetric\n3 3 2\n2 1\n3 3\n", "3: 0>1 1>0", "3: 0>1 1>0"},
    {"MatrixMarket", MM "integer general\n\n2 2 1\n1 2 8\n", "2: 0>1/8", "2: 0>1/8 1>0/8"},
    {"MatrixMarket", "%%matrixmarket MATRIX Coordinate REAL Symmetric\n2 2 1\n2 1 -0.5\n",
     "2: 0>1/-0.5 1>0/-0.5", "2: 0>1/-0.5 1>0/-0.5"},
    {"MatrixMarket", MM "integer symmetric\r\n% c\r\n3 3 2\r\n2 1 -7\r\n3 3 1\r\n",
     "3: 0>1/-7 1>0/-7", "3: 0>1/-7 1>0/-7"},
    {"MatrixMarket", MM "real general\n2 2 2\n1 2 .5\n2 1 2e0\n", "2: 0>1/0.5 1>0/2",
     "2: 0>1/0.5 1>0/0.5"},
    {"MatrixMarket", MM "pattern general\n0 0 0\n", "0:", "0:"},
    {"DIMACS", "c x\np sp 3 2\na 1 2 7\nc\na 3 1 4\n", "3: 0>1/7 2>0/4",
     "3: 0>1/7 0>2/4 1>0/7 2>0/4"},
    {"DIMACS", "c\tx\nc\r\np sp 2 1\r\n c\n\n a 1 2 0.5\r\n", "2: 0>1/0.5", "2: 0>1/0.5 1>0/0.5"},
    {"DIMACS", "p sp 2 0\n", "2:", "2:"},
};

static void check(const struct good *good, const char *path)
{
    for (int undirected = 0; undirected <= 1; undirected++) {
        weir_graph *graph = open_graph(path, undirected);
        assert_sound(graph);
        assert_string_equal(graph->format, good->format);
        assert_string_equal(graph->name, strrchr(path, '/') + 1);
        assert_string_equal(shown(graph), undirected ? good->undirected : good->directed);
        weir_graph_destroy(graph);
    }
}

static void formats_and_packings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goods / sizeof goods[0]; i++) {
        const char *text = goods[i].text;
        check(&goods[i], put_text("plain", text));
        check(&goods[i], put_gzip("packed.gz", text, strlen(text)));
        check(&goods[i], put_xz("packed.xz", text, strlen(text)));
        check(&goods[i], put_zstd("packed.zst", text, strlen(text)));
    }
}

static void galois(void **state)
{
    (void)state;
    const uint64_t head[] = {1, 4, 3, 3, 2, 2, 3}; /* rows of 2, 0 and 1 arcs */
    const uint32_t tail[] = {2, 1, 0, 77, 9, 8, 7};
    uint8_t file[sizeof head + sizeof tail];
    memcpy(file, head, sizeof head);
    memcpy(file + sizeof head, tail, sizeof tail);
    struct good good = {"Galois", NULL, "3: 0>1/8 0>2/9 2>0/7", "3: 0>1/8 0>2/7 1>0/8 2>0/7"};
    check(&good, put_bytes("g", file, sizeof file));
    check(&good, put_xz("g.xz", file, sizeof file));
    const uint64_t none = 0;
    memcpy(file + 8, &none, sizeof none);
    good.directed = "3: 0>1 0>2 2>0";
    good.undirected = "3: 0>1 0>2 1>0 2>0";
    check(&good, put_bytes("g", file, sizeof head + 16));
    check(&good, put_gzip("g.gz", file, sizeof head + 12)); /* padding left out */
}

/* Both parts of a file one behind the other. @return bytes of each. */
static void glue(const char *(*put)(const char *name, const void *data, size_t bytes), char *bytes,
                 size_t room, size_t *first_out, size_t *second_out)
{
    FILE *f = fopen(put("a", "0 1\n1 ", 6), "rb");
    *first_out = fread(bytes, 1, room, f);
    fclose(f);
    f = fopen(put("b", "2\n", 2), "rb");
    *second_out = fread(bytes + *first_out, 1, room - *first_out, f);
    fclose(f);
}

static void glued_zstd(void **state)
{
    (void)state;
    char bytes[2000];
    size_t first, second;
    glue(put_zstd, bytes, sizeof bytes, &first, &second);
    weir_graph *graph = open_graph(put_bytes("ab.zst", bytes, first + second), 0);
    assert_string_equal(shown(graph), "3: 0>1 1>2");
    weir_graph_destroy(graph);
    memmove(bytes + 12, bytes, first + second);
    memcpy(bytes, "\x50\x2A\x4D\x18\x04\0\0\0abcd", 12); /* no data, as pzstd begins */
    graph = open_graph(put_bytes("sab.zst", bytes, 12 + first + second), 0);
    assert_string_equal(shown(graph), "3: 0>1 1>2");
    weir_graph_destroy(graph);
}

/* More than a buffer holds, packed and unpacked. */
static void large_zstd(void **state)
{
    (void)state;
    weir_graph *made = open_graph("rmat:15", 0);
    const char *path = in_folder("r15.el.zst");
    assert_int_equal(weir_graph_write(made, path), WEIR_OK);
    weir_graph *graph = open_graph(path, 0);
    assert_int_equal(graph->arcs, made->arcs);
    assert_memory_equal(graph->targets, made->targets, made->arcs * sizeof *made->targets);
    weir_graph_destroy(graph);
    weir_graph_destroy(made);
}

static void glued_gzip(void **state)
{
    (void)state;
    char bytes[2000];
    size_t first, second;
    glue(put_gzip, bytes, sizeof bytes, &first, &second);
    weir_graph *graph = open_graph(put_bytes("ab.gz", bytes, first + second), 0);
    assert_string_equal(shown(graph), "3: 0>1 1>2");
    weir_graph_destroy(graph);
    memset(bytes + first + second, 0, 100); /* what tapes put behind */
    graph = open_graph(put_bytes("ab0.gz", bytes, first + second + 100), 0);
    assert_string_equal(shown(graph), "3: 0>1 1>2");
    weir_graph_destroy(graph);
}

/* Rows long enough for the radix sort, lines beyond one buffer, every weight kind. */
static void long_rows(void **state)
{
    (void)state;
    enum { N = 70000, M = 400000 };
    static const double scale[] = {0, 1, .5};
    uint32_t *sources = malloc(M * sizeof *sources), *targets = malloc(M * sizeof *targets);
    double *weights = malloc(M * sizeof *weights);
    uint64_t x = 1;
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < M; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            sources[i] = i % 2 ? 5 : (uint32_t)(x >> 40) % N;
            targets[i] = (uint32_t)(x >> 33) % N;
            weights[i] = (double)(x >> 50) * scale[kind];
        }
        weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
        weir_graph *one, *many, *back;
        options.threads = 1;
        assert_int_equal(
            weir_graph_from_arcs(N, M, sources, targets, kind ? weights : NULL, &options, &one),
            WEIR_OK);
        options.threads = 5;
        assert_int_equal(
            weir_graph_from_arcs(N, M, sources, targets, kind ? weights : NULL, &options, &many),
            WEIR_OK);
        assert_sound(one);
        assert_int_equal(one->weight_kind, kind);
        assert_same(one, many);
        /* each arc given is there, with a weight no larger than given */
        for (int i = 0; i < M; i++) {
            uint64_t at = one->offsets[sources[i]], end = one->offsets[sources[i] + 1];
            if (sources[i] == targets[i] || i % 2)
                continue;
            while (at < end && one->targets[at] < targets[i])
                at++;
            assert_true(at < end && one->targets[at] == targets[i]);
            if (kind)
                assert_true((kind == 1 ? one->weights_u32[at] : one->weights_f64[at]) <=
                            weights[i]);
        }
        const char *path = in_folder("long.mtx");
        assert_int_equal(weir_graph_write(one, path), WEIR_OK);
        back = open_graph(path, 0);
        assert_same(one, back);
        weir_graph_destroy(one);
        weir_graph_destroy(many);
        weir_graph_destroy(back);
    }
    free(sources);
    free(targets);
    free(weights);
}

static void from_arcs(void **state)
{
    (void)state;
    const uint32_t s[] = {0, 1, 1}, t[] = {1, 1, 0};
    const double w[] = {1, 2, 3}, bad[] = {1, 2, (double)1e308 * 10};
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph;
    assert_int_equal(weir_graph_from_arcs(2, 3, s, t, w, NULL, &graph), WEIR_OK);
    assert_string_equal(shown(graph), "2: 0>1/1 1>0/3");
    weir_graph_destroy(graph);
    options.undirected = 1;
    assert_int_equal(weir_graph_from_arcs(2, 3, s, t, w, &options, &graph), WEIR_OK);
    assert_string_equal(shown(graph), "2: 0>1/1 1>0/1");
    weir_graph_destroy(graph);
    assert_int_equal(weir_graph_from_arcs(0, 0, NULL, NULL, NULL, NULL, &graph), WEIR_OK);
    assert_string_equal(shown(graph), "0:");
    weir_graph_destroy(graph);
    assert_int_equal(weir_graph_from_arcs(1, 3, s, t, w, NULL, &graph), WEIR_ERR_INVALID);
    assert_null(graph);
    assert_int_equal(weir_graph_from_arcs(2, 3, s, t, bad, NULL, &graph), WEIR_ERR_INVALID);
    assert_int_equal(weir_graph_from_arcs(2, 3, NULL, t, w, NULL, &graph), WEIR_ERR_INVALID);
    assert_int_equal(weir_graph_from_arcs(UINT64_C(1) << 40, 0, s, t, w, NULL, &graph),
                     WEIR_ERR_INVALID);
    options.size = 3;
    assert_int_equal(weir_graph_from_arcs(2, 3, s, t, w, &options, &graph), WEIR_ERR_INVALID);
    weir_graph_destroy(NULL);
}

/* Texts that every format can hold, and suffixes; DIMACS gives weight 1 to those without. */
static void round_trip(void **state)
{
    (void)state;
    static const char *const texts[] = {"0 1\n1 2\n0 2\n", "0 1 7\n4 2 0\n",        "0 1\n9 9\n",
                                        "0 1 3\n9 9 1\n",  "0 1 .1\n1 2 -3e-300\n", "5 5\n"};
    static const char *const suffixes[] = {".mtx", ".gr", ".dimacs", ".el", ".txt"};
    static const char *const packings[] = {"", ".gz", ".xz"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        weir_graph *graph = open_graph(put_text("in", texts[i]), 0), *back;
        int fractions = graph->weight_kind == WEIR_WEIGHT_F64;
        for (size_t j = 0; j < 15; j++) {
            char name[40];
            snprintf(name, sizeof name, "out%s%s", suffixes[j / 3], packings[j % 3]);
            const char *path = in_folder(name);
            weir_status status = weir_graph_write(graph, path);
            if (fractions && (j / 3 == 1 || j / 3 == 2)) {
                assert_int_equal(status, WEIR_ERR_INVALID);
                continue;
            }
            assert_int_equal(status, WEIR_OK);
            back = open_graph(path, 0);
            if (j / 3 == 2 && graph->weight_kind == WEIR_WEIGHT_NONE)
                assert_int_equal(back->arcs, graph->arcs);
            else
                assert_same(graph, back);
            weir_graph_destroy(back);
        }
        weir_graph_destroy(graph);
    }
    entries(1);
}

static void write_fails(void **state)
{
    (void)state;
    weir_graph *graph = open_graph("grid:200x200", 0), *empty;
    assert_int_equal(entries(1) >= 0, 1);
    assert_int_equal(weir_graph_write(graph, in_folder("x.nope")), WEIR_ERR_INVALID);
    assert_non_null(strstr(weir_error_detail(), ".mtx"));
    assert_int_equal(weir_graph_write(graph, in_folder("x")), WEIR_ERR_INVALID);
    assert_int_equal(weir_graph_write(graph, in_folder("none/x.el")), WEIR_ERR_IO);
    assert_int_equal(weir_graph_write(graph, "/proc/x.mtx"), WEIR_ERR_IO);
    assert_int_equal(weir_graph_write(graph, "/dev/full"), WEIR_ERR_IO);
    assert_non_null(strstr(weir_error_detail(), "No space"));
    static const char *const full[] = {"f.mtx", "f.gr", "f.dimacs", "f.el.gz", "f.txt.xz"};
    for (size_t i = 0; i < sizeof full / sizeof full[0]; i++) {
        assert_int_equal(symlink("/dev/full", in_folder(full[i])), 0);
        assert_int_equal(weir_graph_write(graph, in_folder(full[i])), WEIR_ERR_IO);
    }
    assert_int_equal(entries(1), 5); /* the links and nothing else */
    assert_int_equal(mkdir(in_folder("d.el"), 0700), 0);
    assert_int_equal(weir_graph_write(graph, in_folder("d.el")), WEIR_ERR_IO);
    assert_int_equal(entries(1), 1);
    assert_int_equal(weir_graph_from_arcs(0, 0, NULL, NULL, NULL, NULL, &empty), WEIR_OK);
    assert_int_equal(weir_graph_write(empty, in_folder("e.el")), WEIR_ERR_INVALID);
    assert_int_equal(weir_graph_write(empty, in_folder("e.mtx")), WEIR_OK);
    weir_graph_destroy(empty);
    weir_graph_destroy(graph);
}

static void summary(void **state)
{
    (void)state;
    weir_graph_summary s = WEIR_GRAPH_SUMMARY_INIT;
    weir_graph *graph = open_graph(put_text("s", "0 1 2\n0 2 8\n1 0 4\n5 2 3\n5 1 -1\n"), 0);
    assert_int_equal(weir_graph_summarize(graph, &s), WEIR_OK);
    assert_int_equal(s.degree_max, 2);
    assert_int_equal(s.degree_max_vertex, 0);
    assert_int_equal(s.isolated, 2);
    assert_false(s.symmetric);
    assert_true(s.weight_min == -1 && s.weight_max == 8);
    assert_true(s.degree_mean > .83 && s.degree_mean < .84);
    weir_graph_destroy(graph);
    graph = open_graph(in_folder("s"), 1);
    assert_int_equal(weir_graph_summarize(graph, &s), WEIR_OK);
    assert_true(s.symmetric);
    weir_graph_destroy(graph);
}

/* zlib counts in 32 bits: where there is room for more, only what came counts. Of the room, one page is touched. */
static void room_over_32_bits(void **state)
{
    (void)state;
    static const size_t rooms[] = {UINT32_MAX, UINT32_MAX + (size_t)1, UINT32_MAX + (size_t)4};
    const char *const paths[] = {put_gzip("a.gz", "0 1\n", 4), put_xz("a.xz", "0 1\n", 4),
                                 put_zstd("a.zst", "0 1\n", 4)};
    weir__unpack *unpack = malloc(sizeof *unpack);
    assert_non_null(unpack);
    for (size_t i = 0; i < 9; i++) {
        const size_t room = rooms[i / 3];
        size_t got = 0;
        char *data = mmap(NULL, room, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        const int fd = open(paths[i % 3], O_RDONLY);
        assert_true(data != MAP_FAILED && fd >= 0);
        assert_int_equal(weir__unpack_start(unpack, fd, "a"), WEIR_OK);
        assert_int_equal(weir__unpack_pull(unpack, data, room, &got), WEIR_OK);
        assert_int_equal(got, 4);
        assert_memory_equal(data, "0 1\n", 4);
        weir__unpack_end(unpack);
        close(fd);
        munmap(data, room);
    }
    free(unpack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_and_packings),
        cmocka_unit_test(galois),
        cmocka_unit_test(glued_gzip),
        cmocka_unit_test(glued_zstd),
        cmocka_unit_test(large_zstd),
        cmocka_unit_test(room_over_32_bits),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(from_arcs),
        cmocka_unit_test(round_trip),
        cmocka_unit_test(write_fails),
        cmocka_unit_test(summary),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
