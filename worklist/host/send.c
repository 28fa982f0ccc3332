/** @file send.c  Host-driven routing: items that discrete kernels stored for a next hop go over the router.
 *
 * Kernels store packed items into a ring of the worker's own memory, just as a fused kernel would store
 * them into the receiver's. The host gives published items to the link, straight out of the ring, and frees
 * their slots when they have left. */
#include "worklist/host/internal.h"

/* Free the slots of sends that have ended, in order. */
static weir_status free_slots(struct worker *worker, uint32_t h, int *came_out)
{
    struct weir_worklist *list = worker->list;
    struct hop *hop = &worker->hop[h];
    while (hop->head < hop->tail) {
        struct send *send = &hop->sends[hop->head % list->buffers];
        weir_status status = weir_future_query(send->done);
        if (status == WEIR_PENDING)
            return WEIR_OK;
        weir_future_release(send->done);
        send->done = NULL;
        hop->head++;
        if (status)
            return status;
        hop->credit += send->items;
        weir_store_release_sys_u32(&worker->mail->out_credit[h], hop->credit);
        *came_out = 1;
    }
    return WEIR_OK;
}

/* Items that the next packet takes: they lie together in the ring. */
static uint32_t next_items(const struct worker *worker, uint32_t h)
{
    const struct weir_worklist *list = worker->list;
    const struct hop *hop = &worker->hop[h];
    uint32_t count = worker->image->ledger.out_published[h] - hop->sent;
    uint32_t straight = list->channel_items - (hop->sent & (list->channel_items - 1));
    count = count < straight ? count : straight;
    return count < list->packet_items ? count : list->packet_items;
}

static weir_status send_some(struct worker *worker, uint32_t h)
{
    struct weir_worklist *list = worker->list;
    struct hop *hop = &worker->hop[h];
    uint32_t items;
    while ((items = next_items(worker, h)) > 0 && hop->tail - hop->head < list->buffers) {
        struct send *send = &hop->sends[hop->tail % list->buffers];
        size_t at = (size_t)(hop->sent & (list->channel_items - 1)) * list->op->wire_bytes;
        weir_segment segment = {.device = worker->device,
                                .data = (char *)worker->channel_out[h] + at,
                                .bytes = (size_t)items * list->op->wire_bytes,
                                .meta = worker->hops[h]};
        weir_status status = weir_link_send(worker->out, &segment, NULL, &send->done);
        if (status) /* without room the items wait in the ring: the thread looks again */
            return status == WEIR_FULL ? WEIR_OK : status;
        send->items = items;
        hop->sent += items;
        hop->tail++;
    }
    return WEIR_OK;
}

weir_status weir__sends_progress(struct worker *worker, int *came_out)
{
    weir_status status = WEIR_OK;
    for (uint32_t h = 0; h < worker->hop_count && !status; h++) {
        status = free_slots(worker, h, came_out);
        if (!status)
            status = send_some(worker, h);
    }
    return status;
}

int weir__sends_waiting(const struct worker *worker)
{
    for (uint32_t h = 0; h < worker->hop_count; h++)
        if (worker->image->ledger.out_published[h] != worker->hop[h].sent)
            return 1;
    return 0;
}

void weir__sends_finish(struct worker *worker)
{
    for (uint32_t h = 0; worker->hop && h < worker->hop_count; h++) {
        struct hop *hop = &worker->hop[h];
        for (; hop->head < hop->tail; hop->head++) {
            struct send *send = &hop->sends[hop->head % worker->list->buffers];
            (void)weir_future_wait(send->done, -1); /* a cancelled router ends it too */
            weir_future_release(send->done);
            send->done = NULL;
        }
    }
}
