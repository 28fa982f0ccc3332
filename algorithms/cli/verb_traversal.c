/** @file verb_traversal.c  weir bfs, weir sssp: place a graph on devices, traverse it, report.
 *
 * Cheap checks come first: options, then output files, devices, the graph, and at last what needs
 * the graph, so that a typing mistake never costs a loaded graph. */
#include "algorithms/cli/traversal.h"

#include <stdlib.h>

enum { OUTPUT, JSON, OUTPUTS };

struct session {
    const weir__cli_algorithm *algorithm;
    const weir__cli_request *request;
    weir__cli_output outputs[OUTPUTS];
    weir_context *context;
    weir_graph *graph;
    weir_partition *partition;
    char weights[WEIGHTS_ROOM]; /* "": the algorithm has none */
    void *object;               /* of the algorithm */
    uint64_t *sources;
    size_t source_count;
    void *values;   /* of the last run */
    void *expected; /* of the reference; NULL without --verify */
    weir__cli_trial *trials;
    size_t trial_count; /* done so far */
    int verified;
    char *difference;
};

static int check_options(const struct session *session)
{
    const weir__cli_request *request = session->request;
    const char *name = session->algorithm->name;
    if (!request->graph)
        return weir__cli_fail(EXIT_USAGE, "%s: GRAPH is missing; see weir help %s", name, name);
    if (request->source_given && request->sources)
        return weir__cli_fail(EXIT_USAGE, "--source and --sources: give only one of them");
    return EXIT_DONE;
}

static int open_outputs(struct session *session)
{
    const weir__cli_request *request = session->request;
    int code = EXIT_DONE;
    if (request->output)
        code = weir__cli_output_open(&session->outputs[OUTPUT], "output", request->output);
    if (!code && request->json)
        code = weir__cli_output_open(&session->outputs[JSON], "json", request->json);
    if (!code && request->output && request->json)
        code = weir__cli_output_differ(&session->outputs[OUTPUT], &session->outputs[JSON]);
    return code;
}

static int load(struct session *session)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_status status = weir_context_create(session->request->devices, NULL, &session->context);
    if (status)
        return weir__cli_fail_status(status);
    options.undirected = session->request->undirected;
    weir__cli_progress("loading %s ...", session->request->graph);
    if ((status = weir_graph_open(session->request->graph, &options, &session->graph)))
        return weir__cli_fail_status(status);
    int code = weir__cli_sources(session->request, session->graph, &session->sources,
                                 &session->source_count);
    return !code && session->algorithm->weighted
               ? weir__cli_weigh(session->request, session->graph, session->weights)
               : code;
}

static weir_run_options options_of(const weir__cli_request *request)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.route = (weir_route_kind)request->route;
    options.order = (weir_order_kind)request->order;
    options.delta = request->delta;
    options.kernel = (weir_kernel_kind)request->kernel;
    options.worker = (weir_worker_kind)request->worker;
    options.fetch = (uint32_t)request->fetch;
    options.mapping = (weir_mapping_kind)request->mapping;
    options.group = request->group;
    options.time_limit_ms = (uint32_t)request->time_limit_ms;
    return options;
}

