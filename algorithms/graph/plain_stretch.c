/** @file plain_stretch.c  Plain lines by a processor with wide registers.
 *
 * Where a line ends is known only when its numbers are, so one line after the other waits for the one before. In place of that the ends
 * of all numbers of a stretch of text are found first, as bits of words and without a jump that depends on the text; the numbers between two ends do
 * not wait for each other, and two become integers at once. What comes out is collected near the core and copied stretch by
 * stretch: whoever took the block before has its arrays in another core's cache, from where single stores fetch line after line. */
#include "algorithms/graph/plain.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#include <string.h>

/* All of it is one function for such a processor, in which a form's members are constants. */
#define WIDE   __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define INSIDE static inline __attribute__((always_inline)) WIDE

#define STRETCH 4096u /* bytes; a multiple of STEP */
#define STEP    64u
#define ENDS_USUAL \
    12u /* numbers that end in STEP bytes of most texts, at the most: so many places are written in any case */
#define LINE_LEAST 4u /* "0 1" and an end */

/* The bytes of a step that are no digits. */
INSIDE uint64_t others_of(const char *text)
{
    const __m256i nine = _mm256_set1_epi8(9), zero = _mm256_set1_epi8('0');
    const __m256i front =
        _mm256_sub_epi8(_mm256_loadu_si256((const __m256i *)(const void *)text), zero);
    const __m256i back =
        _mm256_sub_epi8(_mm256_loadu_si256((const __m256i *)(const void *)(text + 32)), zero);
    const uint32_t digits[2] = {
        (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(front, nine), front)),
        (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(back, nine), back))};
    return ~((uint64_t)digits[1] << 32 | digits[0]);
}

/* The places of the first four bits; of those that are not there, any. */
INSIDE uint64_t put_four(uint64_t bits, unsigned at, uint16_t *places)
{
    for (unsigned i = 0; i < 4; i++, bits &= bits - 1)
        places[i] = (uint16_t)(at + (unsigned)__builtin_ctzll(bits | UINT64_C(1) << 63));
    return bits;
}

/* Where the bytes of a stretch are that are no digits. @return how many there are. */
INSIDE unsigned find_ends(const char *text, unsigned bytes, uint16_t places[STRETCH + ENDS_USUAL])
{
    unsigned count = 0;
    for (unsigned at = 0; at < bytes; at += STEP) {
        uint64_t bits = others_of(text + at);
        const unsigned here = (unsigned)__builtin_popcountll(bits);
        bits = put_four(bits, at, places + count);
        bits = put_four(bits, at, places + count + 4);
        bits = put_four(bits, at, places + count + 8);
        for (unsigned i = ENDS_USUAL; i < here; i++, bits &= bits - 1)
            places[count + i] = (uint16_t)(at + (unsigned)__builtin_ctzll(bits));
        count += here;
    }
    return count;
}

/* Whether a number from @p begin to @p end has one to eight digits. */
INSIDE int is_short(unsigned begin, unsigned end)
{
    return end - begin - 1 < 8;
}

INSIDE long long eight(const char *at)
{
    long long word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Two such numbers, the first in the lower half: pairs of digits, then fours, then all. */
INSIDE uint64_t numbers_of(const char *text, unsigned begin, unsigned end, unsigned other_begin,
                           unsigned other_end)
{
    const __m128i bytes = _mm_set_epi64x(eight(text + other_begin), eight(text + begin));
    const __m128i behind = _mm_set_epi64x(64 - 8 * (long long)(other_end - other_begin),
                                          64 - 8 * (long long)(end - begin));
    __m128i digits = _mm_sllv_epi64(_mm_sub_epi8(bytes, _mm_set1_epi8('0')), behind);
    digits = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010A));  /* 10, 1 */
    digits = _mm_madd_epi16(digits, _mm_set1_epi32(0x00010064)); /* 100, 1 */
    digits = _mm_packus_epi32(digits, digits);
    digits = _mm_madd_epi16(digits, _mm_set1_epi32(0x00012710)); /* 10000, 1 */
    return (uint64_t)_mm_cvtsi128_si64(digits);
}

INSIDE int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Take the lines of a stretch. @param[out] odd  one of them is not plain, or cannot be kept: what is behind it is left, too.
 *  @return how many bytes were taken. */
INSIDE unsigned take_stretch(const weir__plain_form *form, const char *text, const uint16_t *places,
                             unsigned count, int letter, int weighted, weir__plain *plain, int *odd)
{
    const unsigned before = letter ? 2 : 0, each = before + 2 + (weighted ? 1 : 0);
    const uint64_t lines = count / each < plain->room ? count / each : plain->room;
    unsigned at = 0;
    uint64_t i;
    for (i = 0; i < lines; i++) {
        const uint16_t *ends = &places[i * each + before];
        const unsigned begin = at + before, first = ends[0], second = ends[1];
        const unsigned last = weighted ? ends[2] : second;
        double weight = 0;
        if (letter && (text[at] != form->letter || !is_blank(text[at + 1])))
            break;
        if (!is_blank(text[first]) || (weighted && !is_blank(text[second])) || text[last] != '\n' ||
            !is_short(begin, first) || !is_short(first + 1, second) ||
            (weighted && !is_short(second + 1, last)))
            break;
        const uint64_t ids = numbers_of(text, begin, first, first + 1, second);
        if (weighted)
            weight = (uint32_t)numbers_of(text, second + 1, last, second + 1, last);
        if (!weir__plain_keep(form, (uint32_t)ids, ids >> 32, weight, plain))
            break;
        at = last + 1;
    }
    *odd = i < lines;
    return at;
}

WIDE static const char *take_stretches(const weir__plain_form *form, const char *text,
                                       const char *end, weir__plain *plain)
{
    uint16_t places[STRETCH + ENDS_USUAL];
    uint32_t sources[STRETCH / LINE_LEAST], targets[STRETCH / LINE_LEAST];
    double weights[STRETCH / LINE_LEAST];
    weir__plain here = {.sources = sources, .targets = targets, .weights = weights};
    unsigned taken = 1;
    int odd = 0;
    while (taken && !odd && (size_t)(end - text) >= STEP && plain->count < plain->room) {
        const size_t left = (size_t)(end - text) / STEP * STEP;
        const unsigned count = find_ends(text, left < STRETCH ? (unsigned)left : STRETCH, places);
        here.count = 0;
        here.room = plain->room - plain->count;
        taken = form->letter
                    ? take_stretch(form, text, places, count, 1, form->weighted, &here, &odd)
                : form->weighted ? take_stretch(form, text, places, count, 0, 1, &here, &odd)
                                 : take_stretch(form, text, places, count, 0, 0, &here, &odd);
        memcpy(plain->sources + plain->count, sources, here.count * sizeof *sources);
        memcpy(plain->targets + plain->count, targets, here.count * sizeof *targets);
        if (form->weighted)
            memcpy(plain->weights + plain->count, weights, here.count * sizeof *weights);
        plain->count += here.count;
        text += taken;
    }
    plain->highest = here.highest > plain->highest ? here.highest : plain->highest;
    plain->loops += here.loops;
    return text;
}

const char *weir__plain_stretches(const weir__plain_form *form, const char *text, const char *end,
                                  weir__plain *plain)
{
    const int wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                     __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    return wide ? take_stretches(form, text, end, plain) : text;
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

#endif
