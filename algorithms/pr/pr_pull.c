/** @file pr_pull.c  PageRank in step on the host's side: runs and what is said of them. */
#include "algorithms/pr/pr_pull_parts.h"
#include "algorithms/pr/pr_pull_args.h"
#include "runtime/support.h"

#include <math.h>
#include <stdlib.h>

extern const weir_steps_program weir__pr_pull_program;

/* ---- set-up ------------------------------------------------------------------------------------ */

static weir_status fits(const struct weir__pr_task *task, const struct weir__rows_config *config)
{
    struct weir__sizes sizes;
    struct weir__need need = {0, 0};
    weir_status status = weir__sizes_of(task->context, task->graph, task->partition, &sizes);
    if (status)
        return status;
    weir__rows_need(&sizes, config, &need);
    weir__pr_pull_need(task, &sizes, &need);
    weir__need_take(&need, task->options.reserved_bytes, 1);
    weir__need_pass(&need, sizes.numbers, sizeof(double));
    return weir__need_fits(&need, "PageRank of %s", task->graph->name);
}

weir_status weir__pr_pull_create(const struct weir__pr_task *task, struct weir__pr_pull **pull_out)
{
    struct weir__rows_config rows = {.in = 1, .out_degree = 1};
    struct weir__pr_pull *pull;
    weir_status status;
    *pull_out = NULL;
    weir__rows_look(task->graph, &rows);
    if ((status = fits(task, &rows)) || (status = weir__calloc(1, sizeof *pull, "PageRank", &pull)))
        return status;
    pull->context = task->context;
    pull->config = task->config;
    pull->vertices = task->vertices;
    pull->dangling = task->dangling;
    pull->parts = task->partition->parts;
    if ((status = weir__calloc((size_t)pull->parts * pull->parts, sizeof *pull->sent,
                               "counts of values sent", &pull->sent)) ||
        (status = weir_steps_create(task->context, pull->parts, &weir__pr_pull_program,
                                    task->options.time_limit_ms, &pull->bsp)) ||
        (status =
             weir__rows_create(task->context, task->graph, task->partition, &rows, &pull->rows)) ||
        (status = weir__pr_pull_place(pull, task)) ||
        (status = weir__pr_pull_set_bounds(pull, 0))) {
        weir__pr_pull_destroy(pull);
        return status;
    }
    *pull_out = pull;
    return WEIR_OK;
}

void weir__pr_pull_destroy(struct weir__pr_pull *pull)
{
    if (!pull)
        return;
    weir_steps_destroy(pull->bsp); /* first: what a run that failed had queued still writes there */
    weir__pr_pull_unplace(pull);
    weir__rows_destroy(pull->rows);
    free(pull->sent);
    free(pull);
}

/* ---- runs -------------------------------------------------------------------------------------- */

/* Bytes that an iteration, or what comes before and after all, has to move in the memory of all devices:
 * each arc and each row once; shares written, and read once however often they are asked for. */
static uint64_t bytes_of(const struct weir__pr_pull *pull, uint64_t single, uint64_t fine)
{
    uint64_t bytes = 0;
    for (uint32_t p = 0; p < pull->parts; p++) {
        const weir_rows_part *part = weir__rows_part(pull->rows, p);
        const uint64_t rows = part->owned, numbers = part->numbers;
        const uint64_t row = 1 + (weir__rows_symmetric(pull->rows) ? 0 : 4) + (pull->parts > 1);
        const uint64_t each =
            part->arcs_in * 4 + pull->part[p].chunks * sizeof(struct pr_chunk) + rows * row;
        bytes += single * (each + rows * 2 * sizeof(float)) +
                 fine * (each + rows * 2 * sizeof(double)) + numbers * (4 + sizeof(float)) +
                 rows * (4 + sizeof(double) + (fine ? sizeof(double) : sizeof(float))) +
                 (fine ? numbers * (sizeof(float) + sizeof(double)) : 0);
    }
    return bytes;
}

static void add_phases(const struct weir__pr_pull *pull, weir_run_stats *stats)
{
    static const char *const name[2] = {"gather", "exchange"};
    for (uint32_t i = 0; i < 2; i++) {
        stats->phase[i] = (weir_run_phase){name[i], 0, stats->steps};
        for (uint32_t p = 0; p < pull->parts; p++) {
            double ms = (double)weir_steps_results(pull->bsp, p)[PR_RESULT_GATHER_NS + i] / 1e6;
            stats->phase[i].ms = fmax(stats->phase[i].ms, ms);
        }
    }
}

