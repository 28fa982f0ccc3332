/** @file key_rows_wide.c  Keys sorted in registers of 64 bytes, and rows made of them sixteen at a time, on processors that have AVX-512 with VBMI2. */
#include "algorithms/graph/key_rows.h"
#include "algorithms/graph/plain_widest.h"

#include <string.h>

#if WEIR__PLAIN_WIDE

#define APART static __attribute__((noinline)) WIDEST

/* ---- numbers of 32 bits, sixteen to a register ----------------------------------------------------------- */

WITHIN __m512i plain_least(__m512i one, __m512i other)
{
    return _mm512_min_epu32(one, other);
}

WITHIN __m512i plain_most(__m512i one, __m512i other)
{
    return _mm512_max_epu32(one, other);
}

/* @param[in] others  where @p where has no bit. */
WITHIN __m512i plain_most_where(__m512i others, __mmask16 where, __m512i one, __m512i other)
{
    return _mm512_mask_max_epu32(others, where, one, other);
}

WITHIN __mmask16 plain_up_to(__mmask16 some, __m512i keys, __m512i pivots)
{
    return _mm512_mask_cmple_epu32_mask(some, keys, pivots);
}

/* What is not there is behind all others. */
WITHIN __m512i plain_load(__mmask16 some, const uint32_t *from)
{
    return _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), some, from);
}

WITHIN void plain_store(uint32_t *to, __mmask16 some, __m512i keys)
{
    _mm512_mask_storeu_epi32(to, some, keys);
}

/* Some side by side. */
WITHIN __m512i plain_pressed(__mmask16 some, __m512i keys)
{
    return _mm512_maskz_compress_epi32(some, keys);
}

WITHIN __m512i plain_all_as(uint32_t key)
{
    return _mm512_set1_epi32((int)key);
}

WITHIN __m512i plain_swap_1(__m512i keys)
{
    return _mm512_shuffle_epi32(keys, 0xB1);
}

WITHIN __m512i plain_swap_2(__m512i keys)
{
    return _mm512_shuffle_epi32(keys, 0x4E);
}

WITHIN __m512i plain_swap_4(__m512i keys)
{
    return _mm512_permutex_epi64(keys, 0x4E);
}

WITHIN __m512i plain_swap_8(__m512i keys)
{
    return _mm512_shuffle_i64x2(keys, keys, 0x4E);
}

WITHIN __m512i plain_turn_4(__m512i keys)
{
    return _mm512_shuffle_epi32(keys, 0x1B);
}

WITHIN __m512i plain_turn_8(__m512i keys)
{
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8), keys);
}

WITHIN __m512i plain_turn_all(__m512i keys)
{
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), keys);
}

#define KEYS(name) plain_##name
#define KEY_TYPE   uint32_t
#define LANES_OF   16
#define LANE_MASK  __mmask16
#include "algorithms/graph/key_sort_tmpl.h"

/* ---- numbers of 64 bits, eight to a register -------------------------------------------------------------- */

WITHIN __m512i weighed_least(__m512i one, __m512i other)
{
    return _mm512_min_epu64(one, other);
}

WITHIN __m512i weighed_most(__m512i one, __m512i other)
{
    return _mm512_max_epu64(one, other);
}

WITHIN __m512i weighed_most_where(__m512i others, __mmask8 where, __m512i one, __m512i other)
{
    return _mm512_mask_max_epu64(others, where, one, other);
}

WITHIN __mmask8 weighed_up_to(__mmask8 some, __m512i keys, __m512i pivots)
{
    return _mm512_mask_cmple_epu64_mask(some, keys, pivots);
}

WITHIN __m512i weighed_load(__mmask8 some, const uint64_t *from)
{
    return _mm512_mask_loadu_epi64(_mm512_set1_epi64(-1), some, from);
}

WITHIN void weighed_store(uint64_t *to, __mmask8 some, __m512i keys)
{
    _mm512_mask_storeu_epi64(to, some, keys);
}

WITHIN __m512i weighed_pressed(__mmask8 some, __m512i keys)
{
    return _mm512_maskz_compress_epi64(some, keys);
}

WITHIN __m512i weighed_all_as(uint64_t key)
{
    return _mm512_set1_epi64((long long)key);
}

WITHIN __m512i weighed_swap_1(__m512i keys)
{
    return _mm512_shuffle_epi32(keys, 0x4E);
}

WITHIN __m512i weighed_swap_2(__m512i keys)
{
    return _mm512_permutex_epi64(keys, 0x4E);
}

WITHIN __m512i weighed_swap_4(__m512i keys)
{
    return _mm512_shuffle_i64x2(keys, keys, 0x4E);
}

WITHIN __m512i weighed_turn_4(__m512i keys)
{
    return _mm512_permutex_epi64(keys, 0x1B);
}

WITHIN __m512i weighed_turn_all(__m512i keys)
{
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), keys);
}

#define KEYS(name) weighed_##name
#define KEY_TYPE   uint64_t
#define LANES_OF   8
#define LANE_MASK  __mmask8
#include "algorithms/graph/key_sort_tmpl.h"

/* ---- rows ------------------------------------------------------------------------------------------------- */

