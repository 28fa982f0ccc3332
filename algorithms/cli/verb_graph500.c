/** @file verb_graph500.c  weir graph500: the Graph500 benchmark as its specification says.
 *
 * The list of edges is drawn into memory, with loops and duplicates, before any clock runs. *Kernel 1* is what follows until searches
 * could begin: the graph is made of that list, and placed on the devices. Roots are drawn from the vertices that have an edge to another
 * one. *Kernel 2* searches from each root in turn; its clock runs from the call until the parents lie in host memory in the order of
 * vertices, and is read once on the way, when the result is complete in the devices' memory. Behind the clock the devices judge each
 * result by the specification's five rules, without anything of the engine, and the first that breaks one ends the run.
 *
 * The edges of a search are those of the input whose ends were reached: by where they begin they are counted once, when the list is
 * there, and summed up over the vertices reached. An edge between two vertices, or of one to itself, counts once for each time it was
 * drawn, as the specification has it: loops, and half of the tuples that leave the vertices of the component in either direction. */
#include "algorithms/cli/graph500.h"
#include "algorithms/cli/traversal.h"
#include "algorithms/reference.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <inttypes.h>
#include <stdlib.h>

enum { JSON, OUTPUTS };
enum { CHUNK = 1 << 14 }; /* edges that a thread takes at a time */
enum { ROOTS = 64 };      /* as the specification says */

struct session {
    const weir__cli_request *request;
    weir__cli_output outputs[OUTPUTS];
    char text[64]; /* the generator's */
    /* The list of edges, until the graph is made. */
    uint32_t *from, *to;
    uint64_t *begins; /* edges that begin at each vertex */
    weir_graph *graph;
    weir_bfs *bfs;
    int32_t *levels;
    int64_t *parents;
    uint64_t *roots;
    weir__cli_graph500_report report;
};

/* ---- the list of edges -------------------------------------------------------------------------------- */

static int take_list(struct session *session)
{
    const uint64_t edges = session->report.edges, vertices = session->report.vertices;
    struct weir__need need = {0, 0};
    weir_status status;
    weir__need_take(&need, edges, 2 * sizeof *session->from);
    weir__need_take(&need, vertices, sizeof *session->begins);
    if ((status = weir__need_fits(&need, "a list of %" PRIu64 " edges", edges)) ||
        (status = weir__alloc(edges, sizeof *session->from, "begins of edges", &session->from)) ||
        (status = weir__alloc(edges, sizeof *session->to, "ends of edges", &session->to)) ||
        (status = weir__calloc(vertices, sizeof *session->begins, "edges of vertices",
                               &session->begins)))
        return weir__cli_fail_status(status);
    return EXIT_DONE;
}

static void count_begins(void *user, uint64_t begin, uint64_t end)
{
    const struct session *session = user;
    for (uint64_t i = begin; i < end; i++)
        __atomic_fetch_add(&session->begins[session->from[i]], 1, __ATOMIC_RELAXED);
}

static int generate(struct session *session)
{
    const uint64_t edges = session->report.edges;
    int code = take_list(session);
    if (code)
        return code;
    weir__cli_progress("drawing %" PRIu64 " edges", edges);
    const uint64_t begin_ns = weir__now_ns();
    const weir_status status =
        weir_generator_arcs(session->text, 0, edges, session->from, session->to);
    if (status)
        return weir__cli_fail_status(status);
    session->report.generation = weir__elapsed_ms(begin_ns) / 1e3;
    weir__cli_progress("counting edges");
    weir__parallel_for(edges, CHUNK, 0, count_begins, session);
    return EXIT_DONE;
}

static void free_list(struct session *session)
{
    free(session->from);
    free(session->to);
    session->from = session->to = NULL;
}

/* ---- kernel 1 ------------------------------------------------------------------------------------------ */

