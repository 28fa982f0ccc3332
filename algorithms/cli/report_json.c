/** @file report_json.c  The JSON document of a traversal. Its members are a contract (docs/json.md):
 *  scripts read them, so they are added to and never change their meaning. */
#include "algorithms/cli/traversal.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static json_t *integer(uint64_t value)
{
    return weir__cli_json_integer(value);
}

/* Show a whole number without a fraction. Levels and their sums are whole, and so are distances where all weights
 * are. */
static json_t *number(long double value)
{
    return value < 0x1p63L && value == floorl(value) ? json_integer((json_int_t)value)
                                                     : json_real((double)value);
}

/* A negative value stands for a ratio that does not exist. JSON has no infinity. Both become null. */
static json_t *ratio(double value)
{
    return value < 0 || !isfinite(value) ? json_null() : json_real(value);
}

static json_t *text(const char *value)
{
    return value ? json_string(value) : json_null();
}

/* Move the members of @p more into an object, and free @p more. @return NULL when there was no memory, and then
 * the object is freed, too. */
static json_t *join(json_t *object, json_t *more)
{
    if (object && more && json_object_update(object, more) == 0) {
        json_decref(more);
        return object;
    }
    json_decref(object);
    json_decref(more);
    return NULL;
}

static json_t *graph_json(const weir_graph *graph)
{
    return json_pack("{s:o, s:o, s:o}", "name", weir__cli_json_text(graph->name), "vertices",
                     integer(graph->vertices), "arcs", integer(graph->arcs));
}

/* Members that only the worklist has are null after a run in step. Order and route may be there in both. */
static json_t *worklist_choices_json(const weir__cli_picked *picked, const char *route, int in_step)
{
    json_t *choices =
        json_pack("{s:o, s:o, s:o}", "route", text(route), "order", text(picked->order), "delta",
                  picked->order ? integer(picked->delta) : json_null());
    if (in_step)
        return join(choices, json_pack("{s:n, s:n, s:n, s:n, s:n, s:n}", "kernel", "worker",
                                       "fetch", "queues", "mapping", "cut"));
    return join(choices, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "kernel", picked->kernel,
                                   "worker", picked->worker, "fetch", integer(picked->fetch),
                                   "queues", picked->queues ? integer(picked->queues) : json_null(),
                                   "mapping", text(*picked->mapping ? picked->mapping : NULL),
                                   "cut", integer(picked->cut)));
}

/* Show the value at an offset from @p base. */
static json_t *datum(weir__cli_kind kind, const void *base, size_t offset)
{
    const void *at = (const char *)base + offset;
    if (kind == KIND_COUNT)
        return integer(*(const uint64_t *)at);
    if (kind == KIND_VALUE)
        return number(*(const long double *)at);
    return kind == KIND_TEXT ? text(*(const char *const *)at) : ratio(*(const double *)at);
}

static json_t *add(json_t *object, const char *name, json_t *value)
{
    return join(object, json_pack("{s:o}", name, value));
}

/* Add the choices that only some algorithms have. */
static json_t *add_own_choices(json_t *choices, const weir__cli_report *report)
{
    const weir__cli_request *request = report->request;
    const weir__cli_option *own = report->algorithm->options;
    if (request->verb->algorithm->parents)
        choices =
            add(choices, "parents", json_boolean(request->parents || request->output_parents));
    if (request->verb->algorithm->batched)
        choices = add(choices, "batch", json_boolean(request->batch));
    if (report->weights)
        choices = add(choices, "weights", text(report->weights));
    for (; own && own->name; own++)
        if (own->shown)
            choices = add(choices, own->name,
                          own->picked || own->kind == KIND_CHOICE
                              ? text(weir__cli_own_text(own, report))
                              : datum(own->kind, request, own->field));
    return choices;
}

