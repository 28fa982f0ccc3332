/** @file verb_info.c  weir info: facts about a graph, and how it would run. */
#include "algorithms/cli/devices.h"
#include "algorithms/cli/info.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

struct info {
    const weir__cli_request *request;
    weir__cli_output output; /* of --json */
    weir_context *context;   /* NULL, as all below: with --brief */
    weir_graph *graph;
    weir_graph_summary facts;
    weir_graph_span span;
    char no_span[SENTENCE_ROOM]; /* why it was not found; "": it was */
    weir__cli_how *hows;
    size_t how_count;
    /* Of the graph before it got weights for an algorithm that needs some. */
    weir_weight_kind weight_kind;
};

static const char *weights_text(weir_weight_kind kind)
{
    return kind == WEIR_WEIGHT_U32 ? "integers" : kind == WEIR_WEIGHT_F64 ? "numbers" : "none";
}

/* ---- text ---- */

/* How many classes of degrees have vertices. */
static int classes_of(const weir_graph_summary *facts)
{
    int count = WEIR_DEGREE_CLASSES;
    while (count && !facts->out_degrees[count - 1] && !facts->in_degrees[count - 1])
        count--;
    return count;
}

static uint64_t class_begin(int class)
{
    return class ? UINT64_C(1) << (class - 1) : 0;
}

static uint64_t class_end(int class)
{
    return class ? (UINT64_C(1) << class) - 1 : 0;
}

static void print_degree(const char *name, uint64_t degree, uint64_t vertex, uint64_t vertices)
{
    printf("%-16s %" PRIu64, name, degree);
    if (vertices)
        printf(" (vertex %" PRIu64 ")", vertex);
    putchar('\n');
}

static void print_degrees(const weir_graph_summary *facts)
{
    printf("\n%-23s %12s", "vertices by degree", facts->symmetric ? "out and in" : "out");
    if (!facts->symmetric)
        printf(" %12s", "in");
    putchar('\n');
    for (int i = 0; i < classes_of(facts); i++) {
        char range[48];
        if (class_begin(i) == class_end(i))
            snprintf(range, sizeof range, "%" PRIu64, class_begin(i));
        else
            snprintf(range, sizeof range, "%" PRIu64 "-%" PRIu64, class_begin(i), class_end(i));
        printf("  %-21s %12" PRIu64, range, facts->out_degrees[i]);
        if (!facts->symmetric)
            printf(" %12" PRIu64, facts->in_degrees[i]);
        putchar('\n');
    }
}

static void print_span(const struct info *info)
{
    const weir_graph_span *span = &info->span;
    const uint64_t n = info->graph->vertices;
    if (*info->no_span) {
        printf("\ncomponents       not found: %s\n", info->no_span);
        return;
    }
    printf("\ncomponents       %" PRIu64, span->components);
    if (n)
        printf(", the largest of %" PRIu64 " vertices, %.4g %%", span->largest,
               100 * (double)span->largest / (double)n);
    putchar('\n');
    if (!n)
        return;
    printf("diameter         at least %" PRIu64 ", at most %" PRIu64
           ": hops in the largest component%s (%" PRIu64 " search%s)\n",
           span->diameter_least, span->diameter_most,
           info->facts.symmetric ? "" : " with arcs taken both ways", span->searches,
           span->searches == 1 ? "" : "es");
}

