/** @file machine_fields.c  Members of JSON objects by table, and sentences about broken ones. */
#include "topology/machine_json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

weir_status weir__json_bad(const struct weir__json_reader *r, struct weir__json_place place,
                           const char *format, ...)
{
    char why[256], where[96] = "";
    const char *key = place.at_key ? NULL : place.key;
    const char *dot = place.list && key ? "." : "";
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    if (place.list && strcmp(place.list, "overheads") == 0)
        snprintf(where, sizeof where, "overheads%s%s: ", dot, key ? key : "");
    else if (place.list)
        snprintf(where, sizeof where, "%s[%zu]%s%s: ", place.list, place.index, dot,
                 key ? key : "");
    else if (key)
        snprintf(where, sizeof where, "%s: ", key);
    return weir__fail(WEIR_ERR_FORMAT, "%s:%d: %s%s", r->path,
                      weir__json_line(r->text, r->bytes, place), where, why);
}

struct weir__json_place weir__json_member(const struct weir__json_reader *r, const char *key)
{
    return (struct weir__json_place){r->place.list, r->place.index, key, 0};
}

const char *weir__json_shown(char *room, size_t size, const char *text)
{
    size_t i = 0;
    for (; text[i] && i + 4 < size; i++)
        room[i] = (char)(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
    snprintf(room + i, size - i, "%s", text[i] ? "..." : "");
    return room;
}

static weir_status store_text(const struct weir__json_reader *r, const struct weir__json_field *f,
                              const json_t *value, char *to)
{
    if (!json_is_string(value))
        return weir__json_bad(r, weir__json_member(r, f->key), "a string is expected");
    if (json_string_length(value) >= f->room)
        return weir__json_bad(r, weir__json_member(r, f->key), "more than %zu characters",
                              f->room - 1);
    memcpy(to, json_string_value(value), json_string_length(value) + 1);
    return WEIR_OK;
}

static weir_status store_integer(const struct weir__json_reader *r,
                                 const struct weir__json_field *f, const json_t *value, void *to)
{
    json_int_t number = json_integer_value(value);
    json_int_t most = f->type == WEIR__JSON_COUNT ? UINT32_MAX : INT64_MAX;
    if (!json_is_integer(value) || number < 0 || number > most)
        return weir__json_bad(r, weir__json_member(r, f->key),
                              "a whole number from 0 to %lld is expected", (long long)most);
    if (f->type == WEIR__JSON_COUNT)
        *(uint32_t *)to = (uint32_t)number;
    else
        *(uint64_t *)to = (uint64_t)number;
    return WEIR_OK;
}

static weir_status store_figure(const struct weir__json_reader *r, const struct weir__json_field *f,
                                const json_t *value, double *to)
{
    double number = json_number_value(value);
    if (!json_is_number(value))
        return weir__json_bad(r, weir__json_member(r, f->key), "a number is expected");
    if (!(number >= f->least && number <= f->most) && (f->required || number != 0))
        return weir__json_bad(r, weir__json_member(r, f->key), "%.9g is not within %g .. %g",
                              number, f->least, f->most);
    *to = number;
    return WEIR_OK;
}

static weir_status store(const struct weir__json_reader *r, const struct weir__json_field *f,
                         json_t *value, void *to)
{
    switch (f->type) {
    case WEIR__JSON_TEXT:
        return store_text(r, f, value, to);
    case WEIR__JSON_COUNT:
    case WEIR__JSON_BYTES:
        return store_integer(r, f, value, to);
    case WEIR__JSON_FIGURE:
        return store_figure(r, f, value, to);
    case WEIR__JSON_FLAG:
        if (!json_is_boolean(value))
            return weir__json_bad(r, weir__json_member(r, f->key), "true or false is expected");
        *(int *)to = json_is_true(value);
        return WEIR_OK;
    default:
        if (f->type == WEIR__JSON_LIST ? !json_is_array(value) : !json_is_object(value))
            return weir__json_bad(r, weir__json_member(r, f->key), "%s is expected",
                                  f->type == WEIR__JSON_LIST ? "a list" : "an object");
        *(json_t **)to = value;
        return WEIR_OK;
    }
}

static weir_status check_keys(const struct weir__json_reader *r, json_t *object,
                              const struct weir__json_field *fields, size_t count)
{
    const char *key;
    json_t *value;
    char text[44];
    json_object_foreach(object, key, value)
    {
        size_t f = 0;
        while (f < count && strcmp(fields[f].key, key) != 0)
            f++;
        if (f == count)
            return weir__json_bad(r,
                                  (struct weir__json_place){r->place.list, r->place.index, key, 1},
                                  "unknown key '%s'", weir__json_shown(text, sizeof text, key));
    }
    return WEIR_OK;
}

weir_status weir__json_read(const struct weir__json_reader *r, json_t *object,
                            const struct weir__json_field *fields, size_t count, void *to)
{
    weir_status status = WEIR_OK;
    if (!json_is_object(object))
        return weir__json_bad(r, r->place, "an object is expected");
    status = check_keys(r, object, fields, count);
    for (size_t f = 0; f < count && !status; f++) {
        json_t *value = json_object_get(object, fields[f].key);
        if (value)
            status = store(r, &fields[f], value, (char *)to + fields[f].offset);
        else if (fields[f].required)
            status = weir__json_bad(r, r->place, "'%s' is missing", fields[f].key);
    }
    return status;
}
