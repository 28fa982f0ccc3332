/** @file test_graph_ahead.c  Texts that threads read in blocks: graphs and sentences are the same however many threads
 * there are and wherever the blocks end. */
#include "algorithms/graph/ahead.h"
#include "algorithms/graph/deal.h"
#include "algorithms/graph/read.h"
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/share.h"

static const uint32_t threads[] = {1, 2, 3, 8};
/* 0: as usual. Texts below are hundreds of times as long as the others. */
static const size_t blocks[] = {7, 64, 1000, 0};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Of numbers of threads and sizes of blocks, all of which a text is read with, one in five where there is a stride, for the next
 * text others: five divides no number of such pairs, and none is below it. */
static int is_left_out(void)
{
    static int turn;
    int stride = test_stride();
    return turn++ % (stride < 5 ? stride : 5) != 0;
}

/* A text, and what it says. */
#define LINES 4000
#define IDS   500
struct text {
    char *data;
    size_t bytes;
    uint64_t line,
        negative_line; /* lines so far; the first with a weight below 0 that is no loop's */
    uint64_t wrong;    /* the line that is */
    uint64_t arcs, vertices, loops;
    uint64_t promise; /* where an edge list says how many lines it has */
    uint32_t source[LINES], target[LINES];
    double weight[LINES];
    uint64_t seed;
};

enum { EDGES, MTX, DIMACS, INTEGERS };
struct kind {
    int format, weighted, nasty;
};
static const struct kind kinds[] = {
    {EDGES, 0, 0},  {EDGES, 0, 1},  {EDGES, 1, 0},    {EDGES, 1, 1},
    {MTX, 0, 0},    {MTX, 0, 1},    {MTX, 1, 0},      {MTX, 1, 1},
    {DIMACS, 1, 0}, {DIMACS, 1, 1}, {INTEGERS, 1, 0}, {INTEGERS, 1, 1},
};

static uint64_t draw(struct text *text, uint64_t below)
{
    text->seed = text->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (text->seed >> 33) % below;
}

static const char *pick(struct text *text, const char *const *words, uint64_t count)
{
    return words[draw(text, count)];
}

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->data + text->bytes, 512, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && length < 512);
    text->bytes += (size_t)length;
}

static void put_end(struct text *text, const struct kind *kind)
{
    put(text, "%s", kind->nasty && draw(text, 3) == 0 ? "\r\n" : "\n");
    text->line++;
}

/* What is no arc. Of edge lists '#' begins a comment as well. */
static void put_other(struct text *text, const struct kind *kind)
{
    static const char *const edges[] = {"", " ", "# 1 2", "%% 1 2 3", "\t# a # b", "%%"};
    static const char *const mtx[] = {"", " \t ", "%% 1 2", "%%", " %% 7"};
    static const char *const dimacs[] = {"", "c", "c a 1 2 3", " c 1", "\t"};
    put(text, "%s",
        kind->format == EDGES    ? pick(text, edges, COUNT(edges))
        : kind->format == DIMACS ? pick(text, dimacs, COUNT(dimacs))
                                 : pick(text, mtx, COUNT(mtx)));
    for (uint64_t more = draw(text, 8) ? 0 : 200; more > 0; more--) /* longer than a block */
        put(text, " ");
    put_end(text, kind);
}

static void put_weight(struct text *text, const struct kind *kind)
{
    static const char *const odd[] = {"0",
                                      "1.5",
                                      "-0",
                                      "+3",
                                      "2.5e2",
                                      "1e-3",
                                      "4294967296",
                                      "00012",
                                      "-17.25",
                                      "1E+2",
                                      ".5",
                                      "5.",
                                      "-1e1",
                                      "12345678901234567890",
                                      "0.1000000000000000055511151231257827"};
    static const char *const whole[] = {"-0",    "+3",  "4294967296",
                                        "00012", "-17", "12345678901234567890"};
    char word[64];
    if (kind->nasty && draw(text, 2))
        strcpy(word, kind->format == INTEGERS ? pick(text, whole, COUNT(whole))
                                              : pick(text, odd, COUNT(odd)));
    else
        snprintf(word, sizeof word, "%llu", (unsigned long long)draw(text, 1000));
    put(text, "%s", word);
    text->weight[text->arcs] = strtod(word, NULL);
}

