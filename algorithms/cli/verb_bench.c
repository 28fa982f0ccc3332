/** @file verb_bench.c  weir bench: run benchmarks, or read their figures back; report, keep, compare.
 *
 * Cheap checks come first, as everywhere: options, output files, the files to read, then devices. */
#include "algorithms/cli/result.h"

#include "runtime/text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT, JSON, TRACES, OUTPUTS = TRACES + TRACE_FILES };
enum { TABLE_FORMAT, JSON_FORMAT, CSV_FORMAT }; /* positions in weir__cli_bench_formats */

#define USUAL_FACTOR 1.10

struct session {
    const weir__cli_request *request;
    weir__cli_output outputs[OUTPUTS];
    weir_context *context;
    weir__cli_result old, result;
    size_t failed; /* benchmarks */
};

/* ---- names ---- */

void weir__cli_bench_names(FILE *file)
{
    const weir_bench_info *info;
    for (size_t i = 0; (info = weir__cli_bench_at(i)); i++)
        fprintf(file, "  %-12s  %s\n", info->name, info->title);
}

static const char *next_name(void *user)
{
    size_t *next = user, index = (*next)++;
    const weir_bench_info *info = weir__cli_bench_at(index);
    if (info)
        return info->name;
    return index && weir__cli_bench_at(index - 1) ? "all" : NULL;
}

static int is_all(const weir__cli_request *request)
{
    return !request->graph || strcmp(request->graph, "all") == 0;
}

static int check_name(const weir__cli_request *request)
{
    size_t next = 0;
    if (!request->graph && !request->from)
        return weir__cli_fail(EXIT_USAGE, "bench: NAME is missing; see weir bench list");
    if (is_all(request) || weir__cli_bench_find(request->graph))
        return EXIT_DONE;
    const char *close = weir__cli_closest(request->graph, next_name, &next);
    if (close)
        return weir__cli_fail(EXIT_USAGE, "bench: %s: unknown benchmark; did you mean %s?",
                              request->graph, close);
    return weir__cli_fail(EXIT_USAGE, "bench: %s: unknown benchmark; see weir bench list",
                          request->graph);
}

/* ---- options ---- */

/* Find an option of measurements that was given although nothing is measured; NULL: there is none. */
static const char *idle_option(const weir__cli_request *request)
{
    static const char *const measuring[] = {"devices", "machine", "bytes", "trials",
                                            "warmups", "trace",   "dot"};
    for (size_t i = 0; i < sizeof measuring / sizeof *measuring; i++)
        if (weir__cli_given(request, measuring[i]))
            return measuring[i];
    return NULL;
}

static int list_names(const weir__cli_request *request)
{
    if (weir__cli_first_given(request))
        return weir__cli_fail(EXIT_USAGE, "--%s: bench list takes no options",
                              weir__cli_first_given(request));
    weir__cli_bench_names(stdout);
    return EXIT_DONE;
}

/* --bytes may have no effect on some benchmarks of `all`, but must have one on a benchmark that is named. */
static int check_bytes(const weir__cli_request *request)
{
    const weir_bench_info *info = request->graph ? weir__cli_bench_find(request->graph) : NULL;
    if (!request->bytes || !info || info->sized)
        return EXIT_DONE;
    return weir__cli_fail(EXIT_USAGE, "--bytes: bench %s moves what it moves; leave it out",
                          info->name);
}

static int check_options(const weir__cli_request *request)
{
    if (request->devices && request->machine)
        return weir__cli_fail(EXIT_USAGE, "--devices and --machine: give only one of them");
    if (request->from && idle_option(request))
        return weir__cli_fail(EXIT_USAGE, "--from measures nothing, so leave --%s out",
                              idle_option(request));
    if (request->factor > 0 && !request->compare)
        return weir__cli_fail(EXIT_USAGE, "--factor belongs to --compare, which is missing");
    int code = check_name(request);
    return code ? code : check_bytes(request);
}

/* The report goes to standard output unless --json - claims that for its document. */
static int open_outputs(struct session *session)
{
    const weir__cli_request *request = session->request;
    weir__cli_output *report = &session->outputs[REPORT], *json = &session->outputs[JSON];
    int code = EXIT_DONE;
    if (request->json)
        code = weir__cli_output_open(json, "json", request->json, request);
    if (!code && (request->output || !weir__cli_output_is_stdout(json)))
        code = weir__cli_output_open(report, "output", request->output ? request->output : "-",
                                     request);
    if (!code && weir__cli_given(request, "format") && !report->file)
        code = weir__cli_fail(EXIT_USAGE, "--format %s and --json both write to standard output",
                              weir__cli_bench_formats.built[request->format]);
    if (!code)
        code = weir__cli_trace_open(request, &session->outputs[TRACES]);
    return code ? code : weir__cli_outputs_differ(session->outputs, OUTPUTS);
}