static int place(struct session *session)
{
    const weir__cli_request *request = session->request;
    weir_run_options options = options_of(request);
    weir__cli_progress("partitioning ...");
    weir_status status = weir_partition_create(
        session->graph, (weir_partition_kind)request->partition,
        weir_context_device_count(session->context), request->seed, NULL, &session->partition);
    if (!status)
        status = session->algorithm->create(session->context, session->graph, session->partition,
                                            &options, &session->object);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

static int allocate(struct session *session)
{
    size_t vertices = (size_t)session->graph->vertices;
    size_t trials = (size_t)session->request->trials;
    int fits = session->source_count <= SIZE_MAX / trials;
    session->values = calloc(vertices, session->algorithm->value_bytes);
    if (session->request->verify)
        session->expected = calloc(vertices, session->algorithm->value_bytes);
    if (fits)
        session->trials = calloc(session->source_count * trials, sizeof *session->trials);
    if (!session->trials)
        return weir__cli_fail(EXIT_RUN, "no memory for the results of %zu times %zu trials",
                              (size_t)session->source_count, trials);
    if (!session->values || (session->request->verify && !session->expected))
        return weir__cli_fail(EXIT_RUN, "no memory for the results of %zu vertices", vertices);
    return EXIT_DONE;
}

static void cancel(void *user)
{
    struct session *session = user;
    session->algorithm->cancel(session->object);
}

static int run_once(struct session *session, uint64_t source, weir_run_stats *stats_out)
{
    weir__cli_signals_watch(cancel, session);
    return weir__cli_run_end(session->algorithm->run(session->object, source, stats_out));
}

/* Compares the values at hand; a difference is remembered and reported with the other results. */
static int verify(struct session *session)
{
    int code = weir__cli_compare(session->algorithm, session->values, session->expected,
                                 session->graph->vertices, &session->difference);
    session->verified = !session->difference;
    return code;
}

static int run_trial(struct session *session, uint64_t source)
{
    const weir__cli_algorithm *algorithm = session->algorithm;
    weir__cli_trial *trial = &session->trials[session->trial_count];
    weir__cli_progress("running trial %zu/%zu ...", session->trial_count + 1,
                       session->source_count * (size_t)session->request->trials);
    trial->source = source;
    int code = run_once(session, source, &trial->stats);
    if (code)
        return code;
    session->trial_count++;
    weir_status status = algorithm->values(session->object, session->values);
    if (status)
        return weir__cli_fail_status(status);
    code = weir__cli_trial_finish(trial, algorithm, session->object,
                                  weir_context_device_count(session->context), session->values,
                                  session->graph->vertices);
    return !code && session->request->verify ? verify(session) : code;
}

static int run_source(struct session *session, uint64_t source)
{
    const weir__cli_request *request = session->request;
    weir_status status = WEIR_OK;
    int code = EXIT_DONE;
    if (request->verify)
        status = session->algorithm->reference(session->graph, source, session->expected);
    if (status)
        return weir__cli_fail_status(status);
    for (uint64_t i = 0; i < request->trials && !code && !session->difference; i++)
        code = run_trial(session, source);
    return code;
}

static int run_all(struct session *session)
{
    weir_run_stats warm_up;
    int code = EXIT_DONE;
    if (session->request->trials > 1) {
        weir__cli_progress("warming up ...");
        code = run_once(session, session->sources[0], &warm_up);
    }
    for (size_t i = 0; i < session->source_count && !code && !session->difference; i++)
        code = run_source(session, session->sources[i]);
    weir__cli_progress(NULL);
    return code;
}

static void write_values(struct session *session)
{
    const weir__cli_algorithm *algorithm = session->algorithm;
    FILE *file = session->outputs[OUTPUT].file;
    char room[VALUE_ROOM];
    for (uint64_t v = 0; v < session->graph->vertices; v++) {
        weir__cli_value_text(algorithm, algorithm->at(session->values, v), room);
        if (fputs(room, file) < 0 || putc('\n', file) < 0)
            break; /* commit sees the stream's error and says why */
    }
}

static void print(const struct session *session, const weir__cli_report *report)
{
    int taken = weir__cli_output_is_stdout(&session->outputs[OUTPUT]) ||
                weir__cli_output_is_stdout(&session->outputs[JSON]);
    if (!taken)
        weir__cli_report_text(report);
    if (session->request->stats)
        weir__cli_report_work(report, taken ? stderr : stdout);
}

/* A wrong result is reported and its document written, but no file of values is left. */
static int report(struct session *session)
{
    weir__cli_report report = {.algorithm = session->algorithm,
                               .request = session->request,
                               .context = session->context,
                               .graph = session->graph,
                               .weights = *session->weights ? session->weights : NULL,
                               .partition = session->partition,
                               .trials = session->trials,
                               .trial_count = session->trial_count,
                               .verified = session->verified,
                               .difference = session->difference};
    int code = weir__cli_summarize(session->trials, session->trial_count, &report.summary);
    if (!code && session->outputs[JSON].file)
        code = weir__cli_report_json(&report, &session->outputs[JSON]);
    if (!code && session->difference)
        weir__cli_output_drop(&session->outputs[OUTPUT]);
    if (!code && session->outputs[OUTPUT].file)
        write_values(session);
    if (!code)
        print(session, &report);
    return code ? code : weir__cli_run_commit(session->outputs, OUTPUTS, session->difference);
}

static void close_session(struct session *session)
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
    for (size_t i = 0; i < session->trial_count; i++)
        weir__cli_trial_drop(&session->trials[i]);
    free(session->trials);
    free(session->difference);
}

static int traverse(const weir__cli_algorithm *algorithm, const weir__cli_request *request)
{
    struct session session = {.algorithm = algorithm, .request = request, .verified = -1};
    int code = check_options(&session);
    if (!code)
        code = weir__cli_signals_start();
    if (!code)
        code = open_outputs(&session);
    if (!code)
        code = load(&session);
    if (!code)
        code = place(&session);
    if (!code)
        code = allocate(&session);
    if (!code)
        code = run_all(&session);
    if (!code)
        code = report(&session);
    close_session(&session);
    return code;
}

int weir__cli_bfs(const weir__cli_request *request)
{
    return traverse(&weir__cli_algorithm_bfs, request);
}

int weir__cli_sssp(const weir__cli_request *request)
{
    return traverse(&weir__cli_algorithm_sssp, request);
}
