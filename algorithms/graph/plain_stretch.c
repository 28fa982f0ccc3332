/** @file plain_stretch.c  Plain lines by a processor with wide registers: which taker has which, and the one that has all that the others leave,
 * with a letter in front, numbers of eight digits or weights with a point.
 *
 * The places where lines begin go into one list, and those behind what parts two numbers into another. A line is plain if its places of both
 * lists, put into order, are one to eight digits apart, so that no byte is looked at again. */
#include "algorithms/graph/plain_wide.h"

#if WEIR__PLAIN_WIDE
#include "algorithms/graph/decimal.h"

/* Places of a list in STEP bytes of most texts, at the most: so many are written in any case, a multiple of four. */
#define ENDS_USUAL   8u
#define GAPS_USUAL   8u
#define POINTS_USUAL 8u

/* Places in a stretch, each behind the byte that makes it one. */
struct places {
    uint16_t begins[STRETCH + STEP]; /* of lines, the first one at 0 */
    uint16_t gaps[STRETCH + STEP];   /* of numbers that are not the first of a line */
    uint16_t points[STRETCH + STEP]; /* of what is behind the point of a weight */
    unsigned lines, gap_count, point_count;
};

/* What the third number of a line is. */
enum third { NO_WEIGHT, WHOLE, POINTED };

/* Cut a stretch into numbers, up to the first byte that no plain line has there. */
INSIDE void find_places(const weir__plain_form *form, const char *text, unsigned bytes, int letter,
                        enum third third, struct places *places)
{
    const struct look look = {.zero = _mm256_set1_epi8('0'),
                              .nine = _mm256_set1_epi8(9),
                              .blank = _mm256_set1_epi8(' '),
                              .tab = _mm256_set1_epi8('\t'),
                              .other = _mm256_set1_epi8(form->commas ? ',' : ' '),
                              .end = _mm256_set1_epi8('\n'),
                              .mark = _mm256_set1_epi8(letter ? form->letter : '.')};
    unsigned lines = 0, gap_count = 0, point_count = 0;
    uint64_t begins = 1, behind = 0; /* what of the step before reaches into this one */
    places->begins[0] = 0;
    for (unsigned at = 0; at < bytes; at += STEP) {
        struct kinds kinds = kinds_of(text + at, &look, letter || third == POINTED);
        uint64_t odd = ~(kinds.digits | kinds.gaps | kinds.ends | kinds.marks);
        if (letter) { /* stands at the begin of each line and there alone, and a gap follows, which is none between numbers */
            const uint64_t first = kinds.ends << 1 | begins, next = kinds.marks << 1 | behind;
            odd |= (kinds.marks ^ first) | (next & ~kinds.gaps);
            kinds.gaps &= ~next;
            begins = kinds.ends >> 63;
            behind = kinds.marks >> 63;
        }
        const uint64_t before = odd ? (odd & -odd) - 1 : UINT64_MAX;
        lines += put_places(kinds.ends & before, at + 1, ENDS_USUAL, places->begins + 1 + lines);
        gap_count +=
            put_places(kinds.gaps & before, at + 1, third == WHOLE ? MORE_GAPS_USUAL : GAPS_USUAL,
                       places->gaps + gap_count);
        if (third == POINTED)
            point_count += put_places(kinds.marks & before, at + 1, POINTS_USUAL,
                                      places->points + point_count);
        if (odd)
            break;
    }
    places->gaps[gap_count] = places->points[point_count] = UINT16_MAX; /* behind all lines */
    places->lines = lines;
    places->gap_count = gap_count;
    places->point_count = point_count;
}

/* Every second of sixteen places, the first or the second one. */
INSIDE __m128i every_second(const uint16_t *places, int second)
{
    const __m128i low = places_at(places), high = places_at(places + 8),
                  mask = _mm_set1_epi32(0xFFFF);
    return second ? _mm_packus_epi32(_mm_srli_epi32(low, 16), _mm_srli_epi32(high, 16))
                  : _mm_packus_epi32(_mm_and_si128(low, mask), _mm_and_si128(high, mask));
}

