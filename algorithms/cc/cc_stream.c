/** @file cc_stream.c  Streamed components: the object, and a run. */
#include "algorithms/cc/cc_stream.h"

#include <stdlib.h>
#include <string.h>

/* From 16 MiB on a GPU's host link carries nearly all it can. Below 64 KiB starting a kernel takes longer than
 * the arcs do. */
#define PACKET_MOST  ((size_t)16 << 20)
#define PACKET_LEAST ((size_t)64 << 10)
#define PACKET_SHARE 8u /* segments that each device should get at least */

/* ---- a run ----------------------------------------------------------------------------------- */

static weir_status feed(struct weir__dataflow *flow)
{
    const weir__cc_segments *s = &((const weir__cc_run *)flow)->cc->segments;
    weir_status status = WEIR_OK;
    for (uint64_t i = 0; i < s->count && !status; i++) {
        weir_segment segment = {.device = weir_context_home(flow->context),
                                .data = s->data + s->first[i],
                                .bytes = (s->first[i + 1] - s->first[i]) * sizeof *s->data};
        status = weir_link_send(flow->feed, &segment, NULL, NULL);
        if (!status && weir__dataflow_left_ms(flow) == 0)
            status = weir__dataflow_explain(flow, WEIR_ERR_TIMEOUT);
    }
    return status;
}

static const struct weir__dataflow_form form = {
    .what = "cc", .onwards = "upwards", .open = weir__cc_open, .feed = feed, .work = weir__cc_work};

