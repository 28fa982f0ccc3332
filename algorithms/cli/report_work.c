/** @file report_work.c  The option --stats of algorithms over graphs: a table for each source that explains the
 *  time of a run. Its first lines are there for every run; the others say in detail what the devices did. */
#include "algorithms/cli/result.h"
#include "algorithms/cli/traversal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* With more devices than MATRIX_MAX a matrix is too large to read, and the busiest links are listed instead. */
enum { MATRIX_MAX = 8, BUSIEST = 8 };

struct work {
    const weir__cli_report *report;
    const weir__cli_trial *trial;
    weir__cli_link *links, *stolen; /* those of the trial */
    FILE *file;
    char labels[MATRIX_MAX][FIGURE_ROOM]; /* labels of the devices, all of which a matrix shows */
};

/* ---- rows ---- */

/* Begin a row and leave its line open. */
static void begin_row(const struct work *work, const char *name, uint64_t count)
{
    fprintf(work->file, "  %-18s %15" PRIu64, name, count);
}

static void row(const struct work *work, const char *name, uint64_t count)
{
    begin_row(work, name, count);
    fputc('\n', work->file);
}

/* A negative ratio does not exist, since nothing was reached. */
static const char *ratio_text(double ratio, char room[FIGURE_ROOM])
{
    return ratio < 0 ? "-" : weir__cli_figure(ratio, room);
}

/* ---- the four lines ---- */

static void print_least(const struct work *work)
{
    const weir_run_stats *stats = &work->trial->stats;
    char room[FIGURE_ROOM];
    begin_row(work, "items processed", stats->work.processed);
    fprintf(work->file, "   %s for each vertex reached, of which there are %" PRIu64 "\n",
            ratio_text(weir__cli_over_least(stats), room), stats->least_items);
}

static void print_atoms(const struct work *work)
{
    const weir_run_stats *stats = &work->trial->stats;
    char room[FIGURE_ROOM];
    begin_row(work, "atoms (arcs seen)", stats->work.atoms);
    fprintf(work->file, "   %s for each arc of a vertex reached, of which there are %" PRIu64 "\n",
            ratio_text(weir__cli_atoms_per_arc(stats), room), stats->arcs_reached);
}

/* Whether one device did all, through the worklist. */
static int is_alone(const weir_run_stats *stats)
{
    return stats->direction == WEIR_DIRECTION_PUSH && stats->balance == WEIR_BALANCE_OWNERSHIP;
}

static void print_bandwidth(const struct work *work)
{
    const weir_run_stats *stats = &work->trial->stats;
    const uint32_t devices = is_alone(stats) ? 1 : weir__cli_devices_used(work->report, stats);
    double rate = weir__cli_bandwidth(stats);
    char all[FIGURE_ROOM], each[FIGURE_ROOM];
    if (rate < 0) {
        fprintf(work->file, "  %-18s %15s   of this algorithm are not counted\n", "bytes moved",
                "-");
        return;
    }
    begin_row(work, "bytes moved", stats->bytes);
    fprintf(work->file, "   at the least: %s GB/s, %s of each device's memory\n",
            weir__cli_figure(rate, all), weir__cli_figure(rate / devices, each));
}

/* Print the time of the call and its parts in the kernels. In step a part is the time of the slowest device;
 * through the worklist it is a percentage of the time of all devices together. */
static void print_times(const struct work *work)
{
    const weir_run_stats *stats = &work->trial->stats;
    const char *gap = "";
    fprintf(work->file, "  %-18s %15.3f   kernels %.3f ms: ", "time, ms", stats->ms,
            stats->kernel_ms);
    if (!weir__cli_in_step(work->report->algorithm, stats)) {
        for (int i = 0; i < WEIR_PHASES; i++) {
            double percent = weir__cli_phase_percent(stats, (weir_phase)i);
            fprintf(work->file, "%s%s ", i ? ", " : "", weir_phase_text((weir_phase)i));
            if (percent >= 0)
                fprintf(work->file, "%.1f %%", percent);
            else
                fputc('-', work->file);
        }
        fputc('\n', work->file);
        return;
    }
    if (stats->steps)
        fprintf(work->file, "%" PRIu64 " %s of %.2f us: ", stats->steps,
                work->report->algorithm->steps, 1e3 * weir__cli_step_ms(stats));
    for (int i = 0; i < WEIR_RUN_PHASES; i++) {
        const weir_run_phase *phase = &stats->phase[i];
        if (!phase->name)
            continue;
        fprintf(work->file, "%s%s %.3f ms", gap, phase->name, phase->ms);
        if (phase->steps)
            fprintf(work->file, " (%" PRIu64 " step%s of %.2f us)", phase->steps,
                    phase->steps == 1 ? "" : "s", 1e3 * phase->ms / (double)phase->steps);
        gap = ", ";
    }
    fputc('\n', work->file);
}