/* ---- weights with a point -------------------------------------------------------------------------- */

#define BEHIND_MOST 24u /* digits behind the point: three times eight */

/* Eight weights. */
struct pointed {
    __m256i whole, part;    /* in front of the points, and behind them */
    uint16_t behind[LINES]; /* digits there */
    int is_long; /* all digits of a weight are in `digits`, and `part` says only whether there are other than zeros */
    uint64_t digits[LINES];
};

/* Eight digits at the most behind @p skip ones of each number; no byte is read that is more than eight behind a number's last. */
INSIDE __m256i eight_behind(const char *text, __m128i places, __m128i lengths, unsigned skip)
{
    const __m128i front = _mm_set1_epi16((short)skip);
    __m128i unused = _mm_setzero_si128();
    __m256i digits = _mm256_setzero_si256(); /* all of them, as places were found */
    uint16_t from[LINES];
    _mm_storeu_si128((__m128i *)(void *)from, _mm_add_epi16(places, _mm_min_epu16(lengths, front)));
    return numbers_of(text, from, 1,
                      _mm_min_epu16(_mm_subs_epu16(lengths, front), _mm_set1_epi16(8)), &unused,
                      &digits);
}

/* The digits of weights that have more than eight behind the point, or so many in all that a double may not hold them. @return 0: some have more than
 * 64 bits hold. */
INSIDE int take_long(const char *text, __m128i point, struct pointed *weights)
{
    const __m128i behind = _mm_loadu_si128((const __m128i *)(const void *)weights->behind);
    const __m256i second = eight_behind(text, point, behind, 8),
                  third = eight_behind(text, point, behind, 16);
    uint32_t part[4][LINES];
    int over = 0;
    store(part[0], weights->whole);
    store(part[1], weights->part);
    store(part[2], second);
    store(part[3], third);
    for (unsigned i = 0; i < LINES; i++) {
        uint64_t digits = part[0][i];
        unsigned left = weights->behind[i];
        for (unsigned j = 1; j < 4; j++) {
            const unsigned here = left < 8 ? left : 8;
            over |= __builtin_mul_overflow(digits, weir__tens[here], &digits);
            over |= __builtin_add_overflow(digits, (uint64_t)part[j][i], &digits);
            left -= here;
        }
        weights->digits[i] = digits;
    }
    weights->part = _mm256_or_si256(weights->part, _mm256_or_si256(second, third));
    return !over;
}

/* @return 0: some weight is none of those that are taken many at a time. */
INSIDE int take_pointed(const char *text, const uint16_t *wholes, const uint16_t *points,
                        __m128i end, struct pointed *weights)
{
    const __m128i point = places_at(points), seven = _mm_set1_epi16(7),
                  before = digits_between(every_second(wholes, 0), point, 0),
                  behind = digits_between(point, end, 0);
    __m128i longest = _mm_setzero_si128();
    __m256i digits = _mm256_setzero_si256();
    weights->whole = numbers_of(text, wholes, 2, before, &longest, &digits);
    const __m128i odd = _mm_or_si128(
        _mm_subs_epu16(longest, seven),
        _mm_subs_epu16(_mm_sub_epi16(behind, _mm_set1_epi16(1)), _mm_set1_epi16(BEHIND_MOST - 1)));
    if (!_mm_testz_si128(odd, odd))
        return 0;
    const __m128i more =
        _mm_or_si128(_mm_subs_epu16(behind, _mm_set1_epi16(8)),
                     _mm_subs_epu16(_mm_add_epi16(before, behind), _mm_set1_epi16(15)));
    weights->part = eight_behind(text, point, behind, 0);
    _mm_storeu_si128((__m128i *)(void *)weights->behind, behind);
    weights->is_long = !_mm_testz_si128(more, more);
    return !weights->is_long || take_long(text, point, weights);
}