static json_t *choices_json(const weir__cli_report *report)
{
    const weir__cli_request *request = report->request;
    const weir_run_stats *last = &report->last.stats;
    const int in_step = weir__cli_in_step(report->algorithm, last);
    weir__cli_picked picked = weir__cli_pick(request, last);
    /* For an algorithm without a worklist the route is that of merging what devices found. */
    const char *route = !report->algorithm->worklist ? weir__cli_merge_route(request)
                        : in_step                    ? NULL
                                                     : picked.route;
    json_t *choices = json_pack(
        "{s:o, s:o, s:o, s:o, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "partition",
        text(picked.partition), "partition_file",
        request->partition_file ? weir__cli_json_text(request->partition_file) : json_null(),
        "direction", text(report->algorithm->worklist ? picked.direction : NULL), "memory",
        text(picked.memory), "balance", picked.balance, "wire", picked.wire, "undirected",
        request->undirected, "seed", integer(request->seed), "trials", integer(request->trials),
        "time_limit_ms", integer(request->time_limit_ms), "devices_used",
        integer(weir__cli_devices_used(report, last)), "why_devices", text(last->why_devices));
    choices = join(choices, worklist_choices_json(&picked, route, in_step));
    return add_own_choices(choices, report);
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

/* List the phases of a run in step. phases_json() has those of a run through the worklist. */
static json_t *steps_json(const weir_run_stats *stats)
{
    json_t *phases = json_array();
    for (int i = 0; i < WEIR_RUN_PHASES; i++) {
        const weir_run_phase *phase = &stats->phase[i];
        if (!phase->name)
            continue;
        json_t *row = json_pack("{s:s, s:f, s:o}", "name", phase->name, "ms", phase->ms, "steps",
                                integer(phase->steps));
        if (json_array_append_new(phases, row)) {
            json_decref(phases);
            return NULL;
        }
    }
    return phases;
}

static json_t *stats_json(const weir_run_stats *stats)
{
    const weir_worklist_stats *work = &stats->work;
    json_t *items = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o}",
        "produced", integer(work->produced), "consumed", integer(work->consumed), "processed",
        integer(work->processed), "stale", integer(work->stale), "overwork",
        ratio(weir__cli_overwork(stats)), "arcs_reached", integer(stats->arcs_reached), "atoms",
        integer(work->atoms), "atoms_per_arc", ratio(weir__cli_atoms_per_arc(stats)), "sent",
        integer(work->sent), "spilled", integer(work->spilled), "deferred", integer(work->deferred),
        "rounds", integer(work->rounds), "narrow_rounds", integer(work->narrow_rounds), "woven",
        integer(work->woven), "paced", integer(work->paced), "raises", integer(work->raises),
        "phase_ms", phases_json(stats, 0), "phase_percent", phases_json(stats, 1));
    items = join(items,
                 json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "by_rows",
                           integer(work->by_rows), "hand_outs", integer(work->hand_outs),
                           "early_raises", integer(work->early_raises), "fused",
                           integer(work->fused), "flushes", integer(work->flushes), "pops",
                           integer(work->pops), "empty_pops", integer(work->empty_pops), "steals",
                           integer(work->steals), "queue_high", integer(work->queue_high)));
    return join(items, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "least_items",
                                 integer(stats->least_items), "processed_per_least",
                                 ratio(weir__cli_over_least(stats)), "bytes", integer(stats->bytes),
                                 "gbytes_per_s", ratio(weir__cli_bandwidth(stats)), "bytes_sent",
                                 integer(stats->bytes_sent), "steps", integer(stats->steps),
                                 "phases", steps_json(stats)));
}

/* Who looked along whose arcs. */
static json_t *stolen_json(const weir__cli_link *stolen, uint32_t count)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < count; i++) {
        json_t *row = json_pack("{s:o, s:o, s:o}", "owner", integer(stolen[i].from), "worker",
                                integer(stolen[i].to), "arcs", integer(stolen[i].items));
        if (json_array_append_new(rows, row)) {
            json_decref(rows);
            return NULL;
        }
    }
    return rows;
}

static json_t *links_json(const weir__cli_link *links, uint32_t count)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < count; i++) {
        const weir__cli_link *link = &links[i];
        json_t *row = json_pack("{s:o, s:o, s:o}", "from", integer(link->from), "to",
                                integer(link->to), "items", integer(link->items));
        if (json_array_append_new(rows, row)) {
            json_decref(rows);
            return NULL;
        }
    }
    return rows;
}

static json_t *trial_json(const weir__cli_report *report, const weir__cli_trial *trial,
                          const weir__cli_link *links, const weir__cli_link *stolen)
{
    const weir__cli_algorithm *algorithm = report->algorithm;
    const weir_run_stats *stats = &trial->stats;
    json_t *source = algorithm->sourced ? integer(trial->source) : json_null();
    json_t *direction = text(algorithm->worklist ? weir_direction_text(stats->direction) : NULL);
    json_t *row = json_pack(
        "{s:o, s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o}",
        "source", source, "ms", stats->ms, "kernel_ms", stats->kernel_ms, "gteps",
        trial->rates.arcs, "gteps_seen", trial->rates.seen, "items_processed",
        integer(stats->work.processed), "items_sent", integer(stats->work.sent), "items_spilled",
        integer(stats->work.spilled), "rounds", integer(stats->work.rounds), "reached",
        integer(stats->reached), algorithm->figure[0], number(trial->figure[0]),
        algorithm->figure[1], number(trial->figure[1]), "direction", direction, "devices_used",
        integer(weir__cli_devices_used(report, stats)), "steps", integer(stats->steps), "naps",
        integer(stats->naps), "stats", stats_json(stats), "links",
        links_json(links, trial->link_count));
    if (trial->rates.edges >= 0)
        row = add(row, "gteps_edges", json_real(trial->rates.edges));
    if (trial->stolen_count)
        row = add(row, "stolen", stolen_json(stolen, trial->stolen_count));
    if (trial->level_count)
        row = add(row, "levels", weir__cli_levels_json(report->trials, trial));
    row = add(row, "warmed_up", json_boolean(trial->warmed_up));
    row = join(row, json_pack("{s:o, s:o}", "verified_by", text(trial->verified_by), "verify_ms",
                              ratio(trial->verify_ms)));
    for (const weir__cli_member *own = algorithm->members; own && own->name; own++)
        row = add(row, own->name, datum(own->kind, trial, own->offset));
    return row;
}

