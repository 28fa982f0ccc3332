/** @file test_plain.c  Plain lines that are taken many at a time are those that are taken one by one: the same arcs, and the same first line that
 * is left, in texts of every form, with lines that are not plain in between, and whatever room there is. */
#include "algorithms/graph/plain.h"
#include "tests/lib/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEHIND     9  /* an end of a line, and zeros that may be read */
#define LINE_ROOM  96 /* no line is longer, and none of its own is taken with others */
#define LINES_MOST 3000

static uint64_t state_of_draws;
static uint32_t digits_most =
    8; /* of an id, where nothing is odd: lines of eight and of seven are taken by different ways */

static int
    points; /* weights have one, with up to 8 digits behind it (1), up to 18 (2), nothing but zeros (3), or up to 24 digits (4): more than 64 bits hold */

static uint32_t draw(uint32_t below)
{
    state_of_draws = state_of_draws * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state_of_draws >> 33) % below;
}

/* ---- texts ------------------------------------------------------------------------------------------- */

/* A number of so many digits. */
static int put_number(char *to, uint32_t digits)
{
    for (uint32_t i = 0; i < digits; i++)
        to[i] = (char)('0' + draw(10));
    return (int)digits;
}

static const char *gap(uint32_t odd)
{
    static const char *const odds[] = {"  ", " \t", ",", " , ", "", "\v", ":", "\n"};
    if (odd && draw(odd) == 0)
        return odds[draw(sizeof odds / sizeof *odds)];
    return draw(4) ? " " : "\t";
}

static const char *line_end(uint32_t odd)
{
    static const char *const odds[] = {" \n", "\r\n", " 1\n", "\n\n", "#\n", "\t\r\n"};
    return odd && draw(odd) == 0 ? odds[draw(sizeof odds / sizeof *odds)] : "\n";
}

static const char *weight_of(uint32_t odd)
{
    static const char *const odds[] = {
        "0.5",   "-3",   "1e3",      "123456789",
        "12.25", "1.5x", "00000012", "+7",
        "1.",    "x",    ".5",       "1.2.3",
        "-.5",   "2",    "3.5e1",    "0.000000000000000000000000000001"};
    static char number[40];
    int at = 0;
    if (odd && draw(odd) == 0)
        return odds[draw(sizeof odds / sizeof *odds)];
    at += put_number(number, points == 2 || points == 4 ? 1 : 1 + draw(8));
    if (points)
        number[at++] = '.';
    if (points == 3)
        for (uint32_t zeros = 1 + draw(10); zeros > 0; zeros--)
            number[at++] = '0';
    else if (points)
        at += put_number(number + at, 1 + draw(points == 1 ? 8 : points == 2 ? 18 : 24));
    number[at] = '\0';
    return number;
}

/* A line; one in about @p odd has something that is not usual in each of its places; 0: none has. */
static int put_line(char *to, const weir__plain_form *form, uint32_t odd)
{
    int at = 0;
    if (odd && draw(odd) == 0)
        at += sprintf(to + at, " ");
    if (form->letter)
        at += sprintf(to + at, "%c%s", odd && draw(odd) == 0 ? 'b' : form->letter, gap(odd));
    at += put_number(to + at, odd && draw(odd) == 0 ? draw(12) : 1 + draw(digits_most));
    at += sprintf(to + at, "%s", gap(odd));
    at += put_number(to + at, odd && draw(odd) == 0 ? draw(12) : 1 + draw(digits_most));
    if (form->weighted)
        at += sprintf(to + at, "%s%s", gap(odd), weight_of(odd));
    at += sprintf(to + at, "%s", line_end(odd));
    return at;
}

struct text {
    char *bytes; /* with BEHIND, and not a byte more */
    size_t count;
};

static struct text make_text(const weir__plain_form *form, uint32_t lines, uint32_t odd)
{
    char *room = malloc((size_t)lines * LINE_ROOM + LINE_ROOM);
    size_t count = 0;
    assert_non_null(room);
    for (uint32_t i = 0; i < lines; i++)
        count += (size_t)put_line(room + count, form, odd);
    if (count && draw(2))
        count--; /* the last line has no end of its own */
    struct text text = {.bytes = malloc(count + BEHIND), .count = count};
    assert_non_null(text.bytes);
    memcpy(text.bytes, room, count);
    memset(text.bytes + count, 0, BEHIND);
    text.bytes[count] = '\n';
    free(room);
    return text;
}

