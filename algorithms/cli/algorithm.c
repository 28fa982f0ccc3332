/** @file algorithm.c  The traversals there are, as rows of functions, and their values as text. */
#include "algorithms/cli/traversal.h"
#include "algorithms/reference.h"

#include <math.h>

/* Calls with the types of algorithms.h behind calls with void: a function must not be called as if
 * it had other types than its own. */
#define ROW_FUNCTIONS(algorithm, values_of)                               \
    static weir_status algorithm##_values(void *object, void *values_out) \
    {                                                                     \
        return weir_##algorithm##_##values_of(object, values_out);        \
    }                                                                     \
    static void algorithm##_cancel(void *object)                          \
    {                                                                     \
        weir_##algorithm##_cancel(object);                                \
    }                                                                     \
    static void algorithm##_destroy(void *object)                         \
    {                                                                     \
        weir_##algorithm##_destroy(object);                               \
    }

/* For those with items on links. */
#define LINK_FUNCTION(algorithm)                                                        \
    static weir_status algorithm##_link_items(void *object, uint32_t from, uint32_t to, \
                                              uint64_t *items_out)                      \
    {                                                                                   \
        return weir_##algorithm##_link_items(object, from, to, items_out);              \
    }

/* For those that start at a vertex. */
#define SEARCH_FUNCTIONS(algorithm, value_type)                                                  \
    static weir_status algorithm##_create(                                                       \
        weir_context *context, const weir_graph *graph, const weir_partition *partition,         \
        const weir_run_options *options, const weir__cli_request *request, void **object_out)    \
    {                                                                                            \
        weir_##algorithm *object;                                                                \
        (void)request;                                                                           \
        weir_status status =                                                                     \
            weir_##algorithm##_create(context, graph, partition, options, &object);              \
        *object_out = object;                                                                    \
        return status;                                                                           \
    }                                                                                            \
    static weir_status algorithm##_run(void *object, uint64_t source, weir_run_stats *stats_out) \
    {                                                                                            \
        return weir_##algorithm##_run(object, source, stats_out);                                \
    }                                                                                            \
    static weir_status algorithm##_reference(const weir_graph *graph,                            \
                                             const weir__cli_request *request, uint64_t source,  \
                                             void *values_out)                                   \
    {                                                                                            \
        (void)request;                                                                           \
        return weir_##algorithm##_reference(graph, source, (value_type *)values_out);            \
    }

ROW_FUNCTIONS(bfs, levels)
ROW_FUNCTIONS(sssp, distances)
ROW_FUNCTIONS(pr, ranks)
ROW_FUNCTIONS(cc, labels)
LINK_FUNCTION(bfs)
LINK_FUNCTION(sssp)
LINK_FUNCTION(pr)
SEARCH_FUNCTIONS(bfs, int32_t)
SEARCH_FUNCTIONS(sssp, double)

static weir_status bfs_parents(void *object, int64_t *parents_out)
{
    return weir_bfs_parents(object, parents_out);
}

weir_pr_config weir__cli_pr_config(const weir__cli_request *request)
{
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    config.damping = request->damping;
    config.tolerance = request->tolerance;
    config.dangling = (weir_dangling)request->dangling;
    config.iterations = (uint32_t)request->iterations;
    return config;
}

static weir_status pr_create(weir_context *context, const weir_graph *graph,
                             const weir_partition *partition, const weir_run_options *options,
                             const weir__cli_request *request, void **object_out)
{
    weir_pr_config config = weir__cli_pr_config(request);
    weir_pr *object;
    weir_status status = weir_pr_create(context, graph, partition, options, &config, &object);
    *object_out = object;
    return status;
}

static weir_status pr_run(void *object, uint64_t source, weir_run_stats *stats_out)
{
    (void)source;
    return weir_pr_run(object, stats_out);
}

static weir_status pr_reference(const weir_graph *graph, const weir__cli_request *request,
                                uint64_t source, void *values_out)
{
    weir_pr_config config = weir__cli_pr_config(request);
    (void)source;
    return weir_pr_reference(graph, &config, values_out);
}

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