/* Of a search in two dimensions. */
static int print_told(const struct work *work)
{
    weir_run_level sum = WEIR_RUN_LEVEL_INIT;
    int code = weir__cli_levels_sum(work->report->trials, work->trial, &sum);
    if (code || !work->trial->level_count)
        return code;
    begin_row(work, "bytes told", sum.expand_bytes + sum.fold_bytes);
    fprintf(work->file,
            "   %" PRIu64 " expanding, %" PRIu64 " folding; a device tells at most %" PRIu32
            " of its column and %" PRIu32 " of its row\n",
            sum.expand_bytes, sum.fold_bytes, sum.expand_partners, sum.fold_partners);
    return EXIT_DONE;
}

static void print_devices(const struct work *work)
{
    const weir_run_stats *stats = &work->trial->stats;
    begin_row(work, "devices", weir__cli_devices_used(work->report, stats));
    fprintf(work->file, "   of %" PRIu32 "%s%s\n", weir_context_device_count(work->report->context),
            stats->why_devices ? ": " : "", stats->why_devices ? stats->why_devices : "");
}

/* ---- details ---- */

/* Whether any of the devices is a host device, whose threads may sleep. */
static int has_threads(const weir_context *context)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    for (uint32_t d = 0; d < weir_context_device_count(context); d++)
        if (!weir_device_info_get(weir_context_device(context, d), &info) &&
            info.kind == WEIR_DEVICE_HOST)
            return 1;
    return 0;
}

static void print_exchange(const struct work *work)
{
    const weir_run_stats *stats = &work->trial->stats;
    if (work->report->algorithm->worklist)
        row(work, "items sent", stats->work.sent);
    row(work, "bytes sent", stats->bytes_sent);
    if (stats->bands)
        row(work, "bands of ranks", stats->bands);
    if (stats->hubs)
        row(work, "hubs kept", stats->hubs);
    if (stats->bins)
        row(work, "bins of rows", stats->bins);
    if (stats->roots)
        row(work, "roots that looked", stats->roots);
    if (stats->gathered)
        row(work, "gathered arcs", stats->gathered);
    if (stats->rest_rows || stats->label_rows) {
        row(work, "rows of the rest", stats->rest_rows);
        row(work, "rows labelled last", stats->label_rows);
    }
    if (has_threads(work->report->context))
        row(work, "naps", stats->naps);
    if (stats->epochs)
        row(work, "epochs", stats->epochs);
    if (stats->shared)
        row(work, "shared pieces", stats->shared);
    if (stats->unlisted)
        row(work, "unlisted", stats->unlisted);
    if (stats->firsts)
        row(work, "by first arcs", stats->firsts);
    if (stats->eager)
        row(work, "eager levels", stats->eager);
    if (stats->bitmaps)
        row(work, "bitmaps sent", stats->bitmaps);
    if (stats->direct)
        row(work, "items sent directly", stats->direct);
    if (stats->candidates)
        row(work, "candidates pulled", stats->candidates);
}

