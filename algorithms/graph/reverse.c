/** @file reverse.c  Random numbers of rows of vertices, added up: eight at a time by a processor with wide registers. */
#include "algorithms/graph/reverse.h"

static inline struct weir__reverse sums_one_by_one(enum weir__reverse_which which,
                                                   const uint32_t *targets, const uint32_t *weights,
                                                   unsigned stride, uint32_t from, uint64_t count)
{
    struct weir__reverse sums = {0, 0, 0};
    for (uint64_t i = 0; i < count; i++) {
        const struct weir__reverse of = weir__reverse_of(targets[i * stride] + from);
        const uint64_t weight = weights ? weir__reverse_weight(weights[i * stride]) : 1;
        sums.first += which != WEIR__REVERSE_SECOND ? weight * of.first : 0;
        sums.second += which != WEIR__REVERSE_FIRST ? weight * of.second : 0;
        sums.third += which == WEIR__REVERSE_ALL ? weight * of.third : 0;
    }
    return sums;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define WIDE   __attribute__((target("avx2")))
#define INSIDE static inline __attribute__((always_inline)) WIDE
#define LANES  8u

INSIDE __m256i all_of(uint32_t number)
{
    return _mm256_set1_epi32((int)number);
}

INSIDE __m256i shifted(__m256i x, int bits)
{
    return _mm256_xor_si256(x, _mm256_srli_epi32(x, bits));
}

INSIDE __m256i mix(__m256i x)
{
    x = _mm256_mullo_epi32(shifted(x, 16), all_of(WEIR__SALT_MIX_1));
    x = _mm256_mullo_epi32(shifted(x, 15), all_of(WEIR__SALT_MIX_2));
    return shifted(x, 16);
}

/* Eight numbers, or so many as @p lanes has, one every @p stride; of pairs the first or the @p second. */
INSIDE __m256i take(const uint32_t *numbers, unsigned stride, __m256i lanes)
{
    if (stride == 1)
        return _mm256_maskload_epi32((const int *)(const void *)numbers, lanes);
    return _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), (const int *)(const void *)numbers,
                                       _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14), lanes, 4);
}

/* Products of 64 bits of the numbers in even lanes, times 2^32 and more of the weights. */
INSIDE __m256i product(__m256i a, __m256i b, int weighted, __m256i weight)
{
    const __m256i of = _mm256_mul_epu32(a, b);
    if (!weighted)
        return of;
    const __m256i upper = _mm256_mul_epu32(_mm256_srli_epi64(of, 32), weight);
    return _mm256_add_epi64(_mm256_mul_epu32(of, weight),
                            _mm256_slli_epi64(_mm256_add_epi64(upper, of), 32));
}

/* Products of all lanes, added to sums of four. */
INSIDE __m256i add(__m256i sums, __m256i a, __m256i b, int weighted, __m256i weight)
{
    sums = _mm256_add_epi64(sums, product(a, b, weighted, weight));
    return _mm256_add_epi64(sums, product(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32),
                                          weighted, _mm256_srli_epi64(weight, 32)));
}

struct wide_sums {
    __m256i first, second, third;
};

/* Eight vertices. Numbers of @p lanes that are not there are products with 0. */
INSIDE void add_eight(enum weir__reverse_which which, __m256i vertices, int weighted,
                      __m256i weights, int whole, __m256i lanes, struct wide_sums *sums)
{
    const __m256i a = mix(_mm256_xor_si256(vertices, all_of(WEIR__SALT_BEGIN))),
                  b = shifted(_mm256_mullo_epi32(a, all_of(WEIR__SALT_AGAIN)), 15),
                  weight =
                      weighted ? mix(_mm256_xor_si256(weights, all_of(WEIR__SALT_BEGIN))) : weights;
    const __m256i second = _mm256_xor_si256(a, all_of(WEIR__SALT_SECOND)),
                  third = _mm256_xor_si256(a, all_of(WEIR__SALT_THIRD));
    if (which != WEIR__REVERSE_SECOND)
        sums->first = add(sums->first, whole ? a : _mm256_and_si256(a, lanes),
                          _mm256_or_si256(b, all_of(1)), weighted, weight);
    if (which != WEIR__REVERSE_FIRST)
        sums->second = add(sums->second, whole ? second : _mm256_and_si256(second, lanes),
                           _mm256_xor_si256(b, all_of(WEIR__SALT_THIRD)), weighted, weight);
    if (which == WEIR__REVERSE_ALL)
        sums->third = add(sums->third, whole ? third : _mm256_and_si256(third, lanes),
                          _mm256_xor_si256(b, all_of(WEIR__SALT_BEGIN)), weighted, weight);
}

