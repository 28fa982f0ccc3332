/** @file plain.c  Plain lines. Digits are looked at eight at a time, in one word: how many there are and what they come to
 * takes a dozen operations and no jump, where a loop over them would be mispredicted at the end of nearly each number. */
#include "algorithms/graph/deal.h"
#include "algorithms/graph/decimal.h"
#include "algorithms/graph/lanes.h"
#include "algorithms/graph/load.h"
#include "algorithms/graph/metis_text.h"

#include <math.h>
#include <string.h>

#define SORT_NAME   sort_targets
#define SORT_TYPE   uint32_t
#define SORT_KEY(x) (x)
#include "algorithms/graph/sort_tmpl.h"

#define BYTES(b) (UINT64_C(0x0101010101010101) * (b))

/* Digits that a number of 64 bits holds, all of them. */
#define EXACT_DIGITS 18

static inline uint64_t eight(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The number of eight digits, 0 to 9 each, the first one in the lowest byte: pairs, then fours, then all. */
static inline uint64_t value_of(uint64_t digits)
{
    digits = digits * 10 + (digits >> 8);
    return ((digits & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064) +
            (digits >> 16 & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x0000271000000001)) >>
           32;
}

/* How many of eight bytes are digits, as bits, up to the first that is none; of 64 all are. @param[in] digits  the bytes, those of zeros taken away. */
static inline unsigned bits_of(uint64_t digits)
{
    /* The top bit of each byte that is above 9. */
    const uint64_t others = (((digits & BYTES(0x7F)) + BYTES(0x76)) | digits) & BYTES(0x80);
    return others ? (unsigned)__builtin_ctzll(others) & 56 : 64;
}

/* What is behind eight digits that come to @p value. */
static __attribute__((noinline)) const char *take_more(const char *at, uint64_t value,
                                                       uint64_t *value_out)
{
    const char *c = at + 8;
    const uint64_t digits = eight(c) ^ BYTES('0');
    const unsigned bits = bits_of(digits);
    if (bits > 0) {
        value = value * weir__tens[bits / 8] + value_of(digits << (64 - bits));
        c += bits / 8;
    }
    for (; bits == 64 && (unsigned)*c - '0' < 10u; c++) {
        if (value > (UINT64_MAX >> 1) / 10 - 1)
            return at;
        value = value * 10 + (uint64_t)(*c - '0');
    }
    *value_out = value;
    return c;
}

/* Take digits. @return the character behind them; @p at: there are none, or they come to 2^63 or more. */
static inline const char *take_digits(const char *at, uint64_t *value_out)
{
    const uint64_t digits = eight(at) ^ BYTES('0');
    const unsigned bits = bits_of(digits);
    if (__builtin_expect(bits == 64, 0))
        return take_more(at, value_of(digits), value_out);
    if (bits == 0)
        return at;
    *value_out = value_of(digits << (64 - bits)); /* zeros in front */
    return at + bits / 8;
}

static inline int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Step over what parts two numbers. @return @p at: nothing does. */
static inline const char *take_gap(const weir__plain_form *form, const char *at)
{
    if (__builtin_expect(is_blank(at[0]) && (unsigned)at[1] - '0' < 10u, 1))
        return at + 1;
    const char *c = weir__skip(at);
    return form->commas && *c == ',' ? weir__skip(c + 1) : c;
}

static inline int ends(char c)
{
    return is_blank(c) || c == '\n' || c == '\r';
}

/* Take a weight as weir__take_real() and weir__take_integer() would. @return @p at: they would not, or it is none. */
static inline const char *take_weight(const weir__plain_form *form, const char *at,
                                      double *weight_out)
{
    uint64_t whole;
    const char *c = take_digits(at, &whole);
    const long digits = c - at;
    if (digits > 0 && ends(*c)) {
        *weight_out = (double)whole; /* below 2^63, and rounded once */
        return c;
    }
    if (digits > 0 && *c == '.' && !form->integers) {
        uint64_t part;
        const char *stop = take_digits(c + 1, &part);
        const long more = stop - (c + 1);
        if (more > 0 && digits + more <= EXACT_DIGITS && ends(*stop)) {
            const uint64_t mantissa = whole * weir__tens[more] + part;
            *weight_out = weir__decimal(mantissa, (unsigned)more);
            return stop;
        }
    }
    c = weir__parse_real(at, weight_out);
    if (!c || !ends(*c) || !isfinite(*weight_out))
        return at;
    for (const char *i = at; form->integers && i < c; i++)
        if (*i == '.' || *i == 'e' || *i == 'E')
            return at;
    return c;
}

/* The two ids of a line and its weight. @return the first byte of the next line; NULL: it is not plain. */
static inline const char *take_line(const weir__plain_form *form, const char *at, uint64_t id[2],
                                    double *weight)
{
    const char *c = weir__skip(at);
    if (form->letter) {
        if (c[0] != form->letter || !is_blank(c[1]))
            return NULL;
        c = weir__skip(c + 1);
    }
    if ((at = take_digits(c, &id[0])) == c || (c = take_gap(form, at)) == at ||
        (at = take_digits(c, &id[1])) == c)
        return NULL;
    if (form->weighted &&
        ((c = take_gap(form, at)) == at || (at = take_weight(form, c, weight)) == c))
        return NULL;
    if (__builtin_expect(*at != '\n', 0)) {
        at = weir__skip(at);
        at += at[0] == '\r' && at[1] == '\n';
        if (*at != '\n')
            return NULL;
    }
    return at + 1;
}

/* Lines that are taken one by one before many are tried again. */
#define LINES_BETWEEN 32u
/* Bytes that were taken many at a time, at least, where the next are tried so soon again. */
#define TRIED_LEAST 2048

static const char *take_lines(const weir__plain_form *form, const char *text, const char *end,
                              weir__plain *plain)
{
    uint64_t id[2] = {0, 0};
    double weight = 0;
    uint32_t alone = 0;
    while (text < end && plain->count < plain->room) {
        if (alone == 0) {
            const char *begin = text;
            text = weir__plain_stretches(form, text, end, plain);
            /* The one that was left may be the only such; but a look at many costs more than a few of them one by one. */
            alone = text - begin < TRIED_LEAST ? LINES_BETWEEN : 1;
            continue;
        }
        const char *next = take_line(form, text, id, &weight);
        if (!next || !weir__plain_keep(form, id[0], id[1], weight, plain))
            break;
        alone--;
        text = next < end ? next : end; /* the last line may have no end of its own */
    }
    plain->lines = plain->count;
    return text;
}

/* ---- rows of METIS text -------------------------------------------------------------------------- */

#define SHORT_ROW 32u /* of which each target is looked for among those before */

static int ascends(const uint32_t *row, uint64_t count)
{
    uint64_t i = 1;
    while (i < count && row[i - 1] < row[i])
        i++;
    return i >= count;
}

/* Whether no target of a row comes twice. @param[in] spare  memory behind the row. @return 0: one does, or there is no room to see. */
static int differ(const uint32_t *row, uint64_t count, uint32_t *spare, uint64_t room)
{
    if (count <= SHORT_ROW) {
        for (uint64_t i = 1; i < count; i++)
            for (uint64_t j = 0; j < i; j++)
                if (row[j] == row[i])
                    return 0;
        return 1;
    }
    if (count > room)
        return 0;
    memcpy(spare, row, count * sizeof *row);
    sort_targets(spare, count, 24);
    return ascends(spare, count);
}

/* Past a comment. @return NULL: it holds a zero, which is no text. */
static const char *skip_comment(const char *at)
{
    const char *stop = strchr(at, '\n');
    return stop ? stop + 1 : NULL;
}

/* Whether a number ends there, as a blank or the end of its line does it. */
static inline int parts(const char *at)
{
    return is_blank(*at) || *at == '\n' || (at[0] == '\r' && at[1] == '\n');
}

/* What a row is. */
struct row_facts {
    int tangled, loop;
};

/* Look at the arcs of a row, which get their sources: one by one up to LANES, as many at a time behind the first one, the last ones of which may be
 * looked at twice. */
static inline struct row_facts look_at_row(uint32_t source, uint64_t begin, uint64_t end,
                                           weir__plain *plain)
{
    const uint32_t *targets = plain->targets;
    const lanes own = {source, source, source, source};
    struct row_facts facts = {0, targets[begin] == source};
    lanes descents = {0}, loops = {0};
    plain->sources[begin] = source;
    if (end - begin <= LANES) {
        for (uint64_t i = begin + 1; i < end; i++) {
            facts.tangled |= targets[i - 1] >= targets[i];
            facts.loop |= targets[i] == source;
            plain->sources[i] = source;
        }
        return facts;
    }
    for (uint64_t i = begin + 1; i < end; i += LANES) {
        const uint64_t at = i + LANES <= end ? i : end - LANES;
        const lanes here = load_lanes(targets + at);
        descents |= (lanes)(load_lanes(targets + at - 1) >= here);
        loops |= (lanes)(here == own);
        memcpy(plain->sources + at, &own, sizeof own);
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        facts.tangled |= descents[lane] != 0;
        facts.loop |= loops[lane] != 0;
    }
    return facts;
}

/* What the numbers that reverse.h gives the targets of a row add up to, times those of weights. */
static struct weir__reverse sum_row(const weir__plain_form *form, uint64_t begin, uint64_t end,
                                    const weir__plain *plain)
{
    const uint32_t *targets = plain->targets + begin;
    struct weir__reverse sums = {0, 0, 0};
    if (!form->weighted || !plain->fractions)
        return weir__reverse_sums(WEIR__REVERSE_TWO, targets,
                                  form->weighted ? plain->integers + begin : NULL, 1, 1,
                                  end - begin);
    for (uint64_t i = begin; i < end; i++) { /* some weight has more than 32 bits */
        const struct weir__reverse of = weir__reverse_of(plain->targets[i] + 1);
        const uint64_t weight = weir__reverse_weight((uint64_t)plain->weights[i]);
        sums.first += weight * of.first;
        sums.second += weight * of.second;
    }
    return sums;
}

/* The row of @p vertex, from 1, has the targets that lie behind those of the arcs there are, up to @p end. @param[in] spare  behind it memory for targets is
 * free. @return 0: it is none that METIS has, or there is no room to see. */
static int keep_row(const weir__plain_form *form, uint64_t vertex, uint64_t end, uint64_t spare,
                    weir__plain *plain)
{
    const uint64_t begin = plain->count;
    const uint32_t source = (uint32_t)(vertex - 1);
    if (begin == end)
        return 1;
    const struct row_facts facts = look_at_row(source, begin, end, plain);
    if (facts.loop || (facts.tangled && !differ(plain->targets + begin, end - begin,
                                                plain->targets + spare, plain->room - spare)))
        return 0;
    /* weir__metis_balance() of each arc, with what they have in common taken out of the sums. */
    const struct weir__reverse own = weir__reverse_of((uint32_t)vertex),
                               sums = sum_row(form, begin, end, plain);
    plain->balance += (form->weighted ? 1 : weir__reverse_weight(0)) *
                      (own.first * sums.second - own.second * sums.first);
    plain->tangled |= facts.tangled;
    plain->count = end;
    return 1;
}

/* The row of @p vertex, from 1. @return the first byte of the next line; NULL: it is not plain, or there is no room. */
static inline const char *take_row(const weir__plain_form *form, uint64_t vertex, const char *at,
                                   weir__plain *plain)
{
    uint64_t id, weight = 0, count = plain->count;
    const char *c;
    for (uint32_t i = 0; i < form->first; i++, at = weir__skip(c))
        if ((c = take_digits(at, &id)) == at || !parts(c))
            return NULL;
    while (*at != '\n' && *at != '\r') {
        if ((c = take_digits(at, &id)) == at || !parts(c) || id - 1 >= form->high ||
            count == plain->room)
            return NULL;
        if (form->weighted) {
            at = weir__skip(c);
            if ((c = take_digits(at, &weight)) == at || !parts(c) ||
                weight > WEIR__METIS_WEIGHT_MAX)
                return NULL;
            weir__plain_weigh((double)weight, count, plain);
        }
        plain->targets[count++] = (uint32_t)(id - 1);
        at = is_blank(c[0]) && (unsigned)c[1] - '0' < 10u ? c + 1 : weir__skip(c);
    }
    at += *at == '\r';
    return *at == '\n' && keep_row(form, vertex, count, count, plain) ? at + 1 : NULL;
}

/* A row of which some numbers were seen. */
struct row_so_far {
    uint64_t end;  /* behind its targets, in memory */
    unsigned half; /* 1: the last one has no weight yet */
};

/* What it is when @p count numbers more were seen. */
static struct row_so_far row_behind(const weir__plain_form *form, struct row_so_far row,
                                    unsigned count)
{
    if (!form->weighted)
        return (struct row_so_far){row.end + count, 0};
    return (struct row_so_far){row.end + (count + 1 - row.half) / 2, (count ^ row.half) & 1};
}

/* Targets and weights in turn, whatever rows they are of, to their places. @return 0: a target is no vertex, or there is no room. */
static int put_pairs(const weir__plain_form *form, const uint32_t *numbers, unsigned count,
                     struct row_so_far row, weir__plain *plain)
{
    uint32_t *targets = plain->targets + row.end, *weights = plain->integers + row.end;
    if (plain->room - row.end < count)
        return 0;
    if (row.half && count > 0) {
        weights[-1] = *numbers++ + 1;
        count--;
    }
    const unsigned pairs = count / 2;
    if (weir__plain_part(numbers, pairs, targets, weights) >= form->high)
        return 0;
    if (count % 2)
        targets[pairs] = numbers[count - 1];
    return count % 2 == 0 || targets[pairs] < form->high;
}

/* Rows that are nothing but targets, or targets with weights, many numbers at a time. @return the first byte of the first row that was not taken. */
static const char *take_many_rows(const weir__plain_form *form, uint64_t before, const char *text,
                                  const char *end, weir__plain *plain)
{
    uint32_t pairs[WEIR__CUT_BYTES];
    struct weir__cut cut;
    struct row_so_far row = {plain->count, 0};
    const char *at = text;
    if (form->first || plain->fractions)
        return text;
    for (;;) {
        weir__plain_cut(at, end, form->weighted ? UINT32_MAX : form->high,
                        form->weighted ? pairs : plain->targets + row.end,
                        form->weighted ? WEIR__CUT_BYTES : plain->room - row.end, &cut);
        if (!cut.bytes || (form->weighted && !put_pairs(form, pairs, cut.numbers, row, plain)))
            return text;
        const struct row_so_far last = row_behind(form, row, cut.numbers);
        for (unsigned line = 0; line < cut.lines; line++) {
            const uint64_t vertex = before + plain->rows + 1;
            const struct row_so_far whole = row_behind(form, row, cut.stop[line]);
            if (whole.half || vertex > form->high ||
                !keep_row(form, vertex, whole.end, last.end, plain))
                return text;
            plain->rows++;
            plain->lines++;
            text = at + cut.end[line];
        }
        row = last;
        at += cut.bytes;
    }
}

static const char *take_rows(const weir__plain_form *form, uint64_t before, const char *text,
                             const char *end, weir__plain *plain)
{
    uint32_t alone = 0;
    while (text < end) {
        if (alone == 0) {
            const char *begin = text;
            text = take_many_rows(form, before, text, end, plain);
            alone = text - begin < TRIED_LEAST ? LINES_BETWEEN : 1;
            continue;
        }
        const char *at = weir__skip(text), *next;
        const int comment = *at == '%';
        if (!comment && before + plain->rows >= form->high)
            break;
        next = comment ? skip_comment(at) : take_row(form, before + plain->rows + 1, at, plain);
        if (!next)
            break;
        plain->rows += !comment;
        plain->lines++;
        alone--;
        text = next < end ? next : end; /* the last line may have no end of its own */
    }
    return text;
}

uint64_t weir__plain_rows(const char *text, const char *end, int *inside)
{
    enum {
        BETWEEN,
        WITHIN,
        BLANK
    }; /* BLANK: within a line that is nothing else so far, and may be a comment */
    uint64_t rows = 0;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        int now = WITHIN;
        if (*inside != WITHIN) {
            while (text < end && is_blank(*text))
                text++;
            now = text == end ? BLANK : WITHIN;
            rows += text < end && *text != '%';
        }
        *inside = stop ? BETWEEN : now;
        text = stop ? stop + 1 : end;
    }
    return rows;
}

