/** @file test_graph_keys.c  Rows of keys, in every way in which this processor sorts them, beside those of arcs one by one; when arcs that are
 * read lie as keys, and when ids have no room in them. */
#include "algorithms/graph/ahead.h"
#include "algorithms/graph/key_rows.h"
#include "tests/algorithms/graph_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ARCS         9000u
#define ROWS         300u

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % below);
}

struct arc {
    uint32_t source, target, weight;
};

static int compare(const void *a, const void *b)
{
    const struct arc *x = a, *y = b;
    return x->source != y->source   ? (x->source < y->source ? -1 : 1)
           : x->target != y->target ? (x->target < y->target ? -1 : 1)
           : x->weight != y->weight ? (x->weight < y->weight ? -1 : 1)
                                    : 0;
}

enum { ANY, FEW, ONE_ROW, ONE_ARC, UPWARD, DOWNWARD, LAST_BITS, KINDS };

/* Arcs of rows from @p first on. */
static void fill(struct arc *arcs, uint32_t count, int kind, uint32_t first, uint32_t bits)
{
    const uint32_t all = (UINT32_C(1) << bits) - 1;
    for (uint32_t i = 0; i < count; i++) {
        arcs[i] = (struct arc){first + draw(ROWS), draw(all) + draw(2), draw(9)};
        if (kind == FEW)
            arcs[i] = (struct arc){first + draw(2), draw(3), draw(UINT32_MAX)};
        if (kind == ONE_ROW)
            arcs[i].source = first + ROWS - 1;
        if (kind == ONE_ARC)
            arcs[i] = (struct arc){first, 0, draw(9)};
        if (kind == LAST_BITS)
            arcs[i].target = all - draw(2);
    }
    if (kind == UPWARD || kind == DOWNWARD)
        qsort(arcs, count, sizeof *arcs, compare);
    for (uint32_t i = 0; kind == DOWNWARD && i < count / 2; i++) {
        const struct arc arc = arcs[i];
        arcs[i] = arcs[count - 1 - i];
        arcs[count - 1 - i] = arc;
    }
}

/* The rows of arcs, one by one. @return arcs that are left. */
static uint32_t make_rows(const struct arc *arcs, uint32_t count, uint32_t first,
                          struct arc *sorted, uint64_t *offsets)
{
    uint32_t left = 0;
    memcpy(sorted, arcs, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || sorted[i].source != sorted[left - 1].source ||
            sorted[i].target != sorted[left - 1].target)
            sorted[left++] = sorted[i];
    for (uint32_t v = 0, i = 0; v < ROWS; v++) {
        while (i < left && sorted[i].source < first + v)
            i++;
        offsets[v] = i;
    }
    return left;
}

static void put_keys(const struct arc *arcs, uint32_t count, int weighted, uint32_t bits,
                     void *keys)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t key = weir__key(arcs[i].source, arcs[i].target, bits);
        if (weighted)
            ((uint64_t *)keys)[i] = weir__key_weighed(key, arcs[i].weight);
        else
            ((uint32_t *)keys)[i] = key;
    }
}

/* A stretch behind another one, of as many arcs and of vertices whose high bits keys have no room for. */
static void check_stretch(const struct arc *arcs, uint32_t count, int weighted, uint32_t first,
                          uint32_t bits, size_t scratch_bytes)
{
    static uint64_t keys[2 * ARCS + 1];
    static struct arc sorted[ARCS + 1];
    static uint32_t targets[2 * ARCS + 1], weights[2 * ARCS + 1];
    static weir__dealt dealt;
    uint64_t *offsets = calloc(first + ROWS + 1, sizeof *offsets), wanted[ROWS], kept;
    struct weir__scratch scratch;
    assert_non_null(offsets);
    const uint32_t left = make_rows(arcs, count, first, sorted, wanted);
    dealt = (weir__dealt){.kind = weighted ? WEIR_WEIGHT_U32 : WEIR_WEIGHT_NONE,
                          .bits = bits,
                          .stretches = 2,
                          .first = {0, first, first + ROWS},
                          .begin = {0, count, 2 * (uint64_t)count},
                          .arcs = (char *)keys};
    put_keys(arcs, count, weighted, bits, keys);
    put_keys(arcs, count, weighted, bits,
             dealt.arcs + count * weir__dealt_bytes(dealt.kind, dealt.bits));
    weir__scratch_open(&scratch, scratch_bytes);
    assert_true(weir__key_rows_make(&dealt, 1, &scratch, offsets, targets, weights, &kept));
    weir__scratch_close(&scratch);
    assert_int_equal(kept, left);
    for (uint32_t v = 0; v < ROWS; v++)
        assert_int_equal(offsets[first + v], count + wanted[v]);
    for (uint32_t i = 0; i < left; i++) {
        assert_int_equal(targets[count + i], sorted[i].target);
        if (weighted)
            assert_int_equal(weights[count + i], sorted[i].weight);
    }
    free(offsets);
}