/* What the command takes behind the graph: results of a search, and their judgement. */
static uint64_t own_bytes(const struct session *session)
{
    const weir_graph *graph = session->graph;
    struct weir__need need = {0, 0};
    weir__need_take(&need, graph->vertices, sizeof *session->levels + sizeof *session->parents);
    weir__bfs_certify_need(session->report.context, graph, 1, &need);
    return (uint64_t)need.most;
}

static weir_status place(struct session *session)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.parents = 1;
    options.time_limit_ms = (uint32_t)session->request->time_limit_ms;
    options.reserved_bytes = own_bytes(session);
    weir__cli_progress("preparing bfs");
    return weir_bfs_create(session->report.context, session->graph, NULL, &options, &session->bfs);
}

static int construct(struct session *session)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir__cli_graph500_report *report = &session->report;
    options.undirected = 1;
    options.context = report->context;
    weir__cli_progress("constructing");
    const uint64_t begin_ns = weir__now_ns();
    weir_status status = weir_graph_from_arcs(report->vertices, report->edges, session->from,
                                              session->to, NULL, &options, &session->graph);
    if (!status)
        status = place(session);
    report->construction = weir__elapsed_ms(begin_ns) / 1e3;
    free_list(session);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

/* ---- roots --------------------------------------------------------------------------------------------- */

/* As many as were asked for, or as there are: loops are no arcs of the graph, so what has arcs has an edge to another vertex. */
static int find_roots(struct session *session)
{
    weir__cli_request request = *session->request;
    const weir_graph *graph = session->graph;
    uint64_t candidates = 0;
    for (uint64_t v = 0; v < graph->vertices; v++)
        candidates += graph->offsets[v + 1] > graph->offsets[v];
    if (!candidates)
        return weir__cli_fail(EXIT_USAGE, "%s: no vertex has an edge to another one to start from",
                              session->text);
    request.graph = session->text;
    request.sources = request.sources ? request.sources : ROOTS;
    if (request.sources > candidates)
        request.sources = candidates;
    return weir__cli_sources(&request, graph, &session->roots, &session->report.count);
}

static int allocate(struct session *session)
{
    const size_t vertices = (size_t)session->graph->vertices, roots = session->report.count;
    weir__cli_graph500_report *report = &session->report;
    weir_status status;
    if ((status = weir__calloc(vertices, sizeof *session->levels, "levels", &session->levels)) ||
        (status = weir__calloc(vertices, sizeof *session->parents, "parents", &session->parents)) ||
        (status = weir__calloc(roots, sizeof *report->runs, "results", &report->runs)))
        return weir__cli_fail_status(status);
    for (size_t i = 0; i < roots; i++)
        report->runs[i].root = session->roots[i];
    report->count = 0;
    return EXIT_DONE;
}

/* ---- kernel 2 ------------------------------------------------------------------------------------------ */

static void cancel(void *user)
{
    const struct session *session = user;
    weir_bfs_cancel(session->bfs);
}

static int search(struct session *session, uint64_t root, weir__cli_search *search_out)
{
    weir__cli_signals_watch(cancel, session);
    const uint64_t begin_ns = weir__now_ns();
    weir_status status = weir_bfs_run(session->bfs, root, NULL);
    search_out->device = weir__elapsed_ms(begin_ns) / 1e3;
    if (!status)
        status = weir_bfs_parents(session->bfs, session->parents);
    search_out->host = weir__elapsed_ms(begin_ns) / 1e3;
    return weir__cli_run_end(status);
}

/* Judge the tree at hand. Levels are brought for that alone. */
static int validate(struct session *session, uint64_t root, weir__cli_search *search_out)
{
    weir__cli_graph500_report *report = &session->report;
    const uint64_t begin_ns = weir__now_ns();
    weir_status status = weir_bfs_levels(session->bfs, session->levels);
    if (!status)
        status = weir_bfs_certify(report->context, session->graph, root, session->levels,
                                  session->parents);
    search_out->validate = weir__elapsed_ms(begin_ns) / 1e3;
    if (status == WEIR_ERR_VERIFY) /* the sentence stays until this thread's next failure */
        report->difference = weir_error_detail();
    return status && status != WEIR_ERR_VERIFY ? weir__cli_fail_status(status) : EXIT_DONE;
}

