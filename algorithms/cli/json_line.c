/** @file json_line.c  Where a value of a JSON text stands. The parser forgets lines, but a message on
 *  a file should name one, so the text is walked again along the way to the value. */
#include "algorithms/cli/result.h"

#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* @return the place behind the string that begins at @p at. */
static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at ? at + 1 : at;
}

/* @return the place behind the value that begins at @p at, which may be an object or an array. */
static const char *skip_value(const char *at)
{
    int depth = 0;
    do {
        at = skip_blanks(at);
        if (*at == '"') {
            at = skip_string(at);
        } else if (*at) {
            depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
            at += strcspn(at + 1, ",:{}[]\" \t\r\n") + 1;
        }
    } while (*at && depth > 0);
    return at;
}

/* Find the member or element that the first @p length bytes of @p step name; NULL when there is none. */
static const char *descend(const char *at, const char *step, size_t length)
{
    int is_object = *at == '{';
    unsigned long index = 0, wanted = strtoul(step, NULL, 10);
    if (*at != '{' && *at != '[')
        return NULL;
    at = skip_blanks(at + 1);
    while (*at && *at != '}' && *at != ']') {
        int found = index++ == wanted;
        if (is_object) {
            const char *end = skip_string(at);
            found = end == at + length + 2 && memcmp(at + 1, step, length) == 0;
            at = skip_blanks(skip_blanks(end) + 1); /* over the colon */
        }
        if (found)
            return at;
        at = skip_blanks(skip_value(at));
        at = skip_blanks(at + (*at == ','));
    }
    return NULL;
}

size_t weir__cli_json_line(const char *text, const char *path)
{
    const char *at = skip_blanks(text), *next;
    size_t line = 1;
    while (*path) {
        size_t length = strcspn(path, "/");
        if (!(next = descend(at, path, length)))
            break;
        at = next;
        path += length + (path[length] == '/');
    }
    for (const char *c = text; c < at; c++)
        line += *c == '\n';
    return line;
}
