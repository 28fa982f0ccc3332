/** @file worker.c  A device of a filter: its buffers, and its thread: packets in, kernels, results out (Figure 6,
 * lines 36 to 51).
 *
 * It launches the filter for a packet that was assigned, before its bytes are there: the queue waits
 * for them. With several packets under way the copies in, the kernels and the copies out overlap
 * by themselves; the host's only business is to wait for the oldest kernel, since its result cannot
 * be sent before its size is known. */
#include "algorithms/pbf/pbf.h"
#include "algorithms/pbf/pbf_op.h"

#define WEIR_KERNEL pbf_filter
#include "algorithms/kernel_host_tmpl.h"

/* A device's side of a run, and the run. */
static weir__pbf_device *mine(const struct weir__dataflow_device *on)
{
    return &((weir__pbf_run *)on->flow)->device[on->index];
}

static weir__pbf_run *run_of(const struct weir__dataflow_device *on)
{
    return (weir__pbf_run *)on->flow;
}

/* ---- buffers --------------------------------------------------------------------------------- */

static weir_status open_slot(struct weir__dataflow_device *on, weir__pbf_slot *slot)
{
    void *output;
    weir_status status = weir_device_alloc(on->device, on->flow->packet_bytes, &output);
    if (status)
        return status;
    slot->output = output;
    if ((status = weir_event_acquire(on->device, &slot->done)) ||
        (status = weir_stamp_create(on->device, &slot->start)))
        return status;
    return weir_stamp_create(on->device, &slot->stop);
}

weir_status weir__pbf_open(struct weir__dataflow_device *on)
{
    weir__pbf_device *device = mine(on);
    weir_device *home = weir_context_home(on->flow->context);
    void *word, *kept;
    weir_status status;
    if ((status = weir_device_alloc(on->device, sizeof(uint64_t), &word)))
        return status;
    device->word = word;
    if ((status = weir_device_alloc(home, on->buffers * sizeof(uint32_t), &kept)))
        return status;
    device->kept = kept;
    for (uint32_t i = 0; i < on->buffers && !status; i++) {
        device->slot[i].kept = &device->kept[i];
        status = open_slot(on, &device->slot[i]);
    }
    if (status || (status = weir_queue_fill(on->queue, word, 0, sizeof *device->word)))
        return status;
    return weir_queue_sync(on->queue);
}

void weir__pbf_close(struct weir__dataflow_device *on)
{
    weir__pbf_device *device = mine(on);
    for (uint32_t i = 0; i < on->buffers; i++) {
        weir__pbf_slot *slot = &device->slot[i];
        weir_future_release(slot->sent);
        weir_future_release(slot->arrived);
        weir_stamp_destroy(slot->stop);
        weir_stamp_destroy(slot->start);
        weir_event_release(slot->done);
        weir_device_free(on->device, slot->output);
    }
    weir_device_free(weir_context_home(on->flow->context), device->kept);
    weir_device_free(on->device, device->word);
}

/* ---- a packet's way through a slot ----------------------------------------------------------- */

/* The next packet assigned to the device. It stays in device->next until it is launched.
 * @retval WEIR_PENDING  none yet, and not to be waited for.  @retval WEIR_CLOSED  none will come. */
static weir_status next_packet(struct weir__dataflow_device *on, int wait,
                               weir_segment *segment_out)
{
    weir__pbf_device *device = mine(on);
    weir_status status = WEIR_OK;
    if (!device->next)
        status = weir_link_receive(on->in, &device->next);
    if (status)
        return status;
    return wait ? weir_pending_wait_assigned(device->next, -1, segment_out)
                : weir_pending_assigned(device->next, segment_out);
}

static weir_status give_back(weir__pbf_device *device, weir_queue *queue)
{
    weir_pending *pending = device->next;
    weir_status status;
    device->next = NULL;
    while ((status = weir_pending_release(pending, queue)) == WEIR_FULL)
        (void)weir_queue_sync(queue); /* then its events have come */
    return status;
}

static weir_status launch(struct weir__dataflow_device *on, weir__pbf_slot *slot,
                          const weir_segment *packet)
{
    const weir_pbf_config *config = &run_of(on)->pbf->config;
    pbf_args args = {.input = packet->data,
                     .output = slot->output,
                     .word = mine(on)->word,
                     .kept = slot->kept,
                     .below = config->below,
                     .work = config->work,
                     .elements = (uint32_t)(packet->bytes / sizeof(uint32_t))};
    weir_status status;
    if ((status = weir_queue_stamp(on->queue, slot->start)) ||
        (status = weir_queue_launch(on->queue, &weir__pbf_filter_kernel, &args, sizeof args)) ||
        (status = weir_queue_stamp(on->queue, slot->stop)))
        return status;
    return weir_queue_record(on->queue, slot->done);
}

