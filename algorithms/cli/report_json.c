/** @file report_json.c  The JSON document of a traversal. Its members are a contract (schema 1):
 *  scripts read them, so they are added to and never change their meaning. */
#include "algorithms/cli/traversal.h"

#include <jansson.h>
#include <math.h>

static json_t *integer(uint64_t value)
{
    return weir__cli_json_integer(value);
}

/* Whole where it is whole: levels and sums of them are, and distances where all weights are. */
static json_t *number(long double value)
{
    return value < 0x1p63L && value == floorl(value) ? json_integer((json_int_t)value)
                                                     : json_real((double)value);
}

/* Negative: there is no such ratio. */
static json_t *ratio(double value)
{
    return value < 0 ? json_null() : json_real(value);
}

static json_t *graph_json(const weir_graph *graph)
{
    return json_pack("{s:o, s:o, s:o}", "name", weir__cli_json_text(graph->name), "vertices",
                     integer(graph->vertices), "arcs", integer(graph->arcs));
}

static json_t *choices_json(const weir__cli_report *report)
{
    const weir__cli_request *request = report->request;
    weir__cli_picked picked =
        weir__cli_pick(request, &report->trials[report->trial_count - 1].stats);
    json_t *choices =
        json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:o, s:s, s:o, s:s, s:s, s:b, s:o, s:o, s:o}",
                  "partition", picked.partition, "route", picked.route, "order", picked.order,
                  "delta", integer(picked.delta), "kernel", picked.kernel, "worker", picked.worker,
                  "fetch", integer(picked.fetch), "mapping", picked.mapping, "cut",
                  integer(picked.cut), "balance", picked.balance, "wire", picked.wire, "undirected",
                  request->undirected, "seed", integer(request->seed), "trials",
                  integer(request->trials), "time_limit_ms", integer(request->time_limit_ms));
    if (choices && report->weights &&
        json_object_set_new(choices, "weights", json_string(report->weights))) {
        json_decref(choices);
        return NULL;
    }
    return choices;
}

static json_t *phases_json(const weir_run_stats *stats, int percent)
{
    json_t *phases = json_object();
    for (int i = 0; i < WEIR_PHASES; i++) {
        json_t *part = percent ? ratio(weir__cli_phase_percent(stats, (weir_phase)i))
                               : json_real(stats->work.phase_ms[i]);
        if (json_object_set_new(phases, weir_phase_text((weir_phase)i), part)) {
            json_decref(phases);
            return NULL;
        }
    }
    return phases;
}

static json_t *stats_json(const weir_run_stats *stats)
{
    const weir_worklist_stats *work = &stats->work;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "produced", integer(work->produced), "consumed", integer(work->consumed),
                     "processed", integer(work->processed), "stale", integer(work->stale),
                     "overwork", ratio(weir__cli_overwork(stats)), "arcs_reached",
                     integer(stats->arcs_reached), "atoms", integer(work->atoms), "atoms_per_arc",
                     ratio(weir__cli_atoms_per_arc(stats)), "sent", integer(work->sent), "spilled",
                     integer(work->spilled), "deferred", integer(work->deferred), "rounds",
                     integer(work->rounds), "raises", integer(work->raises), "phase_ms",
                     phases_json(stats, 0), "phase_percent", phases_json(stats, 1));
}

static json_t *links_json(const weir__cli_trial *trial)
{
    json_t *links = json_array();
    for (size_t i = 0; i < trial->link_count; i++) {
        const weir__cli_link *link = &trial->links[i];
        json_t *row = json_pack("{s:o, s:o, s:o}", "from", integer(link->from), "to",
                                integer(link->to), "items", integer(link->items));
        if (json_array_append_new(links, row)) {
            json_decref(links);
            return NULL;
        }
    }
    return links;
}

/* "max_level" and "sum_levels", "max_distance" and "sum_distances". */
static json_t *trial_json(const weir__cli_algorithm *algorithm, const weir__cli_trial *trial)
{
    const weir_run_stats *stats = &trial->stats;
    char max_name[32], sum_name[32];
    snprintf(max_name, sizeof max_name, "max_%s", algorithm->value);
    snprintf(sum_name, sizeof sum_name, "sum_%ss", algorithm->value);
    return json_pack("{s:o, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "source",
                     integer(trial->source), "ms", stats->ms, "gteps", trial->gteps,
                     "items_processed", integer(stats->work.processed), "items_sent",
                     integer(stats->work.sent), "items_spilled", integer(stats->work.spilled),
                     "rounds", integer(stats->work.rounds), "reached", integer(stats->reached),
                     max_name, number(trial->farthest), sum_name, number(trial->total), "stats",
                     stats_json(stats), "links", links_json(trial));
}

static json_t *trials_json(const weir__cli_report *report)
{
    json_t *trials = json_array();
    for (size_t i = 0; i < report->trial_count; i++)
        if (json_array_append_new(trials, trial_json(report->algorithm, &report->trials[i]))) {
            json_decref(trials);
            return NULL;
        }
    return trials;
}

int weir__cli_report_json(const weir__cli_report *report, weir__cli_output *output)
{
    const weir__cli_summary *summary = &report->summary;
    json_t *verified = report->verified < 0 ? json_null() : json_boolean(report->verified);
    json_t *document = json_pack(
        "{s:i, s:s, s:o, s:o, s:o, s:o, s:{s:f, s:f, s:f, s:f}, s:o}", "schema", 1, "command",
        report->algorithm->name, "graph", graph_json(report->graph), "devices",
        weir__cli_json_devices(report->context), "choices", choices_json(report), "trials",
        trials_json(report), "summary", "min_ms", summary->min_ms, "median_ms", summary->median_ms,
        "max_ms", summary->max_ms, "gteps_harmonic_mean", summary->gteps, "verified", verified);
    return weir__cli_json_write(document, output, 17);
}
