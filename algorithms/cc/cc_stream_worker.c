/** @file cc_stream_worker.c  A device's thread: segments in, trees of its children in, its own out.
 *
 * Kernels are put behind packets that are still on the way: the queue waits for them. So the next
 * segments come while one is linked, and the thread waits for nothing but for packets to be assigned. */
#include "algorithms/cc/cc_stream.h"

static double ms_since_start(const weir__cc_flow *flow)
{
    return (double)(weir_context_time_ns(flow->cc->context) - flow->start_ns) / 1e6;
}

static weir_status launch(weir__cc_worker *worker, enum cc_stream_kind kind, const void *data,
                          uint64_t first, uint64_t count)
{
    const struct cc_stream_args args = {.parent = worker->flow->cc->parent[worker->index],
                                        .data = data,
                                        .kind = kind,
                                        .first = (uint32_t)first,
                                        .count = (uint32_t)count};
    return weir_queue_launch(worker->queue, &weir__cc_stream_kernel, &args, sizeof args);
}

/* Over all vertices. */
static weir_status launch_all(weir__cc_worker *worker, enum cc_stream_kind kind)
{
    return launch(worker, kind, NULL, 0, worker->flow->cc->vertices);
}

/* Link what comes next on a link. @param[out] bytes_out  its size.  @retval WEIR_CLOSED  no more comes. */
static weir_status take(weir__cc_worker *worker, weir_link *link, enum cc_stream_kind kind,
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
        status = weir_pending_gate(pending, worker->queue);
    if (!status) {
        *bytes_out = packet.bytes;
        status = launch(worker, kind, packet.data, packet.offset / 4, packet.bytes / 4);
    }
    if (status < 0) /* a failure: nothing may be written into the buffer after this */
        (void)weir_pending_wait(pending, -1, &packet);
    released = weir_pending_release(pending, status ? NULL : worker->queue);
    return status ? status : released;
}

static weir_status stream(weir__cc_worker *worker)
{
    weir_status status = launch_all(worker, CC_BEGIN);
    uint64_t bytes;
    while (!status)
        if (!(status = take(worker, worker->in, CC_SEGMENT, &bytes))) {
            worker->segments++;
            worker->bytes += bytes;
        }
    if (status == WEIR_CLOSED)
        status = weir_queue_sync(worker->queue);
    worker->stream_ms = ms_since_start(worker->flow);
    return status;
}

/* Every child sends its whole array once. */
static weir_status merge(weir__cc_worker *worker)
{
    const weir__cc_streamed *cc = worker->flow->cc;
    const uint64_t all = (uint64_t)cc->plan.children[worker->index] * cc->vertices * 4;
    weir_status status = WEIR_OK;
    for (uint64_t have = 0, bytes; have < all && !status; have += bytes) {
        status = take(worker, worker->up, CC_TREES, &bytes);
        worker->bytes += bytes;
    }
    if (status == WEIR_CLOSED)
        return weir__fail(WEIR_ERR_DEVICE, "a device shut down before its trees had come");
    return status ? status : launch_all(worker, CC_FLATTEN);
}

static weir_status send_up(weir__cc_worker *worker)
{
    weir__cc_flow *flow = worker->flow;
    const weir__cc_streamed *cc = flow->cc;
    const int top = worker->index == cc->plan.top;
    weir_segment trees = {.device = worker->device,
                          .data = cc->parent[worker->index],
                          .bytes = cc->vertices * 4,
                          .meta = top ? flow->result_output
                                      : flow->worker[cc->plan.parent[worker->index]].output};
    weir_future *sent;
    if (!trees.bytes) /* an empty packet would wait for somebody to take it */
        return weir_link_shutdown(worker->out);
    weir_status status = weir_link_send_from(worker->out, &trees, worker->queue, &sent);
    if (status)
        return status;
    status = weir_future_wait(sent, -1);
    weir_future_release(sent);
    return status ? status : weir_link_shutdown(worker->out);
}

void *weir__cc_work(void *data)
{
    weir__cc_worker *worker = data;
    weir_status status;
    if ((status = stream(worker)) || (status = merge(worker)) || (status = send_up(worker)))
        weir__cc_flow_fail(worker->flow, status);
    if (status) /* the graph is freed next, and kernels may still read its buffers */
        (void)weir_queue_sync(worker->queue);
    return NULL;
}
