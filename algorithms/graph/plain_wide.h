/** @file plain_wide.h  What the takers of many plain lines have in common, in the wide registers that a processor may have. Not installed.
 *
 * Where a line ends is known only when its numbers are, so one line after the other waits for the one before. In place of that a
 * stretch of text is first cut into numbers, as bits of words and without a jump that depends on the text; eight numbers of a column
 * become integers at once. Each taker is one function for such a processor, in which a form's members are constants. */
#ifndef WEIR_ALGORITHMS_GRAPH_PLAIN_WIDE_H
#define WEIR_ALGORITHMS_GRAPH_PLAIN_WIDE_H

#include "algorithms/graph/plain.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define WEIR__PLAIN_WIDE 1

#include <immintrin.h>
#include <string.h>

#define WIDE   __attribute__((target("avx2,bmi,bmi2,popcnt,pclmul")))
#define INSIDE static inline __attribute__((always_inline)) WIDE

#define STRETCH WEIR__CUT_BYTES /* bytes; a multiple of STEP */
#define STEP    64u
#define LINES   8u /* that are taken at once */
/* Places of a list in STEP bytes of most texts, at the most, where lines have two gaps: so many are written in any case, a multiple of four. */
#define MORE_GAPS_USUAL 12u

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

/* The lowest bit that is set, away. */
INSIDE uint64_t without_first(uint64_t bits)
{
    return bits & (bits - 1);
}

/* What parts numbers, at the place that the lower half of its byte says. */
INSIDE __m256i parting_of(const weir__plain_form *form)
{
    const char comma = form->commas ? ',' : ' ';
    return _mm256_broadcastsi128_si256(
        _mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, comma, 0, 0, 0));
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

/* The lower or the upper halves of eight words. */
INSIDE __m256i halves(__m256i first, __m256i second, int upper)
{
    const __m256 a = _mm256_castsi256_ps(first), b = _mm256_castsi256_ps(second);
    const __m256 mixed = upper ? _mm256_shuffle_ps(a, b, 0xDD) : _mm256_shuffle_ps(a, b, 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(mixed), _MM_SHUFFLE(3, 1, 2, 0));
}

INSIDE uint32_t highest_of(__m256i values)
{
    uint32_t lane[8], highest = 0;
    store(lane, values);
    for (int i = 0; i < 8; i++)
        highest = lane[i] > highest ? lane[i] : highest;
    return highest;
}

/** Take lines of two numbers of up to seven digits, of which no places are kept, up to some among which one is not such. Sixteen bytes are read where
 *  a line begins. @return the first byte that was not taken. */
const char *weir__plain_pairs(const weir__plain_form *form, const char *text, const char *end,
                              struct taking *taking, weir__plain *plain);
/** The same of lines of a source, a target and a whole weight. */
const char *weir__plain_triples(const weir__plain_form *form, const char *text, const char *end,
                                struct taking *taking, weir__plain *plain);
/** As weir__plain_stretches(), in wider registers, where weir__plain_ways() is 3; of a form with a letter lines have weights.
 *  @param[in] pointed  the first weight has a point. */
const char *weir__plain_numbers(const weir__plain_form *form, int pointed, const char *text,
                                const char *end, weir__plain *plain);

#else
#define WEIR__PLAIN_WIDE 0
#endif

#endif
