/** @file plain_widest.h  Numbers of a text in registers of 64 bytes that may be put into any order (AVX-512 with VBMI2). Not installed.
 *
 * What ends a number in 64 bytes is a word of bits, of which one instruction makes places. Sixteen numbers at a time get the bytes in front
 * of their places and become integers. No byte is looked at twice, and nothing depends on how long a number is. */
#ifndef WEIR_ALGORITHMS_GRAPH_PLAIN_WIDEST_H
#define WEIR_ALGORITHMS_GRAPH_PLAIN_WIDEST_H

#include "algorithms/graph/plain_wide.h"

#if WEIR__PLAIN_WIDE

#define WIDEST                                                                              \
    __attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2," \
                          "bmi,bmi2,popcnt,pclmul")))
#define WITHIN static inline __attribute__((always_inline)) WIDEST

#define TOGETHER    16u /* numbers that are made at once, and lines that are parted into columns */
#define DIGITS_MOST 8u  /* of a number */

/* Bytes from 0 on, and 64 of them. */
#define FROM(a, step)                                                                          \
    (a), (a) + (step), (a) + 2 * (step), (a) + 3 * (step), (a) + 4 * (step), (a) + 5 * (step), \
        (a) + 6 * (step), (a) + 7 * (step)
#define ROW(a)                      FROM(a, 1)
#define ALL(a, b, c, d, e, f, g, h) a, b, c, d, e, f, g, h
static const uint8_t in_order[64] __attribute__((aligned(64))) = {
    ROW(0), ROW(8), ROW(16), ROW(24), ROW(32), ROW(40), ROW(48), ROW(56)};
/* The eight bytes in front of a place. */
static const int8_t in_front[64] __attribute__((aligned(64))) = {
    ROW(-8), ROW(-8), ROW(-8), ROW(-8), ROW(-8), ROW(-8), ROW(-8), ROW(-8)};
/* Each number as often as it has bytes, so that halves of registers that are packed come out in order. */
static const uint8_t some_numbers[64]
    __attribute__((aligned(64))) = {FROM(0, 0), FROM(1, 0), FROM(4, 0),  FROM(5, 0),
                                    FROM(8, 0), FROM(9, 0), FROM(12, 0), FROM(13, 0)};
static const uint8_t other_numbers[64]
    __attribute__((aligned(64))) = {FROM(2, 0),  FROM(3, 0),  FROM(6, 0),  FROM(7, 0),
                                    FROM(10, 0), FROM(11, 0), FROM(14, 0), FROM(15, 0)};

WITHIN __m512i load(const void *from)
{
    return _mm512_loadu_si512(from);
}

/* The digits from a place on, eight of each number, of which there are some in front of it that do not count, become two fours. @param[in] front  of each byte
 *  the place in front of its number. @param[in] from  its own. */
WITHIN __m512i fours_at(__m512i bytes, __m512i before, __m512i front, __m512i from)
{
    const __m512i digits =
        _mm512_maskz_permutex2var_epi8(_mm512_cmpgt_epi8_mask(from, front), bytes, from, before);
    return _mm512_madd_epi16(_mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010A)), /* 10, 1 */
                             _mm512_set1_epi32(0x00010064));                          /* 100, 1 */
}

/* Eight numbers. @param[in] front  place in front of each number of all. @param[in] behind  that behind it. @param[in] which  numbers, eight bytes each. */
WITHIN __m512i fours_of_eight(__m512i bytes, __m512i before, __m512i front, __m512i behind,
                              __m512i which)
{
    return fours_at(bytes, before, _mm512_permutexvar_epi8(which, front),
                    _mm512_add_epi8(_mm512_permutexvar_epi8(which, behind), load(in_front)));
}

/* Sixteen numbers, from number @p first on. */
WITHIN __m512i sixteen(__m512i bytes, __m512i before, __m512i front, __m512i behind, unsigned first)
{
    const __m512i from = _mm512_set1_epi8((char)first),
                  some = fours_of_eight(bytes, before, front, behind,
                                        _mm512_add_epi8(load(some_numbers), from)),
                  others = fours_of_eight(bytes, before, front, behind,
                                          _mm512_add_epi8(load(other_numbers), from));
    return _mm512_madd_epi16(_mm512_packus_epi32(some, others),
                             _mm512_set1_epi32(0x00012710)); /* 10000, 1 */
}

#endif

#endif
