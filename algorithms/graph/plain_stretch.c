/** @file plain_stretch.c  Plain lines by a processor with wide registers.
 *
 * Where a line ends is known only when its numbers are, so one line after the other waits for the one before. In place of that a
 * stretch of text is first cut into numbers, as bits of words and without a jump that depends on the text: the places where lines begin
 * go into one list, and those behind what parts two numbers into another. A line is plain if its places of both lists, put into order, are one to
 * eight digits apart, so that no byte is looked at again; eight numbers of a column become integers at once.
 *
 * Lines of two numbers of up to seven digits are not even listed: four of them fit into 64 bytes, and the bits of those say where they lie. Of lines of three whole
 * numbers all places are one list, of which every third ends a line. Rows of
 * METIS, which have any number of numbers, are cut into one list of numbers, with the places in it where lines end. */
#include "algorithms/graph/plain.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include "algorithms/graph/decimal.h"

#include <immintrin.h>
#include <string.h>

/* All of it is one function for such a processor, in which a form's members are constants. */
#define WIDE   __attribute__((target("avx2,bmi,bmi2,popcnt,pclmul")))
#define INSIDE static inline __attribute__((always_inline)) WIDE

#define STRETCH WEIR__CUT_BYTES /* bytes; a multiple of STEP */
#define STEP    64u
#define LINES   8u /* that are taken at once */
/* Places of a list in STEP bytes of most texts, at the most: so many are written in any case, a multiple of four. */
#define ENDS_USUAL      8u
#define GAPS_USUAL      8u
#define MORE_GAPS_USUAL 12u /* where lines have two */
#define POINTS_USUAL    8u

/* Places in a stretch, each behind the byte that makes it one. */
struct places {
    uint16_t begins[STRETCH + STEP]; /* of lines, the first one at 0 */
    uint16_t gaps[STRETCH + STEP];   /* of numbers that are not the first of a line */
    uint16_t points[STRETCH + STEP]; /* of what is behind the point of a weight */
    unsigned lines, gap_count, point_count;
};

/* What the bytes of a step are, a bit each. */
struct kinds {
    uint64_t digits, gaps, ends;
    uint64_t marks; /* letters, or points of weights */
};

struct look {
    __m256i zero, nine, blank, tab, other, end, mark;
};

INSIDE uint32_t equal(__m256i bytes, __m256i to)
{
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, to));
}

/* The bits of 32 bytes. */
INSIDE void look_at(const char *text, const struct look *look, int marked, uint32_t kinds_out[4])
{
    const __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)text);
    const __m256i value = _mm256_sub_epi8(bytes, look->zero);
    kinds_out[0] = equal(_mm256_min_epu8(value, look->nine), value);
    kinds_out[1] = (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(
        _mm256_or_si256(_mm256_cmpeq_epi8(bytes, look->blank), _mm256_cmpeq_epi8(bytes, look->tab)),
        _mm256_cmpeq_epi8(bytes, look->other)));
    kinds_out[2] = equal(bytes, look->end);
    kinds_out[3] = marked ? equal(bytes, look->mark) : 0;
}

INSIDE struct kinds kinds_of(const char *text, const struct look *look, int marked)
{
    uint32_t low[4], high[4];
    look_at(text, look, marked, low);
    look_at(text + 32, look, marked, high);
    return (struct kinds){(uint64_t)high[0] << 32 | low[0], (uint64_t)high[1] << 32 | low[1],
                          (uint64_t)high[2] << 32 | low[2], (uint64_t)high[3] << 32 | low[3]};
}

/* The places behind four bits, in one word; of those that are not there, any. */
INSIDE uint64_t put_four(uint64_t bits, unsigned behind, uint16_t *places)
{
    const uint64_t second = bits & (bits - 1), third = second & (second - 1),
                   fourth = third & (third - 1);
    const uint64_t word = (_tzcnt_u64(bits) | _tzcnt_u64(second) << 16) +
                          (_tzcnt_u64(third) << 32 | _tzcnt_u64(fourth) << 48) +
                          behind * UINT64_C(0x0001000100010001);
    memcpy(places, &word, sizeof word);
    return fourth & (fourth - 1);
}