static weir_status cc_run(void *object, uint64_t source, weir_run_stats *stats_out)
{
    (void)source;
    return weir_cc_run(object, stats_out);
}

static weir_status cc_reference(const weir_graph *graph, const weir__cli_request *request,
                                uint64_t source, void *values_out)
{
    (void)request;
    (void)source;
    return weir_cc_reference(graph, values_out);
}

/* Only -1 is out of reach: another negative level is a wrong one, and --verify must see it. */
static double level_at(const void *values, uint64_t vertex)
{
    int32_t level = ((const int32_t *)values)[vertex];
    return level == -1 ? INFINITY : level;
}

static double distance_at(const void *values, uint64_t vertex)
{
    return ((const double *)values)[vertex];
}

static double rank_at(const void *values, uint64_t vertex)
{
    return ((const double *)values)[vertex];
}

static double label_at(const void *values, uint64_t vertex)
{
    return ((const uint32_t *)values)[vertex];
}

#define ROW(algorithm)                                                                          \
    .name = #algorithm, .create = algorithm##_create, .run = algorithm##_run,                   \
    .values = algorithm##_values, .cancel = algorithm##_cancel, .destroy = algorithm##_destroy, \
    .reference = algorithm##_reference, .reference_need = weir__##algorithm##_reference_need,   \
    .forms = &weir__##algorithm##_forms

const weir__cli_algorithm weir__cli_algorithm_bfs = {
    ROW(bfs),
    .value = "level",
    .unreached = "-1",
    .value_bytes = sizeof(int32_t),
    .sourced = 1,
    .worklist = 1,
    .steps = "levels",
    .figure = {{"max_level", "max level"}, {"sum_levels", "sum of levels"}},
    .parents = bfs_parents,
    .link_items = bfs_link_items,
    .at = level_at,
    .sum = weir__cli_sum_values,
    .compare = weir__cli_compare_exactly};
const weir__cli_algorithm weir__cli_algorithm_sssp = {
    ROW(sssp),
    .value = "distance",
    .unreached = "inf",
    .value_bytes = sizeof(double),
    .weighted = 1,
    .sourced = 1,
    .worklist = 1,
    .steps = "steps",
    .figure = {{"max_distance", "max distance"}, {"sum_distances", "sum of distances"}},
    .link_items = sssp_link_items,
    .at = distance_at,
    .sum = weir__cli_sum_values,
    .compare = weir__cli_compare_exactly};
const weir__cli_algorithm weir__cli_algorithm_pr = {
    ROW(pr),
    .value = "rank",
    .unreached = "inf",
    .value_bytes = sizeof(double),
    .worklist = 1,
    .steps = "iterations",
    .figure = {{"max_rank", "max rank"}, {"sum_ranks", "sum of ranks"}},
    .link_items = pr_link_items,
    .at = rank_at,
    .sum = weir__cli_sum_values,
    .check_need = weir__pr_check_need,
    .needs_reference = weir__cli_ranks_need_reference,
    .compare = weir__cli_compare_ranks};
const weir__cli_algorithm weir__cli_algorithm_cc = {
    ROW(cc),
    .value = "label",
    .unreached = "inf",
    .value_bytes = sizeof(uint32_t),
    .steps = "steps",
    .figure = {{"components", "components"}, {"largest_component", "largest"}},
    .at = label_at,
    .sum = weir__cli_sum_labels,
    .sum_bytes = sizeof(uint32_t),
    .compare = weir__cli_compare_exactly};

const char *weir__cli_value_text(const weir__cli_algorithm *algorithm, double value,
                                 char room[VALUE_ROOM])
{
    if (value == INFINITY)
        snprintf(room, VALUE_ROOM, "%s", algorithm->unreached);
    else
        snprintf(room, VALUE_ROOM, fabs(value) < 0x1p63 && value == floor(value) ? "%.0f" : "%.17g",
                 value);
    return room;
}