static void print_text(const struct info *info)
{
    const weir_graph *graph = info->graph;
    const weir_graph_summary *facts = &info->facts;
    printf("name             %s\n", graph->name);
    printf("format           %s\n", graph->format);
    printf("vertices         %" PRIu64 "\n", graph->vertices);
    printf("arcs             %" PRIu64 "\n", graph->arcs);
    printf("dropped          %" PRIu64 " self loops, %" PRIu64 " duplicate arcs\n",
           graph->loops_dropped, graph->duplicates_dropped);
    printf("out-degree mean  %.6g\n", facts->degree_mean);
    print_degree("out-degree max", facts->degree_max, facts->degree_max_vertex, graph->vertices);
    print_degree("in-degree max", facts->in_degree_max, facts->in_degree_max_vertex,
                 graph->vertices);
    printf("isolated         %" PRIu64 "\n", facts->isolated);
    printf("symmetric        %s\n", facts->symmetric ? "yes" : "no");
    printf("weights          %s", weights_text(info->weight_kind));
    if (info->weight_kind != WEIR_WEIGHT_NONE)
        printf(", %.17g to %.17g, mean %.6g", facts->weight_min, facts->weight_max,
               facts->weight_mean);
    putchar('\n');
    if (graph->vertices)
        print_degrees(facts);
    if (info->request->brief)
        return;
    print_span(info);
    if (graph->vertices)
        weir__cli_hows_print(info->request, info->context, info->hows, info->how_count);
}

/* ---- JSON ---- */

static json_t *degrees_json(const weir_graph_summary *facts)
{
    json_t *rows = json_array();
    for (int i = 0; i < classes_of(facts); i++) {
        json_t *row =
            json_pack("{s:o, s:o, s:o, s:o}", "from", weir__cli_json_integer(class_begin(i)), "to",
                      weir__cli_json_integer(class_end(i)), "out",
                      weir__cli_json_integer(facts->out_degrees[i]), "in",
                      weir__cli_json_integer(facts->in_degrees[i]));
        if (json_array_append_new(rows, row)) {
            json_decref(rows);
            return NULL;
        }
    }
    return rows;
}

static json_t *weights_json(const struct info *info)
{
    const weir_graph_summary *facts = &info->facts;
    return info->weight_kind == WEIR_WEIGHT_NONE
               ? json_null()
               : json_pack("{s:s, s:f, s:f, s:f}", "kind", weights_text(info->weight_kind), "min",
                           facts->weight_min, "max", facts->weight_max, "mean", facts->weight_mean);
}

static json_t *graph_json(const struct info *info)
{
    const weir_graph *graph = info->graph;
    const weir_graph_summary *facts = &info->facts;
    return json_pack("{s:o, s:o, s:I, s:I, s:f, s:I, s:I, s:I, s:b, s:o, s:I, s:I, s:I, s:I, s:o}",
                     "name", weir__cli_json_text(graph->name), "format",
                     weir__cli_json_text(graph->format), "vertices", (json_int_t)graph->vertices,
                     "arcs", (json_int_t)graph->arcs, "degree_mean", facts->degree_mean,
                     "degree_max", (json_int_t)facts->degree_max, "degree_max_vertex",
                     (json_int_t)facts->degree_max_vertex, "isolated", (json_int_t)facts->isolated,
                     "symmetric", facts->symmetric, "weights", weights_json(info), "in_degree_max",
                     (json_int_t)facts->in_degree_max, "in_degree_max_vertex",
                     (json_int_t)facts->in_degree_max_vertex, "loops_dropped",
                     (json_int_t)graph->loops_dropped, "duplicates_dropped",
                     (json_int_t)graph->duplicates_dropped, "degrees", degrees_json(facts));
}

static int add(json_t *object, const char *name, json_t *value)
{
    return json_object_set_new(object, name, value);
}

static json_t *span_json(const struct info *info)
{
    const weir_graph_span *span = &info->span;
    if (*info->no_span)
        return json_pack("{s:n, s:n, s:n, s:o}", "components", "largest_component", "diameter",
                         "failed", weir__cli_json_text(info->no_span));
    json_t *diameter =
        info->graph->vertices
            ? json_pack("{s:I, s:I, s:I}", "at_least", (json_int_t)span->diameter_least, "at_most",
                        (json_int_t)span->diameter_most, "searches", (json_int_t)span->searches)
            : json_null();
    return json_pack("{s:I, s:I, s:o, s:n}", "components", (json_int_t)span->components,
                     "largest_component", (json_int_t)span->largest, "diameter", diameter,
                     "failed");
}