INSIDE unsigned put_places(uint64_t bits, unsigned behind, unsigned usual, uint16_t *places)
{
    const unsigned count = (unsigned)__builtin_popcountll(bits);
    bits = put_four(bits, behind, places);
    bits = put_four(bits, behind, places + 4);
    if (usual > 8)
        bits = put_four(bits, behind, places + 8);
    for (unsigned i = usual; i < count; i += 4)
        bits = put_four(bits, behind, places + i);
    return count;
}

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

INSIDE long long eight(const char *at)
{
    long long word;
    memcpy(&word, at, sizeof word);
    return word;
}

INSIDE __m256i four(const char *text, const uint16_t *places, unsigned i, unsigned j, unsigned k,
                    unsigned l)
{
    return _mm256_set_epi64x(eight(text + places[l]), eight(text + places[k]),
                             eight(text + places[j]), eight(text + places[i]));
}

/* Pairs of digits, then fours: eight digits, the first in the lowest byte, some of them zeros in front. */
INSIDE __m256i fours_of(__m256i bytes, __m128i behind, __m256i *most)
{
    __m256i digits = _mm256_sllv_epi64(_mm256_sub_epi8(bytes, _mm256_set1_epi8('0')),
                                       _mm256_cvtepu16_epi64(behind));
    *most = _mm256_max_epu8(*most, digits);
    digits = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x010A)); /* 10, 1 */
    return _mm256_madd_epi16(digits, _mm256_set1_epi32(0x00010064));  /* 100, 1 */
}

/* Eight numbers. @param[in,out] most  by byte, the highest that was taken for a digit. @param[in] from  the first of their places, every @p step-th. @param[in] lengths  digits of each.
 *  @param[in,out] longest  the most digits of all, less one; more than seven if some number has none, too. */
INSIDE __m256i numbers_of(const char *text, const uint16_t *from, unsigned step, __m128i lengths,
                          __m128i *longest, __m256i *most)
{
    const __m128i one = _mm_set1_epi16(1);
    *longest = _mm_max_epu16(*longest, _mm_sub_epi16(lengths, one));
    /* In this order halves of registers that are packed come out in order. */
    const __m128i behind = _mm_shuffle_epi32(
        _mm_sub_epi16(_mm_set1_epi16(64), _mm_slli_epi16(lengths, 3)), _MM_SHUFFLE(3, 1, 2, 0));
    const __m256i some = fours_of(four(text, from, 0, step, 4 * step, 5 * step), behind, most);
    const __m256i others = fours_of(four(text, from, 2 * step, 3 * step, 6 * step, 7 * step),
                                    _mm_srli_si128(behind, 8), most);
    return _mm256_madd_epi16(_mm256_packus_epi32(some, others),
                             _mm256_set1_epi32(0x00012710)); /* 10000, 1 */
}

INSIDE __m128i places_at(const uint16_t *places)
{
    return _mm_loadu_si128((const __m128i *)(const void *)places);
}

/* Every second of sixteen places, the first or the second one. */
INSIDE __m128i every_second(const uint16_t *places, int second)
{
    const __m128i low = places_at(places), high = places_at(places + 8),
                  mask = _mm_set1_epi32(0xFFFF);
    return second ? _mm_packus_epi32(_mm_srli_epi32(low, 16), _mm_srli_epi32(high, 16))
                  : _mm_packus_epi32(_mm_and_si128(low, mask), _mm_and_si128(high, mask));
}

INSIDE __m128i digits_between(__m128i from, __m128i to, int more)
{
    return _mm_sub_epi16(_mm_sub_epi16(to, from), _mm_set1_epi16((short)(1 + more)));
}

/* The lines of a stretch as they are taken; lanes of all registers are unsigned numbers below 2^31. */
struct taking {
    __m256i low, span; /* ids less low are span at the most */
    __m256i highest, loops;
    __m256i source, target; /* of the arc before, in the last lane */
    __m256i steps_back;     /* lanes of arcs that are not above the one before: not 0 */
};