/* Rows so far. */
struct rows {
    uint64_t *row; /* where each begins */
    uint64_t next; /* the first one of which that is not known */
    uint64_t begin, at;
    __m512i before; /* the keys in front; the last one counts */
};

/* Sixteen keys, or the first ones of them. @return those that are not as the one in front. */
WITHIN __mmask16 new_of(__m512i keys, __mmask16 some, uint32_t bits, struct rows *rows)
{
    const __m512i front = _mm512_alignr_epi32(keys, rows->before, 15);
    const __mmask16 fresh = _mm512_mask_cmpneq_epu32_mask(some, keys, front);
    const __m512i row = _mm512_srl_epi32(keys, _mm_cvtsi32_si128((int)bits));
    uint32_t heads = _mm512_mask_cmpneq_epu32_mask(
        fresh, row, _mm512_srl_epi32(front, _mm_cvtsi32_si128((int)bits)));
    uint32_t number[16];
    if (heads) {
        _mm512_storeu_si512(number, row);
        for (; heads; heads &= heads - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(heads);
            const uint64_t begin = rows->begin + rows->at +
                                   (uint32_t)__builtin_popcount(_bzhi_u32((uint32_t)fresh, lane));
            while (rows->next <= number[lane])
                rows->row[rows->next++] = begin;
        }
    }
    rows->before = keys;
    return fresh;
}

/* The first key is another one than that in front, in another row. */
WITHIN void begin_rows(uint32_t first, uint32_t bits, struct rows *rows)
{
    rows->before = _mm512_set1_epi32((int)(first ^ (UINT32_C(1) << bits)));
}

static void end_rows(uint64_t count, struct rows *rows)
{
    while (rows->next < count)
        rows->row[rows->next++] = rows->begin + rows->at;
}

WIDEST uint64_t weir__key_rows_plain(uint32_t *keys, uint32_t count, uint32_t passes, uint32_t bits,
                                     uint64_t begin, uint64_t *row, uint64_t row_count,
                                     uint32_t *targets)
{
    const __m512i mask = _mm512_set1_epi32((int)((UINT32_C(1) << bits) - 1));
    struct rows rows = {.row = row, .begin = begin};
    plain_quick(keys, targets, count, targets, passes);
    begin_rows(count ? targets[0] : 0, bits, &rows);
    for (uint32_t i = 0; i < count; i += 16) {
        const __mmask16 some = plain_lanes_of(count - i, 0);
        const __m512i here = plain_load(some, targets + i);
        const __mmask16 fresh = new_of(here, some, bits, &rows);
        /* Not behind what was read. */
        plain_store(targets + rows.at, some,
                    _mm512_maskz_compress_epi32(fresh, _mm512_and_si512(here, mask)));
        rows.at += (uint32_t)__builtin_popcount(fresh);
    }
    end_rows(row_count, &rows);
    return rows.at;
}

WIDEST uint64_t weir__key_rows_weighed(uint64_t *keys, uint32_t count, uint32_t passes,
                                       uint32_t bits, uint64_t begin, uint64_t *row,
                                       uint64_t row_count, uint32_t *targets, uint32_t *weights)
{
    const __m512i mask = _mm512_set1_epi32((int)((UINT32_C(1) << bits) - 1)),
                  low =
                      _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
                  high = _mm512_or_si512(low, _mm512_set1_epi32(1));
    struct rows rows = {.row = row, .begin = begin};
    weighed_quick(keys, keys + count, count, keys, passes);
    begin_rows(count ? (uint32_t)(keys[0] >> 32) : 0, bits, &rows);
    for (uint32_t i = 0; i < count; i += 16) {
        const __mmask16 some = plain_lanes_of(count - i, 0);
        const __m512i first = weighed_load((__mmask8)some, keys + i),
                      second = weighed_load((__mmask8)(some >> 8), keys + i + 8),
                      here = _mm512_permutex2var_epi32(first, high, second);
        /* Of equal ones the first one has the smallest weight. */
        const __mmask16 fresh = new_of(here, some, bits, &rows);
        plain_store(targets + rows.at, some,
                    _mm512_maskz_compress_epi32(fresh, _mm512_and_si512(here, mask)));
        plain_store(
            weights + rows.at, some,
            _mm512_maskz_compress_epi32(fresh, _mm512_permutex2var_epi32(first, low, second)));
        rows.at += (uint32_t)__builtin_popcount(fresh);
    }
    end_rows(row_count, &rows);
    return rows.at;
}

#else

uint64_t weir__key_rows_plain(uint32_t *keys, uint32_t count, uint32_t passes, uint32_t bits,
                              uint64_t begin, uint64_t *row, uint64_t row_count, uint32_t *targets)
{
    (void)keys, (void)count, (void)passes, (void)bits, (void)begin, (void)row, (void)row_count,
        (void)targets;
    return 0;
}

uint64_t weir__key_rows_weighed(uint64_t *keys, uint32_t count, uint32_t passes, uint32_t bits,
                                uint64_t begin, uint64_t *row, uint64_t row_count,
                                uint32_t *targets, uint32_t *weights)
{
    (void)keys, (void)count, (void)passes, (void)bits, (void)begin, (void)row, (void)row_count,
        (void)targets;
    (void)weights;
    return 0;
}

#endif
