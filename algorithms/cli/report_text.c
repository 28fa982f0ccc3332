/** @file report_text.c  The report of a traversal for people. */
#include "algorithms/cli/traversal.h"

#include <inttypes.h>
#include <string.h>

/* Print "host:0 host:1 (host device)". A name that several devices in a row have is printed once. */
void weir__cli_print_devices(const weir_context *context)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT, next = WEIR_DEVICE_INFO_INIT;
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

/* Facts that the results do not have, so that they are found out again here, which may fail. */
struct remarks {
    double cut;         /* percent of the arcs; negative: not known */
    char why[WHY_ROOM]; /* "", or why auto let items travel as they did */
};

/* The library does not hand out the partition that it made, so it is made again here to count the arcs that are
 * cut. */
static weir_status find_cut(const weir__cli_report *report, uint32_t parts, double *percent_out)
{
    const weir_partition *partition = report->partition;
    weir_partition *again = NULL;
    weir_status status = WEIR_OK;
    if (!partition && parts > 1) {
        status = weir_partition_create_for(report->context, report->graph, parts, &again);
        partition = again;
    }
    double arcs = (double)report->graph->arcs;
    *percent_out = partition && arcs > 0 ? 100 * (double)partition->cut_arcs / arcs : 0;
    weir_partition_destroy(again);
    return status;
}

/* The library does not hand out its plan, so it is made again here. The plan is the same whenever it is made. */
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
    /* In two dimensions arcs do not go by who owns their tails. */
    if (weir__cli_pick(report->request, last).partition && !report->request->partition_2d)
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
    if (picked->queues)
        printf(", queues %" PRIu32, picked->queues);
    if (*picked->mapping)
        printf(", mapping %s", picked->mapping);
    if (picked->cut)
        printf(" (vertices cut at %" PRIu32 " arcs)", picked->cut);
    printf(", balance %s, wire %s", picked->balance, picked->wire);
}

void weir__cli_print_picked(const weir__cli_picked *picked, int in_step)
{
    if (in_step)
        print_order(picked);
    else
        print_worklist_choices(picked);
}

/* Print the choices that the algorithm alone has. A count of 0 stands for no limit and is left out. */
static void print_own_choices(const weir__cli_report *report, const char **gap)
{
    const weir__cli_option *own = report->algorithm->options;
    for (; own && own->name; own++) {
        char room[VALUE_ROOM];
        const void *at = (const char *)report->request + own->field;
        const char *value = room;
        if (!own->shown || (own->kind == KIND_COUNT && !*(const uint64_t *)at))
            continue;
        if (own->picked || own->kind == KIND_CHOICE)
            value = weir__cli_own_text(own, report);
        else if (own->kind == KIND_COUNT)
            snprintf(room, sizeof room, "%" PRIu64, *(const uint64_t *)at);
        else
            snprintf(room, sizeof room, "%g", *(const double *)at);
        fputs(*gap, stdout);
        printf(own->shown, value);
        *gap = ", ";
    }
}

static void print_choices(const weir__cli_report *report, const struct remarks *remarks)
{
    const weir__cli_request *request = report->request;
    const weir_run_stats *last = &report->last.stats;
    const int worklist = report->algorithm->worklist;
    weir__cli_picked picked = weir__cli_pick(request, last);
    const char *gap = "";
    printf("choices  ");
    if (worklist)
        printf("direction %s, ", picked.direction);
    if (picked.partition) {
        printf("partition %s", picked.partition);
        gap = ", ";
    }
    if (request->partition_2d && report->algorithm->sourced)
        printf(", wire %s", picked.wire);
    if (remarks->cut >= 0)
        printf(" (%.1f%% of the arcs cut)", remarks->cut);
    if (!request->partition_2d && weir__cli_in_step(report->algorithm, last) &&
        (request->wire || last->wire != WEIR_WIRE_LIST))
        printf(", wire %s", picked.wire);
    if (weir__cli_in_step(report->algorithm, last) &&
        (last->balance || (request->balance && request->balance != WEIR_BALANCE_AUTO)))
        printf(", balance %s", picked.balance);
    print_own_choices(report, &gap);
    if (!worklist && weir__cli_merge_route(request))
        printf("%sroute %s", gap, weir__cli_merge_route(request));
    if (last->memory == WEIR_MEMORY_HOST || request->memory != WEIR_MEMORY_AUTO)
        printf(", memory %s", picked.memory);
    if (request->parents || request->output_parents)
        printf(", with parents");
    if (request->batch)
        printf(", in batches");
    weir__cli_print_picked(&picked, weir__cli_in_step(report->algorithm, last));
    putchar('\n');
}

static void print_used(const weir__cli_report *report)
{
    const weir_run_stats *last = &report->last.stats;
    uint32_t used = weir__cli_devices_used(report, last);
    if (used < weir_context_device_count(report->context))
        printf("used     %" PRIu32 " of %" PRIu32 " devices%s%s\n", used,
               weir_context_device_count(report->context), last->why_devices ? ": " : "",
               last->why_devices ? last->why_devices : "");
}

