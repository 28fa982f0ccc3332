/** @file algorithm_sssp.c  What the command knows of shortest paths. */
#include "algorithms/cli/algorithm.h"
#include "algorithms/cli/option_set.h"
#include "algorithms/reference.h"

ROW_FUNCTIONS(sssp, distances)
LINK_FUNCTION(sssp)
SEARCH_FUNCTIONS(sssp, double)
CERTIFY_FUNCTION(sssp, weir_sssp_certify(context, graph, trial->source, values, parents))

static weir_status sssp_parents(void *object, int64_t *parents_out)
{
    return weir_sssp_parents(object, parents_out);
}

static weir_status sssp_stolen(void *object, uint32_t owner, uint32_t worker, uint64_t *arcs_out)
{
    return weir_sssp_stolen(object, owner, worker, arcs_out);
}

static weir_status check_tree(const weir_graph *graph, uint64_t source, const int64_t *parents,
                              const void *distances)
{
    return weir_sssp_tree_check(graph, source, parents, distances);
}

static const weir__cli_choices directions = {{"auto", "push", "switch", NULL}, {NULL}};

static const weir__cli_option options[] = {
    DIRECTION(directions, "push: through the worklist, vertices send over their arcs, and\n"
                          "all choices below count; switch: in step, nearest first, each step\n"
                          "the way that looks at fewer arcs, with --order soft alone and\n"
                          "weights whose sums fit 32 bits as integers, or as multiples of a\n"
                          "power of two (all floats of random:LO-HIf are such); default:\n"
                          "auto, by graph, machine and other options"),
    FLAG("parents", VERB_OWN, parents,
         "keep a tree too: for each vertex the one before it on a shortest\n"
         "path; in step alone, over weights above 0 whose sums fit 32 bits;\n"
         "--verify checks it by the rules of Graph500; default: off"),
    OUTPUT_FILE(VERB_OWN, "write one distance a line in vertex order, inf unreached; the\n"
                          "last source's result; - is standard output"),
    END_OF_LIST};

static const weir__cli_column columns[] = {COLUMN_SOURCE,
                                           COLUMN_MS,
                                           COLUMN_KERNEL_MS,
                                           COLUMN_GTEPS,
                                           COLUMN_GTEPS_SEEN,
                                           COLUMN_STEPS,
                                           COLUMN_REACHED,
                                           COLUMN_FIGURE_0("max distance"),
                                           COLUMN_FIGURE_1("sum of distances"),
                                           COLUMN_ITEMS_PROCESSED,
                                           COLUMN_ITEMS_SENT,
                                           END_OF_LIST};

static const weir__cli_member members[] = {
    {.name = "direct", .kind = KIND_COUNT, .offset = TRIAL(stats.direct)},
    {.name = "candidates", .kind = KIND_COUNT, .offset = TRIAL(stats.candidates)},
    {.name = "firsts", .kind = KIND_COUNT, .offset = TRIAL(stats.firsts)},
    STOLEN_MEMBERS,
    LONE_MEMBERS,
    END_OF_LIST};

static const char about[] =
    "Distances are sums of weights of arcs, none negative, along the shortest path from the\n"
    "source, and exact; inf is unreached. Of weights that are no integers they are the very\n"
    "doubles of a serial search: exact for random:LO-HIf, else rounded after each arc, and\n"
    "--verify wants no difference at all.\n" TIMES_TEXT GTEPS_TEXT
    "--output and --json files appear complete or not at all. A signal stops the run,\n"
    "removes what was begun, and ends with status 1.\n";
static const char examples[] =
    "  weir sssp rmat:16 --undirected --verify\n"
    "  weir sssp road.gr.xz --source 7 --devices host:4 --order soft:3200 --stats\n"
    "  weir sssp rmat:16 --undirected --parents --output-parents tree.txt --verify\n"
    "  weir sssp grid:1000x1000 --weights random:1-1000:7 --devices cuda:0-3 --json -\n";

const weir__cli_algorithm weir__cli_algorithm_sssp = {
    ROW(sssp),
    .verb.text = "shortest paths on all devices",
    .verb.more = about,
    .verb.examples = examples,
    .value = "distance",
    .unreached = "inf",
    .value_bytes = sizeof(double),
    .weighted = 1,
    .sourced = 1,
    .worklist = 1,
    .steps = "steps",
    .figure = {"max_distance", "sum_distances"},
    .parents = sssp_parents,
    .check_tree = check_tree,
    .members = members,
    .link_items = sssp_link_items,
    .stolen = sssp_stolen,
    .at = weir__cli_double_at,
    .sum = weir__cli_sum_values,
    .compare = weir__cli_compare_exactly,
};
