/** @file report_text.c  The report of a traversal for people. */
#include "algorithms/cli/cli.h"

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

static void print_choices(const weir__cli_report *report)
{
    weir__cli_picked picked = weir__cli_pick(report->request, report->context,
                                             &report->trials[report->trial_count - 1].stats);
    double cut = report->graph->arcs
                     ? 100 * (double)report->partition->cut_arcs / (double)report->graph->arcs
                     : 0;
    printf("choices  partition %s (%.1f%% of the arcs cut), route %s, order %s", picked.partition,
           cut, picked.route, picked.order);
    if (picked.delta)
        printf(":%" PRIu32, picked.delta);
    printf(", kernel %s, worker %s, mapping %s, balance %s, wire %s\n", picked.kernel,
           picked.worker, picked.mapping, picked.balance, picked.wire);
}

/* Why auto let items travel as they did; a plan is the same whenever it is made, so it is made again here. */
static void print_route(const weir__cli_report *report)
{
    const weir_machine *machine;
    weir_route_plan plan;
    char why[WHY_ROOM];
    weir_route_kind asked = (weir_route_kind)report->request->route;
    if (asked == WEIR_ROUTE_AUTO && weir_context_device_count(report->context) > 1 &&
        !weir_machine_of(report->context, &machine) &&
        !weir_route_plan_make(machine, asked, &plan) && *plan.why)
        printf("route    %s\n", weir__cli_route_why(&plan, why, sizeof why));
}

static void print_trials(const weir__cli_report *report)
{
    printf("\n%10s %12s %10s %10s %9s %14s %15s %12s\n", "source", "ms", "GTEPS", "reached",
           "max level", "sum of levels", "items processed", "items sent");
    for (size_t i = 0; i < report->trial_count; i++) {
        const weir__cli_trial *trial = &report->trials[i];
        printf("%10" PRIu64 " %12.3f %10.4f %10" PRIu64 " %9" PRId64 " %14" PRIu64 " %15" PRIu64
               " %12" PRIu64 "\n",
               trial->source, trial->stats.ms, trial->gteps, trial->stats.reached, trial->max_level,
               trial->sum_levels, trial->stats.items_processed, trial->stats.items_sent);
    }
}

void weir__cli_report_text(const weir__cli_report *report)
{
    const weir__cli_request *request = report->request;
    printf("graph    %s: %" PRIu64 " vertices, %" PRIu64 " arcs%s\n", report->graph->name,
           report->graph->vertices, report->graph->arcs,
           request->undirected ? ", made undirected" : "");
    print_devices(report->context);
    print_choices(report);
    print_route(report);
    if (!request->source_given && !request->sources)
        printf("source   %" PRIu64 ", the vertex with the largest out-degree\n",
               report->trials[0].source);
    print_trials(report);
    if (report->trial_count > 1)
        printf("\nsummary  %zu runs: %.3f ms min, %.3f ms median, %.3f ms max, "
               "%.4f GTEPS harmonic mean\n",
               report->trial_count, report->summary.min_ms, report->summary.median_ms,
               report->summary.max_ms, report->summary.gteps);
    if (report->verified >= 0)
        printf("verified: %s\n", report->verified ? "ok" : report->difference);
}
