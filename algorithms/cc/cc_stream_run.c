/** @file cc_stream_run.c  A run of streamed components: feed the segments, take the labels, report. */
#include "algorithms/cc/cc_stream.h"

#include <stdlib.h>
#include <string.h>

/* ---- endings --------------------------------------------------------------------------------- */

void weir__cc_flow_fail(weir__cc_flow *flow, weir_status status)
{
    pthread_mutex_lock(&flow->lock);
    if (!flow->status) {
        flow->status = status;
        flow->detail = strdup(weir_error_detail());
    }
    pthread_mutex_unlock(&flow->lock);
    weir_router_cancel(flow->to_devices, status);
    weir_router_cancel(flow->upwards, status);
}

static int64_t left_ms(const weir__cc_flow *flow)
{
    uint64_t now = weir__now_ns();
    if (!flow->deadline_ns)
        return -1;
    return now < flow->deadline_ns ? (int64_t)((flow->deadline_ns - now + 999999) / 1000000) : 0;
}

static weir_status late(const weir__cc_flow *flow)
{
    return weir__fail(WEIR_ERR_TIMEOUT, "cc: the time limit of %u ms is over",
                      flow->cc->time_limit_ms);
}

/* ---- the host's part ------------------------------------------------------------------------- */

static weir_status feed(weir__cc_flow *flow)
{
    const weir__cc_segments *s = &flow->cc->segments;
    weir_status status = WEIR_OK;
    for (uint64_t i = 0; i < s->count && !status; i++) {
        weir_segment segment = {.device = weir_context_home(flow->cc->context),
                                .data = s->data + s->first[i],
                                .bytes = (s->first[i + 1] - s->first[i]) * sizeof *s->data};
        status = weir_link_send(flow->feed, &segment, NULL, NULL);
        if (!status && left_ms(flow) == 0)
            status = late(flow);
    }
    return status ? status : weir_link_shutdown(flow->feed);
}

/* Packets come in order: each is received where the one before it ends. */
static weir_status receive(weir__cc_flow *flow)
{
    weir__cc_streamed *cc = flow->cc;
    const uint64_t all = cc->vertices * 4;
    weir_status status = WEIR_OK;
    for (uint64_t have = 0; have < all && !status;) {
        weir_pending *pending;
        weir_segment packet;
        if ((status = weir_link_receive_into(flow->result, (char *)cc->labels + have, all - have,
                                             NULL, &pending)))
            return status;
        status = weir_pending_wait(pending, left_ms(flow), &packet);
        if (status == WEIR_ERR_TIMEOUT)
            status = late(flow);
        if (status) {
            weir__cc_flow_fail(flow, status);
            (void)weir_pending_wait(pending, -1, &packet);
        } else
            have += packet.bytes;
        (void)weir_pending_release(pending, NULL);
    }
    return status;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static weir_status start_workers(weir__cc_flow *flow)
{
    for (uint32_t d = 0; d < flow->cc->devices; d++) {
        weir__cc_worker *worker = &flow->worker[d];
        int error = pthread_create(&worker->thread, NULL, weir__cc_work, worker);
        if (error)
            return weir__fail(WEIR_ERR_NOMEM, "the thread of device %u: %s", d, strerror(error));
        worker->started = 1;
    }
    return WEIR_OK;
}

static void join_workers(weir__cc_flow *flow)
{
    for (uint32_t d = 0; d < flow->cc->devices; d++)
        if (flow->worker[d].started)
            (void)pthread_join(flow->worker[d].thread, NULL);
}

static void fill_stats(const weir__cc_flow *flow, uint64_t ended_ns, weir_run_stats *stats)
{
    const weir__cc_streamed *cc = flow->cc;
    weir_run_phase stream = {"stream", 0, 0}, merge = {"merge", 0, cc->plan.rounds};
    *stats = (weir_run_stats){.kernel_ms = (double)(ended_ns - flow->start_ns) / 1e6,
                              .reached = cc->vertices,
                              .arcs_reached = cc->arcs,
                              .direction = WEIR_DIRECTION_PUSH,
                              .devices = cc->devices,
                              .least_items = cc->vertices};
    for (uint32_t d = 0; d < cc->devices; d++) {
        const weir__cc_worker *worker = &flow->worker[d];
        stream.steps += worker->segments;
        stream.ms = worker->stream_ms > stream.ms ? worker->stream_ms : stream.ms;
        stats->bytes_sent += worker->bytes;
    }
    stats->bytes_sent += cc->vertices * 4; /* the labels, to the host */
    merge.ms = stats->kernel_ms - stream.ms;
    stats->phase[0] = stream;
    stats->phase[1] = merge;
    stats->work.processed = cc->vertices;
    stats->work.atoms = cc->segments.arcs;
    stats->work.rounds = stats->steps = stream.steps + merge.steps;
    stats->bytes = cc->segments.words * 4 + cc->segments.arcs * 4 + cc->vertices * 4;
}

/* Everything between building the graph and freeing it. The first failure is in flow->status. */
static void run_flow(weir__cc_flow *flow, weir_run_stats *stats)
{
    weir_status status;
    flow->start_ns = weir_context_time_ns(flow->cc->context);
    if (flow->cc->time_limit_ms)
        flow->deadline_ns = weir__now_ns() + flow->cc->time_limit_ms * UINT64_C(1000000);
    if ((status = start_workers(flow)) || (status = feed(flow)) || (status = receive(flow)))
        weir__cc_flow_fail(flow, status);
    uint64_t ended_ns = weir_context_time_ns(flow->cc->context);
    join_workers(flow);
    fill_stats(flow, ended_ns, stats);
}

/* From here until it is withdrawn a run can be cancelled. */
static weir_status publish(weir__cc_flow *flow)
{
    weir__cc_streamed *cc = flow->cc;
    pthread_mutex_lock(&cc->lock);
    int cancelled = cc->cancelled;
    if (!cancelled)
        cc->flow = flow;
    pthread_mutex_unlock(&cc->lock);
    return cancelled ? weir__fail(WEIR_ERR_CANCELLED, "cc: the run was cancelled") : WEIR_OK;
}

static void withdraw(weir__cc_streamed *cc)
{
    pthread_mutex_lock(&cc->lock);
    cc->flow = NULL;
    cc->cancelled = 0;
    pthread_mutex_unlock(&cc->lock);
}

static weir_status run_opened(weir__cc_flow *flow, weir_run_stats *stats)
{
    weir_status status = weir__cc_flow_open(flow);
    if (!status)
        status = publish(flow);
    if (!status)
        run_flow(flow, stats);
    withdraw(flow->cc);
    if (flow->detail)
        weir__fail_adopt(flow->detail);
    return status ? status : flow->status;
}

weir_status weir__cc_streamed_run(weir__cc_streamed *cc, weir_run_stats *stats)
{
    weir__cc_flow *flow;
    weir_status status;
    *stats = (weir_run_stats){.devices = cc->devices};
    if ((status = weir__calloc(1, sizeof *flow, "run", &flow)))
        return status;
    flow->cc = cc;
    pthread_mutex_init(&flow->lock, NULL);
    status = run_opened(flow, stats);
    weir__cc_flow_close(flow);
    pthread_mutex_destroy(&flow->lock);
    free(flow->detail);
    free(flow);
    return status;
}
