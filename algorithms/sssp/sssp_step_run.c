/** @file sssp_step_run.c  Shortest paths in step: memory, runs, results. */
#include "algorithms/sssp/sssp_step_run.h"
#include "algorithms/sssp/step.h"
#include "runtime/config.h"
#include "runtime/internal.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 4096 /* items of an inbox, where nothing else is said */

extern const weir_bsp_program weir__sssp_step_program;

/* Memory of a device. */
struct side {
    uint32_t *tent, *stamp, *done, *cursor;
    struct sssp_step_piece *piece[2];
    uint64_t *inbox[WEIR_DEVICES_MAX]; /* by sender; NULL for itself */
    uint32_t room;                     /* items of each */
    struct sssp_step_words *words;
    uint32_t busy;               /* of sssp_step_args, but for the source */
    struct sssp_step_words last; /* of the last run */
};

struct sssp_run {
    weir_context *context;
    weir__rows *rows;
    weir_bsp *bsp;
    uint32_t parts, delta;
    struct side side[WEIR_DEVICES_MAX];
    uint32_t *distances; /* of the last complete run, by vertex */
};

static weir_device *device(const struct sssp_run *run, uint32_t p)
{
    return weir_context_device(run->context, p);
}

const uint32_t *weir__sssp_run_distances(const struct sssp_run *run)
{
    return run->distances;
}

const weir__rows *weir__sssp_run_rows(const struct sssp_run *run)
{
    return run->rows;
}

/* ---- building ------------------------------------------------------------------------------- */

weir_status weir__sssp_run_possible(const weir_context *context, uint32_t parts)
{
    for (uint32_t i = 0; i < parts; i++)
        for (uint32_t j = 0; j < parts; j++)
            if (i != j && !weir__device_atomics(weir_context_device(context, i),
                                                weir_context_device(context, j)))
                return weir__fail(WEIR_ERR_UNSUPPORTED,
                                  "device %u has no atomics on the memory of device %u", i, j);
    return WEIR_OK;
}

/* `place` points to any pointer. */
static weir_status take(const struct sssp_run *run, uint32_t p, uint64_t count, size_t bytes,
                        void *place)
{
    void *data;
    weir_status status = weir_device_alloc(device(run, p), (size_t)count * bytes, &data);
    if (!status)
        memcpy(place, &data, sizeof data);
    return status;
}

/* Most pieces of a step: every row is cut at once. */
static uint64_t most_pieces(const struct sssp_run *run, const weir_rows_part *part)
{
    const uint32_t *degree = weir__rows_degrees(run->rows) + part->begin;
    const uint32_t before = SSSP_STEP_BEFORE(1);
    uint64_t pieces = 0;
    for (uint32_t r = 0; r < part->owned; r++)
        if (degree[r] > before)
            pieces += (degree[r] - before + UINT64_C(0) + SSSP_STEP_PIECE - 1) / SSSP_STEP_PIECE;
    return pieces;
}

/* Inboxes of a device. In a turn a sender tells of a vertex once, mostly, and rarely of many; all inboxes
 * together have an item for each own vertex, or a sender has as many as WEIR_QUEUE_ITEMS says. */
static weir_status take_inboxes(struct sssp_run *run, uint32_t p)
{
    const uint32_t owned = weir__rows_part(run->rows, p)->owned;
    struct side *side = &run->side[p];
    uint64_t room = weir__config_get(weir_context_config(run->context), WEIR__QUEUE_ITEMS);
    weir_status status = WEIR_OK;
    if (run->parts == 1)
        return WEIR_OK;
    if (!room)
        room = owned / (run->parts - UINT64_C(1)) + ROOM_LEAST;
    side->room = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
    for (uint32_t from = 0; from < run->parts && !status; from++)
        if (from != p)
            status = take(run, p, side->room, sizeof *side->inbox[0], &side->inbox[from]);
    return status;
}

static weir_status take_side(struct sssp_run *run, uint32_t p)
{
    const weir_rows_part *part = weir__rows_part(run->rows, p);
    const uint64_t pieces = most_pieces(run, part);
    struct side *side = &run->side[p];
    weir_status status;
    if (pieces > UINT32_MAX)
        return weir__fail(
            WEIR_ERR_UNSUPPORTED,
            "part %u has too many arcs for shortest paths in step: direction push, or "
            "more devices",
            p);
    if ((status = take(run, p, part->numbers, 4, &side->tent)) ||
        (status = take(run, p, part->owned / SSSP_STEP_FLAGGED + 1, 4, &side->stamp)) ||
        (status = take(run, p, part->owned, 4, &side->done)) ||
        (status = take(run, p, part->owned, 4, &side->cursor)) ||
        (status = take(run, p, pieces, sizeof *side->piece[0], &side->piece[0])) ||
        (status = take(run, p, pieces, sizeof *side->piece[1], &side->piece[1])) ||
        (status = take_inboxes(run, p)))
        return status;
    return take(run, p, 1, sizeof *side->words, &side->words);
}

