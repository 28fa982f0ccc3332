/** @file report_json.c  The JSON document of a traversal. Its members are a contract (schema 1):
 *  scripts read them, so they are added to and never change their meaning. */
#include "algorithms/cli/cli.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *integer(uint64_t value)
{
    /* JSON integers are signed 64 bits here; no count comes near the bound, seeds may. */
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

struct json_t *weir__cli_json_text(const char *text)
{
    json_t *string = json_string(text);
    if (string || !text)
        return string;
    char *copy = strdup(text);
    for (char *c = copy; copy && *c; c++)
        if ((unsigned char)*c >= 128)
            *c = '?';
    string = copy ? json_string(copy) : NULL;
    free(copy);
    return string;
}

static json_t *graph_json(const weir_graph *graph)
{
    return json_pack("{s:o, s:o, s:o}", "name", weir__cli_json_text(graph->name), "vertices",
                     integer(graph->vertices), "arcs", integer(graph->arcs));
}

struct json_t *weir__cli_json_devices(const weir_context *context)
{
    json_t *devices = json_array();
    for (uint32_t i = 0; i < weir_context_device_count(context); i++) {
        weir_device_info info;
        weir_device_info_get(weir_context_device(context, i), &info);
        json_t *device =
            json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "label", info.label, "name", info.name,
                      "kind", info.kind == WEIR_DEVICE_CUDA ? "cuda" : "host", "units",
                      integer(info.units), "workers", integer(info.workers), "lanes",
                      integer(info.lanes), "memory_bytes", integer(info.memory_bytes));
        if (json_array_append_new(devices, device)) {
            json_decref(devices);
            return NULL;
        }
    }
    return devices;
}

static json_t *choices_json(const weir__cli_report *report)
{
    const weir__cli_request *request = report->request;
    weir__cli_picked picked =
        weir__cli_pick(request, report->context, &report->trials[report->trial_count - 1].stats);
    return json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:o}",
                     "partition", picked.partition, "route", picked.route, "order", picked.order,
                     "delta", integer(picked.delta), "kernel", picked.kernel, "worker",
                     picked.worker, "mapping", picked.mapping, "balance", picked.balance, "wire",
                     picked.wire, "undirected", request->undirected, "seed", integer(request->seed),
                     "trials", integer(request->trials), "time_limit_ms",
                     integer(request->time_limit_ms));
}

static json_t *trials_json(const weir__cli_report *report)
{
    json_t *trials = json_array();
    for (size_t i = 0; i < report->trial_count; i++) {
        const weir__cli_trial *trial = &report->trials[i];
        json_t *row = json_pack(
            "{s:o, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "source", integer(trial->source),
            "ms", trial->stats.ms, "gteps", trial->gteps, "items_processed",
            integer(trial->stats.items_processed), "items_sent", integer(trial->stats.items_sent),
            "items_spilled", integer(trial->stats.items_spilled), "rounds",
            integer(trial->stats.rounds), "reached", integer(trial->stats.reached), "max_level",
            (json_int_t)trial->max_level, "sum_levels", integer(trial->sum_levels));
        if (json_array_append_new(trials, row)) {
            json_decref(trials);
            return NULL;
        }
    }
    return trials;
}

int weir__cli_json_write(struct json_t *document, weir__cli_output *output, int digits)
{
    if (!document)
        return weir__cli_fail(EXIT_RUN, "--%s %s: out of memory", output->option, output->path);
    char *text =
        json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(digits) | JSON_ENSURE_ASCII);
    json_decref(document);
    size_t bytes = text ? strlen(text) : 0;
    if (!text)
        return weir__cli_fail(EXIT_RUN, "--%s %s: out of memory", output->option, output->path);
    text[bytes] = '\n'; /* in place of the zero: a document ends with its line */
    int code = weir__cli_output_text(output, text, bytes + 1);
    free(text);
    return code;
}

int weir__cli_report_json(const weir__cli_report *report, weir__cli_output *output)
{
    const weir__cli_summary *summary = &report->summary;
    json_t *verified = report->verified < 0 ? json_null() : json_boolean(report->verified);
    json_t *document = json_pack(
        "{s:i, s:s, s:o, s:o, s:o, s:o, s:{s:f, s:f, s:f, s:f}, s:o}", "schema", 1, "command",
        report->command, "graph", graph_json(report->graph), "devices",
        weir__cli_json_devices(report->context), "choices", choices_json(report), "trials",
        trials_json(report), "summary", "min_ms", summary->min_ms, "median_ms", summary->median_ms,
        "max_ms", summary->max_ms, "gteps_harmonic_mean", summary->gteps, "verified", verified);
    return weir__cli_json_write(document, output, 17);
}
