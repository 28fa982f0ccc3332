/** @file verb_graph500.c  weir graph500: the Graph500 benchmark as its specification says.
 *
 * The list of edges is drawn into memory, with loops and duplicates, before any clock runs; with --sssp each edge has a weight. *Kernel 1*
 * is what follows until searches could begin: the graph is made of that list, and placed on the devices. Roots are drawn from the vertices
 * that have an edge to another one. *Kernel 2* searches breadth-first from each root in turn, *kernel 3* finds shortest paths; a clock runs
 * from the call until parents, and distances, lie in host memory in the order of vertices, and is read once on the way, when the result is
 * complete in the devices' memory. Behind the clock the devices judge each result by the specification's five rules, without anything of
 * the engine, and the first that breaks one ends the run.
 *
 * The edges of a search are those of the input whose ends were reached: by where they begin they are counted once, when the list is
 * there, and summed up over the vertices reached. An edge between two vertices, or of one to itself, counts once for each time it was
 * drawn, as the specification has it: loops, and half of the tuples that leave the vertices of the component in either direction.
 *
 * A weight is a number of single precision, uniform in 0 to 1: an odd multiple of 2^-22 below 1. The graph has it in units of 2^-22, as an
 * integer, so that sums are exact, shortest paths go in step, and no arc has weight 0, which a tree needs (weir_sssp_parents()). Of
 * duplicates the smallest weight stays. Distances are in these units. */
#include "algorithms/cli/graph500.h"
#include "algorithms/cli/traversal.h"
#include "algorithms/graph/random.h"
#include "algorithms/reference.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <inttypes.h>
#include <stdlib.h>

enum { JSON, OUTPUTS };
enum { CHUNK = 1 << 14 };  /* edges that a thread takes at a time */
enum { ROOTS = 64 };       /* as the specification says */
enum { WEIGHT_BITS = 22 }; /* a weight is so many bits behind the point, of which the last is 1 */

