/** @file cc_stream_worker.c  A device's thread: segments in, trees of its children in, its own out.
 *
 * Kernels are put behind packets that are still on the way: the queue waits for them. So the next
 * segments come while one is linked, and the thread waits for nothing but for packets to be assigned. */
#include "algorithms/cc/cc_stream.h"
#include "algorithms/cc/cc_stream_op.h"

static void stream_host(const void *args, uint32_t worker, uint32_t workers)
{
    cc_stream(args, worker, workers);
}

#if WEIR_CUDA
static const weir_kernel kernel = {"cc", stream_host, weir__cc_stream_cuda};
#else
static const weir_kernel kernel = {"cc", stream_host, NULL};
#endif

/* A device's side of a run, and the object. */
static weir__cc_worker *mine(const struct weir__dataflow_device *on)
{
    return &((weir__cc_run *)on->flow)->worker[on->index];
}

static const weir__cc_streamed *cc_of(const struct weir__dataflow_device *on)
{
    return ((const weir__cc_run *)on->flow)->cc;
}

/* A device that has children takes their parents from the router upwards. */
weir_status weir__cc_open(struct weir__dataflow_device *on)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    if (!cc_of(on)->plan.children[on->index])
        return WEIR_OK;
    mine(on)->output = ((weir__cc_run *)on->flow)->outputs++;
    config.packet_bytes = on->flow->packet_bytes;
    config.buffers = on->buffers;
    config.transport = cc_of(on)->transport;
    return weir_link_create(weir_router_endpoint(on->flow->onwards), on->endpoint, &config,
                            &on->back);
}

static weir_status launch(struct weir__dataflow_device *on, enum cc_stream_kind kind,
                          const void *data, uint64_t first, uint64_t count)
{
    const struct cc_stream_args args = {.parent = cc_of(on)->parent[on->index],
                                        .data = data,
                                        .kind = kind,
                                        .first = (uint32_t)first,
                                        .count = (uint32_t)count};
    return weir_queue_launch(on->queue, &kernel, &args, sizeof args);
}

/* Over all vertices. */
static weir_status launch_all(struct weir__dataflow_device *on, enum cc_stream_kind kind)
{
    return launch(on, kind, NULL, 0, cc_of(on)->vertices);
}

/* Link what comes next on a link. @param[out] bytes_out  its size.  @retval WEIR_CLOSED  no more comes. */
static weir_status take(struct weir__dataflow_device *on, weir_link *link, enum cc_stream_kind kind,
                        uint64_t *bytes_out)
{
    weir_pending *pending;
    weir_segment packet;
    weir_status status = weir_link_receive(link, &pending), released;
    *bytes_out = 0;
    if (status)
        return status;
    status = weir_pending_wait_assigned(pending, -1, &packet);
    if (!status)
        status = weir_pending_gate(pending, on->queue);
    if (!status) {
        *bytes_out = packet.bytes;
        status = launch(on, kind, packet.data, packet.offset / 4, packet.bytes / 4);
    }
    if (status < 0) /* a failure: nothing may be written into the buffer after this */
        (void)weir_pending_wait(pending, -1, &packet);
    released = weir_pending_release(pending, status ? NULL : on->queue);
    return status ? status : released;
}

static weir_status stream(struct weir__dataflow_device *on)
{
    weir__cc_worker *worker = mine(on);
    weir_status status = launch_all(on, CC_BEGIN);
    uint64_t bytes;
    while (!status)
        if (!(status = take(on, on->in, CC_SEGMENT, &bytes))) {
            worker->segments++;
            worker->bytes += bytes;
        }
    if (status == WEIR_CLOSED)
        status = weir_queue_sync(on->queue);
    worker->stream_ms = weir__dataflow_ms(on->flow);
    return status;
}

/* Every child sends its whole array once. */
static weir_status merge(struct weir__dataflow_device *on)
{
    const weir__cc_streamed *cc = cc_of(on);
    const uint64_t all = (uint64_t)cc->plan.children[on->index] * cc->vertices * 4;
    weir_status status = WEIR_OK;
    for (uint64_t have = 0, bytes; have < all && !status; have += bytes) {
        status = take(on, on->back, CC_TREES, &bytes);
        mine(on)->bytes += bytes;
    }
    if (status == WEIR_CLOSED)
        return weir__fail(WEIR_ERR_DEVICE, "a device shut down before its trees had come");
    return status ? status : launch_all(on, CC_FLATTEN);
}

/* To the parent of the device; the top's go to the host, whose link is the last output of the router. */
static weir_status send_up(struct weir__dataflow_device *on)
{
    const weir__cc_run *run = (const weir__cc_run *)on->flow;
    const weir__cc_plan *plan = &run->cc->plan;
    weir_segment trees = {.device = on->device,
                          .data = run->cc->parent[on->index],
                          .bytes = run->cc->vertices * 4,
                          .meta = on->index == plan->top
                                      ? run->outputs
                                      : run->worker[plan->parent[on->index]].output};
    weir_future *sent;
    if (!trees.bytes) /* an empty packet would wait for somebody to take it */
        return weir_link_shutdown(on->out);
    weir_status status = weir_link_send_from(on->out, &trees, on->queue, &sent);
    if (status)
        return status;
    status = weir_future_wait(sent, -1);
    weir_future_release(sent);
    return status ? status : weir_link_shutdown(on->out);
}

weir_status weir__cc_work(struct weir__dataflow_device *on)
{
    weir_status status;
    if ((status = stream(on)) || (status = merge(on)))
        return status;
    return send_up(on);
}