static void print_items(const struct work *work)
{
    const weir_run_stats *stats = &work->trial->stats;
    row(work, "items produced", stats->work.produced);
    row(work, "items stale", stats->work.stale);
    print_exchange(work);
    row(work, "items spilled", stats->work.spilled);
    row(work, "items deferred", stats->work.deferred);
    if (stats->work.queues) {
        row(work, "pops", stats->work.pops);
        row(work, "empty pops", stats->work.empty_pops);
        row(work, "steals", stats->work.steals);
        row(work, "most in a queue", stats->work.queue_high);
    }
    row(work, "rounds", stats->work.rounds);
    row(work, "narrow rounds", stats->work.narrow_rounds);
    row(work, "items by padded rows", stats->work.by_rows);
    row(work, "items fused", stats->work.fused);
    row(work, "flushes", stats->work.flushes);
    row(work, "items woven", stats->work.woven);
    row(work, "paced rounds", stats->work.paced);
    row(work, stats->work.order == WEIR_ORDER_BULK ? "generations" : "raises", stats->work.raises);
    if (stats->work.hand_outs) {
        row(work, "early raises", stats->work.early_raises);
        row(work, "rounds that hand out", stats->work.hand_outs);
    }
}

static void print_phases(const struct work *work)
{
    const weir_run_stats *stats = &work->trial->stats;
    for (int i = 0; i < WEIR_PHASES; i++) {
        char name[FIGURE_ROOM];
        snprintf(name, sizeof name, "%s, ms", weir_phase_text((weir_phase)i));
        fprintf(work->file, "  %-18s %15.3f\n", name, stats->work.phase_ms[i]);
    }
}

/* ---- links ---- */

static const char *label(const struct work *work, uint32_t device, char room[FIGURE_ROOM])
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(weir_context_device(work->report->context, device), &info);
    return weir__cli_cleaned(info.label, room, FIGURE_ROOM);
}

static const char *matrix_label(void *user, uint32_t device)
{
    return ((struct work *)user)->labels[device];
}

static const char *cell_of(const weir__cli_link *pairs, uint32_t count, uint32_t from, uint32_t to,
                           char room[FIGURE_ROOM])
{
    for (uint32_t i = 0; i < count; i++)
        if (pairs[i].from == from && pairs[i].to == to) {
            snprintf(room, FIGURE_ROOM, "%" PRIu64, pairs[i].items);
            return room;
        }
    return "";
}

static const char *matrix_cell(void *user, uint32_t from, uint32_t to, char room[FIGURE_ROOM])
{
    const struct work *work = user;
    return cell_of(work->links, work->trial->link_count, from, to, room);
}

static const char *stolen_cell(void *user, uint32_t owner, uint32_t worker, char room[FIGURE_ROOM])
{
    const struct work *work = user;
    return cell_of(work->stolen, work->trial->stolen_count, owner, worker, room);
}

static void print_matrix(struct work *work, uint32_t devices,
                         const char *(*cell)(void *, uint32_t, uint32_t, char *), const char *head)
{
    weir__cli_matrix matrix = {devices, devices, matrix_label, matrix_label, cell, work};
    for (uint32_t i = 0; i < devices; i++)
        (void)label(work, i, work->labels[i]);
    weir__cli_matrix_print(work->file, &matrix, head);
}

/* Of a search with balance ownership or both. */
static void print_lone(struct work *work)
{
    const weir_run_stats *stats = &work->trial->stats;
    char name[FIGURE_ROOM];
    begin_row(work, "levels by one device", stats->lone_levels);
    fprintf(work->file,
            "   by %s, of %" PRIu64 " entries at the most; ownership moved %" PRIu64 " times\n",
            label(work, (uint32_t)stats->lone_device, name), stats->lone_entries,
            stats->lone_moves);
    begin_row(work, "arcs in those", stats->lone_arcs);
    fprintf(work->file, "   for which %" PRIu64 " bytes went to it and back\n", stats->lone_bytes);
    begin_row(work, "ns of all together", stats->together_ns);
    fputs("   that a narrow level of all devices takes beside its work\n", work->file);
}

/* Of a run through the worklist with balance ownership. */
static void print_alone(struct work *work)
{
    const weir_run_stats *stats = &work->trial->stats;
    char name[FIGURE_ROOM];
    if (!is_alone(stats))
        return;
    begin_row(work, "arcs by one device", stats->lone_arcs);
    fprintf(work->file, "   by %s, from which %" PRIu64 " bytes went to those that own vertices\n",
            label(work, (uint32_t)stats->lone_device, name), stats->lone_bytes);
}