static uint64_t edges_reached(const struct session *session)
{
    uint64_t edges = 0;
    for (uint64_t v = 0; v < session->graph->vertices; v++)
        edges += session->parents[v] != -1 ? session->begins[v] : 0;
    return edges;
}

static int run_root(struct session *session, size_t i)
{
    weir__cli_rooted *run = &session->report.runs[i];
    weir__cli_search *found = &run->search[GRAPH500_BFS];
    weir__cli_progress("searching from root %zu", i + 1);
    int code = search(session, run->root, found);
    if (code)
        return code;
    run->edges = edges_reached(session);
    weir__cli_progress("validating root %zu", i + 1);
    code = validate(session, run->root, found);
    if (!code)
        session->report.count++;
    return code;
}

/* A search that nobody counts comes first, as in the reference implementation. */
static int run_all(struct session *session, size_t roots)
{
    weir__cli_search warm_up;
    weir__cli_progress("warming up");
    int code = search(session, session->roots[0], &warm_up);
    for (size_t i = 0; i < roots && !code && !session->report.difference; i++)
        code = run_root(session, i);
    weir__cli_progress(NULL);
    return code;
}

/* ---- the verb ------------------------------------------------------------------------------------------ */

static int open_all(struct session *session)
{
    const weir__cli_request *request = session->request;
    weir_status status;
    int code;
    if (request->json &&
        (code = weir__cli_output_open(&session->outputs[JSON], "json", request->json, request)))
        return code;
    status = weir_context_create(request->devices, NULL, &session->report.context);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

/* Nothing but the document tells of a run that failed a validation, as the specification gives such a run no figures. */
static int report(struct session *session)
{
    const weir__cli_graph500_report *found = &session->report;
    int code = EXIT_DONE;
    if (session->outputs[JSON].file)
        code = weir__cli_graph500_json(found, &session->outputs[JSON]);
    if (!code && !found->difference && !weir__cli_output_is_stdout(&session->outputs[JSON]))
        code = weir__cli_graph500_text(found);
    return code ? code : weir__cli_run_commit(session->outputs, OUTPUTS, found->difference);
}

static void close_session(struct session *session)
{
    for (int i = 0; i < OUTPUTS; i++)
        weir__cli_output_drop(&session->outputs[i]);
    weir_bfs_destroy(session->bfs);
    weir_graph_destroy(session->graph);
    if (session->report.context)
        weir_context_destroy(session->report.context);
    free_list(session);
    free(session->begins);
    free(session->levels);
    free(session->parents);
    free(session->roots);
    free(session->report.runs);
}

int weir__cli_graph500(const weir__cli_request *request)
{
    struct session session = {.request = request};
    if (!request->scale)
        return weir__cli_fail(EXIT_USAGE, "graph500: --scale is missing; see weir help graph500");
    snprintf(session.text, sizeof session.text, "rmat:%" PRIu64 ",%" PRIu64 ",%" PRIu64,
             request->scale, request->edge_factor, request->seed);
    session.report = (weir__cli_graph500_report){
        .request = request,
        .graph = session.text,
        .vertices = UINT64_C(1) << request->scale,
        .edges = request->edge_factor << request->scale,
        .kernels = 1,
    };
    size_t roots = 0;
    int code = weir__cli_signals_start(request);
    if (!code)
        code = open_all(&session);
    if (!code)
        code = generate(&session);
    if (!code)
        code = construct(&session);
    if (!code)
        code = find_roots(&session);
    roots = session.report.count;
    if (!code)
        code = allocate(&session);
    if (!code)
        code = run_all(&session, roots);
    if (!code)
        code = report(&session);
    close_session(&session);
    return code;
}
