/** @file test_graph_numbers.c  What a number in a graph may look like, in every format, and what the
 *  weights that remain are. */
#include "tests/algorithms/graph_fixture.h"

#include "algorithms/graph/decimal.h"
#include "algorithms/graph/read.h"

#include <math.h>

#define MM "%%MatrixMarket matrix coordinate "
/* The same in a format of printf. */
#define MMF "%%%%MatrixMarket matrix coordinate "

/* ---- the kind of weights is that of the arcs that remain ------------------------------------ */

struct kind {
    const char *text;
    weir_weight_kind directed, undirected;
};

#define U32 WEIR_WEIGHT_U32
#define F64 WEIR_WEIGHT_F64

static const struct kind kinds[] = {
    {"3 2 4294967296\n3 2 42946\n4 1 0\n", U32, U32}, /* a dropped duplicate is too large */
    {"0 1 2.5\n0 1 2\n", U32, U32},                   /* ... no integer */
    {"0 1 -0\n0 1 .25\n1 0 7\n", U32, U32},           /* ... more than a zero with a sign */
    {"0 1 2\n0 1 -2\n", F64, F64},                    /* what remains is negative */
    {"0 1 1.5\n1 0 1\n", F64, U32},                   /* the arc back is the smaller one */
    {"0 1 1\n0 1 9e99\n1 2 .5\n", F64, F64},
    {"2 2 .5\n0 1 4\n2 2 -1\n", U32, U32}, /* a loop */
    {"2 2 .5\n", U32, U32},
    {MM "real general\n3 3 3\n1 2 .5\n1 2 .25\n2 3 8\n", F64, F64},
    {MM "real general\n3 3 3\n1 2 .5\n1 2 0\n2 3 8\n", U32, U32},
    {MM "real symmetric\n3 3 2\n1 2 .5\n2 1 0\n", U32, U32},
    {"p sp 2 3\na 1 2 4294967296\na 1 2 4294967295\na 2 2 1.5\n", U32, U32},
};

static void kind_of_what_remains(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *path = put_text("kind", kinds[i].text);
        for (int undirected = 0; undirected <= 1; undirected++) {
            weir_graph *graph = open_graph(path, undirected);
            assert_sound(graph);
            if (graph->weight_kind != (undirected ? kinds[i].undirected : kinds[i].directed))
                fail_msg("%s: kind %d", kinds[i].text, graph->weight_kind);
            assert_true((graph->weights_u32 != NULL) == (graph->weight_kind == WEIR_WEIGHT_U32));
            assert_true((graph->weights_f64 != NULL) == (graph->weight_kind == WEIR_WEIGHT_F64));
            weir_graph_destroy(graph);
        }
    }
    weir_graph *graph = open_graph(put_text("kind", kinds[0].text), 0);
    assert_string_equal(shown(graph), "5: 3>2/42946 4>1/0");
    weir_graph_destroy(graph);
}

static void kind_of_arrays(void **state)
{
    (void)state;
    const uint32_t s[] = {0, 0, 1, 2}, t[] = {1, 1, 0, 2};
    const double w[] = {4294967296., 7, 3, .5};
    weir_graph *graph;
    assert_int_equal(weir_graph_from_arcs(3, 4, s, t, w, NULL, &graph), WEIR_OK);
    assert_int_equal(graph->weight_kind, WEIR_WEIGHT_U32);
    assert_string_equal(shown(graph), "3: 0>1/7 1>0/3");
    weir_graph_destroy(graph);
}

/* Many rows on several threads: one arc that stays decides, wherever it is. */
static void kind_of_many_rows(void **state)
{
    (void)state;
    enum { N = 20000 };
    uint32_t *s = malloc(2 * N * sizeof *s), *t = malloc(2 * N * sizeof *t);
    double *w = malloc(2 * N * sizeof *w);
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    for (uint32_t i = 0; i < 2 * N; i++) {
        s[i] = i % N;
        t[i] = (i % N + 1) % N;
        w[i] = i < N ? i + .5 : i % N;
    }
    for (int fraction = 0; fraction <= 1; fraction++)
        for (options.threads = 1; options.threads <= 4; options.threads += 3) {
            weir_graph *graph;
            w[2 * N - 77] = fraction ? 1e10 : 1; /* then the .5 of this arc stays */
            assert_int_equal(weir_graph_from_arcs(N, 2 * N, s, t, w, &options, &graph), WEIR_OK);
            assert_int_equal(graph->weight_kind, fraction ? WEIR_WEIGHT_F64 : WEIR_WEIGHT_U32);
            assert_int_equal(graph->arcs, N);
            if (fraction)
                assert_true(graph->weights_f64[N - 77] == N - 77 + .5);
            else
                assert_int_equal(graph->weights_u32[N - 78], N - 78);
            weir_graph_destroy(graph);
        }
    free(s);
    free(t);
    free(w);
}