static void put_arc(struct text *text, const struct kind *kind)
{
    static const char *const gaps[] = {" ", "\t", "  ", " \t ", ",", " , "};
    static const char *const zeros[] = {"", "0", "0000000000000"};
    const uint64_t gap_kinds = kind->format == EDGES ? 6 : 4, low = kind->format != EDGES;
    const uint32_t id[2] = {(uint32_t)draw(text, IDS), (uint32_t)draw(text, IDS)};
    if (kind->format == DIMACS)
        put(text, "a ");
    for (int i = 0; i < 2; i++)
        put(text, "%s%s%llu",
            i             ? kind->nasty ? pick(text, gaps, gap_kinds) : " "
            : kind->nasty ? pick(text, gaps + 1, 3)
                          : "",
            kind->nasty ? pick(text, zeros, 3) : "", (unsigned long long)(id[i] + low));
    text->source[text->arcs] = id[0];
    text->target[text->arcs] = id[1];
    if (kind->weighted) {
        put(text, "%s", kind->nasty ? pick(text, gaps, gap_kinds) : " ");
        put_weight(text, kind);
    }
    if (kind->nasty && draw(text, 4) == 0)
        put(text, " \t");
    put_end(text, kind);
    if (kind->weighted && text->weight[text->arcs] < 0 && id[0] != id[1] && !text->negative_line)
        text->negative_line = text->line;
    for (int i = 0; i < 2; i++)
        if (id[i] >= text->vertices)
            text->vertices = id[i] + 1;
    text->loops += id[0] == id[1];
    text->arcs++;
}

static void put_header(struct text *text, const struct kind *kind)
{
    if (kind->format == EDGES) {
        put(text, "# Nodes: 500 Edges: ");
        text->promise = text->bytes;
        put(text, "     ");
    } else if (kind->format == DIMACS) {
        put(text, "p sp %d %d", IDS, LINES);
    } else {
        put(text, "%%%%MatrixMarket matrix coordinate %s general\n%d %d %d",
            kind->format == INTEGERS ? "integer"
            : kind->weighted         ? "real"
                                     : "pattern",
            IDS, IDS, LINES);
        text->line++;
    }
    put_end(text, kind);
    text->vertices = kind->format == EDGES ? 0 : IDS;
}

/* A text of LINES arcs, and what else its kind has. @param[in] wrong  a line in front of arc @p at, and another error
 * behind it; NULL: none. */
static void write_text(struct text *text, const struct kind *kind, const char *wrong, uint64_t at)
{
    *text = (struct text){.seed = 7 + (uint64_t)(kind - kinds)};
    text->data = malloc(LINES * 512);
    assert_non_null(text->data);
    put_header(text, kind);
    while (text->arcs < LINES) {
        if (kind->nasty && draw(text, 10) == 0)
            put_other(text, kind);
        if (wrong && text->arcs == at) {
            put(text, "%s", wrong);
            put_end(text, kind);
            text->wrong = text->line;
        }
        put_arc(text, kind);
        if (wrong && text->arcs == at + 1)
            put(text, "foo 3\n");
    }
    if (kind->format == EDGES) { /* the least that it may promise: all loops are counted */
        char number[8];
        snprintf(number, sizeof number, "%llu", (unsigned long long)(LINES - text->loops));
        memcpy(text->data + text->promise, number, strlen(number));
    }
    if (kind->nasty) /* the last line without an end */
        text->bytes -= text->data[text->bytes - 2] == '\r' ? 2 : 1;
}

/* @param[in] early  see weir__early_pretend(). */
static weir_status open_early(const char *path, uint32_t on, size_t block, uint64_t early,
                              int undirected, weir_graph **graph)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    options.threads = on;
    options.undirected = undirected;
    weir__ahead_pretend(block);
    weir__early_pretend(early);
    weir_status status = weir_graph_open(path, &options, graph);
    weir__early_pretend(0);
    weir__ahead_pretend(0);
    return status;
}

