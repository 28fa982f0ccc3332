/** @file plain_triples.c  Lines of three whole numbers of up to eight digits: all places of a stretch are one list, of which every third ends a line. */
#include "algorithms/graph/plain_wide.h"

#if WEIR__PLAIN_WIDE

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

WIDE const char *weir__plain_triples(const weir__plain_form *form, const char *text,
                                     const char *end, struct taking *all, weir__plain *plain)
{
    struct triples triples;
    const __m256i parting = parting_of(form);
    struct taking taking = *all;
    unsigned taken = 1;
    while (taken && (size_t)(end - text) >= STEP) {
        const size_t left = (size_t)(end - text) / STEP * STEP;
        const unsigned lines =
            find_triples(text, left < STRETCH ? (unsigned)left : STRETCH, parting, &triples);
        taken = take_triple_lines(text, &triples, lines, &taking, plain);
        text += taken;
    }
    *all = taking;
    return text;
}

#endif
