/** @file algorithm_color.c  What the command knows of colourings. */
#include "algorithms/cli/traversal.h"
#include "algorithms/cli/option_set.h"
#include "algorithms/reference.h"
#include "runtime/support.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Positions of what judging finds in trial->own. */
enum { GREEDY_COLORS };

ROW_FUNCTIONS(color, colors)
LINK_FUNCTION(color)
RUN_FUNCTION(color)
CERTIFY_FUNCTION(color, weir_color_certify(context, graph, values))

static weir_status color_create(weir_context *context, const weir_graph *graph,
                                const weir_partition *partition, const weir_run_options *options,
                                const weir__cli_request *request, void **object_out)
{
    weir_color_config config = WEIR_COLOR_CONFIG_INIT;
    weir_color *object;
    config.permute = request->own[OWN_PERMUTE].count != 0;
    config.seed = request->own[OWN_PERMUTE].count;
    weir_status status = weir_color_create(context, graph, partition, options, &config, &object);
    *object_out = object;
    return status;
}

static weir_status color_reference(const weir_graph *graph, const weir__cli_request *request,
                                   uint64_t source, void *values_out)
{
    (void)request;
    (void)source;
    return weir_color_reference(graph, values_out);
}

static double color_at(const void *values, uint64_t vertex)
{
    return ((const uint32_t *)values)[vertex];
}

/* How many colours there are, and how many vertices have the one that most have. Those that are wrong may be any number. */
static int count_colors(const uint32_t *colors, uint64_t vertices, uint64_t *colors_out,
                        uint64_t *largest_out)
{
    uint32_t *members = calloc(vertices ? (size_t)vertices : 1, sizeof *members);
    *colors_out = *largest_out = 0;
    if (!members)
        return weir__cli_fail(EXIT_RUN, "no memory to count the colours of %" PRIu64 " vertices",
                              vertices);
    for (uint64_t v = 0; v < vertices; v++)
        if (colors[v] < vertices) {
            *colors_out += members[colors[v]]++ == 0;
            if (members[colors[v]] > *largest_out)
                *largest_out = members[colors[v]];
        }
    free(members);
    return EXIT_DONE;
}

static int sum_colors(const weir__cli_algorithm *algorithm, const void *values, uint64_t vertices,
                      weir__cli_trial *trial)
{
    uint64_t colors, largest;
    int code = count_colors(values, vertices, &colors, &largest);
    (void)algorithm;
    trial->figure[0] = colors;
    trial->figure[1] = largest;
    return code;
}

/* The most arcs of a vertex, of both directions unless they are the same. @return a negative number: no memory. */
static double degree_most(const weir_graph *graph)
{
    uint64_t *degree = calloc(graph->vertices ? (size_t)graph->vertices : 1, sizeof *degree);
    uint64_t most = 0;
    if (!degree)
        return -1;
    for (uint64_t v = 0; v < graph->vertices; v++) {
        degree[v] += graph->offsets[v + 1] - graph->offsets[v];
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1] && !graph->mirrored; i++)
            degree[graph->targets[i]]++;
    }
    for (uint64_t v = 0; v < graph->vertices; v++)
        most = degree[v] > most ? degree[v] : most;
    free(degree);
    return (double)most;
}

/* There are many colourings, so values are not compared: both rules are looked at, on the host, and how many colours the serial way has
 * stands beside how many there are. */
static int compare_colors(const weir__cli_algorithm *algorithm, const weir__cli_request *request,
                          const weir_graph *graph, const void *values, const void *expected,
                          weir__cli_trial *trial, char **sentence_out)
{
    const uint32_t *color = values;
    const double most = degree_most(graph);
    uint64_t greedy, largest;
    int code = count_colors(expected, graph->vertices, &greedy, &largest), printed = 0;
    (void)algorithm;
    (void)request;
    *sentence_out = NULL;
    trial->verified_by = "reference";
    if (code || most < 0)
        return code ? code
                    : weir__cli_fail(EXIT_RUN, "no memory to count the arcs of %s", graph->name);
    trial->own[GREEDY_COLORS] = (double)greedy;
    for (uint64_t v = 0; v < graph->vertices && !*sentence_out && !printed; v++) {
        if (color[v] > most)
            printed = asprintf(sentence_out,
                               "vertex %" PRIu64 " has color %" PRIu32
                               ", but no vertex has more than %.0f arcs",
                               v, color[v], most);
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1] && !printed; i++)
            if (color[graph->targets[i]] == color[v])
                printed = asprintf(sentence_out,
                                   "vertex %" PRIu64 " has color %" PRIu32
                                   " and an arc to vertex %" PRIu32 ", which has the same",
                                   v, color[v], graph->targets[i]);
    }
    if (printed < 0) {
        *sentence_out = NULL;
        return weir__cli_fail(EXIT_RUN, "no memory to name what is wrong with the result");
    }
    return EXIT_DONE;
}