static const uint32_t counts[] = {0,  1,  2,   7,   8,   9,   15,  16,  17,  31,   32,   33,  63,
                                  64, 65, 100, 127, 128, 129, 130, 257, 600, 1000, 4096, ARCS};

static void as_arcs_one_by_one(void **state)
{
    static struct arc arcs[ARCS];
    (void)state;
    seed = 3;
    for (int way = 1; way <= 3; way++) {
        weir__plain_pretend(way);
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t c = 0; c < COUNT(counts); c++)
                for (int weighted = 0; weighted < 2; weighted++) {
                    /* Rows need 9 bits; keys of 16 bits a target have some in vain. */
                    const uint32_t bits = kind == ANY && c % 2 ? 16 : 23,
                                   first = (UINT32_C(1) << (32 - bits)) * 3 - 5;
                    fill(arcs, counts[c], kind, first, bits);
                    check_stretch(arcs, counts[c], weighted, first, bits, c % 3 ? 1 << 18 : 0);
                }
    }
    weir__plain_pretend(0);
}

/* What a quicksort leaves is sorted as well. */
static void unlucky_pivots(void **state)
{
    static uint64_t keys[2 * ARCS];
    static uint32_t plain[ARCS], targets[ARCS], weights[ARCS];
    static struct arc arcs[ARCS], sorted[ARCS];
    uint64_t row[ROWS], wanted[ROWS];
    (void)state;
    if (weir__plain_ways() < 3)
        skip();
    for (uint32_t passes = 0; passes < 8; passes++)
        for (int kind = 0; kind < KINDS; kind++) {
            fill(arcs, ARCS, kind, 0, 20);
            const uint32_t left = make_rows(arcs, ARCS, 0, sorted, wanted);
            put_keys(arcs, ARCS, 0, 20, plain);
            assert_int_equal(weir__key_rows_plain(plain, ARCS, passes, 20, 0, row, ROWS, targets),
                             left);
            for (uint32_t i = 0; i < left; i++)
                assert_int_equal(targets[i], sorted[i].target);
            assert_memory_equal(row, wanted, sizeof row);
            put_keys(arcs, ARCS, 1, 20, keys);
            assert_int_equal(
                weir__key_rows_weighed(keys, ARCS, passes, 20, 0, row, ROWS, targets, weights),
                left);
            for (uint32_t i = 0; i < left; i++) {
                assert_int_equal(targets[i], sorted[i].target);
                assert_int_equal(weights[i], sorted[i].weight);
            }
            assert_memory_equal(row, wanted, sizeof row);
        }
}

/* ---- which arcs become keys ------------------------------------------------------------------------------- */

#define BLOCK 3000u

/* Arcs of a block, in no order, the last one from the highest vertex. */
static void fill_block(uint32_t among, uint32_t highest, uint32_t *sources, uint32_t *targets)
{
    for (uint32_t i = 0; i < BLOCK; i++) {
        sources[i] = draw(among);
        targets[i] = draw(among);
    }
    sources[BLOCK - 1] = highest;
    targets[BLOCK - 2] = highest;
}

static weir_status append_block(weir__arcs *arcs, uint32_t *sources, uint32_t *targets,
                                uint32_t highest)
{
    weir__plain plain = {.count = BLOCK, .tangled = 1, .sources = sources, .targets = targets};
    for (uint32_t i = 0; i < BLOCK; i++)
        plain.loops += sources[i] == targets[i];
    plain.highest = highest;
    return weir__arcs_append(arcs, &plain);
}

/* What a list whose first block is of vertices below @p among lies as: keys or not; then a block with a higher one comes, which those that are dealt out have room for or
 * not. The graph is the same. */
static void check_late(uint32_t among, int keys, uint32_t highest, int stays)
{
    static uint32_t sources[2 * BLOCK], targets[2 * BLOCK];
    const uint64_t vertices = (uint64_t)highest + 1;
    weir__arcs arcs = {.may_deal = 1, .expected = 2 * BLOCK, .threads = 2};
    weir_graph *graph, *wanted;
    seed = among;
    fill_block(among, among - 1, sources, targets);
    fill_block(among, highest, sources + BLOCK, targets + BLOCK);
    weir__early_pretend(1000);
    assert_int_equal(append_block(&arcs, sources, targets, among - 1), WEIR_OK);
    assert_non_null(arcs.early);
    assert_int_equal(weir__early_bits(arcs.early) != 0, keys);
    assert_int_equal(append_block(&arcs, sources + BLOCK, targets + BLOCK, highest), WEIR_OK);
    assert_int_equal(arcs.early != NULL, stays);
    arcs.vertices = vertices;
    assert_int_equal(weir__build(&arcs, 2, &graph), WEIR_OK);
    weir__early_pretend(0);
    assert_int_equal(
        weir_graph_from_arcs(vertices, 2 * BLOCK, sources, targets, NULL, NULL, &wanted), WEIR_OK);
    assert_same(graph, wanted);
    assert_int_equal(graph->loops_dropped, wanted->loops_dropped);
    assert_int_equal(graph->duplicates_dropped, wanted->duplicates_dropped);
    weir_graph_destroy(wanted);
    weir_graph_destroy(graph);
    weir__arcs_free(&arcs);
}