static void bind(struct sssp_run *run, uint32_t p)
{
    struct sssp_step_args *args = weir_bsp_args(run->bsp, p);
    const weir_rows_part *part = weir__rows_part(run->rows, p);
    const uint32_t *degree = weir__rows_degrees(run->rows) + part->begin;
    struct side *side = &run->side[p];
    uint32_t hubs = 0;
    side->busy = part->owned;
    if (weir__rows_symmetric(run->rows)) /* who has no out-arcs has no in-arcs */
        while (side->busy && !degree[side->busy - 1])
            side->busy--;
    while (hubs < side->busy && degree[hubs] >= SSSP_STEP_HUB_ARCS)
        hubs++;
    args->part = *part;
    for (uint32_t d = 0; d < run->parts; d++) {
        args->tent[d] = run->side[d].tent;
        args->stamp[d] = run->side[d].stamp;
        args->words[d] = run->side[d].words;
        args->inbox[d] = side->inbox[d];
        args->outbox[d] = run->side[d].inbox[p];
        args->room[d] = run->side[d].room;
    }
    args->done = side->done;
    args->cursor = side->cursor;
    args->piece[0] = side->piece[0];
    args->piece[1] = side->piece[1];
    args->delta = run->delta;
    args->hubs = hubs / SSSP_STEP_FLAGGED * SSSP_STEP_FLAGGED;
}

static weir_status build(struct sssp_run *run, const weir_graph *graph,
                         const weir_partition *partition, const weir_run_options *options)
{
    const struct weir__rows_config config = {.in = 1, .weights = 1, .by_weight = 1};
    weir_status status;
    if ((status = weir_bsp_create(run->context, run->parts, &weir__sssp_step_program,
                                  options->time_limit_ms, &run->bsp)) ||
        (status = weir__rows_create(run->context, graph, partition, &config, &run->rows)) ||
        (status = weir__alloc(graph->vertices, 4, "distances", &run->distances)))
        return status;
    memset(run->distances, 0xFF, graph->vertices * 4);
    for (uint32_t p = 0; p < run->parts && !status; p++)
        status = take_side(run, p);
    for (uint32_t p = 0; p < run->parts && !status; p++)
        bind(run, p);
    return status;
}

weir_status weir__sssp_run_create(weir_context *context, const weir_graph *graph,
                                  const weir_partition *partition, const weir_run_options *options,
                                  uint32_t delta, struct sssp_run **run_out)
{
    struct sssp_run *run;
    weir_status status;
    *run_out = NULL;
    if ((status = weir__calloc(1, sizeof *run, "shortest paths", &run)))
        return status;
    weir__context_retain(context);
    run->context = context;
    run->parts = partition->parts;
    run->delta = delta;
    if ((status = build(run, graph, partition, options))) {
        weir__sssp_run_destroy(run);
        return status;
    }
    *run_out = run;
    return WEIR_OK;
}

void weir__sssp_run_destroy(struct sssp_run *run)
{
    if (!run)
        return;
    weir_bsp_destroy(run->bsp);
    for (uint32_t p = 0; p < run->parts; p++) {
        struct side *side = &run->side[p];
        void *all[] = {side->tent,     side->stamp,    side->done, side->cursor,
                       side->piece[0], side->piece[1], side->words};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            weir_device_free(device(run, p), all[i]);
        for (uint32_t from = 0; from < run->parts; from++)
            weir_device_free(device(run, p), side->inbox[from]);
    }
    weir__rows_destroy(run->rows);
    free(run->distances);
    weir__context_release(run->context);
    free(run);
}

/* ---- a run ---------------------------------------------------------------------------------- */

static weir_status prepare(struct sssp_run *run, uint32_t p, uint32_t source)
{
    struct side *side = &run->side[p];
    const weir_rows_part *part = weir__rows_part(run->rows, p);
    struct sssp_step_args *args = weir_bsp_args(run->bsp, p);
    weir_queue *queue = weir_bsp_queue(run->bsp, p);
    const uint32_t row = source - part->begin; /* if it is the part's */
    weir_status status;
    args->busy =
        source >= part->begin && row < part->owned && row >= side->busy ? row + 1 : side->busy;
    if ((status = weir_queue_fill(queue, side->tent, 0xFF, (size_t)part->numbers * 4)) ||
        (status = weir_queue_fill(queue, side->tent + source, 0, 4)) ||
        (status = weir_queue_fill(queue, side->done, 0xFF, (size_t)part->owned * 4)) ||
        (status = weir_queue_fill(queue, side->stamp, 0,
                                  (part->owned / SSSP_STEP_FLAGGED + (size_t)1) * 4)) ||
        (status = weir_queue_fill(queue, side->words, 0, sizeof *side->words)))
        return status;
    if (row < part->owned && /* bytes of SSSP_STEP_FIRST */
        (status = weir_queue_fill(queue, side->stamp + row / SSSP_STEP_FLAGGED, 0x01, 4)))
        return status;
    return weir_queue_fill(queue, side->words->low, 0xFF, sizeof side->words->low);
}

