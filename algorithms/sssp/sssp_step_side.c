/** @file sssp_step_side.c  Shortest paths in step on the host's side: memory of the devices. */
#include "algorithms/sssp/sssp_step_side.h"
#include "runtime/config.h"
#include "runtime/support.h"

#include <string.h>

#define ROOM_LEAST 4096 /* items of an inbox, where nothing else is said */

static weir_device *device(const struct sssp_run *run, uint32_t p)
{
    return weir_context_device(run->context, p);
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
    struct sssp_side *side = &run->side[p];
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

/* As far as it is written to: pieces are of arcs, and so are items. */
void weir__sssp_sides_need(const struct weir__sizes *sizes, struct weir__need *need)
{
    const weir_device *device = weir_context_device(sizes->context, 0);
    const uint64_t n = sizes->vertices, room = n + sizes->parts * (uint64_t)ROOM_LEAST;
    weir__need_take_on(need, device, sizes->numbers * sizes->parts, 4);
    weir__need_take_on(need, device, n, 8); /* done, cursor */
    weir__need_take_on(need, device, n / SSSP_STEP_FLAGGED + sizes->parts, 4);
    weir__need_take_on(need, device, sizes->arcs / SSSP_STEP_PIECE,
                       2 * sizeof(struct sssp_step_piece));
    if (sizes->parts > 1)
        weir__need_take_on(need, device, sizes->arcs < room ? sizes->arcs : room, 8);
}

static weir_status take_side(struct sssp_run *run, uint32_t p)
{
    const weir_rows_part *part = weir__rows_part(run->rows, p);
    const uint64_t pieces = most_pieces(run, part);
    struct sssp_side *side = &run->side[p];
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
    struct sssp_step_args *args = weir_steps_args(run->steps, p);
    const weir_rows_part *part = weir__rows_part(run->rows, p);
    const uint32_t *degree = weir__rows_degrees(run->rows) + part->begin;
    struct sssp_side *side = &run->side[p];
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

weir_status weir__sssp_sides_take(struct sssp_run *run)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < run->parts && !status; p++)
        status = take_side(run, p);
    for (uint32_t p = 0; p < run->parts && !status; p++)
        bind(run, p);
    return status;
}

void weir__sssp_sides_free(struct sssp_run *run)
{
    for (uint32_t p = 0; p < run->parts; p++) {
        struct sssp_side *side = &run->side[p];
        void *all[] = {side->tent,     side->stamp,    side->done, side->cursor,
                       side->piece[0], side->piece[1], side->words};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            weir_device_free(device(run, p), all[i]);
        for (uint32_t from = 0; from < run->parts; from++)
            weir_device_free(device(run, p), side->inbox[from]);
    }
}

weir_status weir__sssp_side_prepare(struct sssp_run *run, uint32_t p, uint32_t source)
{
    struct sssp_side *side = &run->side[p];
    const weir_rows_part *part = weir__rows_part(run->rows, p);
    struct sssp_step_args *args = weir_steps_args(run->steps, p);
    weir_queue *queue = weir_steps_queue(run->steps, p);
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
