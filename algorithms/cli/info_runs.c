/** @file info_runs.c  How every algorithm would run on a graph, and why.
 *
 * The decisions are the library's, and so are the reasons: each algorithm's object is made as for a run, on the devices, and says
 * what it picked. What it cannot be made for is a fact as well. */
#include "algorithms/cli/info.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t at;
} whys[WHYS] = {{"form", offsetof(weir_run_reasons, why_form)},
                {"partition", offsetof(weir_run_reasons, why_partition)},
                {"route", offsetof(weir_run_reasons, why_route)},
                {"order", offsetof(weir_run_reasons, why_order)},
                {"delta", offsetof(weir_run_reasons, why_delta)},
                {"kernel", offsetof(weir_run_reasons, why_kernel)},
                {"bands", offsetof(weir_run_reasons, why_bands)},
                {"memory", offsetof(weir_run_reasons, why_memory)},
                {"balance", offsetof(weir_run_reasons, why_balance)}};

/* ---- asking ---- */

/* An algorithm finds the defaults of its own options in the request. */
static weir__cli_request request_of(const weir__cli_request *request,
                                    const weir__cli_algorithm *algorithm)
{
    weir__cli_request own = *request;
    own.verb = &algorithm->verb;
    own.given = 0;
    memcpy(own.own, algorithm->own, sizeof own.own);
    return own;
}

static weir_status ask(const weir__cli_request *request, weir_context *context,
                       const weir_graph *graph, weir__cli_how *how)
{
    const weir__cli_algorithm *algorithm = how->algorithm;
    const weir__cli_request own = request_of(request, algorithm);
    const weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    void *object = NULL;
    weir_status status = algorithm->create(context, graph, NULL, &options, &own, &object);
    if (status)
        return status;
    if (!(status = algorithm->explain(object, &how->picked, &reasons))) {
        snprintf(how->form, sizeof how->form, "%s", reasons.form);
        for (int i = 0; i < WHYS; i++) {
            const char *why = *(const char *const *)((const char *)&reasons + whys[i].at);
            snprintf(how->why[i], SENTENCE_ROOM, "%s", why ? why : "");
        }
    }
    algorithm->destroy(object);
    return status;
}

static int find(const weir__cli_request *request, weir_context *context, weir_graph *graph,
                weir__cli_how *how)
{
    const char *name = how->algorithm->verb.name;
    int code = how->algorithm->weighted ? weir__cli_weigh(request, graph, how->weights) : EXIT_DONE;
    if (code)
        return code;
    weir__cli_progress("placing %s for %s", graph->name, name);
    weir_status status = ask(request, context, graph, how);
    weir__cli_progress(NULL);
    /* What the graph or the devices do not allow is what was asked; all else is a failure. */
    if (status == WEIR_ERR_NOMEM || status == WEIR_ERR_UNSUPPORTED || status == WEIR_ERR_INVALID)
        snprintf(how->failed, sizeof how->failed, "%s", weir_error_detail());
    else if (status)
        code = weir__cli_fail_status(status);
    return code;
}

int weir__cli_hows_find(const weir__cli_request *request, weir_context *context, weir_graph *graph,
                        weir__cli_how **hows_out, size_t *count_out)
{
    const weir__cli_verb *verb;
    size_t count = 0;
    int code = EXIT_DONE;
    for (size_t i = 0; (verb = weir__cli_verb_at(i)); i++)
        count += verb->algorithm != NULL;
    weir__cli_how *hows = calloc(count, sizeof *hows);
    *count_out = 0;
    if (!(*hows_out = hows))
        return weir__cli_fail(EXIT_RUN, "no memory for how %s would run", graph->name);
    for (size_t i = 0; (verb = weir__cli_verb_at(i)) && !code; i++)
        if (verb->algorithm) {
            weir__cli_how *how = &hows[(*count_out)++];
            *how = (weir__cli_how){.algorithm = verb->algorithm, .picked = WEIR_RUN_STATS_INIT};
            code = find(request, context, graph, how);
        }
    return code;
}

/* ---- text ---- */