static void a_late_id(void **state)
{
    (void)state;
    check_late(20000, 1, 19999, 1);
    check_late(20000, 1, 22499, 1);   /* an eighth more, for which there is room */
    check_late(20000, 1, 65535, 0);   /* stretches would be uneven */
    check_late(20000, 1, 65536, 0);   /* 16 bits have no room for it */
    check_late(20000, 1, 5000000, 0); /* nor stretches */
    check_late(1u << 20, 1, 1u << 20, 1);
    check_late(2u << 20, 1, 2u << 20, 1); /* 22 bits, and 10 for rows */
    check_late(1u << 23, 0, 1u << 23, 1); /* stretches of so few rows are too many */
}

/* Of a list that is there, with all vertices known. */
static void of_a_list(void **state)
{
    static const struct {
        uint64_t vertices;
        int keys;
    } cases[] = {{1, 1}, {1u << 16, 1}, {1u << 21, 1}, {1u << 23, 0}, {UINT32_C(4294967294), 0}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        weir__deal_map map;
        weir__cells_make(cases[i].vertices, UINT64_C(1) << 32, &map);
        assert_int_equal(map.bits != 0, cases[i].keys);
        if (map.bits)
            assert_true(cases[i].vertices <= UINT64_C(1) << map.bits);
        weir__cells_make(cases[i].vertices, 0, &map);
        assert_int_equal(map.bits, 0);
        weir__cells_make(cases[i].vertices, 1000, &map); /* too few for many stretches */
        assert_int_equal(map.bits != 0, cases[i].vertices < 1u << 16);
    }
}

/* ---- texts -------------------------------------------------------------------------------------------------- */

#define LINES 30000u

/* Lines between vertices below @p among, one of which leads to @p last, and each of which comes twice, with another weight. @return bytes. */
static size_t write_lines(char *text, uint32_t lines, uint32_t among, uint32_t last, int weighted)
{
    char *at = text;
    for (uint32_t i = 0; i < lines; i++) {
        const uint32_t pair = i % (lines / 2 + 1), end = pair == lines / 2 ? last : 0;
        seed = pair * 7919 + 5;
        draw(2);
        const uint32_t source = draw(among), target = end ? end : draw(among);
        at += sprintf(at, "%u %u", source, target);
        at += weighted ? sprintf(at, " %u\n", (i * 37) % 251) : sprintf(at, "\n");
    }
    return (size_t)(at - text);
}

static weir_graph *open_text(const char *path, uint32_t threads, uint64_t early, int undirected)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph;
    options.threads = threads;
    options.undirected = undirected;
    weir__ahead_pretend(early ? 2000 : 0);
    weir__early_pretend(early);
    assert_int_equal(weir_graph_open(path, &options, &graph), WEIR_OK);
    weir__early_pretend(0);
    weir__ahead_pretend(0);
    return graph;
}

/* Duplicates in blocks that different threads deal out; a late id; all arcs from one vertex; more vertices than keys have room for; one line. As the same list that is not dealt out while it is read. */
static void texts(void **state)
{
    static const struct {
        uint32_t lines, among, last;
    } cases[] = {{LINES, 3000, 0},
                 {LINES, 3000, 4000000},
                 {LINES, 1, 70000},
                 {LINES, 4300000, 0},
                 {LINES, 500000, 499999},
                 {2, 9, 0},
                 {1, 9, 0}};
    static const uint32_t threads[] = {1, 2, 3, 8};
    static char text[LINES * 24];
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int kind = 0; kind < 4; kind++) {
            const size_t bytes =
                write_lines(text, cases[i].lines, cases[i].among, cases[i].last, kind % 2);
            const char *path = put_bytes("edges", text, bytes);
            weir_graph *wanted = open_text(path, 1, 0, kind / 2);
            for (size_t t = 0; t < COUNT(threads); t++)
                for (int way = 1; way <= 3; way += 2) {
                    weir__plain_pretend(way);
                    weir_graph *graph = open_text(path, threads[t], 1000, kind / 2);
                    weir__plain_pretend(0);
                    assert_same(graph, wanted);
                    assert_int_equal(graph->duplicates_dropped, wanted->duplicates_dropped);
                    assert_int_equal(graph->loops_dropped, wanted->loops_dropped);
                    weir_graph_destroy(graph);
                }
            weir_graph_destroy(wanted);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_arcs_one_by_one),
        cmocka_unit_test(unlucky_pivots),
        cmocka_unit_test(a_late_id),
        cmocka_unit_test(of_a_list),
        cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