/* Of a search with balance frontier or another, which at most MATRIX_MAX devices run. */
static void print_stolen(struct work *work)
{
    const weir_run_stats *stats = &work->trial->stats;
    char name[FIGURE_ROOM];
    if (stats->balance == WEIR_BALANCE_OFF)
        return;
    if (stats->balance != WEIR_BALANCE_FRONTIER)
        print_lone(work);
    if (stats->balance == WEIR_BALANCE_OWNERSHIP)
        return;
    snprintf(name, sizeof name, "%s shared out", work->report->algorithm->steps);
    begin_row(work, name, stats->stolen_levels);
    fprintf(work->file, "   stall %.1f %% as arcs lie, %.1f %% as they were shared out\n",
            100 * stats->stall_before, 100 * stats->stall_after);
    begin_row(work, "arcs for others", stats->stolen_arcs);
    fprintf(work->file, "   for which %" PRIu64 " bytes were read of their memory",
            stats->stolen_bytes);
    if (stats->stolen_copied)
        fprintf(work->file, ", and %" PRIu64 " arcs from copies", stats->stolen_copied);
    fprintf(work->file, "\n");
    print_matrix(work, weir__cli_devices_used(work->report, stats), stolen_cell, "arcs, of \\ by");
}

static int by_items(const void *a, const void *b)
{
    const weir__cli_link *x = a, *y = b;
    if (x->items != y->items)
        return x->items < y->items ? 1 : -1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void print_busiest(const struct work *work, weir__cli_link *links, size_t count)
{
    char from[FIGURE_ROOM], to[FIGURE_ROOM];
    qsort(links, count, sizeof *links, by_items);
    fprintf(work->file, "  %zu links carried items%s\n", count,
            count > BUSIEST ? "; the busiest of them:" : ":");
    for (size_t i = 0; i < count && i < BUSIEST; i++) {
        char name[2 * FIGURE_ROOM + 8];
        snprintf(name, sizeof name, "%s to %s", label(work, links[i].from, from),
                 label(work, links[i].to, to));
        fprintf(work->file, "    %-22s %15" PRIu64 " items\n", name, links[i].items);
    }
}

static void print_links(struct work *work)
{
    uint32_t devices = weir__cli_devices_used(work->report, &work->trial->stats);
    if (!work->trial->link_count)
        return;
    if (devices <= MATRIX_MAX)
        print_matrix(work, devices, matrix_cell, "items, from \\ to");
    else
        print_busiest(work, work->links, work->trial->link_count);
}

/* ---- tables ---- */

static int print_trial(const weir__cli_report *report, const weir__cli_trial *trial, FILE *file)
{
    struct work work = {.report = report, .trial = trial, .file = file};
    int code = weir__cli_trial_links(report->trials, trial, &work.links);
    if (!code && (code = weir__cli_trial_stolen(report->trials, trial, &work.stolen)))
        free(work.links);
    if (code)
        return code;
    fputs("\nwork", file);
    if (report->algorithm->sourced)
        fprintf(file, " from source %" PRIu64, trial->source);
    fputs(report->request->trials > 1 ? ", in its last run\n" : "\n", file);
    print_least(&work);
    print_atoms(&work);
    print_bandwidth(&work);
    print_times(&work);
    print_devices(&work);
    if (weir__cli_in_step(report->algorithm, &trial->stats)) {
        print_exchange(&work);
        code = print_told(&work);
        print_stolen(&work);
    } else {
        print_items(&work);
        print_alone(&work);
        print_phases(&work);
    }
    print_links(&work);
    free(work.links);
    free(work.stolen);
    return code;
}

/* Every source has the same number of trials. Only the last source may have fewer, when a result was wrong. */
int weir__cli_report_work(const weir__cli_report *report, FILE *file)
{
    const weir__cli_records *rows = &report->trials->rows;
    int code = EXIT_DONE;
    for (uint64_t end = report->request->trials; !code; end += report->request->trials) {
        uint64_t last = (end < rows->count ? end : rows->count) - 1;
        weir__cli_trial trial;
        if (!(code = weir__cli_records_get(rows, last, &trial)))
            code = print_trial(report, &trial, file);
        if (end >= rows->count)
            break;
    }
    return code;
}
