/** @file compare.c  Two results side by side: what got faster, what got slower, what is in one only.
 *
 * A figure is the same one when benchmark, series, ends and position on the axis are. Ratios are
 * turned so that more than 1 is faster, whichever way the unit goes. A figure is slower when its
 * median is, by more than the factor, and none of its trials was as good as the worst old one:
 * where the spreads overlap, nothing is known. What a benchmark no longer finds, although it ran in
 * the same way, is as bad as a slower figure; what was not asked for is no loss. */
#include "algorithms/cli/result.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { NAME_ROOM = 192 };
enum verdict { SAME, WITHIN_SPREAD, SLOWER };

struct comparison {
    const weir__cli_result *old, *now;
    double factor;
    FILE *file;
    size_t compared, slower, within, only_old, only_now;
    double worst; /* a ratio; 0 is worse than every ratio */
    char worst_name[NAME_ROOM], lost_name[NAME_ROOM], new_name[NAME_ROOM];
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

/* "broadcast: ring, gpu0 to gpu1, packet bytes 65536" */
static void name_row(const weir_bench_table *table, const weir_bench_row *row, char *text,
                     size_t room)
{
    char ends[48] = "", at[64] = "";
    if (*row->from || *row->to)
        snprintf(ends, sizeof ends, ", %s%s%s", row->from, *row->from && *row->to ? " to " : "",
                 row->to);
    if (*table->x_name)
        snprintf(at, sizeof at, ", %s %.12g", table->x_name, row->x);
    snprintf(text, room, "%s: %s%s%s", table->name, row->series, ends, at);
}

/* ---- one figure ---- */

/* @return 0 when there is no ratio, as a figure is not above 0 or not finite. */
static double ratio_of(const weir_bench_table *table, double old, double now)
{
    if (!(old > 0) || !(now > 0) || !isfinite(now))
        return 0;
    return table->larger_is_better ? now / old : old / now;
}

static enum verdict judge(const struct comparison *all, const weir_bench_table *table,
                          const weir_bench_row *old, const weir_bench_row *now)
{
    double ratio = ratio_of(table, old->median, now->median);
    if (!isfinite(now->median) || (table->larger_is_better && old->median > 0 && now->median <= 0))
        return SLOWER;
    if (!(ratio > 0) || ratio * all->factor >= 1)
        return SAME;
    if (table->larger_is_better ? now->high >= old->low : now->low <= old->high)
        return WITHIN_SPREAD;
    return SLOWER;
}

/* Show three digits behind the point, or three significant digits where the ratio is very small or very large. */
static const char *ratio_text(double ratio, char room[FIGURE_ROOM])
{
    if (!(ratio > 0))
        return "-";
    snprintf(room, FIGURE_ROOM, ratio >= 0.01 && ratio < 1000 ? "%.3f" : "%.3g", ratio);
    return room;
}

static void compare_row(struct comparison *all, const weir_bench_table *table,
                        const weir_bench_row *old, const weir_bench_row *now)
{
    static const char *const words[] = {"", "within spread", "slower"};
    char name[NAME_ROOM], before[FIGURE_ROOM], after[FIGURE_ROOM], text[FIGURE_ROOM];
    double ratio = ratio_of(table, old->median, now->median);
    enum verdict verdict = judge(all, table, old, now);
    name_row(table, now, name, sizeof name);
    fprintf(all->file, "  %10s %10s %8s  %-13s  %-5s  %s\n", weir__cli_figure(old->median, before),
            weir__cli_figure(now->median, after), ratio_text(ratio, text), words[verdict],
            table->unit, name);
    all->compared++;
    all->within += verdict == WITHIN_SPREAD;
    if (verdict == SLOWER && (all->slower++ == 0 || ratio < all->worst)) {
        all->worst = ratio;
        memcpy(all->worst_name, name, sizeof name);
    }
}

/* ---- tables ---- */

/* Count the rows of @p table that @p other lacks. */
static size_t print_missing(struct comparison *all, const weir_bench_table *table,
                            const weir_bench_table *other, const char *where,
                            char first_name[NAME_ROOM])
{
    char name[NAME_ROOM];
    size_t missing = 0, hint = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (find_row(other, &table->rows[i], &hint))
            continue;
        name_row(table, &table->rows[i], name, sizeof name);
        fprintf(all->file, "  only %s: %s\n", where, name);
        if (!*first_name)
            memcpy(first_name, name, sizeof name);
        missing++;
    }
    return missing;
}

static int compare_table(struct comparison *all, const weir_bench_table *old,
                         const weir_bench_table *now)
{
    size_t hint = 0;
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

/* A benchmark that ran has figures in both; one that failed now should have had them. */
static int compare_tables(struct comparison *all)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < all->now->count && !code; i++) {
        const weir_bench_table *now = &all->now->tables[i];
        const weir_bench_table *old = find_table(all->old, now->name);
        if (old && old->count && now->count)
            code = compare_table(all, old, now);
    }
    for (size_t i = 0; i < all->now->count && !code; i++) {
        const weir_bench_table *now = &all->now->tables[i];
        const weir_bench_table *old = find_table(all->old, now->name);
        if (!old || !old->count)
            continue;
        if (now->count)
            all->only_now += print_missing(all, now, old, "now", all->new_name);
        if (now->count || all->now->failed[i])
            all->only_old += print_missing(all, old, now, "there", all->lost_name);
    }
    return code;
}

