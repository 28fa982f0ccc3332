/** @file test_graph_broken.c  Broken inputs: each is one sentence that names file, line and cause.
 */
#include "tests/algorithms/graph_fixture.h"

#include <sys/resource.h>

struct broken {
    const char *text;
    const char *where; /* what follows the path */
    const char *why;   /* part of the rest of the sentence */
};

#define MM "%%MatrixMarket matrix coordinate "

static const struct broken texts[] = {
    /* edge lists */
    {"", ":", "empty"},
    {"# nothing\n", ":", "no arcs"},
    {"0 1\n1\n", ":2:", "1 column where the lines before have 2"},
    {"0 1\n1 2 3 4\n", ":2:", "4 columns where the lines before have 2"},
    {"0 1\n0 1 5\n", ":2:", "3 columns where the lines before have 2"},
    {"0 1 5\n\n0 1\n", ":3:", "2 columns where the lines before have 3"},
    {"0 1\n2 x\n", ":2:", "'x' is no vertex id"},
    {"0 1\n-2 0\n", ":2:", "the vertex id -2 is negative"},
    {"0 4294967294\n", ":1:", "the vertex id 4294967294 is not within 0 .. 4294967293"},
    {"0 1\n# c\n0 99999999999999999999999\n", ":3:", "not within"},
    {"0 1.5\n", ":1:", "'1.5' is no vertex id"},
    {"0 1x\n", ":1:", "'1x' is no vertex id"},
    {"0 0x1\n", ":1:", "'0x1' is no vertex id"},
    {"+1 2\n", ":1:", "'+1' is no vertex id"},
    {"- 2\n", ":1:", "'-' is no vertex id"},
    {"1,,2\n", ":1:", "',' is no vertex id"},
    {",1\n", ":1:", "',' is no vertex id"},
    {"1,2,\n", ":1:", "left over"},
    {"1,2,3,\n", ":1:", "left over"},
    {"1,\n", ":1:", "1 column"},
    {"0 1 nan\n", ":1:", "'nan' is no finite weight"},
    {"0 1 inf\n", ":1:", "'inf' is no finite weight"},
    {"0 1 0x10\n", ":1:", "'0x10' is no finite weight"},
    {"0 1 1e\n", ":1:", "'1e' is no finite weight"},
    {"0 1 1e999\n", ":1:", "too large"},
    {"0 1 .\n", ":1:", "'.' is no finite weight"},
    {"0 1 1..2\n", ":1:", "no finite weight"},
    {"hello world\n", ":1:", "'hello' is no vertex id"},
    {"# d\n{\"a\": 1}\n", ":2:", "are read as edge lists: two ids a line, or two and a weight"},
    {"0 1\n\xEF\xBB\xBF"
     "1 2\n",
     ":2:", "is no vertex id"},
    {"\x7f"
     "ELF\x02\x01\n",
     ":1:",
     "ELF?"
     "?' is no vertex id"},
    {"<html><body>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", ":1:", "'<html><body>aaaaaaaaaaaa...'"},
    {"# Nodes: 3 Edges: 1\n0 1\n1 2\n", ":", "promises 1 edges but holds 2"},
    {"# Nodes: 3\tEdges: 0\n0 1\n", ":", "promises 0 edges but holds 1"},
    {"# Nodes: 3 Edges: 3\n0 1\n2 2\n", ":", "promises 3 edges but holds 2"},
    {"# Nodes: 2 Edges: 99999999999999999999999\n0 1\n", ":", "but holds 1"},
    {"# Nodes: 0 Edges: 0\n", ":", "no arcs"},
    /* MatrixMarket */
    {MM "pattern general\n", ":", "before the line of sizes"},
    {"%%MatrixMarket tensor coordinate real general\n", ":1:", "'tensor'"},
    {"%%MatrixMarket matrix array real general\n2 2\n",
     ":1:", "'array', which has every entry and names no arcs; only coordinate"},
    {MM "complex general\n2 2 0\n", ":1:", "'complex', but a weight is one number; pattern"},
    {MM "real hermitian\n2 2 0\n", ":1:", "'hermitian', which is of complex numbers; general"},
    {MM "real skew-symmetric\n2 2 0\n",
     ":1:", "'skew-symmetric', which gives an arc back the opposite weight; general"},
    {MM "integer SKEW-SYMMETRIC\n2 2 0\n", ":1:", "the opposite weight"},
    {MM "hermitian general\n2 2 0\n", ":1:", "the field is 'hermitian'"},
    {"%%MatrixMarket matrix dense real general\n2 2\n", ":1:", "'dense'; only coordinate"},
    {MM "real\n2 2 0\n", ":1:", "the symmetry is ''"},
    {MM "real general x\n2 2 0\n", ":1:", "'x' is left over"},
    {"%%MatrixMarketmatrix coordinate\n", ":1:", "'%%MatrixMarketmatrix'"},
    {MM "pattern general\n2 3 0\n", ":2:", "2 rows and 3 columns"},
    {MM "pattern general\n2 2\n", ":2:", "ends before the number of entries"},
    {MM "pattern general\n2 2 1 1\n", ":2:", "'1' is left over"},
    {MM "pattern general\n2 2 2\n1 2\n", ":", "promises 2 entries but holds 1"},
    {MM "pattern general\n2 2 1\n1 2\n2 1\n", ":4:", "promises 1 entries but holds more"},
    {MM "pattern general\n2 2 1\n1 2 3\n", ":3:", "'3' is left over"},
    {MM "real general\n2 2 1\n1 2\n", ":3:", "ends before the weight"},
    {MM "pattern general\n2 2 1\n0 2\n", ":3:", "the row 0 is not within 1 .. 2"},
    {MM "pattern general\n2 2 1\n1 3\n", ":3:", "the column 3 is not within 1 .. 2"},
    {MM "pattern general\n1099511627776 1099511627776 1\n1 1\n",
     ":2:", "1099511627776 is not within 0 .. 4294967294"},
    {MM "pattern general\n5 5 1000000000000\n1 1\n", ":2:", "promises 1000000000000 entries but"},
    /* DIMACS */
    {"c nothing\n", ":", "no problem line"},
    {"p max 2 1\n", ":1:", "'max'; only sp"},
    {"p spx 2 1\n", ":1:", "'spx'; only sp"},
    {"p sp 2 1\np sp 2 1\n", ":2:", "second problem line"},
    {"p sp 2 0 0\n", ":1:", "'0' is left over"},
    {"p sp 1099511627776 1\n", ":1:", "not within 0 .. 4294967294"},
    {"p sp 5 99999999999\n", ":1:", "promises 99999999999 arcs but the file has only"},
    {"a 1 2 3\n", ":1:", "before the problem line"},
    {"p sp 2 1\na 1 3 1\n", ":2:", "the vertex id 3 is not within 1 .. 2"},
    {"p sp 2 1\na 0 1 1\n", ":2:", "the vertex id 0"},
    {"p sp 2 1\na 1 2\n", ":2:", "ends before the weight"},
    {"p sp 2 1\na 1 2 3 4\n", ":2:", "'4' is left over"},
    {"p sp 2 1\ne 1 2 3\n", ":2:", "'e' begins no DIMACS line"},
    {"p sp 2 1\ncfoo\na 1 2 3\n", ":2:", "'cfoo' begins no DIMACS line"},
    {"p sp 2 1\nc,foo\na 1 2 3\n", ":2:", "'c' begins no DIMACS line"},
    {"p sp 2 1\na,1 2 3\n", ":2:", "'a' begins no DIMACS line"},
    {"p sp 2 1\na1 2 3\n", ":2:", "'a1' begins no DIMACS line"},
    {"cfoo\np sp 2 1\n", ":1:", "'cfoo' is no vertex id"},
    {"p sp 2 1\na 1 2 3\na 2 1 3\n", ":3:", "promises 1 arcs but holds more"},
    {"p sp 2 2\na 1 2 3\nc and nothing more\n", ":", "promises 2 arcs but holds 1"},
};

