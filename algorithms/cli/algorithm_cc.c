/** @file algorithm_cc.c  What the command knows of connected components. */
#include "algorithms/cli/traversal.h"
#include "algorithms/cli/option_set.h"
#include "algorithms/reference.h"

#include <stdlib.h>

ROW_FUNCTIONS(cc, labels)
RUN_FUNCTION(cc)
CERTIFY_FUNCTION(cc, weir_cc_certify(context, graph, values))

static weir_status cc_create(weir_context *context, const weir_graph *graph,
                             const weir_partition *partition, const weir_run_options *options,
                             const weir__cli_request *request, void **object_out)
{
    weir_cc *object;
    /* Only rows on the devices have parts, so auto does not stream where a partition was asked for, even if rows
     * do not fit. */
    const weir_cc_source source = (weir_cc_source)request->own[OWN_STREAM].choice;
    const int asked = partition || request->partition != PARTITION_AUTO; /* sketches have none */
    const int rows = asked && source == WEIR_CC_AUTO;
    weir_status status = weir_cc_create(context, graph, partition, options,
                                        rows ? WEIR_CC_RESIDENT : source, &object);
    *object_out = object;
    return status;
}

static void ask(const weir__cli_request *request, struct weir__asked *asked)
{
    asked->source = (weir_cc_source)request->own[OWN_STREAM].choice;
}

/* Arcs are streamed where rows do not fit, as cc_create() says. */
static int fall_back(weir__cli_request *request)
{
    if (request->own[OWN_STREAM].choice != WEIR_CC_AUTO || request->partition != PARTITION_AUTO ||
        request->memory != WEIR_MEMORY_AUTO)
        return 0;
    request->own[OWN_STREAM].choice = WEIR_CC_STREAMED;
    return 1;
}

static weir_status cc_reference(const weir_graph *graph, const weir__cli_request *request,
                                uint64_t source, void *values_out)
{
    (void)request;
    (void)source;
    return weir_cc_reference(graph, values_out);
}

static double label_at(const void *values, uint64_t vertex)
{
    return ((const uint32_t *)values)[vertex];
}

/* Finds the number of components and the vertices of the largest one. Labels may be wrong: those that are no
 * vertex count for nothing here, and --verify names them. */
static int sum_labels(const weir__cli_algorithm *algorithm, const void *values, uint64_t vertices,
                      weir__cli_trial *trial)
{
    const uint32_t *labels = values;
    uint32_t *members = calloc(vertices ? (size_t)vertices : 1, sizeof *members);
    uint64_t components = 0, largest = 0;
    (void)algorithm;
    if (!members)
        return weir__cli_fail(EXIT_RUN, "no memory to count the components of %llu vertices",
                              (unsigned long long)vertices);
    for (uint64_t v = 0; v < vertices; v++) {
        components += labels[v] == v;
        if (labels[v] < vertices && ++members[labels[v]] > largest)
            largest = members[labels[v]];
    }
    free(members);
    trial->figure[0] = components;
    trial->figure[1] = largest;
    return EXIT_DONE;
}

/* Whether the arcs came from host memory, as --stream takes it. */
static const char *stream_picked(const weir_run_stats *stats)
{
    return weir__cli_streams.built[weir__cli_streamed(stats) ? WEIR_CC_STREAMED : WEIR_CC_RESIDENT];
}

static const weir__cli_option options[] = {
    OPTION("stream", "S", VERB_OWN, weir__cli_set_choice, FIELD(own[OWN_STREAM]),
           "on: arcs come from host memory in segments, over a router, to\n"
           "whichever device is free; off: they lie on the devices before;\n"
           "default: auto, off where they fit",
           .choices = &weir__cli_streams, .shown = "stream %s", .picked = stream_picked),
    CHOICE("route", "R", VERB_OWN, route, weir__cli_routes,
           "how what devices found comes together: direct (all send to one),\n"
           "ring, tree, staged (through host memory; arcs are streamed then);\n"
           "default: auto, the machine's reduction tree"),
    OUTPUT_FILE(VERB_OWN, "write one label a line in vertex order: the smallest vertex of\n"
                          "the component; - is standard output"),
    END_OF_LIST};

static const weir__cli_column columns[] = {COLUMN_MS,
                                           COLUMN_KERNEL_MS,
                                           COLUMN_GTEPS,
                                           COLUMN_GTEPS_SEEN,
                                           COLUMN_STEPS,
                                           COLUMN_FIGURE_0("components"),
                                           COLUMN_FIGURE_1("largest"),
                                           COLUMN_ITEMS_PROCESSED,
                                           END_OF_LIST};

static const weir__cli_member members[] = {
    {.name = "roots", .kind = KIND_COUNT, .offset = TRIAL(stats.roots)},
    {.name = "gathered", .kind = KIND_COUNT, .offset = TRIAL(stats.gathered)},
    {.name = "rest_rows", .kind = KIND_COUNT, .offset = TRIAL(stats.rest_rows)},
    {.name = "label_rows", .kind = KIND_COUNT, .offset = TRIAL(stats.label_rows)},
    END_OF_LIST};

static const char about[] =
    "Weakly connected: arcs join both ways. A vertex is labelled with the smallest vertex of\n"
    "its component. Each run prints the number of components and the vertices of the largest "
    "one.\n" TIMES_TEXT GTEPS_TEXT;
static const char examples[] = "  weir cc rmat:16 --verify\n"
                               "  weir cc road.mtx.gz --devices host:4 --output labels.txt\n"
                               "  weir cc rmat:25 --devices cuda:0-3 --stream on --stats\n";

const weir__cli_algorithm weir__cli_algorithm_cc = {
    ROW(cc),
    .forms_2d = &weir__cc_2d_forms,
    .resident = 3,
    .verb.text = "connected components on all devices",
    .verb.more = about,
    .verb.examples = examples,
    .value = "label",
    .unreached = "inf",
    .value_bytes = sizeof(uint32_t),
    .steps = "steps",
    .figure = {"components", "largest_component"},
    .members = members,
    .ask = ask,
    .fall_back = fall_back,
    .at = label_at,
    .sum = sum_labels,
    .sum_bytes = sizeof(uint32_t),
    .compare = weir__cli_compare_exactly,
};
