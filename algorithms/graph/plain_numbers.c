/** @file plain_numbers.c  Plain lines in registers of 64 bytes.
 *
 * All numbers of a piece of text (plain_widest.h) are one list. Whether a line has as many as it should is seen in words of bits: of those
 * that end numbers, every second, third or fourth ends a line, too. Sixteen lines of the list are then parted into columns. */
#include "algorithms/graph/plain_widest.h"

#if WEIR__PLAIN_WIDE
#include "algorithms/graph/decimal.h"

#define PIECE       2048u /* bytes; a multiple of STEP */
#define BEHIND_MOST 22u   /* digits behind a point: no double is a higher power of ten */
#define LIST_ROOM   (PIECE / 2 + 4 * TOGETHER + STEP)

/* What lines hold. */
enum kind { PAIRS, TRIPLES, LETTERS, POINTS };

/* Numbers that are no lines of arcs yet. */
struct list {
    uint32_t number[LIST_ROOM];
    uint8_t digits[LIST_ROOM]; /* of each */
    /* Of each line with a point the eight digits in front of its last eight, and those in front of these. */
    uint32_t front[LIST_ROOM / 4 + TOGETHER][2];
    unsigned count, lines;
};

/* Of the text in front of a step. */
struct cutting {
    __m512i bytes; /* of the step before, less '0' */
    int last;      /* place of what ended its last number, below 0: the step's first byte has 0 */
    unsigned numbers;       /* of a line that are there */
    uint64_t begin, letter; /* its last byte ended a line; it is a letter */
};

/* The lowest bit of @p bits is of number @p numbers of a line of @p columns: of @p column_bits, which are for a line's first one, those of that. */
WITHIN uint64_t turned(uint64_t column_bits, unsigned numbers)
{
    return column_bits >> numbers;
}

/* ---- numbers of a step -------------------------------------------------------------------------------- */

/* Of each number of a line, by kind: a bit for the last one, and for the one in front of a point. */
WITHIN uint64_t last_column(enum kind kind)
{
    return kind == PAIRS     ? UINT64_C(0xAAAAAAAAAAAAAAAA)
           : kind == TRIPLES ? UINT64_C(0x4924924924924924)
                             : UINT64_C(0x8888888888888888);
}
#define POINT_COLUMN  UINT64_C(0x4444444444444444)
#define LETTER_COLUMN UINT64_C(0x1111111111111111)

WITHIN unsigned columns_of(enum kind kind)
{
    return kind == PAIRS ? 2 : kind == TRIPLES ? 3 : 4;
}

/* Each number as often as it has bytes. */
static const uint8_t each_number[64] __attribute__((aligned(64))) = {
    FROM(0, 0), FROM(1, 0), FROM(2, 0), FROM(3, 0), FROM(4, 0), FROM(5, 0), FROM(6, 0), FROM(7, 0)};

/* Of the lines that end in a step the digits that do not fit into the last eight. @param[in] last  numbers that end a line. @return lines. */
WITHIN unsigned put_front(__m512i bytes, __m512i before, __m512i behind, __m512i places,
                          uint64_t last, int are_long, struct list *list)
{
    __m512i numbers = _mm512_setzero_si512();
    if (are_long) {
        const __m512i each = load(each_number),
                      from = _mm512_add_epi8(
                          _mm512_permutexvar_epi8(each, _mm512_maskz_compress_epi8(last, behind)),
                          _mm512_sub_epi8(load(in_front), _mm512_set1_epi8(DIGITS_MOST))),
                      front =
                          _mm512_permutexvar_epi8(each, _mm512_maskz_compress_epi8(last, places)),
                      upper = fours_at(bytes, before, front, from),
                      uppermost = fours_at(bytes, before, front,
                                           _mm512_sub_epi8(from, _mm512_set1_epi8(DIGITS_MOST)));
        numbers =
            _mm512_madd_epi16(_mm512_packus_epi32(upper, uppermost), _mm512_set1_epi32(0x00012710));
        /* Of two lines each, in order: upper, upper, uppermost, uppermost. */
        numbers = _mm512_shuffle_epi32(numbers, _MM_PERM_DBCA);
    }
    _mm512_storeu_si512(list->front + list->lines, numbers);
    return (unsigned)_mm_popcnt_u64(last);
}

/* Put the numbers that end in 64 bytes behind those of the list, up to the first byte that no plain line has there.
 *  @param[in] at  of these bytes in the text. @return such bytes in front, 64 at the most. */
