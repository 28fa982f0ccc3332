/** @file result.c  The result of benchmarks: tables that are copied together, and their document. */
#include "algorithms/cli/result.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

double weir__cli_rounded(double value, int digits)
{
    char text[FIGURE_ROOM];
    snprintf(text, sizeof text, "%.*g", digits, value);
    return strtod(text, NULL);
}

/* Six digits are more than any measurement has; the rest would be noise in a committed file. They
 * are cut here, so that a result and the same one read back give the same texts. */
static double six_digits(double value)
{
    return weir__cli_rounded(value, 6);
}

static void take_rows(weir_bench_row *rows, const weir_bench_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        rows[i] = table->rows[i];
        weir__cli_clean(rows[i].series);
        weir__cli_clean(rows[i].from);
        weir__cli_clean(rows[i].to);
        rows[i].median = six_digits(rows[i].median);
        rows[i].low = six_digits(rows[i].low);
        rows[i].high = six_digits(rows[i].high);
    }
}

static const char *usual_title(const char *name)
{
    const weir_bench_info *info = weir__cli_bench_find(name);
    return info ? info->title : "";
}

static void take_texts(weir_bench_table *copy, const weir_bench_table *table)
{
    *copy = *table;
    if (!*copy->title)
        snprintf(copy->title, sizeof copy->title, "%s", usual_title(copy->name));
    weir__cli_clean(copy->name);
    weir__cli_clean(copy->title);
    weir__cli_clean(copy->unit);
    weir__cli_clean(copy->x_name);
    weir__cli_clean(copy->skipped);
}

/* Make room for one more table. @return whether there is room. */
static int grow(weir__cli_result *result)
{
    size_t count = result->count + 1;
    weir_bench_table *tables = realloc(result->tables, count * sizeof *tables);
    if (tables)
        result->tables = tables;
    char **failed = realloc(result->failed, count * sizeof *failed);
    if (failed)
        result->failed = failed;
    return tables && failed;
}

int weir__cli_result_add(weir__cli_result *result, const weir_bench_table *table,
                         const char *failed)
{
    int grown = grow(result);
    weir_bench_row *rows = table->count ? calloc(table->count, sizeof *rows) : NULL;
    char *sentence = failed ? strdup(failed) : NULL;
    if (!grown || (table->count && !rows) || (failed && !sentence)) {
        free(rows);
        free(sentence);
        return weir__cli_fail(EXIT_RUN, "no memory for the %zu figures of %s", table->count,
                              table->name);
    }
    take_rows(rows, table);
    take_texts(&result->tables[result->count], table);
    if (sentence)
        weir__cli_clean(sentence);
    result->failed[result->count] = sentence;
    result->tables[result->count++].rows = rows;
    return EXIT_DONE;
}

size_t weir__cli_result_keep(weir__cli_result *result, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < result->count; i++) {
        if (kept == 0 && strcmp(result->tables[i].name, name) == 0) {
            result->failed[kept] = result->failed[i];
            result->tables[kept++] = result->tables[i];
            continue;
        }
        free(result->tables[i].rows);
        free(result->failed[i]);
    }
    return result->count = kept;
}

void weir__cli_result_free(weir__cli_result *result)
{
    for (size_t i = 0; i < result->count; i++) {
        free(result->tables[i].rows);
        free(result->failed[i]);
    }
    free(result->tables);
    free(result->failed);
    json_decref(result->machine);
    json_decref(result->devices);
    json_decref(result->options);
    *result = (weir__cli_result){0};
}

/* ---- the document ---- */

static json_t *position(double x)
{
    double most = (double)(INT64_C(1) << 53);
    return x >= -most && x <= most && x == (double)(json_int_t)x ? json_integer((json_int_t)x)
                                                                 : json_real(x);
}

static json_t *row_json(const weir_bench_row *row)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:b}", "series", weir__cli_json_text(row->series),
        "from", weir__cli_json_text(row->from), "to", weir__cli_json_text(row->to), "x",
        position(row->x), "median", json_real(row->median), "low", json_real(row->low), "high",
        json_real(row->high), "trials", (json_int_t)row->trials, "verified", row->verified);
}

static json_t *table_json(const weir_bench_table *table, const char *failed)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < table->count; i++)
        if (json_array_append_new(rows, row_json(&table->rows[i]))) {
            json_decref(rows);
            return NULL;
        }
    json_t *skipped = *table->skipped ? weir__cli_json_text(table->skipped) : json_null();
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o}", "name", weir__cli_json_text(table->name),
        "title", weir__cli_json_text(table->title), "unit", weir__cli_json_text(table->unit), "x",
        weir__cli_json_text(table->x_name), "larger_is_better", table->larger_is_better, "skipped",
        skipped, "failed", failed ? weir__cli_json_text(failed) : json_null(), "rows", rows);
}

struct json_t *weir__cli_result_json(const weir__cli_result *result)
{
    json_t *tables = json_array();
    for (size_t i = 0; i < result->count; i++)
        if (json_array_append_new(tables, table_json(&result->tables[i], result->failed[i]))) {
            json_decref(tables);
            return NULL;
        }
    return json_pack("{s:i, s:s, s:o, s:O, s:O, s:O, s:b, s:o}", "schema", 1, "command", "bench",
                     "version", weir__cli_json_text(result->version), "machine", result->machine,
                     "devices", result->devices, "options", result->options, "simulated",
                     result->simulated, "tables", tables);
}