INSIDE __m256i behind_last(__m256i before, __m256i now)
{
    const __m256i turn = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
    return _mm256_blend_epi32(_mm256_permutevar8x32_epi32(now, turn),
                              _mm256_permutevar8x32_epi32(before, turn), 1);
}

/* Note eight arcs. @return 0: some id is none of the form, and nothing was noted. */
INSIDE int note(struct taking *taking, __m256i source, __m256i target)
{
    const __m256i larger = _mm256_max_epu32(source, target);
    const __m256i within = _mm256_cmpeq_epi32(_mm256_max_epu32(larger, taking->span), taking->span);
    if (_mm256_movemask_epi8(within) != -1)
        return 0;
    const __m256i source_before = behind_last(taking->source, source),
                  target_before = behind_last(taking->target, target);
    const __m256i above =
        _mm256_or_si256(_mm256_cmpgt_epi32(source, source_before),
                        _mm256_and_si256(_mm256_cmpeq_epi32(source, source_before),
                                         _mm256_cmpgt_epi32(target, target_before)));
    taking->steps_back =
        _mm256_or_si256(taking->steps_back, _mm256_xor_si256(above, _mm256_set1_epi32(-1)));
    taking->highest = _mm256_max_epu32(taking->highest, larger);
    taking->loops = _mm256_sub_epi32(taking->loops, _mm256_cmpeq_epi32(source, target));
    taking->source = source;
    taking->target = target;
    return 1;
}

INSIDE void store(uint32_t *to, __m256i values)
{
    _mm256_storeu_si256((__m256i *)(void *)to, values);
}

INSIDE void put_doubles(double *to, __m256i integers)
{
    _mm256_storeu_pd(to, _mm256_cvtepi32_pd(_mm256_castsi256_si128(integers)));
    _mm256_storeu_pd(to + 4, _mm256_cvtepi32_pd(_mm256_extracti128_si256(integers, 1)));
}

INSIDE void put_weights(weir__plain *plain, __m256i weights)
{
    if (plain->fractions)
        put_doubles(plain->weights + plain->count, weights);
    else
        store(plain->integers + plain->count, weights);
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

/* ---- lines of two short numbers -------------------------------------------------------------------- */

/* By the digits of both numbers of a line, seven at the most: which of its bytes go into eight digits each, zeros in front, the second number first.
 * Where a number has none, what stands there goes in, which is no digit. */
#define DIGIT(begin, i, j) ((j) + ((i) ? (i) : 1) < 8 ? 0x80 : (begin) + (j) + ((i) ? (i) : 1) - 8)
#define DIGITS(begin, i)                                                            \
    DIGIT(begin, i, 0), DIGIT(begin, i, 1), DIGIT(begin, i, 2), DIGIT(begin, i, 3), \
        DIGIT(begin, i, 4), DIGIT(begin, i, 5), DIGIT(begin, i, 6), DIGIT(begin, i, 7)
#define TURN(i, j)                       \
    {                                    \
        DIGITS((i) + 1, j), DIGITS(0, i) \
    }
#define TURNS(i)                                                                            \
    {                                                                                       \
        TURN(i, 0), TURN(i, 1), TURN(i, 2), TURN(i, 3), TURN(i, 4), TURN(i, 5), TURN(i, 6), \
            TURN(i, 7)                                                                      \
    }
static const uint8_t turns[8][8][16] __attribute__((aligned(64))) = {
    TURNS(0), TURNS(1), TURNS(2), TURNS(3), TURNS(4), TURNS(5), TURNS(6), TURNS(7)};

/* What parts numbers, at the place that the lower half of its byte says. */
INSIDE __m256i parting_of(const weir__plain_form *form)
{
    const char comma = form->commas ? ',' : ' ';
    return _mm256_broadcastsi128_si256(
        _mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, comma, 0, 0, 0));
}

