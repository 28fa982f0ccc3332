/** @file plain_stretch.c  Plain lines by a processor with wide registers.
 *
 * Where a line ends is known only when its numbers are, so one line after the other waits for the one before. In place of that a
 * stretch of text is first cut into numbers, as bits of words and without a jump that depends on the text: the places where lines begin
 * go into one list, and those behind what parts two numbers into another. A line is plain if its places of both lists, put into order, are one to
 * eight digits apart, so that no byte is looked at again; eight numbers of a column become integers at once. */
#include "algorithms/graph/plain.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#include <string.h>

/* All of it is one function for such a processor, in which a form's members are constants. */
#define WIDE   __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define INSIDE static inline __attribute__((always_inline)) WIDE

#define STRETCH 4096u /* bytes; a multiple of STEP */
#define STEP    64u
#define LINES   8u /* that are taken at once */
/* Places of a list in STEP bytes of most texts, at the most: so many are written in any case, a multiple of four. */
#define ENDS_USUAL      8u
#define GAPS_USUAL      8u
#define MORE_GAPS_USUAL 12u /* where lines have two */

/* Places in a stretch, each behind the byte that makes it one. */
struct places {
    uint16_t begins[STRETCH + STEP]; /* of lines, the first one at 0 */
    uint16_t gaps[STRETCH + STEP];   /* of numbers that are not the first of a line */
    unsigned lines, gap_count;
};

/* What the bytes of a step are, a bit each. */
struct kinds {
    uint64_t digits, gaps, ends, letters;
};

struct look {
    __m256i zero, nine, blank, tab, other, end, letter;
};

INSIDE uint32_t equal(__m256i bytes, __m256i to)
{
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, to));
}

/* The bits of 32 bytes. */
INSIDE void look_at(const char *text, const struct look *look, int letter, uint32_t kinds_out[4])
{
    const __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)text);
    const __m256i value = _mm256_sub_epi8(bytes, look->zero);
    kinds_out[0] = equal(_mm256_min_epu8(value, look->nine), value);
    kinds_out[1] = (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(
        _mm256_or_si256(_mm256_cmpeq_epi8(bytes, look->blank), _mm256_cmpeq_epi8(bytes, look->tab)),
        _mm256_cmpeq_epi8(bytes, look->other)));
    kinds_out[2] = equal(bytes, look->end);
    kinds_out[3] = letter ? equal(bytes, look->letter) : 0;
}

INSIDE struct kinds kinds_of(const char *text, const struct look *look, int letter)
{
    uint32_t low[4], high[4];
    look_at(text, look, letter, low);
    look_at(text + 32, look, letter, high);
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

/* Cut a stretch into numbers, up to the first byte that no plain line has there. */
INSIDE void find_places(const weir__plain_form *form, const char *text, unsigned bytes, int letter,
                        int weighted, struct places *places)
{
    const struct look look = {.zero = _mm256_set1_epi8('0'),
                              .nine = _mm256_set1_epi8(9),
                              .blank = _mm256_set1_epi8(' '),
                              .tab = _mm256_set1_epi8('\t'),
                              .other = _mm256_set1_epi8(form->commas ? ',' : ' '),
                              .end = _mm256_set1_epi8('\n'),
                              .letter = _mm256_set1_epi8(form->letter)};
    unsigned lines = 0, gap_count = 0;
    uint64_t begins = 1, behind = 0; /* what of the step before reaches into this one */
    places->begins[0] = 0;
    for (unsigned at = 0; at < bytes; at += STEP) {
        struct kinds kinds = kinds_of(text + at, &look, letter);
        uint64_t odd = ~(kinds.digits | kinds.gaps | kinds.ends | kinds.letters);
        if (letter) { /* stands at the begin of each line and there alone, and a gap follows, which is none between numbers */
            const uint64_t first = kinds.ends << 1 | begins, next = kinds.letters << 1 | behind;
            odd |= (kinds.letters ^ first) | (next & ~kinds.gaps);
            kinds.gaps &= ~next;
            begins = kinds.ends >> 63;
            behind = kinds.letters >> 63;
        }
        const uint64_t before = odd ? (odd & -odd) - 1 : UINT64_MAX;
        lines += put_places(kinds.ends & before, at + 1, ENDS_USUAL, places->begins + 1 + lines);
        gap_count += put_places(kinds.gaps & before, at + 1,
                                weighted ? MORE_GAPS_USUAL : GAPS_USUAL, places->gaps + gap_count);
        if (odd)
            break;
    }
    places->gaps[gap_count] = UINT16_MAX; /* behind all lines */
    places->lines = lines;
    places->gap_count = gap_count;
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
INSIDE __m256i fours_of(__m256i bytes, __m128i behind)
{
    __m256i digits = _mm256_sllv_epi64(_mm256_sub_epi8(bytes, _mm256_set1_epi8('0')),
                                       _mm256_cvtepu16_epi64(behind));
    digits = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x010A)); /* 10, 1 */
    return _mm256_madd_epi16(digits, _mm256_set1_epi32(0x00010064));  /* 100, 1 */
}