WITHIN unsigned cut_step(enum kind kind, const char *text, unsigned at, __m512i parting,
                         char letter, struct cutting *cutting, struct list *list)
{
    const __m512i raw = load(text + at), bytes = _mm512_sub_epi8(raw, _mm512_set1_epi8('0'));
    uint64_t parts = _mm512_cmpeq_epi8_mask(raw, _mm512_shuffle_epi8(parting, raw)),
             ends = _mm512_cmpeq_epi8_mask(raw, _mm512_set1_epi8('\n')),
             odd = ~(parts | _mm512_cmple_epu8_mask(bytes, _mm512_set1_epi8(9)));
    unsigned count = (unsigned)_mm_popcnt_u64(parts);
    const __m512i behind = _mm512_maskz_compress_epi8(parts, load(in_order)),
                  places = _mm512_mask_permutexvar_epi8(
                      _mm512_set1_epi8((char)cutting->last), ~UINT64_C(1),
                      _mm512_sub_epi8(load(in_order), _mm512_set1_epi8(1)), behind),
                  lengths = _mm512_sub_epi8(_mm512_sub_epi8(behind, places), _mm512_set1_epi8(1));
    const __m512i more = _mm512_sub_epi8(lengths, _mm512_set1_epi8(1));
    const uint64_t last = turned(last_column(kind), cutting->numbers);
    const uint64_t longer = _mm512_cmpgt_epu8_mask(more, _mm512_set1_epi8(DIGITS_MOST - 1));
    uint64_t wrong = longer;
    if (kind == POINTS) {
        const uint64_t points = _mm512_cmpeq_epi8_mask(raw, _mm512_set1_epi8('.'));
        wrong = (wrong & ~last) | _mm512_cmpgt_epu8_mask(more, _mm512_set1_epi8(BEHIND_MOST - 1)) |
                (_pext_u64(points, parts) ^ turned(POINT_COLUMN, cutting->numbers));
    }
    wrong = _bzhi_u64(wrong | (_pext_u64(ends, parts) ^ last), count);
    if (kind ==
        LETTERS) { /* stands at the begin of each line and there alone, and something parts it from what follows */
        const uint64_t letters = _mm512_cmpeq_epi8_mask(raw, _mm512_set1_epi8(letter));
        odd = (odd & ~letters) | (letters ^ (ends << 1 | cutting->begin)) |
              ((letters << 1 | cutting->letter) & ~parts);
        cutting->begin = ends >> 63;
        cutting->letter = letters >> 63;
    }
    unsigned taken = STEP;
    if (__builtin_expect((odd | wrong) != 0 || !parts, 0)) {
        odd |= parts ? _pdep_u64(wrong & -wrong, parts) : 1;
        taken = (unsigned)_tzcnt_u64(odd);
        count = (unsigned)_mm_popcnt_u64(_bzhi_u64(parts, taken));
    }
    for (unsigned i = 0; i < count; i += TOGETHER) { /* once, as a rule */
        const __m512i numbers = sixteen(bytes, cutting->bytes, places, behind, i);
        unsigned here = count - i < TOGETHER ? count - i : TOGETHER;
        if (kind == LETTERS) {
            const uint64_t keep = ~turned(LETTER_COLUMN, (cutting->numbers + i) % 4);
            _mm512_storeu_si512(list->number + list->count,
                                _mm512_maskz_compress_epi32((__mmask16)keep, numbers));
            here = (unsigned)_mm_popcnt_u64(_bzhi_u64(keep, here));
        } else {
            _mm512_storeu_si512(list->number + list->count, numbers);
        }
        if (kind == POINTS)
            _mm_storeu_si128(
                (__m128i *)(void *)(list->digits + list->count),
                _mm512_castsi512_si128(_mm512_permutexvar_epi8(
                    _mm512_add_epi8(load(in_order), _mm512_set1_epi8((char)i)), lengths)));
        list->count += here;
    }
    if (kind == POINTS)
        list->lines += put_front(bytes, cutting->bytes, behind, places, _bzhi_u64(last, count),
                                 _bzhi_u64(longer, count) != 0, list);
    cutting->numbers = (cutting->numbers + count) % columns_of(kind);
    cutting->last = -1 - __builtin_clzll(parts | 1);
    cutting->bytes = bytes;
    return taken;
}

/* ---- arcs ---------------------------------------------------------------------------------------------- */

/* Arcs as they are taken. */
struct arcs {
    __m512i low, span;      /* ids less low are span at the most */
    __m512i source, target; /* of the arcs before */
    __m512i highest;
    uint32_t loops, tangled, first; /* first: a bit for an arc in front of which there is none */
};