/* Eight digits of two numbers each of two lines, which become two fours each. @param[in,out] most  by byte, the highest that was taken for a digit. */
INSIDE __m256i two_lines(const char *first, const uint8_t *first_turn, const char *second,
                         const uint8_t *second_turn, __m256i *most)
{
    const __m256i bytes = _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)first)),
        _mm_loadu_si128((const __m128i *)(const void *)second), 1);
    const __m256i turn = _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_load_si128((const __m128i *)(const void *)first_turn)),
        _mm_load_si128((const __m128i *)(const void *)second_turn), 1);
    __m256i digits = _mm256_shuffle_epi8(_mm256_sub_epi8(bytes, _mm256_set1_epi8('0')), turn);
    *most = _mm256_max_epu8(*most, digits);
    digits = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x010A)); /* 10, 1 */
    return _mm256_madd_epi16(digits, _mm256_set1_epi32(0x00010064));  /* 100, 1 */
}

/* A bit for each byte of a stretch that parts numbers, and how many lines are cut by them into two parts of no more than seven bytes each, up to
 * the first one that is not. @param[out] parts  words for all bytes, and one more. */
INSIDE unsigned find_parts(const char *text, unsigned bytes, __m256i parting, uint64_t *parts)
{
    const __m256i end = _mm256_set1_epi8('\n');
    const __m128i ones = _mm_set1_epi8(-1);
    uint64_t odd = 0, one_behind = 0, two_behind = 0, four_behind = 0; /* of the step before */
    unsigned lines = 0, step = 0;
    for (uint64_t wrong = 0; step < bytes / STEP && !wrong; step++) {
        const char *at = text + step * STEP;
        const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)at),
                      high = _mm256_loadu_si256((const __m256i *)(const void *)(at + 32));
        const uint64_t here = (uint64_t)equal(high, _mm256_shuffle_epi8(parting, high)) << 32 |
                              equal(low, _mm256_shuffle_epi8(parting, low)),
                       ends = (uint64_t)equal(high, end) << 32 | equal(low, end);
        /* Whether an odd number of those bits are there up to each one: a line has to end at all others. */
        const __m128i sums = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)here), ones, 0);
        const uint64_t gaps = (uint64_t)_mm_cvtsi128_si64(sums) ^ odd;
        const uint64_t one = ~here, two = one & (one << 1 | one_behind),
                       four = two & (two << 2 | two_behind),
                       eight = four & (four << 4 | four_behind);
        wrong = (ends ^ (here & ~gaps)) | eight;
        lines += (unsigned)_mm_popcnt_u64(ends & (wrong ? (wrong & -wrong) - 1 : UINT64_MAX));
        parts[step] = here;
        odd = gaps >> 63 ? UINT64_MAX : 0;
        one_behind = one >> 63;
        two_behind = two >> 62;
        four_behind = four >> 60;
    }
    parts[step] = 0;
    return lines;
}

/* The bits of a step that begins at any byte. */
INSIDE uint64_t bits_from(const uint64_t *words, uint64_t at)
{
    const uint64_t *word = words + at / 64;
    return word[0] >> at % 64 | word[1] << 1 << (63 - at % 64);
}

/* The lowest bit that is set, away. */
INSIDE uint64_t without_first(uint64_t bits)
{
    return bits & (bits - 1);
}

INSIDE const uint8_t *turn_of(uint64_t begin, uint64_t gap, uint64_t end)
{
    return turns[gap - begin][end - gap - 1];
}

/* Four lines become four words, the target of each below its source. @param[in] parts  bits of what parts their numbers. @return their bytes. */
INSIDE uint64_t four_lines(const char *text, uint64_t parts, __m256i *most, __m256i *arcs_out)
{
    const uint64_t one = without_first(parts), two = without_first(one), three = without_first(two),
                   four = without_first(three), five = without_first(four),
                   six = without_first(five), seven = without_first(six);
    const uint64_t end1 = _tzcnt_u64(one), end2 = _tzcnt_u64(three), end3 = _tzcnt_u64(five),
                   end4 = _tzcnt_u64(seven);
    /* In this order halves of registers that are packed come out in order. */
    const __m256i some = two_lines(text, turn_of(0, _tzcnt_u64(parts), end1), text + end2 + 1,
                                   turn_of(end2 + 1, _tzcnt_u64(four), end3), most);
    const __m256i others =
        two_lines(text + end1 + 1, turn_of(end1 + 1, _tzcnt_u64(two), end2), text + end3 + 1,
                  turn_of(end3 + 1, _tzcnt_u64(six), end4), most);
    *arcs_out = _mm256_madd_epi16(_mm256_packus_epi32(some, others),
                                  _mm256_set1_epi32(0x00012710)); /* 10000, 1 */
    return end4 + 1;
}

