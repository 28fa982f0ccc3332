/** @file pr.c  PageRank: which form runs, on which devices; the forms are in pr_pull.c and pr_push.c. */
#include "algorithms/pr/pr.h"
#include "algorithms/common/choose.h"
#include "algorithms/common/forms.h"
#include "algorithms/common/timing.h"
#include "algorithms/graph/partition.h"
#include "runtime/support.h"
#include "worklist/steps.h"

#include <math.h>
#include <stdlib.h>

/* Ranks in doubles are never as exact as that. Bounds that are computed from a smaller tolerance would be 0. */
#define TOLERANCE_LEAST 1e-300

struct weir_pr {
    weir_context *context;
    struct weir__pr_pull *pull; /* one of the two; neither without vertices */
    struct weir__pr_push *push;
    weir_direction direction;
    const char *why_devices;
    uint64_t vertices, arcs;
    uint32_t parts;
    int ran; /* the last run was complete */
    weir_prepare_stats prepared;
};

/* ---- what is asked for ------------------------------------------------------------------------- */

static weir_status check(const weir_run_options *options, const weir_pr_config *config)
{
    if (options->size != sizeof *options)
        return weir__fail(WEIR_ERR_INVALID, "weir_run_options was not set by its initialiser");
    if (config->size != sizeof *config)
        return weir__fail(WEIR_ERR_INVALID, "weir_pr_config was not set by its initialiser");
    if (!(config->damping >= 0 && config->damping < 1))
        return weir__fail(WEIR_ERR_INVALID, "a damping of %g: from 0 to below 1", config->damping);
    if (!(config->tolerance > 0) || !isfinite(config->tolerance))
        return weir__fail(WEIR_ERR_INVALID, "a tolerance of %g: above 0", config->tolerance);
    if (config->dangling != WEIR_DANGLING_SPREAD && config->dangling != WEIR_DANGLING_IGNORE)
        return weir__fail(WEIR_ERR_INVALID, "%d is no way to treat dangling vertices",
                          (int)config->dangling);
    return WEIR_OK;
}

static weir_status possible(const void *user)
{
    const weir_pr *pr = user;
    return weir_steps_possible(pr->context, pr->parts);
}

static weir_status choose(weir_pr *pr, const struct weir__pr_task *task)
{
    const struct weir__asked asked = {.options = &task->options,
                                      .iterations = task->config.iterations};
    const struct weir__form_case what = {WEIR__FORM_STEP, possible, pr};
    int form;
    return weir__form_choose(&weir__pr_forms, &asked, &what, &form, &pr->direction);
}

static uint64_t dangling(const weir_graph *graph)
{
    uint64_t count = 0;
    for (uint64_t v = 0; v < graph->vertices; v++)
        count += graph->offsets[v] == graph->offsets[v + 1];
    return count;
}

/* ---- the object -------------------------------------------------------------------------------- */

static weir_status create_form(weir_pr *pr, const struct weir__pr_task *task)
{
    if (!pr->vertices)
        return WEIR_OK;
    return pr->direction == WEIR_DIRECTION_PULL ? weir__pr_pull_create(task, &pr->pull)
                                                : weir__pr_push_create(task, &pr->push);
}

static weir_status create_on(weir_pr *pr, struct weir__pr_task *task,
                             const struct weir__prepare *begin)
{
    weir_partition *made = NULL;
    weir_status status = weir__partition_choose(task->context, task->graph, &task->partition,
                                                WEIR_SHAPE_SWEEPS, &made, &pr->why_devices);
    if (status)
        return status;
    pr->parts = task->partition->parts;
    status = choose(pr, task);
    if (!status)
        status = create_form(pr, task);
    if (!status)
        pr->prepared = weir__prepare_end(begin, task->graph, task->partition, made);
    weir_partition_destroy(made);
    return status;
}

