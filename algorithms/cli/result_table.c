/** @file result_table.c  Figures of benchmarks for people. A table has only the columns that say
 *  something; figures between all pairs become a matrix. */
#include "algorithms/cli/result.h"

#include <jansson.h>
#include <string.h>

/* ---- all pairs: a matrix for each series ---- */

/* The end of the name of a series whose pairs do not reach each other directly. */
#define STAGED ", staged"

/* The rows of one series. They follow one another; staged pairs are among them. */
struct series {
    const weir_bench_row *rows;
    size_t count;
    uint32_t ends; /* the labels of both ends */
    const char *label[WEIR_DEVICES_MAX + 1];
};

static uint32_t find_end(const struct series *series, const char *label)
{
    uint32_t i = 0;
    while (i < series->ends && strcmp(series->label[i], label) != 0)
        i++;
    return i;
}

/* @return whether the label is known or there was room for it. */
static int add_end(struct series *series, const char *label)
{
    if (find_end(series, label) < series->ends)
        return 1;
    if (series->ends == WEIR_DEVICES_MAX + 1)
        return 0;
    series->label[series->ends++] = label;
    return 1;
}

static const weir_bench_row *find_pair(const struct series *series, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < series->count; i++)
        if (strcmp(series->rows[i].from, series->label[from]) == 0 &&
            strcmp(series->rows[i].to, series->label[to]) == 0)
            return &series->rows[i];
    return NULL;
}

/* The length of the name of a series without the end that says that a pair is staged. */
static size_t base_length(const char *name)
{
    size_t length = strlen(name), tail = strlen(STAGED);
    return length > tail && strcmp(name + length - tail, STAGED) == 0 ? length - tail : length;
}

static int is_staged(const weir_bench_row *row)
{
    return row->series[base_length(row->series)] != 0;
}

static int same_series(const char *a, const char *b)
{
    return base_length(a) == base_length(b) && memcmp(a, b, base_length(a)) == 0;
}

static struct series take_series(const weir_bench_table *table, size_t first)
{
    struct series series = {.rows = &table->rows[first]};
    while (first + series.count < table->count &&
           same_series(table->rows[first + series.count].series, series.rows->series))
        series.count++;
    return series;
}

/* A matrix is printed when at least half of its cells off the diagonal are filled. */
static int is_matrix(const weir_bench_table *table, struct series *series)
{
    size_t filled = 0;
    if (*table->x_name)
        return 0;
    for (size_t i = 0; i < series->count; i++)
        if (!*series->rows[i].from || !*series->rows[i].to ||
            !add_end(series, series->rows[i].from))
            return 0;
    for (size_t i = 0; i < series->count; i++)
        if (!add_end(series, series->rows[i].to))
            return 0;
    for (uint32_t from = 0; from < series->ends; from++)
        for (uint32_t to = 0; to < series->ends; to++)
            filled += from != to && find_pair(series, from, to);
    return series->ends > 2 && series->count >= filled &&
           2 * filled >= (size_t)series->ends * (series->ends - 1);
}

static const char *end_label(void *user, uint32_t index)
{
    return ((const struct series *)user)->label[index];
}

static const char *pair_text(void *user, uint32_t from, uint32_t to, char room[FIGURE_ROOM])
{
    const weir_bench_row *row = find_pair(user, from, to);
    if (!row)
        return from == to ? "-" : "";
    weir__cli_figure(row->median, room);
    return is_staged(row) ? strcat(room, "*") : room;
}

static double spread_of(const weir_bench_row *row)
{
    double up = row->high - row->median, down = row->median - row->low;
    return row->median > 0 ? 100 * (up > down ? up : down) / row->median : 0;
}

static void print_matrix(const weir_bench_table *table, struct series *series, FILE *file)
{
    weir__cli_matrix matrix = {series->ends, series->ends, end_label, end_label, pair_text, series};
    double spread = 0;
    size_t verified = 0, staged = 0;
    for (size_t i = 0; i < series->count; i++) {
        spread = spread_of(&series->rows[i]) > spread ? spread_of(&series->rows[i]) : spread;
        verified += series->rows[i].verified != 0;
        staged += is_staged(&series->rows[i]) != 0;
    }
    fprintf(file, "  %.*s, %s%s\n", (int)base_length(series->rows->series), series->rows->series,
            table->unit, staged ? " (* staged through home)" : "");
    weir__cli_matrix_print(file, &matrix, "from \\ to");
    fprintf(file, "  medians of %u; spread up to %.1f %%; %zu of %zu verified\n",
            series->rows->trials, spread, verified, series->count);
}