static int read_files(struct session *session)
{
    const weir__cli_request *request = session->request;
    int code = EXIT_DONE;
    if (request->compare)
        code = weir__cli_result_read("compare", request->compare, &session->old);
    if (!code && request->from)
        code = weir__cli_result_read("from", request->from, &session->result);
    if (!code && request->from && !is_all(request) &&
        !weir__cli_result_keep(&session->result, request->graph))
        code = weir__cli_fail(EXIT_USAGE, "--from %s: it has no figures of %s", request->from,
                              request->graph);
    return code;
}

/* ---- measuring ---- */

static json_t *count_or_null(uint64_t count)
{
    return count ? json_integer((json_int_t)count) : json_null();
}

static json_t *text_or_null(const char *text)
{
    return text ? weir__cli_json_text(text) : json_null();
}

static json_t *machine_json(weir_context *context, weir_status *status_out)
{
    const weir_machine *machine;
    char *text = NULL;
    json_t *document = NULL;
    if (!(*status_out = weir_machine_of(context, &machine)) &&
        !(*status_out = weir_machine_json(machine, &text)))
        document = json_loads(text, 0, NULL);
    free(text);
    return document;
}

/* Figures name devices by their labels in the context, and the machine by labels of its own. The document says
 * which label is which: the devices of a context are the first nodes of its machine. */
static json_t *devices_json(weir_context *context)
{
    const weir_machine *machine;
    json_t *devices = weir__cli_json_devices(context);
    if (weir_machine_of(context, &machine))
        return devices;
    for (size_t i = 0; i < json_array_size(devices); i++)
        if (json_object_set_new(json_array_get(devices, i), "machine_label",
                                json_string(weir_machine_node(machine, (uint32_t)i)->label))) {
            json_decref(devices);
            return NULL;
        }
    return devices;
}

static int describe(struct session *session)
{
    const weir__cli_request *request = session->request;
    weir__cli_result *result = &session->result;
    weir_status status;
    result->simulated = request->machine != NULL;
    snprintf(result->version, sizeof result->version, "%s", weir_version_text());
    result->machine = machine_json(session->context, &status);
    if (status)
        return weir__cli_fail_status(status);
    result->devices = devices_json(session->context);
    result->options = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o}", "name", request->graph, "devices",
        text_or_null(request->devices), "machine", text_or_null(request->machine), "bytes",
        count_or_null(request->bytes), "trials", count_or_null(request->bench_trials), "warmups",
        request->warmups == UINT64_MAX ? json_null() : json_integer((json_int_t)request->warmups));
    if (!result->machine || !result->devices || !result->options)
        return weir__cli_fail(EXIT_RUN, "no memory for the description of the machine");
    return EXIT_DONE;
}

static weir_bench_config config_of(const weir__cli_request *request)
{
    weir_bench_config config = WEIR_BENCH_CONFIG_INIT;
    config.bytes = request->bytes;
    config.trials = (uint32_t)request->bench_trials;
    /* For the library 0 is its own choice, and UINT32_MAX stands for no warm-up. */
    if (request->warmups != UINT64_MAX)
        config.warmups = request->warmups ? (uint32_t)request->warmups : UINT32_MAX;
    return config;
}

/* Run a benchmark among others. When it fails, the report says so in its place. */
static int run_one(struct session *session, const weir_bench_info *info)
{
    weir_bench_config config = config_of(session->request);
    weir_bench_table *table = NULL, none = {.count = 0};
    int failed;
    weir__cli_progress("%s", info->name);
    weir__cli_measure_begin(&config);
    weir_status status = weir__cli_bench_run(session->context, info->name, &config, &table);
    int code = weir__cli_measure_end_of_many(status, &failed);
    if (!code && !failed)
        code = weir__cli_result_add(&session->result, table, NULL);
    if (!code && failed) {
        snprintf(none.name, sizeof none.name, "%s", info->name);
        code = weir__cli_result_add(&session->result, &none,
                                    *weir_error_detail() ? weir_error_detail()
                                                         : weir_status_text(status));
        session->failed++;
    }
    weir_bench_table_destroy(table);
    return code;
}