/* ---- one by one, and many at a time ------------------------------------------------------------------ */

static weir__plain arcs_of(const weir__plain_form *form, uint64_t room)
{
    weir__plain plain = {.room = room};
    plain.sources = malloc((room + 1) * sizeof *plain.sources);
    plain.targets = malloc((room + 1) * sizeof *plain.targets);
    plain.weights = form->weighted ? malloc((room + 1) * sizeof *plain.weights) : NULL;
    plain.integers = (uint32_t *)(void *)plain.weights;
    assert_true(plain.sources && plain.targets && (plain.weights || !form->weighted));
    return plain;
}

static void drop(weir__plain *plain)
{
    free(plain->sources);
    free(plain->targets);
    free(plain->weights);
}

/* Each line is a text of its own, which is too short for more than one at a time. @return bytes taken. */
static size_t one_by_one(const weir__plain_form *form, const struct text *text, weir__plain *all)
{
    size_t at = 0;
    while (at < text->count && all->count < all->room) {
        const char *begin = text->bytes + at;
        const size_t bytes =
            (size_t)((const char *)memchr(begin, '\n', text->count + 1 - at) - begin);
        char line[LINE_ROOM + BEHIND] = {0};
        weir__plain one = arcs_of(form, 1);
        assert_true(bytes < LINE_ROOM - 1);
        memcpy(line, begin, bytes + 1);
        if (weir__plain_take(form, 0, line, line + bytes + 1, &one) != line + bytes + 1 ||
            one.count != 1) {
            drop(&one);
            break;
        }
        all->tangled |= all->count > 0 &&
                        !weir__arc_above(all->sources[all->count - 1], all->targets[all->count - 1],
                                         one.sources[0], one.targets[0]);
        all->sources[all->count] = one.sources[0];
        all->targets[all->count] = one.targets[0];
        if (form->weighted)
            weir__plain_weigh(weir__plain_weight(&one, 0), all->count, all);
        all->highest = one.highest > all->highest ? one.highest : all->highest;
        all->loops += one.loops;
        all->count++;
        if (one.negative && !all->negative)
            all->negative = all->count;
        at += bytes + 1;
        drop(&one);
    }
    return at < text->count ? at : text->count;
}

static void assert_same(const weir__plain_form *form, const struct text *text, uint64_t room)
{
    weir__plain want = arcs_of(form, room), got = arcs_of(form, room);
    const size_t bytes = one_by_one(form, text, &want);
    const char *stop = weir__plain_take(form, 0, text->bytes, text->bytes + text->count, &got);
    if ((size_t)(stop - text->bytes) != bytes)
        fail_msg("%zu of %zu bytes in place of %zu, with room for %llu: %.60s",
                 (size_t)(stop - text->bytes), text->count, bytes, (unsigned long long)room,
                 text->bytes + bytes);
    assert_int_equal(got.count, want.count);
    assert_int_equal(got.lines, want.count);
    assert_int_equal(got.highest, want.highest);
    assert_int_equal(got.loops, want.loops);
    assert_int_equal(got.negative, want.negative);
    assert_memory_equal(got.sources, want.sources, want.count * sizeof *want.sources);
    assert_memory_equal(got.targets, want.targets, want.count * sizeof *want.targets);
    assert_int_equal(got.bytes, bytes);
    assert_int_equal(got.tangled, want.tangled);
    assert_int_equal(got.fractions, want.fractions);
    if (form->weighted && want.fractions)
        assert_memory_equal(got.weights, want.weights, want.count * sizeof *want.weights);
    else if (form->weighted)
        assert_memory_equal(got.integers, want.integers, want.count * sizeof *want.integers);
    drop(&want);
    drop(&got);
}

static const weir__plain_form forms[] = {
    {.low = 1, .high = 99999999},
    {.low = 1, .high = 99999900}, /* which some ids are above */
    {.commas = 1, .high = UINT32_MAX - 1},
    {.commas = 1, .weighted = 1, .high = UINT32_MAX - 1},
    {.weighted = 1, .integers = 1, .low = 1, .high = 99999999},
    {.letter = 'a', .low = 1, .high = 99999999},
    {.letter = 'a', .weighted = 1, .low = 1, .high = 99999999},
};
enum { FORMS = sizeof forms / sizeof *forms };

