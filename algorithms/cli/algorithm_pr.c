/** @file algorithm_pr.c  What the command knows of PageRank; verify_ranks.c judges its ranks. */
#include "algorithms/cli/verify_ranks.h"
#include "algorithms/cli/option_set.h"
#include "algorithms/reference.h"

/* The position in request->own of its option that changes no memory. */
enum { DANGLING = OWN_UNPLANNED };

ROW_FUNCTIONS(pr, ranks)
LINK_FUNCTION(pr)
RUN_FUNCTION(pr)

static weir_status pr_stolen(void *object, uint32_t owner, uint32_t worker, uint64_t *arcs_out)
{
    return weir_pr_stolen(object, owner, worker, arcs_out);
}

static int pr_certify(const weir__cli_algorithm *algorithm, const weir__cli_request *request,
                      weir_context *context, const weir_graph *graph, const void *values,
                      const int64_t *parents, weir__cli_trial *trial, char **sentence_out)
{
    (void)parents;
    return weir__cli_certify_ranks(algorithm, request, context, graph, values, trial, sentence_out);
}

weir_pr_config weir__cli_pr_config(const weir__cli_request *request)
{
    weir_pr_config config = WEIR_PR_CONFIG_INIT;
    config.damping = request->own[OWN_DAMPING].real;
    config.tolerance = request->own[OWN_TOLERANCE].real;
    config.dangling = (weir_dangling)request->own[DANGLING].choice;
    config.iterations = (uint32_t)request->own[OWN_ITERATIONS].count;
    config.bands = (uint32_t)request->own[OWN_BANDS].count;
    config.hubs = (uint32_t)request->own[OWN_HUBS].count;
    config.bins = (uint32_t)request->own[OWN_BINS].count;
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

static void ask(const weir__cli_request *request, struct weir__asked *asked)
{
    asked->iterations = (uint32_t)request->own[OWN_ITERATIONS].count;
    asked->bands = (uint32_t)request->own[OWN_BANDS].count;
    asked->hubs = (uint32_t)request->own[OWN_HUBS].count;
    asked->bins = (uint32_t)request->own[OWN_BINS].count;
}

static weir_status pr_reference(const weir_graph *graph, const weir__cli_request *request,
                                uint64_t source, void *values_out)
{
    weir_pr_config config = weir__cli_pr_config(request);
    (void)source;
    return weir_pr_reference(graph, &config, values_out);
}

static const weir__cli_choices directions = {{"auto", "push", "pull", NULL}, {NULL}};
static const weir__cli_choices danglings = {{"spread", "ignore", NULL}, {NULL}};

static const weir__cli_option options[] = {
    DIRECTION(directions, "push: through the worklist, vertices send residuals over their\n"
                          "arcs, and all choices below count, or in step with --balance\n"
                          "frontier; pull: in step, vertices add up along arcs that come to\n"
                          "them; default: auto, by machine and other options"),
    OPTION("tolerance", "T", VERB_OWN, weir__cli_set_positive, FIELD(own[OWN_TOLERANCE]),
           "stop when an iteration changes ranks by less than T in all (the\n"
           "L1 norm), or the residual bounds that; above 0; default: 1e-6",
           .foreign = "is exact and has no tolerance", .kind = KIND_REAL, .shown = "tolerance %s"),
    OPTION("damping", "D", VERB_OWN, weir__cli_set_fraction, FIELD(own[OWN_DAMPING]),
           "the part of a rank that follows arcs, 0 to below 1; default: 0.85",
           .foreign = "has no damping factor", .kind = KIND_REAL, .shown = "damping %s"),
    OPTION("dangling", "D", VERB_OWN, weir__cli_set_choice, FIELD(own[DANGLING]),
           "the rank of vertices without out-arcs: spread, over all vertices,\n"
           "so that ranks sum to 1; ignore, it is lost, as in the GAP\n"
           "benchmark suite; default: spread",
           .choices = &danglings, .foreign = "has no dangling mass", .kind = KIND_CHOICE,
           .shown = "dangling %s"),
    OPTION("iterations", "N", VERB_OWN, weir__cli_set_number, FIELD(own[OWN_ITERATIONS]),
           "of direction pull at most; default: until the tolerance is met", .low = 1,
           .high = UINT32_MAX, .foreign = "ends by itself and has no number of iterations",
           .kind = KIND_COUNT, .shown = "at most %s iterations"),
    OPTION("bands", "N", VERB_OWN, weir__cli_set_number, FIELD(own[OWN_BANDS]),
           "stretches of vertices whose ranks direction pull reads one after\n"
           "the other, so that those of one stay in the cache, 1 to 64;\n"
           "default: 1, or as many as the cache asks for where that is less\n"
           "to move",
           .low = 1, .high = 64, .foreign = "reads no ranks along arcs", .kind = KIND_COUNT,
           .shown = "bands %s"),
    OPTION("hubs", "N", VERB_OWN, weir__cli_set_number, FIELD(own[OWN_HUBS]),
           "vertices with the most arcs of which direction pull keeps what\n"
           "their arcs carry in each block's own memory, as far as there is\n"
           "room, 1 (none) to 49152; default: 1, or all there is room for\n"
           "where half of the arcs of a large graph are theirs, on GPUs, and\n"
           "there are no bins",
           .low = 1, .high = 49152, .foreign = "reads no ranks along arcs", .kind = KIND_COUNT,
           .shown = "hubs %s"),
    OPTION("bins", "N", VERB_OWN, weir__cli_set_number, FIELD(own[OWN_BINS]),
           "bins of rows, of each device, into which direction pull spreads\n"
           "what arcs carry, and adds it up there, while ranks have 32 bits,\n"
           "so that none is read at random, 1 (none) to 65535, as far as\n"
           "there are arcs and memory for them; default: 1, or as many as the\n"
           "blocks of a GPU ask for where that moves less",
           .low = 1, .high = 65535, .foreign = "reads no ranks along arcs", .kind = KIND_COUNT,
           .shown = "bins %s"),
    FLAG("verify", VERB_OWN, verify,
         "judge all ranks, by an exact iteration from them or, at tolerances\n"
         "up to 1e-9, by a reference; default: off"),
    CHOICE("verify-by", "WAY", VERB_OWN, verify_by, weir__cli_judges,
           "where --verify does so: reference, on the host; certificate, on the\n"
           "devices, by an exact iteration there at any tolerance; auto:\n"
           "certificate from 2^27 arcs on, where there are GPUs with room for\n"
           "it, else reference; default: auto"),
    OUTPUT_FILE(VERB_OWN, "write one rank a line in vertex order, with 17 digits; - is\n"
                          "standard output"),
    END_OF_LIST};

/* Every step looks at all arcs, so that a rate of arcs reached says nothing. */
static const weir__cli_column columns[] = {
    COLUMN_MS,
    COLUMN_KERNEL_MS,
    COLUMN("iterations", 10, KIND_COUNT, stats.steps, NULL),
    COLUMN("ms each", 10, KIND_REAL, step_ms, "%.4f"),
    COLUMN("residual", 10, KIND_REAL, stats.residual, "%.3g"),
    COLUMN_GTEPS_SEEN,
    COLUMN_FIGURE_0("max rank"),
    COLUMN_FIGURE_1("sum of ranks"),
    COLUMN_ITEMS_PROCESSED,
    COLUMN_ITEMS_SENT,
    END_OF_LIST};

static const weir__cli_member members[] = {
    {.name = "residual", .kind = KIND_REAL, .offset = TRIAL(stats.residual)},
    {.name = "bands", .kind = KIND_COUNT, .offset = TRIAL(stats.bands)},
    {.name = "hubs", .kind = KIND_COUNT, .offset = TRIAL(stats.hubs)},
    {.name = "bins", .kind = KIND_COUNT, .offset = TRIAL(stats.bins)},
    {.name = "gathered", .kind = KIND_COUNT, .offset = TRIAL(stats.gathered)},
    {.name = "turns_stolen", .kind = KIND_COUNT, .offset = TRIAL(stats.turns_stolen)},
    {.name = "epochs", .kind = KIND_COUNT, .offset = TRIAL(stats.epochs)},
    STOLEN_MEMBERS,
    {.name = "ms_per_iteration", .kind = KIND_REAL, .offset = TRIAL(step_ms)},
    {.name = "l1_difference", .kind = KIND_REAL, .offset = TRIAL(own[RANKS_L1])},
    {.name = "relative_difference", .kind = KIND_REAL, .offset = TRIAL(own[RANKS_RELATIVE])},
    {.name = "exact_change", .kind = KIND_REAL, .offset = TRIAL(own[RANKS_CHANGE])},
    {.name = "l1_bound", .kind = KIND_REAL, .offset = TRIAL(own[RANKS_WITHIN])},
    END_OF_LIST};

static const char about[] =
    "A vertex gets (1 - damping) / vertices, and damping times what comes over its in-arcs:\n"
    "the rank of a vertex goes out in equal parts. Ranks have 64 bits. Each run prints its times,\n"
    "the iterations of direction pull and what each took, the residual it stopped at, and GTEPS\n"
    "seen: arcs looked at, in 1e9 a second.\n" TIMES_TEXT
    "--verify makes one exact iteration from the ranks, all of them: what it changes, divided by\n"
    "1 - damping, is how far they are from the true ranks at most. It must be what the tolerance\n"
    "and the rounding of 32-bit shares allow, and ranks must sum to 1 unless dangling ranks are\n"
    "ignored. At tolerances up to 1e-9 all ranks are compared with a reference instead: they\n"
    "differ by tolerance / (1 - damping) in all at most, and at tolerances up to 1e-10 by 1e-9 "
    "of\n"
    "a rank at most. With a certificate it is an iteration on the devices at any tolerance; at "
    "those\n"
    "up to 1e-10 it may change a rank by 2e-9 of it at most.\n";
static const char examples[] =
    "  weir pr rmat:16 --verify\n"
    "  weir pr web.txt.gz --tolerance 1e-10 --output ranks.txt\n"
    "  weir pr rmat:22 --undirected --devices cuda:0-3 --iterations 20 --trials 10 --json -\n";

const weir__cli_algorithm weir__cli_algorithm_pr = {
    ROW(pr),
    .forms_2d = &weir__pr_2d_forms,
    .resident = WEIR_GRAPH_RESIDENT,
    .verb.text = "PageRank on all devices",
    .verb.more = about,
    .verb.examples = examples,
    .value = "rank",
    .unreached = "inf",
    .value_bytes = sizeof(double),
    .worklist = 1,
    .steps = "iterations",
    .figure = {"max_rank", "sum_ranks"},
    .own = {[OWN_TOLERANCE] = {.real = 1e-6}, [OWN_DAMPING] = {.real = 0.85}},
    .ask = ask,
    .members = members,
    .print_verdict = weir__cli_print_ranks_verdict,
    .link_items = pr_link_items,
    .stolen = pr_stolen,
    .at = weir__cli_double_at,
    .sum = weir__cli_sum_values,
    .check_need = weir__pr_check_need,
    .needs_reference = weir__cli_ranks_need_reference,
    .compare = weir__cli_compare_ranks,
};
