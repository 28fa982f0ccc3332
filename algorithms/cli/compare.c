/** @file compare.c  Two results side by side: what got faster, what got slower, what is in one only.
 *
 * A figure is the same one when benchmark, series, ends and position on the axis are. Ratios are
 * turned so that more than 1 is faster, whichever way the unit goes. */
#include "algorithms/cli/result.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct comparison {
    const weir__cli_result *old, *now;
    double factor;
    FILE *file;
    size_t compared, slower, only_old, only_now;
    double worst; /* ratio */
    char worst_name[160];
};

static const weir_bench_table *find_table(const weir__cli_result *result, const char *name)
{
    for (size_t i = 0; i < result->count; i++)
        if (strcmp(result->tables[i].name, name) == 0)
            return &result->tables[i];
    return NULL;
}

static int same_row(const weir_bench_row *a, const weir_bench_row *b)
{
    return a->x == b->x && strcmp(a->series, b->series) == 0 && strcmp(a->from, b->from) == 0 &&
           strcmp(a->to, b->to) == 0;
}

/* Both results usually have their rows in one order: @p hint is where the search begins. */
static const weir_bench_row *find_row(const weir_bench_table *table, const weir_bench_row *row,
                                      size_t *hint)
{
    for (size_t i = 0; i < table->count; i++) {
        size_t at = (*hint + i) % table->count;
        if (same_row(&table->rows[at], row)) {
            *hint = at + 1;
            return &table->rows[at];
        }
    }
    return NULL;
}

/* "broadcast: ring, gpu0 to gpu1, at 65536" */
static void name_row(const weir_bench_table *table, const weir_bench_row *row, char *text,
                     size_t room)
{
    char ends[48] = "", at[32] = "";
    if (*row->from || *row->to)
        snprintf(ends, sizeof ends, ", %s to %s", row->from, row->to);
    if (*table->x_name)
        snprintf(at, sizeof at, ", at %.12g", row->x);
    snprintf(text, room, "%s: %s%s%s", table->name, row->series, ends, at);
}

/* 0: one of the two is nothing that a ratio can be made of. */
static double ratio_of(const weir_bench_table *table, double old, double now)
{
    if (!(old > 0) || !(now > 0))
        return 0;
    return table->larger_is_better ? now / old : old / now;
}

static void compare_row(struct comparison *all, const weir_bench_table *table,
                        const weir_bench_row *old, const weir_bench_row *now)
{
    char name[160], before[FIGURE_ROOM], after[FIGURE_ROOM], text[FIGURE_ROOM] = "-";
    double ratio = ratio_of(table, old->median, now->median);
    int slower = ratio > 0 && ratio * all->factor < 1;
    name_row(table, now, name, sizeof name);
    if (ratio > 0)
        snprintf(text, sizeof text, "%.3f", ratio);
    fprintf(all->file, "  %10s %10s %8s %-6s  %-5s  %s\n", weir__cli_figure(old->median, before),
            weir__cli_figure(now->median, after), text, slower ? "slower" : "", table->unit, name);
    all->compared++;
    all->slower += slower != 0;
    if (slower && (all->worst == 0 || ratio < all->worst)) {
        all->worst = ratio;
        memcpy(all->worst_name, name, sizeof name);
    }
}

/* Rows of @p table that @p other lacks; @p other may be NULL. */
static size_t print_missing(FILE *file, const weir_bench_table *table,
                            const weir_bench_table *other, const char *where)
{
    char name[160];
    size_t missing = 0, hint = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (other && find_row(other, &table->rows[i], &hint))
            continue;
        name_row(table, &table->rows[i], name, sizeof name);
        fprintf(file, "  only %s: %s\n", where, name);
        missing++;
    }
    return missing;
}

static int compare_table(struct comparison *all, const weir_bench_table *old,
                         const weir_bench_table *now)
{
    size_t hint = 0;
    if (!old->count || !now->count)
        return EXIT_DONE;
    if (strcmp(old->unit, now->unit) != 0 || old->larger_is_better != now->larger_is_better)
        return weir__cli_fail(
            EXIT_USAGE, "--compare %s: %s is there in %s (%s is better), here in %s (%s)",
            all->old->path, now->name, old->unit, old->larger_is_better ? "larger" : "smaller",
            now->unit, now->larger_is_better ? "larger" : "smaller");
    for (size_t i = 0; i < now->count; i++) {
        const weir_bench_row *before = find_row(old, &now->rows[i], &hint);
        if (before)
            compare_row(all, now, before, &now->rows[i]);
    }
    return EXIT_DONE;
}

static int compare_tables(struct comparison *all)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < all->now->count && !code; i++) {
        const weir_bench_table *now = &all->now->tables[i];
        const weir_bench_table *old = find_table(all->old, now->name);
        if (old)
            code = compare_table(all, old, now);
    }
    for (size_t i = 0; i < all->now->count && !code; i++)
        all->only_now += print_missing(all->file, &all->now->tables[i],
                                       find_table(all->old, all->now->tables[i].name), "now");
    for (size_t i = 0; i < all->old->count && !code; i++)
        all->only_old += print_missing(all->file, &all->old->tables[i],
                                       find_table(all->now, all->old->tables[i].name), "there");
    return code;
}

static const char *machine_name(const weir__cli_result *result)
{
    const char *name = json_string_value(json_object_get(result->machine, "name"));
    return name ? name : "?";
}

/* What else differs is said, not refused: another machine may be the point. */
static void print_differences(const struct comparison *all)
{
    const weir__cli_result *old = all->old, *now = all->now;
    if (old->simulated != now->simulated)
        fprintf(all->file, "  note: %s was measured on %s devices, now on %s ones\n", old->path,
                old->simulated ? "simulated" : "real", now->simulated ? "simulated" : "real");
    if (strcmp(machine_name(old), machine_name(now)) != 0)
        fprintf(all->file, "  note: another machine: there %s, here %s\n", machine_name(old),
                machine_name(now));
    else if (!json_equal(old->machine, now->machine) || !json_equal(old->devices, now->devices))
        fprintf(all->file, "  note: the machine is not described in the same way in both\n");
    if (!json_equal(json_object_get(old->options, "bytes"), json_object_get(now->options, "bytes")))
        fprintf(all->file, "  note: --bytes differs\n");
}

int weir__cli_result_compare(const weir__cli_result *old, const weir__cli_result *now,
                             double factor, FILE *file)
{
    struct comparison all = {.old = old, .now = now, .factor = factor, .file = file};
    fprintf(file, "\ncompared with %s, weir %s; a ratio above 1 is faster now\n", old->path,
            old->version);
    print_differences(&all);
    fprintf(file, "  %10s %10s %8s %-6s  %-5s  %s\n", "there", "now", "ratio", "", "unit",
            "figure");
    int code = compare_tables(&all);
    if (code)
        return code;
    fprintf(file, "  %zu compared, %zu slower than %g times, %zu only there, %zu only now\n",
            all.compared, all.slower, factor, all.only_old, all.only_now);
    if (!all.compared)
        return weir__cli_fail(EXIT_USAGE, "--compare %s: it has no figure that was measured now",
                              old->path);
    if (all.slower)
        return weir__cli_fail(EXIT_RUN,
                              "%zu of %zu figures got slower than %g times; the worst, %.3f: %s",
                              all.slower, all.compared, factor, all.worst, all.worst_name);
    return EXIT_DONE;
}