static void many_are_as_one_by_one(void **state)
{
    static const uint32_t odds[] = {0, 3, 30, 300, 3000};
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++)
        for (int f = 0; f < FORMS; f++)
            for (size_t o = 0; o < sizeof odds / sizeof *odds; o++) {
                state_of_draws = seed * 1000 + (uint64_t)f * 10 + o;
                digits_most = seed % 2 ? 7 : 8;
                points = forms[f].weighted && !forms[f].integers ? (int)(seed / 2 % 5) : 0;
                const uint32_t lines = 1 + draw(seed % 8 ? 300 : LINES_MOST);
                struct text text = make_text(&forms[f], lines, odds[o]);
                assert_same(&forms[f], &text, lines * 2);
                assert_same(&forms[f], &text, 1 + draw(lines));
                free(text.bytes);
            }
    points = 0;
}

/* The first line that is not plain is found wherever it stands, and what is behind it is not taken. */
static void the_first_other_line_ends_it(void **state)
{
    static const char *const others[] = {"# 12\n",  "12\n",    "1 2 3 4\n",
                                         "1  -2\n", "x 1 2\n", "1 123456789012\n"};
    (void)state;
    for (size_t o = 0; o < sizeof others / sizeof *others; o++)
        for (uint32_t before = 0; before < 700; before += 1 + before / 40) {
            const size_t bytes = before * 8, other = strlen(others[o]);
            struct text text = {.bytes = malloc(bytes + other + 2000 * 8 + BEHIND),
                                .count = bytes + other + 2000 * 8};
            assert_non_null(text.bytes);
            for (uint32_t i = 0; i < before; i++)
                memcpy(text.bytes + i * 8, "123 456\n", 8);
            memcpy(text.bytes + bytes, others[o], other);
            for (uint32_t i = 0; i < 2000; i++)
                memcpy(text.bytes + bytes + other + i * 8, "789 012\n", 8);
            memset(text.bytes + text.count, 0, BEHIND);
            text.bytes[text.count] = '\n';
            weir__plain got = arcs_of(&forms[2], 9999);
            assert_ptr_equal(
                weir__plain_take(&forms[2], 0, text.bytes, text.bytes + text.count, &got),
                text.bytes + bytes);
            assert_int_equal(got.count, before);
            drop(&got);
            free(text.bytes);
        }
}

/* Lines of one number and of two are no line of three, also where others nearby have a blank more, so that there are as many ends as
 * lines of three should have. */
static void ends_in_other_places_are_seen(void **state)
{
    static const char *const odds[] = {"1\n2 3\n", "1 2\n3\n"};
    (void)state;
    for (size_t o = 0; o < sizeof odds / sizeof *odds; o++)
        for (uint32_t before = 0; before < 20; before++) {
            char *bytes = calloc(64 * LINE_ROOM, 1);
            size_t count = 0, odd;
            assert_non_null(bytes);
            for (uint32_t i = 0; i < before; i++)
                count += (size_t)sprintf(bytes + count, "12 345 67\n");
            odd = count;
            count += (size_t)sprintf(bytes + count, "%s", odds[o]);
            for (uint32_t i = 0; i < 40; i++)
                count += (size_t)sprintf(bytes + count,
                                         i < 20 || i > 22 ? "12 345 67\n" : "12 345 67 \n");
            weir__plain got = arcs_of(&forms[3], 9999);
            bytes[count] = '\n';
            assert_ptr_equal(weir__plain_take(&forms[3], 0, bytes, bytes + count, &got),
                             bytes + odd);
            assert_int_equal(got.count, before);
            drop(&got);
            free(bytes);
        }
}

/* Lines that have as many numbers as they should, or as many ends, and are none of their form all the same; and weights of more digits than
 * 64 bits hold, the last of which would be a small number in 64 bits: they are taken as one by one wherever they stand. */
