/** @file verb_info.c  weir info: facts about a graph. */
#include "algorithms/cli/cli.h"

#include <inttypes.h>
#include <jansson.h>

static const char *weights_text(weir_weight_kind kind)
{
    return kind == WEIR_WEIGHT_U32 ? "integers" : kind == WEIR_WEIGHT_F64 ? "numbers" : "none";
}

static void print_text(const weir_graph *graph, const weir_graph_summary *facts)
{
    printf("name             %s\n", graph->name);
    printf("format           %s\n", graph->format);
    printf("vertices         %" PRIu64 "\n", graph->vertices);
    printf("arcs             %" PRIu64 "\n", graph->arcs);
    printf("out-degree mean  %.6g\n", facts->degree_mean);
    printf("out-degree max   %" PRIu64, facts->degree_max);
    if (graph->vertices)
        printf(" (vertex %" PRIu64 ")", facts->degree_max_vertex);
    printf("\nisolated         %" PRIu64 "\n", facts->isolated);
    printf("symmetric        %s\n", facts->symmetric ? "yes" : "no");
    printf("weights          %s", weights_text(graph->weight_kind));
    if (graph->weight_kind != WEIR_WEIGHT_NONE)
        printf(", %.17g to %.17g", facts->weight_min, facts->weight_max);
    putchar('\n');
}

static json_t *document(const weir_graph *graph, const weir_graph_summary *facts)
{
    json_t *weights = graph->weight_kind == WEIR_WEIGHT_NONE
                          ? json_null()
                          : json_pack("{s:s, s:f, s:f}", "kind", weights_text(graph->weight_kind),
                                      "min", facts->weight_min, "max", facts->weight_max);
    return json_pack(
        "{s:i, s:s, s:{s:o, s:o, s:I, s:I, s:f, s:I, s:I, s:I, s:b, s:o}}", "schema", 1, "command",
        "info", "graph", "name", weir__cli_json_text(graph->name), "format",
        weir__cli_json_text(graph->format), "vertices", (json_int_t)graph->vertices, "arcs",
        (json_int_t)graph->arcs, "degree_mean", facts->degree_mean, "degree_max",
        (json_int_t)facts->degree_max, "degree_max_vertex", (json_int_t)facts->degree_max_vertex,
        "isolated", (json_int_t)facts->isolated, "symmetric", facts->symmetric, "weights", weights);
}

static int report(const weir_graph *graph, const weir_graph_summary *facts,
                  weir__cli_output *output)
{
    int code = EXIT_DONE;
    if (output->file)
        code = weir__cli_json_write(document(graph, facts), output, 17);
    if (!weir__cli_output_is_stdout(output))
        print_text(graph, facts);
    return code ? code : weir__cli_output_commit(output, 1);
}

int weir__cli_info(const weir__cli_request *request)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir__cli_output output = {0};
    weir_graph *graph = NULL;
    weir_graph_summary facts = WEIR_GRAPH_SUMMARY_INIT;
    if (request->config && request->undirected)
        return weir__cli_fail(EXIT_USAGE,
                              "--undirected is of a graph, which --config does without; "
                              "leave out one of them");
    if (request->config)
        return weir__cli_info_config(request);
    if (!request->graph)
        return weir__cli_fail(EXIT_USAGE, "info: GRAPH or --config is missing; see weir help info");
    int code = weir__cli_signals_start();
    if (!code && request->json)
        code = weir__cli_output_open(&output, "json", request->json, request);
    if (code)
        goto close;
    options.undirected = request->undirected;
    weir__cli_progress("loading %s ...", request->graph);
    weir_status status = weir_graph_open(request->graph, &options, &graph);
    if (!status)
        status = weir_graph_summarize(graph, &facts);
    weir__cli_progress(NULL);
    code = status ? weir__cli_fail_status(status) : report(graph, &facts, &output);
close:
    weir__cli_output_drop(&output);
    weir_graph_destroy(graph);
    return code;
}