static json_t *document(const struct info *info)
{
    json_t *graph = graph_json(info);
    json_t *all = json_pack("{s:i, s:s, s:o}", "schema", 1, "command", "info", "graph", graph);
    if (!all || info->request->brief)
        return all;
    int failed = add(all, "shape", span_json(info)) ||
                 add(all, "devices", weir__cli_json_devices(info->context)) ||
                 add(all, "runs", weir__cli_hows_json(info->request, info->hows, info->how_count));
    if (!failed)
        return all;
    json_decref(all);
    return NULL;
}

/* ---- the verb ---- */

static int report(struct info *info)
{
    int code = EXIT_DONE;
    if (info->output.file)
        code = weir__cli_json_write(document(info), &info->output, 17);
    if (!code && !weir__cli_output_is_stdout(&info->output))
        print_text(info);
    return code ? code : weir__cli_output_commit(&info->output, 1);
}

static int check(const weir__cli_request *request)
{
    static const char *const of_graphs[] = {"undirected", "weights", "devices", "brief",
                                            "time-limit"};
    static const char *const of_runs[] = {"weights", "devices"};
    for (size_t i = 0; request->config && i < sizeof of_graphs / sizeof *of_graphs; i++)
        if (weir__cli_given(request, of_graphs[i]))
            return weir__cli_fail(EXIT_USAGE,
                                  "--%s is of a graph, which --config does without; "
                                  "leave out one of them",
                                  of_graphs[i]);
    for (size_t i = 0; request->brief && i < sizeof of_runs / sizeof *of_runs; i++)
        if (weir__cli_given(request, of_runs[i]))
            return weir__cli_fail(
                EXIT_USAGE, "--%s is of runs, which --brief leaves out; leave out one of them",
                of_runs[i]);
    if (!request->config && !request->graph)
        return weir__cli_fail(EXIT_USAGE, "info: GRAPH or --config is missing; see weir help info");
    return EXIT_DONE;
}

static int open_all(struct info *info)
{
    const weir__cli_request *request = info->request;
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir__cli_devices *devices = NULL;
    weir_status status = WEIR_OK;
    int code = weir__cli_signals_start(request);
    if (!code && request->json)
        code = weir__cli_output_open(&info->output, "json", request->json, request);
    if (code)
        return code;
    weir__cli_progress("loading %s", request->graph);
    if (!request->brief && (status = weir__cli_devices_begin(request->devices, &devices)))
        return weir__cli_fail_status(status);
    options.undirected = request->undirected;
    if (!(status = weir_graph_open(request->graph, &options, &info->graph)))
        status = weir_graph_summarize(info->graph, &info->facts);
    if (devices)
        status = weir__cli_devices_end(devices, status, &info->context, NULL);
    weir__cli_progress(NULL);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

static int look(struct info *info)
{
    info->weight_kind = info->graph->weight_kind;
    if (info->request->brief)
        return EXIT_DONE;
    weir__cli_progress("searching %s", info->graph->name);
    weir_status status = weir_graph_span_find(info->graph, &info->span);
    weir__cli_progress(NULL);
    /* All else is known already, and may take less. */
    if (status == WEIR_ERR_NOMEM)
        snprintf(info->no_span, sizeof info->no_span, "%s", weir_error_detail());
    else if (status)
        return weir__cli_fail_status(status);
    return info->graph->vertices ? weir__cli_hows_find(info->request, info->context, info->graph,
                                                       &info->hows, &info->how_count)
                                 : EXIT_DONE;
}

int weir__cli_info(const weir__cli_request *request)
{
    struct info info = {
        .request = request, .facts = WEIR_GRAPH_SUMMARY_INIT, .span = WEIR_GRAPH_SPAN_INIT};
    int code = check(request);
    if (code || request->config)
        return code ? code : weir__cli_info_config(request);
    code = open_all(&info);
    if (!code)
        code = look(&info);
    if (!code)
        code = report(&info);
    weir__cli_output_drop(&info.output);
    free(info.hows);
    weir_graph_destroy(info.graph);
    if (info.context)
        weir_context_destroy(info.context);
    return code;
}