static void lines_that_look_right_are_seen(void **state)
{
    static const struct {
        int form;
        const char *others, *odd;
    } cases[] = {{6, "a 12 345 6\n", "a1 2 3 4\n"},
                 {6, "a 12 345 6\n", "aa 1 2 3\n"},
                 {6, "a 12 345 6\n", "1 a 2 3\n"},
                 {6, "a 12 345 6\n", "1 1 2 3\n"},
                 {6, "a 12 345 6\n", "a\n1 2 3\n"},
                 {3, "12 345 6.7\n", "1.2 3 4\n"},
                 {3, "12 345 6.7\n", "1 2.3 4\n"},
                 {3, "12 345 6.7\n", "1.2.3.4\n"},
                 {3, "12 345 6.7\n", "1 2 3 4\n"},
                 {3, "12 345 6.7\n", "1 2 3.4 5\n"},
                 {3, "12 345 6.7\n", "1 2 123456789.5\n"},
                 {3, "12 345 6.7\n", "1 2 0.99999999999999999999\n"},
                 {3, "12 345 6.7\n", "1 2 18446744.0737095516160012345678\n"},
                 {3, "12 345 6.7\n", "1 2 0.0000000000000000000001\n"},
                 {3, "12 345 6.7\n", "1 2 0.00000000000000000000001\n"},
                 {3, "12 345 67\n", "1,2,3\n"},
                 {4, "12 345 67\n", "1,2,3\n"},
                 {2, "12 345\n", "1\n2 3 4\n"}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (uint32_t before = 0; before < 40; before++) {
            struct text text = {.bytes = calloc(100 * LINE_ROOM, 1)};
            assert_non_null(text.bytes);
            for (uint32_t i = 0; i < before + 41; i++)
                text.count += (size_t)sprintf(text.bytes + text.count, "%s",
                                              i == before ? cases[c].odd : cases[c].others);
            text.bytes[text.count] = '\n';
            assert_same(&forms[cases[c].form], &text, 100);
            free(text.bytes);
        }
}

/* Arcs one above the other but for one step back, in any lane, and between lines taken at once and those taken by themselves. */
static void steps_back_are_seen(void **state)
{
    enum { ARCS = 700, WIDTH = 18 };
    (void)state;
    for (uint32_t wrong = 0; wrong < ARCS; wrong++)
        for (int kind = 0; kind < 3; kind++) {
            char *bytes = calloc(ARCS * WIDTH + BEHIND, 1);
            weir__plain got = arcs_of(&forms[2], ARCS);
            size_t count = 0;
            assert_non_null(bytes);
            for (uint32_t i = 0; i < ARCS; i++) {
                const uint32_t source = 1000 + i / 10 - (kind == 1 && i == wrong ? i / 10 + 1 : 0),
                               target = 100 + i - (kind == 2 && i == wrong && i % 10 ? 1 : 0);
                const char *long_one = i % 97 == 5 ? "0000" : ""; /* which is left to others */
                count += (size_t)sprintf(bytes + count, "%s%06u %u\n", long_one, source, target);
            }
            assert_ptr_equal(weir__plain_take(&forms[2], 0, bytes, bytes + count, &got),
                             bytes + count);
            assert_int_equal(got.count, ARCS);
            assert_int_equal(got.tangled,
                             (kind == 1 && wrong > 0) || (kind == 2 && wrong % 10 != 0));
            drop(&got);
            free(bytes);
        }
}

/* Weights with a point, too, but those of lines that begin with a letter. */
static void a_processor_that_can_takes_many(void **state)
{
    (void)state;
    for (int f = 0; f < 2 * FORMS + 3; f++) {
        points = f < 2 * FORMS ? 0 : 1 + f - 2 * FORMS;
        const weir__plain_form all = {.letter = points ? 0 : forms[f % FORMS].letter,
                                      .weighted = points || forms[f % FORMS].weighted,
                                      .high = UINT32_MAX - 1};
        digits_most = f < FORMS ? 8 : 7;
        state_of_draws = 7;
        struct text text = make_text(&all, 2000, 0);
        weir__plain plain = arcs_of(&all, 2000);
        const char *stop = weir__plain_stretches(&all, text.bytes, text.bytes + text.count, &plain);
        if (stop == text.bytes) {
            print_message("skipped: this processor takes lines one by one\n");
            drop(&plain);
            free(text.bytes);
            skip();
        }
        /* Less than a step of the text is left, and less than sixteen lines that end in front of it. */
        assert_true((size_t)(text.bytes + text.count - stop) < 64 + 16 * LINE_ROOM);
        assert_in_range(plain.count, 1960, 2000);
        assert_int_equal(plain.fractions, points == 1 || points == 2);
        drop(&plain);
        free(text.bytes);
    }
    points = 0;
}

/* Where the source is another one than before, in runs of all lengths. */
static void runs_begin_where_sources_change(void **state)
{
    enum { ARCS = 500 };
    uint32_t sources[ARCS];
    struct weir__run runs[ARCS + 1];
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        weir__plain plain = {.sources = sources, .runs = runs};
        uint64_t at = 0;
        state_of_draws = seed;
        plain.count = draw(ARCS + 1);
        const uint32_t length = 1 + draw(40);
        for (uint64_t i = 0; i < plain.count; i++)
            sources[i] = (i ? sources[i - 1] : draw(2)) + (draw(length) == 0 ? 1 + draw(3) : 0);
        weir__plain_mark_runs(&plain);
        for (uint64_t i = 0; i < plain.count; i++)
            if (i == 0 || sources[i] != sources[i - 1]) {
                assert_true(at < plain.run_count);
                assert_int_equal(runs[at].source, sources[i]);
                assert_int_equal(runs[at++].begin, i);
            }
        assert_int_equal(plain.run_count, at);
    }
}

