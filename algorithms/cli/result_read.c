/** @file result_read.c  Reads the document of `weir bench --json` back, for --from and --compare.
 *
 * Nothing in the file is believed: every member must be there, be of its kind and fit, or the file
 * is refused with the line of what is wrong. */
#include "algorithms/cli/result.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MOST   ((size_t)64 << 20)
#define FIGURE_MOST 1e15 /* of any unit; a larger figure cannot be a measurement */

struct reader {
    const char *option, *file;
    char *text; /* the whole file, with a zero behind it */
    size_t bytes;
    json_t *document;
    char path[128]; /* the path to the object whose members are read now: "tables/3/" */
};

/* Refuse the file for the value at path + @p name. */
static int refuse(const struct reader *reader, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int refuse(const struct reader *reader, const char *name, const char *format, ...)
{
    char path[192], cause[192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    snprintf(path, sizeof path, "%s%s", reader->path, name);
    return weir__cli_fail(EXIT_USAGE, "--%s %s:%zu: %s", reader->option, reader->file,
                          weir__cli_json_line(reader->text, path), cause);
}

/* ---- the file ---- */

static int load(struct reader *reader)
{
    FILE *file = fopen(reader->file, "rb");
    size_t room = 1 << 16;
    int error = file ? 0 : errno;
    for (; !error; room *= 2) {
        char *grown = room <= 2 * FILE_MOST ? realloc(reader->text, room) : NULL;
        if (!grown) {
            error = room <= 2 * FILE_MOST ? ENOMEM : EFBIG;
            break;
        }
        reader->text = grown;
        errno = 0;
        reader->bytes += fread(grown + reader->bytes, 1, room - reader->bytes - 1, file);
        error = ferror(file) ? (errno ? errno : EIO) : 0;
        if (reader->bytes < room - 1)
            break;
    }
    if (file)
        (void)fclose(file);
    if (error)
        return weir__cli_fail(error == ENOMEM ? EXIT_RUN : EXIT_USAGE,
                              "--%s %s: cannot be read: %s", reader->option, reader->file,
                              strerror(error));
    reader->text[reader->bytes] = 0;
    return EXIT_DONE;
}

static int parse(struct reader *reader)
{
    json_error_t error;
    if (reader->bytes >= 3 && memcmp(reader->text, "\xef\xbb\xbf", 3) == 0)
        return weir__cli_fail(EXIT_USAGE,
                              "--%s %s:1: starts with a byte order mark; save it without one",
                              reader->option, reader->file);
    reader->document = json_loadb(reader->text, reader->bytes, JSON_REJECT_DUPLICATES, &error);
    if (!reader->document)
        return weir__cli_fail(EXIT_USAGE, "--%s %s:%d: %s", reader->option, reader->file,
                              error.line > 0 ? error.line : 1, error.text);
    return EXIT_DONE;
}

/* ---- members ---- */

/* Find the member of this kind; NULL after a message. */
static json_t *member(const struct reader *reader, json_t *object, const char *name, int right,
                      const char *kind)
{
    json_t *value = json_object_get(object, name);
    if (!value)
        (void)refuse(reader, name, "\"%s\" is missing", name);
    else if (!right)
        (void)refuse(reader, name, "\"%s\" is not %s", name, kind);
    return value && right ? value : NULL;
}

static int text_of(const struct reader *reader, json_t *object, const char *name, char *text,
                   size_t room)
{
    json_t *value = json_object_get(object, name);
    if (!member(reader, object, name, json_is_string(value), "a text"))
        return EXIT_USAGE;
    if (json_string_length(value) >= room)
        return refuse(reader, name, "\"%s\" is longer than %zu bytes", name, room - 1);
    memcpy(text, json_string_value(value), json_string_length(value) + 1);
    /* The text is cleaned as it will be shown, since two texts that look alike are taken for one. */
    weir__cli_clean(text);
    return EXIT_DONE;
}

static int number_of(const struct reader *reader, json_t *object, const char *name,
                     double *number_out)
{
    json_t *value = json_object_get(object, name);
    if (!member(reader, object, name, json_is_number(value), "a number"))
        return EXIT_USAGE;
    *number_out = json_number_value(value);
    return EXIT_DONE;
}

/* Read a number that can have been measured. */
static int figure_of(const struct reader *reader, json_t *object, const char *name,
                     double *figure_out)
{
    if (number_of(reader, object, name, figure_out))
        return EXIT_USAGE;
    if (!isfinite(*figure_out) || *figure_out < 0 || *figure_out > FIGURE_MOST)
        return refuse(reader, name, "\"%s\" is %g, not from 0 to %g", name, *figure_out,
                      FIGURE_MOST);
    return EXIT_DONE;
}

static int truth_of(const struct reader *reader, json_t *object, const char *name, int *truth_out)
{
    json_t *value = json_object_get(object, name);
    if (!member(reader, object, name, json_is_boolean(value), "true or false"))
        return EXIT_USAGE;
    *truth_out = json_is_true(value);
    return EXIT_DONE;
}

/* ---- tables ---- */

static int read_row(const struct reader *reader, json_t *object, weir_bench_row *row)
{
    double trials = 0;
    if (!json_is_object(object))
        return refuse(reader, "", "a row is not an object");
    if (text_of(reader, object, "series", row->series, sizeof row->series) ||
        text_of(reader, object, "from", row->from, sizeof row->from) ||
        text_of(reader, object, "to", row->to, sizeof row->to) ||
        number_of(reader, object, "x", &row->x) ||
        figure_of(reader, object, "median", &row->median) ||
        figure_of(reader, object, "low", &row->low) ||
        figure_of(reader, object, "high", &row->high) ||
        number_of(reader, object, "trials", &trials) ||
        truth_of(reader, object, "verified", &row->verified))
        return EXIT_USAGE;
    if (!(row->low <= row->median && row->median <= row->high))
        return refuse(reader, "median", "\"median\" is not between \"low\" and \"high\"");
    if (!(trials >= 0 && trials <= UINT32_MAX && trials == floor(trials)))
        return refuse(reader, "trials", "\"trials\" is not a count");
    row->trials = (uint32_t)trials;
    row->x = weir__cli_rounded(row->x, 15); /* with as many digits as will be written */
    return EXIT_DONE;
}

static int by_key(const void *left, const void *right)
{
    const weir_bench_row *a = *(weir_bench_row *const *)left, *b = *(weir_bench_row *const *)right;
    int order = strcmp(a->series, b->series);
    if (!order && !(order = strcmp(a->from, b->from)))
        order = strcmp(a->to, b->to);
    if (!order)
        order = (a->x > b->x) - (a->x < b->x);
    return order;
}

/* Refuse two figures with one name, since they could not be told apart. */
static int refuse_twins(const struct reader *reader, weir_bench_row *rows, size_t count)
{
    weir_bench_row **order = count ? malloc(count * sizeof *order) : NULL;
    char name[32];
    int code = EXIT_DONE;
    if (count && !order)
        return weir__cli_fail(EXIT_RUN, "no memory for the %zu rows of %s", count, reader->file);
    for (size_t i = 0; i < count; i++)
        order[i] = &rows[i];
    if (count)
        qsort(order, count, sizeof *order, by_key);
    for (size_t i = 1; i < count && !code; i++)
        if (by_key(&order[i - 1], &order[i]) == 0) {
            const weir_bench_row *later = order[i] > order[i - 1] ? order[i] : order[i - 1];
            snprintf(name, sizeof name, "rows/%zu/", (size_t)(later - rows));
            code = refuse(reader, name, "a second row for \"%s\", \"%s\" to \"%s\", at %.12g",
                          later->series, later->from, later->to, later->x);
        }
    free(order);
    return code;
}

static int read_rows(struct reader *reader, json_t *object, weir_bench_table *table)
{
    json_t *rows = json_object_get(object, "rows");
    char table_path[sizeof reader->path];
    int code = EXIT_DONE;
    if (!member(reader, object, "rows", json_is_array(rows), "an array"))
        return EXIT_USAGE;
    memcpy(table_path, reader->path, sizeof table_path);
    size_t count = json_array_size(rows);
    if (count && !(table->rows = calloc(count, sizeof *table->rows)))
        return weir__cli_fail(EXIT_RUN, "no memory for the %zu rows of %s", count, reader->file);
    for (size_t i = 0; i < count && !code; i++) {
        snprintf(reader->path, sizeof reader->path, "%.64srows/%zu/", table_path, i);
        code = read_row(reader, json_array_get(rows, i), &table->rows[i]);
    }
    memcpy(reader->path, table_path, sizeof table_path);
    if (!code)
        code = refuse_twins(reader, table->rows, count);
    table->count = code ? 0 : count;
    return code;
}

static int read_table(struct reader *reader, json_t *object, weir_bench_table *table,
                      const char **failed_out)
{
    json_t *skipped = json_object_get(object, "skipped");
    json_t *failed = json_object_get(object, "failed");
    if (!json_is_object(object))
        return refuse(reader, "", "a table is not an object");
    if (text_of(reader, object, "name", table->name, sizeof table->name) ||
        text_of(reader, object, "title", table->title, sizeof table->title) ||
        text_of(reader, object, "unit", table->unit, sizeof table->unit) ||
        text_of(reader, object, "x", table->x_name, sizeof table->x_name) ||
        truth_of(reader, object, "larger_is_better", &table->larger_is_better))
        return EXIT_USAGE;
    if (!json_is_null(skipped) &&
        text_of(reader, object, "skipped", table->skipped, sizeof table->skipped))
        return EXIT_USAGE;
    if (json_is_string(failed)) /* files of older programs do not have it */
        *failed_out = json_string_value(failed);
    else if (failed && !json_is_null(failed))
        return refuse(reader, "failed", "\"failed\" is not a text");
    return read_rows(reader, object, table);
}

static int read_tables(struct reader *reader, json_t *tables, weir__cli_result *result)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < json_array_size(tables) && !code; i++) {
        weir_bench_table table = {.count = 0};
        const char *failed = NULL;
        snprintf(reader->path, sizeof reader->path, "tables/%zu/", i);
        code = read_table(reader, json_array_get(tables, i), &table, &failed);
        for (size_t j = 0; j < i && !code; j++)
            if (strcmp(result->tables[j].name, table.name) == 0)
                code = refuse(reader, "name", "a second table is called \"%s\"", table.name);
        if (!code)
            code = weir__cli_result_add(result, &table, failed);
        free(table.rows);
    }
    return code;
}

