/** @file scan.c  Numbers in lines of text: exact, quick, and blind to the locale. */
#include "algorithms/graph/decimal.h"
#include "algorithms/graph/read.h"
#include "runtime/support.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGIT(c) ((unsigned)(c) - '0' < 10u)

const char *weir__word(const char *at, char word[WEIR__WORD_MAX])
{
    size_t length = 0;
    while (!weir__ends_number(at[length]) && length < WEIR__WORD_MAX - 1) {
        word[length] = at[length] > ' ' && at[length] < 127 ? at[length] : '?';
        length++;
    }
    if (length == WEIR__WORD_MAX - 1)
        memcpy(word + length - 3, "...", 3);
    word[length] = '\0';
    if (length == 0 && *at) { /* a comma where a number should be */
        word[0] = *at;
        word[1] = '\0';
    }
    return word;
}

/* A number that is whole but does not fit, or is no number: say which. */
static weir_status refuse_whole(const weir__reader *reader, const char *at, const char *what,
                                uint64_t low, uint64_t high)
{
    char word[WEIR__WORD_MAX];
    const char *end = at + (*at == '-');
    if (!*at)
        return weir__line_fail(reader, "the line ends before the %s", what);
    weir__word(at, word);
    while (DIGIT(*end))
        end++;
    if (!DIGIT(end[-(end > at)]) || !weir__ends_number(*end))
        return weir__line_fail(reader, "'%s' is no %s", word, what);
    if (*at == '-')
        return weir__line_fail(reader, "the %s %s is negative", what, word);
    return weir__line_fail(reader, "the %s %s is not within %llu .. %llu", what, word,
                           (unsigned long long)low, (unsigned long long)high);
}

weir_status weir__take_whole(const weir__reader *reader, const char **at, const char *what,
                             uint64_t low, uint64_t high, uint64_t *value_out)
{
    const char *begin = weir__skip(*at), *c = begin;
    uint64_t value = 0;
    for (; DIGIT(*c) && !__builtin_mul_overflow(value, UINT64_C(10), &value) &&
           !__builtin_add_overflow(value, (uint64_t)(*c - '0'), &value);
         c++)
        continue;
    if (c == begin || !weir__ends_number(*c) || value < low || value > high)
        return refuse_whole(reader, begin, what, low, high);
    *at = c;
    *value_out = value;
    return WEIR_OK;
}

/* strtod in the C locale, of a number that ends at @p end. Numbers of any length come here. That only
 * digits, a point and an exponent do was seen before: it meets no hexadecimal, "inf" or "nan". */
static const char *parse_hard(const char *at, const char *end, double *value_out)
{
    char *stop;
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale)
        return NULL;
    *value_out = strtod_l(at, &stop, c_locale);
    freelocale(c_locale);
    return stop == end ? end : NULL;
}

const char *weir__parse_real(const char *at, double *value_out)
{
    const char *c = at;
    uint64_t mantissa = 0;
    int digits = 0, scale = 0, exponent = 0, negative = *c == '-', exact = 1;
    c += *c == '-' || *c == '+';
    for (int point = 0; DIGIT(*c) || (*c == '.' && !point); c++) {
        if (*c == '.') {
            point = 1;
            continue;
        }
        digits++;
        if (mantissa > (UINT64_MAX - 9) / 10)
            exact = 0;
        else
            mantissa = mantissa * 10 + (uint64_t)(*c - '0');
        scale += exact ? -point : !point; /* a digit that has no room is dropped */
    }
    if (digits == 0)
        return NULL;
    if (*c == 'e' || *c == 'E') {
        int minus = c[1] == '-';
        c += c[1] == '-' || c[1] == '+' ? 2 : 1;
        if (!DIGIT(*c))
            return NULL;
        for (; DIGIT(*c); c++)
            exponent = exponent < 100000 ? exponent * 10 + (*c - '0') : exponent;
        scale += minus ? -exponent : exponent;
    }
    if (scale <= 0 && scale >= -WEIR__DECIMAL_BEHIND) {
        const double value = weir__decimal(mantissa, (unsigned)-scale);
        /* Behind dropped digits it is between two numbers: as a rule the same double is nearest to both. */
        if (exact || weir__decimal(mantissa + 1, (unsigned)-scale) == value) {
            *value_out = negative ? -value : value;
            return c;
        }
    }
    if (exact && (!mantissa || (scale > 0 && weir__decimal_held(mantissa, (unsigned)scale)))) {
        const double value = mantissa ? (double)mantissa * weir__powers_of_ten[scale] : 0;
        *value_out = negative ? -value : value;
        return c;
    }
    c = parse_hard(at, c, value_out);
    if (c && *value_out == 0)
        *value_out = NAN;
    return c;
}

weir_status weir__take_real(const weir__reader *reader, const char **at, double *value_out)
{
    const char *begin = weir__skip(*at);
    char word[WEIR__WORD_MAX];
    const char *noun = weir__reader_noun(reader);
    const char *end = weir__parse_real(begin, value_out);
    if (!*begin)
        return weir__line_fail(reader, "the line ends before the %s", noun);
    if (!end || !weir__ends_number(*end))
        return weir__line_fail(reader, "'%s' is no finite %s", weir__word(begin, word), noun);
    if (isnan(*value_out))
        return weir__line_fail(reader, "the %s %s is too small: the least above 0 is 4.94e-324",
                               noun, weir__word(begin, word));
    if (!isfinite(*value_out))
        return weir__line_fail(reader, "the %s %s is too large", noun, weir__word(begin, word));
    *at = end;
    return WEIR_OK;
}

weir_status weir__take_integer(const weir__reader *reader, const char **at, double *value_out)
{
    const char *begin = weir__skip(*at), *c = begin + (*begin == '-' || *begin == '+');
    char word[WEIR__WORD_MAX];
    while (DIGIT(*c))
        c++;
    if (*begin && (!DIGIT(c[-(c > begin)]) || !weir__ends_number(*c)))
        return weir__line_fail(reader, "'%s' is no integer", weir__word(begin, word));
    return weir__take_real(reader, at, value_out);
}

weir_status weir__take_end(const weir__reader *reader, const char *at)
{
    char word[WEIR__WORD_MAX];
    at = weir__skip(at);
    if (!*at)
        return WEIR_OK;
    return weir__line_fail(reader, "'%s' is left over at the end of the line",
                           weir__word(at, word));
}
