/** @file half.h  IEEE binary16 and bfloat16 as 16 bits: conversions from and to binary32.
 *
 * Written once, in the dialect, so that host devices and GPUs give the same bits. Rounding is to nearest,
 * ties to even, subnormal results included. Every NaN that is rounded becomes one quiet NaN without a
 * sign: processors differ in the NaNs that they make. No step has a subnormal float as its operand or
 * result where a half is converted, so a processor that flushes those to zero converts the same. */
#ifndef WEIR_ROUTER_COLLECTIVE_HALF_H
#define WEIR_ROUTER_COLLECTIVE_HALF_H

#include "runtime/dialect.h"

#ifndef __CUDACC__
#include <string.h>
#endif

#define WEIR__F16_NAN  0x7E00u
#define WEIR__BF16_NAN 0x7FC0u

WEIR_DEV uint32_t weir__bits_of_f32(float value)
{
#ifdef __CUDACC__
    return __float_as_uint(value);
#else
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
#endif
}

WEIR_DEV float weir__f32_of_bits(uint32_t bits)
{
#ifdef __CUDACC__
    return __uint_as_float(bits);
#else
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
#endif
}

/** Exact: every binary16 is a binary32. */
WEIR_DEV float weir__f32_of_f16(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, rest = half & 0x7FFFu;
    uint32_t bits = (rest << 13) + (112u << 23); /* the exponents' biases are 112 apart */
    if (rest >= 0x7C00u) { /* infinity or NaN: the largest exponent stays so */
        bits += 112u << 23;
    } else if (rest < 0x0400u) { /* zero or subnormal: 2^-14 (1 + rest / 2^10), less 2^-14 */
        const float one_more = weir__f32_of_bits(bits + (1u << 23));
        bits = weir__bits_of_f32(one_more - weir__f32_of_bits(113u << 23));
    }
    return weir__f32_of_bits(sign | bits);
}

/** The nearest binary16. */
WEIR_DEV uint16_t weir__f16_of_f32(float value)
{
    const uint32_t bits = weir__bits_of_f32(value), sign = bits >> 16 & 0x8000u;
    uint32_t rest = bits & 0x7FFFFFFFu;
    if (rest > 0x7F800000u)
        return (uint16_t)WEIR__F16_NAN;
    if (rest >= 143u << 23) { /* 2^16 or more */
        rest = 0x7C00u;
    } else if (rest < 113u << 23) {
        /* Below 2^-14 halves are 2^-24 apart, as floats from 0.5 to 1 are: the addition rounds. */
        const float half = weir__f32_of_bits(126u << 23);
        rest = weir__bits_of_f32(weir__f32_of_bits(rest) + half) - (126u << 23);
    } else { /* what rounds up past 65504 carries into the exponent of infinity */
        rest += 0x0FFFu + (rest >> 13 & 1u);
        rest = (rest - (112u << 23)) >> 13;
    }
    return (uint16_t)(sign | rest);
}

/** Exact: a bfloat16 is the upper half of a binary32. */
WEIR_DEV float weir__f32_of_bf16(uint16_t half)
{
    return weir__f32_of_bits((uint32_t)half << 16);
}

/** The nearest bfloat16. */
WEIR_DEV uint16_t weir__bf16_of_f32(float value)
{
    const uint32_t bits = weir__bits_of_f32(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
        return (uint16_t)WEIR__BF16_NAN;
    return (uint16_t)((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

#endif
