/** @file pr_pull.c  PageRank in step on the host's side: rows, lists and shares on the devices, runs. */
#include "algorithms/pr/pr_pull_args.h"
#include "algorithms/pr/pr.h"
#include "runtime/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const weir_bsp_program weir__pr_pull_program;

enum { MEMORY_MAX = 10 }; /* arrays of a device */

struct device_part {
    void *memory[MEMORY_MAX];
    uint32_t used;
    uint64_t chunks; /* of its plan */
    double *ranks;
    void *done; /* pieces_done */
};

struct weir__pr_pull {
    weir_context *context;
    weir_pr_config config;
    uint64_t vertices, dangling;
    uint32_t parts;
    int fine; /* shares can be doubles, too */
    weir__rows *rows;
    weir_bsp *bsp;
    struct device_part part[WEIR_DEVICES_MAX];
    uint64_t *sent; /* parts * parts: values of an iteration from one to another */
    uint32_t steps; /* of the last run */
};

/* ---- memory of the devices --------------------------------------------------------------------- */

static weir_device *device_of(const struct weir__pr_pull *pull, uint32_t p)
{
    return weir_context_device(pull->context, p);
}

/* The object's, freed with it. */
static weir_status place(struct weir__pr_pull *pull, uint32_t p, uint64_t count, size_t bytes,
                         const void *values, void *memory_out)
{
    struct device_part *part = &pull->part[p];
    void *memory;
    weir_status status =
        weir_device_alloc(device_of(pull, p), (count ? count : 1) * bytes, &memory);
    if (status)
        return status;
    part->memory[part->used++] = memory;
    memcpy(memory_out, &memory, sizeof memory);
    return values && count ? weir__upload(device_of(pull, p), memory, values, count * bytes)
                           : WEIR_OK;
}

static weir_status place_lists(struct weir__pr_pull *pull, uint32_t p,
                               const struct weir__pr_lists *lists, const uint8_t *readers)
{
    pr_pull_args *args = weir_bsp_args(pull->bsp, p);
    struct pr_plan *plan = &args->plan;
    weir_status status;
    plan->chunks = (uint32_t)lists->chunks;
    plan->pieces = (uint32_t)lists->pieces;
    plan->longs = (uint32_t)lists->longs;
    pull->part[p].chunks = lists->chunks;
    if ((status = place(pull, p, lists->chunks, sizeof *plan->chunk, lists->chunk, &plan->chunk)) ||
        (status = place(pull, p, lists->pieces, sizeof *plan->piece, lists->piece, &plan->piece)) ||
        (status = place(pull, p, lists->longs, sizeof *plan->row, lists->row, &plan->row)) ||
        (status = place(pull, p, lists->rows, sizeof *plan->end, lists->end, &plan->end)) ||
        (status = place(pull, p, lists->longs ? lists->pieces : 0, sizeof *args->partial, NULL,
                        &args->partial)))
        return status;
    return readers ? place(pull, p, lists->rows, 1, readers + args->begin, &plan->readers)
                   : WEIR_OK;
}

static weir_status make_lists(struct weir__pr_pull *pull, uint32_t p, const uint8_t *readers)
{
    const weir_rows_part *part = weir__rows_part(pull->rows, p);
    struct weir__pr_lists lists = {0};
    uint64_t *offsets;
    weir_status status =
        weir__alloc(part->owned + UINT64_C(1), sizeof *offsets, "offsets", &offsets);
    if (status)
        return status;
    if (!(status = weir__download(device_of(pull, p), offsets, part->in.offsets,
                                  (part->owned + UINT64_C(1)) * sizeof *offsets)) &&
        !(status = weir__pr_lists(offsets, part->owned, &lists)))
        status = place_lists(pull, p, &lists, readers);
    weir__pr_lists_free(&lists);
    free(offsets);
    return status;
}

/* Everything of a part but what is behind lists, and doubles. */
static weir_status make_part(struct weir__pr_pull *pull, uint32_t p, const uint8_t *readers)
{
    const weir_rows_part *part = weir__rows_part(pull->rows, p);
    const double n = (double)pull->vertices;
    pr_pull_args *args = weir_bsp_args(pull->bsp, p);
    weir_status status;
    args->targets = part->in.targets;
    args->degree = part->out_degree;
    args->begin = part->begin;
    args->owned = part->owned;
    args->numbers = part->numbers;
    args->symmetric = weir__rows_symmetric(pull->rows) != 0;
    args->start = 1 / n;
    args->damping = pull->config.damping;
    args->teleport = (1 - pull->config.damping) / n;
    args->spread = pull->config.dangling == WEIR_DANGLING_SPREAD ? pull->config.damping / n : 0;
    args->dangling = (double)pull->dangling * (double)(float)args->start;
    if ((status =
             place(pull, p, 2 * (uint64_t)part->numbers, sizeof(float), NULL, &args->single[p])) ||
        (status = place(pull, p, part->owned, sizeof(double), NULL, &args->ranks)) ||
        (status = place(pull, p, 1, sizeof(uint64_t), NULL, &args->pieces_done)))
        return status;
    pull->part[p].ranks = args->ranks;
    pull->part[p].done = args->pieces_done;
    return make_lists(pull, p, readers);
}