/* Every so many of numbers, from number @p column on. */
WITHIN __m512i column_of(const uint32_t *numbers, unsigned columns, unsigned column)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                  from =
                      _mm512_add_epi32(_mm512_mullo_epi32(lanes, _mm512_set1_epi32((int)columns)),
                                       _mm512_set1_epi32((int)column));
    const __m512i low = _mm512_permutex2var_epi32(load(numbers), from, load(numbers + 16));
    if (columns == 2)
        return low;
    /* Of lanes that are not among the first 32 the lower bits are right. */
    const __m512i high = _mm512_permutex2var_epi32(
        load(numbers + 32), from, columns == 4 ? load(numbers + 48) : load(numbers + 32));
    return _mm512_mask_mov_epi32(low, _mm512_cmpgt_epu32_mask(from, _mm512_set1_epi32(31)), high);
}

/* Note sixteen arcs. @return 0: some id is none of the form, and nothing was noted. */
WITHIN int note_arcs(struct arcs *arcs, __m512i source, __m512i target)
{
    const __m512i larger = _mm512_max_epu32(source, target);
    if (_mm512_cmpgt_epu32_mask(larger, arcs->span))
        return 0;
    const __m512i source_before = _mm512_alignr_epi32(source, arcs->source, 15),
                  target_before = _mm512_alignr_epi32(target, arcs->target, 15);
    const uint32_t above = _mm512_cmpgt_epu32_mask(source, source_before) |
                           ((uint32_t)_mm512_cmpeq_epu32_mask(source, source_before) &
                            (uint32_t)_mm512_cmpgt_epu32_mask(target, target_before));
    arcs->tangled |= 0xFFFF & ~(above | arcs->first);
    arcs->first = 0;
    arcs->loops += (uint32_t)_mm_popcnt_u32(_mm512_cmpeq_epu32_mask(source, target));
    arcs->highest = _mm512_max_epu32(arcs->highest, larger);
    arcs->source = source;
    arcs->target = target;
    return 1;
}

/* ---- weights with a point ------------------------------------------------------------------------------ */

/* Powers of ten by lane. @param[in] power  0 to 8. */
WITHIN __m512i ten_to(__m512i power)
{
    return _mm512_permutex2var_epi64(load(weir__tens), power, load(weir__tens + 8));
}

/* Eight digits at the most, in front of the digits of @p value: @p value times a power of ten, and they. */
WITHIN __m512i and_digits(__m512i value, __m512i digits, __m512i count)
{
    return _mm512_add_epi64(_mm512_mullo_epi64(value, ten_to(count)), digits);
}

/* Eight weights. */
struct eight {
    __m512i whole, behind;          /* in front of the point; how many digits there are behind it */
    __m512i last, upper, uppermost; /* these, eight and eight of them */
};

/* A mantissa over a power of ten, to the nearest double: its quotient, and by how much that is off, are as exact as two doubles are. Where what is
 * behind the last bit of the sum might be wrong about which double is the nearest, arithmetic of integers tells. */
WITHIN __m512d quotient_of(__m512i mantissa, __m512i behind)
{
    const __m512d power = _mm512_i64gather_pd(behind, weir__powers_of_ten, 8),
                  upper = _mm512_cvtepu64_pd(mantissa),
                  lower = _mm512_cvtepi64_pd(_mm512_sub_epi64(mantissa, _mm512_cvtpd_epu64(upper))),
                  quotient = _mm512_div_pd(upper, power),
                  rest = _mm512_div_pd(
                      _mm512_add_pd(_mm512_fnmadd_pd(quotient, power, upper), lower), power),
                  doubt = _mm512_mul_pd(_mm512_abs_pd(rest), _mm512_set1_pd(0x1p-40)),
                  most = _mm512_add_pd(quotient, _mm512_add_pd(rest, doubt)),
                  least = _mm512_add_pd(quotient, _mm512_sub_pd(rest, doubt));
    const __mmask8 equal = _mm512_cmp_pd_mask(most, least, _CMP_EQ_OQ);
    if (__builtin_expect(equal == 0xFF, 1))
        return most;
    double value[8];
    uint64_t numbers[8], powers[8];
    _mm512_storeu_pd(value, most);
    _mm512_storeu_si512(numbers, mantissa);
    _mm512_storeu_si512(powers, behind);
    for (unsigned i = 0; i < 8; i++)
        if (!(equal >> i & 1))
            value[i] = weir__decimal(numbers[i], (unsigned)powers[i]);
    return _mm512_loadu_pd(value);
}

