/** @file rows.c  Rows of a table: warm-ups, trials, the median and its spread. */
#include "topology/measure/measure.h"

#include "runtime/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void weir__bench_describe(struct bench *bench, const char *unit, int larger_is_better,
                          const char *x_name, const char *format, ...)
{
    weir_bench_table *table = bench->table;
    va_list list;
    snprintf(table->unit, sizeof table->unit, "%s", unit);
    snprintf(table->x_name, sizeof table->x_name, "%s", x_name);
    table->larger_is_better = larger_is_better;
    va_start(list, format);
    vsnprintf(table->title, sizeof table->title, format, list);
    va_end(list);
}

weir_status weir__bench_skip(struct bench *bench, const char *format, ...)
{
    weir_bench_table *table = bench->table;
    va_list list;
    va_start(list, format);
    vsnprintf(table->skipped, sizeof table->skipped, format, list);
    va_end(list);
    table->count = 0;
    return WEIR_OK;
}

static weir_status append(struct bench *bench, const weir_bench_row *row)
{
    weir_bench_table *table = bench->table;
    if (table->count == bench->room) {
        size_t room = bench->room ? 2 * bench->room : 32;
        weir_bench_row *rows = realloc(table->rows, room * sizeof *rows);
        if (!rows)
            return weir__fail(WEIR_ERR_NOMEM, "%s: no memory for %zu rows of a table", table->name,
                              room);
        table->rows = rows;
        bench->room = room;
    }
    table->rows[table->count++] = *row;
    return WEIR_OK;
}

static void tell(const struct bench *bench, const weir_bench_row *row)
{
    char what[128];
    if (!bench->config.progress)
        return;
    int length = snprintf(what, sizeof what, "%s: %s", bench->table->name, row->series);
    if (row->from[0] && row->to[0])
        length +=
            snprintf(what + length, sizeof what - (size_t)length, ", %s to %s", row->from, row->to);
    if (bench->table->x_name[0])
        snprintf(what + length, sizeof what - (size_t)length, ", %s %.0f", bench->table->x_name,
                 row->x);
    bench->config.progress(bench->config.progress_user, what);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarize(double *values, uint32_t count, weir_bench_row *row)
{
    qsort(values, count, sizeof *values, by_value);
    row->low = values[0];
    row->high = values[count - 1];
    row->median = (values[(count - 1) / 2] + values[count / 2]) / 2;
    row->trials = count;
}

void weir__bench_took(struct bench *bench, double ms)
{
    bench->took_ms = ms;
    bench->told_ns = weir__tracing(bench->context) ? weir_context_time_ns(bench->context) : 0;
}

/* The host learns of the end of a trial a little later, which moves the span, not its length. */
static void tell_trace(const struct bench *bench, const weir_bench_row *row, uint64_t number,
                       uint64_t trial)
{
    struct weir__trace *trace = weir__tracing(bench->context);
    const uint64_t took = (uint64_t)(bench->took_ms * 1e6 + 0.5), end = bench->told_ns;
    if (trace && took && end >= took)
        weir__trace_trial(trace, bench->table->name, row->series, number, trial, end - took, end);
}

weir_status weir__bench_rows(struct bench *bench, const weir_bench_row *rows, uint32_t count,
                             weir__trial_fn trial, void *const *users)
{
    const uint32_t warmups = bench->config.warmups, trials = bench->config.trials;
    double *values;
    weir_status status = weir__alloc((size_t)count * trials, sizeof *values, "trials", &values);
    if (status)
        return status;
    for (uint32_t r = 0; r < count; r++)
        tell(bench, &rows[r]);
    for (uint32_t i = 0; i < warmups + trials; i++)
        for (uint32_t r = 0; r < count && !status; r++) {
            double value = 0;
            bench->took_ms = 0;
            if (!(status = weir__bench_cancelled(bench)) &&
                !(status = trial(users[r], ++bench->number, &value)))
                tell_trace(bench, &rows[r], bench->table->count + r,
                           i < warmups ? 0 : i - warmups + 1);
            if (i >= warmups)
                values[(size_t)r * trials + i - warmups] = value;
        }
    for (uint32_t r = 0; r < count && !status; r++) {
        weir_bench_row filled = rows[r];
        summarize(values + (size_t)r * trials, trials, &filled);
        status = append(bench, &filled);
    }
    free(values);
    return status;
}

weir_status weir__bench_row(struct bench *bench, const weir_bench_row *row, weir__trial_fn trial,
                            void *user)
{
    return weir__bench_rows(bench, row, 1, trial, &user);
}

double weir__gbs(double bytes, double ms)
{
    return ms > 0 ? bytes / (ms * 1e6) : 0;
}