/* ---- weights -------------------------------------------------------------------------------- */

struct weight {
    const char *text;
    double value; /* NAN: refused */
    const char *why;
};

static const struct weight weights[] = {
    {"0", 0, NULL},
    {"-0", 0, NULL},
    {"+7", 7, NULL},
    {"00012", 12, NULL},
    {"1.", 1, NULL},
    {".5", .5, NULL},
    {"1E+2", 100, NULL},
    {"0e-999999", 0, NULL},
    {"0.000e+999999", 0, NULL},
    {"9007199254740993", 9007199254740992., NULL}, /* the nearest double */
    {"123456789012345678901234567890", 123456789012345678901234567890., NULL},
    {"1.7976931348623157e308", 1.7976931348623157e308, NULL},
    {"1.7976931348623159e308", NAN, "too large"},
    {"-1e309", NAN, "the weight -1e309 is too large"},
    {"1e99999999999999999999", NAN, "too large"},
    /* below 2.2e-308 a double keeps fewer bits, and is still what is nearest */
    {"2e-310", 2e-310, NULL},
    {"4.9e-324", 4.9406564584124654e-324, NULL},
    {"3e-324", 4.9406564584124654e-324, NULL},
    {"2e-324", NAN, "the weight 2e-324 is too small: the least above 0 is 4.94e-324"},
    {"1e-400", NAN, "the weight 1e-400 is too small"},
    {"-1e-400", NAN, "too small"},
    {"1e-99999999999999999999", NAN, "too small"},
    {"nan", NAN, "'nan' is no finite weight"},
    {"NAN(1)", NAN, "no finite weight"},
    {"-inf", NAN, "'-inf' is no finite weight"},
    {"Infinity", NAN, "no finite weight"},
    {"0x1p3", NAN, "'0x1p3' is no finite weight"},
    {"1e", NAN, "no finite weight"},
    {"1e+", NAN, "no finite weight"},
    {"1e1.5", NAN, "no finite weight"},
    {"1_000", NAN, "no finite weight"},
    {"1.2.3", NAN, "no finite weight"},
    {"--1", NAN, "no finite weight"},
    {"+-1", NAN, "no finite weight"},
    {"+", NAN, "no finite weight"},
    {"1f", NAN, "no finite weight"},
    {"1\v", NAN, "'1?' is no finite weight"},
    {"\xc2\xa0"
     "1",
     NAN, "no finite weight"},
};

static const char *weighted(const char *format, const char *weight)
{
    static char text[2100000];
    snprintf(text, sizeof text, format, weight);
    return put_text("weight", text);
}

static void check_weight(const char *path, double value, const char *why)
{
    weir_graph *graph = NULL;
    weir_status status = weir_graph_open(path, NULL, &graph);
    if (status != (why ? WEIR_ERR_FORMAT : WEIR_OK) || (why && !strstr(weir_error_detail(), why)) ||
        (why && !strstr(weir_error_detail(), path)))
        fail_msg("status %d: %s; wanted %s", status, weir_error_detail(), why ? why : "a graph");
    if (!why) {
        double got = graph->weights_f64 ? graph->weights_f64[0] : graph->weights_u32[0];
        if (got != value)
            fail_msg("%.17g instead of %.17g", got, value);
        weir_graph *back;
        assert_int_equal(weir_graph_write(graph, in_folder("back.mtx")), WEIR_OK);
        back = open_graph(in_folder("back.mtx"), 0);
        assert_same(graph, back);
        weir_graph_destroy(back);
    }
    weir_graph_destroy(graph);
}

static void weights_of_all_formats(void **state)
{
    (void)state;
    static const char *const formats[] = {"0 1 %s\n", "0,1,%s\r\n", "0 1 %s",
                                          "p sp 2 1\na 1 2 %s\n",
                                          MMF "real general\n2 2 1\n1 2 %s\n"};
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++)
        for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++)
            check_weight(weighted(formats[f], weights[i].text), weights[i].value, weights[i].why);
}

/* A line may hold 2^20 bytes, and a number all but a few of them. */
static void long_weights(void **state)
{
    (void)state;
    static const size_t lengths[] = {19, 20, 511, 512, 513, 5000, 1000000};
    char *text = malloc(1000100);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        size_t n = lengths[i];
        memset(text, '1', n);
        memcpy(text, "0.", 2);
        text[n] = '\0';
        check_weight(weighted("0 1 %s\n", text), strtod(text, NULL), NULL);
        memset(text, '0', n);
        strcpy(text + n, "25");
        check_weight(weighted("0 1 %s\n", text), 25, NULL);
        check_weight(weighted(MMF "integer general\n2 2 1\n1 2 %s\n", text), 25, NULL);
        memcpy(text, "0.", 2);
        check_weight(weighted("0 1 %s\n", text), strtod(text, NULL),
                     n > 326 ? "is too small" : NULL);
        memset(text, '7', n);
        text[n] = '\0';
        check_weight(weighted("0 1 %s\n", text), strtod(text, NULL),
                     n > 309 ? "is too large" : NULL);
        strcpy(text + n, "x");
        check_weight(weighted("0 1 %s\n", text), NAN, "no finite weight");
    }
    free(text);
}