/* A weight with a point is the double that the C library makes of it. */
static void decimals_are_the_nearest_doubles(void **state)
{
    const weir__plain_form form = {.weighted = 1, .high = 9};
    (void)state;
    state_of_draws = 5;
    for (uint32_t i = 0; i < 20000; i++) {
        char line[LINE_ROOM + BEHIND] = "1 2 ";
        int at = 4;
        at += put_number(line + at, 1 + draw(10));
        line[at++] = '.';
        at += put_number(line + at, 1 + draw(10));
        const double want = strtod(line + 4, NULL);
        line[at++] = '\n';
        weir__plain got = arcs_of(&form, 1);
        assert_ptr_equal(weir__plain_take(&form, 0, line, line + at, &got), line + at);
        assert_int_equal(got.count, 1);
        assert_true(weir__plain_weight(&got, 0) == want);
        drop(&got);
    }
}

/* ---- pieces that are cut into numbers --------------------------------------------------------------- */

#define RUN_MOST 150u

/* Rows of numbers. One byte in about @p odd is another one. In some texts there are runs of a byte that registers of 64 do not hold. */
static struct text make_rows(uint32_t bytes, uint32_t odd)
{
    static const char others[] = "%-.x\r\v", runs[] = "01 ";
    const uint32_t longs = draw(4) ? 0 : 300;
    struct text text = {.bytes = calloc(bytes + RUN_MOST + 32, 1)};
    assert_non_null(text.bytes);
    while (text.count < bytes) {
        char *to = text.bytes + text.count;
        const uint32_t kind = draw(12);
        int length = 1;
        if (odd && draw(odd) == 0)
            *to = others[draw(sizeof others - 1)];
        else if (longs && draw(longs) == 0)
            memset(to, runs[draw(sizeof runs - 1)], (size_t)(length = 1 + (int)draw(RUN_MOST)));
        else if (kind < 2)
            *to = '\n';
        else if (kind < 4)
            *to = kind == 2 ? ' ' : '\t';
        else
            length = put_number(to, 1 + draw(digits_most)) + sprintf(to + strlen(to), " ");
        text.count += (size_t)length;
    }
    char *exact = malloc(text.count + 8);
    assert_non_null(exact);
    memcpy(exact, text.bytes, text.count + 8);
    free(text.bytes);
    text.bytes = exact;
    return text;
}

/* The same by one number after the other. @return bytes; 0 where a number is too long, 0, or above @p high. */
static size_t cut_slowly(const struct text *text, uint64_t high, uint32_t *numbers,
                         struct weir__cut *cut)
{
    const size_t most = text->count < WEIR__CUT_BYTES ? text->count : WEIR__CUT_BYTES;
    size_t bytes = 0, begin = 0;
    for (size_t i = 0; i < most && (strchr("0123456789 \t\n", text->bytes[i]) && text->bytes[i]);
         i++) {
        if (text->bytes[i] >= '0')
            continue;
        if (i > begin) {
            const uint64_t value = strtoull(text->bytes + begin, NULL, 10);
            if (i - begin > 8 || value < 1 || value > high)
                return 0;
            numbers[cut->numbers++] = (uint32_t)(value - 1);
        }
        begin = bytes = i + 1;
        if (text->bytes[i] == '\n') {
            cut->stop[cut->lines] = (uint16_t)cut->numbers;
            cut->end[cut->lines++] = (uint16_t)bytes;
        }
    }
    return bytes;
}

