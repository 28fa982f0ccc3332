/** @file algorithm.c  The traversals there are, as rows of functions, and their values: shown and
 *  compared alike for all of them. */
#include "algorithms/cli/traversal.h"

#include <math.h>
#include <stdlib.h>

/* Calls with the types of algorithms.h behind calls with void: a function must not be called as if
 * it had other types than its own. */
#define ROW_FUNCTIONS(algorithm, values_of, value_type)                                          \
    static weir_status algorithm##_create(weir_context *context, const weir_graph *graph,        \
                                          const weir_partition *partition,                       \
                                          const weir_run_options *options, void **object_out)    \
    {                                                                                            \
        weir_##algorithm *object;                                                                \
        weir_status status =                                                                     \
            weir_##algorithm##_create(context, graph, partition, options, &object);              \
        *object_out = object;                                                                    \
        return status;                                                                           \
    }                                                                                            \
    static weir_status algorithm##_run(void *object, uint64_t source, weir_run_stats *stats_out) \
    {                                                                                            \
        return weir_##algorithm##_run(object, source, stats_out);                                \
    }                                                                                            \
    static weir_status algorithm##_values(void *object, void *values_out)                        \
    {                                                                                            \
        return weir_##algorithm##_##values_of(object, values_out);                               \
    }                                                                                            \
    static weir_status algorithm##_link_items(void *object, uint32_t from, uint32_t to,          \
                                              uint64_t *items_out)                               \
    {                                                                                            \
        return weir_##algorithm##_link_items(object, from, to, items_out);                       \
    }                                                                                            \
    static void algorithm##_cancel(void *object)                                                 \
    {                                                                                            \
        weir_##algorithm##_cancel(object);                                                       \
    }                                                                                            \
    static void algorithm##_destroy(void *object)                                                \
    {                                                                                            \
        weir_##algorithm##_destroy(object);                                                      \
    }                                                                                            \
    static weir_status algorithm##_reference(const weir_graph *graph, uint64_t source,           \
                                             void *values_out)                                   \
    {                                                                                            \
        return weir_##algorithm##_reference(graph, source, (value_type *)values_out);            \
    }

ROW_FUNCTIONS(bfs, levels, int32_t)
ROW_FUNCTIONS(sssp, distances, double)

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

#define ROW(algorithm)                                                        \
    .name = #algorithm, .create = algorithm##_create, .run = algorithm##_run, \
    .values = algorithm##_values, .link_items = algorithm##_link_items,       \
    .cancel = algorithm##_cancel, .destroy = algorithm##_destroy,             \
    .reference = algorithm##_reference

const weir__cli_algorithm weir__cli_algorithm_bfs = {
    ROW(bfs), .value = "level", .unreached = "-1", .value_bytes = sizeof(int32_t), .at = level_at};
const weir__cli_algorithm weir__cli_algorithm_sssp = {
    ROW(sssp),     .value = "distance", .unreached = "inf", .value_bytes = sizeof(double),
    .weighted = 1, .at = distance_at};

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

int weir__cli_compare(const weir__cli_algorithm *algorithm, const void *values,
                      const void *expected, uint64_t vertices, char **sentence_out)
{
    char got[VALUE_ROOM], want[VALUE_ROOM];
    uint64_t first = 0, differing = 0;
    *sentence_out = NULL;
    for (uint64_t v = vertices; v-- > 0;)
        if (algorithm->at(values, v) != algorithm->at(expected, v)) {
            first = v;
            differing++;
        }
    if (differing &&
        asprintf(sentence_out, "vertex %llu has %s %s, the reference %s; %llu of %llu differ",
                 (unsigned long long)first, algorithm->value,
                 weir__cli_value_text(algorithm, algorithm->at(values, first), got),
                 weir__cli_value_text(algorithm, algorithm->at(expected, first), want),
                 (unsigned long long)differing, (unsigned long long)vertices) < 0) {
        *sentence_out = NULL;
        return weir__cli_fail(EXIT_RUN, "no memory to name the first difference");
    }
    return EXIT_DONE;
}
