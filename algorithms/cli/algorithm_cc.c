/** @file algorithm_cc.c  What the command knows of connected components. */
#include "algorithms/cli/traversal.h"
#include "algorithms/reference.h"

#include <stdlib.h>

ROW_FUNCTIONS(cc, labels)
RUN_FUNCTION(cc)

static weir_status cc_create(weir_context *context, const weir_graph *graph,
                             const weir_partition *partition, const weir_run_options *options,
                             const weir__cli_request *request, void **object_out)
{
    weir_cc *object;
    /* Parts are of rows: a partition that was asked for is not dropped for want of room. */
    const int rows = partition && request->stream == WEIR_CC_AUTO;
    weir_status status =
        weir_cc_create(context, graph, partition, options,
                       rows ? WEIR_CC_RESIDENT : (weir_cc_source)request->stream, &object);
    *object_out = object;
    return status;
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

static const weir__cli_column columns[] = {COLUMN_MS,
                                           COLUMN_KERNEL_MS,
                                           COLUMN_GTEPS,
                                           COLUMN_GTEPS_SEEN,
                                           COLUMN_STEPS,
                                           COLUMN_FIGURE_0("components"),
                                           COLUMN_FIGURE_1("largest"),
                                           COLUMN_ITEMS_PROCESSED,
                                           {.head = NULL}};

static const weir__cli_member choices[] = {
    {.name = "stream", .kind = KIND_PICKED, .picked = stream_picked, .before = "stream "},
    {.name = NULL}};

const weir__cli_algorithm weir__cli_algorithm_cc = {ROW(cc),
                                                    .value = "label",
                                                    .unreached = "inf",
                                                    .value_bytes = sizeof(uint32_t),
                                                    .steps = "steps",
                                                    .figure = {"components", "largest_component"},
                                                    .choices = choices,
                                                    .at = label_at,
                                                    .sum = sum_labels,
                                                    .sum_bytes = sizeof(uint32_t),
                                                    .compare = weir__cli_compare_exactly};
