/** @file verb_bfs.c  weir bfs: place a graph on devices, traverse it, report.
 *
 * Cheap checks come first: options, then output files, devices, the graph, and at last what needs
 * the graph, so that a typing mistake never costs a loaded graph. */
#include "algorithms/cli/cli.h"

#include <stdlib.h>

enum { OUTPUT, JSON, OUTPUTS };

struct session {
    const weir__cli_request *request;
    weir__cli_output outputs[OUTPUTS];
    weir_context *context;
    weir_graph *graph;
    weir_partition *partition;
    weir_bfs *bfs;
    uint64_t *sources;
    size_t source_count;
    int32_t *levels;   /* of the last run */
    int32_t *expected; /* of the reference; NULL without --verify */
    weir__cli_trial *trials;
    size_t trial_count; /* done so far */
    int verified;
    char *difference;
};

static int check_options(const weir__cli_request *request)
{
    if (!request->graph)
        return weir__cli_fail(EXIT_USAGE, "bfs: GRAPH is missing; see weir help bfs");
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
    return weir__cli_sources(session->request, session->graph, &session->sources,
                             &session->source_count);
}

static int place(struct session *session)
{
    const weir__cli_request *request = session->request;
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_status status;
    options.route = (weir_route_kind)request->route;
    options.order = (weir_order_kind)request->order;
    options.delta = request->delta;
    options.time_limit_ms = (uint32_t)request->time_limit_ms;
    weir__cli_progress("partitioning ...");
    status = weir_partition_create(session->graph, (weir_partition_kind)request->partition,
                                   weir_context_device_count(session->context), request->seed, NULL,
                                   &session->partition);
    if (!status)
        status = weir_bfs_create(session->context, session->graph, session->partition, &options,
                                 &session->bfs);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

static int allocate(struct session *session)
{
    size_t vertices = (size_t)session->graph->vertices;
    size_t trials = (size_t)session->request->trials;
    int fits = session->source_count <= SIZE_MAX / trials;
    session->levels = malloc(vertices * sizeof *session->levels);
    if (session->request->verify)
        session->expected = malloc(vertices * sizeof *session->expected);
    if (fits)
        session->trials = calloc(session->source_count * trials, sizeof *session->trials);
    if (!session->trials)
        return weir__cli_fail(EXIT_RUN, "no memory for the results of %zu times %zu trials",
                              (size_t)session->source_count, trials);
    if (!session->levels || (session->request->verify && !session->expected))
        return weir__cli_fail(EXIT_RUN, "no memory for the results of %zu vertices", vertices);
    return EXIT_DONE;
}

static void cancel(void *bfs)
{
    weir_bfs_cancel(bfs);
}

static int run_once(struct session *session, uint64_t source, weir_run_stats *stats_out)
{
    weir__cli_signals_watch(cancel, session->bfs);
    return weir__cli_run_end(weir_bfs_run(session->bfs, source, stats_out));
}

/* Compares the levels at hand; a difference is remembered and reported with the other results. */
static int verify(struct session *session)
{
    int code = weir__cli_compare(session->levels, session->expected, session->graph->vertices,
                                 &session->difference);
    session->verified = !session->difference;
    return code;
}

static int run_source(struct session *session, uint64_t source)
{
    const weir__cli_request *request = session->request;
    weir_status status = WEIR_OK;
    int code = EXIT_DONE;
    if (request->verify)
        status = weir_bfs_reference(session->graph, source, session->expected);
    if (status)
        return weir__cli_fail_status(status);
    for (uint64_t i = 0; i < request->trials && !code && !session->difference; i++) {
        weir__cli_trial *trial = &session->trials[session->trial_count];
        weir__cli_progress("running trial %zu/%zu ...", session->trial_count + 1,
                           session->source_count * (size_t)request->trials);
        trial->source = source;
        if ((code = run_once(session, source, &trial->stats)))
            return code;
        if ((status = weir_bfs_levels(session->bfs, session->levels)))
            return weir__cli_fail_status(status);
        weir__cli_trial_finish(trial, session->levels, session->graph->vertices);
        session->trial_count++;
        if (request->verify)
            code = verify(session);
    }
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

static int write_levels(struct session *session)
{
    FILE *file = session->outputs[OUTPUT].file;
    for (uint64_t v = 0; v < session->graph->vertices; v++)
        if (fprintf(file, "%d\n", session->levels[v]) < 0)
            break; /* commit sees the stream's error and says why */
    return EXIT_DONE;
}

/* A wrong result is reported and its document written, but no file of levels is left. */
static int report(struct session *session)
{
    weir__cli_report report = {"bfs",
                               session->request,
                               session->context,
                               session->graph,
                               session->partition,
                               session->trials,
                               session->trial_count,
                               session->verified,
                               session->difference,
                               {0, 0, 0, 0}};
    int code = weir__cli_summarize(session->trials, session->trial_count, &report.summary);
    if (!code && session->outputs[JSON].file)
        code = weir__cli_report_json(&report, &session->outputs[JSON]);
    if (!code && session->difference)
        weir__cli_output_drop(&session->outputs[OUTPUT]);
    if (!code && session->outputs[OUTPUT].file)
        code = write_levels(session);
    if (!code && !weir__cli_output_is_stdout(&session->outputs[OUTPUT]) &&
        !weir__cli_output_is_stdout(&session->outputs[JSON]))
        weir__cli_report_text(&report);
    return code ? code : weir__cli_run_commit(session->outputs, OUTPUTS, session->difference);
}

static void close_session(struct session *session)
{
    for (int i = 0; i < OUTPUTS; i++)
        weir__cli_output_drop(&session->outputs[i]);
    weir_bfs_destroy(session->bfs);
    weir_partition_destroy(session->partition);
    weir_graph_destroy(session->graph);
    if (session->context)
        weir_context_destroy(session->context);
    free(session->sources);
    free(session->levels);
    free(session->expected);
    free(session->trials);
    free(session->difference);
}

int weir__cli_bfs(const weir__cli_request *request)
{
    struct session session = {.request = request, .verified = -1};
    int code = check_options(request);
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
