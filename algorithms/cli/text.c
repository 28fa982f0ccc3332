/** @file text.c  Texts that others wrote (names in files, file names), made fit to be shown: they may
 *  hold anything, but must neither drive a terminal nor break a line. */
#include "algorithms/cli/cli.h"

#include <string.h>

/* Bytes of the character at @p at; 0: it is no UTF-8. */
static size_t decode(const unsigned char *at, uint32_t *code_out)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : 4;
    uint32_t code = length == 1 ? at[0] : at[0] & (0x7fu >> length);
    if (length == 4 && at[0] >> 3 != 30)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if (at[i] >> 6 != 2) /* the end of the text as well */
            return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    *code_out = code;
    return length;
}

void weir__cli_clean(char *text)
{
    char *to = text;
    for (uint32_t code; *text;) {
        size_t length = decode((const unsigned char *)text, &code);
        if (!length || code < 0x20 || (code >= 0x7f && code < 0xa0))
            *to++ = '?';
        else
            for (size_t i = 0; i < length; i++)
                *to++ = text[i];
        text += length ? length : 1;
    }
    *to = 0;
}

const char *weir__cli_cleaned(const char *text, char *room, size_t size)
{
    snprintf(room, size, "%s", text ? text : "?");
    weir__cli_clean(room);
    return room;
}
