/** @file decimal.h  The double that is nearest to a decimal fraction, and the other way round. Not installed.
 *
 * A mantissa over a power of ten is a quotient of whole numbers. Both are shifted until their top bits are set, so the quotient has 63 or 64 bits, and
 * whether a remainder is left goes into its last one: ten bits and more lie behind what a double keeps, so that the processor, which rounds such
 * integers to the nearest double, rounds as if it had all of the quotient. What is left are powers of two, which no double loses anything by.
 * strtod() does the same for numbers of any length with numbers of any length, in ten times the time. */
#ifndef WEIR_ALGORITHMS_GRAPH_DECIMAL_H
#define WEIR_ALGORITHMS_GRAPH_DECIMAL_H

#include <stdint.h>
#include <string.h>

/** Most digits behind the point: the fifth powers of more than 27 have over 63 bits. */
#define WEIR__DECIMAL_BEHIND 27

/** Powers of ten, of which 64 bits hold these and one more. */
static const uint64_t weir__tens[] = {1,
                                      10,
                                      100,
                                      1000,
                                      10000,
                                      100000,
                                      1000000,
                                      10000000,
                                      100000000,
                                      1000000000,
                                      10000000000,
                                      100000000000,
                                      1000000000000,
                                      10000000000000,
                                      100000000000000,
                                      1000000000000000,
                                      10000000000000000,
                                      100000000000000000,
                                      1000000000000000000};

/** Powers of ten that doubles hold. */
static const double weir__powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                             1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                             1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/** Five to a power of WEIR__DECIMAL_BEHIND at the most. */
static inline uint64_t weir__power_of_five(unsigned power)
{
    static const uint64_t fives[WEIR__DECIMAL_BEHIND + 1] = {1,
                                                             5,
                                                             25,
                                                             125,
                                                             625,
                                                             3125,
                                                             15625,
                                                             78125,
                                                             390625,
                                                             1953125,
                                                             9765625,
                                                             48828125,
                                                             244140625,
                                                             1220703125,
                                                             6103515625,
                                                             30517578125,
                                                             152587890625,
                                                             762939453125,
                                                             3814697265625,
                                                             19073486328125,
                                                             95367431640625,
                                                             476837158203125,
                                                             2384185791015625,
                                                             11920928955078125,
                                                             59604644775390625,
                                                             298023223876953125,
                                                             1490116119384765625,
                                                             7450580596923828125};
    return fives[power];
}

/** Whether a double holds both, so that it is enough to divide, or to multiply. */
static inline int weir__decimal_held(uint64_t mantissa, unsigned power)
{
    return mantissa <= UINT64_C(1) << 53 && power <= 22;
}

/** @param[in] behind  of its digits, 0 to WEIR__DECIMAL_BEHIND, stand behind the point.
 *  @return the nearest double, of two that are equally near the even one. */
static inline double weir__decimal(uint64_t mantissa, unsigned behind)
{
    if (weir__decimal_held(mantissa, behind))
        return (double)mantissa / weir__powers_of_ten[behind];
    if (!mantissa)
        return 0;
    __extension__ typedef unsigned __int128 wide;
    const int up = __builtin_clzll(mantissa), below = __builtin_clzll(weir__power_of_five(behind));
    const uint64_t divisor = weir__power_of_five(behind) << below;
    const wide dividend = (wide)(mantissa << up) << 63;
    const uint64_t quotient = (uint64_t)(dividend / divisor),
                   rest = (uint64_t)dividend - quotient * divisor;
    const uint64_t bits = (uint64_t)(1023 + below - up - 63 - (int)behind) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return (double)(quotient | (rest != 0)) * power;
}

/** Bytes that weir__decimal_put() writes at the most. */
#define WEIR__DECIMAL_ROOM 32

/** Write a number with 15 digits, or 16, or 17 where it takes so many to read back as the same double, without zeros at the end.
 *  @return bytes; a zero may follow. */
int weir__decimal_put(double value, char to[WEIR__DECIMAL_ROOM]);

#endif