/* What came before the trials: preparing, and the first run, which loads kernels and touches memory. */
static void print_before(const weir__cli_report *report)
{
    const weir_prepare_stats *p = &report->prepared;
    const weir_run_stats *cold = &report->cold.stats;
    printf("prepared in %.2f ms: opening %.2f, partition %.2f, placing %.2f, copying %.2f; devices "
           "%.2f, waited for %.2f\n",
           p->opening_ms + p->partition_ms + p->placing_ms + p->copying_ms, p->opening_ms,
           p->partition_ms, p->placing_ms, p->copying_ms, report->begun.ms,
           report->begun.waited_ms);
    printf("cold     %.3f ms, kernels %.3f ms: the first run%s\n", cold->ms, cold->kernel_ms,
           report->trials->rows.count > 1 ? ", no trial" : "");
}

/* ---- trials, a line each ---- */

enum { CELL_ROOM = 32 };

/* A negative figure is unknown. */
static void real_text(double figure, const char *format, char room[CELL_ROOM])
{
    if (figure < 0)
        snprintf(room, CELL_ROOM, "-");
    else
        snprintf(room, CELL_ROOM, format, figure);
}

/* Write the value of a trial in a column. */
static void cell(const weir__cli_algorithm *algorithm, const weir__cli_column *column,
                 const weir__cli_trial *trial, char room[CELL_ROOM])
{
    const void *at = (const char *)trial + column->offset;
    if (column->kind == KIND_COUNT)
        snprintf(room, CELL_ROOM, "%" PRIu64, *(const uint64_t *)at);
    else if (column->kind == KIND_VALUE)
        weir__cli_value_text(algorithm, (double)*(const long double *)at, room);
    else
        real_text(*(const double *)at, column->format, room);
}

/* @param[in] trial  NULL: the heads. */
static void print_row(const weir__cli_algorithm *algorithm, const weir__cli_trial *trial)
{
    char room[CELL_ROOM];
    const char *gap = "";
    for (const weir__cli_column *column = algorithm->columns; column->head; column++) {
        if (trial)
            cell(algorithm, column, trial, room);
        printf("%s%*s", gap, column->width, trial ? room : column->head);
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

/* Print the harmonic mean of each rate that has a column. A negative mean is not defined and left out. */
static void print_rates(const weir__cli_report *report)
{
    const char *gap = " ";
    for (const weir__cli_column *column = report->algorithm->columns; column->head; column++) {
        if (column->kind != KIND_RATE)
            continue;
        const char *rates = (const char *)&report->summary.rates;
        double mean = *(const double *)(rates + (column->offset - TRIAL(rates)));
        if (mean < 0)
            continue;
        printf("%s%.4f %s", gap, mean, column->head);
        gap = ", ";
    }
}

static void print_summary(const weir__cli_report *report)
{
    const weir__cli_summary *summary = &report->summary;
    printf("\nsummary  %" PRIu64 " runs: %.3f ms min, %.3f ms median, %.3f ms max; harmonic means:",
           report->trials->rows.count, summary->min_ms, summary->median_ms, summary->max_ms);
    print_rates(report);
    printf("\nkernels  %.3f ms min, %.3f ms median, %.3f ms max\n", summary->min_kernel_ms,
           summary->median_kernel_ms, summary->max_kernel_ms);
    if (summary->sources > 1)
        printf("warm     %.3f ms, kernels %.3f ms: median over %" PRIu64 " sources\n",
               summary->warm_median_ms, summary->warm_median_kernel_ms, summary->sources);
}

/* Print what a source takes where sources share runs. */
static void print_shared(const weir__cli_report *report)
{
    const weir__cli_shared *shared = &report->shared;
    if (!shared->batches)
        return;
    printf("batch    %" PRIu64 " sources in %" PRIu64 " batches of up to %" PRIu64
           ", whose times and work each line shows: %.4f ms a source, %.4f GTEPS of all sources "
           "together\n",
           report->summary.sources, shared->batches, shared->most, weir__cli_shared_ms(shared),
           weir__cli_shared_gteps(shared));
}

static void print_verified(const weir__cli_report *report)
{
    if (report->verified < 0)
        return;
    printf("verified: %s", report->verified ? "ok" : report->difference);
    if (report->verified && report->last.verified_by &&
        strcmp(report->last.verified_by, "certificate") == 0)
        printf(" by certificate in %.3f ms", report->last.verify_ms);
    if (report->verified && report->algorithm->print_verdict)
        report->algorithm->print_verdict(&report->last);
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
    weir__cli_print_devices(report->context);
    print_choices(report, &remarks);
    print_used(report);
    if (*remarks.why)
        printf("route    %s\n", remarks.why);
    if (report->algorithm->sourced && !weir__cli_given(request, "source") && !request->sources)
        printf("source   %" PRIu64 ", the vertex with the largest out-degree\n",
               report->first.source);
    print_before(report);
    int code = print_trials(report);
    if (code)
        return code;
    if (report->trials->rows.count > 1)
        print_summary(report);
    print_shared(report);
    print_verified(report);
    return EXIT_DONE;
}
