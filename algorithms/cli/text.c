/** @file text.c  Texts that others wrote (names in files, file names), made fit to be shown: they may
 *  hold anything, but must neither drive a terminal nor break a line. */
#include "algorithms/cli/cli.h"

#include "runtime/text.h"

#include <string.h>

void weir__cli_clean(char *text)
{
    char *to = text;
    for (uint32_t code; *text;) {
        size_t length = weir__utf8_decode(text, &code);
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