static weir_status open_on(const char *path, uint32_t on, size_t block, weir_graph **graph)
{
    return open_early(path, on, block, 0, 0, graph);
}

static void check_graphs(const char *path, const struct text *text, const weir_graph *wanted)
{
    for (size_t t = 0; t < COUNT(threads); t++) {
        for (size_t b = 0; b < COUNT(blocks); b++) {
            weir_graph *graph;
            if (is_left_out())
                continue;
            /* Texts are as short as this; long ones are below. */
            if (open_early(path, threads[t], blocks[b], (t + b) % 2 ? 16 : 0, 0, &graph))
                fail_msg("%u threads, blocks of %zu: %s", threads[t], blocks[b],
                         weir_error_detail());
            assert_sound(graph);
            assert_same(graph, wanted);
            assert_int_equal(graph->negative_line, text->negative_line);
            assert_int_equal(graph->loops_dropped, wanted->loops_dropped);
            assert_int_equal(graph->duplicates_dropped, wanted->duplicates_dropped);
            weir_graph_destroy(graph);
        }
    }
}

static void same_graphs(void **state)
{
    static struct text text;
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        weir_graph *wanted;
        write_text(&text, &kinds[k], NULL, 0);
        assert_int_equal(weir_graph_from_arcs(text.vertices, text.arcs, text.source, text.target,
                                              kinds[k].weighted ? text.weight : NULL, NULL,
                                              &wanted),
                         WEIR_OK);
        check_graphs(put_bytes("text", text.data, text.bytes), &text, wanted);
        check_graphs(put_xz("text.xz", text.data, text.bytes), &text, wanted);
        weir_graph_destroy(wanted);
        free(text.data);
    }
}

/* Reading fails with the sentence of the line, whoever reads: all of them, or with a stride some. */
static void check_refused(const char *path, uint64_t line, const char *why, int all)
{
    char wanted[500];
    snprintf(wanted, sizeof wanted, "%s:%llu: %s", path, (unsigned long long)line, why);
    for (size_t t = 0; t < COUNT(threads); t += 2) {
        for (size_t b = 1; b < COUNT(blocks); b++) {
            weir_graph *graph = (weir_graph *)&graph;
            if (!all && is_left_out())
                continue;
            weir_status status = open_early(path, threads[t], blocks[b], b % 2 ? 16 : 0, 0, &graph);
            if (status != WEIR_ERR_FORMAT || graph || strcmp(weir_error_detail(), wanted) != 0)
                fail_msg("%u threads, blocks of %zu: wanted %s; got %d: %s", threads[t], blocks[b],
                         wanted, status, status ? weir_error_detail() : "a graph");
        }
    }
}

#define NO_DIMACS "'1' begins no DIMACS line (c, p or a)"
/* Lines that are wrong, and what is said of them: in edge lists, MatrixMarket and DIMACS with weights, and in a matrix of
 * integers, if the sentence is of those alone. */
static const struct wrong {
    const char *line, *why[4]; /* NULL: it is not wrong there */
} wrongs[] = {
    {"a 1 x 3", {"'a' is no vertex id", "'a' is no row", "'x' is no vertex id"}},
    {"a 1 2 nan", {"'a' is no vertex id", "'a' is no row", "'nan' is no finite weight"}},
    {"a 0 2 3", {"'a' is no vertex id", "'a' is no row", "the vertex id 0 is not within 1 .. 500"}},
    {"1 501 2", {NULL, "the column 501 is not within 1 .. 500", NO_DIMACS}},
    {"1 2 1e999", {"the weight 1e999 is too large", "the weight 1e999 is too large", NO_DIMACS}},
    {"1 2 3 4",
     {"4 columns where the lines before have 3 (metis:PATH reads METIS text)",
      "'4' is left over at the end of the line", NO_DIMACS}},
    {"1 2",
     {"2 columns where the lines before have 3 (metis:PATH reads METIS text)",
      "the line ends before the weight", NO_DIMACS}},
    {"1 2 3,",
     {"something is left over at the end of the line", "',' is left over at the end of the line",
      NO_DIMACS}},
    {"1 18446744073709551617 2",
     {"the vertex id 18446744073709551617 is not within 0 .. 4294967293",
      "the column 18446744073709551617 is not within 1 .. 500", NO_DIMACS}},
    {"1 4294967298 2",
     {"the vertex id 4294967298 is not within 0 .. 4294967293",
      "the column 4294967298 is not within 1 .. 500", NO_DIMACS}},
    {"1 2 1.5", {NULL, NULL, NO_DIMACS, "'1.5' is no integer"}},
    {"1 2 2e1", {NULL, NULL, NO_DIMACS, "'2e1' is no integer"}},
    {"1 -2 2", {"the vertex id -2 is negative", "the column -2 is negative", NO_DIMACS}},
    {"1 2\r 3", {"'2?' is no vertex id", "'2?' is no column", NO_DIMACS}},
};