static void print_choices(const weir__cli_request *request, const weir__cli_how *how)
{
    const weir__cli_request own = request_of(request, how->algorithm);
    const weir__cli_picked picked = weir__cli_pick(&own, &how->picked);
    const char *gap = ": ";
    if (how->algorithm->worklist) {
        printf("%sdirection %s", gap, picked.direction);
        gap = ", ";
    }
    if (picked.partition) {
        printf("%spartition %s", gap, picked.partition);
        gap = ", ";
    }
    if (how->picked.bands)
        printf(", bands %" PRIu64, how->picked.bands);
    if (how->picked.hubs)
        printf(", hubs kept %" PRIu64, how->picked.hubs);
    if (how->picked.bins)
        printf(", bins of rows %" PRIu64, how->picked.bins);
    if (*how->weights)
        printf(", weights %s", how->weights);
    if (how->picked.memory == WEIR_MEMORY_HOST)
        printf(", memory %s", picked.memory);
    weir__cli_print_picked(&picked, weir__cli_in_step(how->algorithm, &how->picked));
    putchar('\n');
}

static void print_how(const weir__cli_request *request, uint32_t devices, const weir__cli_how *how)
{
    const char *name = how->algorithm->verb.name;
    if (*how->failed) {
        printf("%-9scannot run: %s\n", name, how->failed);
        return;
    }
    printf("%-9s%s", name, how->form);
    print_choices(request, how);
    printf("  %-11s%" PRIu32 " of %" PRIu32 "%s%s\n", "devices", how->picked.devices, devices,
           how->picked.why_devices ? ": " : "",
           how->picked.why_devices ? how->picked.why_devices : "");
    for (int i = 0; i < WHYS; i++)
        if (*how->why[i])
            printf("  %-11s%s\n", whys[i].name, how->why[i]);
}

void weir__cli_hows_print(const weir__cli_request *request, const weir_context *context,
                          const weir__cli_how *hows, size_t count)
{
    putchar('\n');
    weir__cli_print_devices(context);
    puts("how it would run, and why:");
    for (size_t i = 0; i < count; i++)
        print_how(request, weir_context_device_count(context), &hows[i]);
}

/* ---- JSON ---- */

static json_t *text(const char *value)
{
    return value && *value ? json_string(value) : json_null();
}

static json_t *reasons_json(const weir__cli_how *how)
{
    json_t *reasons = json_object();
    for (int i = 0; i < WHYS; i++)
        if (json_object_set_new(reasons, whys[i].name, text(how->why[i]))) {
            json_decref(reasons);
            return NULL;
        }
    if (json_object_set_new(reasons, "devices", text(how->picked.why_devices))) {
        json_decref(reasons);
        return NULL;
    }
    return reasons;
}

static json_t *how_json(const weir__cli_request *request, const weir__cli_how *how)
{
    const weir__cli_request own = request_of(request, how->algorithm);
    const weir__cli_picked picked = weir__cli_pick(&own, &how->picked);
    const char *name = how->algorithm->verb.name;
    const int push = !weir__cli_in_step(how->algorithm, &how->picked);
    if (*how->failed)
        return json_pack("{s:s, s:o}", "algorithm", name, "failed",
                         weir__cli_json_text(how->failed));
    return json_pack("{s:s, s:n, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
                     "s:o, s:o, s:o, s:o}",
                     "algorithm", name, "failed", "form", how->form, "devices_used",
                     weir__cli_json_integer(how->picked.devices), "direction",
                     text(how->algorithm->worklist ? picked.direction : NULL), "partition",
                     text(picked.partition), "weights", text(how->weights), "route",
                     text(push ? picked.route : NULL), "order", text(picked.order), "delta",
                     picked.order ? weir__cli_json_integer(picked.delta) : json_null(), "kernel",
                     text(push ? picked.kernel : NULL), "worker", text(push ? picked.worker : NULL),
                     "fetch", push ? weir__cli_json_integer(picked.fetch) : json_null(), "mapping",
                     text(push ? picked.mapping : NULL), "bands",
                     weir__cli_json_integer(how->picked.bands), "hubs",
                     weir__cli_json_integer(how->picked.hubs), "bins",
                     weir__cli_json_integer(how->picked.bins), "memory", text(picked.memory), "why",
                     reasons_json(how));
}

json_t *weir__cli_hows_json(const weir__cli_request *request, const weir__cli_how *hows,
                            size_t count)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++)
        if (json_array_append_new(rows, how_json(request, &hows[i]))) {
            json_decref(rows);
            return NULL;
        }
    return rows;
}
