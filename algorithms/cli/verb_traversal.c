/** @file verb_traversal.c  The verbs of algorithms over graphs: place a graph on devices, traverse it, report.
 *
 * Cheap checks come first: options, then output files, devices, the graph, and at last what needs
 * the graph, so that a typing mistake never costs a loaded graph. */
#include "algorithms/cli/session.h"
#include "runtime/support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* From so many arcs on, where there is a GPU, --verify-by auto is certificate: a serial search of them takes a second, serial shortest
 * paths four or more, and from there on longer than the arcs, as they no longer fit into caches. The cores of the host are as fast by
 * themselves as they are as devices. */
#define CERTIFY_ARCS (UINT64_C(1) << 27)

static int wants_tree(const weir__cli_request *request)
{
    return request->parents || request->output_parents;
}

static weir_run_options options_of(const weir__cli_request *request)
{
    weir_run_options options = weir__cli_run_options(request);
    options.parents = wants_tree(request);
    options.time_limit_ms = (uint32_t)request->time_limit_ms;
    return options;
}

/* The library would refuse the same options, but only once the graph is loaded. Here they are refused before, and
 * named as the command spells them. */
static int check_forms(const struct weir__cli_session *session)
{
    const weir__cli_request *request = session->request;
    const weir_run_options options = options_of(request);
    struct weir__asked asked = {
        .options = &options,
        .partition = request->partition != PARTITION_AUTO,
        .command = 1,
        .parents = request->parents ? NULL : "--output-parents",
    };
    if (session->algorithm->ask)
        session->algorithm->ask(request, &asked);
    weir_status status = weir__cli_forms_check(session->algorithm, request, &asked);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

static int check_options(const struct weir__cli_session *session)
{
    const weir__cli_request *request = session->request;
    const char *name = session->algorithm->verb.name;
    if (!request->graph)
        return weir__cli_fail(EXIT_USAGE, "%s: GRAPH is missing; see weir help %s", name, name);
    if (weir__cli_given(request, "source") && request->sources)
        return weir__cli_fail(EXIT_USAGE, "--source and --sources: give only one of them");
    if (request->batch && !request->sources)
        return weir__cli_fail(EXIT_USAGE, "--batch says how --sources are searched: give that too");
    if (weir__cli_given(request, "verify-by") && !request->verify)
        return weir__cli_fail(EXIT_USAGE, "--verify-by says how --verify judges: give that too");
    int code = weir__cli_partition_check(request);
    return code ? code : check_forms(session);
}

static int open_outputs(struct weir__cli_session *session)
{
    const weir__cli_request *request = session->request;
    const char *const names[TRACES] = {"output", "json", "output-parents"};
    const char *const paths[TRACES] = {request->output, request->json, request->output_parents};
    int code = EXIT_DONE;
    for (int i = 0; i < TRACES && !code; i++)
        if (paths[i])
            code = weir__cli_output_open(&session->outputs[i], names[i], paths[i], request);
    if (!code)
        code = weir__cli_trace_open(request, &session->outputs[TRACES]);
    return code ? code : weir__cli_outputs_differ(session->outputs, OUTPUTS);
}

/* An algorithm that starts everywhere gets one source, which it ignores. */
static int find_sources(struct weir__cli_session *session)
{
    if (!session->graph->vertices)
        return weir__cli_fail(EXIT_USAGE, "%s: the graph has no vertices", session->request->graph);
    if (session->algorithm->sourced)
        return weir__cli_sources(session->request, session->graph, &session->sources,
                                 &session->source_count);
    session->source_count = 1;
    session->sources = calloc(1, sizeof *session->sources);
    return session->sources ? EXIT_DONE : weir__cli_fail(EXIT_RUN, "out of memory");
}

static int wants_certificate(const struct weir__cli_session *session)
{
    const weir__cli_request *request = session->request;
    int gpus = 0;
    for (uint32_t d = 0; d < weir_context_device_count(session->context); d++)
        gpus |= weir__device_is_gpu(weir_context_device(session->context, d));
    return request->verify &&
           (request->verify_by == VERIFY_BY_AUTO ? gpus && session->graph->arcs >= CERTIFY_ARCS
                                                 : request->verify_by == VERIFY_BY_CERTIFICATE);
}

static int load(struct weir__cli_session *session)
{
    const weir__cli_request *request = session->request;
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir__cli_devices *devices;
    weir__cli_progress("loading %s", request->graph);
    weir_status status = weir__cli_devices_begin(request->devices, &devices);
    if (status)
        return weir__cli_fail_status(status);
    options.undirected = request->undirected;
    options.resident = session->algorithm->resident;
    weir__cli_devices_give(devices, request, &options);
    status = weir_graph_open(request->graph, &options, &session->graph);
    if ((status = weir__cli_devices_end(devices, status, &session->context, &session->begun)))
        return weir__cli_fail_status(status);
    session->certify = wants_certificate(session);
    int code = find_sources(session);
    return !code && session->algorithm->weighted
               ? weir__cli_weigh(request, session->graph, session->weights)
               : code;
}

int weir__cli_wants_reference(const struct weir__cli_session *session)
{
    const weir__cli_algorithm *algorithm = session->algorithm;
    return session->request->verify && !session->certify &&
           (!algorithm->needs_reference || algorithm->needs_reference(session->request));
}

/* The memory that the command takes beside the algorithm's own. The library adds it to its own count, so that a
 * run that does not fit is refused before memory is taken. */
static uint64_t own_bytes(const struct weir__cli_session *session)
{
    const weir__cli_algorithm *algorithm = session->algorithm;
    const weir_graph *graph = session->graph;
    struct weir__need need = {0, 0};
    weir__need_take(&need, graph->vertices, algorithm->value_bytes);
    weir__need_take(&need, weir__cli_wants_reference(session) ? graph->vertices : 0,
                    algorithm->value_bytes);
    weir__need_take(&need, wants_tree(session->request) ? graph->vertices : 0,
                    sizeof *session->parents);
    weir__need_pass(&need, graph->vertices, algorithm->sum_bytes);
    if (session->certify)
        algorithm->certify_need(session->context, graph, wants_tree(session->request), &need);
    else if (weir__cli_wants_reference(session))
        algorithm->reference_need(graph, &need);
    else if (session->request->verify && algorithm->check_need)
        algorithm->check_need(graph, &need);
    return (uint64_t)need.most;
}

static int place(struct weir__cli_session *session)
{
    const weir__cli_request *request = session->request;
    weir_run_options options = options_of(request);
    weir_status status = WEIR_OK;
    options.reserved_bytes = own_bytes(session);
    if (request->partition != PARTITION_AUTO) {
        weir__cli_progress("partitioning");
        status = weir__cli_partition_make(request, session->graph,
                                          weir_context_device_count(session->context),
                                          &session->partition);
    }
    weir__cli_progress("preparing %s", session->algorithm->verb.name);
    if (!status)
        status = session->algorithm->create(session->context, session->graph, session->partition,
                                            &options, request, &session->object);
    session->prepared = (weir_prepare_stats)WEIR_PREPARE_STATS_INIT;
    if (!status)
        status = session->algorithm->prepared(session->object, &session->prepared);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

static uint64_t runs_of(const struct weir__cli_session *session)
{
    return session->source_count * session->request->trials;
}

static int allocate(struct weir__cli_session *session)
{
    const size_t vertices = (size_t)session->graph->vertices;
    const size_t bytes = session->algorithm->value_bytes;
    weir_status status = weir__calloc(vertices, bytes, "results", &session->values);
    if (!status && weir__cli_wants_reference(session))
        status = weir__calloc(vertices, bytes, "the reference", &session->expected);
    if (!status && wants_tree(session->request))
        status = weir__calloc(vertices, sizeof *session->parents, "parents", &session->parents);
    if (status)
        return weir__cli_fail_status(status);
    return weir__cli_records_expect(&session->trials.rows, runs_of(session));
}

static void cancel(void *user)
{
    struct weir__cli_session *session = user;
    session->algorithm->cancel(session->object);
}

static int run_once(struct weir__cli_session *session, uint64_t source, weir_run_stats *stats_out)
{
    weir__cli_signals_watch(cancel, session);
    return weir__cli_run_end(session->algorithm->run(session->object, source, stats_out));
}

static int verify_by_certificate(struct weir__cli_session *session, weir__cli_trial *trial)
{
    const weir__cli_algorithm *algorithm = session->algorithm;
    weir__cli_progress("certifying trial %" PRIu64 "/%" PRIu64, session->trials.rows.count + 1,
                       runs_of(session));
    return algorithm->certify(algorithm, session->request, session->context, session->graph,
                              session->values, session->parents, trial, &session->difference);
}

static int verify_by_reference(struct weir__cli_session *session, weir__cli_trial *trial)
{
    const weir__cli_algorithm *algorithm = session->algorithm;
    const weir_graph *graph = session->graph;
    int code = algorithm->compare(algorithm, session->request, graph, session->values,
                                  session->expected, trial, &session->difference);
    if (code || session->difference || !session->parents)
        return code;
    return weir__cli_checked(
        algorithm->check_tree(graph, trial->source, session->parents, session->values),
        &session->difference);
}

/* The devices are full of what the runs hold. Behind the last one nobody wants it any more. */
static int verify_in_its_place(struct weir__cli_session *session, weir__cli_trial *trial)
{
    if (session->request->batch || session->trials.rows.count + 1 < runs_of(session))
        return CERTIFY_NO_ROOM;
    session->algorithm->destroy(session->object);
    session->object = NULL;
    return verify_by_certificate(session, trial);
}

/* The host judges, as where there are fewer arcs; unless a certificate was asked for by name. */
static int verify_on_the_host(struct weir__cli_session *session, weir__cli_trial *trial)
{
    const weir_graph *graph = session->graph;
    weir_status status = WEIR_OK;
    if (session->request->verify_by != VERIFY_BY_AUTO)
        return weir__cli_fail_status(WEIR_ERR_NOMEM);
    session->certify = 0;
    if (weir__cli_wants_reference(session)) {
        if (!(status = weir__calloc((size_t)graph->vertices, session->algorithm->value_bytes,
                                    "the reference", &session->expected)))
            status = session->algorithm->reference(graph, session->request, trial->source,
                                                   session->expected);
    }
    return status ? weir__cli_fail_status(status) : verify_by_reference(session, trial);
}

int weir__cli_verify(struct weir__cli_session *session, weir__cli_trial *trial)
{
    const uint64_t begin_ns = weir__now_ns();
    int code = session->certify ? verify_by_certificate(session, trial)
                                : verify_by_reference(session, trial);
    if (code == CERTIFY_NO_ROOM)
        code = verify_in_its_place(session, trial);
    if (code == CERTIFY_NO_ROOM)
        code = verify_on_the_host(session, trial);
    trial->verify_ms = session->reference_ms + weir__elapsed_ms(begin_ns);
    session->reference_ms = 0; /* it counts in one trial */
    session->verified = !session->difference;
    return code;
}

/* Gather, verify and keep what a run found. */
static int finish_trial(struct weir__cli_session *session, weir__cli_trial *trial)
{
    const weir__cli_request *request = session->request;
    const weir__cli_algorithm *algorithm = session->algorithm;
    weir_status status = algorithm->values(session->object, session->values);
    if (!status && session->parents)
        status = algorithm->parents(session->object, session->parents);
    if (status)
        return weir__cli_fail_status(status);
    int code = weir__cli_trial_finish(trial, algorithm, request, session->values,
                                      session->graph->vertices);
    if (!code)
        code = weir__cli_trials_links(&session->trials, trial, algorithm, session->object);
    if (!code && (request->json || request->stats))
        code = weir__cli_trials_levels(&session->trials, trial, algorithm, session->object,
                                       request->json != NULL);
    if (!code && request->verify)
        code = weir__cli_verify(session, trial);
    return code ? code : weir__cli_trials_add(&session->trials, trial);
}

/* Between two trials the command brings values to the host, adds them up and may judge them. Behind that the caches of the CPU hold nothing of
 * the driver, and a launch takes 30 to 70 us in place of 7: of a run of 100 us, that is what the command did and not what a program
 * waits that runs again and again. So a short run has a warm-up: the same run, not counted, comes right before it. */
static int warm_up(struct weir__cli_session *session, weir__cli_trial *trial)
{
    weir_run_stats unused = WEIR_RUN_STATS_INIT;
    trial->warmed_up = runs_of(session) > 1 && session->last_ms <= WEIR__CLI_WARMED_MS;
    return trial->warmed_up ? run_once(session, trial->source, &unused) : EXIT_DONE;
}

static int run_trial(struct weir__cli_session *session, uint64_t source)
{
    weir__cli_trial trial = {.source = source, .stats = WEIR_RUN_STATS_INIT};
    weir__cli_progress("running trial %" PRIu64 "/%" PRIu64, session->trials.rows.count + 1,
                       runs_of(session));
    int code = warm_up(session, &trial);
    if (!code)
        code = run_once(session, source, &trial.stats);
    if (!code && runs_of(session) == 1)
        session->cold = trial;
    session->last_ms = trial.stats.ms;
    return code ? code : finish_trial(session, &trial);
}

static int run_source(struct weir__cli_session *session, uint64_t source)
{
    const weir__cli_request *request = session->request;
    const uint64_t begin_ns = weir__now_ns();
    weir_status status = WEIR_OK;
    int code = EXIT_DONE;
    if (weir__cli_wants_reference(session))
        weir__cli_progress("computing the reference");
    if (weir__cli_wants_reference(session))
        status = session->algorithm->reference(session->graph, request, source, session->expected);
    if (status)
        return weir__cli_fail_status(status);
    session->reference_ms = weir__elapsed_ms(begin_ns);
    for (uint64_t i = 0; i < request->trials && !code && !session->difference; i++)
        code = run_trial(session, source);
    return code;
}

static int run_all(struct weir__cli_session *session)
{
    int code = EXIT_DONE;
    if (runs_of(session) > 1) {
        weir__cli_progress("warming up");
        session->cold.source = session->sources[0];
        code = run_once(session, session->cold.source, &session->cold.stats);
        session->last_ms = session->cold.stats.ms;
    }
    for (size_t i = 0; i < session->source_count && !code && !session->difference; i++)
        code = run_source(session, session->sources[i]);
    weir__cli_progress(NULL);
    return code;
}

static void close_session(struct weir__cli_session *session)
{
    for (int i = 0; i < OUTPUTS; i++)
        weir__cli_output_drop(&session->outputs[i]);
    if (session->object)
        session->algorithm->destroy(session->object);
    weir_partition_destroy(session->partition);
    weir_graph_destroy(session->graph);
    if (session->context)
        weir_context_destroy(session->context);
    free(session->sources);
    free(session->values);
    free(session->expected);
    free(session->parents);
    weir__cli_trials_free(&session->trials);
    free(session->difference);
}

int weir__cli_traverse(const weir__cli_request *request)
{
    const weir__cli_algorithm *verb = request->verb->algorithm;
    struct weir__cli_session session = {.algorithm = request->batch ? verb->batched : verb,
                                        .request = request,
                                        .trials = weir__cli_trials_none(),
                                        .cold = {.stats = WEIR_RUN_STATS_INIT},
                                        .verified = -1};
    int code = check_options(&session);
    if (!code)
        code = weir__cli_signals_start(request);
    if (!code)
        code = open_outputs(&session);
    if (!code)
        code = load(&session);
    if (!code)
        code = place(&session);
    if (!code)
        code = allocate(&session);
    if (!code)
        code = weir__cli_trace_begin(&session.outputs[TRACES], session.context);
    if (!code)
        code = request->batch ? weir__cli_run_batches(&session) : run_all(&session);
    if (!code)
        code = weir__cli_trace_end(&session.outputs[TRACES], session.context);
    if (!code)
        code = weir__cli_session_report(&session);
    close_session(&session);
    return code;
}
