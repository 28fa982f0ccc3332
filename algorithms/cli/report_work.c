/** @file report_work.c  weir bfs|sssp --stats: what the devices did, in a table for each source. */
#include "algorithms/cli/result.h"
#include "algorithms/cli/traversal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A matrix of more devices than this is more than can be looked over; the busiest links are said. */
enum { MATRIX_MAX = 8, BUSIEST = 8 };

struct work {
    const weir__cli_report *report;
    const weir__cli_trial *trial;
    FILE *file;
    char labels[MATRIX_MAX][FIGURE_ROOM]; /* of devices; a matrix prints all of them */
};

/* ---- items, atoms, phases ---- */

/* A row without the end of its line. */
static void begin_row(const struct work *work, const char *name, uint64_t count)
{
    fprintf(work->file, "  %-18s %15" PRIu64, name, count);
}

static void row(const struct work *work, const char *name, uint64_t count)
{
    begin_row(work, name, count);
    fputc('\n', work->file);
}

/* Negative: nothing was reached that it could be a part of. */
static const char *ratio_text(double ratio, char room[FIGURE_ROOM])
{
    return ratio < 0 ? "-" : weir__cli_figure(ratio, room);
}

static void print_items(const struct work *work)
{
    const weir_run_stats *stats = &work->trial->stats;
    char room[FIGURE_ROOM];
    row(work, "items produced", stats->work.produced);
    begin_row(work, "items processed", stats->work.processed);
    fprintf(work->file, "   %" PRIu64 " stale; overwork %s, items for each vertex reached\n",
            stats->work.stale, ratio_text(weir__cli_overwork(stats), room));
    begin_row(work, "atoms (arcs seen)", stats->work.atoms);
    fprintf(work->file, "   %s for each arc of a vertex reached\n",
            ratio_text(weir__cli_atoms_per_arc(stats), room));
    row(work, "items sent", stats->work.sent);
    row(work, "items spilled", stats->work.spilled);
    row(work, "items deferred", stats->work.deferred);
    row(work, "rounds", stats->work.rounds);
    row(work, stats->work.order == WEIR_ORDER_BULK ? "generations" : "raises", stats->work.raises);
}

static void print_phases(const struct work *work)
{
    const weir_run_stats *stats = &work->trial->stats;
    for (int i = 0; i < WEIR_PHASES; i++) {
        double percent = weir__cli_phase_percent(stats, (weir_phase)i);
        char name[FIGURE_ROOM];
        snprintf(name, sizeof name, "%s, ms", weir_phase_text((weir_phase)i));
        fprintf(work->file, "  %-18s %15.3f", name, stats->work.phase_ms[i]);
        if (percent >= 0)
            fprintf(work->file, "   %.1f %% of the devices' time", percent);
        fputc('\n', work->file);
    }
}

/* ---- links ---- */

static const char *label(const struct work *work, uint32_t device, char room[FIGURE_ROOM])
{
    weir_device_info info;
    weir_device_info_get(weir_context_device(work->report->context, device), &info);
    return weir__cli_cleaned(info.label, room, FIGURE_ROOM);
}

static const char *matrix_label(void *user, uint32_t device)
{
    return ((struct work *)user)->labels[device];
}

static const char *matrix_cell(void *user, uint32_t from, uint32_t to, char room[FIGURE_ROOM])
{
    const weir__cli_trial *trial = ((struct work *)user)->trial;
    for (size_t i = 0; i < trial->link_count; i++)
        if (trial->links[i].from == from && trial->links[i].to == to) {
            snprintf(room, FIGURE_ROOM, "%" PRIu64, trial->links[i].items);
            return room;
        }
    return "";
}

static void print_matrix(struct work *work, uint32_t devices)
{
    weir__cli_matrix matrix = {devices, devices, matrix_label, matrix_label, matrix_cell, work};
    for (uint32_t i = 0; i < devices; i++)
        (void)label(work, i, work->labels[i]);
    weir__cli_matrix_print(work->file, &matrix, "items, from \\ to");
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

/* Links sorted in place: the document, which has them by device, was written before. */
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
    uint32_t devices = weir_context_device_count(work->report->context);
    if (!work->trial->link_count)
        return;
    if (devices <= MATRIX_MAX)
        print_matrix(work, devices);
    else
        print_busiest(work, work->trial->links, work->trial->link_count);
}

/* ---- tables ---- */

static void print_trial(const weir__cli_report *report, const weir__cli_trial *trial, FILE *file)
{
    struct work work = {.report = report, .trial = trial, .file = file};
    fprintf(file, "\nwork from source %" PRIu64 "%s\n", trial->source,
            report->request->trials > 1 ? ", in its last run" : "");
    print_items(&work);
    print_phases(&work);
    print_links(&work);
}

void weir__cli_report_work(const weir__cli_report *report, FILE *file)
{
    for (size_t i = 0; i < report->trial_count; i++)
        if (i + 1 == report->trial_count ||
            report->trials[i + 1].source != report->trials[i].source)
            print_trial(report, &report->trials[i], file);
}