static void print_verdict(const weir__cli_trial *last)
{
    if (last->own[GREEDY_COLORS] >= 0)
        printf(", %.0Lf colors, of a serial greedy coloring %.0f", last->figure[0],
               last->own[GREEDY_COLORS]);
}

static const weir__cli_choices directions = {{"auto", "push", "pull", NULL}, {NULL}};

static const weir__cli_option options[] = {
    DIRECTION(directions, "push: through the worklist, vertices take colors and check them\n"
                          "whenever their turn comes, and all choices below count; pull: in\n"
                          "step, those that took one are checked in the next step; default:\n"
                          "auto, by machine and other options"),
    OPTION("permute", "SEED", VERB_OWN, weir__cli_set_number, FIELD(own[OWN_PERMUTE]),
           "vertices take their first colors in an order drawn by SEED, so that\n"
           "neighbours seldom do so at the same time; default: as they are\n"
           "numbered",
           .low = 1, .high = UINT64_MAX, .kind = KIND_COUNT, .shown = "permute %s"),
    FLAG("verify", VERB_OWN, verify,
         "judge all colours: ends of each arc differ, and none is above the\n"
         "most arcs of a vertex; default: off"),
    CHOICE("verify-by", "WAY", VERB_OWN, verify_by, weir__cli_judges,
           "where --verify does so: reference, on the host, where a serial greedy\n"
           "coloring is made to compare how many colours there are; certificate,\n"
           "on the devices; auto: certificate from 2^27 arcs on, where there are\n"
           "GPUs with room for it, else reference; default: auto"),
    OUTPUT_FILE(VERB_OWN, "write one color a line in vertex order, from 0; - is standard\n"
                          "output"),
    END_OF_LIST};

static const weir__cli_column columns[] = {COLUMN_MS,
                                           COLUMN_KERNEL_MS,
                                           COLUMN_GTEPS_SEEN,
                                           COLUMN_STEPS,
                                           COLUMN_FIGURE_0("colors"),
                                           COLUMN_FIGURE_1("largest"),
                                           COLUMN_ITEMS_PROCESSED,
                                           END_OF_LIST};

static const weir__cli_member members[] = {
    {.name = "greedy_colors", .kind = KIND_REAL, .offset = TRIAL(own[GREEDY_COLORS])}, END_OF_LIST};

static const char about[] =
    "No two vertices that an arc joins, in either direction, get the same color; colors count\n"
    "from 0. Vertices take colors that they see at no neighbour, many at the same time; where two\n"
    "neighbours took the same, one of them takes another, until there are none (speculative "
    "greedy\n"
    "coloring): in step, or through the worklist, where an item takes a color, and then checks "
    "it.\n"
    "A run need not give what the last one gave. Each run prints the number of colors and the\n"
    "vertices that have the most frequent one. Items processed are in step the colors that were\n"
    "taken, those twice that had to be taken again, and through the worklist all items, of which "
    "a\n"
    "vertex that keeps its first color needs two on one device.\n" TIMES_TEXT;
static const char examples[] =
    "  weir color rmat:16 --undirected --verify\n"
    "  weir color road.mtx.gz --devices host:4 --permute 7\n"
    "  weir color rmat:18 --kernel live --stats\n"
    "  weir color grid:1000x1000 --devices cuda:0-1 --output colors.txt\n";

const weir__cli_algorithm weir__cli_algorithm_color = {
    ROW(color),
    .resident = 3,
    .verb.text = "a coloring of the vertices on all devices",
    .verb.more = about,
    .verb.examples = examples,
    .value = "color",
    .unreached = "inf",
    .value_bytes = sizeof(uint32_t),
    .worklist = 1,
    .steps = "steps",
    .figure = {"colors", "largest_class"},
    .members = members,
    .print_verdict = print_verdict,
    .link_items = color_link_items,
    .at = color_at,
    .sum = sum_colors,
    .sum_bytes = sizeof(uint32_t),
    .compare = compare_colors,
};
