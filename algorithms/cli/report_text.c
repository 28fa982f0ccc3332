/** @file report_text.c  The report of a traversal for people. */
#include "algorithms/cli/traversal.h"

#include <inttypes.h>
#include <string.h>

/* "host:0 host:1 (host device)": names that repeat are said once. */
static void print_devices(const weir_context *context)
{
    weir_device_info info, next;
    uint32_t count = weir_context_device_count(context);
    printf("devices  ");
    for (uint32_t i = 0; i < count; i++) {
        weir_device_info_get(weir_context_device(context, i), &info);
        printf("%s%s", i ? " " : "", info.label);
        if (i + 1 < count)
            weir_device_info_get(weir_context_device(context, i + 1), &next);
        if (i + 1 == count || strcmp(info.name, next.name) != 0)
            printf(" (%s)", info.name);
    }
    putchar('\n');
}

/* What is not in the results and has to be found out again, which may fail. */
struct remarks {
    double cut;         /* percent of the arcs; negative: not known */
    char why[WHY_ROOM]; /* "", or why auto let items travel as they did */
};

/* The partition that the library made is made again, which counts the arcs that are cut. */
static weir_status find_cut(const weir__cli_report *report, uint32_t parts, double *percent_out)
{
    const weir_partition *partition = report->partition;
    weir_partition *again = NULL;
    weir_status status = WEIR_OK;
    if (!partition && parts > 1) {
        status = weir_partition_create(report->graph, WEIR_PARTITION_EDGE, parts, 0, NULL, &again);
        partition = again;
    }
    double arcs = (double)report->graph->arcs;
    *percent_out = partition && arcs > 0 ? 100 * (double)partition->cut_arcs / arcs : 0;
    weir_partition_destroy(again);
    return status;
}

/* A plan is the same whenever it is made, so it is made again here. */
static weir_status find_why(const weir__cli_report *report, uint32_t used, char why[WHY_ROOM])
{
    const weir_machine *machine;
    weir_route_plan plan;
    weir_status status = weir_machine_of(report->context, &machine);
    if (!status)
        status = weir_route_plan_make_first(machine, used, WEIR_ROUTE_AUTO, &plan);
    if (!status && *plan.why)
        (void)weir__cli_route_why(&plan, why, WHY_ROOM);
    return status;
}

static weir_status find_remarks(const weir__cli_report *report, struct remarks *remarks_out)
{
    const weir_run_stats *last = &report->last.stats;
    const uint32_t used = weir__cli_devices_used(report, last);
    const int by_auto = report->request->route == (int)WEIR_ROUTE_AUTO &&
                        !weir__cli_in_step(report->algorithm, last);
    weir_status status = WEIR_OK;
    *remarks_out = (struct remarks){.cut = -1};
    if (weir__cli_pick(report->request, last).partition)
        status = find_cut(report, used, &remarks_out->cut);
    if (!status && by_auto && used > 1)
        status = find_why(report, used, remarks_out->why);
    return status;
}

static void print_order(const weir__cli_picked *picked)
{
    if (picked->order)
        printf(", order %s", picked->order);
    if (picked->delta)
        printf(":%" PRIu32, picked->delta);
}

static void print_worklist_choices(const weir__cli_picked *picked)
{
    printf(", route %s", picked->route);
    print_order(picked);
    printf(", kernel %s, worker %s, fetch ", picked->kernel, picked->worker);
    if (picked->fetch)
        printf("%" PRIu32, picked->fetch);
    else
        printf("by need");
    if (*picked->mapping)
        printf(", mapping %s", picked->mapping);
    if (picked->cut)
        printf(" (vertices cut at %" PRIu32 " arcs)", picked->cut);
    printf(", balance %s, wire %s", picked->balance, picked->wire);
}

static void print_own_choices(const weir__cli_report *report, const weir_run_stats *last)
{
    const weir__cli_request *request = report->request;
    if (report->algorithm == &weir__cli_algorithm_cc) {
        printf("%sstream %s", weir__cli_streamed(last) ? "" : ", ", weir__cli_stream_picked(last));
        if (weir__cli_merge_route(request))
            printf(", route %s", weir__cli_merge_route(request));
    }
    if (report->algorithm == &weir__cli_algorithm_pr) {
        printf(", tolerance %g, damping %g, dangling %s", request->tolerance, request->damping,
               weir__cli_danglings.built[request->dangling]);
        if (request->iterations)
            printf(", at most %" PRIu64 " iterations", request->iterations);
    }
    if (request->parents || request->output_parents)
        printf(", with parents");
}

