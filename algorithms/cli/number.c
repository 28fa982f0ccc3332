/** @file number.c  Numbers as people write them on a command line. */
#include "algorithms/cli/cli.h"
#include "algorithms/graph/read.h"

#include <string.h>

int weir__cli_number(const char *text, uint64_t *value_out)
{
    uint64_t value = 0;
    if (!*text)
        return 1;
    for (; *text; text++) {
        uint64_t digit = (uint64_t)(unsigned char)*text - '0';
        if (digit > 9 || value > (UINT64_MAX - digit) / 10)
            return 1;
        value = value * 10 + digit;
    }
    *value_out = value;
    return 0;
}

int weir__cli_seconds(const char *text, uint64_t *ms_out)
{
    size_t digits = strspn(text, "0123456789");
    const char *fraction = text[digits] == '.' ? text + digits + 1 : "";
    size_t decimals = strspn(fraction, "0123456789");
    const char *rest = text[digits] == '.' ? fraction + decimals : text + digits;
    uint64_t ms = 0;
    if (*rest || digits + decimals == 0)
        return 1;
    for (size_t i = 0; i < digits; i++) {
        if (ms > UINT32_MAX)
            return 1;
        ms = ms * 10 + (uint64_t)(text[i] - '0');
    }
    ms *= 1000;
    for (size_t i = 0, unit = 100; i < decimals && i < 3; i++, unit /= 10)
        ms += (uint64_t)(fraction[i] - '0') * unit;
    if (decimals > 3 && strspn(fraction + 3, "0") < decimals - 3)
        ms++;
    *ms_out = ms;
    return 0;
}

int weir__cli_bytes(const char *text, uint64_t *bytes_out)
{
    static const char letters[] = "KMGT";
    size_t length = strspn(text, "0123456789.");
    const char *letter = text[length] ? strchr(letters, text[length]) : NULL;
    double value, unit = 1;
    const char *end = weir__parse_real(text, &value);
    const char *rest = text + length + (letter != NULL);
    double step = strcmp(rest, "B") == 0 && letter ? 1000 : 1024;
    if (!length || end != text + length ||
        (*rest && strcmp(rest, "B") != 0 && (!letter || strcmp(rest, "iB") != 0)))
        return 1;
    for (const char *l = letters; letter && l <= letter; l++)
        unit *= step;
    value *= unit;
    if (!(value < 1e15) || value != (double)(uint64_t)value)
        return 1;
    *bytes_out = (uint64_t)value;
    return 0;
}
