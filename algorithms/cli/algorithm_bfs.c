/** @file algorithm_bfs.c  What the command knows of breadth-first search. */
#include "algorithms/cli/algorithm.h"
#include "algorithms/cli/option_set.h"
#include "algorithms/reference.h"

#include <math.h>

ROW_FUNCTIONS(bfs, levels)
LINK_FUNCTION(bfs)
SEARCH_FUNCTIONS(bfs, int32_t)
CERTIFY_FUNCTION(bfs, weir_bfs_certify(context, graph, trial->source, values, parents))

static weir_status bfs_parents(void *object, int64_t *parents_out)
{
    return weir_bfs_parents(object, parents_out);
}

static weir_status check_tree(const weir_graph *graph, uint64_t source, const int64_t *parents,
                              const void *levels)
{
    return weir_bfs_tree_check(graph, source, parents, levels);
}

/* Only -1 is out of reach: another negative level is a wrong one, and --verify must see it. */
static double level_at(const void *values, uint64_t vertex)
{
    int32_t level = ((const int32_t *)values)[vertex];
    return level == -1 ? INFINITY : level;
}

static const weir__cli_choices directions = {{"auto", "push", "pull", "switch", NULL}, {NULL}};

static const weir__cli_option options[] = {
    DIRECTION(directions, "push: through the worklist, vertices send over their arcs, and\n"
                          "all choices below count; in step, level by level, with the\n"
                          "kernels of all devices: pull, vertices look along arcs that come\n"
                          "to them; switch, each step the way that looks at fewer arcs;\n"
                          "default: auto, by graph, machine and other options"),
    OUTPUT_FILE(VERB_OWN, "write one level a line in vertex order, -1 unreached; the\n"
                          "last source's result; - is standard output"),
    END_OF_LIST};

static const weir__cli_column columns[] = {COLUMN_SOURCE,
                                           COLUMN_MS,
                                           COLUMN_KERNEL_MS,
                                           COLUMN_GTEPS,
                                           COLUMN_GTEPS_SEEN,
                                           COLUMN_GTEPS_EDGES,
                                           COLUMN_STEPS,
                                           COLUMN_REACHED,
                                           COLUMN_FIGURE_0("max level"),
                                           COLUMN_FIGURE_1("sum of levels"),
                                           COLUMN_ITEMS_PROCESSED,
                                           COLUMN_ITEMS_SENT,
                                           END_OF_LIST};

static const char about[] =
    "Levels are numbers of arcs from the source; -1 is unreached.\n" TIMES_TEXT GTEPS_TEXT
    "  GTEPS edges  with --undirected: edges of what was reached (Graph500's, after cleaning)\n"
    "--output and --json files appear complete or not at all. A signal stops the run,\n"
    "removes what was begun, and ends with status 1.\n";
static const char examples[] =
    "  weir bfs rmat:16 --undirected --verify\n"
    "  weir bfs road.mtx.gz --source 7 --devices host:4 --partition metis --output levels.txt\n"
    "  weir bfs rmat:22,16 --sources 16 --trials 3 --devices cuda:0-3 --json -\n";

static const weir__cli_member members[] = {
    {.name = "shared", .kind = KIND_COUNT, .offset = TRIAL(stats.shared)},
    {.name = "unlisted", .kind = KIND_COUNT, .offset = TRIAL(stats.unlisted)},
    {.name = "eager", .kind = KIND_COUNT, .offset = TRIAL(stats.eager)},
    END_OF_LIST};

const weir__cli_algorithm weir__cli_algorithm_bfs = {
    ROW(bfs),
    .resident = 3,
    .verb.text = "breadth-first search on all devices",
    .verb.more = about,
    .verb.examples = examples,
    .value = "level",
    .unreached = "-1",
    .value_bytes = sizeof(int32_t),
    .sourced = 1,
    .worklist = 1,
    .edges = 1,
    .steps = "levels",
    .figure = {"max_level", "sum_levels"},
    .parents = bfs_parents,
    .check_tree = check_tree,
    .members = members,
    .link_items = bfs_link_items,
    .at = level_at,
    .sum = weir__cli_sum_values,
    .compare = weir__cli_compare_exactly,
};