/* The first of two wrong lines is told: in the first lines, somewhere, and in the last ones. */
static void first_error_wins(void **state)
{
    static struct text text;
    static const uint64_t at[] = {3, LINES / 2, LINES - 2};
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        for (size_t i = 0; kinds[k].weighted && i < COUNT(wrongs) * COUNT(at); i++) {
            const struct wrong *wrong = &wrongs[i / COUNT(at)];
            const char *why = wrong->why[kinds[k].format];
            if (!why)
                continue;
            write_text(&text, &kinds[k], wrong->line, at[i % COUNT(at)]);
            check_refused(put_bytes("text", text.data, text.bytes), text.wrong, why, 0);
            free(text.data);
        }
    }
}

/* Lines as long as they may be, and one byte longer; a zero byte; a promise of fewer entries: behind many plain lines. */
static void late_limits(void **state)
{
    static struct text text;
    const struct kind *kind = &kinds[1];
    (void)state;
    for (int more = 0; more < 2; more++) {
        write_text(&text, kind, NULL, 0);
        char *data = realloc(text.data, text.bytes + (3 << 20));
        assert_non_null(data);
        memset(data + text.promise, ' ', 4); /* which more lines would break */
        size_t bytes = text.bytes;
        data[bytes++] = '\n';
        memcpy(data + bytes, "1 2", 3);
        memset(data + bytes + 3, ' ', WEIR__LINE_MAX + more - 3);
        bytes += WEIR__LINE_MAX + more;
        memcpy(data + bytes, "\n3 4\n", 5);
        bytes += 5;
        const char *path = put_bytes("long", data, bytes);
        if (more) {
            check_refused(path, text.line + 1, "the line is longer than 1048576 bytes", 1);
        } else {
            weir_graph *graph;
            assert_int_equal(open_on(path, 3, 1000, &graph), WEIR_OK);
            assert_int_equal(graph->arcs + graph->loops_dropped + graph->duplicates_dropped,
                             LINES + 2);
            weir_graph_destroy(graph);
        }
        data[bytes - 4] = '\0';
        if (!more)
            check_refused(put_bytes("zero", data, bytes), text.line + 2,
                          "the line holds a zero byte; this is no text", 1);
        free(data);
    }
    write_text(&text, &kinds[4], NULL, 0);
    put(&text, "1 1\n");
    check_refused(put_bytes("more", text.data, text.bytes), text.line + 1,
                  "promises 4000 entries but holds more", 1);
    free(text.data);
}

/* A packed file that is cut short: what stands before the cut is not read as if the line ended there. */
static void cut_short(void **state)
{
    static struct text text;
    struct stat facts;
    (void)state;
    write_text(&text, &kinds[0], NULL, 0);
    const char *path = put_gzip("cut.gz", text.data, text.bytes);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(truncate(path, facts.st_size / 2), 0);
    for (size_t t = 0; t < COUNT(threads); t++) {
        for (size_t b = 0; b < COUNT(blocks); b++) {
            weir_graph *graph;
            assert_int_equal(open_on(path, threads[t], blocks[b], &graph), WEIR_ERR_IO);
            assert_non_null(strstr(weir_error_detail(), "the gzip data is cut short"));
        }
    }
    free(text.data);
}