static void print_choices(const weir__cli_report *report, const struct remarks *remarks)
{
    const weir_run_stats *last = &report->last.stats;
    weir__cli_picked picked = weir__cli_pick(report->request, last);
    uint32_t used = weir__cli_devices_used(report, last);
    printf("choices  ");
    if (report->algorithm->worklist)
        printf("direction %s, ", picked.direction);
    if (picked.partition)
        printf("partition %s", picked.partition);
    if (remarks->cut >= 0)
        printf(" (%.1f%% of the arcs cut)", remarks->cut);
    print_own_choices(report, last);
    if (weir__cli_in_step(report->algorithm, last))
        print_order(&picked);
    else
        print_worklist_choices(&picked);
    putchar('\n');
    if (used < weir_context_device_count(report->context))
        printf("used     %" PRIu32 " of %" PRIu32 " devices%s%s\n", used,
               weir_context_device_count(report->context), last->why_devices ? ": " : "",
               last->why_devices ? last->why_devices : "");
}

/* ---- trials, a line each ---- */

enum { CELL_ROOM = 32 };

/* Which runs a column says something of. */
enum { EVERY = 15, BFS = 1, SSSP = 2, PR = 4, CC = 8, SEARCHES = BFS | SSSP };

static int bit_of(const weir__cli_algorithm *algorithm)
{
    return algorithm == &weir__cli_algorithm_bfs    ? BFS
           : algorithm == &weir__cli_algorithm_sssp ? SSSP
           : algorithm == &weir__cli_algorithm_pr   ? PR
                                                    : CC;
}

typedef void cell(const weir__cli_algorithm *algorithm, const weir__cli_trial *trial,
                  char room[CELL_ROOM]);

#define COUNT_CELL(name, member)                                                         \
    static void name(const weir__cli_algorithm *algorithm, const weir__cli_trial *trial, \
                     char room[CELL_ROOM])                                               \
    {                                                                                    \
        (void)algorithm;                                                                 \
        snprintf(room, CELL_ROOM, "%" PRIu64, trial->member);                            \
    }
#define REAL_CELL(name, format, value)                                                   \
    static void name(const weir__cli_algorithm *algorithm, const weir__cli_trial *trial, \
                     char room[CELL_ROOM])                                               \
    {                                                                                    \
        (void)algorithm;                                                                 \
        double figure = value;                                                           \
        snprintf(room, CELL_ROOM, figure < 0 ? "-" : format, figure);                    \
    }

COUNT_CELL(source_cell, source)
COUNT_CELL(reached_cell, stats.reached)
COUNT_CELL(processed_cell, stats.work.processed)
COUNT_CELL(sent_cell, stats.work.sent)
COUNT_CELL(steps_cell, stats.steps)
REAL_CELL(ms_cell, "%.3f", trial->stats.ms)
REAL_CELL(kernel_ms_cell, "%.3f", trial->stats.kernel_ms)
REAL_CELL(gteps_cell, "%.4f", trial->gteps)
REAL_CELL(seen_cell, "%.4f", trial->gteps_seen)
REAL_CELL(edges_cell, "%.4f", trial->gteps_edges)
REAL_CELL(step_ms_cell, "%.4f", weir__cli_step_ms(&trial->stats))
REAL_CELL(residual_cell, "%.3g", trial->stats.residual)

static void first_cell(const weir__cli_algorithm *algorithm, const weir__cli_trial *trial,
                       char room[CELL_ROOM])
{
    weir__cli_value_text(algorithm, (double)trial->figure[0], room);
}

static void second_cell(const weir__cli_algorithm *algorithm, const weir__cli_trial *trial,
                        char room[CELL_ROOM])
{
    weir__cli_value_text(algorithm, (double)trial->figure[1], room);
}