static void integer_matrix(void **state)
{
    (void)state;
    static const struct weight list[] = {
        {"8", 8, NULL},
        {"-3", -3, NULL},
        {"+3", 3, NULL},
        {"4294967296", 4294967296., NULL},
        {"1.5", NAN, ":3: '1.5' is no integer"},
        {"1.0", NAN, "'1.0' is no integer"},
        {"1e3", NAN, "'1e3' is no integer"},
        {"-", NAN, "'-' is no integer"},
        {"+-1", NAN, "'+-1' is no integer"},
        {"0x10", NAN, "'0x10' is no integer"},
        {"nan", NAN, "'nan' is no integer"},
        {"", NAN, "ends before the weight"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        check_weight(weighted(MMF "integer general\n2 2 1\n1 2 %s\n", list[i].text), list[i].value,
                     list[i].why);
}

/* ---- whole numbers -------------------------------------------------------------------------- */

/* In place of each id and each number of a header: what no whole number is, and where lines end. */
static void whole_numbers(void **state)
{
    (void)state;
    static const char *const places[] = {"%s 1\n",
                                         "1 %s\n",
                                         "0 1\n1,%s\n",
                                         "p sp %s 0\n",
                                         "p sp 2 %s\n",
                                         "p sp 2 1\na %s 2 3\n",
                                         "p sp 2 1\na 1 %s 3\n",
                                         MMF "pattern general\n%s 2 0\n",
                                         MMF "pattern general\n2 %s 0\n",
                                         MMF "pattern general\n2 2 %s\n",
                                         MMF "pattern general\n2 2 1\n%s 1\n",
                                         MMF "pattern general\n2 2 1\n1 %s\n"};
    static const char *const bad[] = {"-1",
                                      "+1",
                                      "0x1",
                                      "1e0",
                                      "1.0",
                                      "1.",
                                      "nan",
                                      "inf",
                                      "1a",
                                      "1;",
                                      "'1'",
                                      "\"1\"",
                                      "1\xef\xbb\xbf",
                                      "1\v",
                                      "1\f",
                                      "--1",
                                      "1-",
                                      "4294967296000",
                                      "18446744073709551617",
                                      "99999999999999999999999999999999999999999999",
                                      "\xd9\xa1"};
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++)
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            weir_graph *graph;
            const char *path = weighted(places[p], bad[i]);
            weir_status status = weir_graph_open(path, NULL, &graph);
            const char *detail = weir_error_detail();
            if (status != WEIR_ERR_FORMAT || graph || strncmp(detail, path, strlen(path)) != 0 ||
                detail[strlen(path)] != ':' || !strchr("123456789", detail[strlen(path) + 1]))
                fail_msg("'%s' in %s: status %d: %s", bad[i], places[p], status, detail);
            weir_graph_destroy(graph);
        }
    weir_graph *graph = open_graph(put_text("good", "0000 00000000000000000000000000000000001"), 0);
    assert_string_equal(shown(graph), "2: 0>1");
    weir_graph_destroy(graph);
}

/* ---- parsing alone -------------------------------------------------------------------------- */

static void parse_real(void **state)
{
    (void)state;
    double value;
    assert_string_equal(weir__parse_real("1.5,2", &value), ",2");
    assert_true(value == 1.5);
    assert_string_equal(weir__parse_real("1e400;", &value), ";");
    assert_true(isinf(value));
    assert_string_equal(weir__parse_real("-1e-400 ", &value), " ");
    assert_true(isnan(value));
    assert_string_equal(weir__parse_real("123456789012345678901x", &value), "x");
    assert_true(value == 123456789012345678901.);
    assert_string_equal(weir__parse_real("0e-30x", &value), "x");
    assert_true(value == 0);
    assert_null(weir__parse_real("", &value));
    assert_null(weir__parse_real("e1", &value));
}

/* ---- the nearest double ---------------------------------------------------------------------- */

static uint64_t draws;

static uint32_t draw(uint32_t below)
{
    draws = draws * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(draws >> 33) % below;
}

static void assert_nearest(const char *text)
{
    double value = -1, want = strtod(text, NULL);
    const char *end = weir__parse_real(text, &value);
    if (!end || *end || memcmp(&value, &want, sizeof value) != 0)
        fail_msg("%s is %a and not %a", text, value, want);
}