static void pieces_are_cut_as_number_by_number(void **state)
{
    enum { ROOM = 4200 };
    static uint32_t want_numbers[ROOM], numbers[ROOM];
    static struct weir__cut want, cut;
    uint32_t cuts = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        state_of_draws = seed;
        digits_most = seed % 7 == 0 ? 9 : 1 + draw(8);
        struct text text =
            make_rows(1 + draw(seed % 3 ? 300 : 9000), seed % 2 ? 0 : 1 + draw(3000));
        const uint64_t high = draw(4) ? UINT32_MAX - 1 : 1 + draw(99999999);
        want.numbers = want.lines = 0;
        const size_t bytes = cut_slowly(&text, high, want_numbers, &want);
        weir__plain_cut(text.bytes, text.bytes + text.count, high, numbers, ROOM, &cut);
        cuts += cut.bytes > 0;
        if (cuts) { /* else this processor cuts nothing */
            assert_int_equal(cut.bytes, bytes);
            assert_int_equal(bytes ? cut.numbers : want.numbers, want.numbers);
            if (bytes) {
                assert_int_equal(cut.lines, want.lines);
                assert_memory_equal(cut.stop, want.stop, want.lines * sizeof *want.stop);
                assert_memory_equal(cut.end, want.end, want.lines * sizeof *want.end);
                assert_memory_equal(numbers, want_numbers, want.numbers * sizeof *numbers);
            }
        }
        free(text.bytes);
    }
    if (!cuts) {
        print_message("skipped: this processor takes rows one by one\n");
        skip();
    }
}

/* Vertices of which one is even and the other odd, but for one in four of such pairs. */
static int are_neighbours(uint32_t v, uint32_t t)
{
    return (v + t) % 2 == 1 && (v + t) % 8 != 1;
}

/* That a long row names no vertex twice is seen in a sorted copy, which leaves alone what was cut behind the row: each row here names its
 * neighbours from the last one on, and the row behind it names others. */
static void long_rows_leave_those_behind_alone(void **state)
{
    enum { N = 120, ROOM = N * N };
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        const weir__plain_form form = {.rows = 1, .weighted = weighted, .high = N};
        char *bytes = calloc((size_t)N * N * 8 + BEHIND, 1);
        weir__plain got = arcs_of(&form, ROOM);
        size_t count = 0;
        uint64_t at = 0;
        assert_non_null(bytes);
        for (uint32_t v = 0; v < N; v++, bytes[count++] = '\n')
            for (uint32_t t = N; t-- > 0;)
                if (are_neighbours(v, t)) {
                    count += (size_t)sprintf(bytes + count, "%u ", t + 1);
                    if (weighted)
                        count += (size_t)sprintf(bytes + count, "%u ", 1 + v + t);
                }
        assert_ptr_equal(weir__plain_take(&form, 0, bytes, bytes + count, &got), bytes + count);
        assert_int_equal(got.rows, N);
        assert_int_equal(got.balance, 0);
        for (uint32_t v = 0; v < N; v++)
            for (uint32_t t = N; t-- > 0;)
                if (are_neighbours(v, t)) {
                    assert_true(at < got.count);
                    assert_int_equal(got.sources[at], v);
                    assert_int_equal(got.targets[at], t);
                    if (weighted)
                        assert_int_equal(got.integers[at], 1 + v + t);
                    at++;
                }
        assert_int_equal(got.count, at);
        drop(&got);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_are_as_one_by_one),
        cmocka_unit_test(the_first_other_line_ends_it),
        cmocka_unit_test(ends_in_other_places_are_seen),
        cmocka_unit_test(lines_that_look_right_are_seen),
        cmocka_unit_test(steps_back_are_seen),
        cmocka_unit_test(a_processor_that_can_takes_many),
        cmocka_unit_test(runs_begin_where_sources_change),
        cmocka_unit_test(decimals_are_the_nearest_doubles),
        cmocka_unit_test(pieces_are_cut_as_number_by_number),
        cmocka_unit_test(long_rows_leave_those_behind_alone),
    };
    const int ways = weir__plain_ways();
    int failed = 0;
    for (int way = ways; way > 1 || way == ways; way--) { /* each that takes many */
        weir__plain_pretend(way);
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