/* @param[out] any_out  whether there are other digits than zeros behind a point. @return 0: some weight has more digits than 64 bits hold. */
WITHIN int take_eight(const struct eight *weights, int *any_out, __m512d *values_out)
{
    const __m512i eight = _mm512_set1_epi64(DIGITS_MOST), behind = weights->behind;
    if (!_mm512_cmpgt_epu64_mask(behind, eight)) {
        const __m512i mantissa = and_digits(weights->whole, weights->last, behind);
        *any_out = _mm512_test_epi64_mask(weights->last, weights->last) != 0;
        /* What doubles hold is only divided. */
        *values_out =
            _mm512_cmpgt_epu64_mask(mantissa, _mm512_set1_epi64(1LL << 53))
                ? quotient_of(mantissa, behind)
                : _mm512_div_pd(_mm512_cvtepu64_pd(mantissa), _mm512_cvtepu64_pd(ten_to(behind)));
        return 1;
    }
    const __m512i last = _mm512_min_epu64(behind, eight), others = _mm512_sub_epi64(behind, last),
                  upper = _mm512_min_epu64(others, eight),
                  any = _mm512_or_si512(weights->last,
                                        _mm512_or_si512(weights->upper, weights->uppermost));
    const __m512i front =
        and_digits(and_digits(weights->whole, weights->uppermost, _mm512_sub_epi64(others, upper)),
                   weights->upper, upper);
    /* With eight digits more it may be more than 64 bits hold, if it is not so already. */
    const __m512d about =
        _mm512_mul_pd(_mm512_cvtepu64_pd(weights->whole),
                      _mm512_permutex2var_pd(_mm512_loadu_pd(weir__powers_of_ten), others,
                                             _mm512_loadu_pd(weir__powers_of_ten + 8)));
    if (_mm512_cmp_pd_mask(about, _mm512_set1_pd(1.8e11), _CMP_GT_OQ) ||
        _mm512_cmpgt_epu64_mask(front, _mm512_set1_epi64(179999999999)))
        return 0;
    *any_out = _mm512_test_epi64_mask(any, any) != 0;
    *values_out = quotient_of(and_digits(front, weights->last, last), behind);
    return 1;
}

/* Integers become doubles. */
WITHIN void widen(weir__plain *plain)
{
    for (uint64_t i = plain->fractions ? 0 : plain->count; i-- > 0;)
        plain->weights[i] = plain->integers[i]; /* which lies there or in front */
    plain->fractions = 1;
}

WITHIN __m512i half(__m512i lanes, int upper)
{
    return _mm512_cvtepu32_epi64(upper ? _mm512_extracti64x4_epi64(lanes, 1)
                                       : _mm512_castsi512_si256(lanes));
}

/* Sixteen weights. */
struct values {
    __m512i wholes;
    __m512d low, high;
    int any; /* digits behind a point are not all zeros */
};

/* @param[in] line  of the list, at number @p at. */
WITHIN int take_values(const struct list *list, unsigned line, unsigned at, struct values *values)
{
    const __m512i whole = column_of(list->number + at, 4, 2),
                  part = column_of(list->number + at, 4, 3),
                  behind = _mm512_srli_epi32(load(list->digits + at), 24),
                  upper = column_of(list->front[line], 2, 0),
                  uppermost = column_of(list->front[line], 2, 1);
    const struct eight low = {half(whole, 0), half(behind, 0), half(part, 0), half(upper, 0),
                              half(uppermost, 0)},
                       high = {half(whole, 1), half(behind, 1), half(part, 1), half(upper, 1),
                               half(uppermost, 1)};
    int any[2];
    values->wholes = whole;
    if (!take_eight(&low, &any[0], &values->low) || !take_eight(&high, &any[1], &values->high))
        return 0;
    values->any = any[0] || any[1];
    return 1;
}

WITHIN void put_values(const struct values *values, weir__plain *plain)
{
    if (!plain->fractions && !values->any) {
        _mm512_storeu_si512(plain->integers + plain->count, values->wholes);
        return;
    }
    if (!plain->fractions)
        widen(plain);
    _mm512_storeu_pd(plain->weights + plain->count, values->low);
    _mm512_storeu_pd(plain->weights + plain->count + 8, values->high);
}

WITHIN void put_wholes(weir__plain *plain, __m512i weights)
{
    if (!plain->fractions) {
        _mm512_storeu_si512(plain->integers + plain->count, weights);
        return;
    }
    _mm512_storeu_pd(plain->weights + plain->count,
                     _mm512_cvtepu32_pd(_mm512_castsi512_si256(weights)));
    _mm512_storeu_pd(plain->weights + plain->count + 8,
                     _mm512_cvtepu32_pd(_mm512_extracti64x4_epi64(weights, 1)));
}

