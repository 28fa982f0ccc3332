/** @file pr_pull_parts.c  PageRank in step on the host's side: rows, lists and shares on the devices, and when their
 * kernels stop. */
#include "algorithms/pr/pr_pull_parts.h"
#include "algorithms/pr/pr_pull_args.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory of the devices --------------------------------------------------------------------- */

static weir_device *device_of(const struct weir__pr_pull *pull, uint32_t p)
{
    return weir_context_device(pull->context, p);
}

/* The object's, freed with it. */
static weir_status place(struct weir__pr_pull *pull, uint32_t p, uint64_t count, size_t bytes,
                         const void *values, void *memory_out)
{
    struct weir__pr_pull_part *part = &pull->part[p];
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
    pr_pull_args *args = weir_steps_args(pull->bsp, p);
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
    pr_pull_args *args = weir_steps_args(pull->bsp, p);
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

/* Of a list: what it has for each row and for each arc, at most. */
static void lists_need(const weir_device *device, uint64_t rows, uint64_t arcs,
                       struct weir__need *need)
{
    const uint64_t chunks = rows / PR_CHUNK_ROWS + 2 * (arcs / PR_CHUNK_ARCS) + 2;
    const uint64_t pieces = 2 * (arcs / PR_PIECE_ARCS), longs = arcs / PR_PIECE_ARCS;
    const int64_t before = need->held;
    const uint64_t bytes = chunks * sizeof(struct pr_chunk) + pieces * sizeof(struct pr_piece) +
                           longs * sizeof(struct pr_long) + rows;
    weir__need_take(need, rows + 1, sizeof(uint64_t));
    weir__need_take(need, bytes, 1);
    weir__need_take_on(need, device, bytes + pieces * sizeof(double), 1);
    need->held = before;
    weir__need_take_on(need, device, bytes + pieces * sizeof(double), 1);
}

/* Where in-arcs lie is known when rows are built: a part has all of them at most, all parts not more. */
void weir__pr_pull_need(const struct weir__pr_task *task, const struct weir__sizes *sizes,
                        struct weir__need *need)
{
    const uint32_t parts = sizes->parts;
    const weir_device *device = weir_context_device(sizes->context, 0);
    struct weir__pr_bounds bounds;
    weir__pr_bounds(&task->config, 0, &bounds);
    weir__need_take(need, parts > 1 ? sizes->numbers : 0, 1); /* readers */
    weir__need_take_on(need, device, sizes->numbers * parts, 2 * sizeof(float));
    weir__need_take_on(need, device, sizes->vertices, sizeof(double));
    weir__need_take_on(need, device, parts > 1 ? sizes->vertices : 0, 1);
    lists_need(device, sizes->vertices, sizes->arcs, need);
    weir__need_give(need, parts > 1 ? sizes->numbers : 0, 1);
    weir__need_take_on(need, device, bounds.fine ? sizes->numbers * parts : 0, 2 * sizeof(double));
}

static void introduce(struct weir__pr_pull *pull)
{
    for (uint32_t p = 0; p < pull->parts; p++)
        for (uint32_t q = 0; q < pull->parts; q++) {
            pr_pull_args *args = weir_steps_args(pull->bsp, p);
            const pr_pull_args *other = weir_steps_args(pull->bsp, q);
            args->single[q] = other->single[q];
            args->fine[q] = other->fine[q];
        }
}

/* ---- all parts --------------------------------------------------------------------------------- */

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

weir_status weir__pr_pull_place(struct weir__pr_pull *pull, const struct weir__pr_task *task)
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

void weir__pr_pull_unplace(struct weir__pr_pull *pull)
{
    for (uint32_t p = 0; p < pull->parts; p++)
        for (uint32_t i = 0; i < pull->part[p].used; i++)
            weir_device_free(device_of(pull, p), pull->part[p].memory[i]);
}

/* ---- when to stop ------------------------------------------------------------------------------ */

/* All parts or none are told of doubles: a kernel that has them waits for the others to go on with them. */
static weir_status place_doubles(struct weir__pr_pull *pull)
{
    struct weir__need need = {0, 0};
    for (uint32_t p = 0; p < pull->parts; p++)
        if (!pull->part[p].fine)
            weir__need_take_on(&need, device_of(pull, p), weir__rows_part(pull->rows, p)->numbers,
                               2 * sizeof(double));
    weir_status status = weir__need_fits(&need, "PageRank with doubles");
    for (uint32_t p = 0; p < pull->parts && !status; p++) {
        const pr_pull_args *args = weir_steps_args(pull->bsp, p);
        if (!pull->part[p].fine)
            status = place(pull, p, 2 * (uint64_t)args->numbers, sizeof(double), NULL,
                           &pull->part[p].fine);
    }
    return status;
}

weir_status weir__pr_pull_set_bounds(struct weir__pr_pull *pull, int fine)
{
    struct weir__pr_bounds bounds;
    weir_status status;
    weir__pr_bounds(&pull->config, fine, &bounds);
    if (bounds.fine && (status = place_doubles(pull)))
        return status;
    for (uint32_t p = 0; p < pull->parts; p++) {
        pr_pull_args *args = weir_steps_args(pull->bsp, p);
        args->single_below = bounds.single_below;
        args->fine_below = bounds.fine_below;
        args->restless = bounds.restless;
        args->single_iterations = bounds.single_iterations;
        args->iterations = bounds.iterations;
        args->fine[p] = bounds.fine ? pull->part[p].fine : NULL;
    }
    introduce(pull);
    pull->fine = bounds.fine;
    return WEIR_OK;
}