static void introduce(struct weir__pr_pull *pull)
{
    for (uint32_t p = 0; p < pull->parts; p++)
        for (uint32_t q = 0; q < pull->parts; q++) {
            pr_pull_args *args = weir_bsp_args(pull->bsp, p);
            const pr_pull_args *other = weir_bsp_args(pull->bsp, q);
            args->single[q] = other->single[q];
            args->fine[q] = other->fine[q];
        }
}

/* When to stop, and the doubles if that takes some. */
static weir_status set_bounds(struct weir__pr_pull *pull, int fine)
{
    struct weir__pr_bounds bounds;
    weir_status status = WEIR_OK;
    weir__pr_bounds(&pull->config, fine, &bounds);
    for (uint32_t p = 0; p < pull->parts && !status; p++) {
        pr_pull_args *args = weir_bsp_args(pull->bsp, p);
        args->single_below = bounds.single_below;
        args->fine_below = bounds.fine_below;
        args->restless = bounds.restless;
        args->single_iterations = bounds.single_iterations;
        args->iterations = bounds.iterations;
        if (bounds.fine)
            status =
                place(pull, p, 2 * (uint64_t)args->numbers, sizeof(double), NULL, &args->fine[p]);
    }
    introduce(pull);
    pull->fine = bounds.fine;
    return status;
}

/* ---- set-up ------------------------------------------------------------------------------------ */

/* A bit of readers stands for every eighth device. */
static void count_sent(struct weir__pr_pull *pull, const uint8_t *readers)
{
    for (uint32_t p = 0; p < pull->parts; p++) {
        const weir_rows_part *part = weir__rows_part(pull->rows, p);
        uint64_t bit[8] = {0};
        for (uint32_t i = 0; i < part->owned; i++)
            for (unsigned b = 0; b < 8; b++)
                bit[b] += readers[part->begin + i] >> b & 1;
        for (uint32_t q = 0; q < pull->parts; q++)
            pull->sent[p * pull->parts + q] = q == p ? 0 : bit[q % 8];
    }
}

static weir_status make_parts(struct weir__pr_pull *pull, const struct weir__pr_task *task)
{
    uint8_t *readers = NULL;
    weir_status status = WEIR_OK;
    if (pull->parts > 1 && (status = weir__pr_readers(task, pull->rows, &readers)))
        return status;
    if (readers)
        count_sent(pull, readers);
    for (uint32_t p = 0; p < pull->parts && !status; p++)
        status = make_part(pull, p, readers);
    free(readers);
    return status;
}

weir_status weir__pr_pull_create(const struct weir__pr_task *task, struct weir__pr_pull **pull_out)
{
    const struct weir__rows_config rows = {.in = 1, .out_degree = 1};
    struct weir__pr_pull *pull;
    weir_status status;
    *pull_out = NULL;
    if ((status = weir__calloc(1, sizeof *pull, "PageRank", &pull)))
        return status;
    pull->context = task->context;
    pull->config = task->config;
    pull->vertices = task->vertices;
    pull->dangling = task->dangling;
    pull->parts = task->partition->parts;
    if ((status = weir__calloc((size_t)pull->parts * pull->parts, sizeof *pull->sent,
                               "counts of values sent", &pull->sent)) ||
        (status = weir_bsp_create(task->context, pull->parts, &weir__pr_pull_program,
                                  task->options.time_limit_ms, &pull->bsp)) ||
        (status =
             weir__rows_create(task->context, task->graph, task->partition, &rows, &pull->rows)) ||
        (status = make_parts(pull, task)) || (status = set_bounds(pull, 0))) {
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
    weir_bsp_destroy(pull->bsp); /* first: what a run that failed had queued still writes there */
    for (uint32_t p = 0; p < pull->parts; p++)
        for (uint32_t i = 0; i < pull->part[p].used; i++)
            weir_device_free(device_of(pull, p), pull->part[p].memory[i]);
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
            double ms = (double)weir_bsp_results(pull->bsp, p)[PR_RESULT_GATHER_NS + i] / 1e6;
            stats->phase[i].ms = fmax(stats->phase[i].ms, ms);
        }
    }
}

static void add_stats(struct weir__pr_pull *pull, double ms, weir_run_stats *stats)
{
    const uint64_t *result = weir_bsp_results(pull->bsp, 0);
    const uint64_t single = result[PR_RESULT_SINGLE], fine = result[PR_RESULT_FINE];
    uint64_t arcs = weir__rows_part(pull->rows, 0)->arcs_all, sent = 0;
    for (uint64_t i = 0; i < (uint64_t)pull->parts * pull->parts; i++)
        sent += pull->sent[i];
    stats->ms += ms;
    stats->steps += single + fine;
    stats->residual = (double)result[PR_RESULT_CHANGE] * PR_UNIT;
    stats->work.ms = stats->ms;
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
    pull->steps = (uint32_t)stats->steps;
}

static weir_status run_once(struct weir__pr_pull *pull, weir_run_stats *stats)
{
    weir_status status = WEIR_OK;
    double ms;
    for (uint32_t p = 0; p < pull->parts && !status; p++)
        status =
            weir_queue_fill(weir_bsp_queue(pull->bsp, p), pull->part[p].done, 0, sizeof(uint64_t));
    if (status || (status = weir_bsp_run(pull->bsp, &ms)))
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
        stats.residual >= pull->config.tolerance && !(status = set_bounds(pull, 1)))
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
    weir_bsp_cancel(pull->bsp);
}