/* ---- lines --------------------------------------------------------------------------------------------- */

/* Lines of the list become arcs, sixteen at a time; those that are left move to its begin. @return 0: some are none of the form, or there is no room. */
WITHIN int part_lines(enum kind kind, struct list *list, struct arcs *arcs, weir__plain *plain)
{
    const unsigned columns = kind == LETTERS ? 3 : columns_of(kind), each = columns * TOGETHER;
    unsigned at = 0;
    int fit = 1;
    for (; at + each <= list->count; at += each) {
        const uint32_t *numbers = list->number + at;
        const __m512i source = _mm512_sub_epi32(column_of(numbers, columns, 0), arcs->low),
                      target = _mm512_sub_epi32(column_of(numbers, columns, 1), arcs->low);
        struct values values;
        fit = plain->count + TOGETHER <= plain->room &&
              (kind != POINTS || take_values(list, at / each * TOGETHER, at, &values)) &&
              note_arcs(arcs, source, target);
        if (!fit)
            break;
        _mm512_storeu_si512(plain->sources + plain->count, source);
        _mm512_storeu_si512(plain->targets + plain->count, target);
        if (kind == POINTS)
            put_values(&values, plain);
        else if (kind != PAIRS)
            put_wholes(plain, column_of(numbers, columns, 2));
        plain->count += TOGETHER;
    }
    list->count -= at;
    memmove(list->number, list->number + at, list->count * sizeof *list->number);
    if (kind == POINTS) {
        const unsigned lines = at / each * TOGETHER;
        list->lines -= lines;
        memmove(list->digits, list->digits + at, list->count * sizeof *list->digits);
        memmove(list->front, list->front + lines, list->lines * sizeof *list->front);
    }
    return fit;
}

/* Where the last but @p lines complete lines of a text end. */
static const char *end_before(const char *text, const char *end, unsigned lines)
{
    for (unsigned i = 0; i <= lines && end > text; i++) {
        const char *stop = memrchr(text, '\n', (size_t)(end - text) - (i > 0));
        end = stop ? stop + 1 : text;
    }
    return end;
}

WITHIN const char *take_kind(enum kind kind, const weir__plain_form *form, const char *text,
                             const char *end, weir__plain *plain)
{
    const size_t bytes =
        (size_t)(end - text) > UINT32_MAX / 2 ? UINT32_MAX / 2 : (size_t)(end - text);
    const __m512i parting = _mm512_broadcast_i32x4(_mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t',
                                                                 '\n', 0, form->commas ? ',' : ' ',
                                                                 0, kind == POINTS ? '.' : ' ', 0));
    struct list list;
    struct cutting cutting = {.bytes = _mm512_setzero_si512(), .last = -1, .begin = 1};
    struct arcs arcs = {.low = _mm512_set1_epi32((int)(uint32_t)form->low),
                        .span = _mm512_set1_epi32((int)(uint32_t)(form->high - form->low)),
                        .highest = _mm512_setzero_si512(),
                        .first = plain->count == 0};
    if (plain->count > 0) {
        arcs.source = _mm512_set1_epi32((int)plain->sources[plain->count - 1]);
        arcs.target = _mm512_set1_epi32((int)plain->targets[plain->count - 1]);
    } else {
        arcs.source = arcs.target = _mm512_setzero_si512();
    }
    unsigned at = 0, taken = STEP;
    int fit = 1;
    list.count = list.lines = 0;
    while (fit && taken == STEP && bytes - at >= STEP) {
        const unsigned stop = bytes - at < PIECE ? (unsigned)bytes - STEP : at + PIECE - STEP;
        for (; taken == STEP && at <= stop; at += taken)
            taken = cut_step(kind, text, at, parting, form->letter, &cutting, &list);
        fit = part_lines(kind, &list, &arcs, plain);
    }
    const uint32_t highest = _mm512_reduce_max_epu32(arcs.highest);
    plain->highest = highest > plain->highest ? highest : plain->highest;
    plain->loops += arcs.loops;
    plain->tangled |= arcs.tangled != 0;
    return end_before(text, text + at, list.count / (kind == LETTERS ? 3 : columns_of(kind)));
}

WIDEST const char *weir__plain_numbers(const weir__plain_form *form, int pointed, const char *text,
                                       const char *end, weir__plain *plain)
{
    if (form->letter)
        return take_kind(LETTERS, form, text, end, plain);
    if (!form->weighted)
        return take_kind(PAIRS, form, text, end, plain);
    return pointed ? take_kind(POINTS, form, text, end, plain)
                   : take_kind(TRIPLES, form, text, end, plain);
}

#endif