struct session {
    const weir__cli_request *request;
    weir__cli_output outputs[OUTPUTS];
    char text[64]; /* the generator's */
    /* The list of edges, until the graph is made. */
    uint32_t *from, *to;
    double *weights;  /* whole numbers; NULL without --sssp */
    uint64_t *begins; /* edges that begin at each vertex */
    weir_graph *graph;
    weir_bfs *bfs;
    weir_sssp *sssp; /* NULL without --sssp */
    int32_t *levels;
    double *distances; /* the same */
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
    weir__need_take(&need, edges,
                    2 * sizeof *session->from + (session->request->sssp ? sizeof(double) : 0));
    weir__need_take(&need, vertices, sizeof *session->begins);
    if ((status = weir__need_fits(&need, "a list of %" PRIu64 " edges", edges)) ||
        (status = weir__alloc(edges, sizeof *session->from, "begins of edges", &session->from)) ||
        (status = weir__alloc(edges, sizeof *session->to, "ends of edges", &session->to)) ||
        (session->request->sssp && (status = weir__alloc(edges, sizeof *session->weights,
                                                         "weights of edges", &session->weights))) ||
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

static void draw_weights(void *user, uint64_t begin, uint64_t end)
{
    const struct session *session = user;
    const uint64_t seed =
        weir__mix(session->request->seed); /* edges are drawn by the seed itself */
    for (uint64_t i = begin; i < end; i++)
        session->weights[i] = (double)(weir__random(seed, i) >> (64 - (WEIGHT_BITS - 1)) << 1 | 1);
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
    if (session->weights)
        weir__parallel_for(edges, CHUNK, 0, draw_weights, session);
    session->report.generation = weir__elapsed_ms(begin_ns) / 1e3;
    weir__cli_progress("counting edges");
    weir__parallel_for(edges, CHUNK, 0, count_begins, session);
    return EXIT_DONE;
}

static void free_list(struct session *session)
{
    free(session->from);
    free(session->to);
    free(session->weights);
    session->from = session->to = NULL;
    session->weights = NULL;
}

/* ---- kernel 1 ------------------------------------------------------------------------------------------ */

/* What the command takes behind the graph: results of a search, and their judgement. */
static uint64_t own_bytes(const struct session *session)
{
    const weir_graph *graph = session->graph;
    struct weir__need need = {0, 0};
    weir__need_take(&need, graph->vertices, sizeof *session->levels + sizeof *session->parents);
    weir__bfs_certify_need(session->report.context, graph, 1, &need);
    if (session->request->sssp) {
        weir__need_take(&need, graph->vertices, sizeof *session->distances);
        weir__sssp_certify_need(session->report.context, graph, 1, &need);
    }
    return (uint64_t)need.most;
}

static weir_status place(struct session *session)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    weir_context *context = session->report.context;
    options.parents = 1;
    options.time_limit_ms = (uint32_t)session->request->time_limit_ms;
    options.reserved_bytes = own_bytes(session);
    weir__cli_progress("preparing bfs");
    weir_status status = weir_bfs_create(context, session->graph, NULL, &options, &session->bfs);
    if (status || !session->request->sssp)
        return status;
    weir__cli_progress("preparing sssp");
    return weir_sssp_create(context, session->graph, NULL, &options, &session->sssp);
}

static int construct(struct session *session)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir__cli_graph500_report *report = &session->report;
    options.undirected = 1;
    options.context = report->context;
    weir__cli_progress("constructing");
    const uint64_t begin_ns = weir__now_ns();
    weir_status status =
        weir_graph_from_arcs(report->vertices, report->edges, session->from, session->to,
                             session->weights, &options, &session->graph);
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

/* Results come faster into page-locked memory. Where none is to be had, any does. */
static weir_status take(const struct session *session, size_t count, size_t bytes, const char *what,
                        void *data_out)
{
    const weir_status status =
        weir__locked_alloc(session->report.context, count, bytes, what, data_out);
    return status == WEIR_ERR_NOMEM ? weir__alloc(count, bytes, what, data_out) : status;
}

static int allocate(struct session *session)
{
    const size_t vertices = (size_t)session->graph->vertices, roots = session->report.count;
    weir__cli_graph500_report *report = &session->report;
    weir_status status;
    if ((status = take(session, vertices, sizeof *session->levels, "levels", &session->levels)) ||
        (status =
             take(session, vertices, sizeof *session->parents, "parents", &session->parents)) ||
        (session->sssp && (status = take(session, vertices, sizeof *session->distances, "distances",
                                         &session->distances))) ||
        (status = weir__calloc(roots, sizeof *report->runs, "results", &report->runs)))
        return weir__cli_fail_status(status);
    for (size_t i = 0; i < roots; i++)
        report->runs[i].root = session->roots[i];
    return EXIT_DONE;
}

/* ---- kernels 2 and 3 ----------------------------------------------------------------------------------- */

static void cancel_bfs(void *user)
{
    weir_bfs_cancel(((const struct session *)user)->bfs);
}

static weir_status run_bfs(struct session *session, uint64_t root)
{
    return weir_bfs_run(session->bfs, root, NULL);
}

static weir_status bring_bfs(struct session *session)
{
    return weir_bfs_parents(session->bfs, session->parents);
}

/* Levels are brought for this alone. */
static weir_status judge_bfs(struct session *session, uint64_t root)
{
    const weir_status status = weir_bfs_levels(session->bfs, session->levels);
    return status ? status
                  : weir_bfs_certify(session->report.context, session->graph, root, session->levels,
                                     session->parents);
}

static void cancel_sssp(void *user)
{
    weir_sssp_cancel(((const struct session *)user)->sssp);
}

static weir_status run_sssp(struct session *session, uint64_t root)
{
    return weir_sssp_run(session->sssp, root, NULL);
}

static weir_status bring_sssp(struct session *session)
{
    const weir_status status = weir_sssp_distances(session->sssp, session->distances);
    return status ? status : weir_sssp_parents(session->sssp, session->parents);
}

static weir_status judge_sssp(struct session *session, uint64_t root)
{
    return weir_sssp_certify(session->report.context, session->graph, root, session->distances,
                             session->parents);
}

static const struct kernel {
    const char *name; /* for people */
    void (*cancel)(void *session);
    weir_status (*run)(struct session *session, uint64_t root);
    weir_status (*bring)(struct session *session); /* the result into host memory */
    weir_status (*judge)(struct session *session, uint64_t root);
} kernels[GRAPH500_KERNELS] = {
    {"breadth-first search", cancel_bfs, run_bfs, bring_bfs, judge_bfs},
    {"shortest paths", cancel_sssp, run_sssp, bring_sssp, judge_sssp},
};

static int search(struct session *session, const struct kernel *kernel, uint64_t root,
                  weir__cli_search *search_out)
{
    weir__cli_signals_watch(kernel->cancel, session);
    const uint64_t begin_ns = weir__now_ns();
    weir_status status = kernel->run(session, root);
    search_out->device = weir__elapsed_ms(begin_ns) / 1e3;
    if (!status)
        status = kernel->bring(session);
    search_out->host = weir__elapsed_ms(begin_ns) / 1e3;
    return weir__cli_run_end(status);
}

/* Judge the result at hand; what is wrong with it is remembered. */
static int validate(struct session *session, const struct kernel *kernel, uint64_t root,
                    weir__cli_search *search_out)
{
    const uint64_t begin_ns = weir__now_ns();
    const weir_status status = kernel->judge(session, root);
    search_out->validate = weir__elapsed_ms(begin_ns) / 1e3;
    if (status != WEIR_ERR_VERIFY)
        return status ? weir__cli_fail_status(status) : EXIT_DONE;
    weir__cli_graph500_report *report = &session->report;
    snprintf(report->difference, sizeof report->difference, "%s from root %" PRIu64 ": %s",
             kernel->name, root, weir_error_detail());
    return EXIT_DONE;
}

static uint64_t edges_reached(const struct session *session)
{
    uint64_t edges = 0;
    for (uint64_t v = 0; v < session->graph->vertices; v++)
        edges += session->parents[v] != -1 ? session->begins[v] : 0;
    return edges;
}

/* All searches of a kernel. A search that nobody counts comes first, as in the reference implementation. */
static int run_kernel(struct session *session, uint32_t which, size_t roots)
{
    const struct kernel *kernel = &kernels[which];
    weir__cli_graph500_report *report = &session->report;
    weir__cli_search warm_up;
    weir__cli_progress("%s: warming up", kernel->name);
    int code = search(session, kernel, session->roots[0], &warm_up);
    for (size_t i = 0; i < roots && !code && !*report->difference; i++) {
        weir__cli_rooted *run = &report->runs[i];
        weir__cli_progress("%s: root %zu/%zu", kernel->name, i + 1, roots);
        if ((code = search(session, kernel, run->root, &run->search[which])))
            break;
        weir__cli_progress("%s: validating root %zu/%zu", kernel->name, i + 1, roots);
        run->edges = edges_reached(session);
        code = validate(session, kernel, run->root, &run->search[which]);
    }
    return code;
}

static int run_all(struct session *session)
{
    const weir__cli_graph500_report *report = &session->report;
    int code = EXIT_DONE;
    for (uint32_t which = 0; which < report->kernels && !code && !*report->difference; which++)
        code = run_kernel(session, which, report->count);
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
    const char *difference = *found->difference ? found->difference : NULL;
    if (session->outputs[JSON].file)
        code = weir__cli_graph500_json(found, &session->outputs[JSON]);
    if (!code && !difference && !weir__cli_output_is_stdout(&session->outputs[JSON]))
        code = weir__cli_graph500_text(found);
    return code ? code : weir__cli_run_commit(session->outputs, OUTPUTS, difference);
}

static void close_session(struct session *session)
{
    for (int i = 0; i < OUTPUTS; i++)
        weir__cli_output_drop(&session->outputs[i]);
    weir_bfs_destroy(session->bfs);
    weir_sssp_destroy(session->sssp);
    weir_graph_destroy(session->graph);
    if (session->report.context) {
        weir__locked_free(session->report.context, session->levels);
        weir__locked_free(session->report.context, session->distances);
        weir__locked_free(session->report.context, session->parents);
        weir_context_destroy(session->report.context);
    }
    free_list(session);
    free(session->begins);
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
        .kernels = request->sssp ? 2 : 1,
    };
    int code = weir__cli_signals_start(request);
    if (!code)
        code = open_all(&session);
    if (!code)
        code = generate(&session);
    if (!code)
        code = construct(&session);
    if (!code)
        code = find_roots(&session);
    if (!code)
        code = allocate(&session);
    if (!code)
        code = run_all(&session);
    if (!code)
        code = report(&session);
    close_session(&session);
    return code;
}