static void add_stats(struct weir__pr_pull *pull, double ms, weir_run_stats *stats)
{
    const uint64_t *result = weir_steps_results(pull->bsp, 0);
    const uint64_t single = result[PR_RESULT_SINGLE], fine = result[PR_RESULT_FINE];
    uint64_t arcs = weir__rows_part(pull->rows, 0)->arcs_all, sent = 0;
    for (uint64_t i = 0; i < (uint64_t)pull->parts * pull->parts; i++)
        sent += pull->sent[i];
    stats->kernel_ms += ms;
    stats->steps += single + fine;
    stats->residual = (double)result[PR_RESULT_CHANGE] * PR_UNIT;
    stats->work.ms = stats->kernel_ms;
    stats->work.rounds = stats->steps;
    stats->work.processed += (single + fine) * pull->vertices;
    stats->work.atoms += (single + fine) * arcs;
    stats->work.sent += (single + fine) * sent;
    stats->bytes += bytes_of(pull, single, fine);
    stats->bytes_sent += sent * (single * sizeof(float) + fine * sizeof(double));
    stats->reached = stats->least_items = pull->vertices;
    stats->arcs_reached = arcs;
    stats->direction = WEIR_DIRECTION_PULL;
    stats->devices = pull->parts;
    pull->steps = stats->steps;
}

static weir_status run_once(struct weir__pr_pull *pull, weir_run_stats *stats)
{
    weir_status status = WEIR_OK;
    double ms;
    for (uint32_t p = 0; p < pull->parts && !status; p++)
        status = weir_queue_fill(weir_steps_queue(pull->bsp, p), pull->part[p].done, 0,
                                 sizeof(uint64_t));
    if (status || (status = weir_steps_run(pull->bsp, &ms)))
        return status;
    add_stats(pull, ms, stats);
    return WEIR_OK;
}

weir_status weir__pr_pull_run(struct weir__pr_pull *pull, weir_run_stats *stats_out)
{
    weir_run_stats stats = {0};
    weir_status status = run_once(pull, &stats);
    /* Floats that do not come to rest, which the bounds leave room for: once more, and on with doubles. */
    if (!status && !pull->fine && !pull->config.iterations &&
        stats.residual >= pull->config.tolerance && !(status = weir__pr_pull_set_bounds(pull, 1)))
        status = run_once(pull, &stats);
    if (status)
        return status;
    add_phases(pull, &stats);
    *stats_out = stats;
    return WEIR_OK;
}

/* Shares in single precision lose or gain some parts in 10^8 of all rank; where none is lost by intention,
 * the ranks are brought back to a sum of 1, which moves each towards the fixed point. */
static void normalise(double *ranks, uint64_t vertices)
{
    long double sum = 0;
    for (uint64_t v = 0; v < vertices; v++)
        sum += ranks[v];
    for (uint64_t v = 0; v < vertices; v++)
        ranks[v] = (double)(ranks[v] / sum);
}

weir_status weir__pr_pull_ranks(const struct weir__pr_pull *pull, double *ranks_out)
{
    const void *values[WEIR_DEVICES_MAX];
    for (uint32_t p = 0; p < pull->parts; p++)
        values[p] = pull->part[p].ranks;
    weir_status status = weir__rows_gather(pull->rows, values, sizeof *ranks_out, ranks_out);
    if (!status && pull->config.dangling == WEIR_DANGLING_SPREAD && pull->steps)
        normalise(ranks_out, pull->vertices);
    return status;
}

/* One over the sum of all ranks, as normalise() divides by. */
static weir_status scale_of(const struct weir__pr_pull *pull, double *scale_out)
{
    const void *values[WEIR_DEVICES_MAX];
    long double sum = 0;
    double *ranks;
    weir_status status = weir__alloc(pull->vertices, sizeof *ranks, "ranks", &ranks);
    if (status)
        return status;
    for (uint32_t p = 0; p < pull->parts; p++)
        values[p] = pull->part[p].ranks;
    status = weir__rows_gather(pull->rows, values, sizeof *ranks, ranks);
    for (uint64_t v = 0; v < pull->vertices && !status; v++)
        sum += ranks[v];
    free(ranks);
    *scale_out = (double)(1 / sum);
    return status;
}

weir_status weir__pr_pull_values(const struct weir__pr_pull *pull, uint32_t device,
                                 weir_values *values_out)
{
    const void *ranks = device < pull->parts ? pull->part[device].ranks : NULL;
    weir_status status = weir__rows_values(pull->rows, device, ranks, WEIR_VALUE_F64, values_out);
    if (!status && pull->config.dangling == WEIR_DANGLING_SPREAD && pull->steps)
        status = scale_of(pull, &values_out->scale);
    return status;
}

weir_status weir__pr_pull_link_items(const struct weir__pr_pull *pull, uint32_t from, uint32_t to,
                                     uint64_t *items_out)
{
    *items_out = 0;
    if (from >= weir_context_device_count(pull->context) ||
        to >= weir_context_device_count(pull->context))
        return weir__fail(WEIR_ERR_INVALID, "no link from device %u to device %u", from, to);
    if (from < pull->parts && to < pull->parts)
        *items_out = pull->sent[from * pull->parts + to] * pull->steps;
    return WEIR_OK;
}

void weir__pr_pull_cancel(struct weir__pr_pull *pull)
{
    weir_steps_cancel(pull->bsp);
}
