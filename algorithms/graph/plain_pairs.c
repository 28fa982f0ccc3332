/** @file plain_pairs.c  Lines of two numbers of up to seven digits. Their places are not even listed: four of them fit into 64 bytes, and
 * the bits of those say where they lie. */
#include "algorithms/graph/plain_wide.h"

#if WEIR__PLAIN_WIDE

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

WIDE const char *weir__plain_pairs(const weir__plain_form *form, const char *text, const char *end,
                                   struct taking *all, weir__plain *plain)
{
    uint64_t parts[STRETCH / STEP + 1];
    const __m256i parting = parting_of(form);
    struct taking taking = *all;
    unsigned taken = 1;
    while (taken && (size_t)(end - text) >= 2 * STEP) {
        const size_t left = (size_t)(end - text) / STEP * STEP - STEP;
        const unsigned lines =
            find_parts(text, left < STRETCH ? (unsigned)left : STRETCH, parting, parts);
        taken = take_short_lines(text, parts, lines, &taking, plain);
        text += taken;
    }
    *all = taking;
    return text;
}

#endif
