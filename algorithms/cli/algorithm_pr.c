/** @file algorithm_pr.c  What the command knows of PageRank; verify_ranks.c judges its ranks. */
#include "algorithms/cli/verify_ranks.h"
#include "algorithms/reference.h"

ROW_FUNCTIONS(pr, ranks)
LINK_FUNCTION(pr)
RUN_FUNCTION(pr)

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

static weir_status pr_reference(const weir_graph *graph, const weir__cli_request *request,
                                uint64_t source, void *values_out)
{
    weir_pr_config config = weir__cli_pr_config(request);
    (void)source;
    return weir_pr_reference(graph, &config, values_out);
}

/* Every step looks at all arcs, so that a rate of arcs reached says nothing. */
static const weir__cli_column columns[] = {
    COLUMN_MS,
    COLUMN_KERNEL_MS,
    {"iterations", 10, KIND_COUNT, TRIAL(stats.steps), NULL},
    {"ms each", 10, KIND_REAL, TRIAL(step_ms), "%.4f"},
    {"residual", 10, KIND_REAL, TRIAL(stats.residual), "%.3g"},
    COLUMN_GTEPS_SEEN,
    COLUMN_FIGURE_0("max rank"),
    COLUMN_FIGURE_1("sum of ranks"),
    COLUMN_ITEMS_PROCESSED,
    COLUMN_ITEMS_SENT,
    {.head = NULL}};

static const weir__cli_member members[] = {
    {.name = "residual", .kind = KIND_REAL, .offset = TRIAL(stats.residual)},
    {.name = "ms_per_iteration", .kind = KIND_REAL, .offset = TRIAL(step_ms)},
    {.name = "l1_difference", .kind = KIND_REAL, .offset = TRIAL(own[RANKS_L1])},
    {.name = "relative_difference", .kind = KIND_REAL, .offset = TRIAL(own[RANKS_RELATIVE])},
    {.name = "verified_by", .kind = KIND_TEXT, .offset = TRIAL(verified_by)},
    {.name = "exact_change", .kind = KIND_REAL, .offset = TRIAL(own[RANKS_CHANGE])},
    {.name = "l1_bound", .kind = KIND_REAL, .offset = TRIAL(own[RANKS_WITHIN])},
    {.name = NULL}};

#define REQUEST(member) offsetof(weir__cli_request, member)
static const weir__cli_member choices[] = {
    {.name = "tolerance", .kind = KIND_REAL, .offset = REQUEST(tolerance), .before = "tolerance "},
    {.name = "damping", .kind = KIND_REAL, .offset = REQUEST(damping), .before = "damping "},
    {.name = "dangling",
     .kind = KIND_CHOICE,
     .offset = REQUEST(dangling),
     .before = "dangling ",
     .choices = &weir__cli_danglings},
    {.name = "iterations",
     .kind = KIND_COUNT,
     .offset = REQUEST(iterations),
     .before = "at most ",
     .after = " iterations"},
    {.name = NULL}};

const weir__cli_algorithm weir__cli_algorithm_pr = {ROW(pr),
                                                    .value = "rank",
                                                    .unreached = "inf",
                                                    .value_bytes = sizeof(double),
                                                    .worklist = 1,
                                                    .steps = "iterations",
                                                    .figure = {"max_rank", "sum_ranks"},
                                                    .members = members,
                                                    .choices = choices,
                                                    .print_verdict = weir__cli_print_ranks_verdict,
                                                    .link_items = pr_link_items,
                                                    .at = weir__cli_double_at,
                                                    .sum = weir__cli_sum_values,
                                                    .check_need = weir__pr_check_need,
                                                    .needs_reference =
                                                        weir__cli_ranks_need_reference,
                                                    .compare = weir__cli_compare_ranks};
