/** @file document_stream.c  A JSON document that is written member by member and row by row, so that one of a
 *  million rows takes no more memory than one of ten. It looks as if it had been written at once. */
#include "algorithms/cli/cli.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void flush(weir__cli_document *document)
{
    if (!document->code)
        document->code = weir__cli_output_text(document->output, document->buffer, document->used);
    document->used = 0;
}

static void put(weir__cli_document *document, const char *text, size_t bytes)
{
    while (bytes > 0) {
        size_t room = sizeof document->buffer - document->used, part = bytes < room ? bytes : room;
        memcpy(document->buffer + document->used, text, part);
        document->used += part;
        text += part;
        bytes -= part;
        if (document->used == sizeof document->buffer)
            flush(document);
    }
}

static void put_text(weir__cli_document *document, const char *text)
{
    put(document, text, strlen(text));
}

/* Begin a new line, indented by the number of objects and arrays that are open. */
static void put_line(weir__cli_document *document)
{
    static const char blanks[] = "    ";
    put_text(document, "\n");
    put(document, blanks, (size_t)(2 * document->depth));
}

/* Write a part of a value and indent its lines to the place of the value. This is safe since no text in JSON holds
 * a line end. */
static int put_part(const char *text, size_t bytes, void *user)
{
    weir__cli_document *document = user;
    for (size_t at = 0; at < bytes;) {
        const char *end = memchr(text + at, '\n', bytes - at);
        size_t part = end ? (size_t)(end - text) - at : bytes - at;
        put(document, text + at, part);
        if (end)
            put_line(document);
        at += part + (end != NULL);
    }
    return 0;
}

static void put_value(weir__cli_document *document, json_t *value)
{
    size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(document->digits) | JSON_ENSURE_ASCII |
                   JSON_ENCODE_ANY;
    if (!document->code && (!value || json_dump_callback(value, put_part, document, flags)))
        document->code = weir__cli_fail(EXIT_RUN, "--%s %s: out of memory",
                                        document->output->option, document->output->path);
    json_decref(value);
}

/* Write what stands in front of a member or a row: a comma, unless it is the first. */
static void put_next(weir__cli_document *document)
{
    if (document->follows)
        put_text(document, ",");
    document->follows = 1;
    put_line(document);
}

static void put_name(weir__cli_document *document, const char *name)
{
    put_next(document);
    put_text(document, "\"");
    put_text(document, name);
    put_text(document, "\": ");
}

void weir__cli_document_begin(weir__cli_document *document, weir__cli_output *output, int digits)
{
    document->output = output;
    document->digits = digits;
    document->code = EXIT_DONE;
    document->follows = 0;
    document->used = 0;
    document->depth = 1;
    put_text(document, "{");
}

void weir__cli_document_add(weir__cli_document *document, const char *name, struct json_t *value)
{
    put_name(document, name);
    put_value(document, value);
}

void weir__cli_document_rows(weir__cli_document *document, const char *name)
{
    put_name(document, name);
    put_text(document, "[");
    document->depth = 2;
    document->follows = 0;
}

int weir__cli_document_row(weir__cli_document *document, struct json_t *row)
{
    put_next(document);
    put_value(document, row);
    return document->code;
}

void weir__cli_document_rows_end(weir__cli_document *document)
{
    document->depth = 1;
    if (document->follows)
        put_line(document);
    put_text(document, "]");
    document->follows = 1;
}

int weir__cli_document_end(weir__cli_document *document)
{
    put_text(document, "\n}\n");
    flush(document);
    return document->code;
}