/* Lanes of four arcs that are above the one before. @param[in] before  four that are in front of them. */
INSIDE __m256i above(__m256i before, __m256i arcs)
{
    return _mm256_cmpgt_epi64(arcs, _mm256_permute4x64_epi64(_mm256_blend_epi32(arcs, before, 0xC0),
                                                             _MM_SHUFFLE(2, 1, 0, 3)));
}

/* The lower or the upper halves of eight words. */
INSIDE __m256i halves(__m256i first, __m256i second, int upper)
{
    const __m256 a = _mm256_castsi256_ps(first), b = _mm256_castsi256_ps(second);
    const __m256 mixed = upper ? _mm256_shuffle_ps(a, b, 0xDD) : _mm256_shuffle_ps(a, b, 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(mixed), _MM_SHUFFLE(3, 1, 2, 0));
}

/* Take lines of a stretch, eight at a time: four of them are no longer than a step. @return bytes that were taken. */
INSIDE unsigned take_short_lines(const char *text, const uint64_t *parts, unsigned lines,
                                 struct taking *taking, weir__plain *plain)
{
    const __m256i nine = _mm256_set1_epi8(9);
    const uint64_t room = plain->room - plain->count;
    uint32_t *sources = plain->sources + plain->count, *targets = plain->targets + plain->count;
    __m256i before = _mm256_unpackhi_epi32(taking->target, taking->source), loops = taking->loops,
            highest = taking->highest, steps_back = taking->steps_back;
    uint64_t at = 0;
    unsigned i = 0;
    for (; i + LINES <= lines && i + LINES <= room; i += LINES) {
        __m256i first, second, most = nine;
        const uint64_t half = at + four_lines(text + at, bits_from(parts, at), &most, &first);
        const uint64_t whole =
            half + four_lines(text + half, bits_from(parts, half), &most, &second);
        first = _mm256_sub_epi32(first, taking->low);
        second = _mm256_sub_epi32(second, taking->low);
        const __m256i source = halves(first, second, 1), target = halves(first, second, 0),
                      larger = _mm256_max_epu32(source, target);
        const __m256i right = _mm256_and_si256(
            _mm256_cmpeq_epi8(most, nine),
            _mm256_cmpeq_epi32(_mm256_max_epu32(larger, taking->span), taking->span));
        if (_mm256_movemask_epi8(right) != -1)
            break;
        store(sources + i, source);
        store(targets + i, target);
        const __m256i forward = _mm256_and_si256(above(before, first), above(first, second));
        steps_back = _mm256_or_si256(steps_back, _mm256_xor_si256(forward, _mm256_set1_epi32(-1)));
        loops = _mm256_sub_epi32(loops, _mm256_cmpeq_epi32(source, target));
        highest = _mm256_max_epu32(highest, larger);
        before = second;
        at = whole;
    }
    plain->count += i;
    taking->loops = loops;
    taking->highest = highest;
    taking->steps_back = steps_back;
    taking->source = _mm256_shuffle_epi32(before, _MM_SHUFFLE(3, 3, 1, 1));
    taking->target = _mm256_shuffle_epi32(before, _MM_SHUFFLE(2, 2, 0, 0));
    return (unsigned)at;
}

/* Take lines of two numbers of up to seven digits, of which no places are kept, up to some among which one is not such. Sixteen bytes are read where
 * a line begins. @return the first byte that was not taken. */
INSIDE const char *take_short(const weir__plain_form *form, const char *text, const char *end,
                              struct taking *taking, weir__plain *plain)
{
    uint64_t parts[STRETCH / STEP + 1];
    const __m256i parting = parting_of(form);
    unsigned taken = 1;
    while (taken && (size_t)(end - text) >= 2 * STEP) {
        const size_t left = (size_t)(end - text) / STEP * STEP - STEP;
        const unsigned lines =
            find_parts(text, left < STRETCH ? (unsigned)left : STRETCH, parting, parts);
        taken = take_short_lines(text, parts, lines, taking, plain);
        text += taken;
    }
    return text;
}