#define SKIP 8u /* arcs that are looked at together */

void weir__plain_mark_runs(weir__plain *plain)
{
    const uint32_t *sources = plain->sources;
    const uint64_t count = plain->count;
    uint64_t runs = 0, before = UINT64_MAX;
    for (uint64_t i = 0; i < count;) {
        const uint64_t stop = i + SKIP < count ? i + SKIP : count;
        if (sources[stop - 1] == before) { /* all are of the last run: sources ascend */
            i = stop;
            continue;
        }
        for (; i < stop; i++) {
            plain->runs[runs] = (struct weir__run){sources[i], (uint32_t)i};
            runs += sources[i] != before;
            before = sources[i];
        }
    }
    plain->run_count = runs;
}

const char *weir__plain_take(const weir__plain_form *form, uint64_t before, const char *text,
                             const char *end, weir__plain *plain)
{
    plain->highest = plain->loops = plain->negative = 0;
    plain->count = plain->lines = plain->rows = plain->balance = 0;
    plain->fractions = plain->tangled = 0;
    plain->integers = (uint32_t *)(void *)plain->weights;
    const char *stop =
        form->rows ? take_rows(form, before, text, end, plain) : take_lines(form, text, end, plain);
    plain->bytes = (uint64_t)(stop - text);
    return stop;
}