/* ---- arcs in no order, of which there are many ---------------------------------------------------- */

/* Lists whose arcs are dealt out as they come, or begin like those and then are not: what comes late is another kind of arc. */
#define ARCS 200000
enum { RANDOM, COLUMNS, FRACTION, LARGE_IDS, HUB, ORDERS };

struct list {
    uint32_t source[ARCS], target[ARCS];
    double weight[ARCS];
    uint64_t vertices, loops;
};

static void write_list(struct list *list, int order, int weighted, int matrix, char *data,
                       size_t *bytes)
{
    static struct text random;
    char *at = data;
    random.seed = 7;
    list->vertices = order == LARGE_IDS ? 300000 : 30000;
    list->loops = 0;
    if (matrix)
        at +=
            sprintf(at, "%%%%MatrixMarket matrix coordinate %s general\n%d %d %d\n",
                    weighted ? "real" : "pattern", (int)list->vertices, (int)list->vertices, ARCS);
    for (uint64_t i = 0; i < ARCS; i++) {
        const int late = i > ARCS / 2;
        uint64_t s = draw(&random, 30000), t = draw(&random, i % 3 ? 30000 : 100);
        if (i % 5 == 0) /* many twice, with other weights and with equal ones */
            s %= 50, t %= 50;
        if (order == COLUMNS)
            t = i * 30000 / ARCS;
        if (order == LARGE_IDS && late)
            s += 270000;
        if (order == HUB && late)
            s = 29999;
        list->source[i] = (uint32_t)s;
        list->target[i] = (uint32_t)t;
        list->weight[i] = (double)draw(&random, 4) + (order == FRACTION && late && i % 2 ? 0.5 : 0);
        list->loops += s == t;
        at += sprintf(at, "%d %d", (int)s + matrix, (int)t + matrix);
        at += weighted ? sprintf(at, " %.9g\n", list->weight[i]) : sprintf(at, "\n");
    }
    if (!matrix) { /* says how many vertices there are */
        at += sprintf(at, weighted ? "%d %d 1\n" : "%d %d\n", (int)list->vertices - 1,
                      (int)list->vertices - 1);
        list->loops++;
    }
    *bytes = (size_t)(at - data);
}

static void check_list(const char *path, const struct list *list, int weighted)
{
    for (int undirected = 0; undirected < 2; undirected++) {
        weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
        weir_graph *wanted, *graph;
        options.undirected = undirected;
        options.threads = 1;
        assert_int_equal(weir_graph_from_arcs(list->vertices, ARCS, list->source, list->target,
                                              weighted ? list->weight : NULL, &options, &wanted),
                         WEIR_OK);
        for (uint32_t on = 1; on <= 4; on++) {
            const uint64_t early = on % 2 ? 1000 : 0;
            assert_int_equal(open_early(path, on, on == 3 ? 4000 : 0, early, undirected, &graph),
                             WEIR_OK);
            assert_sound(graph);
            assert_same(graph, wanted);
            assert_int_equal(graph->loops_dropped, list->loops);
            assert_int_equal(graph->duplicates_dropped, wanted->duplicates_dropped);
            weir_graph_destroy(graph);
        }
        weir_graph_destroy(wanted);
    }
}

static void in_no_order(void **state)
{
    static struct list list;
    char *data = malloc(ARCS * 32);
    size_t bytes;
    (void)state;
    assert_non_null(data);
    for (int order = 0; order < ORDERS; order++) {
        for (int weighted = order == FRACTION; weighted < 2; weighted++) {
            for (int matrix = 0; matrix < 2; matrix++) {
                write_list(&list, order, weighted, matrix, data, &bytes);
                check_list(put_bytes("list", data, bytes), &list, weighted);
            }
        }
    }
    free(data);
}

/* ---- lists whose first arcs are not like the others ------------------------------------------------- */

#define BLOCK  1000u
#define BLOCKS 100u
enum { UPWARD, ONE_SOURCE, ALIKE, COURSES };