static int run_alone(struct session *session, const char *name)
{
    weir_bench_config config = config_of(session->request);
    weir_bench_table *table = NULL;
    weir__cli_progress("%s", name);
    weir__cli_measure_begin(&config);
    int code = weir__cli_measure_end(weir__cli_bench_run(session->context, name, &config, &table));
    if (!code)
        code = weir__cli_result_add(&session->result, table, NULL);
    weir_bench_table_destroy(table);
    return code;
}

static int measure(struct session *session)
{
    const weir__cli_request *request = session->request;
    const weir_bench_info *info;
    int code = weir__cli_context_open(request, &session->context);
    if (!code)
        code = describe(session);
    if (!code)
        code = weir__cli_trace_begin(&session->outputs[TRACES], session->context);
    if (!code && !is_all(request))
        code = run_alone(session, request->graph);
    for (size_t i = 0; is_all(request) && !code && (info = weir__cli_bench_at(i)); i++)
        code = run_one(session, info);
    return code ? code : weir__cli_trace_end(&session->outputs[TRACES], session->context);
}

/* ---- reporting ---- */

typedef void printer(const weir__cli_result *result, FILE *file);

/* The text is made in memory first, so that a write that fails can say why. */
static int write_text(struct session *session, printer *print)
{
    weir__text report;
    size_t bytes;
    FILE *file = weir__text_open(&report);
    if (file)
        print(&session->result, file);
    char *text = weir__text_close(&report, &bytes);
    int code = text ? weir__cli_output_text(&session->outputs[REPORT], text, bytes)
                    : weir__cli_fail(EXIT_RUN, "no memory for the report");
    free(text);
    return code;
}

static int write_report(struct session *session)
{
    weir__cli_output *report = &session->outputs[REPORT];
    int code = EXIT_DONE;
    if (session->outputs[JSON].file)
        code = weir__cli_json_write(weir__cli_result_json(&session->result),
                                    &session->outputs[JSON], 15);
    if (code || !report->file)
        return code;
    if (session->request->format == JSON_FORMAT)
        return weir__cli_json_write(weir__cli_result_json(&session->result), report, 15);
    if (session->request->format == TABLE_FORMAT)
        return write_text(session, weir__cli_result_table);
    weir__cli_result_csv_gaps(&session->result);
    return write_text(session, weir__cli_result_csv);
}

/* The comparison follows a table on standard output. Where a document goes there, nothing else may. */
static int compare(struct session *session, weir__cli_outcome *outcome_out)
{
    const weir__cli_request *request = session->request;
    int alone =
        weir__cli_output_is_stdout(&session->outputs[JSON]) ||
        (request->format != TABLE_FORMAT && weir__cli_output_is_stdout(&session->outputs[REPORT]));
    if (!request->compare)
        return EXIT_DONE;
    return weir__cli_result_compare(&session->old, &session->result,
                                    request->factor > 0 ? request->factor : USUAL_FACTOR,
                                    alone ? stderr : stdout, outcome_out);
}

/* The figures are good whatever the comparison says, so they are kept before its outcome is told. They are not
 * kept when the comparison cannot be printed on standard output. */
static int report(struct session *session)
{
    weir__cli_outcome outcome = {EXIT_DONE, ""};
    int code = write_report(session), told = EXIT_DONE;
    if (!code)
        told = compare(session, &outcome);
    if (!code)
        code = weir__cli_output_commit(session->outputs, OUTPUTS);
    if (code || told)
        return code ? code : told;
    if (outcome.code)
        return weir__cli_fail(outcome.code, "%s", outcome.sentence);
    return session->failed ? weir__cli_fail(EXIT_RUN, "%zu of %zu benchmarks failed",
                                            session->failed, session->result.count)
                           : EXIT_DONE;
}

static void close_session(struct session *session)
{
    for (int i = 0; i < OUTPUTS; i++)
        weir__cli_output_drop(&session->outputs[i]);
    weir__cli_result_free(&session->old);
    weir__cli_result_free(&session->result);
    if (session->context)
        weir_context_destroy(session->context);
}

int weir__cli_bench(const weir__cli_request *request)
{
    struct session session = {.request = request};
    if (request->graph && strcmp(request->graph, "list") == 0)
        return list_names(request);
    int code = check_options(request);
    if (!code)
        code = weir__cli_signals_start(request);
    if (!code)
        code = open_outputs(&session);
    if (!code)
        code = read_files(&session);
    if (!code && !request->from)
        code = measure(&session);
    if (!code)
        code = report(&session);
    close_session(&session);
    return code;
}