weir_status weir_pr_create(weir_context *context, const weir_graph *graph,
                           const weir_partition *partition, const weir_run_options *options,
                           const weir_pr_config *config, weir_pr **pr_out)
{
    static const weir_run_options no_options = WEIR_RUN_OPTIONS_INIT;
    static const weir_pr_config no_config = WEIR_PR_CONFIG_INIT;
    const struct weir__prepare begin = weir__prepare_begin();
    struct weir__pr_task task = {.context = context,
                                 .graph = graph,
                                 .partition = partition,
                                 .options = options ? *options : no_options,
                                 .config = config ? *config : no_config,
                                 .vertices = graph->vertices,
                                 .dangling = dangling(graph)};
    weir_status status;
    weir_pr *pr;
    *pr_out = NULL;
    if ((status = check(&task.options, &task.config)) ||
        (partition && (status = weir__partition_fits(context, graph, partition))) ||
        (status = weir__calloc(1, sizeof *pr, "PageRank", &pr)))
        return status;
    task.config.tolerance = fmax(task.config.tolerance, TOLERANCE_LEAST);
    pr->context = context;
    pr->vertices = graph->vertices;
    pr->arcs = graph->arcs;
    if ((status = create_on(pr, &task, &begin))) {
        weir_pr_destroy(pr);
        return status;
    }
    *pr_out = pr;
    return WEIR_OK;
}

weir_status weir_pr_run(weir_pr *pr, weir_run_stats *stats_out)
{
    const uint64_t begin_ns = weir_context_time_ns(pr->context);
    weir_run_stats stats = {.direction = pr->direction};
    weir_status status = pr->pull   ? weir__pr_pull_run(pr->pull, &stats)
                         : pr->push ? weir__pr_push_run(pr->push, &stats)
                                    : WEIR_OK;
    pr->ran = !status;
    if (status)
        return status;
    stats.arcs_reached = pr->arcs;
    stats.devices = pr->parts;
    stats.why_devices = pr->why_devices;
    stats.ms = weir__ms_since(pr->context, begin_ns);
    if (stats_out)
        *stats_out = stats;
    return WEIR_OK;
}

weir_status weir_pr_ranks(weir_pr *pr, double *ranks_out)
{
    if (!pr->ran)
        return weir__fail(WEIR_ERR_INVALID,
                          "there are no ranks: the last run was not complete, or there was none");
    return pr->pull   ? weir__pr_pull_ranks(pr->pull, ranks_out)
           : pr->push ? weir__pr_push_ranks(pr->push, ranks_out)
                      : WEIR_OK;
}

weir_status weir_pr_values(weir_pr *pr, uint32_t device, weir_values *values_out)
{
    if (!pr->ran)
        return weir__fail(WEIR_ERR_INVALID,
                          "there are no ranks: the last run was not complete, or there was none");
    if (!pr->pull && !pr->push)
        return weir__fail(WEIR_ERR_INVALID, "a graph without vertices has no ranks");
    return pr->pull ? weir__pr_pull_values(pr->pull, device, values_out)
                    : weir__pr_push_values(pr->push, device, values_out);
}

weir_status weir_pr_link_items(const weir_pr *pr, uint32_t from, uint32_t to, uint64_t *items_out)
{
    *items_out = 0;
    return pr->pull   ? weir__row_steps_link_items(&pr->pull->on, from, to, items_out)
           : pr->push ? weir__pr_push_link_items(pr->push, from, to, items_out)
                      : WEIR_OK;
}

void weir_pr_prepared(const weir_pr *pr, weir_prepare_stats *stats_out)
{
    *stats_out = pr->prepared;
}

void weir_pr_cancel(weir_pr *pr)
{
    if (pr->pull)
        weir_steps_cancel(pr->pull->on.steps);
    if (pr->push)
        weir__pr_push_cancel(pr->push);
}

void weir_pr_destroy(weir_pr *pr)
{
    if (!pr)
        return;
    weir__pr_pull_destroy(pr->pull);
    weir__pr_push_destroy(pr->push);
    free(pr);
}