/* Four of them that doubles hold, and the power of ten below them, so that the quotient is the nearest double. */
INSIDE void put_quotients(double *to, __m128i whole, __m128i part, __m128i behind)
{
    const __m256d power = _mm256_i32gather_pd(weir__powers_of_ten, behind, 8);
    const __m256d digits =
        _mm256_add_pd(_mm256_mul_pd(_mm256_cvtepi32_pd(whole), power), _mm256_cvtepi32_pd(part));
    _mm256_storeu_pd(to, _mm256_div_pd(digits, power));
}

INSIDE void put_pointed(weir__plain *plain, const struct pointed *weights)
{
    if (!plain->fractions && _mm256_testz_si256(weights->part, weights->part)) {
        store(plain->integers + plain->count, weights->whole);
        return;
    }
    for (uint64_t i = plain->fractions ? 0 : plain->count; i-- > 0;)
        plain->weights[i] = plain->integers[i]; /* which lies there or in front */
    plain->fractions = 1;
    double *to = plain->weights + plain->count;
    for (unsigned i = 0; i < LINES && weights->is_long; i++)
        to[i] = weir__decimal(weights->digits[i], weights->behind[i]);
    if (weights->is_long)
        return;
    const __m256i behind =
        _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)weights->behind));
    put_quotients(to, _mm256_castsi256_si128(weights->whole), _mm256_castsi256_si128(weights->part),
                  _mm256_castsi256_si128(behind));
    put_quotients(to + 4, _mm256_extracti128_si256(weights->whole, 1),
                  _mm256_extracti128_si256(weights->part, 1), _mm256_extracti128_si256(behind, 1));
}

/* Take the lines of a stretch, eight at a time, up to some among which one is not plain. @return bytes that were taken. */
INSIDE unsigned take_lines(const char *text, const struct places *places, int letter,
                           enum third form, struct taking *taking, weir__plain *plain)
{
    const int weighted = form != NO_WEIGHT, pointed = form == POINTED;
    const unsigned front = letter ? 2 : 0, gaps = weighted ? 2 : 1;
    const __m128i most = _mm_set1_epi16(7);
    const unsigned whole = places->gap_count / gaps,
                   some = places->lines < whole ? places->lines : whole,
                   lines = pointed && places->point_count < some ? places->point_count : some;
    unsigned i = 0;
    for (; i + LINES <= lines && plain->count + LINES <= plain->room; i += LINES) {
        const uint16_t *begins = places->begins + i, *parts = places->gaps + i * gaps;
        const __m128i begin = places_at(begins), end = places_at(begins + 1),
                      second = weighted ? every_second(parts, 0) : places_at(parts),
                      third = weighted ? every_second(parts, 1) : end;
        __m128i longest = _mm_setzero_si128();
        __m256i weights = _mm256_setzero_si256(), digits = weights;
        struct pointed fractions;
        const __m256i source = numbers_of(
            text + front, begins, 1, digits_between(begin, second, (int)front), &longest, &digits);
        const __m256i target =
            numbers_of(text, parts, gaps, digits_between(second, third, 0), &longest, &digits);
        if (weighted && !pointed)
            weights =
                numbers_of(text, parts + 1, gaps, digits_between(third, end, 0), &longest, &digits);
        if (pointed && (places->points[i + LINES] <= begins[LINES] ||
                        !take_pointed(text, parts + 1, places->points + i, end, &fractions)))
            break;
        const __m128i fit = _mm_cmpeq_epi16(_mm_max_epu16(longest, most), most);
        /* A gap too many in a line shows in the next one. */
        if (_mm_movemask_epi8(fit) != 0xFFFF || parts[LINES * gaps] <= begins[LINES] ||
            !note(taking, _mm256_sub_epi32(source, taking->low),
                  _mm256_sub_epi32(target, taking->low)))
            break;
        store(plain->sources + plain->count, taking->source);
        store(plain->targets + plain->count, taking->target);
        if (pointed)
            put_pointed(plain, &fractions);
        else if (weighted)
            put_weights(plain, weights);
        plain->count += LINES;
    }
    return places->begins[i];
}

INSIDE uint32_t sum_of(__m256i values)
{
    uint32_t lane[8], sum = 0;
    store(lane, values);
    for (int i = 0; i < 8; i++)
        sum += lane[i];
    return sum;
}

