/** @file result_csv.c  Figures of benchmarks as comma-separated values (RFC 4180, but with plain
 *  newlines): one header, then one line a figure. Skipped and
 *  failed benchmarks have none; they are named beside it. */
#include "algorithms/cli/result.h"

#include <string.h>

/* Quoted only where it must be, so that simple tools can read most files. */
static void print_text(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fprintf(file, "%s,", text);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputs("\",", file);
}

static void print_row(FILE *file, const weir_bench_table *table, const weir_bench_row *row)
{
    print_text(file, table->name);
    print_text(file, table->title);
    print_text(file, table->unit);
    fprintf(file, "%s,", table->larger_is_better ? "larger" : "smaller");
    print_text(file, table->x_name);
    print_text(file, row->series);
    print_text(file, row->from);
    print_text(file, row->to);
    if (*table->x_name)
        fprintf(file, "%.15g", row->x);
    fprintf(file, ",%.6g,%.6g,%.6g,%u,%s\n", row->median, row->low, row->high, row->trials,
            row->verified ? "yes" : "no");
}

void weir__cli_result_csv(const weir__cli_result *result, FILE *file)
{
    fputs("benchmark,title,unit,better,x_name,series,from,to,x,median,low,high,trials,verified\n",
          file);
    for (size_t i = 0; i < result->count; i++)
        for (size_t j = 0; j < result->tables[i].count; j++)
            print_row(file, &result->tables[i], &result->tables[i].rows[j]);
}

/* On stderr, where a reader of the values does not stumble over it; '#' marks it as a remark. */
void weir__cli_result_csv_gaps(const weir__cli_result *result)
{
    for (size_t i = 0; i < result->count; i++) {
        const weir_bench_table *table = &result->tables[i];
        if (result->failed[i])
            fprintf(stderr, "# %s failed: %s\n", table->name, result->failed[i]);
        else if (!table->count)
            fprintf(stderr, "# %s skipped: %s\n", table->name,
                    *table->skipped ? table->skipped : "no figures");
    }
}