static int add_trial(const weir__cli_report *report, uint64_t index, weir__cli_document *document)
{
    weir__cli_trial trial;
    weir__cli_link *links = NULL, *stolen = NULL;
    int code = weir__cli_records_get(&report->trials->rows, index, &trial);
    if (!code)
        code = weir__cli_trial_links(report->trials, &trial, &links);
    if (!code)
        code = weir__cli_trial_stolen(report->trials, &trial, &stolen);
    if (!code)
        code = weir__cli_document_row(document, trial_json(report, &trial, links, stolen));
    free(links);
    free(stolen);
    return code;
}

static json_t *prepared_json(const weir__cli_report *report)
{
    const weir_prepare_stats *prepared = &report->prepared;
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "opening_ms", prepared->opening_ms,
                     "partition_ms", prepared->partition_ms, "placing_ms", prepared->placing_ms,
                     "copying_ms", prepared->copying_ms, "devices_ms", report->begun.ms,
                     "waited_ms", report->begun.waited_ms);
}

static json_t *cold_json(const weir__cli_report *report)
{
    const weir__cli_trial *cold = &report->cold;
    return json_pack("{s:o, s:f, s:f, s:b}", "source",
                     report->algorithm->sourced ? integer(cold->source) : json_null(), "ms",
                     cold->stats.ms, "kernel_ms", cold->stats.kernel_ms, "trial",
                     report->trials->rows.count == 1);
}

/* What sources took that shared runs. */
static json_t *shared_json(const weir__cli_shared *shared)
{
    return json_pack("{s:o, s:o, s:f, s:f}", "batches", integer(shared->batches), "most",
                     integer(shared->most), "ms_per_source", weir__cli_shared_ms(shared), "gteps",
                     weir__cli_shared_gteps(shared));
}

static json_t *summary_json(const weir__cli_summary *summary, const weir__cli_shared *shared)
{
    json_t *row =
        json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "min_ms", summary->min_ms,
                  "median_ms", summary->median_ms, "max_ms", summary->max_ms, "min_kernel_ms",
                  summary->min_kernel_ms, "median_kernel_ms", summary->median_kernel_ms,
                  "max_kernel_ms", summary->max_kernel_ms, "gteps_harmonic_mean",
                  summary->rates.arcs, "gteps_seen_harmonic_mean", summary->rates.seen);
    row = join(row, json_pack("{s:o, s:o, s:o}", "sources", integer(summary->sources),
                              "warm_median_ms", ratio(summary->warm_median_ms),
                              "warm_median_kernel_ms", ratio(summary->warm_median_kernel_ms)));
    if (shared->batches)
        row = add(row, "batch", shared_json(shared));
    return summary->rates.edges < 0
               ? row
               : add(row, "gteps_edges_harmonic_mean", json_real(summary->rates.edges));
}

int weir__cli_report_json(const weir__cli_report *report, weir__cli_output *output)
{
    weir__cli_document document;
    int code = EXIT_DONE;
    weir__cli_document_begin(&document, output, 17);
    weir__cli_document_add(&document, "schema", json_integer(1));
    weir__cli_document_add(&document, "command", text(report->algorithm->verb.name));
    weir__cli_document_add(&document, "graph", graph_json(report->graph));
    weir__cli_document_add(&document, "devices", weir__cli_json_devices(report->context));
    weir__cli_document_add(&document, "choices", choices_json(report));
    weir__cli_document_add(&document, "prepared", prepared_json(report));
    weir__cli_document_add(&document, "cold", cold_json(report));
    weir__cli_document_rows(&document, "trials");
    for (uint64_t i = 0; i < report->trials->rows.count && !code; i++)
        code = add_trial(report, i, &document);
    weir__cli_document_rows_end(&document);
    weir__cli_document_add(&document, "summary", summary_json(&report->summary, &report->shared));
    weir__cli_document_add(&document, "verified",
                           report->verified < 0 ? json_null() : json_boolean(report->verified));
    return code ? code : weir__cli_document_end(&document);
}