static weir_status collect(struct sssp_run *run)
{
    const void *own[WEIR_DEVICES_MAX];
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < run->parts && !status; p++) {
        own[p] = run->side[p].tent + weir__rows_part(run->rows, p)->begin;
        status = weir__download(device(run, p), &run->side[p].last, run->side[p].words,
                                sizeof run->side[p].last);
    }
    return status ? status : weir__rows_gather(run->rows, own, 4, run->distances);
}

/* Items that a device sent to another in pushes of the last run. */
static uint64_t pushed_items(const struct sssp_run *run, uint32_t from, uint32_t to)
{
    return from == to ? 0 : weir_bsp_tells(run->bsp, from, to);
}

struct count {
    const uint32_t *distances, *numbers, *degrees;
    uint64_t reached, arcs, far; /* relaxed additions; the join publishes them */
};

static void count_reached(void *user, uint64_t begin, uint64_t end)
{
    struct count *count = user;
    uint64_t reached = 0, arcs = 0, far = 0;
    for (uint64_t v = begin; v < end; v++)
        if (count->distances[v] != SSSP_U32_UNREACHED) {
            reached++;
            arcs += count->degrees[count->numbers[v]];
            far += count->distances[v] == SSSP_U32_FAR;
        }
    __atomic_fetch_add(&count->reached, reached, __ATOMIC_RELAXED);
    __atomic_fetch_add(&count->arcs, arcs, __ATOMIC_RELAXED);
    __atomic_fetch_add(&count->far, far, __ATOMIC_RELAXED);
}

weir_status weir__sssp_run(struct sssp_run *run, uint64_t source, weir_run_stats *stats_out,
                           int *far_out)
{
    struct count count = {.distances = run->distances,
                          .numbers = weir__rows_numbers(run->rows),
                          .degrees = weir__rows_degrees(run->rows)};
    const struct sssp_step_words *words[WEIR_DEVICES_MAX];
    uint32_t number;
    uint64_t items = 0;
    double ms;
    weir_status status = weir__rows_locate(run->rows, source, NULL, &number);
    for (uint32_t p = 0; p < run->parts && !status; p++)
        status = prepare(run, p, number);
    for (uint32_t p = 0; p < run->parts && !status; p++)
        status = weir_queue_sync(weir_bsp_queue(run->bsp, p));
    if (status || (status = weir_bsp_run(run->bsp, &ms)) || (status = collect(run)))
        return status;
    weir__parallel_for(weir__rows_part(run->rows, 0)->vertices, UINT64_C(1) << 16, 0, count_reached,
                       &count);
    *far_out = count.far != 0;
    for (uint32_t p = 0; p < run->parts; p++) {
        words[p] = &run->side[p].last;
        for (uint32_t to = 0; to < run->parts; to++)
            items += pushed_items(run, p, to);
    }
    *stats_out = (weir_run_stats){.ms = ms, .reached = count.reached, .arcs_reached = count.arcs};
    stats_out->work.delta = run->delta;
    weir__sssp_step_report(words, run->parts, items, stats_out);
    return WEIR_OK;
}

weir_status weir__sssp_run_link_items(const struct sssp_run *run, uint32_t from, uint32_t to,
                                      uint64_t *items_out)
{
    const uint32_t devices = weir_context_device_count(run->context);
    *items_out = 0;
    if (from >= devices || to >= devices)
        return weir__fail(WEIR_ERR_INVALID, "a link from device %u to %u of %u", from, to, devices);
    if (from < run->parts && to < run->parts && from != to)
        *items_out = pushed_items(run, from, to) + run->side[from].last.values;
    return WEIR_OK;
}

uint64_t weir__sssp_run_spilled(const struct sssp_run *run)
{
    uint64_t spilled = 0;
    for (uint32_t p = 0; p < run->parts; p++)
        spilled += run->side[p].last.spilled;
    return spilled;
}

void weir__sssp_run_cancel(struct sssp_run *run)
{
    weir_bsp_cancel(run->bsp);
}