/* Arcs of block @p b, in no order: between ever higher vertices, or after a while from one alone, or like those before. */
static void fill_block(uint32_t b, int course, struct text *random, weir__plain *plain)
{
    plain->count = BLOCK;
    plain->tangled = 1;
    plain->highest = plain->loops = 0;
    for (uint32_t i = 0; i < BLOCK; i++) {
        const uint32_t from = course == UPWARD ? b * BLOCK : 0;
        const uint64_t among = course == UPWARD ? BLOCK : 30000;
        uint32_t s = from + (uint32_t)draw(random, among), t = from + (uint32_t)draw(random, among);
        if (course == ONE_SOURCE && b > BLOCKS / 10)
            s = 29999;
        plain->sources[i] = s;
        plain->targets[i] = t;
        plain->loops += s == t;
        plain->highest = s > plain->highest ? s : plain->highest;
        plain->highest = t > plain->highest ? t : plain->highest;
    }
}

/* A list that stretches do not fit is one again before most of it is there, so that it is never there twice; any other is dealt out to its end. */
static void stretches_that_do_not_fit(void **state)
{
    static uint32_t sources[BLOCKS * BLOCK], targets[BLOCKS * BLOCK];
    static struct weir__run runs[BLOCK + 1];
    (void)state;
    weir__early_pretend(1000);
    for (int course = 0; course < COURSES; course++) {
        const uint64_t vertices = course == UPWARD ? BLOCKS * BLOCK : 30000;
        weir__arcs arcs = {.may_deal = 1, .expected = BLOCKS * BLOCK};
        struct text random = {.seed = 11};
        weir_graph *graph, *wanted;
        for (uint32_t b = 0; b < BLOCKS; b++) {
            weir__plain plain = {.sources = sources + (size_t)b * BLOCK,
                                 .targets = targets + (size_t)b * BLOCK,
                                 .runs = runs};
            fill_block(b, course, &random, &plain);
            assert_int_equal(weir__arcs_append(&arcs, &plain), WEIR_OK);
            if (b == 0 || course == ALIKE)
                assert_non_null(arcs.early);
            else if (b > BLOCKS / 2)
                assert_null(arcs.early);
        }
        arcs.vertices = vertices;
        assert_int_equal(weir__build(&arcs, 2, &graph), WEIR_OK);
        assert_int_equal(weir_graph_from_arcs(vertices, sizeof sources / sizeof *sources, sources,
                                              targets, NULL, NULL, &wanted),
                         WEIR_OK);
        assert_same(graph, wanted);
        assert_int_equal(graph->loops_dropped, wanted->loops_dropped);
        weir_graph_destroy(wanted);
        weir_graph_destroy(graph);
        weir__arcs_free(&arcs);
    }
    weir__early_pretend(0);
}

/* One line tells of as high a vertex as a block of them. */
static void begins_with_one_line(void **state)
{
    weir__arcs arcs = {.may_deal = 1, .expected = 100};
    weir_graph *graph;
    (void)state;
    weir__early_pretend(4);
    arcs.ascends = 1;
    assert_int_equal(weir__arcs_add(&arcs, 5, 6, 0), WEIR_OK);
    assert_int_equal(weir__arcs_add(&arcs, 2, 70000, 0), WEIR_OK);
    assert_non_null(arcs.early);
    weir__early_pretend(0);
    arcs.vertices = 70001;
    assert_int_equal(weir__build(&arcs, 1, &graph), WEIR_OK);
    assert_int_equal(graph->arcs, 2);
    assert_int_equal(graph->targets[0], 70000);
    assert_int_equal(graph->targets[1], 6);
    weir_graph_destroy(graph);
    weir__arcs_free(&arcs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_graphs),          cmocka_unit_test(first_error_wins),
        cmocka_unit_test(late_limits),          cmocka_unit_test(cut_short),
        cmocka_unit_test(in_no_order),          cmocka_unit_test(stretches_that_do_not_fit),
        cmocka_unit_test(begins_with_one_line),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
