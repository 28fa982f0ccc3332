/** @file pr.c  PageRank: which form runs, on which devices; the forms are in pr_pull.c, pr_push.c, pr_in_2d.c and pr_steal.c. */
#include "algorithms/pr/pr.h"
#include "algorithms/common/algorithm.h"
#include "algorithms/common/forms.h"
#include "algorithms/common/steal_host.h"
#include "algorithms/graph/partition.h"
#include "runtime/support.h"
#include "worklist/steps.h"

#include <math.h>
#include <stdlib.h>

/* Ranks in doubles are never as exact as that. Bounds that are computed from a smaller tolerance would be 0. */
#define TOLERANCE_LEAST 1e-300

struct weir_pr {
    struct weir__algorithm head; /* first */
    struct weir__pr_pull *pull;  /* one of the four; none without vertices */
    struct weir__pr_push *push;
    struct weir__pr_cells *cells; /* in two dimensions */
    struct weir__pr_steal *steal; /* with balance frontier */
    int in_2d;
    const struct weir__forms *forms;
    int frontier; /* balance is */
    weir_direction direction;
    weir_pr_config config;
};

/* ---- what is asked for ------------------------------------------------------------------------- */

static weir_status check(const weir_pr_config *config)
{
    if (!(config->damping >= 0 && config->damping < 1))
        return weir__fail(WEIR_ERR_INVALID, "a damping of %g: from 0 to below 1", config->damping);
    if (!(config->tolerance > 0) || !isfinite(config->tolerance))
        return weir__fail(WEIR_ERR_INVALID, "a tolerance of %g: above 0", config->tolerance);
    if (config->dangling != WEIR_DANGLING_SPREAD && config->dangling != WEIR_DANGLING_IGNORE)
        return weir__fail(WEIR_ERR_INVALID, "%d is no way to treat dangling vertices",
                          (int)config->dangling);
    if (config->bands > PR_BANDS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%u bands: up to %u", config->bands, PR_BANDS_MAX);
    if (config->bands > 1 && config->hubs > 1)
        return weir__fail(WEIR_ERR_INVALID,
                          "%u hubs in %u bands: hubs are kept with one band alone", config->hubs,
                          config->bands);
    if (config->bins > PR_BINS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%u bins: up to %u", config->bins, PR_BINS_MAX);
    if (config->bins > 1 && (config->bands > 1 || config->hubs > 1))
        return weir__fail(WEIR_ERR_INVALID, "%u bins with %s: shares are spread into bins, or read",
                          config->bins, config->bands > 1 ? "bands" : "hubs");
    return WEIR_OK;
}

/* Bands put the arcs into another order where they lie, and bins are two more arrays of them: both are for arcs in device memory.
 * Whoever chooses by itself goes without (pr_choose.c). */
static weir_status refuse_more_arcs(const weir_pr_config *config, const weir_run_options *options)
{
    if (options->memory != WEIR_MEMORY_HOST || (config->bands <= 1 && config->bins <= 1))
        return WEIR_OK;
    return weir__fail(
        WEIR_ERR_UNSUPPORTED, "%u %s with arcs in host memory: they are for arcs on the devices",
        config->bands > 1 ? config->bands : config->bins, config->bands > 1 ? "bands" : "bins");
}

static weir_status possible(const void *user)
{
    const weir_pr *pr = user;
    return weir_steps_possible(pr->head.context, pr->head.parts);
}

static uint64_t dangling(const weir_graph *graph)
{
    uint64_t count = 0;
    for (uint64_t v = 0; v < graph->vertices && graph->offsets; v++) /* a sketch has none */
        count += graph->offsets[v] == graph->offsets[v + 1];
    return count;
}

/* ---- the object -------------------------------------------------------------------------------- */

static weir_status create(struct weir__algorithm *head, const struct weir__making *making)
{
    weir_pr *pr = (weir_pr *)head;
    const struct weir__asked asked = {.options = making->options,
                                      .iterations = pr->config.iterations,
                                      .bands = pr->config.bands,
                                      .hubs = pr->config.hubs,
                                      .bins = pr->config.bins};
    const struct weir__form_case what = {
        .usual = WEIR__FORM_STEP,
        .why = pr->in_2d ? "the partition has two dimensions"
                         : "every iteration looks at every arc once, which takes no queue of items",
        .possible = possible,
        .user = pr};
    const struct weir__pr_task task = {.context = making->context,
                                       .graph = making->graph,
                                       .partition = making->partition,
                                       .options = *making->options,
                                       .config = pr->config,
                                       .vertices = head->vertices,
                                       .dangling = dangling(making->graph)};
    int form;
    weir_status status = weir__partition_fits(making->context, making->graph, making->partition);
    if (status || (status = weir__form_choose(pr->forms, &asked, &what, &form, &pr->direction,
                                              head->why_form)))
        return status;
    if ((status = refuse_more_arcs(&pr->config, making->options)))
        return status;
    pr->frontier = making->options->balance == WEIR_BALANCE_FRONTIER;
    if (pr->frontier && (status = weir__steal_fits(making->partition, making->options)))
        return status;
    if (!head->vertices)
        return WEIR_OK;
    if (pr->frontier) {
        if (!(status = weir__pr_steal_create(&task, &pr->steal)))
            head->on = &pr->steal->on;
        return status;
    }
    if (form == WEIR__FORM_PUSH)
        return weir__pr_push_create(&task, &pr->push);
    if (pr->in_2d) {
        if (!(status = weir__pr_cells_create(&task, &pr->cells)))
            head->on = &pr->cells->on;
        return status;
    }
    if ((status = weir__pr_pull_create(&task, &pr->pull)))
        return status;
    head->on = &pr->pull->on;
    return WEIR_OK;
}

struct asked_for {
    weir_run_options *options;
    const weir_pr_config *config;
};

/* For plans: the same again, elsewhere. */
static weir_status make_again(const void *user, weir_context *context, const weir_graph *graph,
                              const weir_partition *partition, void **object_out)
{
    const struct asked_for *asked = user;
    weir_pr *pr;
    weir_status status =
        weir_pr_create(context, graph, partition, asked->options, asked->config, &pr);
    *object_out = pr;
    return status;
}

static void destroy_again(void *object)
{
    weir_pr_destroy(object);
}

weir_status weir_pr_create(weir_context *context, const weir_graph *graph,
                           const weir_partition *partition, const weir_run_options *options,
                           const weir_pr_config *config, weir_pr **pr_out)
{
    weir_pr_config known = WEIR_PR_CONFIG_INIT;
    struct weir__making making = {
        .context = context, .graph = graph, .partition = partition, .options = options};
    weir_status status;
    weir_pr *pr;
    *pr_out = NULL;
    if ((status = weir__making_begin(&making)) ||
        (status = weir__sized_in(&known, sizeof known, config, "weir_pr_config")) ||
        (status = check(&known)) || (status = weir__calloc(1, sizeof *pr, "PageRank", &pr)))
        return status;
    pr->config = known;
    pr->config.tolerance = fmax(known.tolerance, TOLERANCE_LEAST);
    pr->in_2d = partition && partition->kind == WEIR_PARTITION_2D;
    pr->forms = pr->in_2d ? &weir__pr_2d_forms : &weir__pr_forms;
    making.cells = 1;
    making.maker =
        &(struct weir__maker){pr->in_2d ? "PageRank in two dimensions" : "PageRank",
                              &(struct asked_for){&making.known, &pr->config}, make_again,
                              destroy_again, pr->in_2d ? NULL : &making.known};
    if ((status = weir__algorithm_create(&pr->head, &making, WEIR_SHAPE_SWEEPS, create))) {
        weir_pr_destroy(pr);
        return status;
    }
    *pr_out = pr;
    return WEIR_OK;
}

weir_status weir_pr_run(weir_pr *pr, weir_run_stats *stats_out)
{
    const uint64_t begin_ns = weir__algorithm_begin(&pr->head);
    weir_run_stats stats = {.direction = pr->direction};
    weir_status status = weir__sized_room(stats_out, sizeof stats, "weir_run_stats");
    if (status)
        return status;
    status = pr->pull    ? weir__pr_pull_run(pr->pull, &stats)
             : pr->push  ? weir__pr_push_run(pr->push, &stats)
             : pr->cells ? weir__pr_cells_run(pr->cells, &stats)
             : pr->steal ? weir__pr_steal_run(pr->steal, &stats)
                         : WEIR_OK;
    if (status)
        return weir__algorithm_failed(&pr->head, status);
    stats.arcs_reached = pr->head.arcs;
    weir__algorithm_ran(&pr->head, begin_ns, &stats, stats_out);
    return WEIR_OK;
}

weir_status weir_pr_ranks(weir_pr *pr, double *ranks_out)
{
    if (!pr->head.ran)
        return weir__fail(WEIR_ERR_INVALID, "there are no ranks before a complete run");
    return pr->pull    ? weir__pr_pull_ranks(pr->pull, ranks_out)
           : pr->push  ? weir__pr_push_ranks(pr->push, ranks_out)
           : pr->cells ? weir__pr_cells_ranks(pr->cells, ranks_out)
           : pr->steal ? weir__pr_steal_ranks(pr->steal, ranks_out)
                       : WEIR_OK;
}

static weir_status values(weir_pr *pr, uint32_t device, weir_values *values_out)
{
    if (!pr->head.ran)
        return weir__fail(WEIR_ERR_INVALID, "there are no ranks before a complete run");
    if (!pr->pull && !pr->push && !pr->cells && !pr->steal)
        return weir__fail(WEIR_ERR_INVALID, "a graph without vertices has no ranks");
    if (pr->cells)
        return weir__pr_cells_values(pr->cells, device, values_out);
    if (pr->steal)
        return weir__pr_steal_values(pr->steal, device, values_out);
    return pr->pull ? weir__pr_pull_values(pr->pull, device, values_out)
                    : weir__pr_push_values(pr->push, device, values_out);
}

weir_status weir_pr_values(weir_pr *pr, uint32_t device, weir_values *values_out)
{
    weir_values known = WEIR_VALUES_INIT;
    weir_status status = weir__sized_room(values_out, sizeof known, "weir_values");
    if (!status)
        status = values(pr, device, &known);
    return status ? status : weir__sized_out(values_out, &known, sizeof known, "weir_values");
}

weir_status weir_pr_link_items(const weir_pr *pr, uint32_t from, uint32_t to, uint64_t *items_out)
{
    *items_out = 0;
    if (pr->push)
        return weir__pr_push_link_items(pr->push, from, to, items_out);
    weir_status status =
        pr->head.on ? weir__algorithm_link_items(&pr->head, from, to, items_out) : WEIR_OK;
    if (!pr->head.ran) /* what runs begin with was made by a run that nobody asked for */
        *items_out = 0;
    return status;
}

weir_status weir_pr_stolen(const weir_pr *pr, uint32_t owner, uint32_t worker, uint64_t *arcs_out)
{
    *arcs_out = 0;
    if (!pr->steal)
        return weir__fail(WEIR_ERR_INVALID, "PageRank runs with balance off");
    const weir_status status = weir__pr_steal_stolen(pr->steal, owner, worker, arcs_out);
    if (!pr->head.ran)
        *arcs_out = 0;
    return status;
}

weir_status weir_pr_explain(const weir_pr *pr, weir_run_stats *picked_out,
                            weir_run_reasons *reasons_out)
{
    weir_run_stats picked = WEIR_RUN_STATS_INIT;
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    const int form =
        pr->direction == WEIR_DIRECTION_PUSH && !pr->frontier ? WEIR__FORM_PUSH : WEIR__FORM_STEP;
    weir_status status = pr->push ? weir__pr_push_explain(pr->push, &picked, &reasons) : WEIR_OK;
    if (pr->pull) {
        weir__row_steps_picked(&pr->pull->on, &picked);
        weir__pr_pull_picked(pr->pull, &picked);
        reasons.why_bands = pr->pull->why_bands;
    }
    if (pr->cells) {
        weir__row_steps_picked(&pr->cells->on, &picked);
        weir__pr_cells_picked(&picked);
    }
    if (pr->steal) {
        weir__row_steps_picked(&pr->steal->on, &picked);
        weir__pr_steal_picked(&picked);
    }
    picked.direction = pr->direction;
    const struct weir__forms *forms = pr->frontier ? pr->forms->frontier : pr->forms;
    return status ? status
                  : weir__algorithm_explained(&pr->head, &forms->form[form], &picked, &reasons,
                                              picked_out, reasons_out);
}

weir_status weir_pr_prepared(const weir_pr *pr, weir_prepare_stats *stats_out)
{
    return weir__algorithm_prepared(&pr->head, stats_out);
}

void weir_pr_cancel(weir_pr *pr)
{
    if (pr->push)
        weir__pr_push_cancel(pr->push);
    weir__algorithm_cancel(&pr->head);
}

void weir_pr_destroy(weir_pr *pr)
{
    if (!pr)
        return;
    weir__pr_pull_destroy(pr->pull);
    weir__pr_push_destroy(pr->push);
    weir__pr_cells_destroy(pr->cells);
    weir__pr_steal_destroy(pr->steal);
    free(pr);
}