INSIDE uint64_t sum_of(__m256i sums)
{
    const __m128i two =
        _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return (uint64_t)_mm_cvtsi128_si64(two) +
           (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(two, two));
}

/* @p which, @p weighted and @p stride are constants. */
INSIDE struct weir__reverse sums_of(enum weir__reverse_which which, const uint32_t *targets,
                                    const uint32_t *weights, int weighted, unsigned stride,
                                    uint32_t from, uint64_t count)
{
    const __m256i order = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), all = all_of(UINT32_MAX),
                  add_from = all_of(from);
    const uint64_t whole = count / LANES * LANES;
    __m256i weight = _mm256_setzero_si256();
    struct wide_sums sums = {weight, weight, weight};
    for (uint64_t i = 0; i < whole; i += LANES) {
        if (weighted)
            weight = take(weights + i * stride, stride, all);
        add_eight(which, _mm256_add_epi32(take(targets + i * stride, stride, all), add_from),
                  weighted, weight, 1, all, &sums);
    }
    if (whole < count) {
        const __m256i lanes = _mm256_cmpgt_epi32(all_of((uint32_t)(count - whole)), order);
        if (weighted)
            weight = take(weights + whole * stride, stride, lanes);
        add_eight(which, _mm256_add_epi32(take(targets + whole * stride, stride, lanes), add_from),
                  weighted, weight, 0, lanes, &sums);
    }
    return (struct weir__reverse){sum_of(sums.first), sum_of(sums.second), sum_of(sums.third)};
}

#define SUMS(weighted, stride)                                                            \
    (which == WEIR__REVERSE_FIRST                                                         \
         ? sums_of(WEIR__REVERSE_FIRST, targets, weights, weighted, stride, from, count)  \
     : which == WEIR__REVERSE_SECOND                                                      \
         ? sums_of(WEIR__REVERSE_SECOND, targets, weights, weighted, stride, from, count) \
     : which == WEIR__REVERSE_TWO                                                         \
         ? sums_of(WEIR__REVERSE_TWO, targets, weights, weighted, stride, from, count)    \
         : sums_of(WEIR__REVERSE_ALL, targets, weights, weighted, stride, from, count))

WIDE static struct weir__reverse wide_sums(enum weir__reverse_which which, const uint32_t *targets,
                                           const uint32_t *weights, unsigned stride, uint32_t from,
                                           uint64_t count)
{
    if (weights)
        return stride == 2 ? SUMS(1, 2) : SUMS(1, 1);
    return stride == 2 ? SUMS(0, 2) : SUMS(0, 1);
}

struct weir__reverse weir__reverse_sums(enum weir__reverse_which which, const uint32_t *targets,
                                        const uint32_t *weights, unsigned stride, uint32_t from,
                                        uint64_t count)
{
    return __builtin_cpu_supports("avx2")
               ? wide_sums(which, targets, weights, stride, from, count)
               : sums_one_by_one(which, targets, weights, stride, from, count);
}

#else

struct weir__reverse weir__reverse_sums(enum weir__reverse_which which, const uint32_t *targets,
                                        const uint32_t *weights, unsigned stride, uint32_t from,
                                        uint64_t count)
{
    return sums_one_by_one(which, targets, weights, stride, from, count);
}

#endif
