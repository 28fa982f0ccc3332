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

static weir_status bfs_stolen(void *object, uint32_t owner, uint32_t worker, uint64_t *arcs_out)
{
    return weir_bfs_stolen(object, owner, worker, arcs_out);
}

static uint64_t levels_known(const void *object)
{
    return weir_bfs_levels_known(object);
}

static weir_status level_get(void *object, uint64_t level, weir_run_level *level_out)
{
    return weir_bfs_level_get(object, level, level_out);
}

static weir_status level_pair(void *object, uint64_t level, uint32_t from, uint32_t to,
                              weir_run_pair *pair_out)
{
    return weir_bfs_level_pair(object, level, from, to, pair_out);
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

/* ---- from many sources at a time ---------------------------------------------------------------- */

/* Levels are kept where somebody looks at them. */
static weir_status batch_create(weir_context *context, const weir_graph *graph,
                                const weir_partition *partition, const weir_run_options *options,
                                const weir__cli_request *request, void **object_out)
{
    weir_bfs_batch_config config = WEIR_BFS_BATCH_CONFIG_INIT;
    weir_bfs_batch *object;
    config.sources = request->sources < WEIR_BFS_BATCH_MAX ? (uint32_t)request->sources : 0;
    config.levels = request->verify || request->output;
    weir_status status =
        weir_bfs_batch_create(context, graph, partition, options, &config, &object);
    *object_out = object;
    return status;
}

static weir_status batch_run(void *object, const uint64_t *sources, uint32_t count,
                             weir_run_stats *stats_out)
{
    return weir_bfs_batch_run(object, sources, count, stats_out);
}

static weir_status batch_found(void *object, uint32_t index, weir__cli_trial *trial)
{
    weir_bfs_found found = WEIR_BFS_FOUND_INIT;
    weir_status status = weir_bfs_batch_found(object, index, &found);
    trial->stats.reached = trial->stats.least_items = found.reached;
    trial->stats.arcs_reached = found.arcs_reached;
    trial->stats.steps = found.max_level + 1;
    trial->figure[0] = (long double)found.max_level;
    trial->figure[1] = (long double)found.sum_levels;
    return status;
}

static weir_status batch_levels(void *object, uint32_t index, void *levels_out)
{
    return weir_bfs_batch_levels(object, index, levels_out);
}

static weir_status batch_link_items(void *object, uint32_t from, uint32_t to, uint64_t *items_out)
{
    return weir_bfs_batch_link_items(object, from, to, items_out);
}

static weir_status batch_prepared(const void *object, weir_prepare_stats *stats_out)
{
    return weir_bfs_batch_prepared(object, stats_out);
}

static weir_status batch_explain(const void *object, weir_run_stats *picked_out,
                                 weir_run_reasons *reasons_out)
{
    return weir_bfs_batch_explain(object, picked_out, reasons_out);
}

static void batch_cancel(void *object)
{
    weir_bfs_batch_cancel(object);
}

static void batch_destroy(void *object)
{
    weir_bfs_batch_destroy(object);
}

/* ---- what the command takes and shows ------------------------------------------------------------ */

static const weir__cli_choices directions = {{"auto", "push", "pull", "switch", "down", NULL},
                                             {NULL}};

static const weir__cli_option options[] = {
    DIRECTION(directions, "push: through the worklist, vertices send over their arcs, and\n"
                          "all choices below count; in step, level by level, with the\n"
                          "kernels of all devices: pull, vertices look along arcs that come\n"
                          "to them; switch, each step the way that looks at fewer arcs;\n"
                          "down, every step along the arcs of what was found last, so that\n"
                          "each arc is looked at once;\n"
                          "default: auto, by graph, machine and other options"),
    FLAG("batch", VERB_OWN, batch,
         "search from up to 64 of --sources in one run, which share each look\n"
         "at an arc: faster by far where levels are few, as in social networks;\n"
         "slower on road networks and meshes; in step alone; a source's times\n"
         "are those of its batch; default: off"),
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
    "  weir bfs rmat:20 --undirected --sources 256 --batch\n"
    "  weir bfs rmat:22,16 --sources 16 --trials 3 --devices cuda:0-3 --json -\n";

/* What a search in step counts. */
#define STEP_MEMBERS                                                                             \
    {.name = "shared", .kind = KIND_COUNT, .offset = TRIAL(stats.shared)},                       \
        {.name = "unlisted", .kind = KIND_COUNT, .offset = TRIAL(stats.unlisted)},               \
        {.name = "firsts", .kind = KIND_COUNT, .offset = TRIAL(stats.firsts)},                   \
        {.name = "eager", .kind = KIND_COUNT, .offset = TRIAL(stats.eager)},                     \
        {.name = "bitmaps", .kind = KIND_COUNT, .offset = TRIAL(stats.bitmaps)}, STOLEN_MEMBERS, \
        {.name = "lone_levels", .kind = KIND_COUNT, .offset = TRIAL(stats.lone_levels)},         \
        LONE_MEMBERS,                                                                            \
        {.name = "lone_entries", .kind = KIND_COUNT, .offset = TRIAL(stats.lone_entries)},       \
    {                                                                                            \
        .name = "together_ns", .kind = KIND_COUNT, .offset = TRIAL(stats.together_ns)            \
    }

static const weir__cli_member members[] = {STEP_MEMBERS, END_OF_LIST};

static const weir__cli_member batch_members[] = {
    {.name = "batch", .kind = KIND_COUNT, .offset = TRIAL(batch)},
    {.name = "batch_sources", .kind = KIND_COUNT, .offset = TRIAL(batch_sources)},
    STEP_MEMBERS,
    END_OF_LIST};

/* The row of bfs, but for what runs. Its figures are counted on the devices, and `sum` finds them again where levels are
 * kept. */
static const weir__cli_algorithm bfs_batch = {
    .verb.name = "bfs",
    .verb.text = "breadth-first search from many sources at a time",
    .forms = &weir__bfs_batch_forms,
    .columns = columns,
    .options = options,
    .create = batch_create,
    .prepared = batch_prepared,
    .explain = batch_explain,
    .cancel = batch_cancel,
    .destroy = batch_destroy,
    .reference = bfs_reference,
    .reference_need = weir__bfs_reference_need,
    .certify = bfs_certify,
    .certify_need = weir__bfs_certify_need,
    .run_batch = batch_run,
    .found = batch_found,
    .values_of = batch_levels,
    .batch_most = WEIR_BFS_BATCH_MAX,
    .value = "level",
    .unreached = "-1",
    .value_bytes = sizeof(int32_t),
    .sourced = 1,
    .worklist = 1,
    .edges = 1,
    .steps = "levels",
    .figure = {"max_level", "sum_levels"},
    .members = batch_members,
    .link_items = batch_link_items,
    .at = level_at,
    .sum = weir__cli_sum_values,
    .compare = weir__cli_compare_exactly,
};

const weir__cli_algorithm weir__cli_algorithm_bfs = {
    ROW(bfs),
    .resident = 3,
    .forms_2d = &weir__bfs_2d_forms,
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
    .stolen = bfs_stolen,
    .levels_known = levels_known,
    .level = level_get,
    .level_pair = level_pair,
    .at = level_at,
    .sum = weir__cli_sum_values,
    .compare = weir__cli_compare_exactly,
    .batched = &bfs_batch,
};
