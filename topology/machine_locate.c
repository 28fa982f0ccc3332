/** @file machine_locate.c  Finds the line of a member or an element in a JSON text.
 *
 * The parser keeps no positions, so a second, simple walk finds them once something is wrong. The
 * text was parsed before: strings end and brackets match. */
#include "topology/machine_json.h"

#include <jansson.h>
#include <string.h>

struct scan {
    const char *at, *end;
    int line;
};

static int peek(const struct scan *s)
{
    return s->at < s->end ? (unsigned char)*s->at : 0;
}

static void step(struct scan *s)
{
    if (s->at < s->end)
        s->line += *s->at++ == '\n';
}

static void skip_blanks(struct scan *s)
{
    while (peek(s) == ' ' || peek(s) == '\t' || peek(s) == '\r' || peek(s) == '\n')
        step(s);
}

static void skip_string(struct scan *s)
{
    for (step(s); s->at < s->end && peek(s) != '"'; step(s))
        if (peek(s) == '\\')
            step(s);
    step(s);
}

/* A string, a number or a word, or all between two brackets; then the blanks behind it. */
static void skip_value(struct scan *s)
{
    size_t depth = 0;
    do {
        int c = peek(s);
        if (c == '"') {
            skip_string(s);
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= depth && (c == '}' || c == ']');
        step(s);
    } while (s->at < s->end &&
             (depth || (peek(s) != ',' && peek(s) != '}' && peek(s) != ']' && peek(s) != ':')));
    skip_blanks(s);
}

/* The string may be written with escapes. */
static int string_is(const char *begin, const char *end, const char *wanted)
{
    json_t *value = json_loadb(begin, (size_t)(end - begin), JSON_DECODE_ANY, NULL);
    int same = json_is_string(value) && strcmp(json_string_value(value), wanted) == 0;
    json_decref(value);
    return same;
}

/* From an object's '{' to the member's value, or its key. @return 0 if there is none. */
static int enter_member(struct scan *s, const char *key, int at_key)
{
    if (peek(s) != '{')
        return 0;
    step(s);
    skip_blanks(s);
    while (peek(s) == '"') {
        struct scan start = *s;
        skip_string(s);
        int found = string_is(start.at, s->at, key);
        skip_blanks(s);
        step(s); /* the colon */
        skip_blanks(s);
        if (found) {
            *s = at_key ? start : *s;
            return 1;
        }
        skip_value(s);
        step(s); /* the comma */
        skip_blanks(s);
    }
    return 0;
}

/* From a list's '[' to its element; an object is left where it is. */
static void enter_element(struct scan *s, size_t index)
{
    if (peek(s) != '[')
        return;
    step(s);
    skip_blanks(s);
    for (; index && s->at < s->end; index--) {
        skip_value(s);
        step(s); /* the comma */
        skip_blanks(s);
    }
}

int weir__json_line(const char *text, size_t bytes, struct weir__json_place place)
{
    struct scan s = {text, text + bytes, 1}, object;
    skip_blanks(&s);
    object = s;
    if (place.list) {
        if (!enter_member(&s, place.list, 0))
            return object.line;
        enter_element(&s, place.index);
        object = s;
    }
    if (place.key && !enter_member(&s, place.key, place.at_key))
        return object.line;
    return s.line;
}