/* One line with the names of tables that have figures in @p result and are not in @p other, or were
 * skipped there. */
static void print_alone(struct comparison *all, const weir__cli_result *result,
                        const weir__cli_result *other, const char *text)
{
    size_t shown = 0;
    for (size_t i = 0; i < result->count; i++) {
        const weir_bench_table *table = &result->tables[i];
        const weir_bench_table *twin = find_table(other, table->name);
        if (!table->count || (twin && (twin->count || other->failed[twin - other->tables])))
            continue;
        fprintf(all->file, "%s%s%s", shown++ ? ", " : text, table->name, twin ? " (skipped)" : "");
    }
    if (shown)
        fputc('\n', all->file);
}

/* ---- what else differs ---- */

static const char *machine_name(const weir__cli_result *result, char room[NAME_ROOM])
{
    return weir__cli_cleaned(json_string_value(json_object_get(result->machine, "name")), room,
                             NAME_ROOM);
}

static int same_option(const struct comparison *all, const char *name)
{
    return json_equal(json_object_get(all->old->options, name),
                      json_object_get(all->now->options, name));
}

/* Whether both results were asked for the same; only then should they have the same figures. */
static int asked_alike(const struct comparison *all)
{
    char there[NAME_ROOM], here[NAME_ROOM];
    return same_option(all, "bytes") && all->old->simulated == all->now->simulated &&
           json_array_size(all->old->devices) == json_array_size(all->now->devices) &&
           strcmp(machine_name(all->old, there), machine_name(all->now, here)) == 0;
}

/* A different machine is mentioned, not refused, since comparing two machines may be the purpose. */
static void print_differences(const struct comparison *all)
{
    const weir__cli_result *old = all->old, *now = all->now;
    char there[NAME_ROOM], here[NAME_ROOM], path[NAME_ROOM];
    if (old->simulated != now->simulated)
        fprintf(all->file, "  note: %s was measured on %s devices, now on %s ones\n",
                weir__cli_cleaned(old->path, path, sizeof path),
                old->simulated ? "simulated" : "real", now->simulated ? "simulated" : "real");
    if (strcmp(machine_name(old, there), machine_name(now, here)) != 0)
        fprintf(all->file, "  note: another machine: there %s, here %s\n", there, here);
    else if (!json_equal(old->machine, now->machine) || !json_equal(old->devices, now->devices))
        fprintf(all->file, "  note: the machine is not described in the same way in both\n");
    if (!same_option(all, "bytes"))
        fprintf(all->file, "  note: --bytes differs\n");
}

/* ---- the whole ---- */

/* The one sentence that says why the comparison failed. */
static void conclude(const struct comparison *all, weir__cli_outcome *outcome)
{
    char text[FIGURE_ROOM];
    size_t lost = asked_alike(all) ? all->only_old : 0, room = sizeof outcome->sentence;
    outcome->code = all->slower || lost ? EXIT_RUN : all->compared ? EXIT_DONE : EXIT_USAGE;
    if (all->slower)
        snprintf(outcome->sentence, room,
                 "%zu of %zu figures got slower than %g times; the worst, %s: %s%s", all->slower,
                 all->compared, all->factor, ratio_text(all->worst, text), all->worst_name,
                 lost ? "; others are missing" : "");
    else if (lost)
        snprintf(outcome->sentence, room, "%zu figures of %s are missing now; the first: %s", lost,
                 all->old->path, all->lost_name);
    else if (!all->compared)
        snprintf(outcome->sentence, room, "--compare %s: it has no figure that was measured now",
                 all->old->path);
}

int weir__cli_result_compare(const weir__cli_result *old, const weir__cli_result *now,
                             double factor, FILE *file, weir__cli_outcome *outcome_out)
{
    struct comparison all = {.old = old, .now = now, .factor = factor, .file = file};
    char path[NAME_ROOM];
    fprintf(file, "\ncompared with %s, weir %s; a ratio above 1 is faster now\n",
            weir__cli_cleaned(old->path, path, sizeof path), old->version);
    print_differences(&all);
    fprintf(file, "  %10s %10s %8s  %-13s  %-5s  %s\n", "there", "now", "ratio", "", "unit",
            "figure");
    int code = compare_tables(&all);
    if (code)
        return code;
    print_alone(&all, old, now, "  not compared, only there: ");
    print_alone(&all, now, old, "  not compared, only now: ");
    fprintf(file,
            "  %zu compared, %zu slower than %g times, %zu within spread, %zu only there, "
            "%zu only now\n",
            all.compared, all.slower, factor, all.within, all.only_old, all.only_now);
    conclude(&all, outcome_out);
    return EXIT_DONE;
}
