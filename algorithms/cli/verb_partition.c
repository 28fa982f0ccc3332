/** @file verb_partition.c  weir partition: who would own what, and the file that --partition file: reads.
 *
 * No device is opened: parts are numbers, and part p is for whichever device a run has as its number p. */
#include "algorithms/cli/cli.h"
#include "algorithms/graph/partition.h"

#include <inttypes.h>
#include <jansson.h>

enum { OUTPUT, JSON, OUTPUTS };
enum { FORMAT_TABLE, FORMAT_CSV }; /* positions in weir__cli_partition_formats */

struct cut {
    const weir__cli_request *request;
    weir__cli_output outputs[OUTPUTS];
    weir_graph *graph;
    weir_partition *partition;
    weir_partition_part part[WEIR_DEVICES_MAX];
    weir_partition_part all;
};

static int check(const weir__cli_request *request)
{
    if (!request->graph)
        return weir__cli_fail(EXIT_USAGE, "partition: GRAPH is missing; see weir help partition");
    if (request->partition_2d)
        return weir__cli_fail(
            EXIT_USAGE, "--partition %s cuts arcs, not vertices: it is for weir bfs, pr and cc",
            request->partition_2d);
    if (!request->parts && !request->partition_file)
        return weir__cli_fail(EXIT_USAGE,
                              "partition: --parts N is missing; see weir help partition");
    return weir__cli_partition_check(request);
}

static int open_outputs(struct cut *cut)
{
    const weir__cli_request *request = cut->request;
    int code = EXIT_DONE;
    if (request->output)
        code = weir__cli_output_open(&cut->outputs[OUTPUT], "output", request->output, request);
    if (!code && request->json)
        code = weir__cli_output_open(&cut->outputs[JSON], "json", request->json, request);
    if (!code)
        code = weir__cli_outputs_differ(cut->outputs, OUTPUTS);
    for (int i = 0; i < OUTPUTS && !code && weir__cli_given(request, "format"); i++)
        if (weir__cli_output_is_stdout(&cut->outputs[i]))
            code = weir__cli_fail(EXIT_USAGE,
                                  "--format is of standard output, which --%s %s takes; leave out "
                                  "one of them",
                                  cut->outputs[i].option, cut->outputs[i].path);
    return code;
}

static weir_status make(struct cut *cut)
{
    const weir__cli_request *request = cut->request;
    const uint32_t parts = request->parts ? (uint32_t)request->parts : WEIR_DEVICES_MAX;
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_status status;
    options.undirected = request->undirected;
    weir__cli_progress("loading %s", request->graph);
    if ((status = weir_graph_open(request->graph, &options, &cut->graph)))
        return status;
    weir__cli_progress("partitioning");
    if ((status = weir__cli_partition_make(request, cut->graph, parts, &cut->partition)) ||
        (status = weir_partition_parts(cut->graph, cut->partition, cut->part)))
        return status;
    for (uint32_t p = 0; p < cut->partition->parts; p++) {
        cut->all.vertices += cut->part[p].vertices;
        cut->all.arcs += cut->part[p].arcs;
        cut->all.cut_arcs += cut->part[p].cut_arcs;
        cut->all.halo += cut->part[p].halo;
    }
    return WEIR_OK;
}

/* ---- reports ---- */

static double share(const weir_partition_part *part)
{
    return part->arcs ? (double)part->cut_arcs / (double)part->arcs : 0;
}

static void print_row(const char *name, const weir_partition_part *part)
{
    printf("%4s %12" PRIu64 " %14" PRIu64 " %14" PRIu64 " %7.2f%% %12" PRIu64 "\n", name,
           part->vertices, part->arcs, part->cut_arcs, 100 * share(part), part->halo);
}

static void print_table(const struct cut *cut)
{
    const weir_partition *partition = cut->partition;
    printf("graph     %s: %" PRIu64 " vertices, %" PRIu64 " arcs%s\n", cut->graph->name,
           cut->graph->vertices, cut->graph->arcs,
           cut->request->undirected ? ", made undirected" : "");
    printf("partition %s, %" PRIu32 " parts, in %.2f ms\n",
           weir_partition_kind_text(partition->kind), partition->parts, partition->prepare_ms);
    printf("imbalance %.4f of the vertices, %.4f of the arcs: the largest part beside the mean\n\n",
           partition->vertex_balance, partition->arc_balance);
    printf("%4s %12s %14s %14s %8s %12s\n", "part", "vertices", "arcs", "cut arcs", "cut", "halo");
    for (uint32_t p = 0; p < partition->parts; p++) {
        char name[12];
        snprintf(name, sizeof name, "%" PRIu32, p);
        print_row(name, &cut->part[p]);
    }
    print_row("all", &cut->all);
}