static void broken_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_file_refused(put_text("broken", texts[i].text), WEIR_ERR_FORMAT, texts[i].where,
                            texts[i].why);
}

/* A packed file does not tell what it can hold: the promise is found out at its end. */
static void broken_promises_packed(void **state)
{
    (void)state;
    static const char mm[] = MM "pattern general\n5 5 1000000000000\n1 1\n";
    static const char sp[] = "p sp 5 99999999999\na 1 2 3\n";
    assert_file_refused(put_gzip("b", mm, sizeof mm - 1), WEIR_ERR_FORMAT, ":", "but holds 1");
    assert_file_refused(put_xz("b", sp, sizeof sp - 1), WEIR_ERR_FORMAT, ":", "but holds 1");
}

static void odd_bytes(void **state)
{
    (void)state;
    assert_file_refused(put_bytes("b", "0 1\n0 \0 1\n", 10), WEIR_ERR_FORMAT, ":2:", "zero byte");
    char *line = malloc(3 << 20);
    memset(line, '7', 3 << 20);
    assert_file_refused(put_bytes("b", line, 3 << 20), WEIR_ERR_FORMAT, ":1:", "longer than");
    memset(line, ' ', 3 << 20);
    memcpy(line, "0 1\n", 4);
    assert_file_refused(put_bytes("b", line, 3 << 20), WEIR_ERR_FORMAT, ":2:", "longer than");
    free(line);
    assert_file_refused(put_bytes("b", "BZh91AY&SY", 10), WEIR_ERR_FORMAT, ":", "bzip2");
    assert_file_refused(put_bytes("b", "\x28\xB5\x2F\xFD....", 8), WEIR_ERR_IO, ":", "zstd");
}