/* The id of an arc that was taken; one that is too large for a register's comparison is above all that come. */
INSIDE __m256i last_of(const uint32_t *ids, uint64_t count)
{
    const uint32_t id = count ? ids[count - 1] : 0;
    return _mm256_set1_epi32(!count ? -1 : id > INT32_MAX ? INT32_MAX : (int)id);
}

INSIDE const char *take_all(const weir__plain_form *form, const char *text, const char *end,
                            int letter, enum third third, weir__plain *plain)
{
    struct places places;
    const uint64_t span = form->high - form->low;
    struct taking taking = {.low = _mm256_set1_epi32((int)(uint32_t)form->low),
                            .span = _mm256_set1_epi32((int)(uint32_t)span),
                            .source = last_of(plain->sources, plain->count),
                            .target = last_of(plain->targets, plain->count)};
    unsigned taken = 1;
    for (;;) {
        if (!letter && third == NO_WEIGHT)
            text = weir__plain_pairs(form, text, end, &taking, plain);
        else if (!letter && third == WHOLE)
            text = weir__plain_triples(form, text, end, &taking, plain);
        if (!taken || (size_t)(end - text) < STEP)
            break;
        const size_t left = (size_t)(end - text) / STEP * STEP;
        find_places(form, text, left < STRETCH ? (unsigned)left : STRETCH, letter, third, &places);
        taken = take_lines(text, &places, letter, third, &taking, plain);
        text += taken;
    }
    const uint32_t highest = highest_of(taking.highest);
    plain->highest = highest > plain->highest ? highest : plain->highest;
    plain->loops += sum_of(taking.loops);
    plain->tangled |= !_mm256_testz_si256(taking.steps_back, taking.steps_back);
    return text;
}

static int ways_most; /* see weir__plain_pretend() */

/* None, registers of 32 bytes, and of 64. */
static int ways(void)
{
    const int wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                     __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                     __builtin_cpu_supports("pclmul");
    const int wider = wide && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
                      __builtin_cpu_supports("avx512vbmi2");
    return 1 + wide + wider;
}

int weir__plain_ways(void)
{
    const int all = ways();
    return ways_most && ways_most < all ? ways_most : all;
}

void weir__plain_pretend(int most)
{
    ways_most = most;
}

/* Whether the first line has a point. Where some have one and some not, they are taken one by one. */
static int is_pointed(const weir__plain_form *form, const char *text, const char *end)
{
    const size_t left = (size_t)(end - text);
    const char *stop = left ? memchr(text, '\n', left) : NULL;
    return !form->integers && stop && memchr(text, '.', (size_t)(stop - text)) != NULL;
}

WIDE static const char *take_stretches(const weir__plain_form *form, const char *text,
                                       const char *end, weir__plain *plain)
{
    if (form->letter)
        return form->weighted ? take_all(form, text, end, 1, WHOLE, plain)
                              : take_all(form, text, end, 1, NO_WEIGHT, plain);
    if (!form->weighted)
        return take_all(form, text, end, 0, NO_WEIGHT, plain);
    return is_pointed(form, text, end) ? take_all(form, text, end, 0, POINTED, plain)
                                       : take_all(form, text, end, 0, WHOLE, plain);
}

const char *weir__plain_stretches(const weir__plain_form *form, const char *text, const char *end,
                                  weir__plain *plain)
{
    const int most = weir__plain_ways();
    if (most > 2 && (!form->letter || form->weighted))
        return weir__plain_numbers(
            form, form->weighted && !form->letter && is_pointed(form, text, end), text, end, plain);
    return most > 1 ? take_stretches(form, text, end, plain) : text;
}

#else

int weir__plain_ways(void)
{
    return 1;
}

void weir__plain_pretend(int most)
{
    (void)most;
}

const char *weir__plain_stretches(const weir__plain_form *form, const char *text, const char *end,
                                  weir__plain *plain)
{
    (void)form;
    (void)end;
    (void)plain;
    return text;
}

#endif