static void print_csv(const struct cut *cut)
{
    printf("part,vertices,arcs,cut_arcs,halo\n");
    for (uint32_t p = 0; p < cut->partition->parts; p++) {
        const weir_partition_part *part = &cut->part[p];
        printf("%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", p, part->vertices,
               part->arcs, part->cut_arcs, part->halo);
    }
}

static json_t *parts_json(const struct cut *cut)
{
    json_t *rows = json_array();
    for (uint32_t p = 0; p < cut->partition->parts; p++) {
        const weir_partition_part *part = &cut->part[p];
        json_t *row = json_pack("{s:o, s:o, s:o, s:o, s:o}", "part", weir__cli_json_integer(p),
                                "vertices", weir__cli_json_integer(part->vertices), "arcs",
                                weir__cli_json_integer(part->arcs), "cut_arcs",
                                weir__cli_json_integer(part->cut_arcs), "halo",
                                weir__cli_json_integer(part->halo));
        if (json_array_append_new(rows, row)) {
            json_decref(rows);
            return NULL;
        }
    }
    return rows;
}

static json_t *document(const struct cut *cut)
{
    const weir__cli_request *request = cut->request;
    const weir_partition *partition = cut->partition;
    json_t *graph = json_pack("{s:o, s:o, s:o}", "name", weir__cli_json_text(cut->graph->name),
                              "vertices", weir__cli_json_integer(cut->graph->vertices), "arcs",
                              weir__cli_json_integer(cut->graph->arcs));
    json_t *choices = json_pack(
        "{s:s, s:o, s:b, s:o}", "partition", weir_partition_kind_text(partition->kind),
        "partition_file",
        request->partition_file ? weir__cli_json_text(request->partition_file) : json_null(),
        "undirected", request->undirected, "seed", weir__cli_json_integer(request->seed));
    json_t *summary = json_pack(
        "{s:o, s:f, s:f, s:o, s:f, s:o, s:f}", "parts", weir__cli_json_integer(partition->parts),
        "vertex_imbalance", partition->vertex_balance, "arc_imbalance", partition->arc_balance,
        "cut_arcs", weir__cli_json_integer(cut->all.cut_arcs), "cut_share", share(&cut->all),
        "halo", weir__cli_json_integer(cut->all.halo), "ms", partition->prepare_ms);
    return json_pack("{s:i, s:s, s:o, s:o, s:o, s:o}", "schema", 1, "command", "partition", "graph",
                     graph, "choices", choices, "parts", parts_json(cut), "summary", summary);
}

static int report(struct cut *cut)
{
    int taken = 0, code = EXIT_DONE;
    for (int i = 0; i < OUTPUTS; i++)
        taken |= weir__cli_output_is_stdout(&cut->outputs[i]);
    if (cut->outputs[JSON].file)
        code = weir__cli_json_write(document(cut), &cut->outputs[JSON], 17);
    if (code)
        return code;
    if (cut->outputs[OUTPUT].file) { /* the commit finds an error of the stream */
        weir__cli_writing(&cut->outputs[OUTPUT]);
        weir_status status = weir__partition_print(cut->partition, cut->outputs[OUTPUT].file);
        weir__cli_progress(NULL);
        if (status)
            return weir__cli_fail_status(status);
    }
    if (!taken && cut->request->format == FORMAT_CSV)
        print_csv(cut);
    else if (!taken)
        print_table(cut);
    return weir__cli_output_commit(cut->outputs, OUTPUTS);
}

int weir__cli_partition(const weir__cli_request *request)
{
    struct cut cut = {.request = request};
    int code = check(request);
    if (!code)
        code = weir__cli_signals_start(request);
    if (!code)
        code = open_outputs(&cut);
    if (!code) {
        weir_status status = make(&cut);
        weir__cli_progress(NULL);
        code = status ? weir__cli_fail_status(status) : report(&cut);
    }
    for (int i = 0; i < OUTPUTS; i++)
        weir__cli_output_drop(&cut.outputs[i]);
    weir_partition_destroy(cut.partition);
    weir_graph_destroy(cut.graph);
    return code;
}