/* ---- lines of three numbers ------------------------------------------------------------------------- */

#define TRIPLE 3u

/* A stretch. */
struct triples {
    uint16_t places[1 + STRETCH +
                    STEP]; /* behind what parts numbers, from the second one on; the first is 0 */
    uint64_t ends[STRETCH / STEP + 1];   /* bits of bytes that end a line */
    uint16_t before[STRETCH / STEP + 1]; /* how many there are in front of a step */
};

/* @return how many lines there would be, each of three numbers: where they end is seen later. */
INSIDE unsigned find_triples(const char *text, unsigned bytes, __m256i parting,
                             struct triples *triples)
{
    const __m256i end = _mm256_set1_epi8('\n');
    unsigned count = 0, ends = 0, step = 0;
    triples->places[0] = 0;
    for (; step < bytes / STEP; step++) {
        const char *at = text + step * STEP;
        const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)at),
                      high = _mm256_loadu_si256((const __m256i *)(const void *)(at + 32));
        triples->ends[step] = (uint64_t)equal(high, end) << 32 | equal(low, end);
        triples->before[step] = (uint16_t)ends;
        ends += (unsigned)_mm_popcnt_u64(triples->ends[step]);
        count += put_places((uint64_t)equal(high, _mm256_shuffle_epi8(parting, high)) << 32 |
                                equal(low, _mm256_shuffle_epi8(parting, low)),
                            step * STEP + 1, MORE_GAPS_USUAL, triples->places + 1 + count);
    }
    triples->ends[step] = 0;
    triples->before[step] = (uint16_t)ends;
    return count / TRIPLE;
}

/* Every third of 24 places, from the one that @p first says. */
INSIDE __m128i every_third(const uint16_t *places, unsigned first)
{
    static const uint8_t from[3][3][16] __attribute__((aligned(16))) = {
#define NO   0x80, 0x80
#define A(i) 2 * (i), 2 * (i) + 1
        {{A(0), A(3), A(6), NO, NO, NO, NO, NO},
         {NO, NO, NO, A(1), A(4), A(7), NO, NO},
         {NO, NO, NO, NO, NO, NO, A(2), A(5)}},
        {{A(1), A(4), A(7), NO, NO, NO, NO, NO},
         {NO, NO, NO, A(2), A(5), NO, NO, NO},
         {NO, NO, NO, NO, NO, A(0), A(3), A(6)}},
        {{A(2), A(5), NO, NO, NO, NO, NO, NO},
         {NO, NO, A(0), A(3), A(6), NO, NO, NO},
         {NO, NO, NO, NO, NO, A(1), A(4), A(7)}},
#undef A
#undef NO
    };
    __m128i all = _mm_setzero_si128();
    for (unsigned i = 0; i < 3; i++)
        all = _mm_or_si128(
            all, _mm_shuffle_epi8(places_at(places + 8 * i),
                                  _mm_load_si128((const __m128i *)(const void *)from[first][i])));
    return all;
}

/* Whether lines from @p first to the eighth behind it end where they should, and nowhere else: all in front of them do. */
INSIDE int end_there(const char *text, const struct triples *triples, unsigned first)
{
    const uint16_t *places = triples->places + first * TRIPLE;
    const char *before = text - 1;
    const unsigned behind = places[LINES * TRIPLE], step = behind / STEP;
    unsigned others = 0;
    for (unsigned i = 1; i <= LINES; i++)
        others |= (unsigned)(before[places[i * TRIPLE]] ^ '\n');
    others |= (triples->before[step] +
               (unsigned)_mm_popcnt_u64(_bzhi_u64(triples->ends[step], behind % STEP))) ^
              (first + LINES);
    return !others;
}