/* Eight numbers. @param[in] from  the first of their places, every @p step-th. @param[in] lengths  digits of each.
 *  @param[in,out] longest  the most digits of all, less one; more than seven if some number has none, too. */
INSIDE __m256i numbers_of(const char *text, const uint16_t *from, unsigned step, __m128i lengths,
                          __m128i *longest)
{
    const __m128i one = _mm_set1_epi16(1);
    *longest = _mm_max_epu16(*longest, _mm_sub_epi16(lengths, one));
    /* In this order halves of registers that are packed come out in order. */
    const __m128i behind = _mm_shuffle_epi32(
        _mm_sub_epi16(_mm_set1_epi16(64), _mm_slli_epi16(lengths, 3)), _MM_SHUFFLE(3, 1, 2, 0));
    const __m256i some = fours_of(four(text, from, 0, step, 4 * step, 5 * step), behind);
    const __m256i others = fours_of(four(text, from, 2 * step, 3 * step, 6 * step, 7 * step),
                                    _mm_srli_si128(behind, 8));
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

INSIDE void put_weights(weir__plain *plain, __m256i weights)
{
    if (!plain->fractions) {
        store(plain->integers + plain->count, weights);
        return;
    }
    _mm256_storeu_pd(plain->weights + plain->count,
                     _mm256_cvtepi32_pd(_mm256_castsi256_si128(weights)));
    _mm256_storeu_pd(plain->weights + plain->count + 4,
                     _mm256_cvtepi32_pd(_mm256_extracti128_si256(weights, 1)));
}

/* Take the lines of a stretch, eight at a time, up to some among which one is not plain. @return bytes that were taken. */
INSIDE unsigned take_lines(const char *text, const struct places *places, int letter, int weighted,
                           struct taking *taking, weir__plain *plain)
{
    const unsigned front = letter ? 2 : 0, gaps = weighted ? 2 : 1;
    const __m128i most = _mm_set1_epi16(7);
    const unsigned whole = places->gap_count / gaps,
                   lines = places->lines < whole ? places->lines : whole;
    unsigned i = 0;
    for (; i + LINES <= lines && plain->count + LINES <= plain->room; i += LINES) {
        const uint16_t *begins = places->begins + i, *parts = places->gaps + i * gaps;
        const __m128i begin = places_at(begins), end = places_at(begins + 1),
                      second = weighted ? every_second(parts, 0) : places_at(parts),
                      third = weighted ? every_second(parts, 1) : end;
        __m128i longest = _mm_setzero_si128();
        __m256i weights = _mm256_setzero_si256();
        const __m256i source = numbers_of(text + front, begins, 1,
                                          digits_between(begin, second, (int)front), &longest);
        const __m256i target =
            numbers_of(text, parts, gaps, digits_between(second, third, 0), &longest);
        if (weighted)
            weights = numbers_of(text, parts + 1, gaps, digits_between(third, end, 0), &longest);
        const __m128i fit = _mm_cmpeq_epi16(_mm_max_epu16(longest, most), most);
        /* A gap too many in a line shows in the next one. */
        if (_mm_movemask_epi8(fit) != 0xFFFF || parts[LINES * gaps] <= begins[LINES] ||
            !note(taking, _mm256_sub_epi32(source, taking->low),
                  _mm256_sub_epi32(target, taking->low)))
            break;
        store(plain->sources + plain->count, taking->source);
        store(plain->targets + plain->count, taking->target);
        if (weighted)
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
                            int letter, int weighted, weir__plain *plain)
{
    struct places places;
    const uint64_t span = form->high - form->low;
    struct taking taking = {.low = _mm256_set1_epi32((int)(uint32_t)form->low),
                            .span = _mm256_set1_epi32((int)(uint32_t)span),
                            .source = last_of(plain->sources, plain->count),
                            .target = last_of(plain->targets, plain->count)};
    unsigned taken = 1;
    while (taken && (size_t)(end - text) >= STEP) {
        const size_t left = (size_t)(end - text) / STEP * STEP;
        find_places(form, text, left < STRETCH ? (unsigned)left : STRETCH, letter, weighted,
                    &places);
        taken = take_lines(text, &places, letter, weighted, &taking, plain);
        text += taken;
    }
    const uint32_t highest = highest_of(taking.highest);
    plain->highest = highest > plain->highest ? highest : plain->highest;
    plain->loops += sum_of(taking.loops);
    plain->tangled |= !_mm256_testz_si256(taking.steps_back, taking.steps_back);
    return text;
}

WIDE static const char *take_stretches(const weir__plain_form *form, const char *text,
                                       const char *end, weir__plain *plain)
{
    return form->letter     ? form->weighted ? take_all(form, text, end, 1, 1, plain)
                                             : take_all(form, text, end, 1, 0, plain)
               : form->weighted ? take_all(form, text, end, 0, 1, plain)
                            : take_all(form, text, end, 0, 0, plain);
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