/* ---- all others: a line for each figure ---- */

enum { COLUMNS = 7, CELL_ROOM = 64, TEXT_ROOM = 4096 };

/* Write the text of a column in a row. A column whose texts are all "" is left out. */
static const char *cell(const weir_bench_table *table, const weir_bench_row *row, int column,
                        char room[CELL_ROOM])
{
    char low[FIGURE_ROOM], high[FIGURE_ROOM];
    switch (column) {
    case 0:
        return row->series;
    case 1:
        return row->from;
    case 2:
        return row->to;
    case 3:
        snprintf(room, CELL_ROOM, "%.12g", row->x);
        return *table->x_name ? room : "";
    case 4:
        return weir__cli_figure(row->median, room);
    case 5:
        snprintf(room, CELL_ROOM, "%s - %s", weir__cli_figure(row->low, low),
                 weir__cli_figure(row->high, high));
        return room;
    default:
        return row->verified ? "yes" : "-";
    }
}

static void measure_columns(const weir_bench_table *table, const struct series *lines,
                            const char *const *heads, int *widths)
{
    char room[CELL_ROOM];
    for (int column = 0; column < COLUMNS; column++) {
        size_t most = 0, head = strlen(heads[column]);
        for (size_t i = 0; i < lines->count; i++) {
            size_t length = strlen(cell(table, &lines->rows[i], column, room));
            most = length > most ? length : most;
        }
        widths[column] = most == 0 ? 0 : (int)(most > head ? most : head);
    }
}

static void print_cell(FILE *file, int column, int width, const char *text)
{
    int is_number = column == 3 || column == 4 || column == 5;
    if (width && column < COLUMNS - 1)
        fprintf(file, "  %*s", is_number ? width : -width, text);
    else if (width)
        fprintf(file, "  %s", text);
}

static void print_lines(const weir_bench_table *table, const struct series *lines, FILE *file)
{
    const char *heads[COLUMNS] = {"series",    "from",       "to",      table->x_name,
                                  table->unit, "low - high", "verified"};
    int widths[COLUMNS];
    char room[CELL_ROOM];
    measure_columns(table, lines, heads, widths);
    for (int column = 0; column < COLUMNS; column++)
        print_cell(file, column, widths[column], heads[column]);
    fputc('\n', file);
    for (size_t i = 0; i < lines->count; i++) {
        for (int column = 0; column < COLUMNS; column++)
            print_cell(file, column, widths[column], cell(table, &lines->rows[i], column, room));
        fputc('\n', file);
    }
}

/* ---- the whole ---- */

static void print_table(const weir_bench_table *table, const char *failed, FILE *file)
{
    fprintf(file, "\n%s: %s", table->name, table->title);
    if (table->count)
        fprintf(file, " (%s, %s is better)", table->unit,
                table->larger_is_better ? "larger" : "smaller");
    fputc('\n', file);
    if (failed)
        fprintf(file, "  failed: %s\n", failed);
    else if (!table->count)
        fprintf(file, "  skipped: %s\n", *table->skipped ? table->skipped : "no figures");
    for (size_t i = 0; i < table->count;) {
        struct series series = take_series(table, i), lines = {.rows = series.rows};
        if (is_matrix(table, &series)) {
            print_matrix(table, &series, file);
            i += series.count;
            continue;
        }
        do { /* All series up to the next matrix share their columns. */
            lines.count += series.count;
            i += series.count;
        } while (i < table->count && (series = take_series(table, i), !is_matrix(table, &series)));
        print_lines(table, &lines, file);
    }
}

static void print_head(const weir__cli_result *result, FILE *file)
{
    const char *name = json_string_value(json_object_get(result->machine, "name"));
    size_t devices = json_array_size(result->devices);
    const char *device =
        json_string_value(json_object_get(json_array_get(result->devices, 0), "name"));
    char room[TEXT_ROOM];
    fprintf(file, "machine  %s%s\n", weir__cli_cleaned(name, room, sizeof room),
            result->simulated ? ", simulated: times are virtual" : "");
    fprintf(file, "devices  %zu (%s)\n", devices, weir__cli_cleaned(device, room, sizeof room));
    if (result->path)
        fprintf(file, "from     %s, weir %s\n", weir__cli_cleaned(result->path, room, sizeof room),
                result->version);
}

void weir__cli_result_table(const weir__cli_result *result, FILE *file)
{
    print_head(result, file);
    for (size_t i = 0; i < result->count; i++)
        print_table(&result->tables[i], result->failed[i], file);
}
