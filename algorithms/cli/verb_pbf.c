/** @file verb_pbf.c  weir pbf: generate an array, filter it on all devices, check, report. */
#include "algorithms/cli/cli.h"
#include "runtime/room.h"

#include <inttypes.h>
#include <stdlib.h>

enum { JSON, TRACES, OUTPUTS = TRACES + TRACE_FILES };

struct session {
    const weir__cli_request *request;
    weir__cli_output outputs[OUTPUTS];
    weir_context *context;
    weir_pbf *pbf;
    /* Memory of the home device, since copies to GPUs are quicker from page-locked memory. */
    uint32_t *input, *output;
    weir__cli_filtered report;
};

static weir_pbf_config config_of(const weir__cli_request *request)
{
    weir_pbf_config config = WEIR_PBF_CONFIG_INIT;
    config.schedule = (weir_pbf_schedule)request->schedule;
    config.below = (uint64_t)(request->selectivity * 4294967296.0);
    config.work = (uint32_t)request->rounds;
    config.packet_bytes = (size_t)request->packet;
    config.time_limit_ms = (uint32_t)request->time_limit_ms;
    return config;
}

static int open_outputs(struct session *session)
{
    const weir__cli_request *request = session->request;
    int code = EXIT_DONE;
    if (request->json)
        code = weir__cli_output_open(&session->outputs[JSON], "json", request->json, request);
    if (!code)
        code = weir__cli_trace_open(request, &session->outputs[TRACES]);
    return code ? code : weir__cli_outputs_differ(session->outputs, OUTPUTS);
}

static int open_devices(struct session *session)
{
    weir_status status = weir_context_create(session->request->devices, NULL, &session->context);
    if (!status)
        status = weir_pbf_create(session->context, &session->report.config, &session->pbf);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

static int take_array(struct session *session, const char *what, uint32_t **array_out)
{
    void *data;
    weir_status status = weir_device_alloc(weir_context_home(session->context),
                                           session->request->elements * sizeof(uint32_t), &data);
    if (status)
        return weir__cli_fail(weir__cli_exit_of(status),
                              "no memory for %s of %" PRIu64 " elements: %s", what,
                              session->request->elements, weir_error_detail());
    *array_out = data;
    return EXIT_DONE;
}

/* Check that there is memory for the array, for a result that may be as long, and for one bit for each element
 * where the result is verified. */
static int check_room(const weir__cli_request *request)
{
    struct weir__need need = {0, 0};
    weir__need_take(&need, request->elements, 2 * sizeof(uint32_t));
    if (request->verify)
        weir__need_pass(&need, request->elements / 8 + 1, 1);
    weir_status status = weir__need_fits(&need, "an array of %" PRIu64 " elements and its result",
                                         request->elements);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

static int allocate(struct session *session)
{
    const weir__cli_request *request = session->request;
    const uint32_t devices = weir_context_device_count(session->context);
    int code = check_room(request);
    if (code)
        return code;
    session->report.trials = weir__cli_records_of(
        offsetof(weir_pbf_stats, device) + devices * sizeof(weir_pbf_share), "result");
    if ((code = weir__cli_records_expect(&session->report.trials, request->trials)))
        return code;
    weir__cli_progress("making %" PRIu64 " elements", request->elements);
    if ((code = take_array(session, "an array", &session->input)) ||
        (code = take_array(session, "a result that may be as long as the array", &session->output)))
        return code;
    weir_pbf_generate(request->seed, request->elements, session->input);
    return EXIT_DONE;
}

static void cancel(void *pbf)
{
    weir_pbf_cancel(pbf);
}

static int run_once(struct session *session, weir_pbf_stats *stats_out)
{
    uint64_t elements = session->request->elements;
    weir__cli_signals_watch(cancel, session->pbf);
    return weir__cli_run_end(
        weir_pbf_run(session->pbf, session->input, elements, session->output, elements, stats_out));
}

/* A difference is remembered here and reported with the other results. */
static int verify(struct session *session, uint64_t kept)
{
    weir__cli_filtered *report = &session->report;
    weir__cli_progress("verifying");
    weir_status status = weir_pbf_verify(&report->config, session->request->seed,
                                         session->request->elements, session->output, kept);
    if (status && status != WEIR_ERR_VERIFY)
        return weir__cli_fail_status(status);
    report->verified = !status;
    if (status) /* the sentence stays until this thread's next failure, and that ends the report */
        report->difference = weir_error_detail();
    return EXIT_DONE;
}

static int run_all(struct session *session)
{
    weir__cli_filtered *report = &session->report;
    weir_pbf_stats warm_up = WEIR_PBF_STATS_INIT;
    int code = weir__cli_trials_warm_up(session->request) ? run_once(session, &warm_up) : EXIT_DONE;
    while (!code && weir__cli_trials_next(session->request, &report->trials, report->difference)) {
        weir_pbf_stats trial = WEIR_PBF_STATS_INIT;
        if (!(code = run_once(session, &trial)) &&
            !(code = weir__cli_records_add(&report->trials, &trial)) && session->request->verify)
            code = verify(session, trial.kept);
    }
    weir__cli_progress(NULL);
    return code;
}

static int report(struct session *session)
{
    weir__cli_filtered *filtered = &session->report;
    filtered->context = session->context;
    int code = weir__cli_filtered_summarize(filtered);
    int taken = 0;
    for (int i = 0; i < OUTPUTS; i++)
        taken |= weir__cli_output_is_stdout(&session->outputs[i]);
    if (!code && session->outputs[JSON].file)
        code = weir__cli_filtered_json(filtered, &session->outputs[JSON]);
    if (!code && !taken)
        code = weir__cli_filtered_text(filtered);
    return code ? code : weir__cli_run_commit(session->outputs, OUTPUTS, filtered->difference);
}

static void close_session(struct session *session)
{
    for (int i = 0; i < OUTPUTS; i++)
        weir__cli_output_drop(&session->outputs[i]);
    weir_pbf_destroy(session->pbf);
    if (session->context) {
        weir_device_free(weir_context_home(session->context), session->output);
        weir_device_free(weir_context_home(session->context), session->input);
        weir_context_destroy(session->context);
    }
    weir__cli_records_free(&session->report.trials);
}

int weir__cli_pbf(const weir__cli_request *request)
{
    struct session session = {.request = request};
    session.report =
        (weir__cli_filtered){.request = request, .config = config_of(request), .verified = -1};
    int code = weir__cli_signals_start(request);
    if (!code)
        code = open_outputs(&session);
    if (!code)
        code = open_devices(&session);
    if (!code)
        code = allocate(&session);
    if (!code)
        code = weir__cli_trace_begin(&session.outputs[TRACES], session.context);
    if (!code)
        code = run_all(&session);
    if (!code)
        code = weir__cli_trace_end(&session.outputs[TRACES], session.context);
    if (!code)
        code = report(&session);
    close_session(&session);
    return code;
}
