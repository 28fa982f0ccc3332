/** @file worker.c  A device's thread: packets in, kernels, results out (Figure 6, lines 36 to 51).
 *
 * It launches the filter for a packet that was assigned, before its bytes are there: the queue waits
 * for them. With several packets under way the copies in, the kernels and the copies out overlap
 * by themselves; the host's only business is to wait for the oldest kernel, since its result cannot
 * be sent before its size is known. */
#include "algorithms/pbf/pbf.h"
#include "algorithms/pbf/pbf_op.h"

/* The next packet assigned to the device. It stays in device->next until it is launched.
 * @retval WEIR_PENDING  none yet, and not to be waited for.  @retval WEIR_CLOSED  none will come. */
static weir_status next_packet(weir__pbf_device *device, int wait, weir_segment *segment_out)
{
    weir_status status = WEIR_OK;
    if (!device->next)
        status = weir_link_receive(device->in, &device->next);
    if (status)
        return status;
    return wait ? weir_pending_wait_assigned(device->next, -1, segment_out)
                : weir_pending_assigned(device->next, segment_out);
}

static weir_status give_back(weir__pbf_device *device, weir_queue *queue)
{
    weir_pending *pending = device->next;
    device->next = NULL;
    return weir_pending_release(pending, queue);
}

/* ---- a packet's way through a slot ---- */

static weir_status launch(weir__pbf_device *device, weir__pbf_slot *slot,
                          const weir_segment *packet)
{
    const weir_pbf_config *config = &device->run->pbf->config;
    pbf_args args = {.input = packet->data,
                     .output = slot->output,
                     .word = device->word,
                     .kept = slot->kept,
                     .below = config->below,
                     .work = config->work,
                     .elements = (uint32_t)(packet->bytes / sizeof(uint32_t))};
    weir_status status;
    if ((status = weir_queue_stamp(device->queue, slot->start)) ||
        (status = weir_queue_launch(device->queue, &weir__pbf_kernel, &args, sizeof args)) ||
        (status = weir_queue_stamp(device->queue, slot->stop)))
        return status;
    return weir_queue_record(device->queue, slot->done);
}

/* Put the packet at hand into the queue; its receive buffer goes back behind the kernel. */
static weir_status start(weir__pbf_device *device, weir__pbf_slot *slot, const weir_segment *packet)
{
    weir_status status = WEIR_OK;
    /* The slot's last result must have been read before it is overwritten. It is the host that waits, as
     * a rule for nothing: a queue that waited for the other router would hold up whoever cancels this
     * one, and so perhaps the one that has to take the result. */
    if (slot->sent)
        status = weir_future_wait(slot->sent, -1);
    weir_future_release(slot->sent);
    slot->sent = NULL;
    if (status || (status = weir_pending_gate(device->next, device->queue)))
        return status;
    slot->arrived = weir_future_retain(weir_pending_future(device->next));
    slot->first = packet->offset / sizeof(uint32_t);
    slot->elements = (uint32_t)(packet->bytes / sizeof(uint32_t));
    if ((status = launch(device, slot, packet)))
        return status;
    return give_back(device, device->queue);
}

static weir_status send_result(weir__pbf_device *device, weir__pbf_slot *slot, uint32_t kept)
{
    weir__pbf_run *run = device->run;
    weir_segment segment = {.device = device->device,
                            .data = slot->output,
                            .bytes = kept * sizeof(uint32_t),
                            .meta = slot->first | (uint64_t)device->index << 40};
    /* Asked before it is sent, so that what the host still has room for always holds what comes. */
    uint64_t all = atomic_fetch_add_explicit(&run->kept, kept, memory_order_relaxed) + kept;
    if (all > run->room)
        return weir__fail(WEIR_ERR_NOMEM,
                          "the output has room for %llu elements, but %llu and more stay",
                          (unsigned long long)run->room, (unsigned long long)all);
    return weir_link_send(device->out, &segment, NULL, &slot->sent);
}

static weir_status finish(weir__pbf_device *device, weir__pbf_slot *slot)
{
    weir_pbf_share *share = &device->share;
    double ms = 0;
    weir_status status = weir_event_wait(slot->done, -1);
    if (!status) /* a queue goes on where a packet failed: what was filtered then is nothing */
        status = weir_future_query(slot->arrived);
    if (!status)
        status = weir_stamp_elapsed(slot->start, slot->stop, &ms);
    weir_future_release(slot->arrived);
    slot->arrived = NULL;
    if (status)
        return status;
    uint32_t kept = *slot->kept;
    share->packets++;
    share->elements += slot->elements;
    share->kept += kept;
    share->busy_ms += ms;
    return kept ? send_result(device, slot, kept) : WEIR_OK;
}

/* ---- the thread ---- */

/* Start what was assigned while there are free slots; with nothing under way, wait for it.
 * @retval WEIR_CLOSED  no packet is left to start. */
static weir_status start_some(weir__pbf_device *device, uint64_t *started, uint64_t finished)
{
    uint32_t slots = device->buffers;
    weir_segment packet;
    weir_status status = WEIR_OK;
    while (!status && *started - finished < slots) {
        status = next_packet(device, *started == finished, &packet);
        if (status == WEIR_OK && packet.bytes == 0) /* a share of nothing */
            status = give_back(device, device->queue);
        else if (status == WEIR_OK)
            status = start(device, &device->slot[(*started)++ % slots], &packet);
    }
    return status == WEIR_PENDING ? WEIR_OK : status;
}

static weir_status filter(weir__pbf_device *device)
{
    uint32_t slots = device->buffers;
    uint64_t started = 0, finished = 0;
    weir_status status = WEIR_OK;
    for (;;) {
        if (status != WEIR_CLOSED)
            status = start_some(device, &started, finished);
        if (status < 0)
            return status;
        if (started > finished) {
            weir_status ended = finish(device, &device->slot[finished++ % slots]);
            if (ended)
                return ended;
        } else if (status == WEIR_CLOSED) {
            return WEIR_OK;
        }
    }
}

/* No more results; those under way are waited for. */
static weir_status leave(weir__pbf_device *device)
{
    weir_status status = weir_link_shutdown(device->out);
    for (uint32_t i = 0; i < device->buffers && !status; i++)
        if (device->slot[i].sent)
            status = weir_future_wait(device->slot[i].sent, -1);
    return status;
}

void *weir__pbf_work(void *data)
{
    weir__pbf_device *device = data;
    weir__pbf_run *run = device->run;
    weir_status status = filter(device);
    if (!status)
        status = leave(device);
    if (status)
        weir__pbf_fail(run, status);
    if (device->next) { /* closed or cancelled, or its bytes are on the way still */
        weir_segment packet;
        (void)weir_pending_wait(device->next, -1, &packet);
        (void)give_back(device, NULL);
    }
    if (status) /* the graph is freed next, and kernels may still read its buffers */
        (void)weir_queue_sync(device->queue);
    device->share.ms = (double)(weir_context_time_ns(run->pbf->context) - run->start_ns) / 1e6;
    return NULL;
}