struct binary {
    uint64_t head[6]; /* version, edge bytes, vertices, arcs, two row ends */
    uint32_t tail[4];
    size_t bytes;
    const char *why;
};

static void broken_galois(void **state)
{
    (void)state;
    const struct binary list[] = {
        {{1, 8, 2, 1, 1, 1}, {1, 0}, 56, "edges of 8 bytes"},
        {{1, 0, UINT64_C(1) << 40, 1, 1, 1}, {1, 0}, 56, "1099511627776 vertices are over"},
        {{1, 0, 2, UINT64_C(1) << 40, 1, 1}, {1, 0}, 56, "promises 2 vertices and"},
        {{1, 0, 2, UINT64_MAX, 1, 1}, {1, 0}, 56, "promises 2 vertices and"},
        {{1, 0, 4000000000, 1, 1, 1}, {1, 0}, 56, "promises 4000000000 vertices"},
        {{1, 0, 2, 1, 1, 0}, {1, 0}, 56, "row of vertex 1"},
        {{1, 0, 2, 1, 2, 2}, {1, 0}, 56, "row of vertex 0"},
        {{1, 0, 2, 1, 0, 0}, {1, 0}, 56, "rows hold 0"},
        {{1, 0, 2, 1, 1, 1}, {2, 0}, 56, "leads to vertex 2 of 2"},
        {{1, 0, 2, 1, 1, 1}, {1, 0, 0}, 60, "left over"},
        {{1, 0, 2, 1, 1, 1}, {1, 0}, 54, "cut short"},
        {{1, 4, 2, 1, 1, 1}, {1, 0, 5}, 58, "cut short"},
        {{1, 4, 2, 1, 1, 1}, {1, 0, 5}, 52, "cut short"},
        {{1, 0, 2, 1, 1, 1}, {1, 0}, 20, "cut short"},
        {{1, 0, 0, 0, 0, 0}, {0}, 36, "left over"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        uint8_t file[64];
        memcpy(file, list[i].head, 48);
        memcpy(file + 48, list[i].tail, 16);
        assert_file_refused(put_bytes("g", file, list[i].bytes), WEIR_ERR_FORMAT, ":", list[i].why);
        /* packed, the size tells nothing: found out while reading, before memory is taken */
        weir_graph *graph;
        assert_int_equal(weir_graph_open(put_gzip("g", file, list[i].bytes), NULL, &graph),
                         WEIR_ERR_FORMAT);
        assert_null(graph);
    }
}

/* Every prefix and every flipped byte of packed data ends in an error or in the same graph. */
static void damaged_packing(void **state)
{
    (void)state;
    static const char text[] = "0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n";
    static const struct {
        const char *name;
        const char *(*put)(const char *name, const void *data, size_t bytes);
    } packings[] = {{"gzip", put_gzip}, {"xz", put_xz}, {"zstd", put_zstd}};
    uint8_t bytes[400];
    for (int i = 0; i < 3; i++) {
        const char *name = packings[i].name, *path = packings[i].put("p", text, sizeof text - 1);
        FILE *f = fopen(path, "rb");
        size_t have = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        for (size_t cut = 7; cut < have; cut++)
            assert_file_refused(put_bytes("cut", bytes, cut), WEIR_ERR_IO, ":", name);
        for (size_t at = 7; at < have; at++) {
            weir_graph *graph;
            bytes[at] ^= 0x55;
            weir_status status = weir_graph_open(put_bytes("flip", bytes, have), NULL, &graph);
            bytes[at] ^= 0x55;
            /* gzip's header has bytes that mean nothing to us: the time, the system */
            if (status == WEIR_OK)
                assert_string_equal(shown(graph), "6: 0>1 1>2 2>3 3>4 4>5 5>0");
            else
                assert_true(status == WEIR_ERR_IO || status == WEIR_ERR_NOMEM);
            weir_graph_destroy(graph);
        }
        bytes[have] = 'x';
        assert_file_refused(put_bytes("more", bytes, have + 1), WEIR_ERR_IO, ":", name);
    }
}

/* Packed by xz and then said to need a dictionary of @p bytes, which its reader takes at once. */
static const char *put_xz_dictionary(uint32_t bytes)
{
    uint8_t file[400];
    FILE *f = fopen(put_xz("dictionary", "0 1\n", 4), "rb");
    size_t have = fread(file, 1, sizeof file, f);
    lzma_filter filters[LZMA_FILTERS_MAX + 1];
    lzma_block block = {.check = LZMA_CHECK_CRC64, .filters = filters};
    fclose(f);
    block.header_size = lzma_block_header_size_decode(file[LZMA_STREAM_HEADER_SIZE]);
    assert_int_equal(lzma_block_header_decode(&block, NULL, file + LZMA_STREAM_HEADER_SIZE),
                     LZMA_OK);
    ((lzma_options_lzma *)filters[0].options)->dict_size = bytes;
    assert_int_equal(lzma_block_header_encode(&block, file + LZMA_STREAM_HEADER_SIZE), LZMA_OK);
    free(filters[0].options);
    return put_bytes("dictionary", file, have);
}

static void no_memory_to_unpack(const char *path, const char *why)
{
    weir_graph *graph;
    char wanted[500];
    assert_int_equal(weir_graph_open(path, NULL, &graph), WEIR_ERR_NOMEM);
    assert_null(graph);
    snprintf(wanted, sizeof wanted, "%s: %s", path, why);
    assert_string_equal(weir_error_detail(), wanted);
}

static void dictionary_over_the_limit(void **state)
{
    (void)state;
    weir_graph *graph = open_graph(put_xz_dictionary(64 << 20), 0);
    assert_string_equal(shown(graph), "2: 0>1");
    weir_graph_destroy(graph);
    no_memory_to_unpack(put_xz_dictionary(UINT32_C(2) << 30),
                        "unpacking it takes 2048 MiB, 1024 are allowed");
}

static void dictionary_over_the_memory(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* shadow memory takes more than any limit */
#endif
    struct rlimit before, small;
    const char *path = put_xz_dictionary(UINT32_C(768) << 20);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    small = (struct rlimit){.rlim_cur = 700 << 20, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
    no_memory_to_unpack(path, "no memory to unpack xz");
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
}

static void no_file(void **state)
{
    (void)state;
    weir_graph *graph;
    assert_file_refused(in_folder("absent"), WEIR_ERR_IO, ":", "No such file");
    assert_file_refused(folder, WEIR_ERR_IO, ":", "directory");
    assert_int_equal(weir_graph_open("", NULL, &graph), WEIR_ERR_INVALID);
    assert_int_equal(weir_graph_open(NULL, NULL, &graph), WEIR_ERR_INVALID);
}

/* Ids near the limit in a tiny file: the offsets alone are 64 GiB. */
static void beyond_memory(void **state)
{
    (void)state;
    weir_graph *graph;
    double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (have > 60e9)
        skip(); /* it would fit, and take long */
    assert_int_equal(weir_graph_open(put_text("b", "0 4294967293\n"), NULL, &graph),
                     WEIR_ERR_NOMEM);
    assert_null(graph);
    assert_int_equal(weir_graph_open("rmat:31,1024", NULL, &graph), WEIR_ERR_NOMEM);
    assert_int_equal(weir_graph_open("grid:65535x65535", NULL, &graph), WEIR_ERR_NOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_texts),
        cmocka_unit_test(broken_promises_packed),
        cmocka_unit_test(odd_bytes),
        cmocka_unit_test(broken_galois),
        cmocka_unit_test(damaged_packing),
        cmocka_unit_test(no_file),
        cmocka_unit_test(beyond_memory),
        cmocka_unit_test(dictionary_over_the_limit),
        cmocka_unit_test(dictionary_over_the_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
