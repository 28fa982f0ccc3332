/** @file decimal.c  A double as a decimal fraction that reads back as the same. */
#include "algorithms/graph/decimal.h"
#include "algorithms/graph/read.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>

__extension__ typedef unsigned __int128 wide;

/* Where it is worth it: no exponent is written, and a double of 53 bits times five to the power of the digits behind the point fits into 128. */
#define LEAST 1e-5
#define MOST  1e15
static const double below_one[] = {1e-1, 1e-2, 1e-3, 1e-4};

/* A value times ten to a power, as the nearest whole number, of two the even one. It is below 10^17, and so is less than the product of the value's 53 bits
 * and the power of five, which is shifted down. */
static uint64_t scaled(double value, unsigned power)
{
    int exponent;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53);
    const wide product = (wide)mantissa * weir__power_of_five(power);
    const int shift = exponent - 53 + (int)power;
    const wide half = (wide)1 << (-shift - 1), rest = product & (2 * half - 1);
    const uint64_t whole = (uint64_t)(product >> -shift);
    return whole + (rest > half || (rest == half && whole % 2));
}

/* A whole number with a point in front of its last @p behind digits, without zeros at the end. */
static int put(char *to, uint64_t digits, unsigned behind)
{
    int length;
    if (behind > 8 && digits % weir__tens[8] == 0) {
        digits /= weir__tens[8];
        behind -= 8;
    }
    for (; behind > 0 && digits % 10 == 0; behind--)
        digits /= 10;
    char text[24], *at = text + sizeof text;
    for (unsigned i = 0; i < behind || digits || i == behind; i++) {
        if (i == behind && behind > 0)
            *--at = '.';
        *--at = (char)('0' + digits % 10);
        digits /= 10;
    }
    length = (int)(text + sizeof text - at);
    memcpy(to, at, (size_t)length);
    return length;
}

/* What is rare, in the C locale: others have a comma for the point. */
static int put_with_exponent(char to[WEIR__DECIMAL_ROOM], double value)
{
    double again = NAN;
    int length = 0;
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0),
                   before = uselocale(c_locale);
    /* What has 16 or 17 digits in front of its point is written as such, without an exponent. */
    const int least = fabs(value) >= MOST && fabs(value) < 1e17 ? 17 : 15;
    for (int digits = least; digits <= 17 && again != value; digits++) {
        length = snprintf(to, WEIR__DECIMAL_ROOM, "%.*g", digits, value);
        (void)weir__parse_real(to, &again);
    }
    (void)uselocale(before);
    if (c_locale)
        freelocale(c_locale);
    return length;
}

int weir__decimal_put(double value, char to[WEIR__DECIMAL_ROOM])
{
    const double size = fabs(value);
    int sign = 0;
    if (!(size >= LEAST && size < MOST))
        return put_with_exponent(to, value);
    if (value < 0)
        to[sign++] = '-';
    int front = 0; /* digits in front of the point, below 0: zeros behind it */
    while (front < 15 && size >= weir__powers_of_ten[front])
        front++;
    for (; front <= 0 && front > -4 && size < below_one[-front]; front--)
        continue;
    for (int digits = 15; digits < 17; digits++) {
        const unsigned behind = (unsigned)(digits - front);
        const uint64_t number = scaled(size, behind);
        if (weir__decimal(number, behind) == size)
            return sign + put(to + sign, number, behind);
    }
    return sign + put(to + sign, scaled(size, (unsigned)(17 - front)), (unsigned)(17 - front));
}
