/** @file plain_cut.c  Rows of METIS, which have any number of numbers: a piece of text is cut into one list of them, with the places in it
 * where lines end. */
#include "algorithms/graph/plain_widest.h"

#if WEIR__PLAIN_WIDE

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

WIDE uint32_t weir__plain_part(const uint32_t *numbers, unsigned pairs, uint32_t *first_out,
                               uint32_t *second_out)
{
    const __m256i one = _mm256_set1_epi32(1);
    __m256i highest = _mm256_setzero_si256();
    unsigned i = 0;
    for (; i + LINES <= pairs; i += LINES) {
        const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)(numbers + 2 * i)),
                      high = _mm256_loadu_si256(
                          (const __m256i *)(const void *)(numbers + 2 * i + LINES)),
                      first = halves(low, high, 0);
        highest = _mm256_max_epu32(highest, first);
        store(first_out + i, first);
        store(second_out + i, _mm256_add_epi32(halves(low, high, 1), one));
    }
    uint32_t most = highest_of(highest);
    for (; i < pairs; i++) {
        most = numbers[2 * i] > most ? numbers[2 * i] : most;
        first_out[i] = numbers[2 * i];
        second_out[i] = numbers[2 * i + 1] + 1;
    }
    return most;
}

/* ---- in registers of 64 bytes --------------------------------------------------------------------------- */

/* Of the numbers in front of a step. */
struct rows_cutting {
    __m512i bytes;   /* as in struct cutting */
    __m512i highest; /* of all, less 1 */
    unsigned inside; /* 1: it ends within a number */
    int front;       /* then the place in front of that */
    unsigned wrong;  /* some number has too many digits */
};

/* Numbers that end in up to 64 bytes. @return 0: nothing behind these is a part of the piece. */
WITHIN int cut_rows_step(const char *text, unsigned at, unsigned bytes_left, uint32_t *numbers_out,
                         struct rows_cutting *cutting, struct weir__cut *cut)
{
    const __m512i raw = _mm512_maskz_loadu_epi8(_bzhi_u64(UINT64_MAX, bytes_left), text + at),
                  bytes = _mm512_sub_epi8(raw, _mm512_set1_epi8('0'));
    const uint64_t digits = _mm512_cmple_epu8_mask(bytes, _mm512_set1_epi8(9)),
                   lines = _mm512_cmpeq_epi8_mask(raw, _mm512_set1_epi8('\n')),
                   gaps = _mm512_cmpeq_epi8_mask(raw, _mm512_set1_epi8(' ')) |
                          _mm512_cmpeq_epi8_mask(raw, _mm512_set1_epi8('\t')),
                   odd = ~(digits | lines | gaps), before = odd ? (odd & -odd) - 1 : UINT64_MAX,
                   digits_before = digits << 1 | cutting->inside,
                   begins = digits & ~digits_before & before,
                   ends = ~digits & digits_before & before, parts = (lines | gaps) & before;
    const unsigned count = (unsigned)_mm_popcnt_u64(ends);
    const __m512i behind = _mm512_maskz_compress_epi8(ends, load(in_order)),
                  front = _mm512_mask_permutexvar_epi8(
                      _mm512_set1_epi8((char)cutting->front), ~(uint64_t)cutting->inside,
                      _mm512_sub_epi8(load(in_order), _mm512_set1_epi8((char)cutting->inside)),
                      _mm512_sub_epi8(_mm512_maskz_compress_epi8(begins, load(in_order)),
                                      _mm512_set1_epi8(1)));
    const uint64_t longer =
        _mm512_cmpgt_epu8_mask(_mm512_sub_epi8(behind, front), _mm512_set1_epi8(DIGITS_MOST + 1));
    cutting->wrong |= _bzhi_u64(longer, count) != 0;
    for (unsigned i = 0; i < count; i += TOGETHER) {
        const __m512i numbers = _mm512_sub_epi32(sixteen(bytes, cutting->bytes, front, behind, i),
                                                 _mm512_set1_epi32(1));
        const unsigned here = count - i < TOGETHER ? count - i : TOGETHER;
        cutting->highest = _mm512_mask_max_epu32(cutting->highest, (__mmask16)((1u << here) - 1),
                                                 cutting->highest, numbers);
        _mm512_storeu_si512(numbers_out + cut->numbers + i, numbers);
    }
    end_lines(lines & before, ends, at, cut->numbers, cut);
    cut->numbers += count;
    if (parts)
        cut->bytes = at + 64 - (unsigned)__builtin_clzll(parts);
    /* A number that fills the step and more is too long, wherever it began. */
    cutting->front = begins ? -2 - __builtin_clzll(begins) : -(int)STEP;
    cutting->inside = (unsigned)(digits >> 63);
    cutting->bytes = bytes;
    return !odd;
}

/* @return 0: it could not be cut. */
WIDEST static int cut_sixteens(const char *text, const char *end, uint64_t high,
                               uint32_t *numbers_out, uint64_t room, struct weir__cut *cut)
{
    struct rows_cutting cutting = {.bytes = _mm512_setzero_si512(),
                                   .highest = _mm512_setzero_si512()};
    const size_t left = (size_t)(end - text);
    const unsigned bytes = left < WEIR__CUT_BYTES ? (unsigned)left : WEIR__CUT_BYTES;
    for (unsigned at = 0; at < bytes; at += STEP) {
        if (cut->numbers + STEP > room)
            return 0;
        const unsigned here = bytes - at < STEP ? bytes - at : STEP;
        if (!cut_rows_step(text, at, here, numbers_out, &cutting, cut))
            break;
    }
    return !cutting.wrong && (!cut->numbers || _mm512_reduce_max_epu32(cutting.highest) < high);
}

void weir__plain_cut(const char *text, const char *end, uint64_t high, uint32_t *numbers_out,
                     uint64_t room, struct weir__cut *cut)
{
    const int ways = weir__plain_ways();
    cut->numbers = cut->lines = cut->bytes = 0;
    if (ways > 2 && high > 0) {
        if (!cut_sixteens(text, end, high, numbers_out, room, cut))
            cut->bytes = 0;
    } else if (ways > 1 && high > 0) {
        cut_text(text, end, high, numbers_out, room, cut);
    }
}

#else

uint32_t weir__plain_part(const uint32_t *numbers, unsigned pairs, uint32_t *first_out,
                          uint32_t *second_out)
{
    (void)numbers, (void)pairs, (void)first_out, (void)second_out;
    return 0; /* none was cut */
}

void weir__plain_cut(const char *text, const char *end, uint64_t high, uint32_t *numbers_out,
                     uint64_t room, struct weir__cut *cut)
{
    (void)text, (void)end, (void)high, (void)numbers_out, (void)room;
    cut->numbers = cut->lines = cut->bytes = 0;
}

#endif
