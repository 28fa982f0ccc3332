/** @file text.c  Texts that are printed into memory, and whether bytes are UTF-8. */
#include "runtime/text.h"

#include "runtime/backend.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_AT_FIRST = 4096 };

/* ---- printing into memory -------------------------------------------------------------------- */

/* @return whether there is room for so many bytes more, and a zero. */
static int has_room(weir__text *text, size_t bytes)
{
    size_t room = text->room ? text->room : ROOM_AT_FIRST;
    while (room - text->count <= bytes)
        room *= 2;
    if (room == text->room)
        return 1;
    char *grown = weir__fault_strikes(WEIR__FAULT_ALLOC) ? NULL : realloc(text->bytes, room);
    if (!grown)
        return 0;
    text->bytes = grown;
    text->room = room;
    return 1;
}

static ssize_t append(void *cookie, const char *bytes, size_t count)
{
    weir__text *text = cookie;
    if (text->failed || !has_room(text, count)) {
        text->failed = 1;
        return 0; /* the stream's word for an error */
    }
    memcpy(text->bytes + text->count, bytes, count);
    text->count += count;
    text->bytes[text->count] = '\0';
    return (ssize_t)count;
}

FILE *weir__text_open(weir__text *text)
{
    const cookie_io_functions_t calls = {.write = append};
    *text = (weir__text){.file = NULL};
    if (!has_room(text, 0))
        return NULL;
    *text->bytes = '\0';
    if (!(text->file = fopencookie(text, "w", calls))) {
        free(text->bytes);
        *text = (weir__text){.file = NULL};
    }
    return text->file;
}

char *weir__text_close(weir__text *text, size_t *bytes_out)
{
    int failed = !text->file || ferror(text->file);
    if (text->file && fclose(text->file) != 0)
        failed = 1;
    if (failed || text->failed) {
        free(text->bytes);
        text->bytes = NULL;
        text->count = 0;
    }
    char *bytes = text->bytes;
    if (bytes_out)
        *bytes_out = text->count;
    *text = (weir__text){.file = NULL};
    return bytes;
}

/* ---- UTF-8 ------------------------------------------------------------------------------------- */

size_t weir__utf8_decode(const char *text, uint32_t *code_out)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
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

int weir__utf8_is(const char *text)
{
    uint32_t code;
    size_t length;
    while (*text && (length = weir__utf8_decode(text, &code)))
        text += length;
    return !*text;
}