/* Take lines, eight at a time, up to some among which one is not of three plain numbers. @return bytes that were taken. */
INSIDE unsigned take_triple_lines(const char *text, const struct triples *triples, unsigned lines,
                                  struct taking *taking, weir__plain *plain)
{
    const __m256i nine = _mm256_set1_epi8(9);
    const __m128i seven = _mm_set1_epi16(7);
    unsigned i = 0;
    for (; i + LINES <= lines && plain->count + LINES <= plain->room; i += LINES) {
        const uint16_t *from = triples->places + i * TRIPLE;
        const __m128i begin = every_third(from, 0), second = every_third(from, 1),
                      third = every_third(from, 2),
                      end = _mm_insert_epi16(_mm_srli_si128(begin, 2), from[LINES * TRIPLE], 7);
        __m128i longest = _mm_setzero_si128();
        __m256i most = nine;
        const __m256i source = numbers_of(text, from, TRIPLE, digits_between(begin, second, 0),
                                          &longest, &most),
                      target = numbers_of(text, from + 1, TRIPLE, digits_between(second, third, 0),
                                          &longest, &most),
                      weights = numbers_of(text, from + 2, TRIPLE, digits_between(third, end, 0),
                                           &longest, &most);
        const __m128i fit = _mm_cmpeq_epi16(_mm_max_epu16(longest, seven), seven);
        if (_mm_movemask_epi8(fit) != 0xFFFF ||
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(most, nine)) != -1 ||
            !end_there(text, triples, i) ||
            !note(taking, _mm256_sub_epi32(source, taking->low),
                  _mm256_sub_epi32(target, taking->low)))
            break;
        store(plain->sources + plain->count, taking->source);
        store(plain->targets + plain->count, taking->target);
        put_weights(plain, weights);
        plain->count += LINES;
    }
    return triples->places[i * TRIPLE];
}

/* As take_short(): lines of a source, a target and a whole weight. */
INSIDE const char *take_triples(const weir__plain_form *form, const char *text, const char *end,
                                struct taking *taking, weir__plain *plain)
{
    struct triples triples;
    const __m256i parting = parting_of(form);
    unsigned taken = 1;
    while (taken && (size_t)(end - text) >= STEP) {
        const size_t left = (size_t)(end - text) / STEP * STEP;
        const unsigned lines =
            find_triples(text, left < STRETCH ? (unsigned)left : STRETCH, parting, &triples);
        taken = take_triple_lines(text, &triples, lines, taking, plain);
        text += taken;
    }
    return text;
}

INSIDE uint32_t sum_of(__m256i values)
{
    uint32_t lane[8], sum = 0;
    store(lane, values);
    for (int i = 0; i < 8; i++)
        sum += lane[i];
    return sum;
}

