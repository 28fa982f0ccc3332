/** @file lane.c  Lanes: packed items on their way to one next hop.
 *
 * Kernels append to a lane's current buffer; after a round the host hands it to the link and goes
 * on with another. When all are being sent the lane fills, kernels strand (that is the push back),
 * and items that arrive for others are spilled, so a worker can always take in what comes: without
 * that, full lanes around a ring would wait for each other for ever. */
#include "worklist/internal.h"

#include <stdlib.h>

static weir_status lane_create(struct worker *worker, struct lane *lane, uint32_t hop)
{
    const struct weir_worklist *list = worker->list;
    size_t bytes = (size_t)list->packet_items * list->op->wire_bytes;
    weir_status status;
    lane->hop = hop;
    status = weir__calloc(list->buffers, sizeof *lane->buffers, "lane", &lane->buffers);
    for (uint32_t i = 0; i < list->buffers && !status; i++) {
        void *data = NULL;
        status = weir_device_alloc(worker->device, bytes, &data);
        lane->buffers[i].data = data;
    }
    return status;
}

weir_status weir__lanes_create(struct worker *worker)
{
    const struct weir_worklist *list = worker->list;
    uint8_t lane_to[WEIR_DEVICES_MAX];
    weir_status status;
    if ((status = weir__calloc(list->count, sizeof *worker->lanes, "lanes", &worker->lanes)))
        return status;
    for (uint32_t hop = 0; hop < list->count; hop++)
        lane_to[hop] = WEIR_DEVICES_MAX;
    for (uint32_t to = 0; to < list->count && !status; to++) {
        uint32_t hop = list->plan.next[worker->index][to];
        if (to == worker->index)
            continue;
        if (lane_to[hop] == WEIR_DEVICES_MAX) {
            lane_to[hop] = (uint8_t)worker->lane_count;
            status = lane_create(worker, &worker->lanes[worker->lane_count++], hop);
        }
        worker->lane_of[to] = lane_to[hop];
    }
    return status;
}

void weir__lanes_destroy(struct worker *worker)
{
    for (uint32_t l = 0; l < worker->lane_count; l++) {
        struct lane *lane = &worker->lanes[l];
        for (uint32_t i = 0; lane->buffers && i < worker->list->buffers; i++) {
            if (lane->buffers[i].sending)
                (void)weir_future_wait(lane->buffers[i].sending, -1);
            weir_future_release(lane->buffers[i].sending);
            weir_device_free(worker->device, lane->buffers[i].data);
        }
        free(lane->buffers);
        weir__spill_drop(worker, &lane->spill);
    }
    free(worker->lanes);
}

uint32_t weir__lane_room(const struct worker *worker, const struct lane *lane)
{
    return worker->list->packet_items - lane->used;
}

int weir__lanes_waiting(const struct worker *worker)
{
    for (uint32_t l = 0; l < worker->lane_count; l++)
        if (worker->lanes[l].used > 0 || worker->lanes[l].spill.items > 0)
            return 1;
    return 0;
}

static weir_status take_back(struct worker *worker, struct lane *lane)
{
    for (uint32_t i = 0; i < worker->list->buffers; i++) {
        struct lane_buffer *buffer = &lane->buffers[i];
        if (!buffer->sending)
            continue;
        weir_status status = weir_future_query(buffer->sending);
        if (status == WEIR_PENDING)
            continue;
        weir_future_release(buffer->sending);
        buffer->sending = NULL;
        if (status)
            return status;
    }
    return WEIR_OK;
}

/* A buffer that is neither the current one nor being sent, or the number of buffers. */
static uint32_t find_free(const struct worker *worker, const struct lane *lane)
{
    uint32_t i = 0;
    while (i < worker->list->buffers && (i == lane->current || lane->buffers[i].sending))
        i++;
    return i;
}

static weir_status send_current(struct worker *worker, struct lane *lane, uint32_t next)
{
    struct lane_buffer *buffer = &lane->buffers[lane->current];
    weir_segment segment = {.device = worker->device,
                            .data = buffer->data,
                            .bytes = (size_t)lane->used * worker->list->op->wire_bytes,
                            .meta = lane->hop};
    weir_status status = weir_link_send(worker->out, &segment, NULL, &buffer->sending);
    if (status)
        return status;
    worker->stats.sent += lane->used;
    lane->used = 0;
    lane->current = next;
    return WEIR_OK;
}

static weir_status lane_flush(struct worker *worker, struct lane *lane)
{
    uint32_t wire_bytes = worker->list->op->wire_bytes, moved, next;
    weir_status status = take_back(worker, lane);
    while (!status && (next = find_free(worker, lane)) < worker->list->buffers) {
        if (lane->spill.items > 0) {
            status =
                weir__spill_pop(worker, &lane->spill,
                                lane->buffers[lane->current].data + (size_t)lane->used * wire_bytes,
                                weir__lane_room(worker, lane), wire_bytes, &moved);
            lane->used += moved;
        }
        if (status || lane->used == 0)
            break;
        status = send_current(worker, lane, next);
    }
    return status;
}

weir_status weir__lanes_flush(struct worker *worker)
{
    weir_status status = WEIR_OK;
    for (uint32_t l = 0; l < worker->lane_count && !status; l++)
        status = lane_flush(worker, &worker->lanes[l]);
    return status;
}

weir_status weir__lane_make_room(struct worker *worker, struct lane *lane, uint32_t need)
{
    if (weir__lane_room(worker, lane) >= need)
        return WEIR_OK;
    weir_status status = weir__spill_push(worker, &lane->spill, lane->buffers[lane->current].data,
                                          lane->used, worker->list->op->wire_bytes);
    if (!status)
        lane->used = 0;
    return status;
}
