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

static void print_choices(const weir__cli_report *report)
{
    weir__cli_picked picked =
        weir__cli_pick(report->request, &report->trials[report->trial_count - 1].stats);
    double crossing = report->graph->arcs
                          ? 100 * (double)report->partition->cut_arcs / (double)report->graph->arcs
                          : 0;
    printf("choices  partition %s (%.1f%% of the arcs cut), route %s, order %s", picked.partition,
           crossing, picked.route, picked.order);
    if (picked.delta)
        printf(":%" PRIu32, picked.delta);
    printf(", kernel %s, worker %s, fetch ", picked.kernel, picked.worker);
    if (picked.fetch)
        printf("%" PRIu32, picked.fetch);
    else
        printf("by need");
    printf(", mapping %s", picked.mapping);
    if (picked.cut)
        printf(" (vertices cut at %" PRIu32 " arcs)", picked.cut);
    printf(", balance %s, wire %s\n", picked.balance, picked.wire);
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
    const weir__cli_algorithm *algorithm = report->algorithm;
    char max_name[32], sum_name[32], farthest[VALUE_ROOM], total[VALUE_ROOM];
    snprintf(max_name, sizeof max_name, "max %s", algorithm->value);
    snprintf(sum_name, sizeof sum_name, "sum of %ss", algorithm->value);
    printf("\n%10s %12s %10s %10s %12s %16s %15s %12s\n", "source", "ms", "GTEPS", "reached",
           max_name, sum_name, "items processed", "items sent");
    for (size_t i = 0; i < report->trial_count; i++) {
        const weir__cli_trial *trial = &report->trials[i];
        printf("%10" PRIu64 " %12.3f %10.4f %10" PRIu64 " %12s %16s %15" PRIu64 " %12" PRIu64 "\n",
               trial->source, trial->stats.ms, trial->gteps, trial->stats.reached,
               weir__cli_value_text(algorithm, trial->farthest, farthest),
               weir__cli_value_text(algorithm, (double)trial->total, total),
               trial->stats.work.processed, trial->stats.work.sent);
    }
}

void weir__cli_report_text(const weir__cli_report *report)
{
    const weir__cli_request *request = report->request;
    printf("graph    %s: %" PRIu64 " vertices, %" PRIu64 " arcs%s%s%s\n", report->graph->name,
           report->graph->vertices, report->graph->arcs,
           request->undirected ? ", made undirected" : "", report->weights ? ", weights " : "",
           report->weights ? report->weights : "");
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