INSIDE uint32_t highest_of(__m256i values)
{
    uint32_t lane[8], highest = 0;
    store(lane, values);
    for (int i = 0; i < 8; i++)
        highest = lane[i] > highest ? lane[i] : highest;
    return highest;
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
            text = take_short(form, text, end, &taking, plain);
        else if (!letter && third == WHOLE)
            text = take_triples(form, text, end, &taking, plain);
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

/* ---- lines of any number of numbers ----------------------------------------------------------------- */

#define NUMBERS_USUAL 12u /* in a step of most texts, at the most */

/* Numbers of a piece of text: where each begins, and the byte behind it. */
struct numbers {
    uint16_t begins[STRETCH + STEP], ends[STRETCH + STEP];
    unsigned count;
};

/* Note where lines end, and how many numbers are in front of that. */
INSIDE void end_lines(uint64_t line_ends, uint64_t number_ends, unsigned at, unsigned numbers,
                      struct weir__cut *cut)
{
    for (; line_ends; line_ends = without_first(line_ends)) {
        const uint64_t until = line_ends ^ (line_ends - 1);
        cut->stop[cut->lines] = (uint16_t)(numbers + (unsigned)_mm_popcnt_u64(number_ends & until));
        cut->end[cut->lines++] = (uint16_t)(at + (unsigned)_mm_popcnt_u64(until));
    }
}

INSIDE void find_numbers(const char *text, unsigned bytes, struct numbers *numbers,
                         struct weir__cut *cut)
{
    const struct look look = {.zero = _mm256_set1_epi8('0'),
                              .nine = _mm256_set1_epi8(9),
                              .blank = _mm256_set1_epi8(' '),
                              .tab = _mm256_set1_epi8('\t'),
                              .other = _mm256_set1_epi8(' '),
                              .end = _mm256_set1_epi8('\n')};
    unsigned begins = 0, ends = 0;
    uint64_t behind = 0; /* the step before ends with a digit */
    for (unsigned at = 0; at < bytes; at += STEP) {
        char rest[STEP] = {0};
        const int whole = bytes - at >= STEP;
        if (!whole)
            memcpy(rest, text + at, bytes - at);
        const struct kinds kinds = kinds_of(whole ? text + at : rest, &look, 0);
        const uint64_t odd = ~(kinds.digits | kinds.gaps | kinds.ends),
                       before = odd ? (odd & -odd) - 1 : UINT64_MAX,
                       digits_before = kinds.digits << 1 | behind,
                       number_begins = kinds.digits & ~digits_before & before,
                       number_ends = ~kinds.digits & digits_before & before,
                       parts = (kinds.gaps | kinds.ends) & before;
        end_lines(kinds.ends & before, number_ends, at, ends, cut);
        begins += put_places(number_begins, at, NUMBERS_USUAL, numbers->begins + begins);
        ends += put_places(number_ends, at, NUMBERS_USUAL, numbers->ends + ends);
        if (parts)
            cut->bytes = at + 64 - (unsigned)__builtin_clzll(parts);
        if (odd)
            break;
        behind = kinds.digits >> 63;
    }
    numbers->count = ends;
}

WIDE static void cut_text(const char *text, const char *end, uint64_t high, uint32_t *numbers_out,
                          uint64_t room, struct weir__cut *cut)
{
    struct numbers numbers;
    const __m256i most = _mm256_set1_epi32((int)(uint32_t)(high - 1)), one = _mm256_set1_epi32(1);
    __m256i highest = _mm256_setzero_si256();
    __m128i longest = _mm_setzero_si128();
    __m256i digits = highest;
    const size_t left = (size_t)(end - text);
    find_numbers(text, left < STRETCH ? (unsigned)left : STRETCH, &numbers, cut);
    const unsigned count = numbers.count;
    if (count + LINES > room)
        cut->bytes = 0;
    if (count == 0 || !cut->bytes)
        return;
    for (unsigned i = count; i < count + LINES; i++) { /* which are not kept, but looked at */
        numbers.begins[i] = numbers.begins[0];
        numbers.ends[i] = numbers.ends[0];
    }
    for (unsigned i = 0; i < count; i += LINES) {
        const uint16_t *begins = numbers.begins + i;
        const __m128i lengths = _mm_sub_epi16(places_at(numbers.ends + i), places_at(begins));
        const __m256i values =
            _mm256_sub_epi32(numbers_of(text, begins, 1, lengths, &longest, &digits), one);
        highest = _mm256_max_epu32(highest, values);
        store(numbers_out + i, values);
    }
    const __m128i seven = _mm_set1_epi16(7);
    if (_mm_movemask_epi8(_mm_cmpeq_epi16(_mm_max_epu16(longest, seven), seven)) != 0xFFFF ||
        _mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_max_epu32(highest, most), most)) != -1)
        cut->bytes = 0;
    cut->numbers = count;
}

/* Whether the processor has what the functions here are made for. */
static int is_wide(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("pclmul");
}

void weir__plain_cut(const char *text, const char *end, uint64_t high, uint32_t *numbers_out,
                     uint64_t room, struct weir__cut *cut)
{
    cut->numbers = cut->lines = cut->bytes = 0;
    if (is_wide() && high > 0)
        cut_text(text, end, high, numbers_out, room, cut);
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
    return is_wide() ? take_stretches(form, text, end, plain) : text;
}

#else

const char *weir__plain_stretches(const weir__plain_form *form, const char *text, const char *end,
                                  weir__plain *plain)
{
    (void)form;
    (void)end;
    (void)plain;
    return text;
}

void weir__plain_cut(const char *text, const char *end, uint64_t high, uint32_t *numbers_out,
                     uint64_t room, struct weir__cut *cut)
{
    (void)text, (void)end, (void)high, (void)numbers_out, (void)room;
    cut->numbers = cut->lines = cut->bytes = 0;
}

#endif