static const struct column {
    const char *head; /* NULL: the name of the algorithm's own figure */
    int figure, runs, width;
    cell *text;
} columns[] = {
    {"source", 0, SEARCHES, 10, source_cell},
    {"ms", 0, EVERY, 12, ms_cell},
    {"kernel ms", 0, EVERY, 12, kernel_ms_cell},
    {"iterations", 0, PR, 10, steps_cell},
    {"ms each", 0, PR, 10, step_ms_cell},
    {"residual", 0, PR, 10, residual_cell},
    {"GTEPS", 0, SEARCHES | CC, 10, gteps_cell},
    {"GTEPS seen", 0, EVERY, 10, seen_cell},
    {"GTEPS edges", 0, BFS, 11, edges_cell},
    {"steps", 0, SEARCHES | CC, 7, steps_cell},
    {"reached", 0, SEARCHES, 10, reached_cell},
    {NULL, 0, EVERY, 12, first_cell},
    {NULL, 1, EVERY, 16, second_cell},
    {"items processed", 0, EVERY, 15, processed_cell},
    {"items sent", 0, SEARCHES | PR, 12, sent_cell},
};

/* @param[in] trial  NULL: the heads. */
static void print_row(const weir__cli_algorithm *algorithm, const weir__cli_trial *trial)
{
    char room[CELL_ROOM];
    const char *gap = "";
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const struct column *column = &columns[i];
        if (!(column->runs & bit_of(algorithm)))
            continue;
        if (trial)
            column->text(algorithm, trial, room);
        else
            snprintf(room, CELL_ROOM, "%s",
                     column->head ? column->head : algorithm->figure[column->figure].text);
        printf("%s%*s", gap, column->width, room);
        gap = " ";
    }
    putchar('\n');
}

static int print_trials(const weir__cli_report *report)
{
    const weir__cli_records *rows = &report->trials->rows;
    int code = EXIT_DONE;
    putchar('\n');
    print_row(report->algorithm, NULL);
    for (uint64_t i = 0; i < rows->count && !code; i++) {
        weir__cli_trial trial;
        if (!(code = weir__cli_records_get(rows, i, &trial)))
            print_row(report->algorithm, &trial);
    }
    return code;
}

/* Rates are labelled: arcs of what was reached, arcs that were looked at, edges as Graph500 counts. */
static void print_summary(const weir__cli_report *report)
{
    const weir__cli_summary *summary = &report->summary;
    printf("\nsummary  %" PRIu64 " runs: %.3f ms min, %.3f ms median, %.3f ms max; harmonic means:",
           report->trials->rows.count, summary->min_ms, summary->median_ms, summary->max_ms);
    if (bit_of(report->algorithm) != PR)
        printf(" %.4f GTEPS,", summary->gteps);
    printf(" %.4f GTEPS seen", summary->gteps_seen);
    if (summary->gteps_edges >= 0)
        printf(", %.4f GTEPS edges", summary->gteps_edges);
    printf("\nkernels  %.3f ms min, %.3f ms median, %.3f ms max\n", summary->min_kernel_ms,
           summary->median_kernel_ms, summary->max_kernel_ms);
}

static void print_verified(const weir__cli_report *report)
{
    const weir__cli_trial *last = &report->last;
    if (report->verified < 0)
        return;
    printf("verified: %s", report->verified ? "ok" : report->difference);
    if (report->verified && last->l1 >= 0)
        printf(" (ranks differ from the reference's by %.3g in all, by %.3g of one at most)",
               last->l1, last->relative);
    if (report->verified && last->change >= 0)
        printf(" (an exact iteration changes %.3g in all: within %.3g of the true ranks)",
               last->change, last->within);
    putchar('\n');
}

int weir__cli_report_text(const weir__cli_report *report)
{
    const weir__cli_request *request = report->request;
    struct remarks remarks;
    weir_status status = find_remarks(report, &remarks);
    if (status)
        return weir__cli_fail_status(status);
    printf("graph    %s: %" PRIu64 " vertices, %" PRIu64 " arcs%s%s%s\n", report->graph->name,
           report->graph->vertices, report->graph->arcs,
           request->undirected ? ", made undirected" : "", report->weights ? ", weights " : "",
           report->weights ? report->weights : "");
    print_devices(report->context);
    print_choices(report, &remarks);
    if (*remarks.why)
        printf("route    %s\n", remarks.why);
    if (report->algorithm->sourced && !weir__cli_given(request, "source") && !request->sources)
        printf("source   %" PRIu64 ", the vertex with the largest out-degree\n",
               report->first.source);
    int code = print_trials(report);
    if (code)
        return code;
    if (report->trials->rows.count > 1)
        print_summary(report);
    print_verified(report);
    return EXIT_DONE;
}