/* As many digits as one likes, wherever the point is. */
static void the_nearest_double_is_taken(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 50000; i++) {
        char text[80];
        int at = 0;
        const uint32_t whole = draw(24), behind = 1 + draw(30);
        draws ^= i;
        at += sprintf(text, "%s", draw(4) ? "" : "-");
        for (uint32_t d = 0; d < whole; d++)
            text[at++] = (char)('0' + (i % 3 ? draw(10) : 0));
        text[at++] = '.';
        for (uint32_t d = 0; d < behind; d++)
            text[at++] = (char)('0' + (i % 5 ? draw(10) : 9));
        text[at] = '\0';
        if (i % 7 == 0)
            sprintf(text + at, "e%d", (int)draw(40) - 20);
        assert_nearest(text);
    }
}

/* In the middle between two doubles, and as near to it as can be written, where the even one is nearest, or the one on that side. */
static void what_is_between_two_is_rounded_right(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        const uint64_t mantissa =
            UINT64_C(1) << 53 | (uint64_t)draw(1u << 26) << 26 | draw(1u << 26);
        const int behind = 1 + (int)draw(27);
        char text[80];
        /* 54 bits and one more, which no double holds: a long double has 64 at least. */
        const long double middle = ldexpl((long double)(2 * mantissa + 1), -behind);
        if ((double)middle == middle)
            skip(); /* but not everywhere */
        int at = snprintf(text, sizeof text - 4, "%.*Lf", behind, middle);
        assert_nearest(text);
        strcpy(text + at, "001");
        assert_nearest(text);
        text[at] = '\0';
        text[at - 1]--; /* the last digit of a half is 5 */
        assert_nearest(text);
    }
}

/* ---- doubles as text ------------------------------------------------------------------------- */

static void assert_reads_back(double value)
{
    char text[WEIR__DECIMAL_ROOM + 1], usual[40];
    const int length = weir__decimal_put(value, text);
    assert_in_range(length, 1, WEIR__DECIMAL_ROOM - 1);
    text[length] = '\0';
    const double back = strtod(text, NULL);
    snprintf(usual, sizeof usual, "%.17g", value);
    if (memcmp(&back, &value, sizeof value) != 0 ||
        strspn(text, "0123456789.e+-") != (size_t)length)
        fail_msg("%s is written as %s", usual, text);
    /* Zeros take the place of an exponent down to 0.00001. */
    assert_true((size_t)length <= strlen(usual) || fabs(value) < 1e-4);
}

static void what_is_written_reads_back(void **state)
{
    static const double some[] = {0,
                                  1,
                                  .1,
                                  .01,
                                  .001,
                                  1e-4,
                                  1e-5,
                                  9.9999999999999999e-6,
                                  1e-7,
                                  1e15,
                                  1e16,
                                  123456,
                                  .3,
                                  2. / 3,
                                  1e300,
                                  5e-324,
                                  999999999999999.9,
                                  1e22,
                                  1e-22,
                                  0.5,
                                  4503599627370497.5,
                                  9007199254740993.,
                                  99999.99999999999};
    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        assert_reads_back(some[i]);
        assert_reads_back(-some[i]);
        assert_reads_back(nextafter(some[i], INFINITY));
    }
    for (uint32_t i = 0; i < 20000; i++) {
        const double part = ((double)draw(1u << 30) * 0x1p23 + draw(1u << 23)) * 0x1p-53;
        assert_reads_back(ldexp(1 + part, (int)draw(80) - 30));
        assert_reads_back((float)part);
        if (i % 8 == 0)
            assert_reads_back(ldexp(1 + part, (int)draw(2000) - 1000));
    }
}

/* Numbers of up to 15 digits come back as they were. */
static void few_digits_stay(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        char want[40], got[WEIR__DECIMAL_ROOM + 1];
        const int front = (int)draw(8), behind = 1 + (int)draw(15 - (uint32_t)front);
        int at = 0;
        for (int d = 0; d < front; d++)
            want[at++] = (char)('1' + draw(9));
        if (!front)
            want[at++] = '0';
        want[at++] = '.';
        for (int d = 0; d < behind; d++)
            want[at++] = (char)(d == 0 || d == behind - 1 ? '1' + draw(9) : '0' + draw(10));
        want[at] = '\0';
        got[weir__decimal_put(strtod(want, NULL), got)] = '\0';
        assert_string_equal(got, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kind_of_what_remains),
        cmocka_unit_test(kind_of_arrays),
        cmocka_unit_test(kind_of_many_rows),
        cmocka_unit_test(weights_of_all_formats),
        cmocka_unit_test(long_weights),
        cmocka_unit_test(integer_matrix),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(parse_real),
        cmocka_unit_test(the_nearest_double_is_taken),
        cmocka_unit_test(what_is_between_two_is_rounded_right),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(few_digits_stay),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