/* Lines become longer where ids do: those in front tell the most that a file may have, and an eighth is for those that do not. */
static void expect(weir__arcs *arcs, const weir__plain *plain, uint64_t bytes, uint64_t most)
{
    if (arcs->expected || bytes == UINT64_MAX || !plain->count)
        return;
    const double each = (double)plain->bytes / (double)plain->count;
    const double expected = (double)bytes / each * 1.125 + 1;
    arcs->expected = expected < (double)most ? (uint64_t)expected : most;
}

weir_status weir__arcs_add_plain(weir__arcs *arcs, weir__reader *reader, uint64_t most,
                                 weir__plain *sum)
{
    weir__plain *plain;
    weir_status status;
    while (!(status = weir__reader_plain(reader, most - weir__arcs_entries(arcs), &plain)) &&
           plain) {
        if (plain->negative && !arcs->negative_line)
            arcs->negative_line = weir__reader_number(reader) - plain->lines + plain->negative;
        if (sum) {
            sum->highest = plain->highest > sum->highest ? plain->highest : sum->highest;
            sum->loops += plain->loops;
            sum->count += plain->count;
            sum->rows += plain->rows;
            sum->balance += plain->balance;
        }
        expect(arcs, plain, weir__reader_size(reader), most);
        if ((status = weir__arcs_append(arcs, plain)))
            break;
        if (arcs->early)
            weir__reader_deal(reader, arcs->early);
    }
    return status;
}