/* Put the packet at hand into the queue; its receive buffer goes back behind the kernel. */
static weir_status start(struct weir__dataflow_device *on, weir__pbf_slot *slot,
                         const weir_segment *packet)
{
    weir__pbf_device *device = mine(on);
    weir_status status = WEIR_OK;
    /* The slot's last result must have been read before it is overwritten. The host waits for that, as a
     * rule not at all. If the queue waited instead, it would wait for the other router. Then a cancel of
     * this router, which waits for the queue, would be held up, and perhaps the thread with it that has
     * to take the result. */
    if (slot->sent)
        status = weir_future_wait(slot->sent, -1);
    weir_future_release(slot->sent);
    slot->sent = NULL;
    if (status || (status = weir_pending_gate(device->next, on->queue)))
        return status;
    slot->arrived = weir_future_retain(weir_pending_future(device->next));
    slot->first = packet->offset / sizeof(uint32_t);
    slot->elements = (uint32_t)(packet->bytes / sizeof(uint32_t));
    if ((status = launch(on, slot, packet)))
        return status;
    return give_back(device, on->queue);
}

static weir_status send_result(struct weir__dataflow_device *on, weir__pbf_slot *slot,
                               uint32_t kept)
{
    weir__pbf_run *run = run_of(on);
    weir_segment segment = {.device = on->device,
                            .data = slot->output,
                            .bytes = kept * sizeof(uint32_t),
                            .meta = slot->first | (uint64_t)on->index << 40};
    /* Asked before it is sent, so that what the host still has room for always holds what comes. */
    uint64_t all = atomic_fetch_add_explicit(&run->kept, kept, memory_order_relaxed) + kept;
    if (all > run->room)
        return weir__fail(WEIR_ERR_NOMEM,
                          "the output has room for %llu elements, but %llu and more stay",
                          (unsigned long long)run->room, (unsigned long long)all);
    /* The host takes results in a thread of its own, so there will be room. */
    return weir_link_send_wait(on->out, &segment, NULL, -1, &slot->sent);
}

static weir_status finish(struct weir__dataflow_device *on, weir__pbf_slot *slot)
{
    weir_pbf_share *share = &mine(on)->share;
    double ms = 0;
    weir_status status = weir_event_wait(slot->done, -1);
    if (!status) /* the queue goes on when a packet has failed: then the kernel filtered garbage */
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
    return kept ? send_result(on, slot, kept) : WEIR_OK;
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Start what was assigned while there are free slots; with nothing under way, wait for it.
 * @retval WEIR_CLOSED  no packet is left to start. */
static weir_status start_some(struct weir__dataflow_device *on, uint64_t *started,
                              uint64_t finished)
{
    weir__pbf_device *device = mine(on);
    const uint32_t slots = on->buffers;
    weir_segment packet;
    weir_status status = WEIR_OK;
    while (!status && *started - finished < slots) {
        status = next_packet(on, *started == finished, &packet);
        if (status == WEIR_OK && packet.bytes == 0) /* a share of nothing */
            status = give_back(device, on->queue);
        else if (status == WEIR_OK)
            status = start(on, &device->slot[(*started)++ % slots], &packet);
    }
    return status == WEIR_PENDING ? WEIR_OK : status;
}

static weir_status filter(struct weir__dataflow_device *on)
{
    const uint32_t slots = on->buffers;
    uint64_t started = 0, finished = 0;
    weir_status status = WEIR_OK;
    for (;;) {
        if (status != WEIR_CLOSED)
            status = start_some(on, &started, finished);
        if (status < 0)
            return status;
        if (started > finished) {
            weir_status ended = finish(on, &mine(on)->slot[finished++ % slots]);
            if (ended)
                return ended;
        } else if (status == WEIR_CLOSED) {
            return WEIR_OK;
        }
    }
}

/* No more results; those under way are waited for. */
static weir_status leave(struct weir__dataflow_device *on)
{
    const weir__pbf_device *device = mine(on);
    weir_status status = weir_link_shutdown(on->out);
    for (uint32_t i = 0; i < on->buffers && !status; i++)
        if (device->slot[i].sent)
            status = weir_future_wait(device->slot[i].sent, -1);
    return status;
}

weir_status weir__pbf_work(struct weir__dataflow_device *on)
{
    weir__pbf_device *device = mine(on);
    weir_status status = filter(on);
    if (!status)
        status = leave(on);
    if (status) /* the wait below must end */
        weir__dataflow_fail(on->flow, status);
    if (device->next) { /* closed or cancelled, or its bytes are on the way still */
        weir_segment packet;
        (void)weir_pending_wait(device->next, -1, &packet);
        (void)give_back(device, NULL);
    }
    device->share.ms = weir__dataflow_ms(on->flow);
    return status;
}
