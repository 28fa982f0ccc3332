/** @file half_reference.h  Numbers of 16 bits by plain arithmetic on doubles: what the library's own are held
 *  against. A double holds every one of them, and the products of any two, exactly. */
#ifndef WEIR_TESTS_ROUTER_HALF_REFERENCE_H
#define WEIR_TESTS_ROUTER_HALF_REFERENCE_H

#include "router/collective.h"

#include <math.h>
#include <stdint.h>

/** Bits of the fraction, and the exponents of the least and the largest power of two that are normal. */
struct half_format {
    int fraction, least, most;
};

static inline struct half_format half_format_of(weir_type type)
{
    return type == WEIR_TYPE_BF16 ? (struct half_format){7, -126, 127}
                                  : (struct half_format){10, -14, 15};
}

static inline double half_decode(uint16_t bits, struct half_format f)
{
    int exponent = (bits & 0x7FFF) >> f.fraction, fraction = bits & ((1 << f.fraction) - 1);
    double sign = bits & 0x8000 ? -1 : 1;
    if (exponent + f.least - 1 > f.most)
        return fraction ? NAN : sign * INFINITY;
    if (!exponent)
        return sign * ldexp(fraction, f.least - f.fraction);
    return sign * ldexp((1 << f.fraction) + fraction, exponent - 1 + f.least - f.fraction);
}

/** The nearest, of two equally near ones the even one; NaN: quiet, without a sign. */
static inline uint16_t half_encode(double value, struct half_format f)
{
    const uint16_t infinity = (uint16_t)((f.most - f.least + 2) << f.fraction);
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value))
        return (uint16_t)(infinity | 1 << (f.fraction - 1));
    if (value == 0 || isinf(value))
        return value == 0 ? sign : (uint16_t)(sign | infinity);
    int exponent = ilogb(value) < f.least ? f.least : ilogb(value);
    if (exponent > f.most)
        return (uint16_t)(sign | infinity);
    /* Units of the last bit: where they reach a power of two, the exponent grows by itself. */
    double units = nearbyint(ldexp(fabs(value), f.fraction - exponent));
    long base = (long)(exponent - f.least) << f.fraction;
    return (uint16_t)(sign | (base + (long)units));
}

#endif