/* ---- the document ---- */

static int check_kind(const struct reader *reader)
{
    json_t *schema = json_object_get(reader->document, "schema");
    json_t *command = json_object_get(reader->document, "command");
    const char *text = json_is_string(command) ? json_string_value(command) : "";
    if (!json_is_object(reader->document))
        return refuse(reader, "", "not a result of weir bench --json");
    if (!command)
        return refuse(reader, "", "not a result of weir bench --json: no \"command\"");
    if (strcmp(text, "bench") != 0)
        return refuse(reader, "command", "not a result of weir bench --json: \"command\" is \"%s\"",
                      text);
    if (!json_is_integer(schema) || json_integer_value(schema) != 1)
        return refuse(reader, "schema", "\"schema\" is not 1, the only one this program reads");
    return EXIT_DONE;
}

static int read_document(struct reader *reader, weir__cli_result *result)
{
    json_t *root = reader->document, *tables = json_object_get(root, "tables");
    json_t *machine = json_object_get(root, "machine"), *devices = json_object_get(root, "devices");
    json_t *options = json_object_get(root, "options");
    int code = check_kind(reader);
    if (code)
        return code;
    if (!member(reader, root, "machine", json_is_object(machine), "an object") ||
        !member(reader, root, "devices", json_is_array(devices), "an array") ||
        !member(reader, root, "options", json_is_object(options), "an object") ||
        !member(reader, root, "tables", json_is_array(tables), "an array") ||
        text_of(reader, root, "version", result->version, sizeof result->version) ||
        truth_of(reader, root, "simulated", &result->simulated))
        return EXIT_USAGE;
    result->machine = json_incref(machine);
    result->devices = json_incref(devices);
    result->options = json_incref(options);
    return read_tables(reader, tables, result);
}

int weir__cli_result_read(const char *option, const char *path, weir__cli_result *result_out)
{
    struct reader reader = {.option = option, .file = path};
    *result_out = (weir__cli_result){.path = path};
    int code = load(&reader);
    if (!code)
        code = parse(&reader);
    if (!code)
        code = read_document(&reader, result_out);
    json_decref(reader.document);
    free(reader.text);
    if (code)
        weir__cli_result_free(result_out);
    return code;
}