static void fill_stats(const weir__cc_run *run, weir_run_stats *stats)
{
    const weir__cc_streamed *cc = run->cc;
    weir_run_phase stream = {"stream", 0, 0}, merge = {"merge", 0, cc->plan.rounds};
    *stats = (weir_run_stats){.kernel_ms = (double)(run->flow.end_ns - run->flow.start_ns) / 1e6,
                              .reached = cc->vertices,
                              .arcs_reached = cc->arcs,
                              .direction = WEIR_DIRECTION_PUSH,
                              .devices = cc->devices,
                              .least_items = cc->vertices};
    for (uint32_t d = 0; d < cc->devices; d++) {
        const weir__cc_worker *worker = &run->worker[d];
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

weir_status weir__cc_streamed_run(weir__cc_streamed *cc, weir_run_stats *stats)
{
    weir__cc_run *run;
    weir_status status = weir__calloc(1, sizeof *run, "run", &run);
    if (status)
        return status;
    run->cc = cc;
    run->flow.context = cc->context;
    run->flow.devices = cc->devices;
    run->flow.time_limit_ms = cc->time_limit_ms;
    run->flow.spread = weir_policy_any();
    run->flow.collect = weir_policy_direct();
    run->flow.packet_bytes = cc->packet_bytes;
    run->flow.output = cc->labels;
    run->flow.output_bytes = cc->vertices * 4;
    for (uint32_t d = 0; d < cc->devices; d++)
        run->flow.device[d].buffers = WEIR__CC_BUFFERS;
    if (!(status = weir__dataflow_run(&cc->owner, &run->flow)))
        fill_stats(run, stats);
    free(run);
    return status;
}

/* ---- the object ------------------------------------------------------------------------------ */

/* Six buffers and the parents are all that a device holds. */
static size_t packet_of(const weir__cc_streamed *cc, const weir_graph *graph)
{
    uint64_t bytes = (graph->arcs * 4 + graph->vertices * 8) / (cc->devices * PACKET_SHARE);
    bytes = bytes < PACKET_LEAST ? PACKET_LEAST : bytes;
    bytes = bytes > PACKET_MOST ? PACKET_MOST : bytes;
    for (uint32_t d = 0; d < cc->devices; d++) {
        weir_pool_stats pool;
        weir_device_pool_stats(weir_context_device(cc->context, d), &pool);
        uint64_t left = pool.bound_bytes > pool.used_bytes ? pool.bound_bytes - pool.used_bytes : 0;
        bytes = bytes > left / 8 ? left / 8 : bytes;
    }
    return bytes < 256 ? 256 : (size_t)bytes / 256 * 256;
}

/* A device holds the parents and buffers of two links; with few arcs most buffers stay empty. */
static weir_status fits(const weir__cc_streamed *cc, const weir_graph *graph,
                        const weir_run_options *options)
{
    const uint64_t n = graph->vertices, sent = graph->arcs * 4 + n * 4;
    struct weir__need need = {0, 0};
    for (uint32_t d = 0; d < cc->devices; d++) {
        const weir_device *device = weir_context_device(cc->context, d);
        const uint64_t buffers = WEIR__CC_BUFFERS * cc->packet_bytes;
        weir__need_take_on(&need, device, n, 4);
        weir__need_take_on(&need, device, buffers < sent ? buffers : sent, 1);
        if (cc->plan.children[d])
            weir__need_take_on(&need, device, buffers < n * 4 ? buffers : n * 4, 1);
    }
    weir__need_take(&need, n, sizeof *cc->labels);
    weir__cc_segments_need(graph, cc->packet_bytes, &need);
    weir__need_take(&need, options->reserved_bytes, 1);
    return weir__need_fits(&need, "connected components of %s", graph->name);
}

static weir_status create_all(weir__cc_streamed *cc, const weir_graph *graph,
                              const weir_run_options *options, size_t packet_bytes)
{
    weir_status status = weir__cc_plan_make(cc->context, cc->devices, options->route, &cc->plan);
    cc->packet_bytes = packet_bytes ? packet_bytes : packet_of(cc, graph);
    if (!status)
        status = fits(cc, graph, options);
    for (uint32_t d = 0; d < cc->devices && !status; d++) {
        void *place;
        if (!(status = weir_device_alloc(weir_context_device(cc->context, d),
                                         (size_t)cc->vertices * 4, &place)))
            cc->parent[d] = place;
    }
    if (status ||
        (status = weir__cc_locked_alloc(cc->context, cc->vertices * 4, "labels", &cc->labels)))
        return status;
    return weir__cc_segments_create(cc->context, graph, cc->packet_bytes, &cc->segments);
}

weir_status weir__cc_streamed_create(weir_context *context, const weir_graph *graph,
                                     uint32_t devices, const weir_run_options *options,
                                     size_t packet_bytes, weir__cc_streamed **out)
{
    weir__cc_streamed *cc;
    weir_status status;
    *out = NULL;
    if (packet_bytes && (packet_bytes < 64 || packet_bytes % 16))
        return weir__fail(WEIR_ERR_INVALID, "segments of %zu bytes: multiples of 16 from 64 on",
                          packet_bytes);
    if ((status = weir__calloc(1, sizeof *cc, "connected components", &cc)))
        return status;
    weir__context_retain(context);
    weir__dataflow_owner_init(&cc->owner, &form);
    cc->context = context;
    cc->vertices = graph->vertices;
    cc->arcs = graph->arcs;
    cc->devices = devices;
    cc->time_limit_ms = options->time_limit_ms;
    cc->transport =
        options->route == WEIR_ROUTE_STAGED ? WEIR_TRANSPORT_STAGED : WEIR_TRANSPORT_AUTO;
    if ((status = create_all(cc, graph, options, packet_bytes))) {
        weir__cc_streamed_destroy(cc);
        return status;
    }
    *out = cc;
    return WEIR_OK;
}

weir_status weir__cc_streamed_labels(const weir__cc_streamed *cc, uint32_t *labels_out)
{
    memcpy(labels_out, cc->labels, (size_t)cc->vertices * sizeof *labels_out);
    return WEIR_OK;
}

void weir__cc_streamed_cancel(weir__cc_streamed *cc)
{
    weir__dataflow_cancel(&cc->owner);
}

void weir__cc_streamed_destroy(weir__cc_streamed *cc)
{
    if (!cc)
        return;
    for (uint32_t d = 0; d < cc->devices; d++)
        weir_device_free(weir_context_device(cc->context, d), cc->parent[d]);
    weir__cc_segments_destroy(&cc->segments);
    weir__cc_locked_free(cc->context, cc->labels);
    weir__dataflow_owner_destroy(&cc->owner);
    weir__context_release(cc->context);
    free(cc);
}
